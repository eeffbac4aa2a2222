"""What the tests of pictures read in them."""

import re
from html import unescape


def words_of(html: str) -> str:
    """Return the text of a picture."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())

"""The stemmer against nltk's Porter stemmer in the form of the original paper."""

import pytest

from firstprinciples.corpus import Collection
from firstprinciples.text import stem, tokenize

porter = pytest.importorskip("nltk.stem.porter", reason="needs nltk: python3 -m firstprinciples test --peers")
pytestmark = pytest.mark.peers
ORACLE = porter.PorterStemmer(mode="ORIGINAL_ALGORITHM")


def differing(words):
    return [(word, stem(word), ORACLE.stem(word)) for word in sorted(words) if stem(word) != ORACLE.stem(word)]


def test_the_words_of_larkspur():
    words = {word for chunk in Collection.load("larkspur").chunks for word in tokenize(chunk.text, codes=False)}
    assert len(words) > 1500
    assert differing(words) == []


@pytest.mark.parametrize("word", ["trekking", "lyyed", "is", "as", "s", "yes", "generalizations", "syzygy", "feed",
                                  "agreed", "sses", "ies", "ing", "ed", "eed", "ionion", "bb"])
def test_short_and_odd_words(word):
    assert differing([word]) == []


@pytest.mark.collections
@pytest.mark.parametrize("name, at_least", [("cranfield", 6_000), ("scifact", 25_000)])
def test_the_words_of_a_real_collection(collections_folder, name, at_least):
    collection = Collection.load(collections_folder / name)
    words = {word for chunk in collection.chunks for word in tokenize(chunk.text, codes=False)}
    assert len(words) >= at_least
    assert differing(words) == []

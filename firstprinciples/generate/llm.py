"""A language model, as far as this course goes: any function from a text to a text, which may fail in every way.

The problem. `lambda prompt: client.answer(prompt)` is one line, and behind it stand a network, a company and a machine
that guesses. It raises, it returns nothing, it writes a novel where a line was wanted, or it does not come back. A
search must not fall with it. So it is asked in one place, with a limit of time and of length, and what comes out is
either a text or one sentence that says what went wrong. Whoever asked then takes its stand-in, a rule, and says so.

The function runs in a thread of its own. Python can't stop a thread: one that is too slow is left behind, does not keep
the program from ending, and what it returns later is thrown away. Ctrl-C is no failure of the model and goes through.
"""

import math
import reprlib
import threading
from typing import NamedTuple

SECONDS = 20.0  # read at each call, so that who has a slow model can set llm.SECONDS = 120
LONGEST = 400  # words; a paragraph or two
SIGNS = 20  # and what a word may have on average: a text without a space can be a novel, too


class Reply(NamedTuple):
    """What came back: a text, and "" as the problem; or "" as the text, and in one sentence what went wrong."""

    text: str
    problem: str


def ask(llm, prompt: str, seconds: float | None = None, longest: int = LONGEST) -> Reply:
    """Hand a prompt to a function from text to text, and return its text, without white space at its ends.

    `seconds` is how long it may take, above 0; None stands for the module's SECONDS at the time of the call. `longest`
    is how many words it may give, of 20 signs on average. What is longer is refused and not cut: the first words of a
    novel are no question. Whatever the function does, this does not raise, but lets KeyboardInterrupt and SystemExit
    through. Raises TypeError for what is no function and no prompt, ValueError for limits that are none.

    >>> ask(str.upper, "march invoice")
    Reply(text='MARCH INVOICE', problem='')
    >>> ask(lambda prompt: None, "march invoice").problem
    'The function returned NoneType where a text was needed.'
    """
    if not callable(llm):
        raise TypeError(f"llm is a function from text to text; {reprlib.repr(llm)} can't be called.")
    if not isinstance(prompt, str):
        raise TypeError(f"A prompt is a string, and {reprlib.repr(prompt)} is none.")
    seconds, longest = _limit(SECONDS if seconds is None else seconds, "seconds"), _limit(longest, "longest")
    came = {}
    done = threading.Event()

    def run():
        try:
            came["value"] = llm(prompt)
        except BaseException as error:  # handed over to whoever asked: here nobody would see it
            came["error"] = error
        finally:
            done.set()

    threading.Thread(target=run, name="llm", daemon=True).start()
    if not done.wait(min(seconds, threading.TIMEOUT_MAX)):
        return Reply("", f"The function had not answered after {seconds:g} seconds; it is left running, and what it "
                         "returns is thrown away.")
    error = came.get("error")
    if error is not None and not isinstance(error, Exception):
        raise error
    if error is not None:
        return Reply("", f"The function raised {_said(error)}.")
    return _judged(came["value"], longest)


def _judged(value, longest: float) -> Reply:
    """Return what a function gave as a reply: its text, or why it is of no use."""
    if not isinstance(value, str):
        return Reply("", f"The function returned {type(value).__name__} where a text was needed.")
    text = value.strip()
    if not any(sign.isalnum() for sign in text):  # "...", "- *" or signs that nobody sees say nothing either
        return Reply("", "The function returned a text with nothing in it.")
    words = len(text.split())
    if words > longest:
        return Reply("", f"The function returned {words:,} words; at most {longest:,} are taken.")
    if len(text) > SIGNS * longest:
        return Reply("", f"The function returned {len(text):,} signs; at most {SIGNS * longest:,} are taken.")
    return Reply(str(text), "")


def _said(error: Exception) -> str:
    """Return an error on one line: its type, and what it says, shortened."""
    try:
        message = " ".join(str(error).split())
    except Exception:  # an error whose text can't be made
        message = ""
    message = message if len(message) <= 120 else message[:119] + "…"
    return type(error).__name__ + (f": {message.rstrip('.')}" if message else "")


def _limit(number, name: str) -> float:
    """Return a limit as it is. Raises ValueError unless it is a number above 0."""
    right = isinstance(number, (int, float)) and not isinstance(number, bool) and not math.isnan(number) and number > 0
    if not right:
        raise ValueError(f"{name} is {reprlib.repr(number)}; it must be a number above 0.")
    return number

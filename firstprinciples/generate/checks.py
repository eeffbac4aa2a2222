"""What comes in, checked once: a text, a history, a limit, vectors; one clear sentence for whatever is none."""

import numpy as np

from firstprinciples.index import shown
from firstprinciples.ingest.checks import back_from
from firstprinciples.rank.checks import whole

ROLES = ("user", "assistant")


def as_text(text) -> str:
    """Return a text as it is. Raises TypeError for what is no string."""
    if not isinstance(text, str):
        raise TypeError(f"A question or a text is a string, and {shown(text)} is none.")
    return text


def as_turns(history) -> list[dict]:
    """Return the turns of a conversation as a list; None is an empty one.

    Raises ValueError unless each is a dict with "role", which is user or assistant, and "text", a string.

    >>> as_turns(({"role": "user", "text": "Who owes us?"},))
    [{'role': 'user', 'text': 'Who owes us?'}]
    """
    shape = 'each {"role": "user" or "assistant", "text": "..."}, oldest first'
    if history is None:
        return []
    if isinstance(history, (str, bytes, dict, set, frozenset)) or not hasattr(history, "__iter__"):
        raise ValueError(f"The history is a list of turns, {shape}; {shown(history)} is none.")
    turns = list(history)
    for number, turn in enumerate(turns, 1):
        if not (isinstance(turn, dict) and turn.get("role") in ROLES and isinstance(turn.get("text"), str)):
            raise ValueError(f"Turn {number} of the history is {shown(turn)}; the turns are {shape}.")
    return turns


def as_most(most) -> int:
    """Return a limit, a whole number from 1. Raises ValueError for anything else."""
    return whole(most, "The limit")


def as_vectors(question, answers) -> tuple[np.ndarray, np.ndarray]:
    """Return the question's vector, (d,), and those of the answers, (m, d), as float64.

    Raises ValueError where the shapes do not fit or a number is not finite.
    """
    try:
        question, answers = np.asarray(question, dtype=np.float64), np.asarray(answers, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("The vectors must be arrays of numbers: (d,) of the question and (m, d) of the answers."
                         ) from None
    if question.ndim != 1 or answers.ndim != 2 or answers.shape[1] != len(question):
        raise ValueError(f"The question's vector has the shape {question.shape} and those of the answers "
                         f"{answers.shape}; they must be (d,) and (m, d).")
    if not (np.isfinite(question).all() and np.isfinite(answers).all()):
        raise ValueError("There is something in the vectors that is not a finite number.")
    return question, answers


def from_task(name: str, function, right, what: str):
    """Return what the function of a task gives, the course's own or the learner's in its place.

    `right(value)` says whether it is of use, and `what` in words what it should be. Raises ValueError, which names the
    function, for anything else; whatever it raises itself goes on with a note that names it.
    """
    own = name.partition(".")[2]
    back = back_from(name)
    try:
        value = function()
    except Exception as error:
        error.add_note(f"This was raised by {own}, or by what it calls. {back}")
        raise
    if not right(value):
        raise ValueError(f"{own} should give {what}; it gave {shown(value)}. Is a return missing? {back}")
    return value


def is_texts(value) -> bool:
    """Say whether this is a list of strings."""
    return isinstance(value, (list, tuple)) and all(isinstance(text, str) for text in value)

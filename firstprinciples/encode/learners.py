"""What comes in from outside, checked where an encoder takes it in: it is what is needed, or one sentence says why not.

`use` can put any function into a module, also one that forgets its return or gives a list. A list is fine; whatever no
sum can be made of is named together with the function at fault.
"""

import numpy as np


def texts_in(texts) -> list[str]:
    """Return the texts that an encoder was handed, as a list. Raises TypeError for what is no list of strings.

    >>> texts_in(("invoice", "bill"))
    ['invoice', 'bill']
    """
    if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
        raise TypeError("Give a list of texts, also for one text.")
    texts = list(texts)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"A text must be a string, not {type(text).__name__}.")
    return texts


def given(name: str, value, shape: tuple) -> np.ndarray:
    """Return what the function of a task gave as an array, float64, of this shape.

    Raises ValueError, which names the function, for another shape, for nan and infinity, and for what is no array.

    >>> given("biencoder.mean_pool", [1, 2], (2,))
    array([1., 2.])
    """
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):  # the last: a whole number that no float holds
        numbers = np.array(np.nan)
    if numbers.shape != shape or not np.isfinite(numbers).all():
        what = f"shape {numbers.shape}" if np.ndim(numbers) and numbers.shape != shape else "something else"
        own = name.partition(".")[2]
        raise ValueError(f"{own} should give finite numbers of the shape {shape}; it gave {what}. "
                         f'use("{name}") puts the course\'s own back.')
    return numbers

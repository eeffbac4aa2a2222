"""What all unit tests share: a function that a test put into the course is out of it again afterwards."""

import pytest

from firstprinciples import swap


@pytest.fixture(autouse=True)
def put_back():
    """Put every function back after a test."""
    yield
    for name in swap.in_use():
        swap.use(name)

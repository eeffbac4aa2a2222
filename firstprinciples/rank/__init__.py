"""Ranked lists -> one better list. `fusion` makes one list of several."""

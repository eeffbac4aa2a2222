"""Ranked lists -> one better list. `fusion` makes one list of several, `rerank` puts one into a new order."""

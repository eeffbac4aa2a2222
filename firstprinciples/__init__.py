"""Retrieval for RAG, built from first principles in plain NumPy."""

__version__ = "0.1.0"

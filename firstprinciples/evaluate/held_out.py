"""What a trained bi-encoder finds on topics it never saw, beside the same model untrained and beside BM25.

Each question of the held-out topics has one right passage, and all passages of these topics are the pool it is to be
found in. Recall@10 is the share of questions whose passage is among the first ten. By chance that would be ten out of
the pool: a figure without the size of its pool says nothing.
"""

from firstprinciples.encode.biencoder import BiEncoder, toy, untrained
from firstprinciples.retrieve.bm25 import BM25


def bm25_recall(pairs: list[dict], k: int = 10) -> float:
    """Return the share of questions whose own passage is among the k that BM25 ranks highest of all their passages.

    >>> bm25_recall([{"question": "red tent?", "passage": "A red tent."}, {"question": "fuel", "passage": "A stove."}])
    0.5
    """
    index = BM25([pair["passage"] for pair in pairs])
    found = [str(i) in [hit.id for hit in index.search(pair["question"], k)] for i, pair in enumerate(pairs)]
    return sum(found) / len(found)


def held_out_recall(encoder: BiEncoder | None = None, k: int = 10) -> dict[str, float]:
    """Return recall at k on the held-out pairs: {"chance", "random table", "BM25", "trained"}, each from 0 to 1.

    `encoder` is the trained model, by default the stored one.

    >>> round(held_out_recall()["chance"], 4)
    0.0521
    """
    before, _, pairs = untrained()
    return {"chance": k / len(pairs), "random table": before.recall(pairs, k), "BM25": bm25_recall(pairs, k),
            "trained": (encoder or toy()).recall(pairs, k)}


def held_out_table(encoder: BiEncoder | None = None, k: int = 10) -> str:
    """Return the same as lines to print, with the size of the pool and the number of questions.

    >>> print(held_out_table().splitlines()[0])
    Recall@10 of 192 questions from 8 topics never trained on; the pool: their 192 passages
    """
    _, _, pairs = untrained()
    topics = len({pair["topic"] for pair in pairs})
    lines = [f"Recall@{k} of {len(pairs)} questions from {topics} topics never trained on; the pool: their "
             f"{len(pairs)} passages"]
    names = {"chance": "by chance", "random table": "random table, not trained", "BM25": "BM25", "trained": "trained"}
    lines += [f"  {names[name]:26} {value:.3f}" for name, value in held_out_recall(encoder, k).items()]
    return "\n".join(lines)

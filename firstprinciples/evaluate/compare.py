"""Two retrievers on the same questions: how far apart they are, and whether these questions can tell.

`before` and `after` are what `experiment.evaluate` returned for the one and the other. Every difference is `after`
minus `before`, question by question, with the 95 % interval of its mean from 10,000 resamples of the questions. When 0
lies inside the interval, other questions could as well have shown the opposite: these can't tell the two apart.
"""

from firstprinciples.evaluate import experiment
from firstprinciples.evaluate.experiment import METRICS

TIMES, SEED = 10_000, 0  # resamples of the questions
BY_KIND = ("Recall@10", "nDCG@10")
FEW = 10  # from fewer questions than this the percentile interval comes out too narrow


def differences(before: dict, after: dict, columns: tuple[str, ...] = METRICS) -> dict[str, dict]:
    """Return {metric: {"difference": mean, "low", "high", "wins", "losses", "ties"}} over all measured questions.

    Wins are questions on which `after` is better. Raises ValueError where the two measured different questions.

    >>> one, other = {"each": {"q1": {"RR": 0.5}, "q2": {"RR": 1.0}}}, {"each": {"q1": {"RR": 1.0}, "q2": {"RR": 1.0}}}
    >>> differences(one, other, ("RR",))["RR"]
    {'difference': 0.25, 'low': 0.0, 'high': 0.5, 'wins': 1, 'losses': 0, 'ties': 1}
    """
    resamples = experiment.draw_resamples(len(before["each"]), TIMES, SEED)
    return {name: _summary(experiment.paired_differences(_values(before, name), _values(after, name)), resamples)
            for name in columns}


def differences_by_kind(before: dict, after: dict) -> dict[str, dict]:
    """Return {kind: {"queries": how many, "Recall@10": as in `differences`, "nDCG@10": ...}}."""
    out = {}
    for kind, ids in _of_each_kind(before).items():
        one, other = ({"each": {id: result["each"][id] for id in ids}} for result in (before, after))
        out[kind] = {"queries": len(ids), **differences(one, other, BY_KIND)}
    return out


def recall_intervals(result: dict) -> dict[str, dict]:
    """Return {"all": {"queries", "Recall@10", "low", "high"}, "by_kind": {kind: the same}}: 95 % intervals."""
    return {"all": _recall(result, list(result["each"])),
            "by_kind": {kind: _recall(result, ids) for kind, ids in _of_each_kind(result).items()}}


def apart(row: dict) -> bool:
    """Say whether 0 lies outside the interval of a difference, by more than an error of rounding.

    >>> apart({"low": 0.01, "high": 0.2}), apart({"low": -0.1, "high": 0.2}), apart({"low": 0.0, "high": 0.2})
    (True, False, False)
    """
    return row["low"] > 1e-9 or row["high"] < -1e-9


def _recall(result: dict, ids: list[str]) -> dict:
    """Return how many questions these are, the mean of their Recall@10, and its interval."""
    values = [result["each"][id]["Recall@10"] for id in ids]
    low, high = experiment.bootstrap_interval(values, experiment.draw_resamples(len(ids), TIMES, SEED))
    return {"queries": len(ids), "Recall@10": sum(values) / len(values), "low": low, "high": high}


def _summary(values: list[float], resamples) -> dict:
    """Return the mean of the differences, its interval, and on how many questions each of the two is better."""
    low, high = experiment.bootstrap_interval(values, resamples)
    wins, losses = sum(value > 1e-9 for value in values), sum(value < -1e-9 for value in values)
    return {"difference": sum(values) / len(values), "low": low, "high": high,
            "wins": wins, "losses": losses, "ties": len(values) - wins - losses}


def _values(result: dict, name: str) -> dict[str, float]:
    """Return {query id: value of one metric}."""
    return {id: row[name] for id, row in result["each"].items()}


def _of_each_kind(result: dict) -> dict[str, list[str]]:
    """Return {kind: ids of its measured questions}, kinds in the order in which they come; "" is no kind."""
    groups = {}
    for id in result["each"]:
        if kind := result["kinds"].get(id):
            groups.setdefault(kind, []).append(id)
    return groups

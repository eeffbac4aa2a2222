"""Lesson 17: a second reader at work on one question: it grades each candidate, filters, and acts.

On the left the passages as the search brought them, best first. Each step grades one of them by the reference that was
found for it, or drops what can't be trusted, or takes one action. On the right stands what the reader has before it.
The labels of the collection are shown at the very end: the rules never see them.
"""

from functools import cache

import ipywidgets

from firstprinciples.corpus import Collection, references
from firstprinciples.encode.stored import minilm
from firstprinciples.explore import draw
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.explore.stepper import stepper
from firstprinciples.explore.two_fields import COLORS, half, searches
from firstprinciples.generate.correcting import THRESHOLD, Corrective
from firstprinciples.generate.grader import Grade
from firstprinciples.rank.fusion import Hybrid
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense

TASKS = ("corrective.keep", "corrective.next_action", "corrective.verdict", "corrective.opposed", "corrective.marked",
         "corrective.numbers", "corrective.unmatched")
CASES = {"lightning": "q-22", "the probe": "q-37", "muons": "q-10", "the ether": "q-30", "black hole": "q-41"}
READERS = {"the rules": THRESHOLD, "rules at 0.5": 0.5, "the labels": THRESHOLD}
FOUND, ROOM = 5, 12  # passages that the search brings, and rows that the picture has
SHOWN = 3  # texts that the last step has room for
SIGNS = {"aligned": "●", "contradicts": "◆", "uncertain": "■"}
TRUTH = {"aligned": "true", "contradicts": "false", "uncertain": "uncertain"}


@cache
def trusted() -> dict:
    """Return the references of the half that may be looked at: {id: document}."""
    return {one.id: one for one in references() if one.metadata["split"] == "dev"}


@cache
def wider() -> tuple:
    """Return the chunks of the wider scope, Larkspur's, and a search over them."""
    chunks = Collection.load("larkspur").chunks
    return chunks, BM25(chunks)


@cache
def machine(reader: str) -> Corrective:
    """Return the corrective search over the passages and references of the half that may be looked at.

    It is the one that is measured in notebooks/corrective.json: the wider scope is Larkspur. The grades are those of
    the rules, or the collection's own labels, what a reader who never errs would give.
    """
    def labels(chunk, reference):
        about = half()["about"].get(chunk.id, {})
        ours = about.get("reference") == reference.id
        return Grade(about["label"] if ours else "uncertain", 1.0, "The label that the collection gives it."
                     if ours else "It is about another matter than this reference.", "the labels")

    return Corrective(Hybrid(list(searches().values())), list(trusted().values()),
                      [*half()["passages"].values(), *wider()[0]], wider=wider()[1],
                      threshold=READERS[reader], lookup=Dense(list(trusted().values()), minilm()),
                      grader=labels if reader == "the labels" else None)


def walk(case: str, reader: str) -> dict:
    """Return what the corrective search did with a question, in plain values."""
    question = half()["questions"][CASES[case]].text
    did = machine(reader).run(question, FOUND)
    order = [hit.id for hit in did.candidates]
    return {"question": question, "order": order, "scores": {hit.id: float(hit.score) for hit in did.candidates},
            "graded": {id: {"label": one.label, "confidence": float(one.confidence), "why": one.rationale,
                            "reference": did.against[id]} for id, one in did.grades.items()},
            "kept": [id for id in order if id in did.kept],
            "actions": [{"name": step.action, "why": step.why, "came": step.came, "new": list(step.new)}
                        for step in did.steps],
            "context": [[source["id"], source["text"]] for source in did.trusted]}


# ---- the frames

def trace(case: str, reader: str) -> list[dict]:
    """Return the frames: what was found, a grade at a time, the filter, an action at a time, and the context."""
    did, own = walk(case, reader), machine(reader)
    many, acts = min(FOUND, len(did["order"])), len(did["actions"])
    shared = {"case": case, "reader": reader, **did, "threshold": own.threshold, "minimum": own.minimum,
              "steps": many + acts + 3}
    frames = []
    for step, kind in enumerate(["start", *["grade"] * many, "filter", *["action"] * acts, "context"]):
        acted = min(max(step - many - 1, 0), acts)
        new = [id for action in did["actions"][:acted] for id in action["new"]]
        seen = [*did["order"][:many], *(id for id in new if id in did["graded"])]
        sure = [] if kind in ("start", "grade") else [id for id in seen if id in did["kept"]]
        frames.append(shared | {"step": step, "kind": kind, "acted": acted, "seen": seen,
                                "read": seen[:step] if kind in ("start", "grade") else seen,
                                "now": seen[step - 1] if kind == "grade" else "",
                                "trusted": [*sure, *(id for id in new if id not in did["graded"])]})
    return frames


# ---- words

def described(graded: dict) -> str:
    """Say a grade: "contradicts 0.62"."""
    return f"{graded['label']} {graded['confidence']:.2f}"


def describe(frame: dict) -> str:
    """Say the question, what has been graded as what, and what is trusted."""
    head = f"Step {frame['step'] + 1} of {frame['steps']}, read by {frame['reader']}. “{frame['question']}”"
    read = "; ".join(f"{id} {described(frame['graded'][id])}" for id in frame["read"])
    kind = frame["kind"]
    if kind == "start":
        return f"{head} Found: {', '.join(frame['seen'])}."
    if kind == "grade":
        return f"{head} Graded: {read}."
    acts = "".join(f" Action: {action['name']}." for action in frame["actions"][: frame["acted"]])
    end = ""
    if kind == "context":
        end = " Handed on: " + ("; ".join(f"{id}, {truth_of(frame['case'], id)}" for id, _ in frame["context"])
                                or "nothing") + "."
    return (f"{head} {len(frame['trusted'])} trusted of the {frame['minimum']} wanted: "
            f"{', '.join(frame['trusted']) or 'none'}.{acts}{end}")


def truth_of(case: str, id: str) -> str:
    """Return what the collection says of a passage: true or false, and whether it is on the point of the question."""
    if id in trusted():
        return "a reference"
    if id not in half()["about"]:
        return "of another collection"
    there = id in half()["grades"][CASES[case]]
    return TRUTH[half()["about"][id]["label"]] + ("" if there else ", off the point")


def caption(frame: dict, before: dict | None = None) -> str:
    """Say what this step decided."""
    kind = frame["kind"]
    if kind == "start":
        return ("What a search by words and by meaning brings, fused. All of it goes to whoever answers, unless "
                "somebody reads it first. Press Next.")
    if kind == "grade":
        one = frame["graded"][frame["now"]]
        return f"{frame['now']}, beside reference {one['reference']}: {described(one)}. {one['why']}"
    if kind == "filter":
        left = len(frame["trusted"])
        enough = "That is enough." if left >= frame["minimum"] else \
            f"{frame['minimum']} are wanted: too little is left, and a filter alone would stop here."
        return (f"Kept is what is aligned with a confidence of {frame['threshold']:.2f} or more: {left} of "
                f"{len(frame['read'])}. {enough}")
    if kind == "action":
        action = frame["actions"][frame["acted"] - 1]
        return f"Action {frame['acted']}, {action['name']}: {action['why']}. {action['came']}"
    said = [truth_of(frame["case"], id) for id, _ in frame["context"]]
    parts = [f"{said.count(name)} {name}" for name in dict.fromkeys(said) if name != "a reference"]
    if held := said.count("a reference"):
        parts.append("a reference" if held == 1 else f"{held} references")
    known = "Only now do you see what the collection says of them; the rules have not."
    if frame["reader"] == "the labels":
        known = "Whoever grades by the labels has seen what the collection says of them."
    return f"Handed on: {'; '.join(parts) or 'nothing'}. {known}"


# ---- the picture

STYLE = f"""<style>
.fp-second-asked {{ height: 44px; overflow: hidden; }}
.fp-second-row > * {{ flex: none; }}
.fp-second {{ display: grid; grid-template-columns: 420px minmax(0, 1fr); column-gap: 18px; margin-top: 8px;
  min-height: 398px; align-items: start; }}
.fp-second-row {{ display: flex; gap: 8px; height: 28px; margin-bottom: 3px; align-items: center; padding: 0 8px;
  border: 1.5px solid {draw.LINE}; border-radius: 6px; font-size: 13px; white-space: nowrap; }}
.fp-second-now {{ border: 2.5px solid {draw.NOW}; padding: 0 7px; }}
.fp-second-kept {{ border: 2.5px solid {draw.INK}; padding: 0 7px; font-weight: 700; }}
.fp-second-out {{ color: {draw.GREY}; border-style: dashed; }}
.fp-second-few {{ display: -webkit-box; -webkit-box-orient: vertical; overflow: hidden; }}
.fp-second-card {{ padding: 6px 12px 8px; margin-bottom: 8px; font-size: 13px; line-height: 19px; }}
@container (max-width: 839px) {{ .fp-second {{ grid-template-columns: minmax(0, 1fr); row-gap: 10px; }} }}
</style>"""


def picture(frame: dict, expected: dict | None) -> str:
    """Draw the passages on the left; on the right the two texts, the actions, or what is handed on."""
    notes = [f"step {frame['step'] + 1} of {frame['steps']}",
             f"threshold {frame['threshold']:.2f}, minimum {frame['minimum']}"]
    notes += ["thick: trusted; dashed: dropped"] * (frame["kind"] not in ("start", "grade"))
    notes += ["right: ● true, ◆ false, ■ uncertain, by the collection"] * (frame["kind"] == "context")
    notes += ["expected: the course's own function"] * bool(expected)
    rows = "".join(_row(frame, expected, place, id) for place, id in enumerate(frame["seen"][:ROOM], 1))
    more = len(frame["seen"]) - ROOM
    sure = sum(id in frame["trusted"] for id in frame["seen"][ROOM:])
    rows += f'<div class="fp-note">and {more} more, {sure or "none"} of them trusted</div>' if more > 0 else ""
    right = {"start": _asked, "grade": _beside, "filter": _actions, "action": _actions, "context": _context}
    return (f'<div class="fp-title fp-line">What does a second reader let through?</div>'
            f'<div class="fp-second-asked"><b>{draw.escape(frame["question"])}</b></div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div>'
            f'<div class="fp-second"><div>{rows}</div><div>{right[frame["kind"]](frame)}</div></div>')


def _row(frame, expected, place: int, id: str) -> str:
    """Return one passage: its place and score, and once it has been read its grade; at the end the truth."""
    name = f"{frame['scores'][id]:.4f}" if id in frame["scores"] else ""
    kind = "" if frame["kind"] in ("start", "grade") else \
        "fp-second-kept" if id in frame["trusted"] else "fp-second-out"
    if id == frame["now"]:
        kind = "fp-second-now"
    said = '<span class="fp-note">?</span>' if frame["kind"] == "grade" else ""
    if id in frame["read"]:
        one = frame["graded"][id]
        color = COLORS[one["label"]]
        said = (f'<span style="border-bottom:2.5px solid {color}">{SIGNS[one["label"]]} {one["label"]}</span>'
                f'<span>{one["confidence"]:.2f}</span>')
        other = expected["graded"].get(id) if expected else None
        if other and (other["label"], other["confidence"]) != (one["label"], one["confidence"]):
            said += f'<span class="fp-note">expected {described(other)}</span>'
    truth = ""
    if frame["kind"] == "context":
        label = half()["about"].get(id, {}).get("label", "uncertain")
        on = TRUTH[label] if id in half()["grades"][CASES[frame["case"]]] else "off the point"
        truth = f'<span style="margin-left:auto">{SIGNS[label]} {on}</span>'
    return (f'<div class="fp-second-row {kind}"><span class="fp-note" style="width:16px">{place}</span>'
            f'<span class="fp-line" style="width:46px">{draw.escape(id)}</span>'
            f'<span class="fp-note" style="width:48px">{name}</span>{said}{truth}</div>')


def _card(head: str, text: str, height: int, color: str = "", lines: int = 0) -> str:
    """Return a card with a head and a text, of a fixed height; with `lines`, so many lines of the text."""
    edge = f"border-left:5px solid {color};" if color else ""
    few = f'class="fp-second-few" style="-webkit-line-clamp:{lines}"' if lines else ""
    return (f'<div class="fp-card fp-second-card" style="{edge}height:{height}px;overflow:auto">'
            f'<div class="fp-note">{draw.escape(head)}</div><div {few}>{draw.escape(text)}</div></div>')


def _asked(frame) -> str:
    """Return the first passage in full."""
    first = frame["seen"][0]
    return _card(f"the passage at place 1, {first}", half()["passages"][first].text, 178) + \
        _card("who reads it", "The search has asked whether it is on the point. Whether it is true, nobody has asked.",
              70)


def _beside(frame) -> str:
    """Return the passage that is graded beside its reference."""
    one = frame["graded"][frame["now"]]
    reference = trusted()[one["reference"]]
    passage = machine(frame["reader"]).chunks[frame["now"]]
    return _card(f"the passage, {frame['now']}", passage.text, 178, COLORS[one["label"]]) + \
        _card(f"the reference that was found for it, {one['reference']}: {reference.title}", reference.text, 190)


def _actions(frame) -> str:
    """Return the actions so far, each with what came of it; the newest with why it was taken."""
    if not frame["acted"]:
        kept = len(frame["trusted"])
        return _card("after the filter", f"{kept} of {len(frame['read'])} are trusted, {frame['minimum']} are wanted. "
                     + ("Nothing else is done." if kept >= frame["minimum"] else "So something has to be done."), 70)
    done = frame["actions"][: frame["acted"]]
    cards = [_card(f"action {number}: {action['name']}", action["came"], 55, lines=1)
             for number, action in enumerate(done[:-1], 1)]
    newest = done[-1]
    return "".join(cards) + _card(f"action {len(done)}: {newest['name']}", f"{newest['why']}. {newest['came']}", 112,
                                  draw.NOW)


def _context(frame) -> str:
    """Return what is handed on, with what it truly is."""
    if not frame["context"]:
        return _card("handed on", "Nothing that can be trusted: the answer is that it couldn't be found.", 70)
    lines, height = (7, 178) if len(frame["context"]) < 3 else (4, 112)  # enough for the words in which twins differ
    return "".join(_card(f"handed on, {id}: {truth_of(frame['case'], id)}", text, height, COLORS.get(
        half()["about"].get(id, {}).get("label"), draw.BLUE), lines=lines) for id, text in frame["context"][:SHOWN]) + (
        f'<div class="fp-note">and {more} more</div>' if (more := len(frame["context"]) - SHOWN) > 0 else "")


# ---- the explorer

def second_reader(first: str = "lightning") -> Stage:
    """Step through a question: each candidate graded, the filter, each action, and what is handed on.

    `first` is the case it begins with, one of CASES; buttons change between them. Raises ValueError for another name.
    """
    if first not in CASES:
        raise ValueError(f"There is no case {first!r}; there are {', '.join(CASES)}.")
    which, reader = toggles(CASES, first, "which question", 112), toggles(list(READERS), "the rules", "who grades", 104)
    above = [ipywidgets.HBox([which]), ipywidgets.HBox([ipywidgets.Label("read by"), reader])]
    for row in above:
        row.add_class("fp-row")
    return stepper("second_reader", lambda case, reader: trace(case, reader), picture, describe, TASKS,
                   lambda frame, before: caption(frame), STYLE, texts={"case": which, "reader": reader}, above=above)

"""Lesson 05: one batch as a matrix. Each question with each passage, the right ones on the diagonal.

A row is a question. Its scores become shares that add up to 100 percent, and the loss of the row is -ln of the share
on the diagonal. The temperature stretches the cosines before they become shares.
"""

import math
from dataclasses import dataclass

import ipywidgets
import numpy as np

from firstprinciples.encode import biencoder
from firstprinciples.explore import draw
from firstprinciples.explore.biencoder import ENCODERS, encoder
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage, dial, toggles

TASKS = ("biencoder.mean_pool", "cosine.normalize", "biencoder.similarity_matrix", "biencoder.repeated_positives",
         "biencoder.in_batch_softmax", "biencoder.in_batch_loss")
BATCHES = {"five pairs": "trained", "five unseen pairs": "unseen", "a passage twice": "twice", "one pair": "one"}
TRAINED = ("map-passwords-001", "map-invoices-and-bills-001", "map-leave-and-holidays-001", "map-sick-days-001",
           "map-payments-and-receipts-001")
UNSEEN = ("stoves-001", "warranty-001", "packs-001", "software-updates-001", "ropes-and-climbing-001")
AGAIN = "which sum do we still owe for the tents"  # a second question for the passage of the second pair
NAMES = "ABCDE"


@dataclass(frozen=True)
class State:
    """The batch, the model before or after training, and the temperature."""

    batch: str = "trained"
    model: str = "before"
    temperature: float = 0.2

    def __post_init__(self):
        if self.batch not in BATCHES.values() or self.model not in ("before", "after"):
            raise ValueError(f"batch is one of {', '.join(BATCHES.values())}; model is before or after.")
        object.__setattr__(self, "temperature", min(max(round(self.temperature, 6), 0.01), 1.0))


def batch(name: str) -> list[dict]:
    """Return the pairs of a batch: {"question", "passage"}."""
    training, held_out = biencoder.read_pairs()
    by_id = {pair["id"]: pair for pair in training + held_out}
    pairs = [{side: by_id[id][side] for side in ("question", "passage")} for id in
             (UNSEEN if name == "unseen" else TRAINED)]
    if name == "twice":
        pairs[4] = {"question": AGAIN, "passage": pairs[1]["passage"]}
    return pairs[:1] if name == "one" else pairs


def frame(state: State) -> dict:
    """Return the cosines, the shares, what is masked, and the loss with and without the mask."""
    pairs, model = batch(state.batch), encoder(state.model)
    questions = model.encode_queries([pair["question"] for pair in pairs]).astype(float)
    passages = model.encode_passages([pair["passage"] for pair in pairs]).astype(float)
    masked = np.asarray(biencoder.repeated_positives([pair["passage"] for pair in pairs]), dtype=bool)
    scores = np.asarray(biencoder.similarity_matrix(questions, passages, state.temperature), dtype=float)
    shares = np.asarray(biencoder.in_batch_softmax(scores, masked), dtype=float)
    return {"pairs": pairs, "model": state.model, "temperature": state.temperature,
            "cosines": (scores * state.temperature).tolist(), "shares": shares.tolist(), "masked": masked.tolist(),
            "loss": float(biencoder.in_batch_loss(scores, masked)), "chance": math.log(len(pairs)),
            "unmasked": float(biencoder.in_batch_loss(scores, None)) if masked.any() else None}


# ---- words

def _right(frame) -> int:
    """Return in how many rows the diagonal has the largest share."""
    return sum(row[i] >= max(row) for i, row in enumerate(frame["shares"]))


def describe(frame: dict) -> str:
    """Say the shares on the diagonal and the loss."""
    n = len(frame["pairs"])
    shares = ", ".join(f"{NAMES[i]} {row[i]:.0%}" for i, row in enumerate(frame["shares"]))
    twice = [f"{NAMES[i]}{j + 1}" for i, row in enumerate(frame["masked"]) for j, out in enumerate(row) if out]
    return (f"Batch of {n}, {ENCODERS[frame['model']]}, temperature {frame['temperature']:g}: share of the right "
            f"passage {shares}; loss {draw.number(frame['loss'])}."
            + (f" Masked: {', '.join(twice)}." if twice else ""))


def caption(frame: dict, before: dict | None) -> str:
    """Say what this batch teaches, and what the last move did."""
    n, loss = len(frame["pairs"]), draw.number(frame["loss"])
    if n == 1:
        return (f"One pair: its only passage gets 100%, whatever the model is. The loss is {loss}, and there is "
                "nothing to learn: what pulls a question to its passage is the push away from the others.")
    said = (f"{_right(frame)} of {n} questions give their own passage the largest share. "
            f"The loss is {loss}; all shares alike would give ln {n} = {draw.number(frame['chance'])}.")
    if frame["unmasked"] is not None:
        return (f"{said} Passage 5 is passage 2 again, so it is right for B and for E, and the copy that is not a "
                "question's own is left out (hatched). Counted as wrong, it would make the loss "
                f"{draw.number(frame['unmasked'])}.")
    if before and before["temperature"] != frame["temperature"]:
        return (f"The temperature goes from {before['temperature']:g} to {frame['temperature']:g}: the loss from "
                f"{draw.number(before['loss'])} to {loss}. The cosines stay; a low temperature makes small differences "
                "count.")
    if before and before["model"] != frame["model"]:
        return f"{said} It was {draw.number(before['loss'])} {ENCODERS[before['model']].split(', ')[1]}."
    return said


# ---- the picture

STYLE = """<style>
.fp-batch { display: grid; grid-template-columns: minmax(0, 1fr) 390px; column-gap: 14px; margin-top: 8px;
  height: 356px; }
.fp-batch-pairs > div { height: 52px; margin-bottom: 2px; font-size: 13px; line-height: 17px; overflow: hidden; }
.fp-batch-pairs .fp-note { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden;
  line-height: 17px; }
@container (max-width: 689px) { .fp-batch { grid-template-columns: minmax(0, 1fr); height: auto; row-gap: 12px; } }
</style>"""
CELL, TALL, HEAD = 62, 54, 26  # pixels


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the texts on the left, and on the right the matrix of shares with the loss of each row."""
    notes = [f"{ENCODERS[frame['model']]}; temperature {frame['temperature']:g}",
             "large: share of the row; small: cosine"]
    same = before and len(before["pairs"]) == len(frame["pairs"]) and before["pairs"] == frame["pairs"]
    if expected:
        notes.append("dashed: the course's own functions differ")
    texts = "".join(
        f'<div><div><b>{NAMES[i]}</b>&ensp;{draw.escape(pair["question"])}</div>'
        f'<div class="fp-note"><b>{i + 1}</b>&ensp;{draw.escape(pair["passage"])}</div></div>'
        for i, pair in enumerate(frame["pairs"]))
    return (f'<div class="fp-title fp-line">Which passage does each question get?</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div><div class="fp-batch">'
            f'<div class="fp-batch-pairs"><div style="height:26px" class="fp-note">question, and below it its '
            f'passage</div>{texts}</div>{draw.svg(356, *_matrix(frame, before if same else None, expected))}</div>')


def _matrix(frame, before, expected) -> list[str]:
    """Return the shapes of the matrix: a cell for each pair of texts, and the loss at the end of each row."""
    n, left = len(frame["pairs"]), 24
    end = left + CELL * n + 16
    shapes = [draw.text(left + CELL * j + CELL / 2, 16, f"{j + 1}" if j else "passage 1", 12, draw.GREY,
                        anchor="middle") for j in range(n)] + [draw.text(end, 16, "−ln", 13, draw.GREY)]
    for i, row in enumerate(frame["shares"]):
        y = HEAD + TALL * i
        shapes.append(draw.text(0, y + TALL / 2 + 5, NAMES[i], 14, bold=True))
        for j, share in enumerate(row):
            x, own = left + CELL * j, i == j
            color = draw.BLUE if own else draw.ORANGE
            if frame["masked"][i][j]:
                shapes += [draw.box(x + 1, y + 1, CELL - 2, TALL - 2, stroke=draw.GREY, dash="2 3"),
                           *(draw.line(x + 6 + d, y + TALL - 6, x + 26 + d, y + 6, draw.LINE) for d in range(0, 46, 9)),
                           draw.box(x + 6, y + 17, CELL - 12, 20, fill=draw.PAPER),
                           draw.text(x + CELL / 2, y + 31, "the same", 12, anchor="middle")]
                continue
            shapes.append(draw.box(x + 1, y + 1, CELL - 2, TALL - 2, fill=draw.tint(color, 0.06 + 0.5 * min(share, 1)),
                                   stroke=draw.BLUE if own else draw.LINE, thick=2.5 if own else 1))
            shapes += [draw.text(x + CELL / 2, y + 24, f"{share:.0%}", 16, bold=own, anchor="middle"),
                       draw.text(x + CELL / 2, y + 43, draw.number(frame["cosines"][i][j]), 12, anchor="middle")]
            if expected and abs(expected["shares"][i][j] - share) > 1e-6:
                shapes.append(draw.box(x + 4, y + 4, CELL - 8, TALL - 8, stroke=draw.INK, dash="4 3"))
        shapes.append(draw.text(end, y + TALL / 2 + 5, _row_loss(row[i]), 14))
    y = HEAD + TALL * n + 26
    should = f"   expected {draw.number(expected['loss'])}" if expected else ""
    was = f"   was {draw.number(before['loss'])}" if before else ""
    shapes.append(draw.text(left, y, f"loss = mean of the last column = {draw.number(frame['loss'])}", 15, bold=True))
    shapes.append(draw.text(left, y + 22, (was + should).strip(), 13, draw.GREY))
    return shapes


def _row_loss(share: float) -> str:
    return draw.number(-math.log(share)) if share > 1e-12 else "large"


# ---- the explorer

def batch_matrix(batch: str = "trained", model: str = "before", temperature: float = 0.2) -> Stage:
    """Show a batch as its matrix of shares; switch the model, the batch and the temperature."""
    start = State(batch, model, temperature)
    which = toggles(BATCHES.items(), start.batch, "which batch", 140)
    trained = toggles([("before training", "before"), ("after training", "after")], start.model, "which model", 130)
    row = ipywidgets.HBox([which])
    row.add_class("fp-row")
    warm = dial("temperature", start.temperature, 0.01, 1, 0.01)
    warm.style.description_width, warm.layout.width = "92px", "290px"

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("batch_matrix", run, picture, describe, {"model": trained, "temperature": warm}, {"batch": which},
                 caption=caption, style=STYLE, above=[row])

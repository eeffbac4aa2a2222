"""Lesson 05: a bi-encoder learns while you watch: its loss, what it finds, and where its words go.

The map is the plane on which the trained model spreads the phrases most (see `meaning_map`), fixed from the first step,
so that only the words move. Two curves of recall stand beside each other: for pairs that the model trains on, and for
pairs of topics it never sees. The distance between the two is what a model has learned by heart.
"""

import asyncio
from functools import cache

import ipywidgets
import numpy as np

from firstprinciples import swap
from firstprinciples.encode import biencoder
from firstprinciples.explore import draw
from firstprinciples.explore.biencoder import encoder
from firstprinciples.explore.guard import Run, guard
from firstprinciples.explore.meaning_map import GROUP, LOOK, PHRASES, TEXT, plane
from firstprinciples.explore.stage import Stage

TASKS = tuple(f"biencoder.{name}" for name in (
    "mean_pool", "similarity_matrix", "repeated_positives", "in_batch_softmax", "in_batch_loss", "scores_gradient",
    "vectors_gradient", "adam_step")) + ("cosine.normalize",)
SIZE = (860, 440)
EVERY = 8  # steps between two measurements of recall
STRIDE = 3  # steps from one picture to the next while it plays
TOP, EDGE = 8.0, 0.9  # the upper end of the loss axis, and the edge of the map
K = 10


class Film:
    """A training that is recorded as it goes on, so that no step is computed twice.

    `losses` holds one number a step; `places[s]` are the places on the map after s steps, `cosines[s]` the text's
    cosines with the phrases; `recalls` are (step, on pairs it trains on, on held-out pairs).
    """

    def __init__(self):
        self.encoder, training, self.held_out = biencoder.untrained()
        self.seen = _sample(training, len(self.held_out))
        self.losses, self.places, self.cosines, self.recalls = [], [], [], []
        self.steps = biencoder.EPOCHS * max(len(training) // biencoder.BATCH, 1)
        self.training = self.encoder.train(training)
        self._note()

    def _note(self):
        """Record what the model is now."""
        center, directions = _plane()
        vectors = self.encoder.encode_passages(list(PHRASES)).astype(float)
        text = self.encoder.encode_queries([TEXT]).astype(float)
        self.places.append(((np.vstack([vectors, text]) - center) @ directions.T).tolist())
        self.cosines.append((vectors @ text[0]).tolist())
        step = len(self.losses)
        if step % EVERY == 0 or step == self.steps:
            self.recalls.append((step, self.encoder.recall(self.seen, K), self.encoder.recall(self.held_out, K)))

    def upto(self, step: int) -> dict:
        """Train on until this step, where it is not there yet, and return its frame."""
        while len(self.losses) < step:
            with np.errstate(all="ignore"):  # what a learner's function does to the numbers, the picture says in words
                self.losses.append(float(next(self.training).loss))
            self._note()
        return {"step": step, "steps": self.steps, "pool": len(self.held_out), "losses": self.losses[:step],
                "recalls": [list(each) for each in self.recalls if each[0] <= step],
                "trail": [self.places[s] for s in range(0, step, STRIDE)] + [self.places[step]],
                "cosines": self.cosines[step]}


def _sample(pairs: list[dict], n: int) -> list[dict]:
    """Return n of the pairs, evenly spaced, so that both pools of passages are of one size."""
    return [pairs[i * len(pairs) // n] for i in range(min(n, len(pairs)))]


@cache
def _plane():
    """Return the center and the directions of the map, from the model that is trained already."""
    with swap.untouched():
        center, directions, _ = plane(encoder("after").encode_passages(list(PHRASES)).astype(float))
    return center, directions


def probe() -> dict:
    """Go forward and back on a tiny batch, with a repeated passage and an empty question, and take a step of Adam.

    The guard watches this call, to name the first difference of a learner's functions in numbers short enough to read.
    """
    weights = {"table": np.array([[1.0, 0.0], [0.6, 0.8], [-1.0, 0.5]]), "question": np.eye(2), "passage": np.eye(2)}
    masked = biencoder.repeated_positives(["a b", "b c", "a b"])
    with np.errstate(all="ignore"):  # what is not finite is found by the guard
        loss, scores, gradients = biencoder.loss_and_gradients(
            weights, [[0], [1, 1, 2], []], [[0, 1], [1, 2], [0, 1]], np.asarray(masked, dtype=bool), 0.5)
    moved = biencoder.adam_step(weights["table"], gradients["table"], np.zeros((3, 2)), np.zeros((3, 2)), 1, 0.01)
    return {"loss": float(loss), "scores": np.asarray(scores).tolist(),
            "moved": [np.asarray(each).tolist() for each in moved],
            **{name: np.asarray(gradient).tolist() for name, gradient in gradients.items()}}


# ---- words

def describe(frame: dict) -> str:
    """Say the step, the loss, both recalls, and the phrase that is nearest to the text."""
    step, seen, held = frame["recalls"][-1]
    loss = f"loss {draw.number(frame['losses'][-1])}" if frame["losses"] else "not trained yet"
    best = int(np.argmax(frame["cosines"]))
    return (f"Training a bi-encoder, step {frame['step']} of {frame['steps']}: {loss}. Recall@{K} among "
            f"{frame['pool']} passages, measured at step {step}: {draw.number(seen)} on pairs it trains on, "
            f"{draw.number(held)} on topics it never sees. "
            f"Nearest to “{TEXT}”: {PHRASES[best]}, {draw.number(frame['cosines'][best])}.")


def caption(frame: dict, before: dict | None) -> str:
    """Say what has changed since the start."""
    if not frame["losses"]:
        return "Nothing is learned yet: words stand where chance put them. Press Play, or Step for one batch at a time."
    first, last, (_, seen, held) = frame["losses"][0], frame["losses"][-1], frame["recalls"][-1]
    if len(frame["losses"]) == 1:
        return (f"One batch of pairs: its loss is {draw.number(first)}, and every number has taken one small step. "
                f"Recall is measured every {EVERY} steps.")
    _, was_seen, was_held = frame["recalls"][0]
    best = int(np.argmax(frame["cosines"]))
    return (f"The loss went from {draw.number(first)} to {draw.number(last)}. Recall on pairs it trains on: "
            f"{draw.number(was_seen)} to {draw.number(seen)}; on topics it never sees: {draw.number(was_held)} to "
            f"{draw.number(held)}. Nearest to “{TEXT}” is now “{PHRASES[best]}”, "
            f"{draw.number(frame['cosines'][best])}.")


# ---- the picture

def chart(steps: int):
    """Return the function that draws a frame as PNG. It makes one figure and updates it in place."""
    from matplotlib.patheffects import withStroke

    figure, loss = draw.figure(*SIZE)
    small = {"fontsize": 9.5, "color": "#5B6470"}
    loss.set_position((0.05, 0.53, 0.215, 0.32))
    recall, place = (draw.figure_style(figure.add_axes(box)) for box in
                     ((0.05, 0.09, 0.215, 0.32), (0.555, 0.02, 0.325, 0.80)))
    loss.set(xlim=(0, steps), ylim=(0, TOP), yticks=range(0, 9, 2), xticks=range(0, steps + 1, max(steps // 4, 1)))
    recall.set(xlim=(0, steps), ylim=(0, 1.04), yticks=[0, 0.5, 1], xticks=range(0, steps + 1, max(steps // 4, 1)))
    recall.set_xlabel("steps, one batch of pairs each", **small)
    figure.text(0.012, 0.945, "A bi-encoder learns", fontsize=13, fontweight="bold", color=draw.DARK, va="center")
    loss.set_title("loss of the batch", loc="left", pad=5, **small)
    recall.set_title("recall@10", loc="left", pad=5, **small)
    middle = (_ends()[:, 1].min() + _ends()[:, 1].max()) / 2
    place.set(xlim=(-EDGE, EDGE), ylim=(middle - 1.04 * EDGE, middle + 1.04 * EDGE), xticks=[], yticks=[],
              aspect="equal")
    place.grid(False)
    figure.text(0.43, 0.867, f"the map; the star is the question “{TEXT}”", va="bottom", **small)
    note = figure.text(0.26, 0.945, "", va="center", **small)

    halo = [withStroke(linewidth=3, foreground="white")]
    should = loss.plot([], [], color=draw.DARK, linewidth=1.3, linestyle=(0, (4, 3)))[0]
    curve = loss.plot([], [], color=draw.BLUE, linewidth=2)[0]
    tip = loss.plot([], [], color=draw.BLUE, marker="o", markersize=4, clip_on=False)[0]  # one step is no line yet
    value = loss.text(0, 0, "", fontsize=10, fontweight="bold", color=draw.DARK, va="bottom", path_effects=halo)
    seen = recall.plot([], [], color=draw.BLUE, linewidth=2, marker="s", markersize=3, clip_on=False)[0]
    held = recall.plot([], [], color=draw.ORANGE, linewidth=2, linestyle=(0, (6, 2)), marker="o", markersize=3,
                       clip_on=False)[0]
    held_should = recall.plot([], [], color=draw.DARK, linewidth=1.3, linestyle=(0, (4, 3)))[0]
    names = [recall.text(0, 0, "", fontsize=9.5, color=draw.DARK, va="center", path_effects=halo) for _ in range(2)]
    keys = [recall.plot([], [], color=color, marker=shape, markersize=5, clip_on=False)[0]
            for color, shape in ((draw.BLUE, "s"), (draw.ORANGE, "o"))]  # before each name the mark of its line
    looks = [LOOK[GROUP[phrase]] for phrase in PHRASES] + [(draw.NOW, "*")]
    trails = [place.plot([], [], color=color, linewidth=1, alpha=0.4)[0] for color, _ in looks]
    leads = [place.plot([], [], color="#C3CAD3", linewidth=0.8, clip_on=False)[0] for _ in looks]
    dots = [place.plot([], [], color=color, marker=shape, markersize=13 if shape == "*" else 8, linestyle="none",
                       markeredgecolor="white")[0] for color, shape in looks]
    labels = [place.text(0, 0, name, fontsize=9.5, color=draw.DARK, va="center", fontweight=weight)
              for name, weight in [(phrase, "normal") for phrase in PHRASES] + [("question", "bold")]]
    take = draw.camera(figure, [note, should, curve, tip, value, seen, held, held_should, *names, *keys, *trails,
                                *leads, *dots, *labels])

    def picture(frame, before, expected) -> bytes:
        done = len(frame["losses"])
        note.set_text(f"step {frame['step']} of {frame['steps']}"
                      + ("   ·   dashed black: what the course's own functions give" if expected else ""))
        for artist, shown in ((curve, frame), (should, expected)):
            losses = [min(each, TOP) for each in (shown or {"losses": []})["losses"]]
            artist.set_data(range(1, len(losses) + 1), losses)
        tip.set_data([done] if done else [], [min(frame["losses"][-1], TOP)] if done else [])
        if done:
            last = frame["losses"][-1]
            value.set(position=(max(done, 6), min(last, TOP - 1.2) + 0.25),
                      ha="left" if done < steps * 0.7 else "right",
                      text=draw.number(last) + (" ↑" if last > TOP else ""))
        value.set_visible(bool(done))
        for artist, column, shown in ((seen, 1, frame), (held, 2, frame), (held_should, 2, expected)):
            rows = (shown or {"recalls": []})["recalls"]
            artist.set_data([each[0] for each in rows], [each[column] for each in rows])
        ends = draw.spread(frame["recalls"][-1][1:], 0.14)
        ends = [end + max(0.08 - min(ends), 0.0) for end in ends]  # not into the numbers of the axis
        for artist, key, end, words, last in zip(names, keys, ends, ("trained on", "never seen"),
                                                 frame["recalls"][-1][1:], strict=True):
            key.set_data([steps * 1.06], [end])
            artist.set(position=(steps * 1.10, end), text=f"{words} {last:.2f}", clip_on=False)
        _draw_map(frame, trails, leads, dots, labels)
        return take()

    return picture


def _draw_map(frame, trails, leads, dots, labels):
    """Move the marks, their ways so far, and their names, which stand in two columns so that none covers another."""
    now = frame["trail"][-1]
    left = _on_the_left()
    for side in (True, False):
        chosen = [i for i in range(len(now)) if left[i] == side]
        heights = draw.spread([now[i][1] for i in chosen], 0.115)
        for i, height in zip(chosen, heights, strict=True):
            edge = -EDGE if side else EDGE
            labels[i].set(position=(edge, height), ha="right" if side else "left")
            leads[i].set_data([now[i][0], edge], [now[i][1], height])
            dots[i].set_data([now[i][0]], [now[i][1]])
            trails[i].set_data([spot[i][0] for spot in frame["trail"]], [spot[i][1] for spot in frame["trail"]])


@cache
def _ends() -> np.ndarray:
    """Return the places (n, 2) where the phrases and the text stand in the end, in the course's own training."""
    center, directions = _plane()
    with swap.untouched():
        model = encoder("after")
        vectors = np.vstack([model.encode_passages(list(PHRASES)), model.encode_queries([TEXT])]).astype(float)
    return (vectors - center) @ directions.T


@cache
def _on_the_left() -> list[bool]:
    """Say for each phrase and the text whether its name stands on the left: by where it ends, so it never jumps."""
    x = _ends()[:, 0]
    return [bool(each < np.median(x)) for each in x]


# ---- the explorer

def training() -> Stage:
    """Train the toy from its first step: Play, Pause, Step and Reset; a learner's functions train it where in use."""
    with swap.untouched():
        own = Film()
    progress = ipywidgets.IntProgress(0, 0, own.steps, description="progress", layout={"width": "360px"},
                                      style={"description_width": "70px", "bar_color": draw.BLUE})
    play, step = (ipywidgets.Button(description=word, layout={"width": "80px"}) for word in ("Play", "Step"))
    kept, playing = {}, []

    def run(values):
        using = tuple(task for task in TASKS if task in swap.in_use())
        now = [getattr(*swap.split_name(task)) for task in TASKS]
        if kept.get("now") != now:
            kept.update(now=now, yours=None, probed=guard(TASKS, probe) if using else Run(None))
        with swap.untouched():
            expected = own.upto(values["step"])
        trouble, stands_in = kept["probed"].trouble, kept["probed"].trouble and kept["probed"].expected is None
        if not using or stands_in:
            return Run(expected, None, using, trouble)
        try:
            kept["yours"] = kept["yours"] or Film()
            return Run(kept["yours"].upto(values["step"]), expected if trouble else None, using, trouble)
        except Exception as error:  # a learner's function, whatever it raises: the picture says what
            kept["probed"] = Run(None, None, using, f"Your training stopped: {str(error)[:200]} "
                                 "Drawn with the course's own functions instead.")
            return Run(expected, None, using, kept["probed"].trouble)

    def stop():
        while playing:
            playing.pop().cancel()
        play.description = "Play"

    async def walk():
        if progress.value == progress.max:
            progress.value = 0
        while progress.value < progress.max:
            progress.value = min(progress.value + STRIDE, progress.max)
            await asyncio.sleep(0.02)  # a press on Pause is heard here
        playing.clear()
        play.description = "Play"

    def toggle(_):
        if playing:
            return stop()
        play.description = "Pause"
        playing.append(asyncio.ensure_future(walk()))

    def one(_):
        stop()
        progress.value = min(progress.value + 1, progress.max)

    play.on_click(toggle)
    step.on_click(one)
    forget = swap.on_change(lambda: setattr(progress, "value", 0))  # other functions learn from the start
    stage = Stage("training", run, chart(own.steps), describe, {"step": progress}, caption=caption, chart=SIZE,
                  buttons=(play, step))
    stage.stop, close = stop, stage.close
    stage.close = lambda: (forget(), close())
    return stage

"""Step by step: a picture for each decision of an algorithm, forwards, backwards, or played."""

import asyncio
from dataclasses import replace
from functools import partial

import ipywidgets

from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage
from firstprinciples.swap import split_name


def stepper(name, trace, picture, describe, tasks=(), caption=None, style="", pause: float = 1.5, texts=None,
            above=(), whole=()) -> Stage:
    """Return a Stage that walks through `trace()`, a list of frames, one decision each, starting still on the first.

    `picture(frame, expected)`, `describe(frame)` and `caption(frame, None)` get one frame; `expected` is the same step
    on the course's own functions, where the learner's took as many steps to something else. The trace is computed once,
    and again after each `swap.use`. `texts`, {name: control}, change the question: their values are handed to `trace`
    by name, and when one changes it is computed again and starts from its first step, so that nothing is given away;
    for those named in `whole` it shows its last step instead, so that what they change is seen at once.
    `above` are the widgets shown above the buttons.
    """
    slider = ipywidgets.IntSlider(0, 0, 0, description="step", tooltip="step", readout=False,
                                  layout={"width": "320px"})
    back, forward, play = (ipywidgets.Button(description=word, layout={"width": "80px"})
                           for word in ("Back", "Next", "Play"))
    room = ipywidgets.Box([slider], layout={"overflow": "visible"})  # see `fit`
    kept, playing = {}, []

    def drawn(frames):
        for frame in frames:
            picture(frame, None), describe(frame)

    def run(values):
        asked = {key: values[key] for key in texts or {}}
        now = [asked, *(getattr(*split_name(task)) for task in tasks)]
        if kept.get("now") != now:
            kept.update(now=now, run=guard(tasks, lambda: trace(**asked), drawn))
            fit(len(kept["run"].frame) - 1)
        result, at = kept["run"], slider.value
        comparable = result.expected and len(result.expected) == len(result.frame)
        return replace(result, frame=result.frame[at], expected=result.expected[at] if comparable else None)

    def fit(last):
        """Give the slider its new end, and go there where that is asked for; the picture is being drawn already."""
        stage = kept.get("stage")
        if stage is None:  # it draws for the first time, and does not listen yet
            slider.max = last
            return
        longer = slider.max != last
        quiet, stage._quiet = stage._quiet, True
        slider.max = last
        slider.value = last if kept.pop("jump", False) else slider.value
        stage._quiet = quiet
        if longer:  # in the browser a slider goes on to the end it was made with when End is pressed: make it anew
            room.children = ()
            room.children = (slider,)

    def changed(key, _):
        if key not in whole:
            return go(0)
        stop()
        if not kept["stage"]._quiet:  # at Reset the slider goes back with the rest
            kept["jump"] = True

    def stop():
        while playing:
            playing.pop().cancel()
        play.description = "Play"

    def go(step):
        stop()
        slider.value = step

    async def walk():
        if slider.value == slider.max:
            slider.value = 0
        while slider.value < slider.max:
            here = slider.value
            await asyncio.sleep(pause)
            if slider.value != here:  # the reader moved
                break
            slider.value = here + 1
        playing.clear()
        play.description = "Play"

    def toggle(_):
        if playing:
            return stop()
        play.description = "Pause"
        playing.append(asyncio.ensure_future(walk()))

    back.on_click(lambda _: go(max(slider.value - 1, 0)))
    forward.on_click(lambda _: go(min(slider.value + 1, slider.max)))
    play.on_click(toggle)
    for key, control in (texts or {}).items():  # before the stage listens, so that it never draws the new end
        control.observe(partial(changed, key), "value")
    stage = Stage(name, run, lambda frame, _, expected: picture(frame, expected), describe, {"step": slider},
                  texts, caption, style=style, above=above, buttons=(back, forward, play))
    stage.row.children = (room, *stage.row.children[1:])
    stage.stop, kept["stage"] = stop, stage
    return stage

"""Lesson 20: a million chunks and a billion, worked out on paper: bytes, machines, shards and replicas, milliseconds.

Nothing here is measured. Each line is a product or a quotient that a reader can do by hand, from the numbers of the
dials and from the assumptions below, which are round and rather too careful than too kind. What the network takes,
what an engine needs for itself, and what is written while it is read, is left out.
"""

import math
from dataclasses import dataclass

from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.memory_table import PREFIXES
from firstprinciples.explore.quantize import choice
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.index import quantize

TASKS = ("quantize.memory",)
CHUNKS = tuple(10**power for power in range(4, 11))
WIDTHS = (384, 768, 1024)
KINDS = ("float32", "int8", "binary")
MACHINES = (16, 32, 64, 128, 256, 512)  # GB of memory in one
REPLICAS = (1, 2, 3)

LINKS, LINK = 32, 4  # links of a chunk on the lowest layer, twice M = 16; bytes of one. The layers above: a 30th more
WORDS, POSTING = 48, 8  # different words of a chunk of Larkspur, on average; bytes of one in BM25's lists
TEXT = 315  # bytes of a chunk of Larkspur, on average
USED = 0.75  # of a machine's memory: the rest is for everything else it does
READ = 10e9  # bytes a second that one core reads in a row; lesson 11 has 12 GB a second at 100,000 vectors
JUMP = 1e-7  # seconds until a byte from a random place of the memory is there
DOUBLING = 100  # distances of a walk for each doubling of the chunks; lesson 11 counted fewer
CORES = 8  # in one machine
RESCORED, DISK = 100, 1e-4  # full vectors that are read from disk after bits, and the seconds of one such read


@dataclass(frozen=True)
class State:
    """Chunks, numbers in a vector, how a number is kept, GB of memory in a machine, and copies of everything."""

    chunks: int = 1_000_000
    width: int = 1024
    kind: str = "float32"
    memory: int = 64
    replicas: int = 2

    def __post_init__(self):
        for name, most in (("chunks", 10**12), ("width", 10**5), ("memory", 10**5), ("replicas", 10)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise ValueError(f"{name} is {value!r}; it is a whole number from 1 to {most:,}.")
        if self.kind not in KINDS:
            raise ValueError(f"There is no kind {self.kind!r}; there are {', '.join(KINDS)}.")


def frame(state: State) -> dict:
    """Return every number of the sum: bytes in memory and on disk, machines, seconds, and questions a second."""
    n, d = state.chunks, state.width
    vectors = int(quantize.memory(n, d, state.kind))
    bytes_ = {"vectors": vectors, "links": n * LINKS * LINK, "lists": n * WORDS * POSTING}
    memory = sum(bytes_.values())
    full = n * d * 4 if state.kind == "binary" else 0
    shards = max(1, math.ceil(memory / (state.memory * 1e9 * USED)))
    one = vectors / n  # bytes of one vector
    distances = DOUBLING * math.log2(max(2, n / shards))
    walk = distances * (JUMP + one / READ)
    rescore = RESCORED * DISK if full else 0.0
    return {"chunks": n, "width": d, "kind": state.kind, "machine": state.memory, "replicas": state.replicas,
            "bytes": bytes_, "memory": memory, "texts": n * TEXT, "full": full, "shards": shards,
            "machines": shards * state.replicas, "exact": vectors / shards / READ, "one": one,
            "distances": distances, "walk": walk, "rescore": rescore, "answer": walk + rescore,
            "a second": state.replicas * CORES / walk if walk > 0 else 0.0}


# ---- words

def seconds(value: float) -> str:
    """Return a time as it is shown.

    >>> seconds(0.001016), seconds(0.4096), seconds(82.04), seconds(0.0000351), seconds(0.010279)
    ('1.02 ms', '0.410 s', '82.0 s', '0.0351 ms', '10.3 ms')
    """
    return f"{value:#.3g} s" if value >= 0.1 else f"{1000 * value:#.3g} ms"


def amount(count: float) -> str:
    """Return bytes with three digits, so that whoever divides them again comes to what is shown.

    >>> amount(4_096_000_000), amount(128_000_000), amount(999_999_999), amount(20_000)
    ('4.10 GB', '128 MB', '1.00 GB', '20.0 kB')
    """
    value, power = float(f"{count:.3g}"), 0
    while value >= 1000 and power < len(PREFIXES):
        value, power = value / 1000, power + 1
    return (f"{value:#.3g}".rstrip(".") if power else f"{count:,.0f}") + f" {' kMGTPE'[power].strip()}B"


def about(value: float) -> str:
    """Return a rate with two digits: an estimate has no more.

    >>> about(15_752), about(71.3)
    ('16,000', '71')
    """
    return f"{float(f'{value:.2g}'):,.0f}"


def per_number(kind: str) -> str:
    """Return what one number of a vector takes, in words."""
    return {"float32": "4 bytes", "int8": "1 byte", "binary": "1 bit"}[kind]


def plural(count: int, word: str) -> str:
    """Return a count with its word.

    >>> plural(1, "shard"), plural(1_234, "machine")
    ('1 shard', '1,234 machines')
    """
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def lines(frame: dict) -> list[tuple[str, str, str, str]]:
    """Return the sum line by line: (group, what, how it is worked out, what comes out)."""
    n, d, sizes = frame["chunks"], frame["width"], frame["bytes"]
    usable = f"{frame['machine']:,} GB × {USED:g}"
    gigabytes = float(f"{frame['memory'] / 1e9:.4g}")  # four digits; shown as 46,080, never as 4.608e+04
    rows = [("memory", "vectors", f"{n:,} × {d:,} × {per_number(frame['kind'])}", amount(sizes["vectors"])),
            ("memory", "links of the graph", f"{n:,} × {LINKS} × {LINK} bytes", amount(sizes["links"])),
            ("memory", "BM25's lists", f"{n:,} × {WORDS} words × {POSTING} bytes", amount(sizes["lists"])),
            ("memory", "together", "", amount(frame["memory"])),
            ("disk", "texts", f"{n:,} × {TEXT} bytes", amount(frame["texts"])),
            ("disk", "full vectors", f"{n:,} × {d:,} × 4 bytes" if frame["full"] else "not needed: no rescoring",
             amount(frame["full"]) if frame["full"] else "–"),
            ("machines", "shards", f"{gigabytes:,.10g} GB ÷ ({usable}), rounded up", f"{frame['shards']:,}"),
            ("machines", "machines", f"{plural(frame['shards'], 'shard')} × {plural(frame['replicas'], 'replica')}",
             f"{frame['machines']:,}"),
            ("time", "exact search, one core", f"{amount(sizes['vectors'])} ÷ {plural(frame['shards'], 'shard')} ÷ "
             "10 GB/s", seconds(frame["exact"])),
            ("time", "a walk: distances", f"{DOUBLING} × log2({n:,}" + (
                f" ÷ {frame['shards']:,})" if frame["shards"] > 1 else ")"), f"{frame['distances']:,.0f}"),
            ("time", "a walk: seconds", f"{frame['distances']:,.0f} × (0.1 µs + {frame['one']:,.0f} bytes ÷ 10 GB/s)",
             seconds(frame["walk"])),
            ("time", "rescoring", f"{RESCORED} × 0.1 ms, from disk" if frame["full"] else "not needed",
             seconds(frame["rescore"]) if frame["full"] else "–"),
            ("time", "questions a second", f"{plural(frame['replicas'], 'replica')} × {CORES} cores ÷ "
             f"{seconds(frame['walk'])}", about(frame["a second"]))]
    return rows


def describe(frame: dict) -> str:
    """Say what comes out."""
    return (f"{frame['chunks']:,} chunks, vectors of {frame['width']:,} numbers as {frame['kind']}: "
            f"{amount(frame['memory'])} in memory, {amount(frame['texts'] + frame['full'])} on disk. On machines of "
            f"{frame['machine']:,} GB: {plural(frame['shards'], 'shard')} × {plural(frame['replicas'], 'replica')} = "
            f"{plural(frame['machines'], 'machine')}. Exact {seconds(frame['exact'])}, by a walk "
            f"{seconds(frame['answer'])}, about {about(frame['a second'])} questions a second.")


def caption(frame: dict, before: dict | None) -> str:
    """Say what a dial did, or what the largest part is."""
    if before and before["replicas"] != frame["replicas"]:
        return (f"From {plural(before['replicas'], 'replica')} to {frame['replicas']}: {before['machines']:,} machines "
                f"become {frame['machines']:,}, and {about(before['a second'])} questions a second "
                f"{about(frame['a second'])}. One question still takes {seconds(frame['answer'])}.")
    for name, words in (("kind", "{}"), ("width", "vectors of {:,} numbers")):
        if before and before[name] != frame[name]:
            return (f"{words.format(frame[name])} in place of {words.format(before[name])}: the memory goes from "
                    f"{amount(before['memory'])} to {amount(frame['memory'])}, the machines from "
                    f"{before['machines']:,} to {frame['machines']:,}, and an answer from {seconds(before['answer'])} "
                    f"to {seconds(frame['answer'])}" + (", most of it for rescoring from disk." if frame["full"] else
                                                        "."))
    if before and before["shards"] != frame["shards"] and before["chunks"] == frame["chunks"]:
        return (f"From {plural(before['shards'], 'shard')} to {frame['shards']:,}. Each question goes to all of them, "
                f"and each finds its own best: exact search goes from {seconds(before['exact'])} to "
                f"{seconds(frame['exact'])}, a walk from {seconds(before['walk'])} to {seconds(frame['walk'])}.")
    if before and before["chunks"] != frame["chunks"]:
        return (f"From {before['chunks']:,} to {frame['chunks']:,} chunks: the memory goes from "
                f"{amount(before['memory'])} to {amount(frame['memory'])}, the machines from {before['machines']:,} to "
                f"{frame['machines']:,}, and a walk from {seconds(before['walk'])} to {seconds(frame['walk'])}.")
    name = max(frame["bytes"], key=frame["bytes"].get)
    words = {"vectors": "the vectors", "links": "the links of the graph", "lists": "BM25's lists"}[name]
    share = frame["bytes"][name] / frame["memory"] if frame["memory"] else 0
    fits = "It fits into one machine." if frame["shards"] == 1 else (
        f"No machine of {frame['machine']:,} GB holds that: it is cut into {plural(frame['shards'], 'shard')}.")
    return f"Of {amount(frame['memory'])} in memory {share:.0%} are {words}. {fits}"


# ---- the picture

STYLE = f"""<style>
.fp-paper {{ border-collapse: collapse; margin-top: 10px; font-size: 14px; table-layout: fixed; width: 840px; }}
.fp-paper td {{ padding: 1px 16px 1px 0; height: 24px; text-align: left; background: none; color: {draw.INK};
  white-space: nowrap; }}
.fp-paper tr {{ background: none !important; }}
.fp-paper td:nth-child(1) {{ color: {draw.GREY}; font-size: 13px; width: 76px; }}
.fp-paper td:nth-child(2) {{ width: 178px; }}
.fp-paper td:nth-child(4) {{ text-align: right; font-weight: 700; width: 94px; }}
.fp-paper td:nth-child(5) {{ color: {draw.GREY}; font-size: 13px; width: 106px; }}
.fp-paper .fp-new td {{ border-top: 1.5px solid {draw.LINE}; }}
.fp-row .fp-billions .widget-readout {{ min-width: 104px; }}
</style>"""
SHOWN, SIDE = 26, 26  # machines of a row that are drawn, and how wide one is with its gap, in pixels


def machines(frame: dict) -> str:
    """Draw a square for each machine, a row for each replica."""
    shown = min(frame["shards"], SHOWN)
    shapes = []
    for row in range(frame["replicas"]):
        y = SIDE * row
        shapes.append(draw.text(0, y + 16, "the data" if row == 0 else f"copy {row}", 13, draw.GREY))
        for column in range(shown):
            shapes.append(draw.box(70 + SIDE * column, y + 1, SIDE - 5, SIDE - 5,
                                   fill=draw.tint(draw.BLUE if row == 0 else draw.SKY, 0.6), stroke=draw.INK, thick=1))
        if frame["shards"] > SHOWN:
            shapes.append(draw.text(76 + SIDE * shown, y + 16, f"… {frame['shards']:,}", 13))
    return draw.svg(SIDE * max(REPLICAS), *shapes)


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the machines, and below them the sum line by line; what it was before the dial moved stands at the side."""
    old = [row[3] for row in lines(before)] if before else None
    own = [row[3] for row in lines(expected)] if expected else None
    rows, last = [], None
    for i, (group, what, how, result) in enumerate(lines(frame)):
        side = f"was {old[i]}" if old and old[i] != result else ""
        if own and own[i] != result:
            side = f"expected {own[i]}"
        rows.append(f'<tr{" class=fp-new" if group != last else ""}><td>{group if group != last else ""}</td>'
                    f"<td>{draw.escape(what)}</td><td>{draw.escape(how)}</td><td>{draw.escape(result)}</td>"
                    f"<td>{draw.escape(side)}</td></tr>")
        last = group
    note = "worked out, not measured; 1 GB is 1,000,000,000 bytes; a square is a machine, a column a shard"
    title = f"{frame['chunks']:,} chunks on {plural(frame['machines'], 'machine')}"
    return (f'<div class="fp-title fp-line">{title}</div><div class="fp-line fp-note">{note}</div>'
            f'<div class="fp-scroll"><div style="min-width:840px;margin-top:10px">{machines(frame)}</div>'
            f'<table class="fp-paper">{"".join(rows)}</table></div>')


# ---- the explorer

def on_paper(chunks: int = 1_000_000, width: int = 1024, kind: str = "float32", memory: int = 64,
             replicas: int = 2) -> Stage:
    """Work out bytes, machines and times for so many chunks, each line of the sum shown.

    `memory` is in GB a machine. Any whole numbers may be handed in; the dials go through round ones and these.
    """
    start = State(chunks, width, kind, memory, replicas)
    dials = {name: choice(words, getattr(start, name), sorted({*known, getattr(start, name)}), room)
             for name, words, known, room in (("chunks", "chunks", CHUNKS, 56), ("width", "numbers", WIDTHS, 64),
                                              ("memory", "GB a machine", MACHINES, 96),
                                              ("replicas", "replicas", REPLICAS, 64))}
    for each in dials.values():
        each.layout.margin = "2px 26px 2px 2px"  # so that its number does not run into what stands next
    dials["chunks"].layout.width = "310px"
    dials["chunks"].add_class("fp-billions")
    dials["kind"] = toggles(list(KINDS), start.kind, "how a number of a vector is kept", 80)

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: (picture(drawn, None, None), caption(drawn, None)))

    return Stage("on_paper", run, picture, describe, dials, caption=caption, style=STYLE)

"""Points that a reader drags in a plane: by mouse, by finger, by the arrow keys, or with sliders.

The browser moves the picture at once, whatever the kernel is doing; Python hears where the points are and computes the
numbers. Where they are is one trait, `value`, so that a slow function skips places and never the last one: the front
end holds moves back while the kernel is busy and then sends only the newest. (Messages of one's own would pile up.)

`Plane` is that widget. `sliders` are the same points for a front end that cannot show it. `svg` is the same picture
drawn by Python: the still of a notebook without a kernel, and what is seen where the widget cannot be loaded.
"""

import math
import reprlib

import ipywidgets

from firstprinciples.explore import draw

try:
    from anywidget import AnyWidget
except ImportError:  # an older set-up, or a front end without it: Python's drawing stays, and the sliders move it
    AnyWidget = ipywidgets.Box

TEXT = f"font: 14px/20px {draw.SANS}"

# The widget in the browser. `place` turns (x, y) into pixels, `point` turns pixels back and keeps to the steps.
BROWSER = """
const SVG = 'http://www.w3.org/2000/svg';

function add(parent, kind, attributes = {}, text = '') {
    const element = document.createElementNS(SVG, kind);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    parent.append(element);
    return element;
}

function render({ model, el }) {
    const set = Object.fromEntries(model.get('settings'));
    const place = ([x, y]) => [set.origin[0] + x * set.scale, set.origin[1] - y * set.scale];
    const step = (value, axis) => {
        const kept = Math.min(Math.max(value, set.low[axis]), set.high[axis]);
        return Number((Math.round(kept / set.step) * set.step).toFixed(6));
    };
    const point = (x, y) => [step((x - set.origin[0]) / set.scale, 0), step((set.origin[1] - y) / set.scale, 1)];

    const svg = add(el, 'svg', { width: set.size[0], height: set.size[1], class: 'fp-plane', role: 'group',
                                 'aria-label': set.label });
    add(svg, 'g').innerHTML = set.background;
    const ground = add(svg, 'g');  // what changes with the numbers, drawn by Python
    const arc = add(svg, 'path', { class: 'fp-arc' });
    const tips = set.names.map((name, i) => {
        const line = add(svg, 'line', { x1: set.origin[0], y1: set.origin[1], stroke: set.colors[i],
                                        'stroke-width': set.arrows ? 3.5 : 0,
                                        'stroke-dasharray': i % 2 ? '7 4' : 'none' });
        return { name, line };
    });
    tips.forEach((tip, i) => {
        const said = set.handles ? set.handles[i] : `tip of ${tip.name}`;
        tip.handle = add(svg, 'g', { tabindex: 0, role: 'slider', class: 'fp-tip', 'aria-label': said,
                                     'aria-valuemin': set.low[0], 'aria-valuemax': set.high[0] });
        add(tip.handle, 'circle', { r: 17, fill: 'transparent' });
        add(tip.handle, 'circle', { r: 13, class: 'fp-ring' });
        if (set.mark) add(tip.handle, 'path', { d: set.mark, fill: set.colors[i], class: 'fp-dot' });
        else add(tip.handle, 'circle', { r: 8, fill: set.colors[i], class: 'fp-dot' });
        tip.label = add(tip.handle, 'text', { class: set.mark ? 'fp-name fp-rim' : 'fp-name' }, tip.name);
    });

    function move(i, to) {
        const now = model.get('value').map(each => [...each]);
        if (now[i][0] === to[0] && now[i][1] === to[1]) return;
        now[i] = to;
        model.set('value', now);  // which draws
        model.save_changes();
    }

    function show() {
        const now = model.get('value');
        tips.forEach((tip, i) => {
            const [x, y] = place(now[i]), far = Math.hypot(now[i][0], now[i][1]) || 1;
            tip.line.setAttribute('x2', x);
            tip.line.setAttribute('y2', y);
            tip.handle.setAttribute('transform', `translate(${x} ${y})`);
            const beyond = set.beyond ?? 20;  // from the tip, on the way from the origin; less than 0: back to it
            tip.label.setAttribute('x', beyond * now[i][0] / far);
            tip.label.setAttribute('y', 5 - beyond * (now[i][1] / far || (now[i][0] ? 0 : 1)));
            tip.handle.setAttribute('aria-valuenow', now[i][0]);
            tip.handle.setAttribute('aria-valuetext', `${tip.name}: ${now[i][0]}, ${now[i][1]}`);
        });
        arc.setAttribute('d', set.arrows && now.length === 2 ? arcOf(now[0], now[1]) : '');
    }

    function arcOf(a, b) {
        if (!Math.hypot(...a) || !Math.hypot(...b)) return '';
        const [from, to] = [a, b].map(([x, y]) => Math.atan2(y, x));
        let turn = to - from;
        turn += turn > Math.PI ? -2 * Math.PI : turn <= -Math.PI ? 2 * Math.PI : 0;
        const r = 0.8 * set.scale, at = angle => place([0.8 * Math.cos(angle), 0.8 * Math.sin(angle)]).join(' ');
        return `M ${at(from)} A ${r} ${r} 0 0 ${turn > 0 ? 0 : 1} ${at(to)}`;
    }

    tips.forEach((tip, i) => {
        let grip = null;  // from the pointer to the middle of the tip, so that it does not jump when it is taken
        tip.handle.addEventListener('pointerdown', event => {
            const box = svg.getBoundingClientRect(), [x, y] = place(model.get('value')[i]);
            grip = [x - (event.clientX - box.left), y - (event.clientY - box.top)];
            tip.handle.setPointerCapture(event.pointerId);
            tip.handle.focus();
            event.preventDefault();
        });
        tip.handle.addEventListener('pointermove', event => {
            if (!grip) return;
            const box = svg.getBoundingClientRect();
            move(i, point(event.clientX - box.left + grip[0], event.clientY - box.top + grip[1]));
        });
        for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) {
            tip.handle.addEventListener(end, () => { grip = null; });
        }
        tip.handle.addEventListener('keydown', event => {
            const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
            const way = ways[event.key], far = set.step * (event.shiftKey ? 4 : 1);
            if (!way) return;
            event.preventDefault();
            const [x, y] = model.get('value')[i];
            move(i, [step(x + way[0] * far, 0), step(y + way[1] * far, 1)]);
        });
    });
    svg.addEventListener('keydown', event => event.stopPropagation());  // or JupyterLab goes to another cell
    const below = () => { ground.innerHTML = model.get('ground').join(''); };
    model.on('change:value', show);
    model.on('change:ground', below);
    show();
    below();
    return () => { model.off('change:value', show); model.off('change:ground', below); };
}

export default { render };
"""

STYLE = f"""
.fp-plane {{ display: block; overflow: visible; {TEXT}; touch-action: pan-y; }}
.fp-plane .fp-arc, .fp-still .fp-arc {{ fill: none; stroke: {draw.NOW}; stroke-width: 2.5; }}
.fp-tip {{ cursor: grab; touch-action: none; outline: none; }}
.fp-tip:active {{ cursor: grabbing; }}
.fp-tip .fp-ring {{ fill: none; stroke: none; }}
.fp-tip:focus .fp-ring {{ stroke: {draw.INK}; stroke-width: 2; }}
.fp-dot {{ stroke: {draw.PAPER}; stroke-width: 2; }}
.fp-name {{ fill: {draw.INK}; font-weight: 700; font-size: 15px; text-anchor: middle; }}
.fp-rim {{ paint-order: stroke; stroke: {draw.PAPER}; stroke-width: 4px; }}
"""
# Python's drawing gives way to the widget by a style alone: where the widget never comes, the drawing stays.
BESIDE = f"<style>{STYLE}" + """
.fp-drag.widget-hbox { flex-flow: row wrap; align-items: flex-start; max-width: 900px; overflow: visible; }
.fp-drag > .widget-html { flex: 1 1 380px; }
.fp-drag:has(svg.fp-plane) .fp-still { display: none; }
</style>"""


class Plane(AnyWidget):
    """A plane with points to drag; `value` is where they are: ((x, y), ...), in steps, within the plane.

    `ground` holds SVG in pixels, (text, ...), that lies below the points and may change with the numbers. Three
    settings more are optional: `mark`, the path of a sign drawn in place of a dot; `handles`, the points' names in
    full; `beyond`, how many pixels from its tip a name stands, away from the origin, or towards it if less than 0.
    """

    _esm = BROWSER
    _css = STYLE
    value = ipywidgets.TypedTuple().tag(sync=True)
    settings = ipywidgets.TypedTuple().tag(sync=True)
    ground = ipywidgets.TypedTuple().tag(sync=True)

    continuous_update = True  # a drag is one long move

    def __init__(self, value, settings: dict):
        super().__init__(value=snapped(value, settings), settings=tuple(settings.items()))


def settings(names, colors, low, high, step, scale, axes=("", ""), arrows=True, background="") -> dict:
    """Return what `Plane` and `svg` draw by: pixels, colors and the ground, with a grid on whole numbers.

    `low` and `high` are the corners (x, y) of the plane, `scale` is pixels a unit, `axes` are the names of the two
    directions, `background` is SVG in pixels that lies on the grid, such as the points of a map. Raises ValueError
    unless `step` is a power of 2, such as 0.25: with 0.1 a slider in the browser answers 3.9 with 3.9000000000000004,
    and such an answer, late, would put a tip back to where it was.
    """
    if math.frexp(step)[0] != 0.5:
        raise ValueError(f"step is {step}; let it be a power of 2, such as 0.25.")
    left, below, margin = 18, 18, 18
    width, height = (round((top - bottom) * scale) for top, bottom in zip(high, low, strict=True))
    size = (left + width + margin, margin + height + below)
    made = {"names": tuple(names), "colors": tuple(colors), "low": tuple(low), "high": tuple(high), "step": step,
            "scale": scale, "size": size, "origin": (left - low[0] * scale, margin + high[1] * scale),
            "arrows": arrows, "label": f"{' and '.join(names)}: drag a tip, or use the arrow keys on it"}
    return made | {"background": _grid(made, axes) + background}


def place(point, settings: dict) -> tuple[float, float]:
    """Return where a point of the plane lies in the picture, in pixels."""
    (x0, y0), scale = settings["origin"], settings["scale"]
    return round(x0 + point[0] * scale, 2), round(y0 - point[1] * scale, 2)


def snapped(points, settings: dict) -> tuple[tuple[float, float], ...]:
    """Return points within the plane and on its steps, as the browser does it.

    Raises ValueError for what is no list of points (x, y).

    >>> snapped([(0.123, 9)], {"low": (-5, -5), "high": (5, 5), "step": 0.25})
    ((0.0, 5.0),)
    """
    low, high, step = settings["low"], settings["high"], settings["step"]
    points = list(points)
    try:
        right = all(len(point) == 2 and not any(map(math.isnan, point)) for point in points)
    except TypeError:
        right = False
    if not right:
        raise ValueError(f"{reprlib.repr(points)} holds something that is no point: give two numbers each, (x, y).")
    return tuple(tuple(round(round(min(max(number, low[axis]), high[axis]) / step) * step, 6) + 0.0
                       for axis, number in enumerate(point)) for point in points)


def _grid(settings: dict, axes) -> str:
    """Return the ground: a light grid on whole numbers, the two axes, and their names."""
    (x_low, y_low), (x_high, y_high) = settings["low"], settings["high"]
    lines = {False: [], True: []}  # two paths, one of them the axes: each picture carries the ground along
    for whole in range(round(x_low), round(x_high) + 1):
        lines[whole == 0].append(_line((whole, y_low), (whole, y_high), settings))
    for whole in range(round(y_low), round(y_high) + 1):
        lines[whole == 0].append(_line((x_low, whole), (x_high, whole), settings))
    ground = "".join(f'<path d="{" ".join(lines[axis])}" style="fill:none;stroke:{color};stroke-width:{thick}"/>'
                     for axis, color, thick in ((False, draw.LINE, 0.8), (True, draw.GREY, 1.2)))
    (right, _), (_, top) = place((x_high, 0), settings), place((0, y_high), settings)
    x0, y0 = settings["origin"]
    return ground + draw.text(right, y0 + 16, axes[0], 13, draw.GREY, anchor="end") + draw.text(
        x0 + 6, top - 5, axes[1], 13, draw.GREY)


def _line(start, end, settings) -> str:
    (x1, y1), (x2, y2) = place(start, settings), place(end, settings)
    return f"M{x1:g} {y1:g}L{x2:g} {y2:g}"


def arrow(point, settings: dict, color: str, name: str = "", dash: str = "", thick=3.5, pale: bool = False) -> str:
    """Return an arrow from the origin to a point as SVG, with a dot for its tip and its name beyond."""
    (x0, y0), (x, y) = settings["origin"], place(point, settings)
    far = (point[0] ** 2 + point[1] ** 2) ** 0.5
    side = (point[0] / far, point[1] / far) if far else (0, 1)
    words = label(round(x + 20 * side[0], 2), round(y + 5 - 20 * side[1], 2), name, 15)
    shape = (draw.line(x0, y0, x, y, color, thick, dash)
             + f'<circle cx="{x}" cy="{y}" r="{5 if pale else 8}" style="fill:{color};stroke:{draw.PAPER};'
               f'stroke-width:2"/>')
    return f'<g style="opacity:0.35">{shape}</g>' if pale else shape + (words if name else "")


def label(x: float, y: float, words: str, size=13) -> str:
    """Return bold words around x with a rim of the page's color, so that they stay readable on a line."""
    rim = f"style=\"paint-order:stroke;stroke:{draw.PAPER};stroke-width:4px;"
    return draw.text(x, y, words, size, bold=True, anchor="middle").replace('style="', rim)


def svg(points, settings: dict) -> str:
    """Return the plane with its points as Python draws it."""
    shapes = [settings["background"]]
    if settings["arrows"] and len(points) == 2 and all(any(point) for point in points):
        shapes.append(_arc(*points, settings))
    for i, point in enumerate(points):
        shapes.append(arrow(point, settings, settings["colors"][i], settings["names"][i], "7 4" if i % 2 else "",
                            3.5 if settings["arrows"] else 0))
    return draw.svg(settings["size"][1], *shapes, width=settings["size"][0])


def _arc(a, b, settings: dict) -> str:
    """Return the arc between two arrows, on the side of the smaller angle."""
    start, end = (math.atan2(y, x) for x, y in (a, b))
    turn = math.remainder(end - start, 2 * math.pi)
    (x1, y1), (x2, y2) = (place((0.8 * math.cos(angle), 0.8 * math.sin(angle)), settings) for angle in (start, end))
    r = 0.8 * settings["scale"]
    return f'<path class="fp-arc" d="M {x1} {y1} A {r} {r} 0 0 {0 if turn > 0 else 1} {x2} {y2}"/>'


def sliders(plane: Plane) -> list:
    """Return two sliders for each point, tied to the plane: for the keyboard, and where the plane cannot be shown."""
    made, drawn = [], dict(plane.settings)
    busy = []  # while one of the two follows the other

    def follow(_):
        if not busy:
            busy.append(True)
            for (i, axis), slider in zip(places, made, strict=True):
                slider.value = plane.value[i][axis]
            busy.clear()

    def lead(_):
        numbers = iter([slider.value for slider in made])
        now = snapped(zip(numbers, numbers, strict=True), drawn)
        if not busy and now != snapped(plane.value, drawn):
            busy.append(True)
            plane.value = now
            busy.clear()

    places = [(i, axis) for i in range(len(drawn["names"])) for axis in (0, 1)]
    for i, axis in places:
        name = f"{drawn['names'][i]} {('across', 'up')[axis]}"
        slider = ipywidgets.FloatSlider(plane.value[i][axis], min=drawn["low"][axis], max=drawn["high"][axis],
                                        step=drawn["step"], description=name, tooltip=name, readout_format=".2f",
                                        style={"description_width": "64px"}, layout={"width": "300px"})
        slider.observe(lead, "value")
        made.append(slider)
    plane.observe(follow, "value")
    return made


def stand_beside(stage, plane: Plane) -> None:
    """Put a plane to the left of a stage's picture. The picture's own drawing of it, `.fp-still`, gives way to it."""
    box = ipywidgets.HBox([ipywidgets.HTML(BESIDE, layout={"display": "none"}), plane, stage.screen])
    box.add_class("fp-drag")
    stage.view.children = [box if child is stage.screen else child for child in stage.view.children]

"""Pictures as SVG: bars, lines, a roofline. In a page they take its colours, light or dark; as files
they bring their own."""

import math
from dataclasses import dataclass
from html import escape
from pathlib import Path

from measured import marked, percent

WIDE, SIZE = 480, 13  # pixels: of a picture, of its letters, which a telephone shows at 9.6
LINE, TALL = 17, 236  # of a line of text, and of a plot
# A step has one colour in all pictures: its hue. Lightness is of the ground, so that all are read.
HUES = {"01": 20, "02": 75, "03": 140, "04": 200, "05": 262, "06": 320}
HUES |= {"07": 50, "08": 110, "09": 170, "10": 230, "11": 290, "12": 350, "13": 140}
FORMS = (  # of points: circle, square, triangle, diamond, cross
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.8 4.6 3.6H-4.6z",
    "M0-5 5 0 0 5-5 0z",
    "M-4-2.2-2.2-4 0-1.8 2.2-4 4-2.2 1.8 0 4 2.2 2.2 4 0 1.8-2.2 4-4 2.2-1.8 0z",
)
STYLE = """
svg { --light: 50%; --ink: #1b1b1b; --pale: #595959; --rule: #dcdcd6; --paper: #fdfdfb; font: 13px system-ui, 'DejaVu Sans', sans-serif }
@media (prefers-color-scheme: dark) { svg { --light: 78%; --ink: #e8e8e4; --pale: #adada8; --rule: #3a3b3e; --paper: #17181a } }
@media print { svg { --light: 45%; --ink: #000; --pale: #444; --rule: #ccc; --paper: #fff } }
svg text { fill: var(--ink) } svg .pale { fill: var(--pale) } svg .title { font-weight: 600; font-size: 15px } svg .strong { font-weight: 600 }
svg .rule { stroke: var(--rule) } svg .axis { stroke: var(--pale) } svg .bound { stroke: var(--pale); stroke-dasharray: 5 3 }
svg .step { color: oklch(var(--light) .14 var(--hue)) } svg .own { color: oklch(var(--light) .19 45) } svg .other { color: var(--pale) }
svg .step text, svg .own text, svg .other text { fill: currentColor } svg :is(.step, .own, .other) text.ink { fill: var(--ink) }
svg .curve { fill: none; stroke: currentColor; stroke-width: 2 } svg .other .curve, svg .dashed { stroke-dasharray: 5 4; stroke-width: 1.5 }
svg .fine { stroke: currentColor; fill: none } svg .lead { stroke: currentColor; opacity: .45; stroke-dasharray: 1 3; fill: none } svg .mark { fill: currentColor } svg .hollow { fill: var(--paper); stroke: currentColor; stroke-width: 1.5 }
""" + "".join(
    f"svg .s{step} {{ --hue: {hue} }} " for step, hue in HUES.items()
)


@dataclass
class Picture:
    """A picture and what is said of it."""

    name: str
    title: str
    caption: str  # one sentence: what to see
    parts: list  # SVG
    high: float
    type: str = ""
    gpu: bool = False

    def svg(self, style=""):
        words = escape(f"{self.title}. {self.caption}")
        size = f' width="{WIDE}" height="{self.high:.0f}"' * bool(style)
        ground = '<rect width="100%" height="100%" style="fill: var(--paper)"/>' * bool(style)
        begin = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {self.high:.0f}"{size}'
        )
        begin += f' role="img" aria-label="{words}">{style}{ground}'
        return begin + "".join(self.parts) + "</svg>"


def write(pictures, folder):
    """Writes each as a file of its own."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        text = picture.svg(f"<style>{STYLE}</style>")
        (folder / f"{picture.name}.svg").write_text(text, encoding="utf-8")


def wide(words):
    """About so many pixels."""
    return 0.62 * SIZE * len(words)


def text(x, y, words, of="", anchor="start"):
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} class="{of}">{escape(str(words))}</text>'


def stroke(of, *points):
    at = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{at}" class="{of}"/>'


def group(of, parts):
    return f'<g class="{of}">{"".join(parts)}</g>'


def mark(x, y, of, tip):
    """A point: its form is the step's, too, for who cannot tell its colour; hollow if that was
    disturbed."""
    form = FORMS[int(of[-2:]) % len(FORMS) if of[-2:].isdecimal() else 0]
    move = f'transform="translate({x:.1f} {y:.1f})"'
    of = "mark" + " hollow" * tip.endswith("~")
    return f'<path class="{of}" {move} d="{form}"><title>{escape(tip)}</title></path>'


def colour(label):
    """The class of what a label names: a step's number stands first."""
    step = f"step s{label[:2]}" if label[:2] in HUES else "other"
    return "own" if label.startswith("yours") else step


def apart(places, gap, low, high):
    """The places, moved as little as need be to stand `gap` apart between low and high, in their
    order."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = [min(max(places[i], low), high) for i in order]
    for _ in range(200):
        for i in range(1, len(moved)):
            if (lack := gap - (moved[i] - moved[i - 1])) > 1e-6:
                moved[i - 1], moved[i] = moved[i - 1] - lack / 2, moved[i] + lack / 2
        moved = [max(at, low + gap * i) for i, at in enumerate(moved)]
        moved = [min(at, high - gap * (len(moved) - 1 - i)) for i, at in enumerate(moved)]
    return [at for _, at in sorted(zip(order, moved))]


class Scale:
    """From values to pixels, from `low` at `start` to `high` at `end`; logarithmic or not."""

    def __init__(self, low, high, start, end, log=True):
        self.low, self.high, self.start, self.end, self.log = low, high, start, end, log

    def __call__(self, value):
        of = math.log if self.log else float
        share = (of(value) - of(self.low)) / (of(self.high) - of(self.low))
        return self.start + share * (self.end - self.start)

    def ticks(self):
        """Round values, two to nine of them; of a logarithmic scale rather powers of ten."""
        rough = (self.high - self.low) / 5
        ten = 10.0 ** math.floor(math.log10(rough))
        each = next(of * ten for of in (1, 2, 2.5, 5, 10) if of * ten >= rough)
        kinds = [[digit * 10.0**power for power in range(-12, 15) for digit in (1, 2, 5)]]
        kinds = [kinds[0][::3], *kinds] * self.log
        for every in (*kinds, [each * i for i in range(math.ceil(self.high / each) + 1)]):
            found = [at for at in every if self.low * 0.999 <= at <= self.high * 1.001]
            if len(found) > 2:
                break
        return found


def named(ends, right, scale):
    """The names (class, name, x, y) at the right end, apart, each with a thin line from its
    point."""
    low = max(scale.start - 2, scale.end + LINE * len(ends))
    places = apart([scale(y) for *_, y in ends], LINE, scale.end + 2, low)
    for (of, name, x, y), at in zip(ends, places):
        lead = stroke("lead", (x + 6, scale(y)), (right + 6, at), (right + 11, at))
        yield group(of, [lead, text(right + 14, at + 4.5, name)])


@dataclass
class Series:
    label: str  # gives the colour
    points: dict  # x: (y, the ends of its spread, what is told of it)
    name: str = ""  # what stands at its end, if that is not the label
    dashed: bool = False
    of: str = ""  # the class, if that is not the label's

    def __post_init__(self):
        self.name, self.of = self.name or self.label, self.of or colour(self.label)


def line_chart(
    name, title, see, series, panels, xlabel, unit, log=False, bound=(), zero=True, **of
):
    """Lines against what stands evenly in panels, [(heading, [x, …])]: a line joins the points of a
    panel. Each has its name at its end, once. `bound` is (y,)."""
    series = [line for line in series if line.points]
    if not series:
        return None
    reached = [y for line in series for at in line.points.values() for y in at[:3]] + [*bound]
    low = min(reached) / 1.2 if log else 0 if zero else min(reached) - 0.02
    top = 30 + LINE * any(heading for heading, _ in panels)
    down = top + max(TALL, LINE * len(series))
    scale = Scale(low, max(reached) * (1.2 if log else 1.04), down, top, log)
    ticks, gap = scale.ticks(), 14
    left = 12 + max(wide(unit(y)) for y in ticks)
    right = WIDE - 18 - max(wide(line.name) for line in series)
    each = (right - left - gap * (len(panels) - 1)) / sum(len(xs) for _, xs in panels)
    parts, places, start = [text(2, 16, title, "title")], [], left
    for heading, xs in panels:
        end, at = start + each * len(xs), {x: start + each * (i + 0.5) for i, x in enumerate(xs)}
        parts += [stroke("rule", (start, scale(y)), (end, scale(y))) for y in ticks]
        parts += [stroke("bound", (start, scale(y)), (end, scale(y))) for y in bound]
        parts.append(stroke("axis fine", (start, top), (start, down), (end, down)))
        parts.append(text((start + end) / 2, top - 8, heading, "pale", "middle"))
        shown = xs[:: -math.ceil(max(wide(str(x)) + 5 for x in xs) / each)]  # as many as fit
        parts += [text(at[x], down + 17, x, "pale", "middle") for x in shown]
        places.append(at)
        start = end + gap
    parts += [text(left - 6, scale(y) + 4.5, unit(y), "pale", "end") for y in ticks]
    parts.append(text((left + right) / 2, down + 35, xlabel, "pale", "middle"))
    ends = {}
    for line in series:
        drawn, curve = [], "curve" + " dashed" * line.dashed
        for at in places:
            here = [(at[x], *line.points[x]) for x in at if x in line.points]
            drawn.append(stroke(curve, *((x, scale(y)) for x, y, *_ in here)))
            for x, y, a, b, tip in here:
                drawn.append(stroke("fine", (x, scale(a)), (x, scale(b))) if a != b else "")
                drawn.append(mark(x, scale(y), line.of, f"{line.label}: {tip}"))
                last = line.of, x, y
        ends.setdefault(line.name, last)
        parts.append(group(line.of, drawn))
    parts += named([(of, name, x, y) for name, (of, x, y) in ends.items()], right, scale)
    return Picture(name, title, see, parts, down + 44, **of)


def bar_chart(name, ladders, compact=False):
    """Ladders under one another. The words of a bar stand over it, or beside it where that is
    compact."""
    drawn, y = [], 4
    begin, width, below, each = (200, 212, 2, 22) if compact else (2, WIDE - 4, 19, 37)
    for ladder in ladders:
        full = f"{ladder.title}; 100 % is {ladder.full}"
        drawn += [text(2, y + 14, ladder.device, "title"), text(2, y + 34, full, "pale")]
        y += 44
        most = max(1, *(bar.share for bar in ladder.bars), *ladder.line[:1])
        across = begin + width * ladder.line[0] / most if ladder.line else 0
        for bar in ladder.bars:
            of = ("own" if bar.strong else "other") if compact else colour(bar.label)
            ink, x = "ink" + " strong" * bar.strong, 26 if bar.label.isdecimal() else 2
            place = f'x="{begin}" y="{y + below}" width="{max(3, width * bar.share / most):.1f}"'
            who = f"{bar.row.step} {bar.row.variant} {bar.row.setting()}"
            of_it = [f'<rect {place} height="14" class="mark"><title>{escape(who)}</title></rect>']
            of_it += [text(2, y + 14, bar.label, "strong")] if x == 26 else []
            words = marked(percent(bar.share), bar.row) if compact else bar.words()
            of_it += [text(x, y + 14, bar.idea, ink), text(WIDE - 2, y + 14, words, ink, "end")]
            drawn.append(group(of, of_it))
            if ladder.line:
                drawn.append(stroke("bound", (across, y + below), (across, y + below + 14)))
            y += each
        if ladder.line:
            words = f"{ladder.line[1]} ┆"
            drawn.append(text(min(across + 7, WIDE - 2), y + 12, words, "pale", "end"))
            y += LINE
        drawn += [text(2, y + 14, ladder.note, "pale")] if ladder.note else []
        y += LINE * bool(ladder.note) + 14
    return Picture(name, "The ladder", "A bar a step: longer is faster.", drawn, y - 4)


def roofline(name, title, see, slanted, flat, marks, **of):
    """Marks [(label, x, y, y predicted or None, what is told of it)] under roofs: slanted {name: y
    for each x}, up to the highest of the flat ones, {name: y}."""
    peak, steepest = max(flat.values()), max(slanted.values())
    xs = [x for _, x, *_ in marks] + [peak / rate for rate in slanted.values()]
    ys = [y for point in marks for y in point[2:4] if y] + list(flat.values())
    names = [point[0] for point in marks] + list(flat)
    left, right, top = 62, WIDE - 18 - max(map(wide, names)), 36 + LINE * ((len(slanted) + 1) // 2)
    down = top + max(TALL, LINE * len(names))
    across, up = Scale(min(xs) / 2.5, max(xs) * 2.5, left, right), Scale(
        min(ys) / 2, 1.3 * max(ys), down, top
    )
    parts = [text(2, 16, title, "title")]
    for y in up.ticks():
        parts.append(stroke("rule", (left, up(y)), (right, up(y))))
        parts.append(text(left - 6, up(y) + 4.5, f"{y:g}", "pale", "end"))
    for x in (4.0**i for i in range(-5, 9) if across.low <= 4.0**i <= across.high):
        words = f"{x:g}" if x >= 1 else f"1/{1 / x:g}"
        parts.append(text(across(x), down + 17, words, "pale", "middle"))
    parts.append(stroke("axis fine", (left, top), (left, down), (right, down)))
    words = "operations for each byte moved"
    parts.append(text((left + right) / 2, down + 35, words, "pale", "middle"))
    parts.append(text(2, 36, "GFLOP/s", "pale"))
    for i, (words, rate) in enumerate(slanted.items()):
        x, key, dashes = (
            max(across.low, up.low / rate),
            (left + 24 + i % 2 * 180, 36 + i // 2 * LINE),
            (0, 8, 4, 2),
        )
        roof = stroke("axis fine", (across(x), up(x * rate)), (across(peak / rate), up(peak)))
        roof += stroke("axis fine", (key[0], key[1] - 4), (key[0] + 28, key[1] - 4))
        parts.append(f'<g stroke-dasharray="{dashes[i % 4]} 3">{roof}</g>' if i else roof)
        parts.append(text(key[0] + 34, key[1], words, "pale"))
    ends = [("other", words, right - 6, y) for words, y in flat.items()]
    for y in flat.values():
        parts.append(
            stroke("bound", (across(max(across.low, y / steepest)), up(y)), (right, up(y)))
        )
    for label, x, y, foretold, tip in marks:
        at, drawn = across(x), [mark(across(x), up(y), colour(label), tip)]
        if foretold:
            drawn.append(stroke("fine", (at, up(y)), (at, up(foretold))))
            drawn.append(stroke("curve", (at - 5, up(foretold)), (at + 5, up(foretold))))
        parts.append(group(colour(label), drawn))
        ends.append((colour(label), label, at, y))
    parts += named(ends, right, up)
    return Picture(name, title, see, parts, down + 44, **of)

"""A chart: what is in it, and how gnuplot is called on it; plots/*.gp say how it looks."""

import math, os, re, shutil, subprocess, sys, textwrap
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html import escape
from pathlib import Path

from measured import Refusal

PLOTS = Path(__file__).resolve().parents[2] / "plots"
GNUPLOT = shutil.which("gnuplot")
WIDE, TALL, NAME = 480, 250, 19  # pixels: of a picture, of the plot itself, of a line's name
NEAR = 1.1  # a factor
# A step has one colour in all charts.
COLOURS = """666666 a43a41 865900 2f751d 027176 345fb2 854494 9c4701 686800 00755a 016d91 6451ac
9b3b6e 2f751c""".split()
OWN = "c04a00"
SHAPES = (7, 5, 9, 13, 11, 15)  # of gnuplot's points: who cannot tell the colours has these


@dataclass
class Chart:
    name: str
    script: str
    title: str
    caption: str  # one sentence: what to see
    lines: dict  # a block of the data for each name; an empty row ends a stroke
    settings: dict  # more of gnuplot's variables; a list is an array
    beside: dict = ()  # further blocks, with what the lines are compared with, or texts
    svg: str = ""  # its picture, in the page

    def data(self):
        """The data file: a block for each line, its name first."""
        blocks = []
        for name, rows in {**self.lines, **dict(self.beside)}.items():
            blocks.append("\n".join([written(name), *(" ".join(map(written, of)) for of in rows)]))
        return f"# {self.title}\n" + "\n\n\n".join(blocks) + "\n"

    def variables(self):
        title = textwrap.fill(self.title.replace("n = ", "n\u00a0=\u00a0"), 46)
        of = {"title": title, "count": len(self.lines), "beside": len(self.beside)}
        return of | {"longest": max(map(len, [*self.lines, *self.beside]))} | self.settings


def written(value):
    """A value as gnuplot reads it: in text, nothing that means something between double quotes."""
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, str):
        return '"' + re.sub(r"[\"`\\]", "", value).replace("\n", "\\n") + '"'
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def draw(chart, folder):
    """Writes a chart's data, and its picture, which is its svg, too: the words of a mark as a
    browser shows them."""
    data, out = (Path(folder, f"{chart.name}.{kind}") for kind in ("dat", "svg"))
    data.write_text(chart.data(), encoding="utf-8")
    given = {"dir": str(PLOTS), "data": str(data), "out": str(out)} | chart.variables()
    named = lambda of, at: f"array {of}[{len(at)}]" if isinstance(at, list) else of
    given = [f"{named(of, at)} = {written(at)}" for of, at in given.items() if at != []]
    script = str(PLOTS / f"{chart.script}.gp")
    command = ["gnuplot", "--default-settings", "-e", "; ".join(given).encode(), script]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise Refusal(f"gnuplot on {chart.script}.gp: {' '.join(done.stderr.split())}")
    svg = out.read_text(encoding="utf-8")
    if not svg.rstrip().endswith("</svg>"):  # gnuplot does not notice a full disk
        raise Refusal(f"cannot write {out}: the picture is not whole; is the disk full?")
    words = r"<g onmousemove=\"\w+\.\w+\(evt,'([^\"]*)'\)\" onmouseout=\"[^\"]*\"><title> "
    svg = re.sub(words, r"<g><title>\1", svg)
    out.write_text(svg, encoding="utf-8")
    chart.svg = in_page(chart, svg)
    return out


def render(charts, folder):
    """Draws each, as many at once as there are cores."""
    if not GNUPLOT:
        return print("report.py: no charts: there is no gnuplot here", file=sys.stderr)
    Path(folder).mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda chart: draw(chart, folder), charts))


def in_page(chart, svg):
    """A drawn chart as a part of the page: its ids are its own, its letters the page's."""
    size, svg = re.search(r'viewBox="[^"]*"', svg)[0], svg[svg.index("<g id=") :]
    svg = re.sub(r'(?s)<filter.*?</filter>| id="gnuplot_\w+"|<title>gnuplot_\w+</title>', "", svg)
    svg = re.sub(r"(?<=['#])gp(?=Dot|Pt)", f"{chart.name}-", svg)
    svg = re.sub(r"<g [^>]*>\s*</g>\s*", "", re.sub(r' font-family="[^"]*"', "", svg))
    words = escape(f"{chart.title}. {chart.caption} Shown: {', '.join(chart.lines)}.")
    return f'<svg {size} role="img" aria-label="{words}">{svg}'


def style(label):
    """The colour and the kind of mark of the step that a label names first."""
    number = int(label[:2]) if label[:2].isdecimal() else 0
    colour = OWN if label.startswith("yours") else COLOURS[number % len(COLOURS)]
    return colour, SHAPES[number % len(SHAPES)]


@dataclass
class Series:
    label: str
    points: dict  # x: (y, the ends of its spread, what is told of it)
    name: str = ""  # what stands at its end, if that is not the label
    dashed: bool = False
    like: str = ""  # whose colour it has, if that is not the label's


def line_chart(name, title, see, series, xlabel, unit, log=False, bound=0, near=0, to_scale=False):
    """Lines against what stands evenly apart, or by its logarithm, each named at its end. What lies
    near one x has a panel of its own: a power of two is slow there for its own reason."""
    if not (series := [line for line in series if line.points]):
        return None
    reached = [y for line in series for at in line.points.values() for y in at[:3]]
    low, high = min(reached), max(reached + [bound])
    logarithm = 0 if not log or high < 3 * low else 2 if high < 40 * low else 10
    low, high = (low / 1.2, high * 1.2) if logarithm else (0, high * 1.06)
    every, lines = sorted({x for of in series for x in of.points}), {}
    close = [x for x in every if near / NEAR <= x <= NEAR * near]
    panels = [[x for x in every if x == near or x not in close]] + [close] * (len(close) > 1)
    starts = [0, len(panels[0]) + 0.4][: len(panels)]
    panels = [{x: at + i + 0.5 for i, x in enumerate(of)} for at, of in zip(starts, panels)]
    if to_scale and len(every) > 1:
        each = math.log(every[-1] / every[0]) / (len(every) - 1)
        panels = [{x: math.log(x / every[0]) / each + 0.5 for x in every}]
    for line in series:
        rows = lines[line.label] = []
        for at in panels:
            for x, (*ys, told) in sorted(line.points.items()):
                if x in at:
                    rows.append([at[x], *ys, f"{line.label}: {told}", int(told.endswith("~"))])
            rows.append([])  # ends the stroke
    ends = [[row for row in rows if row][-1] for rows in lines.values()]
    names, ys = [line.name or line.label for line in series], [float(end[1]) for end in ends]
    styles = [style(line.like or line.label) for line in series]
    settings = {"names": names, "last_x": [end[0] for end in ends], "last_y": ys}
    settings |= {"hues": [f"#{colour}" for colour, _ in styles], "shapes": [of for _, of in styles]}
    rows = [name.count("\n") + (name > " ") for name in names]
    order = sorted(range(len(ys)), key=ys.__getitem__)  # of the names, evenly apart
    below = lambda i: sum(rows[of] for of in order[: order.index(i)]) + rows[i] / 2
    settings |= {"places": [below(i) / sum(rows) for i in range(len(ys))], "wide": WIDE}
    settings |= {"tall": max(TALL, NAME * (sum(rows) + 1))}
    longest = max(len(row) for name in names for row in name.split("\n"))
    settings |= {"bottom": float(low), "top": float(high), "longest": longest}
    stops = [at + len(of) for at, of in zip(starts, panels)]
    each = (WIDE - 98 - 8.2 * longest) / stops[-1]
    room, axis = max(8.5 * len(str(x)) + 5 for x in every) / each, []
    for at in panels[::-1]:  # as many numbers as fit
        for x in [*at][::-1]:
            axis += [[at[x], str(x)]] * (not axis or axis[-1][0] - at[x] >= room)
    settings |= {"xlabel": xlabel, "unit": unit, "logy": logarithm, "bound": float(bound)}
    settings |= {"starts": [*map(float, starts)], "stops": [*map(float, stops)]}
    settings |= {"heading": f"near {min(close, key=int.bit_count)}" if close else ""}
    settings |= {"strokes": [1 + line.dashed for line in series], "above": 16 * (len(panels) > 1)}
    return Chart(name, "lines", title, see, lines, settings, {"axis": axis})

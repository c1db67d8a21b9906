"""A chart: what is in it, and how gnuplot is called on it; the scripts in plots/ say how it
looks."""

import math
import os
import re
import shutil
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from measured import Refusal

PLOTS = Path(__file__).resolve().parents[2] / "plots"
TALL = 250  # pixels of the plot itself; a line's name needs so many:
NAME = 19


class Kind(NamedTuple):
    title: str
    unit: str  # gnuplot's format of y
    base: int  # of its logarithm; 0 for a linear axis
    caption: str


@dataclass
class Chart:
    name: str
    script: str
    title: str
    caption: str  # one sentence: what to see
    lines: dict  # a line's name: its points, each x, y, the ends of y's spread, if disturbed
    settings: dict = field(default_factory=dict)  # more of gnuplot's variables; a list is an array
    step: str = ""  # whose it is: a program's, "threads", "gpu"; empty where steps are compared
    beside: dict = field(default_factory=dict)  # what the lines are compared with
    type: str = ""
    footer: str = ""  # what has to be said in the picture itself
    open: bool = False  # stands open in the page, below the ladder

    def variables(self, place):
        """Gnuplot's variables, without those that name files. The footer says where it was
        measured, too."""
        points = [point for line in self.lines.values() for point in line]
        hollow = any(point and point[-1] is True for point in points)
        said = [place, self.footer, "hollow: measured in a disturbed moment" * hollow]
        return {
            "title": textwrap.fill(self.title.replace("n = ", "n\u00a0=\u00a0"), 46),
            "footer": "\n".join(textwrap.fill(text, 64) for text in said if text),
            "hollow": int(hollow),
            "count": len(self.lines),
            "beside": len(self.beside),
            "longest": max(map(len, [*self.lines, *self.beside])),
        } | self.settings

    def alt(self):
        return f"Chart. {self.title}. Shown: {', '.join([*self.lines, *self.beside])}."

    def data(self):
        """The data file: a block for each line, its name first, after them what stands beside. No
        point ends a stroke."""
        blocks = []
        for name, points in (*self.lines.items(), *self.beside.items()):
            rows = (" ".join(map(written, point)) for point in points)
            blocks.append("\n".join([written(name), *rows]))
        return f"# {self.title}\n" + "\n\n\n".join(blocks) + "\n"


def written(value):
    """A value as gnuplot reads it: text between double quotes without what would mean something
    there."""
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, str):
        return '"' + re.sub(r"[\"`\\]", "", value).replace("\n", "\\n") + '"'
    return f"{value:.6g}"


def assigned(name, value):
    array = f"array {name}[{len(value)}]" if isinstance(value, list) else name
    return f"{array} = {written(value)}"


def draw_one(chart, place, folder):
    """Writes a chart's data, and its picture."""
    data, out = folder / f"{chart.name}.dat", folder / f"{chart.name}.svg"
    data.write_text(chart.data(), encoding="utf-8")
    given = {"dir": str(PLOTS), "data": str(data), "out": str(out)} | chart.variables(place)
    commands = "; ".join(assigned(*of) for of in given.items() if of[1] != [])
    script = str(PLOTS / f"{chart.script}.gp")
    command = ["gnuplot", "--default-settings", "-e", commands.encode(), script]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    except FileNotFoundError:
        raise Refusal("there is no gnuplot here; sh setup.sh installs it") from None
    if done.returncode:
        raise Refusal(f"gnuplot on {chart.script}.gp: {' '.join(done.stderr.split())}")
    if not out.read_bytes().rstrip().endswith(b"</svg>"):  # gnuplot does not notice a full disk
        raise Refusal(f"cannot write {out}: the picture is not whole; is the disk full?")


def drawn():
    return shutil.which("gnuplot") is not None


def render(charts, out):
    """Draws each (chart, place), as many at once as there are cores."""
    if not drawn():
        return print("report.py: no charts: there is no gnuplot here", file=sys.stderr)
    folder = Path(out) / "charts"
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(lambda job: draw_one(*job, folder), charts):
            pass
    print(f"{len(charts)} charts in {folder}")


def apart(places, gap, low=0.0, high=1.0):
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


def line_chart(name, kind, where, lines, xlabel, beside=None, fits=None, marks=(), **more):
    """A chart of {line: points} against a logarithmic x, with each line's name at its end; None
    without a point. `fits` are curves without a name, of some lines; `marks` upright strokes."""
    lines = {label: points for label, points in lines.items() if points}
    beside = {label: points for label, points in (beside or {}).items() if points}
    if not lines:
        return None
    fits, drawn = fits or {}, [*lines.values(), *beside.values()]
    base = int(kind.base)
    y = [at for points in lines.values() for point in points for at in point[1:4] if at == at]
    y += [point[1] for points in beside.values() for point in points]
    x = [point[0] for points in drawn for point in points]
    bottom, top = (min(y) / 1.25, max(y) * 1.25) if base else (0, max(y) * 1.06)
    names, tall = [*lines, *beside], max(TALL, NAME * (len(drawn) + 1))

    def height(y):
        return math.log(y / bottom) / math.log(top / bottom) if base else y / top

    ends = [points[-1] for points in drawn]
    places = apart([height(point[1]) for point in ends], NAME / tall, 0.02, 0.98)
    settings = {"xlabel": xlabel, "unit": kind.unit, "logy": base, "tall": tall}
    settings |= {"bottom": bottom, "top": top, "places": places, "marks": list(marks)}
    settings |= {"left": min(x) / 1.04, "right": max(x) * (1.04 if max(x) > min(x) else 2)}
    settings |= {"names": names, "longest": max(map(len, names))}
    settings |= {"last_x": [point[0] for point in ends], "last_y": [point[1] for point in ends]}
    settings["dotted"] = " ".join(str(1 + names.index(label)) for label in fits)
    beside |= {f"{label}, fitted": points for label, points in fits.items()}
    title = kind.title + where
    return Chart(name, "lines", title, kind.caption, lines, settings, beside=beside, **more)

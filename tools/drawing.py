"""A chart as data, what its points and axes are made of, and how gnuplot is called on it."""
import json, math, os, re, subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from measured import Refusal, Row, digits, seconds
from scaling import SERIAL_IS, program

PLOTS = Path(__file__).resolve().parent.parent / "plots"


@dataclass
class Chart:
    name: str
    script: str
    title: str
    caption: str
    lines: dict     # a line's name: its points, each x, y, the ends of y's spread, and of a bar top and label
    settings: dict  # gnuplot's variables besides those of every chart; a list becomes an array
    step: str = ""  # whose chart it is: a program's, "threads", "gpu", or where steps are compared empty
    beside: dict = field(default_factory=dict)  # what the lines are compared with, drawn thin
    columns: str = "x, y, low, high"
    type: str = ""

    def alt(self):
        kind = {"roofline": "Roofline"} | dict.fromkeys(("levels", "orders", "blocks", "phases"), "Bar") | {"ranks_heat": "Heat"}
        return f"{kind.get(self.script, 'Line')} chart. {self.title}. Shown: {', '.join([*self.lines, *self.beside])}."


SPREAD = (" The thin bars reach from the best run to the mean plus one standard deviation; what has none "
          "ran once.")
with open(PLOTS / "texts.json", encoding="utf-8") as file:
    TEXTS = json.load(file)  # by script: the title, what is shown


def point(x, row, measure):
    """A chart's point: x, and what `measure` makes of the row's median time and of the ends of its spread."""
    ends = sorted(measure(row, end) for end in row.spread() or ()) or [math.nan, math.nan]
    return [x, measure(row, row.median), *ends]


def axis(values):
    """A logarithmic x axis labelled at these values, save where a label would run into the one before."""
    low, high, ticks, last = min(values), max(values), [], None
    for value in sorted(set(values)):
        room = last is None or math.log(value / last) > 0.095 * math.log(high / low)
        ticks.append(f'"{value if room else ""}" {value}')
        last = value if room else last
    margin = max(1.12, (high / low) ** 0.05)
    return {"ticks": ",".join(ticks), "left": low / margin, "right": high * margin}


def line_chart(name, script, title, lines, measure, settings=None, beside={}, step="", text=""):
    """A chart of {line: [(x, row)]}, less the points that `measure` knows nothing of; None if none is left. Its text is
    the script's unless another is named."""
    caption = TEXTS[text or script][1] + SPREAD
    if script in ("threads_speedup", "threads_efficiency"):
        caption += f" {SERIAL_IS}"
    rows = [row for at in lines.values() for _, row in at]
    if script in ("time", "gflops") and any(row.tile for row in rows):
        caption += " What has a tile is shown with its best tile at each n."
    if script in ("time", "gflops") and any(row.gpu for row in rows):
        caption += f" {TEXTS['on_gpu'][1]}"
    lines = {label: [point(x, row, measure) for x, row in at if measure(row, row.median) is not None]
             for label, at in lines.items()}
    lines = {label: points for label, points in lines.items() if points}
    if not lines:
        return None
    if beside and script == "gflops":
        caption += " Grey: what libraries reach, each at its best setting."
    x, y, *_ = zip(*(at[:2] for points in (*lines.values(), *beside.values()) for at in points))
    settings = axis(x) | (settings or {})
    if script == "gflops" and not step and max(y) > 200 * min(y):
        settings["bottom"] = min(y) / 1.5
        if any(row.gpu for row in rows):
            settings |= free_places(settings, max(y), [*lines.values(), *beside.values()])
        caption += " The axis is logarithmic: the same factor is the same height."
    return Chart(name, script, title, caption, lines, settings, step, beside)


def free_places(settings, most, lines):
    """The top of a logarithmic axis, and for each level's text the place that the fewest lines run through: from the
    left end or up to the right one, above the level (1) or below (-1)."""
    left, right, levels = settings["left"], settings["right"], settings.get("level", [])
    top, wide = 2 * max([most, *levels]), (right / left) ** 0.6
    high = (top / settings["bottom"]) ** 0.06

    def crossings(level, side, start):
        low, above = sorted((level, level * high**side))
        return sum(low < height(line, start * wide ** (step / 20)) < above for line in lines for step in range(21))
    places = [min(((side, start) for side in (1, -1) for start in (left, right / wide)),
                  key=lambda place: crossings(level, *place)) for level in levels]
    return {"top": top, "level_side": [side for side, _ in places], "level_x": [start for _, start in places]}


def height(line, x):
    """How high a line runs at x where both axes are logarithmic; 0 beyond its ends."""
    for (x1, y1, *_), (x2, y2, *_) in zip(line, line[1:]):
        if x1 <= x <= x2:
            return y1 * (y2 / y1) ** (math.log(x / x1) / math.log(x2 / x1)) if x2 > x1 else y1
    return 0


def bar_chart(script, type, groups, title, step):
    """Bars of GFLOP/s from {group: {kind of bar: its row or None}}, each with its kind and value at its top."""
    every = list(dict.fromkeys(kind for bars in groups.values() for kind in bars))
    kinds = [kind for kind in every if any(bars.get(kind) for bars in groups.values())]
    if not kinds:
        return None
    width, lines = 0.86 / len(kinds), {kind: [] for kind in kinds}
    for middle, bars in enumerate(groups.values()):
        for place, kind in enumerate(kinds):
            if bars.get(kind):
                at = point(round(middle + (place - (len(kinds) - 1) / 2) * width, 4), bars[kind], Row.gflops)
                lines[kind].append([*at, at[1] if math.isnan(at[3]) else at[3], f"{kind} {digits(at[1])}"])
    ticks = ",".join(f'"{plain(group)}" {middle}' for middle, group in enumerate(groups))
    top = 1.4 * max((at[4] for points in lines.values() for at in points))
    looks = " ".join(str(every.index(kind) + 1) for kind in kinds)  # a kind looks alike, whichever are missing
    settings = {"ticks": ticks, "left": -0.5, "right": len(groups) - 0.5, "width": 0.9 * width, "top": top,
                "looks": looks}
    return Chart(f"{script}_{type}", script, title, TEXTS[script][1] + SPREAD, lines, settings, step,
                 columns="x, y, low, high, top, label")


def phase_bars(name, title, type, rows, phases, step):
    """A bar a row, its phases end to end, by {column's name: what it is called}; over it the same in numbers."""
    lines, texts, longest = {called: [] for called in phases.values()}, [], 0
    for place, row in enumerate(rows):
        end, parts = 0, []
        for phase, called in phases.items():
            if time := row.median if phase == "product" else row.phases[phase]:
                lines[called].append([place, end, end + time])
                end += time
                parts.append(f"{called} {seconds(time)}")
        texts.append([place, f"{program(row)}, {seconds(end)}: {' + '.join(parts)}"])
        longest = max(longest, end)
    return Chart(f"{name}_{type}", "phases", title, TEXTS[name][1], lines,
                 {"ticks": '"0" 0', "left": 0, "right": 1.02 * longest, "bars": len(rows),
                  "texts": max(len(text) for _, text in texts)}, step, {"": texts},
                 "place from above, start, end; then place, text")


def render(charts, out):
    """Writes each chart's data, with its place, and calls gnuplot on it, as many at once as there are cores."""
    folder, commands = Path(out) / "charts", []
    folder.mkdir(parents=True, exist_ok=True)
    for chart, place in charts:
        data = folder / f"{chart.name}.dat"
        data.write_text(data_of(chart), encoding="utf-8")
        for format in ("svg", "png"):
            variables = {"dir": str(PLOTS), "data": str(data), "out": str(folder / f"{chart.name}.{format}"),
                         "format": format, "title": chart.title, "machine": place,
                         "count": len(chart.lines), "beside": len(chart.beside),
                         "longest": max(map(len, [*chart.lines, *chart.beside]))} | chart.settings
            given = "; ".join(assignment(key, value) for key, value in variables.items())
            commands.append(["gnuplot", "-e", given, str(PLOTS / f"{chart.script}.gp")])

    def run(command):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise Refusal(f"gnuplot on {Path(command[-1]).name}: {' '.join(done.stderr.split())}")
    try:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(run, commands))
    except FileNotFoundError:
        raise Refusal("there is no gnuplot here; ./setup.sh installs it") from None
    print(f"{len(commands) // 2} charts in {folder}")


def data_of(chart):
    """A chart's data file: a block for each line, its name first, and after them what stands beside."""
    blocks = []
    for label, points in (*chart.lines.items(), *chart.beside.items()):
        rows = [" ".join(f'"{plain(cell)}"' if isinstance(cell, str) else f"{cell:.6g}" for cell in cells)
                for cells in points]
        blocks.append("\n".join([f'"{plain(label)}"', *rows]))
    return f"# {chart.title}\n# {chart.columns}\n" + "\n\n\n".join(blocks) + "\n"


def plain(text):
    """A name as it may stand between gnuplot's double quotes, where these characters would mean something."""
    return re.sub(r"[\"`\\]", "", text)


def assignment(name, value):
    """A variable set in gnuplot: a list makes an array; between single quotes only the quote itself is special."""
    def quoted(value):
        return "'" + value.replace("'", "''").replace("\n", " ") + "'" if isinstance(value, str) else str(value)
    if isinstance(value, list):
        return f"array {name}[{len(value)}] = [{', '.join(map(quoted, value))}]"
    return f"{name}={quoted(value)}"

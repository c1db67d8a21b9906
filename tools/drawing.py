"""A chart as data, what its points and axes are made of, and how gnuplot is called on it."""
import json, math, os, re, subprocess, textwrap
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
    columns: str = "x, y, low, high, disturbed"
    type: str = ""
    footer: str = ""  # what has to be said in the picture itself

    def hollow(self):
        """Whether a point, a bar or a mark is of a disturbed row: the last column says so."""
        return any(point[-1] is True for points in self.lines.values() for point in points)

    def below(self, place):
        """What stands under the picture, in lines of its width: where it was measured, and what has to be said."""
        said = [place, self.footer, "hollow: measured in a disturbed moment" * self.hollow()]
        return "¶".join(line for text in said if text for line in textwrap.wrap(text, 98))

    def variables(self, place):
        """Gnuplot's variables, without those that name files."""
        return {"title": "¶".join(textwrap.wrap(self.title, 66)), "footer": self.below(place), "count": len(self.lines),
                "beside": len(self.beside), "longest": max(map(len, [*self.lines, *self.beside])),
                "hollow": int(self.hollow())} | self.settings

    def alt(self):
        kind = dict.fromkeys(("roofline", "here"), "Roofline") | dict.fromkeys(("levels", "orders", "blocks", "phases"), "Bar") | {"ranks_heat": "Heat"}
        return f"{kind.get(self.script, 'Line')} chart. {self.title}. Shown: {', '.join([*self.lines, *self.beside])}."


SPREAD = (" The thin bars reach from the best run to the mean plus one standard deviation; what has none "
          "ran once.")
with open(PLOTS / "texts.json", encoding="utf-8") as file:
    TEXTS = json.load(file)  # by script: the title, what is shown


def disturbed(row):
    return getattr(row, "quiet", "") == "no"


def point(x, row, measure):
    """A chart's point: x, what `measure` makes of the row's median time and of the ends of its spread, and whether the
    row was disturbed."""
    ends = sorted(measure(row, end) for end in row.spread() or ()) or [math.nan, math.nan]
    return [x, measure(row, row.median), *ends, disturbed(row)]


def scale(values, always=False):
    """The ends of a logarithmic axis, and where it is labelled, if the slowest is not a hundredth of the fastest, or
    `always`; nothing for an axis that begins at zero."""
    low, high = min(values), max(values)
    return log_axis(low / 1.5, 1.4 * high) if always or high >= 100 * low else {}


def log_axis(bottom, top):
    """A logarithmic axis between these: powers of ten, and where there are few, twice and five times as much. The others
    have a line without a label."""
    labelled = "125" if top < 50 * bottom else "1"
    powers = range(math.floor(math.log10(bottom)), math.ceil(math.log10(top)))
    rates = [f"{digit}e{power}" for power in powers for digit in "123456789"]
    return {"bottom": bottom, "top": top, "rates": ",".join(rate if rate[0] in labelled else f'"" {rate} 1'
                                                            for rate in rates if bottom <= float(rate) <= top)}


def axis(values):
    """A logarithmic x axis labelled at these values, save where a label would run into the one before."""
    low, high, ticks, last = min(values), max(values), [], 0
    for value in sorted(set(values)):
        room = value > last * (high / low) ** 0.11
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
    x, y, *_ = zip(*(at for points in (*lines.values(), *beside.values()) for at in points))
    settings = axis(x) | (settings or {})
    if script in ("gflops", "tiles"):
        levels = settings.get("level", [])
        settings |= scale([*y, *levels]) or ({"top": 1.06 * max(*y, *levels)} if levels else {})
        caption += " The axis is logarithmic: the same factor is the same height." * ("rates" in settings)
    if script in ("time", "speedup", "threads_time"):
        settings |= scale(y, always=True)
    return Chart(name, script, title, caption, lines, settings, step, beside)


def bar_chart(script, type, groups, title, step):
    """Bars of GFLOP/s from {group: {kind of bar: its row or None}}, each with its value."""
    every = list(dict.fromkeys(kind for bars in groups.values() for kind in bars))
    kinds = [kind for kind in every if any(bars.get(kind) for bars in groups.values())]
    if not kinds:
        return None
    width, lines = 0.86 / len(kinds), {kind: [] for kind in kinds}
    for middle, bars in enumerate(groups.values()):
        for place, kind in enumerate(kinds):
            if bars.get(kind):
                at = point(middle + (place - (len(kinds) - 1) / 2) * width, bars[kind], Row.gflops)
                lines[kind].append([*at[:4], at[1] if math.isnan(at[3]) else at[3], digits(at[1]), at[4]])
    ticks = ",".join(f'"{plain(group)}" {middle}' for middle, group in enumerate(groups))
    rates = scale([at[1] for points in lines.values() for at in points])
    top = (4 if rates else 1.25) * max(at[4] for points in lines.values() for at in points)  # room for the labels
    looks = " ".join(str(every.index(kind) + 1) for kind in kinds)  # a kind looks alike, whichever are missing
    settings = {"ticks": ticks, "left": -0.5, "right": len(groups) - 0.5, "width": 0.9 * width, "looks": looks} | (
        log_axis(rates["bottom"], top) if rates else {"top": top})
    return Chart(f"{script}_{type}", script, title, TEXTS[script][1] + SPREAD, lines, settings, step,
                 columns="x, y, low, high, top, label, disturbed")


def phase_bars(name, title, type, rows, phases, step):
    """A bar a row, its phases end to end, by {column's name: what it is called}; over it the same in numbers."""
    lines, texts = {called: [] for called in phases.values()}, []
    for place, row in enumerate(rows):
        end, parts = 0, []
        for phase, called in phases.items():
            if time := row.median if phase == "product" else row.phases[phase]:
                lines[called].append([place, end, end + time])
                end += time
                parts.append(f"{called} {seconds(time)}")
        texts.append([place, f"{program(row)}, {seconds(end)}{'~' * disturbed(row)}: {' + '.join(parts)}"])
    longest = max(end for bars in lines.values() for _, _, end in bars)
    return Chart(f"{name}_{type}", "phases", title, TEXTS[name][1], lines,
                 {"ticks": '"0" 0', "left": 0, "right": 1.02 * longest, "bars": len(rows),
                  "texts": max(len(text) for _, text in texts)}, step, {"": texts},
                 "place from above, start, end; then place, text")


LAST_BYTES = {".svg": b"</svg>", ".png": b"IEND\xaeB`\x82"}


def render(charts, out):
    """Writes each chart's data, with its place, and calls gnuplot on it, as many at once as there are cores."""
    folder = Path(out) / "charts"
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: picture(*job), [
            (chart, place, folder / f"{chart.name}.dat", folder / f"{chart.name}.{format}")
            for chart, place in charts for format in ("svg", "png") if data_file(chart, folder)]))
    print(f"{len(charts)} charts in {folder}")


def data_file(chart, folder):
    return (folder / f"{chart.name}.dat").write_text(data_of(chart), encoding="utf-8")


def picture(chart, place, data, out):
    """Calls gnuplot on a chart whose data is written."""
    files = {"dir": str(PLOTS), "data": str(data), "out": str(out), "format": out.suffix.lstrip(".")}
    given = "; ".join(assignment(key, value) for key, value in (files | chart.variables(place)).items())
    try:
        done = subprocess.run(["gnuplot", "-e", given, str(PLOTS / f"{chart.script}.gp")], capture_output=True, text=True,
                              errors="replace")
    except FileNotFoundError:
        raise Refusal("there is no gnuplot here; ./setup.sh installs it") from None
    if done.returncode:
        raise Refusal(f"gnuplot on {chart.script}.gp: {' '.join(done.stderr.split())}")
    if not out.read_bytes().rstrip().endswith(LAST_BYTES[out.suffix]):  # gnuplot does not notice a full disk
        raise Refusal(f"cannot write {out}: the picture is not whole; is the disk full?")


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

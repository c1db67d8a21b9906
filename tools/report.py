#!/usr/bin/env python3
"""Turns results.csv into the ladder, the charts and the page.

    report.py ladder RESULTS.csv [--machine machine.csv] [--all-sizes]
    report.py draw   RESULTS.csv [--machine machine.csv] --out DIR
    report.py page   RESULTS.csv [--machine machine.csv] --out DIR [--log FILE] [--failed FILE]

`ladder` prints the fastest variant of every program, over the baseline: ijk of 01_naive. `draw` writes
DIR/charts/NAME.dat, .svg and .png with the scripts in plots/; `page` writes DIR/index.html around them.

Rows alike in all of KEY are one measurement taken again: the last counts. A row whose result is wrong is
named, never ranked or drawn. Exit status: 0 well; 2 nothing can be shown, with one line that says why."""
import argparse, html, math, os, re, signal, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

COLUMNS = ("step,variant,type,m,n,k,fill,seed,threads,ranks,grid,block,tile,device,"
           "repeat,best_s,median_s,mean_s,stddev_s,alloc_s,copy_in_s,copy_out_s,distribute_s,"
           "collect_s,imbalance,words_received,gflops,predicted_s,verify,error_share,"
           "relative_error,differences,verdict,counters,flags,compiler,host,commit,started").split(",")
MACHINE_COLUMNS = "name,type,vector,threads,level,value,unit,note".split(",")
KEY = "step variant type m n k fill seed threads ranks grid block tile device flags host".split()
BASELINE, LEVELS = ("01_naive", "ijk"), [f"01_naive-{level}" for level in ("O0", "O1", "O2", "O3", "Ofast")]
ORDERS = "ijk ikj jik jki kij kji".split()
ORDER_STEPS = {"02_loop_order": "", "02_loop_order-native": " native"}
PLOTS = Path(__file__).resolve().parent.parent / "plots"


class Refusal(Exception):
    """Why nothing can be shown, as one line."""


# ---- what was measured ----

def number(text):
    """The number in a cell; None where it is empty, garbled, negative or not finite."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


class Row:
    """One measurement. `cells` holds every column as text; here a count that is missing is 0, a time None."""

    def __init__(self, cells):
        self.cells = cells
        for name in ("step", "variant", "type", "host"):
            setattr(self, name, cells[name])
        for name in ("m", "n", "k", "threads", "ranks", "repeat"):
            setattr(self, name, int(number(cells[name]) or 0))
        self.median, self.least, self.mean, self.deviation = (
            number(cells[name]) for name in ("median_s", "best_s", "mean_s", "stddev_s"))
        self.sound = cells["verdict"] in ("right", "unverified")
        self.square = self.m == self.n == self.k > 0
        self.shape = f"{self.m}×{self.n}×{self.k}"

    def gflops(self, seconds=None):
        return 2e-9 * self.m * self.n * self.k / (seconds or self.median)

    def spread(self):
        """The ends of the spread: the best run, and the mean plus one deviation. None for a single run."""
        if self.repeat < 2 or not self.least or self.mean is None or self.deviation is None:
            return None
        return min(self.least, self.median), max(self.mean + self.deviation, self.median)

    def label(self):
        """The variant, and what it was set to."""
        settings = [f"{getattr(self, name)} {name}" for name in ("threads", "ranks") if getattr(self, name) > 1]
        settings += [f"{name} {self.cells[name]}" for name in ("grid", "block", "tile") if self.cells[name]]
        return self.variant + (f" ({', '.join(settings)})" if settings else "")


def best(rows, **wanted):
    """The fastest of the rows that have these attributes, or None."""
    return min((row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())),
               key=lambda row: row.median, default=None)


def along(rows, name):
    """The fastest row at each value of an attribute, as (value, row), ascending."""
    return [(value, best(rows, **{name: value})) for value in sorted({getattr(row, name) for row in rows})]


class Results:
    """The rows of one machine, and what the ladder and the charts ask of them."""

    def __init__(self, host, rows, peaks):
        self.host, self.rows, self.peaks = host, rows, peaks
        timed = [row for row in rows if row.sound and row.median and row.gflops()]
        self.baselines = {(row.type, row.shape): row for row in timed if (row.step, row.variant) == BASELINE}
        self.squares = [row for row in timed if row.square]
        self.types = sorted({row.type for row in self.squares})
        self.rungs = sorted({row.step for row in self.squares if row.step not in LEVELS})
        self.wrong = [row for row in rows if not row.sound]

    def speedup(self, row, seconds=None):
        base = self.baselines.get((row.type, row.shape))
        return base and base.median / (seconds or row.median)

    def peak(self, type, threads):
        """The processor's peak in GFLOP/s with so many threads, else the highest known; or None."""
        known = self.peaks.get(type, [])
        return max([rate for of, rate in known if of == threads] or [rate for _, rate in known], default=None)

    def share(self, row):
        """The per cent of the peak that a row reached, if it ran on the baseline's device, whose peak it is."""
        base, peak = self.baselines.get((row.type, row.shape)), self.peak(row.type, row.threads)
        same = base and base.cells["device"] == row.cells["device"]
        return 100 * row.gflops() / peak if peak and same else None

    def sizes(self, type):
        """The ladder's sizes, ascending: those of the baseline, or all where it was not measured."""
        with_base = {row.n for row in self.baselines.values() if row.type == type and row.square}
        return sorted(with_base or {row.n for row in self.squares if row.type == type})

    def ladder(self, type, n):
        """The baseline, then the fastest row of every other program."""
        rows = [best(self.squares, type=type, n=n, step=step) for step in self.rungs if step != BASELINE[0]]
        return [row for row in (self.baselines.get((type, f"{n}×{n}×{n}")), *rows) if row]

    def words(self, name):
        """The different words in a column, in order."""
        return list(dict.fromkeys(row.cells[name] for row in self.rows if row.cells[name]))

    def machine(self):
        """The machine in a few words."""
        day = max(self.words("started"), default="")[:10]
        parts = " + ".join(self.words("device")), " + ".join(self.words("compiler")), day
        return ", ".join(part for part in parts if part)[:130]


def lines_of(path, columns):
    """A CSV's lines as {column: cell}. The schema has no quoting; a line torn by a crash is passed over."""
    try:
        header, *lines = (line.rstrip("\r").split(",") for line in
                          Path(path).read_text(encoding="utf-8", errors="replace").split("\n"))
    except OSError as error:
        raise Refusal(f"cannot read {path}: {error.strerror}") from None
    if header != columns:
        raise Refusal(f"{path} has other columns than {columns[0]},{columns[1]},…,{columns[-1]}")
    return [dict(zip(columns, cells)) for cells in lines if len(cells) == len(columns)]


def load(path, machine_path):
    """The results of each machine: times of different machines are never compared."""
    newest, peaks = {}, {}
    for cells in lines_of(path, COLUMNS):
        key = tuple(cells[name] for name in KEY)
        newest.pop(key, None)  # the one read last shall also stand last
        newest[key] = Row(cells)
    for cells in lines_of(machine_path, MACHINE_COLUMNS) if machine_path else []:
        if cells["name"] == "peak" and number(cells["value"]):
            rate = number(cells["value"]) * (1000 if cells["unit"].startswith("T") else 1)
            peaks.setdefault(cells["type"], []).append((number(cells["threads"]), rate))
    hosts = dict.fromkeys(row.host for row in newest.values())
    machines = [Results(host, [row for row in newest.values() if row.host == host], peaks) for host in hosts]
    if not any(results.squares for results in machines):
        wrong = sum(len(results.wrong) for results in machines)
        raise Refusal(f"{path} has no square product to show: {len(newest)} rows, {wrong} of them not right")
    return machines


# ---- how numbers are written ----

def digits(value):
    """Three significant digits, never fewer than the whole part has: 0.370, 10.0, 1234."""
    return f"{value:.{max(0, 2 - math.floor(math.log10(float(f'{value:.2e}'))))}f}" if value else "0"


def seconds(value):
    if value is None:
        return "–"
    for scale, unit in (1, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns"):
        if value * scale >= 1:
            break
    return f"{digits(value * scale)} {unit}"


# ---- what each chart shows; the scripts in plots/ say how ----

@dataclass
class Chart:
    name: str
    script: str
    title: str
    caption: str
    lines: dict     # a line's name: its points, each x, y, the ends of y's spread, and of a bar top and label
    settings: dict  # gnuplot's variables besides those of every chart
    step: str = ""  # whose chart it is; empty where steps are compared

    def alt(self):
        kind = "Bar" if "width" in self.settings else "Line"
        return f"{kind} chart. {self.title}. Shown: {', '.join(self.lines)}."


SPREAD = (" The thin bars reach from the best run to the mean plus one standard deviation; what has none "
          "ran once.")
TEXTS = {  # by script: the title, what is shown
    "time": ("time against n",
        "Median time of one product: lower is better. Both axes are logarithmic, so a straight line is a "
        "power of n; the work itself grows as n³."),
    "gflops": ("GFLOP/s against n",
        "Billions of multiplications and additions a second: higher is better. A variant that growing "
        "matrices do not slow down is a level line."),
    "speedup": ("speedup over 01_naive ijk",
        "How many times as fast as the baseline of the same type and size: higher is better. The axis is "
        "logarithmic: the same factor is the same height."),
    "levels": ("01_naive at each optimisation level",
        "The same three loops, as the compiler makes them at each level: higher is better."),
    "orders": ("the six loop orders",
        "The same multiplications and additions in six orders: higher is better. native (hatched) is "
        "compiled for this very processor."),
    "threads_time": ("time against threads",
        "Median time of one product: lower is better. Both axes are logarithmic."),
    "threads_speedup": ("speedup against threads",
        "How many times as fast as the same variant on one thread: higher is better. The dashed line is "
        "the ideal: p threads, p times as fast."),
    "threads_efficiency": ("efficiency against threads",
        "Speedup over one thread, divided by the threads: the share of them that does useful work. 100 % "
        "is ideal."),
}


def point(x, row, measure):
    """A chart's point: x, and what `measure` makes of the row's median time and of the ends of its spread."""
    ends = sorted(measure(row, end) for end in row.spread() or ()) or [math.nan, math.nan]
    return [x, measure(row, row.median), *ends]


def axis(values):
    """A logarithmic x axis labelled at these values, save where a label would run into the one before."""
    low, high, ticks, last = min(values), max(values), [], None
    for value in sorted(set(values)):
        room = last is None or math.log(value / last) > 0.07 * math.log(high / low)
        ticks.append(f'"{value if room else ""}" {value}')
        last = value if room else last
    margin = max(1.12, (high / low) ** 0.05)
    return {"ticks": ",".join(ticks), "left": low / margin, "right": high * margin}


def line_chart(name, script, title, lines, measure, settings=None, step=""):
    """A chart of {line: [(x, row)]}, less the points that `measure` knows nothing of; None if none is left."""
    lines = {label: [point(x, row, measure) for x, row in at if measure(row, row.median) is not None]
             for label, at in lines.items()}
    lines = {label: points for label, points in lines.items() if points}
    if not lines:
        return None
    settings = axis([at[0] for points in lines.values() for at in points]) | (settings or {})
    return Chart(name, script, title, TEXTS[script][1] + SPREAD, lines, settings, step)


def size_charts(results, type, lines, step=""):
    """Time, GFLOP/s and, where steps are compared, speedup against n."""
    measures = {"time": lambda row, s: s, "gflops": Row.gflops, "speedup": results.speedup}
    for script in ("time", "gflops") if step else measures:
        peak = None if step or script != "gflops" else results.peak(type, 1)
        roof = {"peak": peak, "peak_text": f"peak of one thread: {digits(peak)} GFLOP/s"} if peak else {}
        name, title = f"{script}_{type}", f"{step or 'The steps'}: {TEXTS[script][0]}, {type}"
        name += f"_{step}" if step else ""
        yield line_chart(name, script, title, lines, measures[script], roof, step)


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
    return Chart(f"{script}_{type}", script, title, TEXTS[script][1] + SPREAD, lines, settings, step)


def level_chart(results, type):
    """01's variants at every level, at the largest size that has them all (or most of them)."""
    rows = [row for row in results.squares if row.type == type and row.step in LEVELS]
    levels = sorted({row.step for row in rows})
    # The size with the most bars; of those the largest. Slow variants may be left out at large ones.
    n = max({row.n for row in rows}, key=lambda n: (len({(row.step, row.variant) for row in rows if row.n == n}), n),
            default=0)
    groups = {variant: {level.removeprefix(BASELINE[0]): best(rows, step=level, variant=variant, n=n)
                        for level in levels}
              for variant in dict.fromkeys(row.variant for row in rows if row.n == n)}
    return bar_chart("levels", type, groups, f"{TEXTS['levels'][0]}, {type}, n = {n}", BASELINE[0])


def order_chart(results, type):
    """The six orders, plain and native, at the four largest sizes: more would not be legible."""
    rows = [row for row in results.squares
            if row.type == type and row.step in ORDER_STEPS and row.variant in ORDERS]
    groups = {str(n): {order + ending: best(rows, step=step, variant=order, n=n)
                       for step, ending in ORDER_STEPS.items() for order in ORDERS}
              for n in sorted({row.n for row in rows})[-4:]}
    return bar_chart("orders", type, groups, f"02_loop_order: {TEXTS['orders'][0]}, {type}", "02_loop_order")


def thread_charts(results, type):
    """What ran on several numbers of threads, at the largest such size; the twelve fastest variants at most."""
    runs = {}  # (n, step, variant): its rows
    for row in results.squares:
        if row.type == type and row.ranks < 2 and row.threads:
            runs.setdefault((row.n, row.step, row.variant), []).append(row)
    runs = {key: along(rows, "threads") for key, rows in runs.items() if len({row.threads for row in rows}) > 1}
    if not runs:
        return
    n = max(runs)[0]
    fast = sorted((key for key in runs if key[0] == n),
                  key=lambda key: min(row.median for _, row in runs[key]))[:12]
    lines = {f"{step}: {variant}": runs[n, step, variant] for _, step, variant in sorted(fast)}
    alone = {(row.step, row.variant): row.median for key in fast for threads, row in runs[key] if threads == 1}

    def speedup(row, seconds):
        one = alone.get((row.step, row.variant))
        return one and one / seconds

    def efficiency(row, seconds):
        factor = speedup(row, seconds)
        return factor and 100 * factor / row.threads
    # The programs write the number of cores behind the processor's name.
    cores = max(map(int, re.findall(r"\((\d+) cores\)", " ".join(results.words("device")))), default=0)
    beyond = 0 < cores < max(row.threads for key in fast for _, row in runs[key])
    for script, measure in (("threads_time", lambda row, seconds: seconds), ("threads_speedup", speedup),
                            ("threads_efficiency", efficiency)):
        title = f"Threads: {TEXTS[script][0]}, {type}, n = {n}"
        yield line_chart(f"{script}_{type}", script, title, lines, measure, {"cores": cores} if beyond else {})


def plan(results):
    """Every chart that a machine's rows allow."""
    charts = []
    for type in results.types:
        steps, chosen = {}, {}
        for step in results.rungs:
            rows = [row for row in results.squares if (row.type, row.step) == (type, step)]
            if rows:
                steps[step] = {variant: along([row for row in rows if row.variant == variant], "n")
                               for variant in dict.fromkeys(row.variant for row in rows)}
                # A step is compared by the variant that is its best at its largest size, 01 by the baseline.
                name = BASELINE[1] if step == BASELINE[0] else best(rows, n=max(row.n for row in rows)).variant
                chosen[f"{step}: {name}"] = steps[step].get(name, [])
        charts += [*size_charts(results, type, chosen), *thread_charts(results, type),
                   level_chart(results, type), order_chart(results, type)]
        for step, lines in steps.items():
            charts += size_charts(results, type, lines, step)
    return [chart for chart in charts if chart]


def named(machines):
    """(results, chart, its files' name) of every chart; where there are several hosts, theirs is in it."""
    for results in machines:
        host = results.host + "_" if len(machines) > 1 else ""
        for chart in plan(results):
            yield results, chart, re.sub(r"[^\w.-]", "-", host + chart.name)


# ---- the three commands ----

def ladder_table(results, type, n):
    """The headings and the rungs of a ladder, as text."""
    headings, peak = ["step", "best variant", "time", "GFLOP/s", "speedup over 01 ijk"], results.peak(type, 1)
    rungs = []
    for row in results.ladder(type, n):
        factor, share = results.speedup(row), results.share(row)
        rungs.append([row.step, row.label(), seconds(row.median), digits(row.gflops()),
                      f"{digits(factor)}×" if factor else "–"])
        if peak:
            rungs[-1].append(f"{digits(share)} %" if share else "–")
    return headings + ["% of peak"] * bool(peak), rungs


def ladder(machines, all_sizes):
    """Prints the ladders, and after them what was wrong."""
    for results in machines:
        for type in results.types:
            for n in results.sizes(type)[0 if all_sizes else -1:]:
                headings, rungs = ladder_table(results, type, n)
                widths = [max(map(len, column)) for column in zip(headings, *rungs)]
                print(f"\n{type}, n = {n}, {results.machine()}")
                for cells in (headings, *rungs):
                    words = [cell.ljust(width) if place < 2 else cell.rjust(width)
                             for place, (cell, width) in enumerate(zip(cells, widths))]
                    print("  ".join(words).rstrip())
    for row in (row for results in machines for row in results.wrong):
        print(f"\nWRONG, left out: {wrong_line(row)}", end="")
    print()


def wrong_line(row):
    cells = row.cells
    return (f"{row.step} {row.label()} {row.type} {row.shape}, {cells['flags']}: verdict '{cells['verdict']}', "
            f"{cells['differences'] or '?'} elements differ, error / allowed = {cells['error_share'] or '?'}")


def draw(machines, out):
    """Writes every chart's data and calls gnuplot on it, as many at once as there are cores."""
    folder, commands = Path(out) / "charts", []
    folder.mkdir(parents=True, exist_ok=True)
    for results, chart, name in named(machines):
        data = folder / f"{name}.dat"
        data.write_text(data_of(chart), encoding="utf-8")
        for format in ("svg", "png"):
            variables = {"dir": str(PLOTS), "data": str(data), "out": str(folder / f"{name}.{format}"),
                         "format": format, "title": chart.title, "machine": results.machine(),
                         "count": len(chart.lines)} | chart.settings
            given = "; ".join(f"{key}={gnuplot_value(value)}" for key, value in variables.items())
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
    """A chart's data file: a block for each line, its name first."""
    blocks = []
    for label, points in chart.lines.items():
        rows = [" ".join(f'"{plain(cell)}"' if isinstance(cell, str) else f"{cell:.6g}" for cell in cells)
                for cells in points]
        blocks.append("\n".join([f'"{plain(label)}"', *rows]))
    return f"# {chart.title}\n# x, y, low, high; for bars also top, label\n" + "\n\n\n".join(blocks) + "\n"


def plain(text):
    """A name as it may stand between gnuplot's double quotes, where these characters would mean something."""
    return re.sub(r"[\"`\\]", "", text)


def gnuplot_value(value):
    """A number, or a string between single quotes: nothing is special there but the quote itself."""
    return "'" + value.replace("'", "''").replace("\n", " ") + "'" if isinstance(value, str) else str(value)


STYLE = """
:root { color-scheme: light dark; --text: #1b1b1b; --soft: #5a5a5a; --ground: #fdfdfb; --line: #d8d8d2;
        --bar: #bcd9ec; --bad: #a11; --bad-ground: #fdeaea }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e4; --soft: #a9a9a4; --ground: #17181a;
        --line: #3a3b3e; --bar: #1f4f6e; --bad: #ff9d9d; --bad-ground: #3b1a1a } }
body { font: 17px/1.55 system-ui, sans-serif; color: var(--text); background: var(--ground); margin: 0 auto;
       padding: 1rem; max-width: 62rem }
h1, h2, h3 { line-height: 1.2 } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line) }
a { color: inherit } .soft, figcaption, dt { color: var(--soft) } figcaption, table { font-size: .9rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem }
dd { margin: 0; overflow-wrap: anywhere }
.wide { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .55rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
th { white-space: normal; vertical-align: bottom }
th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left }
td.bar { background: linear-gradient(var(--bar) 0 0) no-repeat left / var(--share) 100%; min-width: 7rem }
figure { margin: 1.5rem 0; break-inside: avoid }
img { width: 100%; height: auto; border-radius: 6px; background: #fff }
.bad { color: var(--bad); background: var(--bad-ground); border-left: 5px solid; padding: .6rem 1rem }
tr.bad td { color: var(--bad); font-weight: bold } pre { overflow-x: auto; font-size: .8rem }
summary { cursor: pointer; margin: .6rem 0 } .lead { font-size: 1.2rem }
@media print { body { max-width: none; font-size: 11pt }
               details::details-content { content-visibility: visible } }
"""
INTRODUCTION = """\
<p>Every program here computes the same thing, <b>C += A·B</b>, and each tries to do it faster than the one
before. A product of two n × n matrices takes 2n³ floating-point (or integer) operations: n³ multiplications
and as many additions. <b>GFLOP/s</b> says how many billions of them a program does in a second: the higher,
the better. <b>Speedup</b> is the time of the plain three loops, <code>01_naive</code> <code>ijk</code>,
divided by the program's own, at the same type and size. A time is the median of several runs. Before a time
counts, the result is checked.</p>
"""


def table(headings, rows, classes={}):
    """A table of text. A cell may be (text, style); `classes` gives the rows of these numbers a class."""
    def line(cells, tag, number=None):
        pairs = [cell if isinstance(cell, tuple) else (cell, "") for cell in cells]
        row = f'<tr class="{classes[number]}">' if number in classes else "<tr>"
        return row + "".join(f"<{tag}{style}>{html.escape(text)}</{tag}>" for text, style in pairs) + "</tr>\n"
    body = "".join(line(cells, "td", number) for number, cells in enumerate(rows))
    head = line(headings, "th")
    return f'<div class="wide"><table>\n<thead>{head}</thead>\n<tbody>{body}</tbody></table></div>\n'


def details(summary, content):
    return f"<details><summary>{html.escape(summary)}</summary>{content}</details>\n"


def page_ladder(results, type, n):
    """The ladder; the bar behind the GFLOP/s is long as the fastest rung's share."""
    headings, rungs = ladder_table(results, type, n)
    rates = [row.gflops() for row in results.ladder(type, n)]
    for rung, rate in zip(rungs, rates):
        rung[3] = rung[3], f' class="bar" style="--share: {rate / max(rates):.1%}"'
    return f"<h3>{html.escape(type)}, n = {n}</h3>\n" + table(headings, rungs)


def page_rows(results, step):
    """Every row of a program, wrong ones marked."""
    rows = [row for row in results.rows if row.step == step]
    flags = " and ".join(dict.fromkeys(row.cells["flags"] for row in rows))
    cells = []
    for row in rows:
        rated = row.sound and row.median  # a wrong result is fast at nothing
        factor, share = rated and results.speedup(row), number(row.cells["error_share"])
        cells.append([row.label(), row.type, row.shape, seconds(row.median), seconds(row.least),
                      seconds(row.deviation), str(row.repeat), digits(row.gflops()) if rated else "–",
                      f"{digits(factor)}×" if factor else "–", row.cells["verdict"],
                      "–" if share is None else f"{share:.2g}"])
    headings = ["variant", "type", "m×n×k", "median", "best", "deviation", "runs", "GFLOP/s", "speedup",
                "result", "error / allowed"]
    wrong = {number: "bad" for number, row in enumerate(rows) if not row.sound}
    return details(f"Every row of {step} ({len(rows)}; compiled with {flags})", table(headings, cells, wrong))


def page_machine(results, charts):
    """All that is shown of one machine."""
    facts = {"device": results.words("device"), "host": [results.host], "compiler": results.words("compiler"),
             "measured": sorted({started[:10] for started in results.words("started")}),
             "commit": results.words("commit"), "rows": [str(len(results.rows))]}
    parts = [f"<dt>{name}</dt><dd>{html.escape(', '.join(words))}</dd>" for name, words in facts.items()]
    parts = ["<dl>", *parts, "</dl>\n<h2>The ladder</h2>\n"]
    for type in results.types:
        *others, largest = [page_ladder(results, type, n) for n in results.sizes(type)]
        parts.append(largest)
        if others:
            parts.append(details(f"{type} at the other sizes", "".join(others)))

    def figures(step):
        return "".join(
            f'<figure><a href="charts/{name}.svg"><img src="charts/{name}.svg" width="900" height="560" '
            f'loading="lazy" alt="{html.escape(chart.alt())}"></a>\n<figcaption>{html.escape(chart.caption)} '
            f'<a href="charts/{name}.dat">The numbers.</a></figcaption></figure>\n'
            for chart, name in charts if chart.step == step)
    parts.append("<h2>All steps</h2>\n" + figures(""))
    programs = sorted({row.step for row in results.rows})
    for step in dict.fromkeys(program.partition("-")[0] for program in programs):
        mine = [program for program in programs if program.partition("-")[0] == step]
        parts += [f"<h2>{html.escape(step)}</h2>\n", *map(figures, mine)]
        parts += [page_rows(results, program) for program in mine]
    return "".join(parts)


def tail(path, count):
    """The last lines of a file that need not be there."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()[-count:] if path else []
    except OSError:
        return []


def page(machines, out, csv, log, failed):
    """Writes index.html: one file, no script; the charts and the CSV stand beside it."""
    Path(out).mkdir(parents=True, exist_ok=True)
    charts, parts = list(named(machines)), ["<h1>Matrix multiplication, step by step</h1>\n"]
    for heading, lines in (("Steps that failed", tail(failed, 1000)),
                           ("Wrong results, left out of ladder and charts",
                            [wrong_line(row) for results in machines for row in results.wrong])):
        if lines:
            items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
            parts.append(f'<div class="bad" role="alert"><b>{heading}</b><ul>{items}</ul></div>\n')
    for results in machines:
        for type in results.types[:1]:
            n = results.sizes(type)[-1]
            top = min(results.ladder(type, n), key=lambda row: row.median)
            factor = results.speedup(top)
            times = f", {digits(factor)} times as fast as the three plain loops" if factor else ""
            parts.append(f'<p class="lead">The fastest {html.escape(type)} product of size {n} here: '
                         f"<b>{html.escape(top.step)}</b> <code>{html.escape(top.label())}</code>, "
                         f"{seconds(top.median)}{times}.</p>\n")
    parts.append(INTRODUCTION)
    for results in machines:
        parts.append(page_machine(results, [(chart, name) for of, chart, name in charts if of is results]))
    link = quote(os.path.relpath(csv, out))
    parts.append(f'<h2>The data</h2>\n<p>Every number above comes from <a href="{html.escape(link)}">'
                 f"{html.escape(Path(csv).name)}</a>, one line a measurement.</p>\n")
    if tail(log, 1):
        lines = html.escape("\n".join(tail(log, 300)))
        parts.append(details("The end of the log", f"<pre>{lines}</pre>"))
    head = ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
            'content="width=device-width, initial-scale=1"><title>Matrix multiplication, step by step</title>'
            f"<style>{STYLE}</style></head><body>\n")
    (Path(out) / "index.html").write_text(head + "".join(parts) + "</body></html>\n", encoding="utf-8")
    print(f"{Path(out) / 'index.html'}")


def main():
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `report.py ladder … | head` ends quietly
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("ladder", "draw", "page"):
        command = commands.add_parser(name)
        command.add_argument("csv", metavar="RESULTS.csv")
        command.add_argument("--machine", metavar="machine.csv", help="the peaks that 00_machine measured")
        if name == "ladder":
            command.add_argument("--all-sizes", action="store_true", help="every size, not only the largest")
        else:
            command.add_argument("--out", required=True, metavar="DIR")
        if name == "page":
            command.add_argument("--log", metavar="FILE", help="a log whose end the page shows")
            command.add_argument("--failed", metavar="FILE", help="the steps that failed, one a line")
    given = parser.parse_args()
    try:
        machines = load(given.csv, given.machine)
        if given.command == "ladder":
            ladder(machines, given.all_sizes)
        elif given.command == "draw":
            draw(machines, given.out)
        else:
            page(machines, given.out, given.csv, given.log, given.failed)
    except Refusal as refusal:
        sys.exit(print(f"report.py: {refusal}", file=sys.stderr) or 2)
    except OSError as error:
        sys.exit(print(f"report.py: cannot write {error.filename}: {error.strerror}", file=sys.stderr) or 2)


if __name__ == "__main__":
    main()

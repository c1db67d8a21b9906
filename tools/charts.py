"""What each chart shows, chosen from the rows, and how gnuplot is called on it; the scripts in plots/ say how it looks."""
import json, math, os, re, subprocess, textwrap
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from measured import BASELINE, LEVELS, LIMITS, NOT_LEVELS, Refusal, Row, digits, seconds, short
from scaling import ranked, scalings, false_sharing

PLOTS = Path(__file__).resolve().parent.parent / "plots"
TEXTS = json.loads((PLOTS / "texts.json").read_text(encoding="utf-8"))  # by script: the title, what is shown
SPREAD = " The thin bars reach from the best run to the mean plus one standard deviation; what has none ran once."
FAIR = f"{NOT_LEVELS} AND variant != 'touched_by_one'"  # that one is there to be slow
FIRST = f"(step, variant) = {BASELINE}"
rate = Row.gflops_in  # of a row and seconds, as a line's points are made
ORDERS = "ijk ikj jik jki kij kji".split()
GPU_PHASES = {"alloc_s": "allocation", "copy_in_s": "copy in", "median_s": "kernel", "copy_out_s": "copy out"}
RANK_PHASES = {"distribute_s": "distribution", "median_s": "product", "collect_s": "collection"}


@dataclass
class Chart:
    name: str
    script: str
    title: str
    caption: str
    lines: dict     # a line's name: its points, each x, y, the ends of y's spread, and whether it was disturbed
    settings: dict = field(default_factory=dict)  # gnuplot's variables besides those of every chart; a list is an array
    step: str = ""  # whose chart it is: a program's, "threads", "gpu", or where steps are compared empty
    beside: dict = field(default_factory=dict)  # what the lines are compared with
    columns: str = "x, y, low, high, disturbed"
    type: str = ""
    footer: str = ""  # what has to be said in the picture itself
    wide: bool = False  # drawn once more, as wide as the page: NAME_wide.svg

    def variables(self, place, letters=44):
        """Gnuplot's variables, without those that name files; lines of so many letters. The footer says where it was measured, too."""
        hollow = any(point and point[-1] is True for points in self.lines.values() for point in points)
        said = [place, self.footer, "hollow: measured in a disturbed moment" * hollow]
        title = self.title.replace("n = ", "n\u00a0=\u00a0")  # stays on one line
        return {"title": textwrap.fill(title, letters), "footer": "\n".join(textwrap.fill(text, letters * 5 // 4) for text in said if text), "hollow": int(hollow),
                "count": len(self.lines), "beside": len(self.beside), "longest": max(map(len, [*self.lines, *self.beside]))} | self.settings

    def alt(self):
        return f"Chart. {self.title}. Shown: {', '.join([*self.lines, *self.beside])}."

    def data(self):
        """The data file: a block for each line, its name first, and after them what stands beside. No point ends a stroke."""
        blocks = []
        for name, points in (*self.lines.items(), *self.beside.items()):
            rows = [" ".join(quoted(cell) if isinstance(cell, str) else f"{cell:.6g}" for cell in point) for point in points]
            blocks.append("\n".join([quoted(name), *rows]))
        return f"# {self.title}\n# {self.columns}\n" + "\n\n\n".join(blocks) + "\n"


def quoted(value):
    """A value as gnuplot reads it: between double quotes without the characters that would mean something there."""
    if isinstance(value, list):
        return f"[{', '.join(map(quoted, value))}]"
    return '"' + re.sub(r"[\"`\\]", "", value).replace("\n", "\\n") + '"' if isinstance(value, str) else str(value)


def draw_one(chart, place, folder, formats=("svg", "png")):
    """Writes a chart's data and calls gnuplot on it."""
    data = folder / f"{chart.name}.dat"
    data.write_text(chart.data(), encoding="utf-8")
    for format in (*formats, *["wide"] * chart.wide):
        out, script = folder / (f"{chart.name}_wide.svg" if format == "wide" else f"{chart.name}.{format}"), f"{chart.script}.gp"
        given = {"dir": str(PLOTS), "data": str(data), "out": str(out), "format": format} | chart.variables(place, 100 if format == "wide" else 44)
        commands = [f"array {name}[{len(value)}] = {quoted(value)}" if isinstance(value, list) else f"{name} = {quoted(value)}"
                    for name, value in given.items()]
        try:
            done = subprocess.run(["gnuplot", "-e", "; ".join(commands), str(PLOTS / script)], capture_output=True, text=True, errors="replace")
        except FileNotFoundError:
            raise Refusal("there is no gnuplot here; ./setup.sh installs it") from None
        if done.returncode:
            raise Refusal(f"gnuplot on {script}: {' '.join(done.stderr.split())}")
        if not out.read_bytes().rstrip().endswith((b"</svg>", b"IEND\xaeB`\x82")):  # gnuplot does not notice a full disk
            raise Refusal(f"cannot write {out}: the picture is not whole; is the disk full?")


def render(charts, out):
    """Draws each (chart, place), as many at once as there are cores."""
    folder = Path(out) / "charts"
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: draw_one(*job, folder), charts))
    print(f"{len(charts)} charts in {folder}")


def point(x, row, measure):
    """x, what `measure` makes of the row's median time and of the ends of its spread, and whether the row was disturbed."""
    ends = sorted(measure(row, end) for end in row.spread() or ()) or [math.nan, math.nan]
    return [x, measure(row, row.median_s), *ends, row.quiet == "no"]


def time(row, seconds):
    return seconds


def line_chart(script, type, who, lines, x, measure, n=0, suffix="", text="", settings=None, beside=None, step="", wide=False):
    """A chart of {line: its rows} against their column x, less the points that `measure` knows nothing of; None if none is
    left. Its text is the script's unless another is named."""
    title, caption = f"{who}: {TEXTS[script][0]}, {type}" + f", n = {n}" * bool(n), TEXTS[text or script][1] + SPREAD
    if script in ("time", "gflops") and any(row.gpu for line in lines.values() for row in line):
        caption += f" {TEXTS['on_gpu'][1]}"
    drawn = {label: [point(getattr(row, x), row, measure) for row in line if measure(row, row.median_s) is not None]
             for label, line in lines.items()}
    drawn = {label: points for label, points in drawn.items() if points}
    if not drawn:
        return None
    settings, y = settings or {}, [at[1] for points in (*drawn.values(), *(beside or {}).values()) for at in points]
    if script in ("gflops", "tiles") and max(y) >= 100 * min(y):  # what is a hundred times as slow would lie on the floor
        settings["log"] = 1
        caption += " The axis is logarithmic: the same factor is the same height."
    return Chart(f"{script}_{type}{suffix}", script, title, caption, drawn, settings, step, beside or {}, wide=wide)


def workers_of(row):
    """In words, where it is not one thread."""
    return f", {row.threads} threads" * (row.threads > 1) + f", {row.ranks} ranks" * (row.ranks > 1)


def on(threads):
    """So many threads in words; none have a GPU's rows."""
    return "one thread" if threads == 1 else f"{threads} threads" * bool(threads)


def same_line(results, top):
    """The rows of a line against n: as this one but for n, each with its best tile."""
    return results.least("n", order="n", type=top.type, step=top.step, variant=top.variant, threads=top.threads, ranks=top.ranks)


def step_lines(results, type):
    """{label: its rows} of the steps, each with all its builds together: the fastest, at its largest size, of the variants
    for one thread, and of those for several, on the most that have a core each. 01 stands for its baseline."""
    counts = results.values("workers", FAIR, type=type)
    most = max([count for count in counts if count <= results.cores] or counts[:1], default=1)
    parallel = "variant IN (SELECT variant FROM rows AS other WHERE workers > 1 AND (other.type, other.number) = (rows.type, rows.number))"
    tops = [*results.least("number", f"{FAIR} AND NOT {parallel} AND workers = 1", f"{FIRST} DESC, -n, median_s", type=type),
            *results.least("number", f"{FAIR} AND {parallel} AND workers = {most}", "-n, median_s", type=type)]
    return {f"{top.number}: {top.variant}{workers_of(top)}": same_line(results, top) for top in sorted(tops, key=lambda top: top.number)}


def variant_lines(results, type, step):
    """{variant and its threads: its rows} of a program. A line is of as many threads and ranks as the fastest row at the
    largest size has, beyond the cores only if there are no others."""
    tops = results.least("variant", least=f"workers > {results.cores}, -n, median_s", type=type, step=step)
    return {top.variant + workers_of(top): same_line(results, top) for top in tops}


def rates_chart(results, type, lines, who, suffix="", step=""):
    """GFLOP/s, the best line the boldest, beside the peaks and the libraries."""
    beside, names = peaks_and_libraries(results, type, [row for line in lines.values() for row in line])
    chart = line_chart("gflops", type, who, lines, "n", rate, suffix=suffix, beside=beside, step=step, wide=not step)
    if chart:
        last = [points[-1][1] for points in chart.lines.values()]
        chart.settings["bold"] = last.index(max(last))
        chart.footer = f"a step is its fastest variant and build{', 01 is ijk' * (BASELINE[0] in str(list(lines)))}"
        chart.footer += f"; grey: from the slowest to the fastest of {', '.join(names)}, each at its best setting" * bool(names)
    return chart


def peaks_and_libraries(results, type, rows):
    """The peaks and, of the libraries, a band from the slowest to the fastest: with one thread, with as many as one of the
    rows has, and on the GPU where one of them ran on it. Each point is x, low, high. Then the libraries' names."""
    n, beside, names = [row.n for row in rows], {}, set()
    known = [(results.machine, count, on(count)) for count in sorted({1, *(row.workers for row in rows)}) if not all(row.gpu for row in rows)]
    known += [(results.gpu, 0, results.gpu.name())] if any(row.gpu for row in rows) else []
    for machine, count, who in known:
        rates, libraries = {}, machine.libraries(type, count)
        for at in (at for library in libraries.values() for at in library.items()):
            rates.setdefault(at[0], []).append(at[1])
        names |= libraries.keys() - {"cuBLAS"}
        if rates:
            whose = "libraries" if libraries.keys() - {"cuBLAS"} else "cuBLAS"
            beside[f"{whose}, {who}"] = [[at, min(of), max(of)] for at, of in sorted(rates.items())]
        if peak := machine.most("peak", type=type, threads=count):
            beside[f"peak, {who}: {digits(peak)}"] = [[at, peak, peak] for at in (min(n), max(n))]
    return beside, sorted(names)


def tile_charts(results, type, gpu):
    """What was swept over three tiles or more, a chart a step: the native build's, where there is one; at the largest size
    with a sweep, on one thread or else on the most, the twelve fastest at most."""
    swept = results.ask("number, step, n, variant, ranks, threads", "tile > 0", {"type": type, "gpu": gpu},
                        "GROUP BY 2, 3, 4, 5, 6 HAVING count(DISTINCT tile) > 2 ORDER BY step, n, threads > 1, -threads")
    shown = {number: (step, n) for number, step, n, *_ in swept}  # what comes last is the native build and its largest size
    for place, (step, n) in enumerate(shown.values()):
        of_step = [tuple(row)[3:] for row in swept if (row["step"], row["n"]) == (step, n)]
        threads_of = {(variant, ranks): threads for variant, ranks, threads in reversed(of_step)}
        sweeps = [results.least("tile", "tile > 0", order="tile", type=type, gpu=gpu, step=step, n=n, variant=variant, ranks=ranks, threads=threads)
                  for (variant, ranks), threads in threads_of.items()]
        fast = sorted(sweeps, key=lambda rows: min(row.median_s for row in rows))[:12]
        lines = dict(sorted((rows[0].variant + workers_of(rows[0]), rows) for rows in fast))
        tiles, beside = sorted({row.tile for rows in fast for row in rows}), {}
        untiled = ("07_cuda_global" if gpu else "02_loop_order") + "-native" * step.endswith("-native")
        if row := results.best(type=type, n=n, step=untiled, threads=1, gpu=gpu):
            beside[f"{untiled}: {row.variant}"] = [[tile, row.rate] for tile in (tiles[0], tiles[-1])]
        width = int(re.sub(r"\D", "", type) or 32) / 8
        full = {math.sqrt(fact.value / (3 * width)): fact.level for fact in results.machine.select(name="cache")}
        full = {tile: f"T = {tile:.0f}: {level} full" for tile, level in full.items() if tiles[0] <= tile <= tiles[-1] and not gpu}
        marks = {"upright": list(full), "upright_text": list(full.values())} if full else {}
        own = f"_{step}" * (place > 0)  # the first program's chart is the one of all steps
        chart = line_chart("tiles", type, step, lines, "tile", rate, n, "_gpu" * gpu + own, "tiles_gpu" * gpu, marks, beside,
                           "gpu" if gpu else own[1:])
        chart.footer = "upright: where three tiles, one of each matrix, fill a cache" * bool(full)
        yield chart


def thread_charts(results, type):
    """What ran on several numbers of threads, at the largest such size; the twelve fastest variants at most, and
    every program's fastest among them."""
    found, cores = scalings(results, type), results.cores
    first = ranked(found)[:12]
    shown = sorted(first, key=lambda scaling: (scaling.step, scaling.variant))
    rated = [scaling for scaling in shown if 1 in scaling.rows]
    # Of the lines with a fitted curve, which they are, counted from 1, and their serial fractions.
    fitted = [scaling for scaling in first if scaling.serial is not None][:4]
    fits = {"cores": cores, "fit_line": " ".join(str(1 + rated.index(scaling)) for scaling in fitted),
            "fit_serial": " ".join(f"{scaling.serial:.6g}" for scaling in fitted)}
    for script, of, measure in (("threads_time", shown, time), ("threads_speedup", rated, lambda row, seconds: row.alone_s / seconds),
                                ("threads_efficiency", rated, lambda row, seconds: 100 * row.alone_s / seconds / row.threads),
                                ("threads_sharing", false_sharing(found), time)):
        if of:
            lines = {scaling.label(of is rated): list(scaling.rows.values()) for scaling in of}
            beyond = cores < max(row.threads for rows in lines.values() for row in rows)
            mark = {"upright": [cores], "upright_text": [f"{cores} cores"]} if beyond else {}
            yield line_chart(script, type, "Threads", lines, "threads", measure, of[0].n, settings=mark | (fits if of is rated else {}),
                             step="threads", wide=script == "threads_speedup")


def bar_chart(name, type, groups, n, step, xlabel):
    """Bars of GFLOP/s from {group: {kind of bar: its row}}, each with its value, which a ~ marks as disturbed."""
    rows = [row for bars in groups.values() for row in bars.values()]
    if not rows:
        return None
    lines = {kind: [] for bars in groups.values() for kind in bars}
    for kind, bars in lines.items():
        for group in groups:
            if row := groups[group].get(kind):
                _, height, low, high, disturbed = point(0, row, rate)
                ends = [low, high] if low == low else [height, height]
                bars.append([group, height, *ends, digits(height) + "~" * disturbed])
            else:
                bars.append([group, *[math.nan] * 3, ""])
    least, most = min(row.rate for row in rows), max(row.rate for row in rows)
    return Chart(f"{name}_{type}", "bars", f"{TEXTS[name][0]}, {type}" + f", n = {n}" * bool(n), TEXTS[name][1] + SPREAD, lines,
                 {"xlabel": xlabel, "log": int(most >= 100 * least or name == "orders"), "least": least}, step,
                 columns="group, GFLOP/s, low, high, label")


def level_chart(results, type):
    """01's variants at every level, at the largest size that has them all (or most of them)."""
    where, groups = f"step IN {tuple(LEVELS)}", {}
    n = results.common_size(where, type=type)
    for row in results.least("step, variant", where, order="step, first", type=type, n=n):
        groups.setdefault(row.variant, {})[row.step.removeprefix(BASELINE[0])] = row
    return bar_chart("levels", type, groups, n, BASELINE[0], "variant of 01_naive")


def order_chart(results, type):
    """The six orders at the two largest sizes that have most of them, and beside them the native build's."""
    own, groups, orders = "02_loop_order", {}, f"variant IN {tuple(ORDERS)}"
    sizes = results.ask("n", f"{orders} AND number = '{own}'", {"type": type}, "GROUP BY n ORDER BY count(DISTINCT variant) DESC, n DESC LIMIT 2")
    for step in (own, own + "-native"):
        for n in sorted(n for n, in sizes):
            for row in results.least("variant", orders, order="variant", type=type, step=step, n=n):
                groups.setdefault(row.variant, {})[f"n = {n}" + ", native" * (step != own)] = row
    return bar_chart("orders", type, dict(sorted(groups.items())), 0, own, "order of the loops, the outermost first")


def block_chart(results, type):
    """What ran on a GPU with several block shapes, at the size with most of them."""
    groups, where = {}, "gpu AND block IS NOT NULL"
    n = results.common_size(where, "block", type=type)
    for row in sorted(results.least("block, step, variant", where, type=type, n=n), key=lambda row: area(row.block)):
        groups.setdefault(row.block.replace("x", "×"), {})[row.program()] = row
    return bar_chart("blocks", type, groups, n, "gpu", "threads of a block, across × down") if len(groups) > 1 else None


def area(shape):
    """A block's threads, then its sides: 16x16 comes before 32x8."""
    sides = [int(side) for side in shape.split("x") if side.isdigit()]
    return math.prod(sides), sides


def phase_bars(name, type, rows, phases, step, on=""):
    """A bar a row, its phases end to end, by {column: what it is called}; over it the same in numbers; None for no rows."""
    lines, texts = {called: [] for called in phases.values()}, []
    for place, row in enumerate(rows):
        taken = {called: took for phase, called in phases.items() if (took := getattr(row, phase))}
        end = 0
        for called, took in taken.items():
            lines[called].append([place, end, end + took])
            end += took
        texts.append([place, f"{row.program()}, {seconds(end)}{'~' * (row.quiet == 'no')}", f"= {' + '.join(map(seconds, taken.values()))}"])
    return Chart(f"{name}_{type}", "phases", f"{TEXTS[name][0]}{on}, {type}, n = {rows[0].n}", TEXTS[name][1], lines,
                 {"bars": len(rows)}, step, {"": texts}, "place from above, start, end; then place, what, its phases") if rows else None


def phase_chart(results, type):
    """Of each variant whose phases were timed on a GPU the fastest row, at the largest size that most have; less what would
    make all other bars dots."""
    where = "gpu AND coalesce(alloc_s, copy_in_s, copy_out_s) > 0"
    rows = results.least("step, variant", where, type=type, n=results.common_size(where, type=type))
    return phase_bars("phases", type, [row for row in rows if row.median_s < 50 * min(of.median_s for of in rows)], GPU_PHASES, "gpu")


# ---- ranks: of rows alike but for grid and block the one whose phases together are the shortest ----

def from_one_rank(rows):
    """{program: its rows, by ranks} of what ran on one rank and on several."""
    lines = {}
    for row in sorted(rows, key=lambda row: row.ranks):
        lines.setdefault(row.program(), []).append(row)
    return {name: line for name, line in lines.items() if line[0].ranks == 1 < line[-1].ranks}


def rank_charts(results, type):
    """Strong and weak scaling, a bar of phases for each variant on the most ranks, and ranks against threads."""
    parallel = "step IN (SELECT step FROM rows WHERE ranks > 1)"
    rows = results.least("step, variant, n, ranks, threads", parallel, "whole_s", type=type)
    single = [row for row in rows if row.threads < 2]
    sizes = [row.n for row in single]
    n, weak = max(sizes, key=lambda n: (sizes.count(n), n), default=0), {}
    strong = from_one_rank(row for row in single if row.n == n)
    for base in sorted(set(sizes)):  # the largest that has a line is the last
        weak |= from_one_rank(row for row in single if math.isclose(row.n / base, math.sqrt(row.ranks), rel_tol=0.01))

    def efficiency(row, whole):
        alone = weak[row.program()][0]
        return 100 * (row.n / alone.n)**3 * alone.whole_s / whole / row.ranks
    for script, lines, size, measure in (
            ("ranks_speedup", strong, n, lambda row, whole: strong[row.program()][0].whole_s / whole), ("ranks_weak", weak, 0, efficiency)):
        yield line_chart(script, type, "Ranks", lines, "ranks", lambda row, median: measure(row, row.whole_s - row.median_s + median), size, step="06_mpi")
    most = max(((row.ranks, row.threads) for row in rows if row.ranks > 1), default=(0, 0))
    n = results.common_size(parallel, type=type, ranks=most[0], threads=most[1])
    bars = [row for row in rows if (row.ranks, row.threads, row.n) == (*most, n)]
    yield phase_bars("ranks_phases", type, bars, RANK_PHASES, "06_mpi", f", {most[0]} ranks")
    yield heat_chart(rows, type)


def heat_chart(rows, type):
    """All phases' GFLOP/s with so many ranks of so many threads each, as many together in every column."""
    ranks = {}
    for row in rows:
        ranks.setdefault((row.workers, row.n), set()).add(row.ranks)
    total, n = max(ranks, key=lambda at: (len(ranks[at]), at), default=(0, 0))
    rows = [row for row in rows if (row.workers, row.n) == (total, n)]
    columns, names = sorted({row.ranks for row in rows}), list(dict.fromkeys(row.program() for row in rows))
    if len(columns) < 2:
        return None
    cells = []
    for row in rows:
        whole = row.gflops_in(row.whole_s)
        cells.append([columns.index(row.ranks), names.index(row.program()), whole, digits(whole) + "~" * (row.quiet == "no"),
                      f"{row.ranks} × {total // row.ranks}", row.program()])
    return Chart(f"ranks_heat_{type}", "ranks_heat", f"{TEXTS['ranks_heat'][0]}: {total} together, {type}, n = {n}", TEXTS["ranks_heat"][1],
                 {"GFLOP/s": cells}, {"bars": len(names)}, "06_mpi", columns="column, row, GFLOP/s, label, ranks × threads, variant")


def roofline(results, rows, threads, name, title, step):
    """Each row at its own FLOP for each byte, measured and predicted, under the roofs of so many threads, or of the GPU (0);
    None where those are unknown."""
    machine, type, n = results.machine if threads else results.gpu, rows[0].type, rows[0].n
    slanted = {level: bandwidth for level in LIMITS if (bandwidth := machine.most("bandwidth", threads=threads, level=level))}
    peaks = {fact.level or fact.vector.replace("cuda", "peak"): fact.value for fact in machine.select(name="peak", type=type, threads=threads)}
    if not (slanted and peaks):
        return None
    top = max(peaks.values())
    flat = {vector: peak for vector, peak in peaks.items() if peak == top or vector == "sse2" and peak < 0.7 * top}
    flat |= {"chain": 2 * threads / fact.value for fact in machine.select(name="latency", type=type, level="add")[:1]}
    lines = {}
    for row in rows:
        label = f"{short(row.step)}: " * (not step) + row.variant + f", tile {row.tile}" * bool(step and row.tile) + f" ({row.limit})"
        lines[label] = [[row.intensity, row.rate, row.gflops_in(row.predicted_s) if row.predicted_s else math.nan, row.quiet == "no"]]
    x = [row.intensity for row in rows] + [top / bandwidth for bandwidth in slanted.values()]
    y = [rate for points in lines.values() for rate in points[0][1:3] if rate == rate] + list(flat.values())
    settings = {"left": min(x) / 4, "right": max(x) * 4, "bottom": min(y) / 2, "top": max(y) * 2, "peak": top,
                "slanted": list(slanted.values()), "slanted_text": [f"{level} {digits(rate)} GB/s" for level, rate in slanted.items()],
                "flat": list(flat.values()), "flat_text": [f"{name} {digits(rate)} GFLOP/s" for name, rate in flat.items()]}
    return Chart(name, "roofline", f"{title}, {type}, n = {n}, {on(threads) or machine.name()}",
                 TEXTS["roofline"][1] + " " + TEXTS["roofs" if threads else "roofs_gpu"][1], lines, settings, step or "gpu" * (not threads),
                 columns="x, measured, predicted, disturbed", type=type)


def roofline_charts(results, type, shown, step=""):
    """These rows' variants on one thread, on the most that any ran with, and on the GPU, at the size that most of them have."""
    variants = [(row.step, row.variant) for row in shown]
    pairs = ", ".join("('{}', '{}')".format(*(name.replace("'", "''") for name in pair)) for pair in variants) or "('', '')"
    placed = f"ranks < 2 AND intensity > 0 AND (step, variant) IN (VALUES {pairs})"
    most = max(results.values("threads", f"{placed} AND NOT gpu", type=type), default=1)
    for threads in sorted({1, most}) + [0]:
        where = f"{placed} AND gpu" if threads == 0 else f"{placed} AND NOT gpu AND threads = {threads}"
        rows = results.least("step, variant", where, type=type, n=results.common_size(where, type=type))
        rows = sorted(filter(results.at_home, rows), key=lambda row: variants.index((row.step, row.variant)))
        name = f"roofline_{type}" + f"_{step}" * bool(step) + ("_gpu" if threads == 0 else f"_{threads}_threads" * (threads > 1))
        yield roofline(results, rows, threads, name, f"{step or 'The steps'}: {TEXTS['roofline'][0]}", step) if rows else None


def here_chart(results, type, step, variant, n):
    """The roofline with this rung marked: before it each earlier step's best row, on no more threads, on the same device."""
    placed = f"ranks < 2 AND intensity > 0 AND threads <= {results.cores}"
    this = results.best(placed, type=type, step=step, variant=variant, n=n)
    if not this or not results.at_home(this):
        return None
    rows = results.least("number", f"{placed} AND {FAIR} AND threads <= {this.threads} AND number < '{this.number}'",
                         f"{FIRST} DESC, median_s", "number", type=type, n=n, gpu=this.gpu)
    chart = roofline(results, [*rows, this], 0 if this.gpu else this.threads, "here", f"You are here: {short(step)} {variant}", "")
    if chart:
        chart.settings["here"] = 1
        chart.footer = "x: FLOP for each byte that crosses the level in brackets, which the prediction says limits"
    return chart


def plan(results):
    """Every chart that a machine's rows allow."""
    return [replace(chart, type=type) for type in results.types for chart in plan_of(results, type) if chart]


def plan_of(results, type):
    """Those of one type; None where the rows do not suffice."""
    steps, lines = results.values("step", NOT_LEVELS, type=type), step_lines(results, type)
    on_gpu = {label: own for label, rows in lines.items() if (own := [row for row in rows if row.gpu])}
    # Under the roofs a step is its best at its largest size that has a place there, 01 its baseline.
    shown = results.least("step", f"{FAIR} AND (step != '{BASELINE[0]}' OR {FIRST}) AND intensity > 0", "-n, median_s", order="step", type=type)
    yield line_chart("time", type, "The steps", lines, "n", time)
    yield rates_chart(results, type, lines, "The steps")
    yield line_chart("speedup", type, "The steps", lines, "n", results.speedup)
    yield from roofline_charts(results, type, shown)
    yield from tile_charts(results, type, False)
    yield from thread_charts(results, type)
    yield from (level_chart(results, type), order_chart(results, type))
    yield rates_chart(results, type, on_gpu, "The steps on the GPU", "_gpu", "gpu")
    yield from tile_charts(results, type, True)
    yield from (block_chart(results, type), phase_chart(results, type))
    yield from rank_charts(results, type)
    for step in steps:
        lines = variant_lines(results, type, step)
        for script, measure in (("time", time), ("gflops", rate)):
            yield line_chart(script, type, step, lines, "n", measure, suffix=f"_{step}", step=step)
        yield from roofline_charts(results, type, results.least("variant", type=type, step=step), step)


def named(machines, reference=None):
    """(results, chart) of every chart, named as its files: where there are several hosts, theirs is in it. Of a reference,
    which was measured on another machine, what its GPU did."""
    found = [(results, chart, f"{results.host}_" * (len(machines) > 1)) for results in machines for chart in plan(results)]
    found += [(reference, chart, "reference_") for chart in (plan(reference) if reference else ()) if chart.step == "gpu"]
    return [(results, replace(chart, name=re.sub(r"[^\w.-]", "-", before + chart.name))) for results, chart, before in found]

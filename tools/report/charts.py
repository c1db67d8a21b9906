"""What each chart shows, chosen from the rows."""

import math
import re
from dataclasses import replace

import ladder
from drawing import Chart, Kind, apart, line_chart
from measured import BASELINE, LIMITS, NOT_LEVELS, Row, digits, seconds, whose
from scaling import scalings, shown

N = "n (matrices n × n)"
# By name: the title, gnuplot's format of y, the base of its logarithm, and what to see.
KINDS = """
time|Time of one product|%.0s %cs|10|Lower is better: the gap of two lines says by how much.
speedup|Speedup over 01 ijk|%g×|10|Higher is better: how many times as fast as three plain loops.
efficiency|Efficiency: share of the peak|%g %%|0|Higher is better: 100 % is the device's peak.
gflops|GFLOP/s|%g|10|Higher is better: what is level, growing matrices do not slow down.
step|GFLOP/s|%g|0|Higher is better: what has a tile is shown with its best tile at each n.
tiles|GFLOP/s against the tile|%g|0|Higher is better: small ones reuse little, large ones overflow.
more|Speedup against|%g×|2|Higher is better: over the same variant alone; dotted: Amdahl.
each|Efficiency against|%g %%|0|100 % is ideal: speedup divided by the threads, or ranks.
"""
KINDS = {line.split("|")[0]: Kind(*line.split("|")[1:]) for line in KINDS.split("\n") if line}
PHASES = "Shorter is better: where data stay, nothing is copied, distributed or collected."
ROOFLINE = "Each mark lies under the roof that its key names; an arrow leads to the prediction."
GPU_PHASES = "alloc_s allocation, copy_in_s copy in, median_s kernel, copy_out_s copy out"
RANK_PHASES = "distribute_s distribution, median_s product, collect_s collection"
FIRST = f"(step, variant) = {BASELINE}"


def point(x, row, measure):
    """x, what `measure` makes of the row's time (of all phases) and of the ends of its spread, and
    whether the row was disturbed; None where it knows nothing."""
    other = row.whole_s - row.median_s
    y = measure(row, row.whole_s)
    if y is None:
        return None
    ends = sorted(measure(row, other + end) for end in row.spread() or ()) or [math.nan, math.nan]
    return [x, y, *ends, row.quiet == "no"]


def points(rows, x, measure):
    return [at for row in rows if (at := point(getattr(row, x), row, measure))]


def time(row, taken):
    return taken


def rate(row, taken):
    return row.gflops_in(taken)


# ---- against n ----


def same_line(results, row):
    """The rows of a line against n: as this one but for n, each with its best tile."""
    alike = {name: getattr(row, name) for name in ("type", "step", "variant", "threads", "ranks")}
    return results.least("n", least="whole_s", order="n", **alike)


def rung_lines(results, type, gpu):
    """{name: rows} of at most five rungs, each the variant that the ladder shows: 01 to 05, or 07
    to 12, the last of which multiplies BF16 where the others multiply f32; and of the learner's."""
    found = ladder.of_gpu(results, type) if gpu else ladder.of_cores(results, type)
    bars = found.bars if found else []
    rows = {bar.number(): bar.row for bar in bars if bar.number()}
    mine = {bar.idea: same_line(results, bar.row) for bar in bars if not bar.number()}
    if gpu:
        own = "bf16" if type == "f32" else type
        steps = "number IN ('11_cuda_tensor', '12_cuda_hopper')"
        best = results.best(f"gpu AND {steps}", "-n, median_s", type=own)
        rows |= {best.step[:2]: best} if best else {}
    return {
        f"{number} {row.variant}" + f" {row.type}" * (row.type != type): same_line(results, row)
        for number, row in sorted(rows.items())
        if row and number != "06"
    } | mine


def library_line(results, type, gpu, n):
    """{name: rows} of the best library: at the ladder's size, else at the largest that it was
    measured at."""
    for size in [ladder.size_of(results, type), *sorted(n, reverse=True)]:
        name, _ = results.best_library(type, size, gpu)
        if name:
            rates = results.libraries(type, gpu)[name].items()
            return {name: [as_row(type, at, rate) for at, rate in rates if min(n) <= at <= max(n)]}
    return {}


def as_row(type, n, gflops):
    """A rate as the row of one run."""
    taken = 2e-9 * n**3 / gflops
    return Row(type=type, m=n, n=n, k=n, median_s=taken, whole_s=taken, repeat=1, quiet="")


def course_charts(results, type, gpu):
    """Time, speedup, efficiency and GFLOP/s of the rungs and the best library, on the processor or
    on the GPU."""
    lines = rung_lines(results, type, gpu)
    rows = [row for line in lines.values() for row in line]
    base = {row.n: results.baselines.get((type, row.shape())) for row in rows}
    types = {row.type for row in rows if results.at_home(row)}
    roofs = {
        of: results.gpu.highest("peak", type=of) if gpu else results.roof(of, results.cores)
        for of in types
    }
    library = library_line(results, type, gpu, base) if roofs.get(type) else {}

    def speedup(row, taken):
        return base.get(row.n) and base[row.n].median_s / taken

    def share(row, taken):
        return roofs.get(row.type) and 100 * rate(row, taken) / roofs[row.type].value

    def drawn(each, measure):
        return {name: points(of, "n", measure) for name, of in each.items()}

    measures = {"time": time, "speedup": speedup, "efficiency": share, "gflops": rate}
    for script, measure in measures.items():
        name, where = f"{script}_{type}" + "_gpu" * gpu, ", on the GPU" * gpu + f", {type}"
        more = {"step": "gpu" * gpu, "open": script != "gflops"}
        line, beside = drawn(lines, measure), drawn(library, measure)
        yield line_chart(name, KINDS[script], where, line, N, beside, **more)


def step_chart(results, type, step):
    """GFLOP/s of a program's variants, the eight fastest: each on as many threads and ranks as its
    fastest row at the largest size has, beyond the cores only if there are no others."""
    least = f"workers > {results.cores}, -n, whole_s"
    tops = results.least("variant", least=least, type=type, step=step)
    tops = sorted(tops, key=lambda row: -row.whole_rate)[:8]
    lines = {row.variant: points(same_line(results, row), "n", rate) for row in tops}
    most = max(row.workers for row in tops)
    on = f", on {most} {'ranks' if tops[0].ranks > 1 else 'threads'} at most" * (most > 1)
    kind = KINDS["step"]._replace(title=f"{step}: GFLOP/s", base=10 * wide_apart(lines))
    return line_chart(f"gflops_{type}_{step}", kind, f", {type}{on}", lines, N, step=step)


def wide_apart(lines):
    """Whether a linear axis would leave the slowest on the floor."""
    y = [at[1] for of in lines.values() for at in of]
    return max(y, default=1) >= 100 * min(y, default=1)


# ---- against the tile, threads, ranks ----


def tile_charts(results, type):
    """What was swept over three tiles or more, a chart a step: of the native build, where there is
    one, at the largest size; each variant on one thread or else on the most."""
    alike = ("step", "n", "variant", "threads", "ranks")
    several = "HAVING count(DISTINCT tile) > 2 ORDER BY n, step, threads > 1, -threads"
    sweep = f"GROUP BY {', '.join(alike)} {several}"
    swept = results.ask(f"number, gpu, {', '.join(alike)}", "tile > 0", {"type": type}, sweep)
    largest = {of["number"]: (of["step"], of["n"], of["gpu"]) for of in swept}
    for step, n, gpu in largest.values():
        lines = {}
        for of in (of for of in swept if (of["step"], of["n"]) == (step, n) and len(lines) < 8):
            like = {name: of[name] for name in alike}
            rows = results.least("tile", "tile > 0", order="tile", type=type, **like)
            lines.setdefault(of["variant"], points(rows, "tile", rate))
        full = {} if gpu else full_caches(results, type, lines)
        footer = ("dotted: three tiles fill " + ", ".join(full.values())) * bool(full)
        more = {"marks": list(full), "footer": footer, "step": "gpu" if gpu else step}
        kind = KINDS["tiles"]._replace(title=f"{step}: GFLOP/s against the tile")
        name, where = f"tiles_{type}_{step}", f", {type}, n = {n}"
        yield line_chart(name, kind, where, lines, "T (tiles T × T)", **more)


def full_caches(results, type, lines):
    """{tile: its cache}: where three tiles, one of each matrix, fill a cache."""
    width = int(re.sub(r"\D", "", type) or 32) / 8
    tiles = [at[0] for of in lines.values() for at in of]
    caches = results.machine.select(name="cache")
    full = {math.sqrt(fact.value / (3 * width)): fact.level for fact in caches}
    inside = {tile: level for tile, level in full.items() if min(tiles) <= tile <= max(tiles)}
    return {tile: f"{level} at T = {tile:.0f}" for tile, level in inside.items()}


def scaling_charts(results, type, by):
    """Speedup and efficiency against threads, or against ranks: six lines at most; of the speedup
    on threads with Amdahl's curve where enough was measured."""
    found = [of for of in shown(scalings(results, type, by)) if of.alone]
    most = max((max(of.rows) for of in found), default=1)
    counts = sorted({2**i for i in range(most.bit_length())} | {most, min(most, results.cores)})
    own = [p for p in counts if p <= results.cores]
    fitted = {of.label(): of.serial for of in found if of.serial is not None and by == "threads"}
    fits = {label: [[p, 1 / (s + (1 - s) / p)] for p in own] for label, s in fitted.items()}
    for name, kind, share in (("speedup", "more", False), ("efficiency", "each", True)):
        lines = {of.label(): speedups(of, by, share) for of in found}
        ideal = [[p, min(p, results.cores) * (100 / p if share else 1)] for p in counts]
        where = f" {by}, {type}" + "".join(f", n = {of.n}" for of in found[:1])
        more = {"fits": {} if share else fits, "step": "threads" if by == "threads" else "06_mpi"}
        name, beside = f"{by}_{name}_{type}", {"ideal": ideal}
        yield line_chart(name, KINDS[kind], where, lines, by, beside, **more)


def speedups(of, by, share):
    """The points of a variant's speedup, or of its share of the ideal in per cent."""

    def measure(row, taken):
        return of.speedup(row, taken) * (100 / getattr(row, by) if share else 1)

    return points(of.rows.values(), by, measure)


# ---- phases ----


def phase_chart(results, type, by):
    """Where the time of a variant goes, on a GPU or on the most ranks: the twelve fastest, at the
    size that most have; a bar a row, its phases end to end, over it the same in numbers."""
    phases = (GPU_PHASES if by == "gpu" else RANK_PHASES).split(", ")
    phases = dict(phase.split(" ", 1) for phase in phases)
    where = "gpu AND coalesce(alloc_s, copy_in_s, copy_out_s) > 0"
    if by == "ranks":
        most = max(results.values("ranks", type=type), default=1)
        where = f"threads < 2 AND ranks > 1 AND ranks = {most}"
    n = results.common_size(where, type=type)
    rows = results.least("step, variant", where, "whole_s", "whole_s", type=type, n=n)[:12]
    lines, texts, ends = {name: [] for name in phases.values()}, [], [0]
    for place, row in enumerate(rows):
        taken = [(name, getattr(row, phase)) for phase, name in phases.items()]
        taken = [(name, took) for name, took in taken if took]
        end = 0
        for name, took in taken:
            lines[name].append([place, end, end + took])
            end += took
        whole = f"{row.program()}, {seconds(end)}{'~' * (row.quiet == 'no')}"
        texts.append([place, whole, f"= {' + '.join(seconds(took) for _, took in taken)}"])
        ends.append(end)
    on, step = ("on the GPU", "gpu") if by == "gpu" else ("on several ranks", "06_mpi")
    title = f"Where the time goes {on}, {type}, n = {n}"
    settings, name = {"bars": len(rows), "end": max(ends)}, f"phases_{type}_{by}"
    of = Chart(name, "phases", title, PHASES, lines, settings, step, {"": texts})
    return of if rows else None


# ---- the roofline ----


def roofline_charts(results, type):
    """Each step at its best, 01 by its baseline, under the roofs of one thread, of the most, and of
    the GPU."""
    placed = f"ranks < 2 AND intensity > 0 AND {NOT_LEVELS} AND variant != 'touched_by_one'"
    most = max(results.values("threads", f"{placed} AND NOT gpu", type=type), default=1)
    for threads in sorted({1, min(most, results.cores)}) + [0]:
        where = f"{placed} AND " + (f"NOT gpu AND threads = {threads}" if threads else "gpu")
        n = results.common_size(where, type=type)
        rows = results.least("number", where, f"{FIRST} DESC, median_s", "number", type=type, n=n)
        rows = [row for row in rows if results.at_home(row)]
        yield roofline(results, rows, threads) if rows else None


def roofline(results, rows, threads):
    """Each row at its own FLOP for each byte, measured and predicted; None where no roof is
    known."""
    machine, type = results.machine if threads else results.gpu, rows[0].type
    slanted = {level: machine.most("bandwidth", threads=threads, level=level) for level in LIMITS}
    slanted = {level: rate for level, rate in slanted.items() if rate}
    peaks = machine.select(order="value", name="peak", type=type, threads=threads)
    if not (slanted and peaks):
        return None
    top = peaks[-1].value
    add = machine.best(least="threads", name="latency", type=type, level="add")
    flat = {of.vector: of.value for of in peaks if of.vector == "sse2" and of.value < 0.7 * top}
    flat[peaks[-1].vector.replace("cuda", "peak")] = top
    flat |= {"chain": 2 * threads / add.value} if add else {}
    lines = {}
    for row in rows:
        foretold = row.gflops_in(row.predicted_s) if row.predicted_s else math.nan
        at = [row.intensity, row.rate, foretold, row.quiet == "no"]
        lines[f"{row.program()} ({row.limit})"] = [at]
    knees = [top / rate for rate in slanted.values()]
    x = [row.intensity for row in rows] + knees
    y = [rate for of in lines.values() for rate in of[0][1:3] if rate == rate] + list(flat.values())
    left, right, bottom, high = min(x) / 3, max(x) * 3, min(y) / 2, max(y) * 1.3
    across = [math.log(at / left) / math.log(right / left) for at in knees]
    up = [math.log(at / bottom) / math.log(high / bottom) for at in flat.values()]
    settings = {"left": left, "right": right, "bottom": bottom, "top": high, "peak": top}
    settings |= {"slanted": list(slanted.values()), "flat": list(flat.values())}
    # Of the plot's pixels.
    settings |= {"slanted_at": apart(across, 21 / 266), "flat_at": apart(up, 19 / 300)}
    settings["slanted_text"] = [f"{level} {bandwidth(rate)}" for level, rate in slanted.items()]
    settings["flat_text"] = [f"{name} {digits(rate)}" for name, rate in flat.items()]
    settings["room"] = 26 + 8 * max(map(len, settings["flat_text"]))
    name = f"roofline_{type}" + (f"_{threads}_threads" * (threads > 1) if threads else "_gpu")
    on = whose(threads) if threads else machine.name()
    title, step = f"The roofline, {type}, n = {rows[0].n}, {on}", "gpu" * (not threads)
    return Chart(name, "roofline", title, ROOFLINE, lines, settings, step)


def bandwidth(rate):
    return f"{digits(rate)} GB/s" if rate < 1000 else f"{digits(rate / 1000)} TB/s"


# ---- all of them ----


def plan(results):
    """Every chart that a machine's rows allow."""
    every = [(type, chart) for type in results.types for chart in plan_of(results, type)]
    return [replace(chart, type=type) for type, chart in every if chart]


def plan_of(results, type):
    """Those of one type; None where the rows do not suffice. The first three of either device stand
    open."""
    yield from course_charts(results, type, False)
    yield from course_charts(results, type, True)
    yield from roofline_charts(results, type)
    yield from tile_charts(results, type)
    yield from (*scaling_charts(results, type, "threads"), *scaling_charts(results, type, "ranks"))
    yield from (phase_chart(results, type, "gpu"), phase_chart(results, type, "ranks"))
    for step in results.values("step", NOT_LEVELS, type=type):
        yield step_chart(results, type, step)


def named(machines, reference=None):
    """(results, chart) of every chart, named as its files: where there are several hosts, theirs is
    in it. Of a reference, which was measured on another machine, what its GPU did."""
    found = []
    for results in machines:
        before = f"{results.host}_" * (len(machines) > 1)
        found += [(results, before, chart) for chart in plan(results)]
    if reference:
        charts = [chart for chart in plan(reference) if chart.step == "gpu"]
        found += [(reference, "reference_", chart) for chart in charts]

    def name(before, chart):
        return replace(chart, name=re.sub(r"[^\w.-]", "-", before + chart.name))

    return [(of, name(before, chart)) for of, before, chart in found]

"""What each chart shows, chosen from the rows."""

import ladder
from drawing import Series, line_chart, roofline
from measured import ABOVE, LIMITS, common_size, digits, gflops, marked, percent, seconds, select

N = "n (matrices n × n)"
SLOW, FULL = "Where 01 itself is slow, all speedups rise.", "100 % is what the device can do."
NEAR = 1.1  # sizes within this factor stand in a panel of their own


def points(rows, x, measure):
    """{x: what `measure` makes of a row, the ends of its spread, and what is told of it}, but for
    what it knows nothing of."""
    found = {}
    for row in rows:
        if y := measure(row):
            told = (f"n = {row.n}", seconds(row.whole_s), gflops(row.whole_rate), row.setting())
            told = marked(", ".join(filter(None, told)), row)
            found[getattr(row, x)] = (y[0], min(y), max(y), told)
    return found


def time(row):
    return row.whole_s, *row.spread()


def rate(row):
    return [row.gflops_in(taken) for taken in time(row)]


def panels_of(sizes, middle):
    """Sizes evenly apart: of those near one another one, `middle` or the last that is no power of
    two; those near `middle`, or near the largest, again in a panel of their own."""
    near = []
    for n in sorted(sizes):
        if not near or n > NEAR * near[-1][-1]:
            near.append([])
        near[-1].append(n)
    rank = lambda n: (n == middle, n.bit_count() > 1, n)
    side = max(near, key=lambda of: (len(of) > 1, middle in of, of))
    side = [(f"near {min(side, key=int.bit_count)}", side)] * (len(side) > 1)
    return [("", [max(of, key=rank) for of in near])] + side


def rung_lines(results, type, gpu):
    """{label: rows} of the ladder's steps, each by the variant and the build that stand there, with
    its best tile at each n; with them of the tensor cores, which multiply BF16, the fastest."""
    bars, lines = [bar for of in ladder.of_types(results, type, gpu) for bar in of.bars], {}
    last = {bar.idea if bar.label == "yours" else bar.label: bar.row for bar in bars}
    for row in last.values():
        alike = {name: getattr(row, name) for name in "type step variant threads ranks".split()}
        slowest = sorted(results.select(**alike), key=lambda row: -row.whole_s)
        at = {row.n: row for row in slowest}
        lines[row.label() + f" {row.type}" * (row.type != type)] = [at[n] for n in sorted(at)]
    return lines


def course(results, type, gpu):
    """Time, speedup and efficiency of the rungs and the best library, on the processor or on the
    GPU."""
    lines = rung_lines(results, type, gpu)
    if not (sizes := {row.n for rows in lines.values() for row in rows}):
        return
    size = max(sizes) if gpu else ladder.size_of(results, type)
    library, _ = results.best_library(type, size, gpu)
    beside = results.libraries(type, gpu).items()
    beside = [row for (name, n), row in beside if name == library and n in sizes]

    def share(row):
        roof = results.roof_of(row, results.cores)
        return roof and [100 * of / roof.value for of in rate(row)]

    panels = [("", sorted(sizes))] if gpu else panels_of(sizes, size)
    for kind, title, see, measure, unit, more in (
        ("time", "Time of one product", "Lower is better.", time, "%.0s %cs", {"log": True}),
        ("speedup", "Speedup over 01 ijk", SLOW, results.speedup, "%g×", {"log": True}),
        ("efficiency", "Efficiency: % of the peak", FULL, share, "%g %%", {"bound": 100}),
    ):
        series = [Series(label, points(rows, "n", measure)) for label, rows in lines.items()]
        series.append(Series(library, points(beside, "n", measure), dashed=True))
        name, title = f"{kind}_{type}" + "_gpu" * gpu, title + ", on the GPU" * gpu + f", {type}"
        yield line_chart(name, title, see, series, panels, N, unit, **more)


def size_of(results, rows, which=lambda row: (row.step, row.variant)):
    """The ladder's size where these rows have it, else that of most variants."""
    n = ladder.size_of(results, rows[0].type) if rows else 0
    return n if select(rows, n=n) else common_size(rows, which)


def swept(results, rows, *by):
    """[{x: row}] of what ran at several of one setting alone, at the ladder's size or that which
    has the most such rows: the fastest variant of each step first, and its build."""
    alike = {}
    for row in sorted(rows, key=lambda row: -row.whole_s):
        others = [getattr(row, name) for name in by[1:]]
        alike.setdefault((row.n, row.step, row.variant, *others), {})[getattr(row, by[0])] = row
    several = [of for of in alike.values() if len(of) > 1]
    n = size_of(results, [row for of in several for row in of.values()])
    several = [dict(sorted(of.items())) for of in several if next(iter(of.values())).n == n]
    several.sort(key=lambda of: min(row.whole_s for row in of.values()))
    first = {next(iter(of.values())).step[:2]: of for of in reversed(several)}
    return list(first.values())[::-1]


def scaling(results, type, by):
    """What ran on one and on more threads, or ranks of one thread."""
    other = {"threads": "ranks", "ranks": "threads"}[by]
    rows = results.select(lambda row: getattr(row, by) > 0 and getattr(row, other) < 2, type=type)
    rows = [row for row in rows if not (row.gpu or ladder.left_out(row))]
    return [of for of in swept(results, rows, by) if 1 in of]


def times_of_one(of, p, by):
    """How many times as fast p are as one: threads in turns; ranks, which run apart, by their
    medians and the spreads of both. None of what had no turns."""
    if by == "threads" or p == 1:
        return of[p].times_of(of[1])
    (one, *ends), (many, *others) = time(of[1]), time(of[p])
    return one / many, ends[0] / others[1], ends[1] / others[0]


def efficiency(of, p, by):
    """In words, with ! where it is above its bound beyond its spread, as its spread where it is
    above within that; – where it is unknown."""
    if not (spread := times_of_one(of, p, by)):
        return percent(None)
    share, low, high = (at / p for at in spread)
    if share > ABOVE >= low:
        return f"{percent(low)} to {percent(high)}"
    return percent(share) + " !" * (low > ABOVE)


def scaling_chart(results, type, by):
    """Speedup over one thread, or rank; at each name the efficiency."""
    if not (found := scaling(results, type, by)):
        return None
    series, n, cores = [], found[0][1].n, results.cores
    said = "Beside a name its efficiency: the speedup divided by their number, up to the cores."
    said += " In turns: the median, least and largest." * (by == "threads")
    for of in found:
        label, speedup = of[1].label(), lambda row: times_of_one(of, getattr(row, by), by)
        name = f"{label}, {efficiency(of, max(p for p in of if p <= cores), by)}"
        series.append(Series(label, points(of.values(), by, speedup), name))
        calm = {p: speedup(row) for p, row in of.items() if p <= cores and not row.disturbed}
        if (fraction := serial_fraction(calm)) is not None:
            said += f" Serial fraction of {label} (Amdahl's, fitted): {percent(fraction)}."
    sent = results.select(lambda row: row.ranks > 1 and row.other_s, type=type, n=n)
    if sent and by == "ranks":
        row = max(sent, key=lambda row: (row.ranks, row.whole_rate))
        took = map(seconds, (row.distribute_s, row.median_s, row.collect_s or 0))
        took = "{} to distribute, {} to multiply and {} to collect".format(*took)
        said += f" On {row.ranks} ranks {row.label()} takes {took}."
    series = [line for line in series if len(line.points) > 1]
    counts = sorted({p for line in series for p in line.points})
    ideal = {p: (y := min(p, cores), y, y, f"{y}×") for p in counts}
    series += [Series("ideal", ideal, dashed=True)] * bool(series)
    title = f"Speedup by {by}, {type}, n = {n}"
    return line_chart(f"{by}_{type}", title, said, series, [("", counts)], by, "%g×")


def serial_fraction(speedups):
    """Amdahl's s by least squares on {p: (speedup, …)}; None of fewer than four points."""
    points = [(1 - 1 / p, 1 / at[0] - 1 / p) for p, at in speedups.items() if at]
    if len(points) < 4 or 1 not in speedups:
        return None
    return min(1, max(0, sum(x * y for x, y in points) / sum(x * x for x, _ in points)))


def tile_chart(results, type, gpu):
    """GFLOP/s against the tile: each step's fastest variant that was swept over three or more."""
    rows = results.select(lambda row: row.tile > 0, type=type, gpu=gpu)
    if not (
        found := [of for of in swept(results, rows, "tile", "threads", "ranks") if len(of) > 2][:5]
    ):
        return None
    series = [Series(min(of.items())[1].label(), points(of.values(), "tile", rate)) for of in found]
    title = f"GFLOP/s by tile{' on the GPU' * gpu}, {type}, n = {min(found[0].items())[1].n}"
    see = "Small tiles reuse little, large ones overflow their cache."
    panels = [("", sorted({x for of in found for x in of}))]
    name = f"tiles_{type}" + "_gpu" * gpu
    return line_chart(name, title, see, series, panels, "T (tiles T × T)", "%g")


def roofline_chart(results, type, threads):
    """Each step at its best, 01 by its baseline, under the roofs of so many threads or, of 0, of
    the GPU; None where no roof is known."""
    gpu, machine = not threads, results.machine if threads else results.gpu
    on = lambda row: row.intensity and row.ranks < 2 and (gpu or row.threads == threads)
    rows = results.select(lambda row: on(row) and results.roof_of(row), type=type, gpu=gpu)
    rows = [row for row in rows if not ladder.left_out(row)]
    slanted = {level: machine.most("bandwidth", threads=threads, level=level) for level in LIMITS}
    slanted = {f"{level} {digits(of)} GB/s": of for level, of in slanted.items() if of}
    peaks = select(machine.facts, name="peak", type=type, threads=threads)
    if not (rows and slanted and peaks):
        return None
    n = size_of(results, rows, lambda row: row.step[:2])
    slowest = sorted(select(rows, n=n), key=lambda row: (row.baseline, -row.median_s))
    rows = [row for _, row in sorted({row.step[:2]: row for row in slowest}.items())]
    top = max(peak.value for peak in peaks)
    flat, sse2 = {f"peak {digits(top)}": top}, [of.value for of in peaks if of.vector == "sse2"]
    flat |= {f"SSE2 {digits(of)}": of for of in sse2 if of < 0.7 * top}
    if add := select(machine.facts, name="latency", type=type, level="add")[:threads]:
        flat[f"chain {digits(2 * threads / add[0].value)}"] = 2 * threads / add[0].value
    told = lambda row: f"{row.label()}: {gflops(row.rate)}, predicted by {LIMITS.get(row.limit)}"
    marks = [
        (of.label(), of.intensity, of.rate, of.gflops_in(of.predicted_s), told(of)) for of in rows
    ]
    on = results.gpu.device if gpu else f"{threads} thread" + "s" * (threads > 1)
    title = f"Roofline in GFLOP/s, {type}, n = {n}, {on}"
    name = f"roofline_{type}_{threads or 'gpu'}"
    see = "A mark stands where its prediction says what binds; the dash is what was predicted."
    return roofline(name, title, see, slanted, flat, marks)


def others(results, type):
    """Roofs, threads, ranks and tiles, as the rows allow."""
    rows = results.select(lambda row: row.threads <= results.cores, type=type, gpu=False)
    most = max((row.threads for row in rows), default=1)
    yield from (roofline_chart(results, type, threads) for threads in {1: 0, most: 0, 0: 0})
    yield from (scaling_chart(results, type, by) for by in ("threads", "ranks"))
    yield from (tile_chart(results, type, gpu) for gpu in (False, True))

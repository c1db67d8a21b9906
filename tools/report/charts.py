"""What each chart shows, chosen from the rows."""

import math
import re
from dataclasses import replace

import ladder
from drawing import Series, line_chart, roofline
from measured import ABOVE, BASELINE, LIMITS
from measured import common_size, digits, gflops, least, marked, percent, seconds, times

# By kind: the title, what to see, how a number is written, whether its axis is logarithmic.
KINDS = {
    "time": ("Time of one product", "Lower is better.", seconds, True),
    "speedup": ("Speedup over 01 ijk", "Higher is better.", times, True),
    "efficiency": ("Efficiency: % of the peak", "100 % is what the device can do.", percent, False),
}
ROOFLINE = (
    "Each mark stands at the intensity by which its prediction binds; the dash is the prediction."
)
NEAR = 1.1  # sizes within this factor stand in a panel of their own


def short(unit):
    """A number on an axis: without zeros behind the point."""
    return lambda value: unit(value).replace(".00", "").replace(".0 ", " ").replace(".0×", "×")


def point(row, measure):
    """What `measure` makes of a row's time of all phases, of the ends of its spread, and what is
    told of it; None where it knows nothing."""
    if (y := measure(row, row.whole_s)) is None:
        return None
    ends = sorted(measure(row, end) for end in row.spread())
    setting = f", {row.setting()}" if row.setting() else ""
    told = f"n = {row.n}: {seconds(row.whole_s)}, {gflops(row.whole_rate)}{setting}"
    return y, *ends, marked(told, row)


def points(rows, x, measure):
    return {getattr(row, x): at for row in rows if (at := point(row, measure))}


# ---- against n ----


def panels_of(sizes, middle):
    """Sizes evenly apart; of those near one another, one of which may be a power of two, only the
    ladder's or the one before the last, and those near `middle` again in a panel of their own."""
    near = []
    for n in sorted(sizes):
        if near and n <= NEAR * near[-1][-1]:
            near[-1].append(n)
        else:
            near.append([n])
    chosen = [
        next((n for n in (middle, *reversed(of)) if n in of and n.bit_count() > 1), of[-1])
        for of in near
    ]
    several = [of for of in near if len(of) > 1]
    side = next((of for of in several if middle in of), several[-1] if several else [])
    beside = [(f"near {max(side, key=lambda n: -n.bit_count())}", side)] if side else []
    return [("" if not side else "n", chosen), *beside]


def rung_series(results, type, gpu):
    """{label: rows} of the ladder's steps, each by the variant and the build that stand there, with
    its best tile at each n; of the tensor cores, which multiply BF16, the fastest."""
    found = [ladder.of_gpu(results, type)] if gpu else [ladder.of_cores(results, type)]
    if gpu and type == "f32":
        found.append(ladder.of_gpu(results, "bf16"))
    every = [bar for of in found if of for bar in of.bars]
    bars = {bar.idea if bar.label == "yours" else bar.label: bar.row for bar in every}
    alike = "type step variant threads ranks".split()
    lines = {}
    for row in bars.values():
        name = row.label() + f" {row.type}" * (row.type != type)
        rows = results.select(**{of: getattr(row, of) for of in alike})
        lines[name] = least(rows, "n", lambda row: row.whole_s)
    return lines


def course_charts(results, type, gpu):
    """Time, speedup and efficiency of the rungs and the best library, on the processor or on the
    GPU."""
    lines = rung_series(results, type, gpu)
    sizes = {row.n for rows in lines.values() for row in rows}
    if not sizes:
        return
    size = ladder.size_of(results, type) if not gpu else max(sizes)
    name, _ = results.best_library(type, size, gpu)
    rates = results.libraries(type, gpu).get(name, {})
    panels = panels_of(sizes, size)

    def share(row, taken):
        roof = results.at_home(row) and results.roof(row.type, results.cores, gpu)
        return row.gflops_in(taken) / roof.value if roof else None

    measures = {"time": lambda _, taken: taken, "speedup": results.speedup, "efficiency": share}
    for kind, measure in measures.items():
        title, see, unit, log = KINDS[kind]
        series = [Series(of, points(rows, "n", measure)) for of, rows in lines.items()]
        roof = results.roof(type, results.cores, gpu)
        of_rate = {
            "time": lambda n, rate: 2e-9 * n**3 / rate,
            "speedup": lambda n, rate: (base := results.baselines.get((type, n)))
            and rate / base.rate,
            "efficiency": lambda n, rate: roof and rate / roof.value,
        }[kind]
        beside = {n: of_rate(n, rate) for n, rate in rates.items() if n in sizes}
        told = {n: (y, y, y, f"n = {n}: {gflops(rates[n])}") for n, y in beside.items() if y}
        series += [Series(name, told, dashed=True)] * bool(told and any(of.points for of in series))
        where = ", on the GPU" * gpu + f", {type}"
        bound = (1,) * (kind == "efficiency")
        more = {"type": type, "gpu": gpu, "bound": bound, "log": log}
        of = f"{kind}_{type}" + "_gpu" * gpu
        yield line_chart(
            of, title + where, see, series, panels, "n (matrices n × n)", short(unit), **more
        )


# ---- against threads, ranks, the tile ----


def scaling(rows, by):
    """[{p: row}] of what ran on several threads, or on several ranks of one thread, at the size
    that has the most such rows: of each step the fastest variant."""
    rows = [
        row
        for row in rows
        if (row.ranks < 2 and row.threads if by == "threads" else row.threads < 2)
    ]
    alike = {}
    for row in least(rows, f"n step variant {by}", lambda row: row.whole_s):
        alike.setdefault((row.n, row.step, row.variant), {})[getattr(row, by)] = row
    several = [of for of in alike.values() if len(of) > 1 and 1 in of]
    n = common_size([row for of in several for row in of.values()])
    found = [of for of in several if of[1].n == n]
    found.sort(key=lambda of: min(row.whole_s for row in of.values()))
    return list({of[1].number: of for of in reversed(found)}.values())[::-1]


def scaling_chart(results, type, by):
    """Speedup over one thread, or rank; at each name the efficiency, and from four points on the
    serial fraction."""
    found, series, serial = scaling(results.select(type=type), by), [], []
    for of in found:
        most = max(p for p in of if p <= results.cores or p == min(of.keys() - {1}))
        share = of[1].whole_s / of[most].whole_s / most
        name = f"{of[1].label()}, {percent(share)}{above(of[1], of[most], most)}"
        speedup = lambda row, taken: of[1].whole_s / taken
        series.append(
            Series(of[1].label(), points(dict(sorted(of.items())).values(), by, speedup), name)
        )
        own = {p: row.whole_s for p, row in of.items() if p <= results.cores and not row.disturbed}
        if (fraction := serial_fraction(own)) is not None:
            serial.append(f"{of[1].label()} {percent(fraction)}")
    counts = sorted({p for of in found for p in of})
    ideal = {p: (y, y, y, f"{y}×") for p in counts for y in [min(p, results.cores)]}
    see = f"Beside each name its efficiency: the speedup over the {by}, up to the cores."
    see += f" Serial fraction (Amdahl, fitted): {', '.join(serial)}." if serial else ""
    series += [Series("ideal", ideal, dashed=True)] * bool(series)
    title = f"Speedup by {by}, {type}" + "".join(f", n = {of[1].n}" for of in found[:1])
    return line_chart(
        f"{by}_{type}", title, see, series, [("", counts)], by, short(times), type=type
    )


def above(alone, row, p):
    """A mark where the efficiency is above 100 % beyond the spread of both times."""
    return " !" * (alone.spread()[0] / row.spread()[1] / p > ABOVE)


def serial_fraction(times):
    """Amdahl's s by least squares on {p: T(p)}; None of fewer than four points, or without T(1)."""
    if len(times) < 4 or 1 not in times:
        return None
    points = [(1 - 1 / p, time / times[1] - 1 / p) for p, time in times.items() if p > 1]
    return min(1, max(0, sum(x * y for x, y in points) / sum(x * x for x, _ in points)))


def tile_chart(results, type, gpu):
    """GFLOP/s of what was swept over three tiles or more, each step's fastest variant, at the
    largest size that has such a sweep."""
    swept = {}
    for row in results.select(lambda row: row.tile > 0, type=type, gpu=gpu):
        swept.setdefault((row.n, row.step, row.variant, row.threads, row.ranks), []).append(row)
    swept = {of: least(rows, "tile", lambda row: row.whole_s) for of, rows in swept.items()}
    swept = [rows for rows in swept.values() if len(rows) > 2]
    n = max((rows[0].n for rows in swept), default=0)
    swept = sorted(
        [rows for rows in swept if rows[0].n == n],
        key=lambda rows: min(row.whole_s for row in rows),
    )
    best = {rows[0].label(): rows for rows in reversed(swept)}
    rate = lambda row, taken: row.gflops_in(taken)
    series = [Series(of, points(rows, "tile", rate)) for of, rows in list(best.items())[-5:]]
    panels = [("", sorted({row.tile for rows in best.values() for row in rows}))]
    see = "Small tiles reuse little, large ones overflow their cache."
    title = f"GFLOP/s by tile{' on the GPU' * gpu}, {type}, n = {n}"
    more = {"type": type, "gpu": gpu}
    return line_chart(
        f"tiles_{type}" + "_gpu" * gpu,
        title,
        see,
        series,
        panels,
        "T (tiles T × T)",
        digits,
        **more,
    )


# ---- the roofline ----


def roofline_chart(results, type, threads):
    """Each step at its best, 01 by its baseline, under the roofs of one thread, of the most, or, of
    0 threads, of the GPU; None where no roof is known."""
    gpu, machine = not threads, results.machine if threads else results.gpu
    rows = results.select(
        lambda row: row.intensity and row.ranks < 2 and not ladder.left_out(row), type=type, gpu=gpu
    )
    rows = [row for row in rows if (gpu or row.threads == threads) and results.at_home(row)]
    slanted = {level: machine.most("bandwidth", threads=threads, level=level) for level in LIMITS}
    roofs = [
        fact
        for fact in machine.facts
        if (fact.name, fact.type, fact.threads) == ("peak", type, threads)
    ]
    if not (rows and roofs and any(slanted.values())):
        return None
    n = common_size(rows)
    rows = [row for row in rows if row.n == n]
    rows = least(rows, "number", lambda row: ((row.step, row.variant) != BASELINE, row.median_s))
    peaks = {
        fact.vector.replace("cuda", "peak"): fact.value
        for fact in sorted(roofs, key=lambda of: of.value)
    }
    *_, best = peaks
    flat = {best: peaks[best]} | (
        {"sse2": peaks["sse2"]} if peaks.get("sse2", math.inf) < 0.7 * peaks[best] else {}
    )
    adds = [
        fact
        for fact in machine.facts
        if (fact.name, fact.type, fact.level) == ("latency", type, "add")
    ]
    flat |= {"chain": 2 * threads / adds[0].value} if adds and threads else {}
    marks = [
        (
            row.label(),
            row.intensity,
            row.rate,
            row.predicted_s and row.gflops_in(row.predicted_s),
            told(row),
        )
        for row in sorted(rows, key=lambda row: row.number)
    ]
    named = {f"{level} {bandwidth(rate)}": rate for level, rate in slanted.items() if rate}
    on = machine.name() if gpu else "1 thread" if threads == 1 else f"{threads} threads"
    name = f"roofline_{type}_" + ("gpu" if gpu else f"{threads}")
    title, flat = f"The roofline, {type}, n = {n}, {on}", {
        f"{name} {digits(y)}": y for name, y in flat.items()
    }
    return roofline(name, title, ROOFLINE, named, flat, marks, type=type, gpu=gpu)


def told(row):
    limit = LIMITS.get(row.limit, row.limit)
    return f"{row.label()}: {gflops(row.rate)}, predicted {seconds(row.predicted_s)} by {limit}, measured {seconds(row.median_s)}"


def bandwidth(rate):
    return f"{digits(rate)} GB/s" if rate < 1000 else f"{digits(rate / 1000)} TB/s"


# ---- all of them ----


def all_of(results):
    """Every chart that a machine's rows allow; of each type the first six, of processor and GPU,
    stand first in the page."""
    for type in results.types:
        most = max((row.threads for row in results.select(type=type, gpu=False)), default=1)
        yield from course_charts(results, type, False)
        yield from course_charts(results, type, True)
        yield from (
            roofline_chart(results, type, p) for p in sorted({1, min(most, results.cores)}) + [0]
        )
        yield from (scaling_chart(results, type, by) for by in ("threads", "ranks"))
        yield from (tile_chart(results, type, gpu) for gpu in (False, True))


def drawn(results):
    return list(filter(None, all_of(results)))


def named(machines, reference=None):
    """(results, chart) of every chart, named as its files: where there are several hosts, theirs is
    in it. Of a reference, which was measured on another machine, what its GPU did."""
    found = [
        (results, f"{results.host}_" * (len(machines) > 1), of)
        for results in machines
        for of in drawn(results)
    ]
    found += (
        [(reference, "reference_", of) for of in drawn(reference) if of.gpu] if reference else []
    )
    return [
        (of, replace(chart, name=re.sub(r"[^\w.-]", "-", before + chart.name)))
        for of, before, chart in found
    ]

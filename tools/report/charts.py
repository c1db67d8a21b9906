"""What each chart shows, chosen from the rows."""

import re, textwrap

import ladder
from drawing import Series, line_chart
from measured import ABOVE, Row, gflops, marked, percent, seconds

SLOW, FULL = "Where 01 itself is slow, all speedups rise.", "100 % is what the device can do."
COUNTED = ("threads", "ranks", "GPUs")


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


def rung_lines(results, type, gpu):
    """{label: rows} of the ladder's steps, each by the variant and the build that stand there, with
    its best tile at each n; with them of the tensor cores, which multiply BF16, the fastest."""
    bars, lines = [bar for of in ladder.of_types(results, type, gpu) for bar in of.bars], {}
    last = {bar.idea if bar.label == "yours" else bar.label: bar.row for bar in bars}
    for row in last.values():
        alike = {name: getattr(row, name) for name in "type step variant threads ranks".split()}
        at = {row.n: row for row in sorted(results.select(**alike), key=lambda row: -row.whole_s)}
        lines[row.label() + f" {row.type}" * (row.type != type)] = [at[n] for n in sorted(at)]
    return lines


def course(results, type, gpu):
    """Time, speedup and efficiency of the rungs and the best library, on the processor or on the
    GPU."""
    lines = rung_lines(results, type, gpu)
    rows = [row for rows in lines.values() for row in rows]
    if not (sizes := {row.n for row in rows}):
        return
    size = max(sizes) if gpu else results.size_of(rows)
    library, _ = results.best_library(type, size, gpu)
    beside = results.libraries(type, gpu)
    beside = [beside[library, n] for n in sizes if (library, n) in beside]

    def share(row):
        roof = results.roof_of(row, results.cores)
        return roof and [100 * rate / roof for rate in row.rates()]

    for kind, title, see, measure, unit, more in (
        ("time", "Time of one product", "Lower is better.", Row.times, "%.0s %cs", {"log": True}),
        ("speedup", "Speedup over 01 ijk", SLOW, results.speedup, "%g×", {"log": True}),
        ("efficiency", "Efficiency: % of the peak", FULL, share, "%g %%", {"bound": 100}),
    ):
        series = [Series(label, points(rows, "n", measure)) for label, rows in lines.items()]
        series.append(Series(library, points(beside, "n", measure), dashed=True))
        name, title = f"{kind}_{type}" + "_gpu" * gpu, title + ", on the GPU" * gpu + f", {type}"
        near = 0 if gpu else size
        yield line_chart(name, title, see, series, "n (matrices n × n)", unit, near=near, **more)


def scaling(results, type, by):
    """[{threads: row}] of what ran on one and on more threads, ranks of one thread, or GPUs, at one
    size: the fastest variant of each step first, and its build; on GPUs each variant."""
    found, on_gpus = {}, by == "GPUs"
    of_it = lambda row: row.gpu == on_gpus and not ladder.left_out(row)
    for row in results.select(of_it, type=type):
        if on_gpus or getattr(row, by) == row.workers:
            p = row.workers
            of = found.setdefault((row.n, row.step, row.variant), {})
            of[p] = min(of.get(p, row), row, key=lambda row: row.whole_s)
    several = [of for of in found.values() if 1 in of and len(of) > 1]
    n = results.size_of([of[1] for of in several])
    several.sort(key=lambda of: -min(row.whole_s for row in of.values()))
    name = lambda row: row.variant if on_gpus else row.step[:2]
    fastest = {name(of[1]): of for of in several if of[1].n == n}
    return list(fastest.values())[::-1]


def efficiency(of, p):
    """Of p threads, or ranks, in words: with ! where it is above its bound beyond its spread, as a
    range where it is above within that; – where it is unknown."""
    if not (spread := of[p].times_of(of[1])):
        return percent(None)
    share, low, high = (at / p for at in spread)
    if share > ABOVE >= low:
        return f"{percent(low)} to {percent(high)}"
    return percent(share) + " !" * (low > ABOVE)


def scaling_chart(results, type, by):
    """Speedup over one thread, rank or GPU; at each name the efficiency."""
    if not (found := scaling(results, type, by)):
        return None
    series, n, cores = [], found[0][1].n, results.cores if by != "GPUs" else 10**6
    said = "Beside a name its efficiency: the speedup divided by their number"
    said += ", up to the cores." if by != "GPUs" else "."
    said += " In turns: the median, least and largest." * (by != "ranks")
    for of in found:
        speedups = points(of.values(), "workers", lambda row: row.times_of(of[1]))
        name = f"{of[1].label()}, {efficiency(of, max(p for p in of if p <= cores))}"
        series += [Series(of[1].label(), speedups, name)] * (len(speedups) > 1)
    counts = {p for line in series for p in line.points}
    ideal = {p: (y := min(p, cores), y, y, f"{y}×") for p in counts}
    series.append(Series("ideal", ideal, dashed=True))
    title = f"Speedup by {by}, {type}, n = {n}"
    return line_chart(f"{by}_{type}", title, said, series, by, "%g×")


def printed(title, counts, shown, base):
    """What a report printed and ours, over what its table varies, a count or the size."""
    by_count, series, by, hues = "" not in counts and len(counts) > 1, {}, {}, {}
    names, sizes = ({line[of] for line, *_ in shown} for of in ("published", "n"))
    for line, row, both, told in shown:
        n, (count, _, among) = int(line["n"]), line["count"].partition(" of ")
        by[line["by"] + f" ({among} threads in all)" * bool(among)] = None
        name = [line["published"]] * (not by_count or len(names) > 1)
        name = ", ".join(name + [f"n = {n}"] * (by_count and len(sizes) > 1))
        hue = hues.setdefault(name, f"{len(hues) + 1:02}")  # of a pair one colour
        for x, y, who in zip((n, row.n), both, ("published", "here")):
            name += f" ({row.n})" * (who == "here" and "n = " in name and row.n != n)
            end = textwrap.fill(name.replace("+", "+ "), 17).replace("+ ", "+")
            how = who if not name else end if who == "here" else " ", who == "published", hue
            of = series.setdefault((name, who), Series(f"{name} {who}".strip(), {}, *how))
            of.points |= {int(count) if by_count else x: (y, y, y, told)} if y > 0 else {}
    if len({x for of in series.values() for x in of.points}) < 2:
        return None
    see = "Dashed: published; solid: here." + f" In multiples of {base}." * bool(base)
    times = shown[0][0]["what"].partition(" over ")[0] in ("GFLOP/s", "speedup")
    x, unit = ", ".join(by) if by_count else "n (matrices n × n)", "%g" + "×" * times
    name = re.sub(r"\W+", "_", title.lower())
    return line_chart(name, title, see, [*series.values()], x, unit, log=True, to_scale=True)

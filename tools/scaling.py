"""How products grow faster with threads: what is compared, what does not shrink, and what others published."""
import csv
from pathlib import Path

from measured import marked, percent, short, times

SHARING = ("sums_padded", "sums_side_by_side")  # of 04: what shows false sharing, in a chart of its own
SERIAL_IS = ("The serial fraction is Amdahl's s in time(p) / time(1) = s + (1 - s) / p, fitted up to the cores: all "
             "that does not shrink with threads, shared bandwidth included; a fit to two points says no more than "
             "they do.")
PUBLISHED = Path(__file__).resolve().parent.parent / "plots" / "published"
# By file: what was measured and where; ours that does the same: its step, its variants, the most alike first.
SOURCES = {
    "genova_2024": ("Genova 2024: tiles of 256 with simd, i9-12900K (8 fast cores, 8 slow ones, 24 hardware threads)",
                    "04_openmp", ["tiled_simd", "tiled", "parallel_for", "collapse_simd"]),
    "csc4005_2023": ("CSC4005 2023: ikj with AVX2, a university cluster (speedups worked out from its times)",
                     "05_avx2", ["ikj_avx2", "dot_avx2"])}


def serial_fraction(times, cores):
    """Amdahl's s in T(p) / T(1) = s + (1 - s) / p, by least squares on {p: T(p)} up to the cores; None if unknown."""
    points = [(1 - 1 / p, time / times[1] - 1 / p) for p, time in times.items() if 1 < p <= cores and 1 in times]
    if not points:
        return None
    return min(1, max(0, sum(x * y for x, y in points) / sum(x * x for x, _ in points)))


class Scaling:
    """A variant at one size: its best row on each of several numbers of threads."""

    def __init__(self, runs, cores):
        self.runs = {row.threads: row for row in runs}
        self.step, self.variant, self.type, self.n = runs[0].step, runs[0].variant, runs[0].type, runs[0].n
        self.times = {threads: row.median_s for threads, row in self.runs.items()}
        self.serial = serial_fraction(self.times, cores)

    def label(self, rated):
        """The program, the variant and, beside rates, what was fitted."""
        serial = f", serial {percent(self.serial)}" if rated and self.serial is not None else ""
        return f"{short(self.step)}: {self.variant}{serial}"

    def speedup(self, seconds):
        """Over its own time on one thread, or None."""
        return self.times[1] / seconds if 1 in self.times and seconds else None


def scalings(results, type):
    """All that ran on several numbers of threads, the fastest first."""
    alike = {}
    for row in results.least("n, step, variant, threads", "ranks < 2 AND threads > 0", order="threads", type=type):
        alike.setdefault((row.n, row.step, row.variant), []).append(row)
    found = [Scaling(runs, results.cores) for runs in alike.values() if len(runs) > 1]
    return sorted(found, key=lambda scaling: min(scaling.times.values()))


def sharing(found):
    """The demonstration of false sharing, at the largest size that has all of it; else nothing."""
    pairs = {}
    for scaling in found:
        if scaling.step == "04_openmp" and scaling.variant in SHARING:
            pairs.setdefault(scaling.n, []).append(scaling)
    n = max((n for n, pair in pairs.items() if len(pair) == len(SHARING)), default=None)
    return sorted(pairs.get(n, ()), key=lambda scaling: SHARING.index(scaling.variant))


def ranked(found):
    """Of the largest size, without what shows false sharing: each program's fastest first, then the others."""
    n = max((scaling.n for scaling in found), default=None)
    fast = [scaling for scaling in found if scaling.n == n and scaling.variant not in SHARING]
    first = {scaling.step: scaling for scaling in reversed(fast)}
    return sorted(fast, key=lambda scaling: first[scaling.step] is not scaling)


def printed(name, experiments=()):
    """The figures of a report as dictionaries: those of these experiments, or all."""
    with open(PUBLISHED / f"{name}.csv", encoding="utf-8", newline="") as file:
        return [cells for cells in csv.DictReader(file) if not experiments or cells["experiment"] in experiments]


def published(found):
    """A table for each report that printed its threads: theirs, and beside it ours that is the most alike."""
    for name, (what, step, variants) in SOURCES.items():
        lines = printed(name, ["openmp_threads"])
        n, type = max(int(cells["n"]) for cells in lines), lines[0]["type"]
        theirs = {(cells["metric"], int(cells["threads"])): float(cells["value"]) for cells in lines if int(cells["n"]) == n}
        alike = [scaling for scaling in found if scaling.step == step and scaling.variant in variants and 1 in scaling.times]
        ours = min(alike, default=None, key=lambda scaling: (scaling.type != type.replace("int", "i"), variants.index(scaling.variant), -scaling.n))
        rows = []
        for threads in sorted({threads for _, threads in theirs}):
            factor = theirs.get(("speedup", threads)) or theirs["time", 1] / theirs["time", threads]
            mine = ours and ours.speedup(ours.times.get(threads))
            rows.append([str(threads), times(factor), percent(theirs.get(("efficiency", threads), factor / threads), 0),
                         times(mine), percent(mine and mine / threads, 0)])
        whose = f"{ours.step} {ours.variant}, {ours.type}, n = {ours.n}" if ours else "not measured here"
        yield (f"Beside {what}, {type}, n = {n}", ["threads", "published speedup", "published efficiency", "our speedup", "our efficiency"], rows,
               f"Ours: {whose}. Other machines, other sizes: what compares is how the figures fall as threads are added.")


def own_table(type, found, cores):
    """Each variant at the largest size, on the most threads, and before that on the most with a core each."""
    rows, n = [], max(scaling.n for scaling in found)
    for scaling in (scaling for scaling in found if scaling.n == n):
        of = scaling.runs
        alone, fitted = [of[1]] if 1 in of else [], [row for p, row in of.items() if p <= cores]
        for most in sorted({max(of), *[p for p in of if 1 < p <= cores][-1:]}):
            factor = scaling.speedup(scaling.times[most])
            rows.append([scaling.step, scaling.variant, alone[0].time() if alone else "–", f"{most}{', beyond the cores' * (most > cores)}",
                         of[most].time(), *(marked(text, *alone, of[most]) for text in (times(factor), percent(factor and factor / most))),
                         marked(percent(scaling.serial), *fitted)])
    return (f"Speedup and serial fraction, {type}, n = {n}",
            ["program", "variant", "one thread", "threads", "time", "speedup", "efficiency", "serial fraction"], rows)


def tables(results):
    """How products scale with threads, ours and others', each table (title, headings, rows, note): none where none ran on several."""
    by_type = {type: found for type in results.types if (found := scalings(results, type))}
    return [*(own_table(type, found, results.cores) for type, found in by_type.items()),
            *(published(sum(by_type.values(), [])) if by_type else ())]

"""How products grow faster with threads: what is compared, and what does not shrink."""
import published
from measured import marked, percent, short, times

SHARING = ("sums_padded", "sums_side_by_side")  # of 04: what shows false sharing, in a chart of its own
SERIAL_IS = ("The serial fraction is Amdahl's s in time(p) / time(1) = s + (1 - s) / p, fitted up to the cores: all "
             "that does not shrink with threads, shared bandwidth included; a fit to two points says no more than "
             "they do.")


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
            *(published.tables(results, False) if by_type else ())]

"""How products grow faster with threads: what is compared, and what does not shrink."""
from measured import marked, percent, short, times

FALSE_SHARING = ("sums_padded", "sums_side_by_side")  # of 04: what shows false sharing, in a chart of its own
SERIAL_IS = ("The serial fraction is Amdahl's s in time(p) / time(1) = s + (1 - s) / p, fitted up to the cores: all "
             "that does not shrink with threads, shared bandwidth included; a fit to two points says no more than "
             "they do.")


def serial_fraction(times, cores):
    """Amdahl's s in T(p) / T(1) = s + (1 - s) / p, by least squares on {p: T(p)} up to the cores; None if unknown."""
    points = [(1 - 1 / p, time / times[1] - 1 / p) for p, time in times.items() if 1 < p <= cores and 1 in times]
    return min(1, max(0, sum(x * y for x, y in points) / sum(x * x for x, _ in points))) if points else None


class Scaling:
    """A variant at one size: {threads: its best row}, of several numbers of threads. Each row's `alone_s` is the time on one."""

    def __init__(self, rows, cores):
        self.rows = {row.threads: row for row in rows}
        self.step, self.variant, self.n = rows[0].step, rows[0].variant, rows[0].n
        self.serial = serial_fraction({threads: row.median_s for threads, row in self.rows.items()}, cores)
        for row in rows:
            row.alone_s = self.rows[1].median_s if 1 in self.rows else None

    def label(self, rated):
        """The program, the variant and, beside rates, what was fitted."""
        serial = f", serial {percent(self.serial)}" if rated and self.serial is not None else ""
        return f"{short(self.step)}: {self.variant}{serial}"


def scalings(results, type):
    """All that ran on several numbers of threads, the fastest first."""
    alike = {}
    for row in results.least("n, step, variant, threads", "ranks < 2 AND threads > 0", order="threads", type=type):
        alike.setdefault((row.n, row.step, row.variant), []).append(row)
    found = [Scaling(rows, results.cores) for rows in alike.values() if len(rows) > 1]
    return sorted(found, key=lambda scaling: min(row.median_s for row in scaling.rows.values()))


def false_sharing(found):
    """The demonstration of false sharing, at the largest size that has all of it; else nothing."""
    pairs = {}
    for scaling in found:
        if scaling.step == "04_openmp" and scaling.variant in FALSE_SHARING:
            pairs.setdefault(scaling.n, []).append(scaling)
    n = max((n for n, pair in pairs.items() if len(pair) == len(FALSE_SHARING)), default=None)
    return sorted(pairs.get(n, ()), key=lambda scaling: FALSE_SHARING.index(scaling.variant))


def ranked(found):
    """Of the largest size, without what shows false sharing: each program's fastest first, then the others."""
    n = max((scaling.n for scaling in found), default=None)
    fast = [scaling for scaling in found if scaling.n == n and scaling.variant not in FALSE_SHARING]
    first = {scaling.step: scaling for scaling in reversed(fast)}
    return sorted(fast, key=lambda scaling: first[scaling.step] is not scaling)


def tables(results):
    """Of each type each variant at the largest size, on the most threads, and before that on the most with a core each:
    (title, headings, rows)."""
    for type in results.types:
        found, rows = scalings(results, type), []
        n = max((scaling.n for scaling in found), default=0)
        for scaling in (scaling for scaling in found if scaling.n == n):
            of = scaling.rows
            alone, fitted = [of[1]] if 1 in of else [], [row for threads, row in of.items() if threads <= results.cores]
            for row in (of[most] for most in sorted({max(of), *[row.threads for row in fitted if row.threads > 1][-1:]})):
                factor = row.alone_s and row.alone_s / row.median_s
                rows.append([row.step, row.variant, alone[0].time() if alone else "–", f"{row.threads}{', beyond the cores' * (row.threads > results.cores)}",
                             row.time(), *(marked(text, *alone, row) for text in (times(factor), percent(factor and factor / row.threads))),
                             marked(percent(scaling.serial), *fitted)])
        if rows:
            yield (f"Speedup and serial fraction, {type}, n = {n}",
                   ["program", "variant", "one thread", "threads", "time", "speedup", "efficiency", "serial fraction"], rows)

"""How products grow faster with threads, or with ranks, and what does not shrink."""

from measured import marked, percent, times

SERIAL_IS = (
    "The serial fraction is Amdahl's s in time(p) / time(1) = s + (1 - s) / p, fitted to four "
    "undisturbed points or more, up to the cores: all that does not shrink with threads, shared "
    "bandwidth included."
)


def serial_fraction(times):
    """Amdahl's s by least squares on {p: T(p)}; None of fewer than four points, or without T(1)."""
    if len(times) < 4 or 1 not in times:
        return None
    points = [(1 - 1 / p, time / times[1] - 1 / p) for p, time in times.items() if p > 1]
    return min(1, max(0, sum(x * y for x, y in points) / sum(x * x for x, _ in points)))


class Scaling:
    """A variant at one size: `rows` is {threads or ranks: its best row}."""

    def __init__(self, rows, by, cores):
        self.rows = {getattr(row, by): row for row in rows}
        self.step, self.variant, self.n = rows[0].step, rows[0].variant, rows[0].n
        self.alone = self.rows.get(1)
        quiet = {p: row.whole_s for p, row in self.rows.items() if p <= cores and row.quiet != "no"}
        self.serial = serial_fraction(quiet)

    def label(self):
        return self.rows[max(self.rows)].program()

    def speedup(self, row, whole_s=None):
        return self.alone and self.alone.whole_s / (whole_s or row.whole_s)


def scalings(results, type, by):
    """What ran on several numbers of threads, or of ranks of one thread, at the size that has the
    most such rows: the fastest first."""
    where = "ranks < 2 AND threads > 0" if by == "threads" else "threads < 2"
    rows = results.least(f"n, step, variant, {by}", where, "whole_s", order=by, type=type)
    alike = {}
    for row in rows:
        alike.setdefault((row.n, row.step, row.variant), []).append(row)
    several = [rows for rows in alike.values() if len(rows) > 1]
    counts = [row.n for rows in several for row in rows]
    n = max(counts, key=lambda n: (counts.count(n), n), default=0)
    found = [Scaling(rows, by, results.cores) for rows in several if rows[0].n == n]
    return sorted(found, key=lambda of: min(row.whole_s for row in of.rows.values()))


def shown(found, most=6):
    """Of these, so many: each program's fastest first."""
    first = {of.step: of for of in reversed(found)}
    return sorted(found, key=lambda of: first[of.step] is not of)[:most]


def tables(results):
    """Of each type each variant on the most threads, and before that on the most with a core each:
    (title, headings, rows)."""
    headings = "program, variant, one thread, threads, time, speedup, efficiency, serial fraction"
    for type in results.types:
        found = scalings(results, type, "threads")
        rows = [cells for of in found for cells in cells_of(of, results.cores)]
        if rows:
            title = f"Speedup and serial fraction, {type}, n = {found[0].n}"
            yield title, headings.split(", "), rows


def cells_of(of, cores):
    """A row for the most threads with a core each, and one for the most of all."""
    own = [threads for threads in of.rows if 1 < threads <= cores]
    alone = [of.alone] if of.alone else []
    for threads in sorted({max(of.rows), *own[-1:]}):
        row, factor = of.rows[threads], of.speedup(of.rows[threads])
        rates = (times(factor), percent(factor and factor / threads))
        beyond, one = ", beyond the cores" * (threads > cores), alone[0].time() if alone else "–"
        marked_rates = [marked(text, *alone, row) for text in rates]
        on = [one, f"{threads}{beyond}", row.time()]
        yield [of.step, of.variant, *on, *marked_rates, percent(of.serial)]

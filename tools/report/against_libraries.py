"""Ours against the libraries: the rows in turns of libraries.csv, their tables and charts."""
from statistics import geometric_mean

from drawing import Chart
from measured import Record, Refusal, Table, digits, place_of, read, whose

ABOVE = "Above 1 ours is the faster: medians of paired ratios; the thin bars are their quartiles."
KEPT = "libraries kept to AVX2"
TARGET = 0.98  # of the best library, in every cell
TOP = 1.5  # a chart shows no more, unless the mean is above it: what matters is near 1
POSITIVE = "m n k threads ratio ratio_low ratio_high gflops against_gflops".split()
SOUND = ["verdict = 'right'", "variant NOT GLOB 'library*'"]
SOUND = " AND ".join([*SOUND, *(f"{name} > 0" for name in POSITIVE)])
AVX2 = "variant LIKE 'tuned%' AND against LIKE '% haswell'"  # both by AVX2 kernels


class Comparison(Record):
    """A row: a product of ours and of a library, in turns."""

    def square(self):
        return self.m == self.n == self.k

    def shape(self):
        """256, 2048²×32, 3×4×5."""
        if self.square():
            return str(self.n)
        return f"{self.n}²×{self.k}" if self.m == self.n else f"{self.m}×{self.n}×{self.k}"


class Group:
    """The comparisons of one host, type, number of threads and variant with libraries at their
    best, or kept to AVX2; squares first, ascending."""

    def __init__(self, rows, against):
        self.rows, self.against, first = rows, against, rows[0]
        self.type, self.threads, self.variant = first.type, first.threads, first.variant
        self.host, self.place, self.on_gpu = first.host, place_of(rows), first.device_kind == "gpu"
        # Of each shape the library that did best beside ours, not the one of the highest rate:
        # they are minutes apart, and a rate says as much about the minute as about the library.
        self.best = {}
        for row in rows:
            best = self.best.setdefault(row.shape(), row)
            self.best[row.shape()] = min(best, row, key=lambda row: row.ratio)
        self.mean = geometric_mean(row.ratio for row in self.best.values())

    def title(self):
        on = "on a GPU" if self.on_gpu else whose(self.threads)
        return f"{self.variant} against {self.against}, {self.type}, {on}"


def load(path):
    """The groups, in the order of type, threads and variant."""
    table, groups = Table(read(path, "ratio"), Comparison), []
    by = "host, type, threads, variant"
    for cells in table.ask(f"DISTINCT {by}", SOUND, {}, f"ORDER BY {by}"):
        order, like = "m != n OR n != k, m, n, k, rowid", dict(zip(by.split(", "), cells))
        every = table.select(SOUND, order, **like)
        avx2 = table.select(f"{SOUND} AND {AVX2}", order, **like)
        if len(avx2) < len(every):
            groups.append(
                Group(every, "cuBLAS" if every[0].device_kind == "gpu" else "every library")
            )
        if avx2:
            groups.append(Group(avx2, KEPT))
    if not groups:
        raise Refusal(f"{path} has no row to show")
    return groups


def table(group):
    """The headings and rows: ours beside the best library at each shape, what is missed marked."""
    headings = "n, or m×n×k|best library|its GFLOP/s|ours|ours / it|quartiles|turns|".split("|")
    rows = []
    for shape, row in group.best.items():
        rates = [digits(row.against_gflops), digits(row.gflops)]
        quartiles = f"{row.ratio_low:.3f} – {row.ratio_high:.3f}"
        ratios = [f"{row.ratio:.3f}", quartiles, str(row.repeat)]
        rows.append([shape, row.against, *rates, *ratios, "!" * (row.ratio < TARGET)])
    mean = ["geometric mean", "", "", "", f"{group.mean:.3f}", "", "", "!" * (group.mean < 1)]
    return headings, [*rows, mean]


def summary(groups):
    """The headings and rows of how each group stands, as text."""
    rows = []
    for group in groups:
        ratios = [row.ratio for row in group.best.values()]
        worst = min(group.best.values(), key=lambda row: row.ratio)
        on, mean = "GPU" if group.on_gpu else str(group.threads), f"{group.mean:.3f}"
        where = f"{worst.ratio:.3f} at {worst.shape()}, {worst.against}"
        below = f"{sum(ratio < TARGET for ratio in ratios)} of {len(ratios)}"
        rows.append([group.variant, group.against, group.type, on, mean, where, below])
    return ["variant", "against", "type", "threads", "mean", "worst", f"below {TARGET:g}"], rows


def charts(groups):
    """Of each group (a chart of the ratio to each library against the shapes, the group); lines
    lead from square to square alone: what is next to a shape's name is another shape, not a
    larger one."""
    several_hosts = len({group.host for group in groups}) > 1
    for group in groups:
        others, shapes = sorted({row.against for row in group.rows}), list(group.best)
        lines, middle = {other: [] for other in others}, (len(others) - 1) / 2
        for row in group.rows:
            at, aside = shapes.index(row.shape()), 0.12 * (others.index(row.against) - middle)
            ratios = [row.ratio, row.ratio_low, row.ratio_high]
            lines[row.against] += [] if row.square() else [[]]
            lines[row.against].append([at + aside, *ratios, 0, at, row.shape()])
        highest = max(row.ratio_high for row in group.rows)
        top = min(TOP if group.mean < TOP else highest * 2, max(1.1, 1.03 * highest))
        bottom = min(0.9, *(0.97 * row.ratio_low for row in group.rows))
        settings = {"target": TARGET, "bottom": bottom, "top": top}
        footer = f"dashed: {TARGET:g} of the best library, the least that ours shall reach"
        footer += f"; above {TOP}: not shown" * (top == TOP)
        name = f"{group.host}_" * several_hosts
        name += f"libraries_{group.type}_{group.threads}_{group.variant}"
        name += "_avx2" * (group.against == KEPT)
        chart = Chart(name, "libraries", group.title(), ABOVE, lines, settings, footer=footer)
        yield chart, group

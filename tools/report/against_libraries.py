"""Ours against the libraries: the rows of rivals.csv, their tables and charts."""
from itertools import groupby
from statistics import geometric_mean

from drawing import Chart
from measured import RIVAL_COLUMNS, RIVAL_KEY, Record, Refusal, Table, digits, place_of, read, whose

COLUMNS = RIVAL_COLUMNS
KEPT = "libraries kept to AVX2"
TARGET = 0.98  # of the best library, in every cell
TOP = 1.5  # a chart shows no more, unless the mean is above it: what matters is near 1
SOUND = " AND ".join(
    f"{name} > 0"
    for name in "m n k threads ratio ratio_low ratio_high ours_gflops rival_gflops".split()
)
AVX2 = "variant LIKE 'tuned%' AND rival LIKE '% haswell'"  # an AVX2 rung against a library's AVX2 kernels


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
    """The comparisons of one host, type, number of threads and variant with libraries at their best, or kept to AVX2;
    squares first, ascending."""

    def __init__(self, rows, against):
        self.rows, self.against, first = rows, against, rows[0]
        self.type, self.threads, self.variant, self.host = (
            first.type,
            first.threads,
            first.variant,
            first.host,
        )
        self.on_gpu, self.place = first.rival.startswith("cuBLAS"), place_of(rows)
        # Of each shape the library that did best beside ours. (Not the one of the highest rate: comparisons are minutes
        # apart, and on a shared machine a rate says as much about the minute as about the library.)
        self.best = {
            shape: min(alike, key=lambda row: row.ratio)
            for shape, alike in groupby(rows, Comparison.shape)
        }
        self.mean = geometric_mean(row.ratio for row in self.best.values())

    def title(self):
        return f"{self.variant} against {self.against}, {self.type}, {'on a GPU' if self.on_gpu else whose(self.threads)}"


def load(path):
    """The groups, in the order of type, threads and variant. Rows alike in all of KEY: the last counts."""
    table, groups = Table(read(path, RIVAL_COLUMNS, RIVAL_KEY), COLUMNS, Comparison), []
    for host, type, threads, variant in table.ask(
        "DISTINCT host, type, threads, variant", SOUND, {}, "ORDER BY host, type, threads, variant"
    ):
        every, avx2 = (
            table.select(
                where,
                "m != n OR n != k, m, n, k, rowid",
                host=host,
                type=type,
                threads=threads,
                variant=variant,
            )
            for where in (SOUND, f"{SOUND} AND {AVX2}")
        )
        if len(avx2) < len(every):
            groups.append(
                Group(every, "cuBLAS" if every[0].rival.startswith("cuBLAS") else "every library")
            )
        if avx2:
            groups.append(Group(avx2, KEPT))
    if not groups:
        raise Refusal(f"{path} has no row to show")
    return groups


def table(group):
    """The headings and rows: ours beside the best library at each shape, what is missed marked."""
    headings = [
        "n, or m×n×k",
        "best library",
        "its GFLOP/s",
        "ours",
        "ours / it",
        "quartiles",
        "pairs",
        "",
    ]
    rows = [
        [
            shape,
            row.rival,
            digits(row.rival_gflops),
            digits(row.ours_gflops),
            f"{row.ratio:.3f}",
            f"{row.ratio_low:.3f} – {row.ratio_high:.3f}",
            str(row.pairs),
            "!" * (row.ratio < TARGET),
        ]
        for shape, row in group.best.items()
    ]
    return headings, [
        *rows,
        ["geometric mean", "", "", "", f"{group.mean:.3f}", "", "", "!" * (group.mean < 1)],
    ]


def summary(groups):
    """The headings and rows of how each group stands, as text."""
    rows = []
    for group in groups:
        ratios = [row.ratio for row in group.best.values()]
        worst = min(group.best.values(), key=lambda row: row.ratio)
        rows.append(
            [
                group.variant,
                group.against,
                group.type,
                "GPU" if group.on_gpu else str(group.threads),
                f"{group.mean:.3f}",
                f"{worst.ratio:.3f} at {worst.shape()}, {worst.rival}",
                f"{sum(ratio < TARGET for ratio in ratios)} of {len(ratios)}",
            ]
        )
    return ["variant", "against", "type", "threads", "mean", "worst", f"below {TARGET:g}"], rows


def charts(groups):
    """Of each group (a chart of the ratio to each library against the shapes, the group); lines lead from square
    to square alone: what is next to a shape's name is another shape, not a larger one."""
    several_hosts = len({group.host for group in groups}) > 1
    for group in groups:
        rivals, shapes = sorted({row.rival for row in group.rows}), list(group.best)
        lines = {rival: [] for rival in rivals}
        for row in group.rows:
            at, aside = shapes.index(row.shape()), 0.12 * (
                rivals.index(row.rival) - (len(rivals) - 1) / 2
            )
            gap = [] if row.square() else [[]]
            spread = [row.ratio, row.ratio_low, row.ratio_high]
            lines[row.rival] += [*gap, [at + aside, *spread, 0, at, row.shape()]]
        lowest, highest = min(row.ratio_low for row in group.rows), max(
            row.ratio_high for row in group.rows
        )
        top = min(TOP if group.mean < TOP else highest * 2, max(1.1, 1.03 * highest))
        settings = {"target": TARGET, "bottom": min(0.9, 0.97 * lowest), "top": top}
        name = f"rivals_{group.type}_{group.threads}_{group.variant}" + "_avx2" * (
            group.against == KEPT
        )
        caption = "Above 1 ours is the faster: medians of paired ratios, the thin bars are their quartiles."
        footer = f"dashed: {TARGET:g} of the best library, the least that ours shall reach"
        footer += f"; above {TOP}: not shown" * (top == TOP)
        host = f"{group.host}_" * several_hosts
        yield Chart(
            host + name, "rivals", group.title(), caption, lines, settings, footer=footer
        ), group

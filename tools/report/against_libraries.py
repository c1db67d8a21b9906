"""Ours against the libraries: the rows in turns of libraries.csv, their tables and charts."""

from statistics import geometric_mean

from drawing import Series, line_chart
from measured import Refusal, digits, gflops, read

KEPT = "libraries kept to AVX2"
TARGET = 0.98  # of the best library, in every cell
POSITIVE = "m n k threads ratio ratio_low ratio_high gflops against_gflops".split()
SEE = "Above 1 ours is the faster, in turns with the library that did best; bars are its spread."


def in_turns(rows):
    """Of these rows those of a product of ours and of a library in turns."""
    return [
        row for row in rows if row.verdict == "right" and all(getattr(row, of) for of in POSITIVE)
    ]


def by_avx2(row):
    """Whether both ran AVX2 kernels."""
    return row.variant.startswith("tuned") and row.against.endswith(" haswell")


class Group:
    """The comparisons of one host, type, number of threads and variant with libraries at their
    best, or kept to AVX2; squares first, ascending."""

    def __init__(self, rows, against):
        rows = sorted(rows, key=lambda row: (not row.square, row.m, row.n, row.k))
        self.against, self.first = against, rows[0]
        self.device, self.on_gpu = rows[0].device, rows[0].gpu
        # Of each shape the library that did best beside ours, not the one of the highest rate:
        # they are minutes apart, and a rate says as much about the minute as about the library.
        self.best = {}
        for row in rows:
            self.best[row.shape()] = min(
                self.best.get(row.shape(), row), row, key=lambda row: row.ratio
            )
        self.mean = geometric_mean(row.ratio for row in self.best.values())

    def workers(self):
        return (
            "on a GPU"
            if self.on_gpu
            else f"{self.first.threads} thread" + "s" * (self.first.threads > 1)
        )

    def title(self):
        return f"{self.first.variant} against {self.against}, {self.first.type}, {self.workers()}"


def grouped(rows):
    """The groups of rows in turns, in the order of type, threads and variant."""
    groups, alike = [], {}
    for row in in_turns(rows):
        alike.setdefault((row.host, row.type, row.threads, row.variant), []).append(row)
    for _, of in sorted(alike.items()):
        avx2 = [row for row in of if by_avx2(row)]
        if len(avx2) < len(of):
            groups.append(Group(of, "cuBLAS" if of[0].gpu else "every library"))
        if avx2:
            groups.append(Group(avx2, KEPT))
    return groups


def load(path):
    if not (groups := grouped(read(path, "ratio"))):
        raise Refusal(f"{path} has no row to show")
    return groups


def table(group):
    """The headings and rows: ours beside the best library at each shape, what is missed marked."""
    headings = "n, or m×n×k|best library|its rate|ours|ours / it|turns|".split("|")
    rows = [
        [
            shape,
            row.against,
            gflops(row.against_gflops),
            gflops(row.gflops),
            row.ratios(),
            str(row.repeat),
            "!" * (row.ratio < TARGET),
        ]
        for shape, row in group.best.items()
    ]
    mean = ["geometric mean", "", "", "", digits(group.mean), "", "!" * (group.mean < 1)]
    return headings, [*rows, mean]


def summary(groups):
    """The headings and rows of how each group stands, as text."""
    rows = []
    for group in groups:
        worst = min(group.best.values(), key=lambda row: row.ratio)
        below = sum(row.ratio < TARGET for row in group.best.values())
        where = f"{worst.ratios()} at {worst.shape()}, {worst.against}"
        first = [group.first.variant, group.against, group.first.type, group.workers()]
        rows.append([*first, f"{group.mean:.3f}", where, f"{below} of {len(group.best)}"])
    return ["variant", "against", "type", "threads", "mean", "worst", f"below {TARGET:g}"], rows


def charts(groups):
    """Of each type the ratio to the best library of each square, a line a variant."""
    found = []
    for type in dict.fromkeys(group.first.type for group in groups):
        series = []
        for group in [
            group for group in groups if group.first.type == type and group.against != KEPT
        ]:
            told = {
                n: f"n = {n}: {row.ratios()} times {row.against}"
                for n, row in group.best.items()
                if row.square
            }
            ends = {
                n: (of.ratio, of.ratio_low, of.ratio_high, told[n])
                for n, of in group.best.items()
                if of.square
            }
            label = f"{'09' if group.on_gpu else '05'} {group.first.variant}"
            series.append(
                Series(label, ends, f"{label}, {group.workers()}", group.first.threads > 1)
            )
        sizes = dict.fromkeys(n for of in series for n in of.points)
        title, panels = f"Ours over the best library, {type}", [("", sorted(sizes, key=int))]
        more = {"unit": "{:.3g}×".format, "bound": (1,), "zero": False, "type": type}
        found.append(
            line_chart(
                f"libraries_{type}", title, SEE, series, panels, "n (matrices n × n)", **more
            )
        )
    return list(filter(None, found))

"""Ours against the libraries: the rows in turns, how they stand, their charts."""

from statistics import geometric_mean

from drawing import Series, line_chart
from measured import Refusal, read

KEPT = "libraries kept to AVX2"
TARGET = 0.98  # of the best library, in every cell
POSITIVE = "m n k threads ratio ratio_low ratio_high gflops against_gflops".split()
SEE = "Above 1 ours is the faster, in turns with the library that did best there."
HEADINGS = ["variant", "against", "type", "on", "mean", "worst", f"below {TARGET:g}"]


class Group:
    """The comparisons of one host, type, number of threads and variant with libraries at their
    best, or kept to AVX2; squares first, ascending."""

    def __init__(self, rows, against):
        rows = sorted(rows, key=lambda row: (not row.square, row.m, row.n, row.k))
        self.against, self.first, self.on_gpu = against, rows[0], rows[0].gpu
        # Of each shape the library that did best beside ours, not the one of the highest rate:
        # they are minutes apart, and a rate says as much about the minute as about the library.
        self.best = {}
        for row in rows:
            before = self.best.get(row.shape(), row)
            self.best[row.shape()] = min(before, row, key=lambda row: row.ratio)
        self.mean = geometric_mean(row.ratio for row in self.best.values())
        threads = self.first.threads
        self.on = "a GPU" if self.on_gpu else f"{threads} thread" + "s" * (threads > 1)

    def cells(self):
        """How it stands, in words, as HEADINGS name them."""
        worst = min(self.best.values(), key=lambda row: row.ratio)
        where = f"{worst.ratios()} at {worst.shape()}, {worst.against}"
        below = sum(row.ratio < TARGET for row in self.best.values())
        of = [self.first.variant, self.against, self.first.type, self.on]
        return [*of, f"{self.mean:.3f}", where, f"{below} of {len(self.best)}"]

    def series(self):
        """The ratio at each square."""
        points = {}
        for row in [row for row in self.best.values() if row.square]:
            told = f"n = {row.n}: {row.ratios()} times {row.against}"
            points[row.n] = (row.ratio, row.ratio_low, row.ratio_high, told)
        of_gpu = {"best": "09", "bf16": "12"}.get(self.first.variant, "13")
        label = f"{of_gpu if self.on_gpu else '05'} {self.first.variant}"
        name = label if self.on_gpu else f"{label.removesuffix('_threads')}, {self.on}"
        return Series(label, points, name, dashed=self.first.threads > 1)


def grouped(rows):
    """The groups of those rows that are of ours and a library in turns, by type, threads and
    variant."""
    groups, alike = [], {}
    for row in rows:
        in_turns = not row.variant.startswith("library")
        if in_turns and row.verdict == "right" and all(getattr(row, name) for name in POSITIVE):
            of = (row.host, row.type, row.threads, row.variant)
            alike.setdefault(of, []).append(row)
    for (*_, variant), of in sorted(alike.items()):
        narrow = [row for row in of if variant[:5] == "tuned" and row.against.endswith(" haswell")]
        if len(narrow) < len(of):
            groups.append(Group(of, "cuBLAS" if of[0].gpu else "every library"))
        if narrow:
            groups.append(Group(narrow, KEPT))
    return groups


def load(path):
    if not (groups := grouped(read(path, "ratio"))):
        raise Refusal(f"{path} has no row to show")
    return groups


def at_best(groups):
    """Those against libraries that are not kept to AVX2."""
    return [group for group in groups if group.against != KEPT]


def sentence(group):
    of = group.cells()
    return f"{of[0]} against {of[1]}, {of[2]}, {of[3]}: {of[4]} on average, at worst {of[5]}."


def charts(groups):
    """Of each type the ratio to the best library of each square, a line a variant."""
    found = []
    for type in dict.fromkeys(group.first.type for group in groups):
        series = [of.series() for of in at_best(groups) if of.first.type == type]
        panels = [("", sorted({n for of in series for n in of.points}))]
        more = {"bound": 1, "zero": False, "type": type, "xlabel": "n (matrices n × n)"}
        name, title = f"libraries_{type}", f"Ours over the best library, {type}"
        found.append(line_chart(name, title, SEE, series, panels, unit="%.3g×", **more))
    return list(filter(None, found))

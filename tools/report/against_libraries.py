"""Ours against the libraries: the rows in turns, and how they stand."""

from statistics import geometric_mean

from measured import Refusal, read

KEPT = "libraries kept to AVX2"
TARGET = 0.98  # of the best library, in every cell
POSITIVE = "m n k threads ratio ratio_low ratio_high gflops against_gflops".split()
HEADINGS = ["variant", "against", "type", "on", "mean", "worst", f"below {TARGET:g}"]


def ratios(row):
    """In words the ratio of turns, with the least and the largest, or the quartiles."""
    ends = (row.ratio_min, row.ratio_max)
    low, high = ends if None not in ends else (row.ratio_low, row.ratio_high)
    return f"{row.ratio:.2f} ({low:.2f} to {high:.2f})"


class Group:
    """The comparisons of one host, type, number of threads and variant with libraries at their
    best, or kept to AVX2."""

    def __init__(self, rows, against):
        self.against, self.first = against, rows[0]
        # Of each shape the library that did best beside ours, not the one of the highest rate:
        # they are minutes apart, and a rate says as much about the minute as about the library.
        self.best = {row.shape(): row for row in sorted(rows, key=lambda row: -row.ratio)}
        self.mean = geometric_mean(row.ratio for row in self.best.values())

    def cells(self):
        """How it stands, in words, as HEADINGS name them."""
        worst, threads = min(self.best.values(), key=lambda row: row.ratio), self.first.threads
        where = f"{ratios(worst)} at {worst.shape()}, {worst.against}"
        below = sum(row.ratio < TARGET for row in self.best.values())
        on = "a GPU" if self.first.gpu else f"{threads} thread" + "s" * (threads > 1)
        of = [self.first.variant, self.against, self.first.type, on]
        return [*of, f"{self.mean:.3f}", where, f"{below} of {len(self.best)}"]


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

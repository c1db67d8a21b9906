"""Ours against the libraries: the rows in turns, and how they stand."""

from statistics import geometric_mean

KEPT = "libraries kept to AVX2"
TARGET = 0.98  # of the best library, in every cell
POSITIVE = "m n k threads ratio ratio_low ratio_high gflops against_gflops".split()


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

    def sentence(self):
        """How it stands."""
        of, worst = self.first, min(self.best.values(), key=lambda row: row.ratio)
        on = "a GPU" if of.gpu else f"{of.threads} thread" + "s" * (of.threads > 1)
        below = sum(row.ratio < TARGET for row in self.best.values())
        return (
            f"{of.variant} against {self.against}, {of.type}, {on}: {self.mean:.3f} on average, "
            f"at worst {ratios(worst)} at {worst.shape()}, {worst.against}; "
            f"below {TARGET:g} in {below} of {len(self.best)}."
        )


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

"""Ours against the libraries: the rows in turns, and how they stand."""

from statistics import geometric_mean

TARGET = 0.98  # of the best library, in every cell
POSITIVE = "m n k threads ratio ratio_low ratio_high gflops against_gflops".split()


def ratios(row):
    """In words the ratio of turns, with the least and the largest, or the quartiles."""
    ends = (row.ratio_min, row.ratio_max)
    low, high = ends if None not in ends else (row.ratio_low, row.ratio_high)
    return f"{row.ratio:.2f} ({low:.2f} to {high:.2f})"


def grouped(rows):
    """By host, type, threads and variant the rows that are of ours and a library in turns: of each
    shape that of the library that did best beside ours, not of the highest rate: they are minutes
    apart, and a rate says as much about the minute as about the library."""
    groups = {}
    for row in sorted(rows, key=lambda row: -(row.ratio or 0)):
        in_turns = not row.variant.startswith("library")
        if in_turns and row.verdict == "right" and all(getattr(row, name) for name in POSITIVE):
            of = (row.host, row.type, row.threads, row.variant)
            groups.setdefault(of, {})[row.shape()] = row
    return [[*groups[of].values()] for of in sorted(groups)]


def sentence(rows):
    """How the rows of a group stand."""
    worst, mean = min(rows, key=lambda row: row.ratio), geometric_mean(row.ratio for row in rows)
    on = "a GPU" if worst.gpu else f"{worst.threads} thread" + "s" * (worst.threads > 1)
    below = sum(row.ratio < TARGET for row in rows)
    return (
        f"{worst.variant}, {worst.type}, on {on}, is {mean:.3f} times as fast as the best library "
        f"on average, at worst {ratios(worst)} at {worst.shape()}, {worst.against}; "
        f"below {TARGET:g} in {below} of {len(rows)}."
    )

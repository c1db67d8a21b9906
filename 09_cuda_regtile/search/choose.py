#!/usr/bin/env python3
"""What each kernel of `best` costs, fitted to the search's rows: choose.py COSTS.csv >costs.inc

The times are those of best.cuh's microseconds(); a kernel's rows weigh the more, the nearer they
are to the fastest of their shape."""
import csv
import re
import signal
import sys
from collections import defaultdict

import numpy as np

MULTIPROCESSORS, MEMORY, LAUNCH, DEPENDENT = 132, 4e6, 4, 1.5  # an H200's; as in best.cuh
FEW, FLAT = 4, 16  # what is thinner has kernels of its own
WHICH = ("aligned", "others")  # rows of A and B that begin at multiples of 16 bytes, or not


def ceil_div(a, b):
    return np.ceil(a / b)


def of_tiles(costs, tiling, m, n, k, parts, _):
    (step, latency, fixed), (BM, BN, BK, at_once) = costs, tiling
    tiles, steps = ceil_div(m, BM) * ceil_div(n, BN), ceil_div(ceil_div(k, BK), parts)
    blocks = ceil_div(tiles * parts, MULTIPROCESSORS)
    rounds = ceil_div(blocks, at_once)
    moving = 4 * (m * k + k * n + 2 * m * n) / MEMORY
    adding = (parts > 1) * (DEPENDENT + 8 * parts * tiles * BM * BN / MEMORY)
    return np.maximum(steps * (blocks * step + rounds * latency), moving) + rounds * fixed + adding


def of_stream_k(costs, tiling, m, n, k, _, copied):
    (step, latency, fixed), (BM, BN, BK, _) = costs, tiling
    tiles, steps = ceil_div(m, BM) * ceil_div(n, BN), ceil_div(k, BK)
    blocks = np.minimum(tiles * steps, MULTIPROCESSORS)
    rest = tiles - np.maximum(np.floor(tiles / blocks) - 1, 0) * blocks
    cut = (rest % blocks > 0) * ceil_div(blocks, rest)
    copying = (copied > 0) * LAUNCH + 8 * copied / MEMORY
    return tiles * steps / blocks * step + ceil_div(tiles, blocks) * fixed + cut * latency + copying


def fitted(time, rows, begin):
    """The costs, beginning with these, by steps in one of them at a time that become shorter."""
    *columns, measured, weight = np.array(rows, float).T

    def error(logarithms):
        off = np.log(time(np.exp(logarithms), *columns) / measured)
        return np.average(off**2, weights=weight)

    best, length = np.log(begin), 0.4
    least = error(best)
    while length > 0.01:
        before = least
        for direction in (*np.eye(len(best)), *-np.eye(len(best))):
            if (now := error(best + length * direction)) < least - 1e-9:
                best, least = best + length * direction, now
        length /= 2 if least == before else 1
    return np.exp(best)


def main(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    shapes, kernels = defaultdict(lambda: np.inf), defaultdict(list)
    for row in rows:
        shape = tuple(int(row[side]) for side in "mnk")
        shapes[shape] = min(shapes[shape], float(row["microseconds"]))
    for row in rows:
        m, n, k = shape = tuple(int(row[side]) for side in "mnk")
        time, copied = float(row["microseconds"]), (m * k if k % 4 else 0) + (k * n if n % 4 else 0)
        if min(m, n) > FEW and k > FLAT and row["kernel"] != "vectors":
            weight = (shapes[shape] / time) ** 2
            kernels[row["kernel"], row["rows"]].append(
                (*shape, int(row["parts"]), copied, time, weight)
            )
    if not kernels:
        sys.exit(f"choose.py: {path} has no row of the search; make search")
    print(
        "// Written by choose.py: what a kernel costs, in microseconds; measured by `make search`."
    )
    for kernel in dict.fromkeys(kernel for kernel, _ in kernels):
        BM, BN, BK, slices = (
            int(number or 1) for number in re.findall(r"(\d+)x(\d+)x(\d+)_?(\d*)", kernel)[0]
        )
        tiling = BM, BN, BK, max(1, 512 * 64 // (BM * BN * slices))
        model, begin, of_rows = of_tiles, (0.4, 0.6, 2), [kernels[kernel, which] for which in WHICH]
        if kernel.startswith("stream_k"):
            model, begin, of_rows = of_stream_k, (1.6, 2, 5), [sum(of_rows, [])] * 2
        costs = [fitted(lambda c, *row: model(c, tiling, *row), each, begin) for each in of_rows]
        text = ("{" + ", ".join(f"{cost:.3g}" for cost in each) + "}" for each in costs)
        print(f'{{"{kernel}", {", ".join(text)}}},')


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `… | head` ends quietly
    if len(sys.argv) != 2:
        sys.exit("choose.py: give the search's CSV")
    main(sys.argv[1])

#!/usr/bin/env python3
"""Random shapes MxNxK, the same for a seed: shapes.py SEED COUNT. Sides are log-uniform in 1 to
16384, and 2^22 <= m·n·k <= 2^39."""
import random
import sys


def shapes(seed, count):
    draw = random.Random(seed)
    while count > 0:
        m, n, k = (round(2 ** draw.uniform(0, 14)) for _ in "mnk")
        if 2**22 <= m * n * k <= 2**39:
            yield f"{m}x{n}x{k}"
            count -= 1


if __name__ == "__main__":
    print(",".join(shapes(int(sys.argv[1]), int(sys.argv[2]))))

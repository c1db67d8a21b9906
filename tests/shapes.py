#!/usr/bin/env python3
"""Prints COUNT small shapes MxNxK drawn with SEED, for --shape: shapes.py COUNT SEED

Any size below 70 in each direction, one in three a single row, a prime or a power of two and its
neighbours; one in ten is a vector."""
import random
import sys

TRAPS = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 61, 63, 64, 65, 67, 127, 129]


def main(count, seed):
    draw = random.Random(seed)
    shapes = []
    for number in range(count):
        shape = [
            draw.choice(TRAPS) if draw.random() < 1 / 3 else draw.randint(1, 70) for _ in range(3)
        ]
        if number % 10 == 9:
            shape[draw.randint(0, 1)] = 1
        shapes.append("x".join(map(str, shape)))
    print(",".join(dict.fromkeys(shapes)), end="")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

#!/usr/bin/env python3
"""The fastest tiling of each shape, from the search's rows, as choices.inc: choose.py SEARCH.csv
>choices.inc

Shapes are in the order of their size. Of rows alike the last counts; wrong ones never."""
import csv
import math
import signal
import sys


def main(path):
    rates = {}  # by shape, then by tiling
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["variant"] != "best" and row["verdict"] != "wrong" and row["median_s"]:
                shape = tuple(int(row[side]) for side in "mnk")
                rates.setdefault(shape, {})[row["variant"]] = float(row["median_s"])
    if not rates:
        sys.exit(f"choose.py: {path} has no row of the search; make search")
    about = "the fastest of all tilings, m, n, k; measured by `make search`."
    print(f"// Written by choose.py: {about}")
    for shape, times in sorted(rates.items(), key=lambda item: (math.prod(item[0]), item[0])):
        best = min(times, key=times.get)
        print(f'{{{", ".join(map(str, shape))}, "{best}"}},')


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `… | head` ends quietly
    if len(sys.argv) != 2:
        sys.exit("choose.py: give the search's CSV")
    main(sys.argv[1])

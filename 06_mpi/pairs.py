#!/usr/bin/env python3
"""What the pairs of 06_mpi_duel say, a line a row of the duel: pairs.py PAIRS.csv >SUMMARY.csv

GFLOP/s are over the median time; a ratio is theirs over ours in one pair: above 1 ours is faster."""
import csv
import statistics
import sys

KEY = ("type", "m", "n", "k", "ranks", "threads", "grid", "block")


def main(path):
    rows = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows.setdefault(tuple(row[name] for name in KEY), []).append(
                (float(row["ours_s"]), float(row["scalapack_s"])))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow([*KEY, "pairs", "ours_gflops", "scalapack_gflops", "ratio_low", "ratio", "ratio_high"])
    for key, pairs in rows.items():
        flops = 2e-9 * int(key[1]) * int(key[2]) * int(key[3])
        ratios = sorted(theirs / ours for ours, theirs in pairs)
        ours, theirs = (statistics.median(side) for side in zip(*pairs))
        out.writerow([*key, len(pairs), f"{flops / ours:.1f}", f"{flops / theirs:.1f}", f"{ratios[0]:.3f}",
                      f"{statistics.median(ratios):.3f}", f"{ratios[-1]:.3f}"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("pairs.py: give the CSV that 06_mpi_duel wrote")
    main(sys.argv[1])

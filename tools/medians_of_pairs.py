#!/usr/bin/env python3
"""The medians of a comparison in pairs, a line a row: medians_of_pairs.py PAIRS.csv >SUMMARY.csv

For rivals_pairs.csv and for what 06_mpi_compare wrote. GFLOP/s are over the median time; a ratio is theirs over ours in one
pair, the least, the median and the most: above 1 ours is faster."""
import csv, statistics, sys


def main(path):
    with open(path, newline="", encoding="utf-8") as file:
        lines = csv.DictReader(file)
        columns = lines.fieldnames or []
        if not {"pair", "ours_s", "rival_s"} <= set(columns):
            sys.exit(f"medians_of_pairs.py: {path} has no pairs: its columns are {', '.join(columns)}")
        key, rows = columns[:columns.index("pair")], {}
        for row in lines:
            rows.setdefault(tuple(row[name] for name in key), []).append((float(row["ours_s"]), float(row["rival_s"])))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow([*key, "pairs", "ours_gflops", "rival_gflops", "ratio_low", "ratio", "ratio_high"])
    for values, pairs in rows.items():
        flops = 2e-9
        for name, value in zip(key, values):
            flops *= int(value) if name in ("m", "n", "k") else 1
        ratios = [rival / ours for ours, rival in pairs]
        out.writerow([*values, len(pairs), *(f"{flops / statistics.median(side):.1f}" for side in zip(*pairs)),
                      *(f"{ratio:.3f}" for ratio in (min(ratios), statistics.median(ratios), max(ratios)))])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("medians_of_pairs.py: give the CSV of a comparison's pairs")
    main(sys.argv[1])

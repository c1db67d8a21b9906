#!/usr/bin/env python3
"""Of rows that were measured in several rounds, the one with the least median: rounds.py CSV [CSV ...] >FASTEST

On a shared machine other users' work makes a round slower, hardly ever faster; bursts last longer than a row's runs."""
import csv
import sys

from measured import KEY


def main(paths):
    rows, columns = {}, []
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            lines = csv.DictReader(file)
            columns = columns or lines.fieldnames
            if lines.fieldnames != columns:
                sys.exit(f"rounds.py: {path} has other columns than {paths[0]}")
            for row in lines:
                key = tuple(row[name] for name in KEY)
                rows[key] = min(rows.get(key, row), row, key=lambda each: float(each["median_s"]))
    out = csv.DictWriter(sys.stdout, columns, lineterminator="\n")
    out.writeheader()
    out.writerows(rows.values())


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("rounds.py: give the CSVs of the rounds")
    main(sys.argv[1:])

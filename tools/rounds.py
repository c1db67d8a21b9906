#!/usr/bin/env python3
"""Joins what the same programs measured in several rounds: rounds.py CSV [CSV ...] >JOINED

Everywhere the last row of a key counts. Here that is the one with the least median: on a shared machine, other users' work
makes a round slower and never faster. All rounds stay in the file, the slowest of a key first."""
import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from measured import KEY  # noqa: E402


def main(paths):
    rows, columns = {}, []
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            lines = csv.DictReader(file)
            columns = columns or lines.fieldnames
            if lines.fieldnames != columns:
                sys.exit(f"rounds.py: {path} has other columns than {paths[0]}")
            for row in lines:
                rows.setdefault(tuple(row[name] for name in KEY), []).append(row)
    out = csv.DictWriter(sys.stdout, columns, lineterminator="\n")
    out.writeheader()
    for alike in rows.values():
        out.writerows(sorted(alike, key=lambda row: -float(row["median_s"])))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("rounds.py: give the CSVs of the rounds")
    main(sys.argv[1:])

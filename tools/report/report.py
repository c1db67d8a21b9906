#!/usr/bin/env python3
"""Turns results.csv into ladder and page: report.py COMMAND [RESULTS.csv] [OPTIONS]

    ladder     prints the ladder
    page --out DIR [--failed FILE] [--libraries libraries.csv]
               writes DIR/index.html and its charts as files, DIR/charts/NAME.svg; FILE has the steps
               that failed, one a line
    libraries  of libraries.csv: prints ours beside the best library of each shape

--machine machine.csv is what 00_machine measured; --reference DIR another machine's GPU, shown
where there is none here. A row whose result is wrong is named, never ranked or drawn. Exit status:
0 well; 2 the files cannot be read or written, 77 the page lacks jinja2, in a line."""

import argparse, sys
from pathlib import Path

import against_libraries, ladder, page
from measured import Refusal, from_to, load


def print_table(title, headings, rows):
    """A table on the terminal: the first two columns are words, the others numbers."""
    widths = [max(map(len, column)) for column in zip(headings, *rows)]
    print(f"\n{title}")
    for cells in (headings, *rows):
        aligned = [cell.ljust(width) for cell, width in zip(cells[:2], widths)]
        aligned += [cell.rjust(width) for cell, width in zip(cells[2:], widths[2:])]
        print("  ".join(aligned).rstrip())


def print_ladder(machines):
    """Prints the ladders, and after them what was wrong."""
    headings = ["rung", "variant", "share, rate", "times 01 ijk"]
    for results, of in [(of, one) for of in machines for one in ladder.of_machine(of)]:
        rows = []
        for bar in of.bars:
            rung = f"{bar.label} {bar.idea}".removeprefix("yours ")
            who = f"{bar.row.step} {bar.row.variant} {bar.row.setting()}"
            spread = results.speedup(bar.row)
            rows.append([rung, who, bar.rate(), from_to(spread) if spread else "–"])
        print_table(f"{of.device}, {of.title}; 100 % is {of.full}", headings, rows)
        print(*filter(None, (*of.line[1:], of.note)), sep="\n")
    if not any(map(ladder.of_machine, machines)):
        print("No ladder: there is no square product with a right result.")
    for line in page.wrong_lines(machines):
        print(f"\nWRONG, left out: {line}")
    print(*page.mark_lines(machines), sep="\n")


def print_libraries(path):
    """Prints how ours stand against the libraries."""
    rows = [group.cells() for group in against_libraries.load(path)]
    print_table("Ours over the best library of each shape", against_libraries.HEADINGS, rows)


def reference_of(folder, machines):
    """What was measured on the GPU of a folder; None where there is no folder, or a GPU here."""
    results = folder and Path(folder, "results.csv")
    if not results or not results.exists() or any(of.select(gpu=True) for of in machines):
        return None
    machine = Path(folder, "machine.csv")
    every = load(results, machine if machine.exists() else None)
    return next((of for of in every if of.select(gpu=True)), None)


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("command", choices=["ladder", "page", "libraries"])
    parser.add_argument("csv", nargs="?", default="report/results.csv")
    for option in ("--machine", "--reference", "--out", "--failed", "--libraries"):
        parser.add_argument(option)
    given = parser.parse_args()
    if given.command == "page" and not given.out:
        parser.error("page wants --out DIR")
    try:
        if given.command == "libraries":
            print_libraries(given.csv)
        elif given.command == "ladder":
            print_ladder(load(given.csv, given.machine))
        else:
            machines = load(given.csv, given.machine)
            page.write(machines, given, reference_of(given.reference, machines))
    except Refusal as refusal:
        sys.exit(print(f"report.py: {refusal}", file=sys.stderr) or 2)
    except OSError as error:
        said = f"report.py: cannot write {error.filename}: {error.strerror}"
        sys.exit(print(said, file=sys.stderr) or 2)


if __name__ == "__main__":
    main()

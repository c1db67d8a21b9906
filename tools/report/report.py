#!/usr/bin/env python3
"""Turns results.csv into ladder and page: report.py COMMAND [RESULTS.csv] [OPTIONS]

    ladder          prints the ladder
    page --out DIR  writes DIR/index.html, and its charts as files, DIR/charts/NAME.svg
    libraries       of libraries.csv: prints how ours stand beside the libraries

--machine machine.csv is what 00_machine measured; --reference DIR another machine's GPU, shown
where there is none here; --libraries libraries.csv; --failed FILE has the steps that failed, one a
line. A row whose result is wrong is named, never ranked or drawn. Exit status: 0 well; 2 the files
cannot be read or written, 77 the page lacks jinja2, in a line."""

import argparse, sys
from pathlib import Path

import ladder, page
from measured import Refusal, Results, from_to, read


def print_ladder(results):
    """Prints the ladders, and after them what was wrong."""
    ladders, line = ladder.of_machine(results), "{:30} {:>24} {:>18}  {}".format
    for of in ladders:
        print(f"\n{of.device}, {of.title}; 100 % is {of.full}")
        print(line("rung", "share, rate", "times 01 ijk", "variant"))
        for bar in of.bars:
            rung = f"{bar.label} {bar.idea}".removeprefix("yours ")
            who = f"{bar.row.step} {bar.row.variant} {bar.row.setting()}"
            print(line(rung, bar.rate(), from_to(results.speedup(bar.row)), who))
        print(*of.line[1:])
    if not ladders:
        print("No ladder: there is no square product with a right result.")
    print(*(f"WRONG, left out: {line}" for line in page.wrong_lines(results)), sep="\n")
    print(*page.above_lines(results), *page.mark_lines(results), sep="\n")


def reference_of(folder, results):
    """What was measured on the GPU of a folder; None where there is no folder, or a GPU here."""
    files = [Path(folder or "", f"{of}.csv") for of in ("results", "machine")]
    return None if results.select(gpu=True) or not files[0].exists() else Results(*files)


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("command", choices=["ladder", "page", "libraries"])
    parser.add_argument("csv", nargs="?", default="report/results.csv")
    for option in ("--machine", "--reference", "--failed", "--libraries"):
        parser.add_argument(option)
    parser.add_argument("--out", default="report")
    given = parser.parse_args()
    try:
        if given.command == "libraries":
            if not (groups := page.grouped(read(given.csv, "ratio"))):
                raise Refusal(f"{given.csv} has no row to show")
            return print(*map(page.sentence, groups), sep="\n")
        results = Results(given.csv, given.machine)
        if given.command == "ladder":
            return print_ladder(results)
        page.write(results, reference_of(given.reference, results), given)
    except Refusal as refusal:
        sys.exit(print(f"report.py: {refusal}", file=sys.stderr) or 2)
    except OSError as error:
        said = f"report.py: cannot write {error.filename}: {error.strerror}"
        sys.exit(print(said, file=sys.stderr) or 2)


if __name__ == "__main__":
    main()

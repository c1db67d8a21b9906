#!/usr/bin/env python3
"""Turns results.csv into ladder, charts and page: report.py COMMAND [RESULTS.csv] [OPTIONS]

    ladder [--all-sizes]  prints the ladder
    draw --out DIR        draws every chart: DIR/charts/NAME.dat and .svg
    page --out DIR [--failed FILE] [--libraries libraries.csv]
                          writes DIR/index.html; FILE has the steps that failed, one a line
    bars --out DIR        draws the page's ladder: DIR/ladder.svg
    libraries [--out DIR] of libraries.csv: prints, draws ours beside the best library of each shape
    lessons               draws each lesson's part of the ladder anew, from plots/reference

--machine machine.csv is what 00_machine measured; --reference DIR another machine's GPU, shown
where there is none here. A row whose result is wrong is named, never ranked or drawn. Exit status:
0 well; 2 the files cannot be read or written, 77 the page lacks jinja2, in a line."""

import argparse
import sys
from pathlib import Path

import against_libraries
import ladder
import page
from charts import named
from drawing import draw_one, render
from measured import Refusal, load, tabulated, times


def print_table(title, headings, rows):
    """A table on the terminal: the first two columns are words, the others numbers."""
    widths = [max(map(len, column)) for column in zip(headings, *rows)]
    print(f"\n{title}")
    for cells in (headings, *rows):
        words = [cell.ljust(width) for cell, width in zip(cells[:2], widths)]
        words += [cell.rjust(width) for cell, width in zip(cells[2:], widths[2:])]
        print("  ".join(words).rstrip())


def print_ladder(machines, given, _):
    """Prints the ladders, and after them what was wrong."""
    for results in machines:
        for type in results.types:
            for n in results.values("n", type=type) if given.all_sizes else [None]:
                both = ladder.of_cores(results, type, n), ladder.of_gpu(results, type, n)
                for of in filter(None, both):
                    print_bars(results, of)
    if not any(results.types for results in machines):
        print("No ladder: there is no square product with a right result.")
    wrong = [f"\nWRONG, left out: {line}" for line in page.wrong_lines(machines)]
    for line in wrong + page.mark_lines(machines):
        print(line)


def print_bars(results, of):
    columns = {
        "step": lambda bar: bar.row.step,
        "variant": lambda bar: bar.row.label(),
        "time": lambda bar: bar.row.whole_time(),
        "rate": ladder.Bar.rate,
        "share": ladder.Bar.percent,
        "speedup over 01 ijk": lambda bar: times(results.speedup(bar.row)),
    }
    print_table(f"{of.title}, {results.place()}; 100 % is {of.full}", *tabulated(of.bars, columns))
    for words in (*of.line[1:], *of.notes):
        print(words)


def print_libraries(path, out):
    """Prints how ours stand against the libraries; with `out`, draws it."""
    groups = against_libraries.load(path)
    for group in groups:
        print_table(f"{group.title()}, {group.place}", *against_libraries.table(group))
    print(f"\nMarked !: below {against_libraries.TARGET:g} of the best library, a mean below 1.")
    print_table("Ours over the best library of each shape", *against_libraries.summary(groups))
    if out:
        render([(chart, group.place) for chart, group in against_libraries.charts(groups)], out)


def draw_all(machines, given, reference):
    """Draws every chart."""
    charts = named(machines, reference)
    render([(chart, results.place(chart.step)) for results, chart in charts], given.out)


def draw_ladder(machines, given, reference):
    """Draws the ladder."""
    Path(given.out).mkdir(parents=True, exist_ok=True)
    parts = [part for results in machines for part in ladder.of_machine(results, reference)]
    draw_one(ladder.chart(parts), "", Path(given.out))


def reference_of(folder, machines):
    """What was measured on the GPU of a folder; None where there is no folder, or a GPU here."""
    results = folder and Path(folder, "results.csv")
    if not results or not results.exists() or any(of.values("n", "gpu") for of in machines):
        return None
    machine = Path(folder, "machine.csv")
    every = load(results, machine if machine.exists() else None)
    return next((of for of in every if of.values("n", "gpu")), None)


COMMANDS = {"ladder": print_ladder, "draw": draw_all, "page": page.write, "bars": draw_ladder}


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("command", choices=[*COMMANDS, "libraries", "lessons"])
    parser.add_argument("csv", nargs="?", default="report/results.csv")
    for option in ("--machine", "--reference", "--out", "--failed", "--libraries"):
        parser.add_argument(option)
    parser.add_argument("--all-sizes", action="store_true")
    given = parser.parse_args()
    if given.command in ("draw", "page", "bars") and not given.out:
        parser.error(f"{given.command} wants --out DIR")
    try:
        if given.command == "libraries":
            return print_libraries(given.csv, given.out)
        if given.command == "lessons":
            return ladder.draw_lessons()
        machines = load(given.csv, given.machine)
        COMMANDS[given.command](machines, given, reference_of(given.reference, machines))
    except Refusal as refusal:
        sys.exit(print(f"report.py: {refusal}", file=sys.stderr) or 2)
    except OSError as error:
        said = f"report.py: cannot write {error.filename}: {error.strerror}"
        sys.exit(print(said, file=sys.stderr) or 2)


if __name__ == "__main__":
    main()

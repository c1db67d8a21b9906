#!/usr/bin/env python3
"""Turns results.csv into ladder, charts and page: report.py COMMAND [RESULTS.csv] [OPTIONS]

    ladder [--all-sizes]  prints the ladder
    draw --out DIR        draws every chart: DIR/charts/NAME.svg
    page --out DIR [--failed FILE] [--libraries libraries.csv]
                          writes DIR/index.html; FILE has the steps that failed, one a line
    bars --out DIR        draws the page's ladder: DIR/ladder.svg
    libraries [--out DIR] of libraries.csv: prints, draws ours beside the best library of each shape
    lessons               draws each lesson's part of the ladder anew, from plots/reference

--machine machine.csv is what 00_machine measured; --reference DIR another machine's GPU, shown
where there is none here. A row whose result is wrong is named, never ranked or drawn. Exit status:
0 well; 2 the files cannot be read or written, 77 the page lacks jinja2, in a line."""

import argparse, shutil, sys, tempfile
from pathlib import Path

import against_libraries, charts, ladder, page
from drawing import draw, render
from measured import Refusal, load, times


def print_table(title, headings, rows):
    """A table on the terminal: the first two columns are words, the others numbers."""
    widths = [max(map(len, column)) for column in zip(headings, *rows)]
    print(f"\n{title}")
    for cells in (headings, *rows):
        aligned = [cell.ljust(width) for cell, width in zip(cells[:2], widths)]
        aligned += [cell.rjust(width) for cell, width in zip(cells[2:], widths[2:])]
        print("  ".join(aligned).rstrip())


def print_ladder(machines, given, _):
    """Prints the ladders, and after them what was wrong."""
    headings = ["rung", "variant", "share, rate", "speedup over 01 ijk"]
    found = []
    for results in machines:
        for type in results.types:
            sizes = sorted({row.n for row in results.select(type=type)}) if given.all_sizes else [0]
            both = [
                make(results, type, n) for n in sizes for make in (ladder.of_cores, ladder.of_gpu)
            ]
            found += [(results, of) for of in both if of]
    for results, of in found:
        rows = []
        for bar in of.bars:
            rung = f"{bar.label} {bar.idea}".removeprefix("yours ")
            who = f"{bar.row.step} {bar.row.variant} {bar.row.setting()}"
            rows.append([rung, who, bar.rate(), times(results.speedup(bar.row))])
        print_table(f"{of.device}, {of.title}; 100 % is {of.full}", headings, rows)
        print(*filter(None, (*of.line[1:], of.note)), sep="\n")
    if not found:
        print("No ladder: there is no square product with a right result.")
    for line in page.wrong_lines(machines):
        print(f"\nWRONG, left out: {line}")
    print(*page.mark_lines(machines), sep="\n")


def print_libraries(path, out):
    """Prints how ours stand against the libraries; with `out`, draws it."""
    groups = against_libraries.load(path)
    rows = [group.cells() for group in groups]
    print_table("Ours over the best library of each shape", against_libraries.HEADINGS, rows)
    if out:
        render(against_libraries.charts(groups), Path(out, "charts"))


def draw_all(machines, given, reference):
    """Draws every chart."""
    if every := render(charts.named(machines, reference), Path(given.out, "charts")):
        print(f"{len(every)} charts in {given.out}/charts")


def draw_ladder(machines, given, reference):
    """Draws the ladder, without tensor cores, for README."""
    ladders = [of for results in machines for of in ladder.of_machine(results, reference)]
    ladders = [of for of in ladders if not of.title.startswith("bf16")]
    for of in ladders:
        of.bars = [bar for bar in of.bars if bar.label < "11" or bar.label == "yours"]
    how = {"wide": 440, "each": 50, "letter": 17, "of_step": False}
    with tempfile.TemporaryDirectory() as scratch:
        picture = draw(ladder.chart(ladders, **how), Path(scratch))
        Path(given.out).mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, Path(given.out, "ladder.svg"))


def reference_of(folder, machines):
    """What was measured on the GPU of a folder; None where there is no folder, or a GPU here."""
    results = folder and Path(folder, "results.csv")
    if not results or not results.exists() or any(of.select(gpu=True) for of in machines):
        return None
    machine = Path(folder, "machine.csv")
    every = load(results, machine if machine.exists() else None)
    return next((of for of in every if of.select(gpu=True)), None)


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

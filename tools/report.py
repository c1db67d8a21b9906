#!/usr/bin/env python3
"""Turns results.csv into the ladder, the charts and the page: report.py COMMAND RESULTS.csv [OPTIONS]

    ladder [--all-sizes]        prints the fastest variant of every program, over the baseline: ijk of 01_naive
    predicted [--size N]        prints what was predicted beside what was measured, at the size that most variants have, or N
    draw --out DIR              draws every chart with the scripts in plots/: DIR/charts/NAME.dat, .svg and .png
    page --out DIR [--failed FILE] [--rivals rivals.csv]
                                fills page.html.jinja: DIR/index.html; FILE has the steps that failed, one a line
    bars --out DIR              draws the page's ladder: DIR/ladder.svg
    here --out DIR --step STEP --variant NAME [--type f32] [--size 2000]
                                draws the roofline with this rung and the best of each step before it: DIR/here.svg
    rivals [--out DIR]          of rivals.csv instead: prints, and draws, ours beside the best library at each shape

--machine machine.csv is what 00_machine measured; --reference DIR another machine's GPU, shown where there is none here.
Rows alike in all of KEY are one measurement taken again: the last counts. A row whose result is wrong is named, never
ranked or drawn. Exit status: 0 well; 2 the files cannot be read or written, in a line."""
import argparse, os, signal, sys
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import against_libraries
import ladder
import published
import scaling
from charts import draw_one, here_chart, named, render
from measured import LIMITS, Refusal, Row, digits, ladder_sizes, load, marked, seconds, tabulated, times, whose

FAR_OFF = "Rows marked ! took more than twice, or less than half, the predicted time: their steps' notes say why."
FACTS = {"peak": "Peak of each vector set", "bandwidth": "Bandwidth of each level with each vector set", "library": "Libraries"}
CORES_ARE = ("Speedup / CUDA cores is what Genova 2024 printed as efficiency. It is an efficiency of nothing: the speedup "
             "is over one core of a processor, and a CUDA core is no such core. What part of the GPU works, the share of "
             "its peak says.")


# ---- on the terminal ----

def print_table(title, headings, rows):
    """A table on the terminal: the first two columns are words, the others numbers."""
    widths = [max(map(len, column)) for column in zip(headings, *rows)]
    print(f"\n{title}")
    for cells in (headings, *rows):
        words = [cell.ljust(width) if place < 2 else cell.rjust(width)
                 for place, (cell, width) in enumerate(zip(cells, widths))]
        print("  ".join(words).rstrip())


def print_ladder(machines, given, _):
    """Prints the ladders, and after them what was wrong."""
    for results in machines:
        for type in results.types:
            peak = results.machine.select(name="peak", type=type) or results.gpu.select(name="peak", type=type)
            columns = {"step": lambda row: row.step, "best variant": Row.label, "time": Row.time, "GFLOP/s": lambda row: digits(row.rate),
                       "speedup over 01 ijk": lambda row: times(results.speedup(row))} | ({"% of peak": results.share} if peak else {})
            for n in results.sizes(type) if given.all_sizes else ladder_sizes(results.sizes(type)):
                print_table(f"{type}, n = {n}, {results.place()}", *tabulated(results.ladder(type, n), columns))
    if not any(results.types for results in machines):
        print("No ladder: there is no square product with a right result.")
    for row in (row for results in machines for row in results.wrong):
        print(f"\nWRONG, left out: {wrong_line(row)}", end="")
    for line in mark_lines(machines):
        print(f"\n{line}", end="")
    print()


def wrong_line(row):
    differ, share = "?" if row.differences is None else f"{row.differences:.0f}", "?" if row.error_share is None else f"{row.error_share:g}"
    return (f"{row.step} {row.label()} {row.type} {row.shape()}, {row.flags}: verdict '{row.verdict}', "
            f"{differ} elements differ, error / allowed = {share}")


def mark_lines(machines):
    """How many rows were not verified; how many other programs disturbed, and what to do. Nothing where none was."""
    rows = [row for results in machines for row in results.rows]
    unverified, disturbed = sum(row.verdict == "unverified" for row in rows), sum(row.quiet == "no" for row in rows)
    if unverified:
        yield f"{unverified} of {len(rows)} rows {'was' if unverified == 1 else 'were'} not verified (marked °)."
    if disturbed:
        was, those = ("was", "this one") if disturbed == 1 else ("were", "these")
        yield f"{disturbed} of {len(rows)} rows {was} disturbed by other programs (marked ~): make report, called again, measures just {those} again."


def far_off(row):
    return not 0.5 <= row.missed() <= 2


def limit(row):
    """What a prediction says binds. No product is faster than the arithmetic: then the peak that it was predicted with was
    measured in a bad moment, and perhaps has been measured again since."""
    beaten = row.limit == "flops" and row.missed() and row.missed() < 0.95
    return LIMITS.get(row.limit, row.limit or "–") + ", by a peak measured in a bad moment" * bool(beaten)


def predicted_table(results, rows):
    """The headings and rows of what was predicted and what was measured, as text."""
    columns = {"program": lambda row: row.step, "variant": Row.label, "predicted": lambda row: seconds(row.predicted_s), "measured": Row.time,
               "measured / predicted": lambda row: f"{digits(row.missed())}×", "": lambda row: "!" * far_off(row), "limit": limit}
    if any(results.share(row) != "–" for row in rows):
        columns["% of peak"] = results.share
    return tabulated(rows, columns)


def print_predicted(machines, given, _):
    """Prints what was predicted and what was measured, at the size that most variants have unless one is given."""
    tables = [(results, type, rows) for results in machines for type in results.types if (rows := results.predictions(type, given.size))]
    if not tables:
        raise Refusal(f"no row{f' of size {given.size}' if given.size else ''} has a prediction; they need 00_machine's machine.csv")
    for results, type, rows in tables:
        print_table(f"{type}, n = {rows[0].n}, {results.place()}", *predicted_table(results, rows))
    if any(far_off(row) for _, _, rows in tables for row in rows):
        print(f"\n{FAR_OFF}")


def print_rivals(path, out):
    """Prints how ours stand against the libraries; with `out`, draws it."""
    groups = against_libraries.load(path)
    for group in groups:
        print_table(f"{group.title()}, {group.place}", *against_libraries.table(group))
    print(f"\nMarked !: below {against_libraries.TARGET:g} of the best library, a mean below 1.")
    print_table("Ours over the best library of each shape", *against_libraries.summary(groups))
    if out:
        against_libraries.draw(groups, out)


# ---- pictures ----

def draw_all(machines, given, reference):
    """Draws every chart."""
    render([(chart, results.place(chart.step)) for results, chart in named(machines, reference)], given.out)


def draw_single(chart, place, out):
    """Draws one chart."""
    Path(out).mkdir(parents=True, exist_ok=True)
    draw_one(chart, place, Path(out), ["svg"])
    print(Path(out) / f"{chart.name}.svg")


def draw_here(machines, given, _):
    """Draws where a rung stands under the machine's roofs."""
    for results in machines:
        if chart := here_chart(results, given.type, given.step, given.variant, given.size or 2000):
            return draw_single(chart, results.place(given.step), given.out)
    raise Refusal(f"no row of {given.step} {given.variant}, {given.type}, n = {given.size or 2000}, stands under the roofs: "
                  f"it needs a prediction, and {given.machine} of its machine")


def draw_ladder(machines, given, reference):
    """Draws the ladder."""
    draw_single(ladder.chart([part for results in machines for part in ladder.of_machine(results, reference)]), "", given.out)


# ---- the page: plain data for page.html.jinja ----

@dataclass
class Table:
    title: str
    headings: list
    rows: list
    note: str = ""
    marks: dict = field(default_factory=dict)  # a row's number: its class
    open: bool = False


@dataclass
class Section:
    title: str
    text: str = ""
    charts: list = ()  # those of the first type are shown, the others' folded
    tables: list = ()


def amount(fact):
    """A value and its unit; bytes in KiB, MiB or GiB."""
    value, unit = fact.value, fact.unit
    for larger in ("KiB", "MiB", "GiB") if unit == "B" else ():
        if value >= 1024:
            value, unit = value / 1024, larger
    return (f"{value:.4g}" if value < 1000 else f"{value:.0f}") + f" {unit}" * bool(unit)


def machine_tables(machine, title):
    """What a machine, or its GPU, can do, with a column for each number of threads."""
    for title, named in ((title, f"name NOT IN {tuple(FACTS)}"), *((title, f"name = '{name}'") for name, title in FACTS.items())):
        facts, rows = machine.select(named), {}
        counts = sorted({fact.threads for fact in facts})
        for fact in facts:
            rows.setdefault((fact.name, fact.type, fact.vector, fact.level.replace("x", "×").replace("_", " ")), []).append(fact)
        cells = [[*what, *(next((amount(fact) for fact in of if fact.threads == count), "–") for count in counts), of[0].note]
                 for what, of in rows.items()]
        if cells:
            yield Table(title, ["what", "type", "vector set, or library", "level, or size", *(whose(count) if count else "value" for count in counts),
                                "note"], cells)


def gpu_tables(results):
    """Each variant's fastest row at the largest size with a baseline, and at the largest that most variants have."""
    for type in results.types:
        based = [n for n in results.values("n", "gpu", type=type) if (type, f"{n}×{n}×{n}") in results.baselines]
        cores = results.gpu.most("cores")
        columns = {"program": lambda row: row.step, "variant": Row.label, "kernel's time": Row.time, "GFLOP/s": lambda row: digits(row.rate),
                   "speedup over 01 ijk": lambda row: times(results.speedup(row)),
                   "speedup / CUDA cores": lambda row: f"{results.speedup(row) / cores:.3g}" if results.speedup(row) and cores else "–",
                   "% of peak": results.share}
        for n in dict.fromkeys([*based[-1:], results.common_size("gpu", type=type)]):
            if rows := results.least("step, variant", "gpu", type=type, n=n):
                yield Table(f"{type}, n = {n}", *tabulated(rows, columns), CORES_ARE)


def gpu_section(title, text, results, charts):
    """What ran on the GPU."""
    tables = list(gpu_tables(results))
    if tables:
        tables[0].open = True
        tables += machine_tables(results.gpu, f"What the GPU can do: {results.gpu.name()}")
        tables += [Table(*of) for of in published.tables(results, True)]
    return Section(title, text, charts, tables)


def row_table(results, step):
    """Every row of a program, wrong ones marked: a wrong result is fast at nothing."""
    rows = [row for row in results.rows if row.step == step]
    columns = {"variant": Row.label, "type": lambda row: row.type, "m×n×k": Row.shape, "median": Row.time, "best": lambda row: seconds(row.best_s),
               "deviation": lambda row: seconds(row.stddev_s), "runs": lambda row: row.repeat,
               "GFLOP/s": lambda row: digits(row.rate) if row.timed else "–",
               "speedup": lambda row: times(results.speedup(row)) if row.timed else "–", "result": lambda row: row.verdict,
               "error / allowed": lambda row: "–" if row.error_share is None else f"{row.error_share:.2g}"}
    if any(row.predicted_s for row in rows):
        columns |= {"predicted": lambda row: seconds(row.predicted_s), "limit": limit}
    flags = " and ".join(dict.fromkeys(row.flags for row in rows))
    return Table(f"Every row of {step} ({len(rows)}; compiled with {flags})", *tabulated(rows, columns),
                 marks={place: "wrong" for place, row in enumerate(rows) if not row.sound})


def rivals_section(path):
    """Ours beside the libraries."""
    groups = against_libraries.load(path)
    return Section("Beside the libraries", "Ours and one library took turns in one process; above 1 ours is the "
                   "faster. What counts is the best library of each shape.", list(against_libraries.charts(groups)),
                   [Table("How each of ours stands", *against_libraries.summary(groups), open=True),
                    *(Table(group.title(), *against_libraries.table(group)) for group in groups)])


def rungs_predicted(bars):
    """The ladder's rungs with what was predicted of them."""
    return Table("", *tabulated([bar.row for bar in bars if bar.row.predicted_s], {
        "rung": lambda row: row.step, "variant": Row.label, "predicted GFLOP/s": lambda row: digits(row.gflops_in(row.predicted_s)),
        "measured": lambda row: marked(digits(row.rate), row), "limit": limit}))


def machine_page(results, charts, reference):
    """All that is shown of one machine."""
    shown = ladder.of_machine(results, reference)
    bars = shown[0][1].bars if shown else []
    wide = [chart for chart in charts if chart.wide and bars and chart.type == bars[0].row.type]

    def of(steps):
        return [chart for chart in charts if chart.step in steps and chart not in wide]
    steps = {}
    for program in sorted({row.step for row in results.rows}):
        steps.setdefault(program.partition("-")[0], []).append(program)
    far = []
    for of_type in results.types:
        if rows := results.predictions(of_type):
            marks = {place: "far" for place, row in enumerate(rows) if far_off(row)}
            far.append(Table(f"{of_type}, n = {rows[0].n}", *predicted_table(results, rows), marks=marks))
    of_threads = [Table(*of_type) for of_type in scaling.tables(results)]
    of_threads += [Table(*others) for others in published.tables(results, False)] if of_threads else []
    sections = [Section("All steps", "", of([""])),
                Section("Predicted and measured", FAR_OFF * any(table.marks for table in far), [], far),
                Section("What the machine can do", "", [], list(machine_tables(results.machine, "Processor, caches, latencies"))),
                gpu_section("GPU", "A time is the kernel's alone; the chart of phases shows what allocation and copies "
                            "add. Each variant stands with its best block or tile.", results, of(["gpu"])),
                Section("Threads", scaling.SERIAL_IS, of(["threads"]), of_threads),
                *(Section(step, "", of(mine), [row_table(results, program) for program in mine]) for step, mine in steps.items())]
    return {"host": results.host, "name": results.processor(), "results": results, "ladders": shown, "wide": wide,
            "days": sorted({started[:10] for started in results.words("started")}),
            "rungs_predicted": rungs_predicted(bars) if any(bar.row.predicted_s and not bar.row.gpu for bar in bars) else None,
            "sections": [part for part in sections if part.charts or part.tables]}


def write_page(machines, given, reference):
    """Writes index.html: one file, no script; the charts and the CSV stand beside it."""
    try:
        import jinja2
    except ImportError:
        raise Refusal("the page needs jinja2 for Python; ./setup.sh installs it (python3-jinja2)") from None
    charts = named(machines, reference)
    others = [rivals_section(given.rivals)] if given.rivals else []
    if reference:
        others.append(gpu_section(f"Reference, measured on another machine: {reference.gpu.name() or 'a GPU'}",
                                  "Not this machine, which has no GPU that was measured: the rows of plots/reference, on "
                                  f"{reference.place('gpu')}. They are in no chart of this machine.", reference,
                                  [chart for of, chart in charts if of is reference]))
    failed = Path(given.failed).read_text(encoding="utf-8").splitlines() if given.failed and Path(given.failed).exists() else []
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(Path(__file__).resolve().parent), autoescape=True,
                                     trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    text = environment.get_template("page.html.jinja").render(
        failed=failed, wrong=[wrong_line(row) for results in machines for row in results.wrong], others=others,
        machines=[machine_page(results, [chart for of, chart in charts if of is results], reference) for results in machines],
        marks=list(mark_lines(machines)), link=quote(os.path.relpath(given.csv, given.out)), csv=Path(given.csv).name)
    Path(given.out).mkdir(parents=True, exist_ok=True)
    (Path(given.out) / "index.html").write_text(text, encoding="utf-8")
    print(Path(given.out) / "index.html")


# ---- the command line ----

def reference_of(folder, machines):
    """What was measured on the GPU of a reference folder; None where there is no such folder, or a GPU here."""
    if not folder or not Path(folder, "results.csv").exists() or any(of.values("n", "gpu") for of in machines):
        return None
    machine = Path(folder, "machine.csv")
    return next((of for of in load(Path(folder, "results.csv"), machine if machine.exists() else None) if of.values("n", "gpu")), None)


COMMANDS = {"ladder": print_ladder, "predicted": print_predicted, "draw": draw_all, "page": write_page, "here": draw_here, "bars": draw_ladder}


def main():
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `report.py ladder … | head` ends quietly
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=[*COMMANDS, "rivals"])
    parser.add_argument("csv")
    for option in ("--machine", "--reference", "--out", "--failed", "--rivals", "--step", "--variant"):
        parser.add_argument(option)
    parser.add_argument("--type", default="f32")
    parser.add_argument("--size", type=int)
    parser.add_argument("--all-sizes", action="store_true")
    given = parser.parse_args()
    if given.command in ("draw", "page", "here", "bars") and not given.out:
        parser.error(f"{given.command} wants --out DIR")
    try:
        if given.command == "rivals":
            return print_rivals(given.csv, given.out)
        machines = load(given.csv, given.machine)
        COMMANDS[given.command](machines, given, reference_of(given.reference, machines))
    except Refusal as refusal:
        sys.exit(print(f"report.py: {refusal}", file=sys.stderr) or 2)
    except OSError as error:
        sys.exit(print(f"report.py: cannot write {error.filename}: {error.strerror}", file=sys.stderr) or 2)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Turns results.csv into the ladder, the charts and the page.

    report.py ladder    RESULTS.csv [--machine machine.csv] [--all-sizes]
    report.py predicted RESULTS.csv [--machine machine.csv] [--size N]
    report.py draw      RESULTS.csv [--machine machine.csv] --out DIR [--reference DIR]
    report.py page      RESULTS.csv [--machine machine.csv] --out DIR [--reference DIR] [--failed FILE] [--rivals rivals.csv]
    report.py here      [RESULTS.csv --step STEP --variant NAME] --machine machine.csv --out FILE.svg
    report.py bars      RESULTS.csv --machine machine.csv [--reference DIR] --out FILE.svg
    report.py rivals    RIVALS.csv [--out DIR]

`ladder` prints the fastest variant of every program, over the baseline: ijk of 01_naive. `predicted` prints
what was predicted beside what was measured, at the size that most variants have. `draw` writes
DIR/charts/NAME.dat, .svg and .png with the scripts in plots/; `page` fills page.html.jinja and writes
DIR/index.html round them. `here` draws the roofline with this rung and those before it, or the bare roofs; `bars` the ladder
of the page as a picture. `rivals` prints ours beside the best library at each shape, and draws the ratio to each.

Rows alike in all of KEY are one measurement taken again: the last counts. A row whose result is wrong is named, never
ranked or drawn; where nothing is left to rank, that is said. Exit status: 0 well; 2 the files cannot be read or
written, in a line."""
import argparse, contextlib, os, signal, sys, tempfile
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import gpu_tables as gpu
import ladder as bars
import standing
from charts import draw, named
from drawing import data_file, picture
from measured import LIMITS, MACHINE_COLUMNS, Machine, Refusal, digits, lines_of, load, marked, number, percent, seconds, times, whose
from roofline_charts import climb, here_chart
from scaling import SERIAL_IS, cores_of, published, scalings


# ---- the commands ----

def ladder_table(results, type, n):
    """The headings and the rungs of a ladder, as text."""
    headings = ["step", "best variant", "time", "GFLOP/s", "speedup over 01 ijk"]
    peak = results.machine.of("peak", type=type) or results.gpu.of("peak", type=type)
    rungs = []
    for row in results.ladder(type, n):
        rungs.append([row.step, row.label(), row.time(), digits(row.gflops()), times(results.speedup(row))]
                     + [results.share(row)] * bool(peak))
    return headings + ["% of peak"] * bool(peak), rungs


def print_table(title, headings, rows):
    """A table on the terminal: the first two columns are words, the others numbers."""
    widths = [max(map(len, column)) for column in zip(headings, *rows)]
    print(f"\n{title}")
    for cells in (headings, *rows):
        words = [cell.ljust(width) if place < 2 else cell.rjust(width)
                 for place, (cell, width) in enumerate(zip(cells, widths))]
        print("  ".join(words).rstrip())


def ladder(machines, all_sizes):
    """Prints the ladders, and after them what was wrong."""
    for results in machines:
        for type in results.types:
            for n in results.sizes(type) if all_sizes else results.shown_sizes(type):
                print_table(f"{type}, n = {n}, {results.place()}", *ladder_table(results, type, n))
    if not any(results.types for results in machines):
        print("No ladder: there is no square product with a right result.")
    for row in (row for results in machines for row in results.wrong):
        print(f"\nWRONG, left out: {wrong_line(row)}", end="")
    for line in mark_lines(machines):
        print(f"\n{line}", end="")
    print()


def mark_lines(machines):
    """How many rows were not verified; how many other programs disturbed, and what to do. Nothing where none was."""
    rows = [row for results in machines for row in results.rows]
    if count := sum(row.unverified for row in rows):
        yield f"{count} of {len(rows)} rows {'was' if count == 1 else 'were'} not verified (marked °)."
    if count := sum(row.quiet == "no" for row in rows):
        yield (f"{count} of {len(rows)} rows {'was' if count == 1 else 'were'} disturbed by other programs (marked ~): "
               f"make report, called again, measures just {'this one' if count == 1 else 'these'} again.")


def standings(path, out):
    """Prints how ours stand against the libraries; with `out`, draws it."""
    groups = standing.load(path)
    for group in groups:
        print_table(f"{group.title()}, {group.place()}", *standing.table(group))
    print(f"\nMarked !: below {standing.TARGET:g} of the best library, a mean below 1.")
    print_table("Ours over the best library of each shape", *standing.summary(groups))
    if out:
        standing.draw(groups, out)


def here(given):
    """Draws where a rung stands under the machine's roofs, or the roofs alone."""
    if len({bool(part) for part in [given.csv, given.step, given.variant]}) > 1:
        raise Refusal("here wants RESULTS.csv, --step and --variant, or none of the three: the bare roofs")
    if Path(given.out).suffix not in (".svg", ".png"):
        raise Refusal(f"{given.out} should end with .svg or .png")
    if given.csv:
        found = []
        for results in load(given.csv, given.machine):
            with contextlib.suppress(Refusal):
                found.append((results, climb(results, given.type, given.step, given.variant, given.size)))
        if not found:
            raise Refusal(f"no row of {given.step} {given.variant}, {given.type}, n = {given.size}, stands under the roofs: "
                          f"it needs a prediction, and {given.machine} of its machine")
        results, rungs = found[0]
        machine, threads = (results.gpu, 0) if rungs[-1].gpu else (results.machine, rungs[-1].threads)
        place = results.place("gpu" if rungs[-1].gpu else rungs[-1].step)
    else:
        machine, threads, rungs = Machine(lines_of(given.machine, MACHINE_COLUMNS)), 1, ()
        place = ", ".join(fact.note for fact in machine.of("processor"))
    chart = here_chart(machine, given.type, threads, rungs)
    with tempfile.TemporaryDirectory() as folder:
        data_file(chart, Path(folder))
        picture(chart, place, Path(folder) / f"{chart.name}.dat", Path(given.out))
    print(given.out)


FAR_OFF = "Rows marked ! took more than twice, or less than half, the predicted time: their steps' notes say why."


def far_off(row):
    return not 0.5 <= row.missed() <= 2


def predicted_table(results, rows):
    """The headings and rows of what was predicted and what was measured, as text."""
    headings = ["program", "variant", "predicted", "measured", "measured / predicted", "", "limit"]
    cells, shares = [], [results.share(row) for row in rows]
    known = any(share != "–" for share in shares)
    for row, share in zip(rows, shares):
        cells.append([row.step, row.label(), seconds(row.predicted), row.time(), f"{digits(row.missed())}×",
                      "!" * far_off(row), LIMITS.get(row.limit, row.limit or "–")])
        if known:
            cells[-1].append(share)
    return headings + ["% of peak"] * known, cells


def predicted(machines, n):
    """Prints what was predicted and what was measured, at the size that most variants have unless one is given."""
    tables = [(results, type, rows) for results in machines for type in results.types
              if (rows := results.compared(type, n))]
    if not tables:
        raise Refusal(f"no row{f' of size {n}' if n else ''} has a prediction; they need 00_machine's machine.csv")
    for results, type, rows in tables:
        print_table(f"{type}, n = {rows[0].n}, {results.place()}", *predicted_table(results, rows))
    if any(far_off(row) for _, _, rows in tables for row in rows):
        print(f"\n{FAR_OFF}")


def wrong_line(row):
    cells = row.cells
    return (f"{row.step} {row.label()} {row.type} {row.shape}, {cells['flags']}: verdict '{cells['verdict']}', "
            f"{cells['differences'] or '?'} elements differ, error / allowed = {cells['error_share'] or '?'}")


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
    charts: dict = field(default_factory=dict)  # type: (name, chart) each; the first type is shown, the others folded
    tables: list = ()


def pivot(title, facts, down, across, headings):
    """A table of values, a row for each `down` (a tuple of words), a column for each `across`."""
    columns = list(dict.fromkeys(map(across, facts)))
    values = {(down(fact), across(fact)): digits(fact.value) for fact in facts}
    return Table(title, [*headings, *columns], [[*words, *(values.get((words, column), "–") for column in columns)]
                                                for words in dict.fromkeys(map(down, facts))])


def machine_tables(machine):
    """What the machine can do: nothing where there is no machine.csv."""
    single = [[fact.name, " ".join(filter(None, (fact.type, fact.level))), amount(fact), fact.note]
              for fact in machine.facts if fact.name in ("processor", "cache", "latency")]
    if single:
        yield Table("Processor, caches, latencies", ["", "", "value", "note"], single)
    for name, title, key in (("peak", "Peak of each vector set, GFLOP/s", "type"),
                             ("bandwidth", "Bandwidth of each level with each vector set, GB/s", "level")):
        if facts := machine.of(name):
            yield pivot(title, facts, lambda fact: (getattr(fact, key), fact.vector),
                        lambda fact: whose(fact.threads), [key, "vector set"])
    for type in dict.fromkeys(fact.type for fact in machine.of("library")):
        yield pivot(f"Libraries, GFLOP/s, {type}", machine.of("library", type=type),
                    lambda fact: (fact.vector, fact.note.partition(";")[0], whose(fact.threads)),
                    lambda fact: fact.level.replace("x", "×"), ["library", "setting", "threads"])


def device_tables(device):
    """What the GPU can do: nothing where there is none."""
    single = [[fact.name, " ".join(filter(None, (fact.type, fact.level.replace("_", " ")))), amount(fact), fact.note]
              for fact in device.facts if fact.name != "library"]
    if single:
        yield Table(f"What the GPU can do: {device.name()}", ["", "", "value", "note"], single)
    if facts := device.of("library"):
        yield pivot("cuBLAS, GFLOP/s", facts, lambda fact: (fact.type, fact.vector),
                    lambda fact: fact.level.replace("x", "×"), ["type", "library"])


def amount(fact):
    """A value with its unit; bytes in KiB, MiB or GiB."""
    value, unit = fact.value, fact.unit
    if unit == "B":
        power = 3 if value >= 2**30 else 2 if value >= 2**20 else 1
        value, unit = value / 2**(10 * power), " KMG"[power] + "iB"
    return (f"{value:.4g}" if value < 1000 else f"{value:.0f}") + f" {unit}" * bool(unit)


def predicted_tables(results):
    for type in results.types:
        if rows := results.compared(type):
            yield Table(f"{type}, n = {rows[0].n}", *predicted_table(results, rows),
                        marks={place: "far" for place, row in enumerate(rows) if far_off(row)})


def thread_table(results, type, found):
    """Each variant at the largest size, on the most threads, and before that on the most with a core each."""
    rows, cores, n = [], cores_of(results), max(scaling.n for scaling in found)
    for scaling in (scaling for scaling in found if scaling.n == n):
        of = dict(scaling.runs)
        alone, fitted = [of[1]] if 1 in of else [], [row for p, row in of.items() if p <= cores]
        for most in sorted({max(scaling.times), *[p for p in scaling.times if 1 < p <= cores][-1:]}):
            factor = scaling.speedup(scaling.times[most])
            rows.append([scaling.step, scaling.variant, alone[0].time() if alone else "–",
                         f"{most}{', beyond the cores' * (most > cores)}", of[most].time(),
                         *(marked(text, *alone, of[most]) for text in (times(factor), percent(factor and factor / most))),
                         marked(percent(scaling.serial), *fitted)])
    return Table(f"Speedup and serial fraction, {type}, n = {n}",
                 ["program", "variant", "one thread", "threads", "time", "speedup", "efficiency", "serial fraction"], rows)


def thread_tables(results):
    """How products scale with threads, ours and others': nothing where nothing ran on several."""
    by_type = {type: found for type in results.types if (found := scalings(results, type))}
    tables = [thread_table(results, type, found) for type, found in by_type.items()]
    for theirs, ours, rows in published(sum(by_type.values(), [])) if by_type else ():
        cells = [[str(threads), times(factor), percent(share, 0), times(mine), percent(our_share, 0)]
                 for threads, factor, share, mine, our_share in rows]
        tables.append(Table(f"Beside {theirs}", ["threads", "published speedup", "published efficiency", "our speedup",
                                                 "our efficiency"], cells, f"Ours: {ours}. Other machines, other sizes: "
                            "what compares is how the figures fall as threads are added."))
    return tables


def gpu_section(title, text, results, charts):
    """What ran on the GPU; `charts` by type."""
    tables = [Table(f"{type}, n = {n}", *gpu.ours(results, type, n), gpu.CORES_ARE)
              for type in results.types for n in gpu.sizes(results, type)]
    if tables:
        tables[0].open = True
        tables += [*device_tables(results.gpu), *(Table(*of) for of in gpu.beside(results)),
                   Table("Beside printed ratios, f32", *gpu.ratios(results), gpu.NEAREST)]
    return Section(title, text, charts, tables)


def reference_section(results, charts):
    """What the GPU of another machine did."""
    return gpu_section(f"Reference, measured on another machine: {results.gpu.name() or 'a GPU'}",
                       "Not this machine, which has no GPU that was measured: the rows of plots/reference, on "
                       f"{results.place('gpu')}. They are in no chart of this machine.", results,
                       by_type(results, charts))


def by_type(results, charts):
    """{type: its (name, chart)}, less the types that have none."""
    return {type: found for type in results.types if (found := [at for at in charts if at[1].type == type])}


def row_table(results, step):
    """Every row of a program, wrong ones marked."""
    rows = [row for row in results.rows if row.step == step]
    flags = " and ".join(dict.fromkeys(row.cells["flags"] for row in rows))
    foreseen = any(row.predicted for row in rows)
    cells = []
    for row in rows:
        rated = row.sound and not row.rehearsed and row.median  # a wrong result is fast at nothing
        factor, share = rated and results.speedup(row), number(row.cells["error_share"])
        cells.append([row.label(), row.type, row.shape, row.time(), seconds(row.least),
                      seconds(row.deviation), str(row.repeat), digits(row.gflops()) if rated else "–",
                      times(factor), row.cells["verdict"], "–" if share is None else f"{share:.2g}"])
        if foreseen:
            cells[-1] += [seconds(row.predicted), LIMITS.get(row.limit, row.limit or "–")]
    headings = ["variant", "type", "m×n×k", "median", "best", "deviation", "runs", "GFLOP/s", "speedup",
                "result", "error / allowed"] + ["predicted", "limit"] * foreseen
    wrong = {number: "wrong" for number, row in enumerate(rows) if not row.sound}
    return Table(f"Every row of {step} ({len(rows)}; compiled with {flags})", headings, cells, marks=wrong)


def rivals_section(path):
    """Ours beside the libraries."""
    groups = standing.load(path)
    several = len({group.host for group in groups}) > 1
    shown = [standing.chart(group, several) for group in groups]
    return Section("Beside the libraries", "Ours and one library took turns in one process; above 1 ours is the "
                   "faster. What counts is the best library of each shape.", {"": [(of.name, of) for of in shown]},
                   [Table("How each of ours stands", *standing.summary(groups), open=True),
                    *(Table(group.title(), *standing.table(group)) for group in groups)])


def rung_table(shown):
    """What was predicted of the ladder's rungs, beside what was measured; nothing where nothing was."""
    rows = [[bar.row.step, bar.row.label(), digits(bar.row.gflops(bar.row.predicted)), marked(digits(bar.row.gflops()), bar.row),
             LIMITS.get(bar.row.limit, bar.row.limit or "–")] for bar in shown.bars if bar.row.predicted]
    return [Table(shown.title, ["rung", "variant", "predicted GFLOP/s", "measured", "limit"], rows)] * bool(rows)


def top_ladder(machines, reference):
    """[(heading, ladder)] of each machine: its processor's, and its GPU's or the reference's."""
    shown = {}
    for results in machines:
        found = []
        for type in sorted(results.types, key=lambda type: type != "f32"):
            found = found or [(f"The processor: {name_of(results)}", bars.of_cores(results, type)),
                              (f"The GPU: {results.gpu.name()}", bars.of_gpu(results, type))]
            found = [(heading, ladder) for heading, ladder in found if ladder]
        if reference and found and (elsewhere := bars.of_gpu(reference, "f32")):
            found.append((f"A GPU, not this machine's: {reference.gpu.name()}", elsewhere))
        shown[results.host] = found
    return shown


def name_of(results):
    """The processor that a machine's rows ran on."""
    return next((name for name in results.words("device") if "cores)" in name), results.host)


def machine_page(results, charts, shown):
    """All that is shown of one machine; `charts` are (name, chart) each, `shown` its ladders."""
    def of(steps, among=charts):
        return by_type(results, [at for at in among if at[1].step in steps])
    type = shown[0][1].bars[0].row.type if shown else ""
    first = {chart.name: (name, chart) for name, chart in charts}
    wide = [first[name] for name in (f"gflops_{type}", f"threads_speedup_{type}") if name in first]
    programs = sorted({row.step for row in results.rows})
    steps = {}
    for program in programs:
        steps.setdefault(program.partition("-")[0], []).append(program)
    machine, far = list(machine_tables(results.machine)), list(predicted_tables(results))
    threads = thread_tables(results)
    rest = [at for at in charts if at not in wide]
    sections = [Section("All steps", "", of([""], rest)),
                Section("Predicted and measured", FAR_OFF * any(table.marks for table in far), {}, far),
                Section("What the machine can do", "", {}, machine),
                gpu_section("GPU", "A time is the kernel's alone; the chart of phases shows what allocation and copies "
                            "add. Each variant stands with its best block or tile.", results, of(["gpu"])),
                Section("Threads", SERIAL_IS, of(["threads"], rest), threads),
                *(Section(step, "", of(mine), [row_table(results, program) for program in mine])
                  for step, mine in steps.items())]
    facts = {"device": results.words("device"), "host": [results.host], "compiler": results.words("compiler"),
             "measured": sorted({started[:10] for started in results.words("started")}),
             "commit": results.words("commit"), "rows": [str(len(results.rows))]}
    predicted = [table for heading, ladder in shown[:1] if not ladder.bars[0].row.gpu for table in rung_table(ladder)]
    return {"host": results.host, "name": name_of(results), "facts": facts, "ladders": shown, "wide": wide, "predicted": predicted,
            "sections": [part for part in sections if part.charts or part.tables]}


def named_in(failed):
    """The lines of a file that need not be there."""
    return Path(failed).read_text(encoding="utf-8").splitlines() if failed and Path(failed).exists() else []


def reference_of(folder, machines):
    """What was measured on the GPU of a reference folder; None where there is no such folder, or a GPU here."""
    if not folder or not Path(folder, "results.csv").exists() or any(of.on_gpu for of in machines):
        return None
    machine = Path(folder, "machine.csv")
    return next((of for of in load(Path(folder, "results.csv"), machine if machine.exists() else None) if of.on_gpu), None)


def page(machines, out, csv, failed, duels, reference):
    """Writes index.html: one file, no script; the charts and the CSV stand beside it."""
    try:
        import jinja2
    except ImportError:
        raise Refusal("the page needs jinja2 for Python; ./setup.sh installs it (python3-jinja2)") from None
    charts = list(named(machines, reference))

    def of(mine):
        return [(name, chart) for results, chart, name in charts if results is mine]
    shown = top_ladder(machines, reference)
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(Path(__file__).resolve().parent), autoescape=True,
                                     trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    text = environment.get_template("page.html.jinja").render(
        failed=named_in(failed), wrong=[wrong_line(row) for results in machines for row in results.wrong],
        machines=[machine_page(results, of(results), shown[results.host]) for results in machines],
        others=[*([rivals_section(duels)] if duels else []),
                *([reference_section(reference, of(reference))] if reference else [])],
        marks=list(mark_lines(machines)), link=quote(os.path.relpath(csv, out)), csv=Path(csv).name)
    Path(out).mkdir(parents=True, exist_ok=True)
    (Path(out) / "index.html").write_text(text, encoding="utf-8")
    print(f"{Path(out) / 'index.html'}")


def main():
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `report.py ladder … | head` ends quietly
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("ladder", "predicted", "draw", "page", "bars"):
        command = commands.add_parser(name)
        command.add_argument("csv", metavar="RESULTS.csv")
        command.add_argument("--machine", metavar="machine.csv", help="what 00_machine measured")
        if name == "ladder":
            command.add_argument("--all-sizes", action="store_true", help="every size, not only the largest and its neighbour")
        elif name == "predicted":
            command.add_argument("--size", type=int, metavar="N", help="this size, not the one most variants have")
        else:
            command.add_argument("--out", required=True, metavar="FILE.svg" if name == "bars" else "DIR")
            command.add_argument("--reference", metavar="DIR", help="another machine's GPU, shown where there is none here")
        if name == "page":
            command.add_argument("--failed", metavar="FILE", help="the steps that failed, one a line")
            command.add_argument("--rivals", metavar="rivals.csv", help="ours against the libraries")
    command = commands.add_parser("here")
    command.add_argument("csv", metavar="RESULTS.csv", nargs="?")
    command.add_argument("--machine", metavar="machine.csv", required=True, help="what 00_machine measured")
    command.add_argument("--step", metavar="STEP", help="a program, such as 03_tiling-native")
    command.add_argument("--variant", metavar="NAME", help="the rung to mark; before it stands each earlier step's best")
    command.add_argument("--size", type=int, default=2000, metavar="N", help="n of the products (2000)")
    command.add_argument("--type", default="f32", metavar="TYPE", help="their type (f32)")
    command.add_argument("--out", required=True, metavar="FILE", help="an SVG, or a PNG")
    command = commands.add_parser("rivals")
    command.add_argument("csv", metavar="RIVALS.csv")
    command.add_argument("--out", metavar="DIR")
    given = parser.parse_args()
    try:
        if given.command == "rivals":
            return standings(given.csv, given.out)
        if given.command == "here":
            return here(given)
        machines = load(given.csv, given.machine)
        if given.command == "ladder":
            ladder(machines, given.all_sizes)
        elif given.command == "predicted":
            predicted(machines, given.size)
        elif given.command == "draw":
            draw(machines, given.out, reference_of(given.reference, machines))
        elif given.command == "bars":
            parts = sum(top_ladder(machines, reference_of(given.reference, machines)).values(), [])
            Path(given.out).write_text(bars.svg(parts), encoding="utf-8")
        else:
            page(machines, given.out, given.csv, given.failed, given.rivals, reference_of(given.reference, machines))
    except Refusal as refusal:
        sys.exit(print(f"report.py: {refusal}", file=sys.stderr) or 2)
    except OSError as error:
        sys.exit(print(f"report.py: cannot write {error.filename}: {error.strerror}", file=sys.stderr) or 2)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Turns results.csv into the ladder, the charts and the page.

    report.py ladder    RESULTS.csv [--machine machine.csv] [--all-sizes]
    report.py predicted RESULTS.csv [--machine machine.csv] [--size N]
    report.py draw      RESULTS.csv [--machine machine.csv] --out DIR
    report.py page      RESULTS.csv [--machine machine.csv] --out DIR [--failed FILE] [--rivals rivals.csv]
    report.py rivals    RIVALS.csv [--out DIR]

`ladder` prints the fastest variant of every program, over the baseline: ijk of 01_naive. `predicted` prints
what was predicted beside what was measured, at the size that most variants have. `draw` writes
DIR/charts/NAME.dat, .svg and .png with the scripts in plots/; `page` writes DIR/index.html around them, with page.html.jinja. `rivals`
prints ours beside the best library at each shape, and draws the ratio to each library.

Rows alike in all of KEY are one measurement taken again: the last counts. A row whose result is wrong is
named, never ranked or drawn. Exit status: 0 well; 2 nothing can be shown, with one line that says why."""
import argparse, os, signal, sys
from pathlib import Path
from urllib.parse import quote

import standing
from charts import draw, named
from measured import LIMITS, Refusal, digits, load, number, percent, seconds, times
from scaling import SERIAL_IS, cores_of, published, scalings


# ---- the commands ----

def ladder_table(results, type, n):
    """The headings and the rungs of a ladder, as text."""
    headings, peak = ["step", "best variant", "time", "GFLOP/s", "speedup over 01 ijk"], results.peak(type, 1)
    rungs = []
    for row in results.ladder(type, n):
        factor, share = results.speedup(row), results.share(row)
        rungs.append([row.step, row.label(), seconds(row.median), digits(row.gflops()), times(factor)])
        if peak:
            rungs[-1].append(f"{digits(share)} %" if share else "–")
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
            for n in results.sizes(type)[0 if all_sizes else -1:]:
                print_table(f"{type}, n = {n}, {results.place()}", *ladder_table(results, type, n))
    for row in (row for results in machines for row in results.wrong):
        print(f"\nWRONG, left out: {wrong_line(row)}", end="")
    print()


def standings(path, out):
    """Prints how ours stand against the libraries; with `out`, draws it."""
    groups = standing.load(path)
    for group in groups:
        print_table(f"{group.title()}, {group.place()}", *standing.table(group))
    print(f"\nMarked !: below {standing.TARGET:g} of the best library, a mean below 1.")
    print_table("Ours over the best library of each shape", *standing.summary(groups))
    if out:
        standing.draw(groups, out)


FAR_OFF = "Rows marked ! took more than twice, or less than half, the predicted time: their steps' notes say why."


def far_off(row):
    return not 0.5 <= row.missed() <= 2


def predicted_table(results, rows):
    """The headings and rows of what was predicted and what was measured, as text."""
    headings = ["program", "variant", "predicted", "measured", "measured / predicted", "", "limit"]
    cells, shares = [], [results.share(row) for row in rows]
    for row, share in zip(rows, shares):
        cells.append([row.step, row.label(), seconds(row.predicted), seconds(row.median), f"{digits(row.missed())}×",
                      "!" * far_off(row), LIMITS.get(row.limit, row.limit or "–")])
        if any(shares):
            cells[-1].append(f"{digits(share)} %" if share else "–")
    return headings + ["% of peak"] * any(map(bool, shares)), cells


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


def sheet(headings, rows, title="", looks={}):
    """A table of the page; `looks` gives the rows of these numbers a look."""
    return {"title": title, "headings": headings, "bar": None,
            "rows": [{"cells": cells, "look": looks.get(number, "")} for number, cells in enumerate(rows)]}


def page_ladder(results, type, n):
    """The ladder; the bar behind the GFLOP/s is long as the fastest rung's share."""
    ladder = sheet(*ladder_table(results, type, n), f"{type}, n = {n}") | {"bar": 3}
    rates = [row.gflops() for row in results.ladder(type, n)]
    for row, rate in zip(ladder["rows"], rates):
        row["share"] = f"{rate / max(rates):.1%}"
    return ladder


def page_lead(results):
    """The fastest product of the first type at its largest size; None where nothing can be ranked."""
    for type in results.types:
        n = results.sizes(type)[-1]
        if rungs := results.ladder(type, n):
            top = min(rungs, key=lambda row: row.median)
            factor = results.speedup(top)
            return {"type": type, "n": n, "step": top.step, "label": top.label(), "time": seconds(top.median),
                    "factor": factor and digits(factor)}
    return None


def pivot(facts, down, across, headings, title):
    """A table of values, a row for each `down` (a tuple of words), a column for each `across`."""
    columns = list(dict.fromkeys(map(across, facts)))
    values = {(down(fact), across(fact)): digits(fact.value) for fact in facts}
    rows = [[*words, *(values.get((words, column), "–") for column in columns)]
            for words in dict.fromkeys(map(down, facts))]
    return sheet([*headings, *columns], rows, title)


def threads_of(fact):
    return "1 thread" if fact.threads == 1 else f"{fact.threads} threads"


def page_roof(machine):
    """What the machine can do, as tables."""
    single = [[fact.name, " ".join(filter(None, (fact.type, fact.level))), amount(fact), fact.note]
              for fact in machine.facts if fact.name in ("processor", "cache", "latency")]
    tables = [sheet(["", "", "value", "note"], single, "Processor, caches, latencies")] if single else []
    for name, heading, key in (("peak", "Peak of each vector set, GFLOP/s", "type"),
                               ("bandwidth", "Bandwidth of each level with each vector set, GB/s", "level")):
        if facts := machine.of(name):
            tables.append(pivot(facts, lambda fact: (getattr(fact, key), fact.vector), threads_of, [key, "vector set"], heading))
    for type in dict.fromkeys(fact.type for fact in machine.of("library")):
        tables.append(pivot(machine.of("library", type=type),
                            lambda fact: (fact.vector, fact.note.partition(";")[0], threads_of(fact)),
                            lambda fact: fact.level.replace("x", "×"), ["library", "setting", "threads"],
                            f"Libraries, {type}, GFLOP/s"))
    return tables


def amount(fact):
    """A value with its unit; bytes in KiB or MiB."""
    value, unit = fact.value, fact.unit
    if unit == "B":
        value, unit = (value / 2**20, "MiB") if value >= 2**20 else (value / 2**10, "KiB")
    return f"{value:g} {unit}"


def page_predicted(results):
    """What was predicted beside what was measured, a table for each type; and whether any is far off."""
    tables, far = [], False
    for type in results.types:
        if rows := results.compared(type):
            looks = {place: "far" for place, row in enumerate(rows) if far_off(row)}
            tables.append(sheet(*predicted_table(results, rows), f"{type}, n = {rows[0].n}", looks))
            far |= bool(looks)
    return tables, FAR_OFF if far else ""


def thread_table(results, type, found):
    """Each variant at the largest size, on the most threads, and before that on the most with a core each."""
    rows, cores, n = [], cores_of(results), max(scaling.n for scaling in found)
    for scaling in (scaling for scaling in found if scaling.n == n):
        for most in sorted({max(scaling.times), max((p for p in scaling.times if 1 < p <= cores), default=0)} - {0}):
            factor = scaling.speedup(scaling.times[most])
            rows.append([scaling.step, scaling.variant, seconds(scaling.times.get(1)),
                         f"{most}{', beyond the cores' * (most > cores)}", seconds(scaling.times[most]),
                         times(factor), percent(factor and factor / most), percent(scaling.serial)])
    return sheet(["program", "variant", "one thread", "threads", "time", "speedup", "efficiency", "serial fraction"],
                 rows, f"{type}, n = {n}")


def page_published(found):
    """Our speedups beside those that others published."""
    return [sheet(["threads", "published speedup", "published efficiency", "our speedup", "our efficiency"],
                  [[str(threads), times(factor), percent(share, 0), times(mine), percent(our_share, 0)]
                   for threads, factor, share, mine, our_share in rows], f"{theirs}; ours: {ours}")
            for theirs, ours, rows in published(found)]


def page_rows(results, program):
    """Every row of a program, wrong ones marked."""
    rows = [row for row in results.rows if row.step == program]
    flags = " and ".join(dict.fromkeys(row.cells["flags"] for row in rows))
    foreseen = any(row.predicted for row in rows)
    cells = []
    for row in rows:
        rated = row.sound and row.median and row.gflops()  # a wrong result is fast at nothing, nor is an empty one
        factor, share = rated and results.speedup(row), number(row.cells["error_share"])
        cells.append([row.label(), row.type, row.shape, seconds(row.median), seconds(row.least),
                      seconds(row.deviation), str(row.repeat), digits(row.gflops()) if rated else "–",
                      times(factor), row.cells["verdict"], "–" if share is None else f"{share:.2g}"])
        if foreseen:
            cells[-1] += [seconds(row.predicted), LIMITS.get(row.limit, row.limit or "–")]
    headings = ["variant", "type", "m×n×k", "median", "best", "deviation", "runs", "GFLOP/s", "speedup",
                "result", "error / allowed"] + ["predicted", "limit"] * foreseen
    wrong = {place: "bad" for place, row in enumerate(rows) if not row.sound}
    return sheet(headings, cells, f"Every row of {program} ({len(rows)}; compiled with {flags})", wrong)


def figure(chart, name):
    """A chart that was drawn, with its caption."""
    return {"name": name, "alt": chart.alt(), "caption": chart.caption}


def page_machine(results, charts):
    """All that is shown of one machine; `charts`: (chart, its files' name)."""
    def figures(step):
        return [figure(chart, name) for chart, name in charts if chart.step == step and chart.name not in headline]
    headline = [f"{kind}_{results.types[0]}" for kind in ("gflops", "speedup")] if results.types else []
    found = {type: some for type in results.types if (some := scalings(results, type))}
    programs = sorted({row.step for row in results.rows})
    steps = {}
    for program in programs:
        steps.setdefault(program.partition("-")[0], []).append(program)
    predictions, far = page_predicted(results)
    ladders = [page_ladder(results, type, n) for type in results.types for n in reversed(results.sizes(type))
               if results.ladder(type, n)]
    return {
        "place": results.place(), "lead": page_lead(results), "ladders": ladders,
        "headline": [figure(chart, name) for chart, name in charts if chart.name in headline],
        "steps_figures": figures(""), "predicted": predictions, "far_off": far, "serial_is": SERIAL_IS,
        "threads": [thread_table(results, type, some) for type, some in found.items()],
        "threads_figures": figures("threads"), "published": page_published(sum(found.values(), [])),
        "steps": [{"name": step, "figures": sum(map(figures, mine), []), "rows": [page_rows(results, program) for program in mine]}
                  for step, mine in steps.items()],
        "roof": page_roof(results.machine),
        "facts": {"device": ", ".join(results.words("device")), "host": results.host,
                  "compiler": ", ".join(results.words("compiler")),
                  "measured": ", ".join(sorted({started[:10] for started in results.words("started")})),
                  "commit": ", ".join(results.words("commit")), "rows": len(results.rows)}}


def page_rivals(path):
    """Ours beside the libraries: nothing without a rivals.csv."""
    if not path:
        return None
    groups = standing.load(path)
    several = len({group.host for group in groups}) > 1
    drawn = [(group, standing.chart(group, several)) for group in groups]
    return {"summary": sheet(*standing.summary(groups)),
            "groups": [{"figure": figure(chart, chart.name), "table": sheet(*standing.table(group), group.title())}
                       for group, chart in drawn]}


def page(machines, out, csv, failed, duels):
    """Writes index.html: one file, no script; the charts and the CSV stand beside it."""
    try:
        import jinja2
    except ImportError:
        raise Refusal(f"{sys.executable} has no jinja2; ./setup.sh installs it for /usr/bin/python3") from None
    Path(out).mkdir(parents=True, exist_ok=True)
    template = jinja2.Environment(loader=jinja2.FileSystemLoader(Path(__file__).parent), autoescape=True,
                                  undefined=jinja2.StrictUndefined).get_template("page.html.jinja")
    charts, alerts = list(named(machines)), [
        {"heading": "Steps that failed", "lines": lines_in(failed)},
        {"heading": "Wrong results, left out of ladder and charts",
         "lines": [wrong_line(row) for results in machines for row in results.wrong]}]
    text = template.render(
        alerts=alerts, rivals=page_rivals(duels), data={"link": quote(os.path.relpath(csv, out)), "name": Path(csv).name},
        machines=[page_machine(results, [(chart, name) for of, chart, name in charts if of is results]) for results in machines])
    (Path(out) / "index.html").write_text(text, encoding="utf-8")
    print(f"{Path(out) / 'index.html'}")


def lines_in(path):
    """The lines of a file that need not be there."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines() if path else []
    except OSError:
        return []


def main():
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `report.py ladder … | head` ends quietly
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("ladder", "predicted", "draw", "page"):
        command = commands.add_parser(name)
        command.add_argument("csv", metavar="RESULTS.csv")
        command.add_argument("--machine", metavar="machine.csv", help="what 00_machine measured")
        if name == "ladder":
            command.add_argument("--all-sizes", action="store_true", help="every size, not only the largest")
        elif name == "predicted":
            command.add_argument("--size", type=int, metavar="N", help="this size, not the one most variants have")
        else:
            command.add_argument("--out", required=True, metavar="DIR")
        if name == "page":
            command.add_argument("--failed", metavar="FILE", help="the steps that failed, one a line")
            command.add_argument("--rivals", metavar="rivals.csv", help="ours against the libraries")
    command = commands.add_parser("rivals")
    command.add_argument("csv", metavar="RIVALS.csv")
    command.add_argument("--out", metavar="DIR")
    given = parser.parse_args()
    try:
        if given.command == "rivals":
            return standings(given.csv, given.out)
        machines = load(given.csv, given.machine)
        if given.command == "ladder":
            ladder(machines, given.all_sizes)
        elif given.command == "predicted":
            predicted(machines, given.size)
        elif given.command == "draw":
            draw(machines, given.out)
        else:
            page(machines, given.out, given.csv, given.failed, given.rivals)
    except Refusal as refusal:
        sys.exit(print(f"report.py: {refusal}", file=sys.stderr) or 2)
    except OSError as error:
        sys.exit(print(f"report.py: cannot write {error.filename}: {error.strerror}", file=sys.stderr) or 2)


if __name__ == "__main__":
    main()

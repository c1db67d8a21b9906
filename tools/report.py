#!/usr/bin/env python3
"""Turns results.csv into the ladder, the charts and the page.

    report.py ladder    RESULTS.csv [--machine machine.csv] [--all-sizes]
    report.py predicted RESULTS.csv [--machine machine.csv] [--size N]
    report.py draw      RESULTS.csv [--machine machine.csv] --out DIR
    report.py page      RESULTS.csv [--machine machine.csv] --out DIR [--log FILE] [--failed FILE]
    report.py rivals    RIVALS.csv [--out DIR]

`ladder` prints the fastest variant of every program, over the baseline: ijk of 01_naive. `predicted` prints
what was predicted beside what was measured, at the size that most variants have. `draw` writes
DIR/charts/NAME.dat, .svg and .png with the scripts in plots/; `page` writes DIR/index.html around them. `rivals`
prints ours beside the best library at each shape, and draws the ratio to each library.

Rows alike in all of KEY are one measurement taken again: the last counts. A row whose result is wrong is
named, never ranked or drawn. Exit status: 0 well; 2 nothing can be shown, with one line that says why."""
import argparse, html, os, signal, sys
from pathlib import Path
from urllib.parse import quote

import standing as rivals
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
    groups = rivals.load(path)
    for group in groups:
        print_table(f"{group.title()}, {group.place()}", *rivals.table(group))
    print(f"\nMarked !: below {rivals.TARGET:g} of the best library, a mean below 1.")
    print_table("Ours over the best library of each shape", *rivals.summary(groups))
    if out:
        rivals.draw(groups, out)


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


STYLE = """
:root { color-scheme: light dark; --text: #1b1b1b; --soft: #5a5a5a; --ground: #fdfdfb; --line: #d8d8d2;
        --bar: #bcd9ec; --bad: #a11; --bad-ground: #fdeaea }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e4; --soft: #a9a9a4; --ground: #17181a;
        --line: #3a3b3e; --bar: #1f4f6e; --bad: #ff9d9d; --bad-ground: #3b1a1a } }
body { font: 17px/1.55 system-ui, sans-serif; color: var(--text); background: var(--ground); margin: 0 auto;
       padding: 1rem; max-width: 62rem }
h1, h2, h3 { line-height: 1.2 } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line) }
a { color: inherit } .soft, figcaption, dt { color: var(--soft) } figcaption, table { font-size: .9rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem }
dd { margin: 0; overflow-wrap: anywhere }
.wide { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .55rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
th { white-space: normal; vertical-align: bottom }
th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left }
td.bar { background: linear-gradient(var(--bar) 0 0) no-repeat left / var(--share) 100%; min-width: 7rem }
figure { margin: 1.5rem 0; break-inside: avoid }
img { width: 100%; height: auto; border-radius: 6px; background: #fff }
.bad { color: var(--bad); background: var(--bad-ground); border-left: 5px solid; padding: .6rem 1rem }
tr.bad td { color: var(--bad); font-weight: bold } tr.far td { background: var(--bad-ground) }
pre { overflow-x: auto; font-size: .8rem }
summary { cursor: pointer; margin: .6rem 0 } .lead { font-size: 1.2rem }
@media print { body { max-width: none; font-size: 11pt }
               details::details-content { content-visibility: visible } }
"""
INTRODUCTION = """\
<p>Every program here computes the same thing, <b>C += A·B</b>, and each tries to do it faster than the one
before. A product of two n × n matrices takes 2n³ floating-point (or integer) operations: n³ multiplications
and as many additions. <b>GFLOP/s</b> says how many billions of them a program does in a second: the higher,
the better. <b>Speedup</b> is the time of the plain three loops, <code>01_naive</code> <code>ijk</code>,
divided by the program's own, at the same type and size. A time is the median of several runs. Before a time
counts, the result is checked.</p>
"""


def table(headings, rows, classes={}):
    """A table of text. A cell may be (text, style); `classes` gives the rows of these numbers a class."""
    def line(cells, tag, number=None):
        pairs = [cell if isinstance(cell, tuple) else (cell, "") for cell in cells]
        row = f'<tr class="{classes[number]}">' if number in classes else "<tr>"
        return row + "".join(f"<{tag}{style}>{html.escape(text)}</{tag}>" for text, style in pairs) + "</tr>\n"
    body = "".join(line(cells, "td", number) for number, cells in enumerate(rows))
    head = line(headings, "th")
    return f'<div class="wide"><table>\n<thead>{head}</thead>\n<tbody>{body}</tbody></table></div>\n'


def details(summary, content):
    return f"<details><summary>{html.escape(summary)}</summary>{content}</details>\n"


def page_ladder(results, type, n):
    """The ladder; the bar behind the GFLOP/s is long as the fastest rung's share."""
    headings, rungs = ladder_table(results, type, n)
    rates = [row.gflops() for row in results.ladder(type, n)]
    for rung, rate in zip(rungs, rates):
        rung[3] = rung[3], f' class="bar" style="--share: {rate / max(rates):.1%}"'
    return f"<h3>{html.escape(type)}, n = {n}</h3>\n" + table(headings, rungs)


def unfolded(parts):
    """(summary, content) each, folded away all but the first."""
    return "".join(details(*part).replace("<details>", "<details open>" if not place else "<details>")
                   for place, part in enumerate(parts))


def pivot(facts, down, across, headings):
    """A table of values, a row for each `down` (a tuple of words), a column for each `across`."""
    columns = list(dict.fromkeys(map(across, facts)))
    values = {(down(fact), across(fact)): digits(fact.value) for fact in facts}
    rows = [[*words, *(values.get((words, column), "–") for column in columns)]
            for words in dict.fromkeys(map(down, facts))]
    return table([*headings, *columns], rows)


def threads_of(fact):
    return "1 thread" if fact.threads == 1 else f"{fact.threads} threads"


def page_roof(machine):
    """What the machine can do: nothing where there is no machine.csv."""
    if not machine.facts:
        return ""
    single = [[fact.name, " ".join(filter(None, (fact.type, fact.level))), amount(fact), fact.note]
              for fact in machine.facts if fact.name in ("processor", "cache", "latency")]
    parts = ["<h2>What the machine can do</h2>\n", table(["", "", "value", "note"], single)]
    for name, heading, key in (("peak", "Peak of each vector set, GFLOP/s", "type"),
                               ("bandwidth", "Bandwidth of each level with each vector set, GB/s", "level")):
        if facts := machine.of(name):
            parts += [f"<h3>{heading}</h3>\n", pivot(facts, lambda fact: (getattr(fact, key), fact.vector),
                                                     threads_of, [key, "vector set"])]
    libraries = {}
    for fact in machine.of("library"):
        libraries.setdefault(fact.type, []).append(fact)
    if libraries:
        parts += ["<h3>Libraries, GFLOP/s</h3>\n", unfolded(
            (type, pivot(facts, lambda fact: (fact.vector, fact.note.partition(";")[0], threads_of(fact)),
                         lambda fact: fact.level.replace("x", "×"), ["library", "setting", "threads"]))
            for type, facts in libraries.items())]
    return "".join(parts)


def amount(fact):
    """A value with its unit; bytes in KiB or MiB."""
    value, unit = fact.value, fact.unit
    if unit == "B":
        value, unit = (value / 2**20, "MiB") if value >= 2**20 else (value / 2**10, "KiB")
    return f"{value:g} {unit}"


def page_predicted(results):
    """What was predicted beside what was measured, of each type: nothing where nothing was predicted."""
    tables = [(type, rows) for type in results.types if (rows := results.compared(type))]
    if not tables:
        return ""
    far = any(far_off(row) for _, rows in tables for row in rows)
    return "<h2>Predicted and measured</h2>\n" + f"<p>{FAR_OFF}</p>\n" * far + unfolded(
        (f"{type}, n = {rows[0].n}", table(*predicted_table(results, rows),
                                          {place: "far" for place, row in enumerate(rows) if far_off(row)}))
        for type, rows in tables)


def thread_table(results, found):
    """Each variant at the largest size, on the most threads, and before that on the most with a core each."""
    rows, cores, n = [], cores_of(results), max(scaling.n for scaling in found)
    for scaling in (scaling for scaling in found if scaling.n == n):
        for most in sorted({max(scaling.times), max((p for p in scaling.times if 1 < p <= cores), default=0)} - {0}):
            factor = scaling.speedup(scaling.times[most])
            rows.append([scaling.step, scaling.variant, seconds(scaling.times.get(1)),
                         f"{most}{', beyond the cores' * (most > cores)}", seconds(scaling.times[most]),
                         times(factor), percent(factor and factor / most), percent(scaling.serial)])
    return table(["program", "variant", "one thread", "threads", "time", "speedup", "efficiency", "serial fraction"],
                 rows)


def page_threads(results, figures):
    """How products scale with threads, ours and others': nothing where nothing ran on several."""
    by_type = {type: found for type in results.types if (found := scalings(results, type))}
    if not by_type:
        return ""
    parts = ["<h2>Threads</h2>\n", figures, "<h3>Speedup and the serial fraction</h3>\n", f"<p>{SERIAL_IS}</p>\n"]
    parts.append(unfolded((f"{type}, n = {max(scaling.n for scaling in found)}", thread_table(results, found))
                          for type, found in by_type.items()))
    parts.append("<h3>Beside what others published</h3>\n<p>Speedup over one thread, and that divided by the threads. "
                 "Other machines, other sizes: what compares is how the figures fall as threads are added.</p>\n")
    for theirs, ours, rows in published(sum(by_type.values(), [])):
        parts.append(f"<h4>{html.escape(theirs)}</h4>\n<p>Ours: {html.escape(ours)}.</p>\n" + table(
            ["threads", "published speedup", "published efficiency", "our speedup", "our efficiency"],
            [[str(threads), times(factor), percent(share, 0), times(mine), percent(our_share, 0)]
             for threads, factor, share, mine, our_share in rows]))
    return "".join(parts)


def page_rows(results, step):
    """Every row of a program, wrong ones marked."""
    rows = [row for row in results.rows if row.step == step]
    flags = " and ".join(dict.fromkeys(row.cells["flags"] for row in rows))
    foreseen = any(row.predicted for row in rows)
    cells = []
    for row in rows:
        rated = row.sound and row.median  # a wrong result is fast at nothing
        factor, share = rated and results.speedup(row), number(row.cells["error_share"])
        cells.append([row.label(), row.type, row.shape, seconds(row.median), seconds(row.least),
                      seconds(row.deviation), str(row.repeat), digits(row.gflops()) if rated else "–",
                      times(factor), row.cells["verdict"], "–" if share is None else f"{share:.2g}"])
        if foreseen:
            cells[-1] += [seconds(row.predicted), LIMITS.get(row.limit, row.limit or "–")]
    headings = ["variant", "type", "m×n×k", "median", "best", "deviation", "runs", "GFLOP/s", "speedup",
                "result", "error / allowed"] + ["predicted", "limit"] * foreseen
    wrong = {number: "bad" for number, row in enumerate(rows) if not row.sound}
    return details(f"Every row of {step} ({len(rows)}; compiled with {flags})", table(headings, cells, wrong))


def page_machine(results, charts):
    """All that is shown of one machine."""
    facts = {"device": results.words("device"), "host": [results.host], "compiler": results.words("compiler"),
             "measured": sorted({started[:10] for started in results.words("started")}),
             "commit": results.words("commit"), "rows": [str(len(results.rows))]}
    parts = [f"<dt>{name}</dt><dd>{html.escape(', '.join(words))}</dd>" for name, words in facts.items()]
    parts = ["<dl>", *parts, "</dl>\n<h2>The ladder</h2>\n"]
    for type in results.types:
        *others, largest = [page_ladder(results, type, n) for n in results.sizes(type)]
        parts.append(largest)
        if others:
            parts.append(details(f"{type} at the other sizes", "".join(others)))

    parts += [page_predicted(results), page_roof(results.machine)]

    def figures(step):
        return "".join(figure(name, chart) for chart, name in charts if chart.step == step)
    parts += ["<h2>All steps</h2>\n" + figures(""), page_threads(results, figures("threads"))]
    programs = sorted({row.step for row in results.rows})
    for step in dict.fromkeys(program.partition("-")[0] for program in programs):
        mine = [program for program in programs if program.partition("-")[0] == step]
        parts += [f"<h2>{html.escape(step)}</h2>\n", *map(figures, mine)]
        parts += [page_rows(results, program) for program in mine]
    return "".join(parts)


def tail(path, count):
    """The last lines of a file that need not be there."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()[-count:] if path else []
    except OSError:
        return []


def figure(name, chart):
    """A chart that was drawn, with its caption."""
    return (f'<figure><a href="charts/{name}.svg"><img src="charts/{name}.svg" width="900" height="560" '
            f'loading="lazy" alt="{html.escape(chart.alt())}"></a>\n<figcaption>{html.escape(chart.caption)} '
            f'<a href="charts/{name}.dat">The numbers.</a></figcaption></figure>\n')


def page_rivals(path):
    """Ours beside the libraries: nothing without a rivals.csv."""
    if not path:
        return ""
    groups = rivals.load(path)
    several = len({group.host for group in groups}) > 1
    parts = ["<h2>Beside the libraries</h2>\n<p>Ours and one library took turns in one process; above 1 ours is the "
             "faster. What counts is the best library of each shape.</p>\n", table(*rivals.summary(groups))]
    for group in groups:
        chart = rivals.chart(group, several)
        parts += [figure(chart.name, chart), details(html.escape(group.title()), table(*rivals.table(group)))]
    return "".join(parts)


def page(machines, out, csv, log, failed, duels):
    """Writes index.html: one file, no script; the charts and the CSV stand beside it."""
    Path(out).mkdir(parents=True, exist_ok=True)
    charts, parts = list(named(machines)), ["<h1>Matrix multiplication, step by step</h1>\n"]
    for heading, lines in (("Steps that failed", tail(failed, 1000)),
                           ("Wrong results, left out of ladder and charts",
                            [wrong_line(row) for results in machines for row in results.wrong])):
        if lines:
            items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
            parts.append(f'<div class="bad" role="alert"><b>{heading}</b><ul>{items}</ul></div>\n')
    for results in machines:
        for type in results.types[:1]:
            n = results.sizes(type)[-1]
            top = min(results.ladder(type, n), key=lambda row: row.median)
            factor = results.speedup(top)
            ahead = f", {digits(factor)} times as fast as the three plain loops" if factor else ""
            parts.append(f'<p class="lead">The fastest {html.escape(type)} product of size {n} here: '
                         f"<b>{html.escape(top.step)}</b> <code>{html.escape(top.label())}</code>, "
                         f"{seconds(top.median)}{ahead}.</p>\n")
    parts.append(INTRODUCTION)
    for results in machines:
        parts.append(page_machine(results, [(chart, name) for of, chart, name in charts if of is results]))
    parts.append(page_rivals(duels))
    link = quote(os.path.relpath(csv, out))
    parts.append(f'<h2>The data</h2>\n<p>Every number above comes from <a href="{html.escape(link)}">'
                 f"{html.escape(Path(csv).name)}</a>, one line a measurement.</p>\n")
    if tail(log, 1):
        lines = html.escape("\n".join(tail(log, 300)))
        parts.append(details("The end of the log", f"<pre>{lines}</pre>"))
    head = ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
            'content="width=device-width, initial-scale=1"><title>Matrix multiplication, step by step</title>'
            f"<style>{STYLE}</style></head><body>\n")
    (Path(out) / "index.html").write_text(head + "".join(parts) + "</body></html>\n", encoding="utf-8")
    print(f"{Path(out) / 'index.html'}")


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
            command.add_argument("--log", metavar="FILE", help="a log whose end the page shows")
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
            page(machines, given.out, given.csv, given.log, given.failed, given.rivals)
    except Refusal as refusal:
        sys.exit(print(f"report.py: {refusal}", file=sys.stderr) or 2)
    except OSError as error:
        sys.exit(print(f"report.py: cannot write {error.filename}: {error.strerror}", file=sys.stderr) or 2)


if __name__ == "__main__":
    main()

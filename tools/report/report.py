#!/usr/bin/env python3
"""Turns results.csv into ladder and page: report.py COMMAND [RESULTS.csv] [OPTIONS]

    ladder          prints the ladder
    page --out DIR  writes DIR/index.html, and its charts as files, DIR/charts/NAME.svg
    libraries       of libraries.csv: prints how ours stand beside the libraries

--machine machine.csv is what 00_machine measured; --reference DIR another machine's GPU, shown
where there is none here; --libraries libraries.csv; --failed FILE has the steps that failed, one a
line; --report NAME shows one published report whole. A row whose result is wrong is named, never
drawn. Exit status: 0 well; 2 the files cannot be read or written, 77 no jinja2, in a line."""

import argparse, itertools, math, os, re, subprocess, sys
from contextlib import suppress
from pathlib import Path
from statistics import geometric_mean
from urllib.parse import quote

import charts, drawing, ladder
from measured import LIMITS, Refusal, Results, lines_of, read, select
from measured import digits, from_to, gflops, marked, percent, seconds

ROOT = drawing.PLOTS.parent
ADDRESS = r"(?:\w+://)?(?:[^@/]*@)?([\w-]+(?:\.[\w-]+)+)(?::\d+/|[:/])([\w./-]+?)(?:\.git)?/?"
TARGET = 0.98  # of the best library, in every cell
MISS = 1.25  # a prediction misses that is this factor off


def ratios(row):
    """In words the ratio of turns, with the least and the largest, of older files the quartiles."""
    low, high = row.ratio_min or row.ratio_low, row.ratio_max or row.ratio_high
    return f"{row.ratio:.3f} ({low:.2f} to {high:.2f})"


def grouped(rows):
    """By host, type, threads and variant the rows that are of ours and a library in turns: of each
    shape that of the library that did best beside ours, not of the highest rate: they are minutes
    apart, and a rate says as much about the minute as about the library."""
    groups = {}
    for row in sorted(rows, key=lambda row: -(row.ratio or 0)):
        in_turns = row.ratio and row.ratio_low and row.ratio_high
        if in_turns and row.verdict == "right" and not row.variant.startswith("library"):
            of = (row.host, row.type, row.threads, row.variant)
            groups.setdefault(of, {})[row.shape()] = row
    return [[*groups[of].values()] for of in sorted(groups)]


def sentence(rows):
    """How the rows of a group stand."""
    worst, mean = min(rows, key=lambda row: row.ratio), geometric_mean(row.ratio for row in rows)
    on = "a GPU" if worst.gpu else f"{worst.threads} thread" + "s" * (worst.threads > 1)
    below, said = sum(row.ratio < TARGET for row in rows), f"{worst.variant}, {worst.type}, on {on}"
    narrow = " with vectors of 32 bytes" * worst.variant.startswith("tuned")  # see libraries.py
    best = "times as fast as the best library" + narrow
    if len(rows) == 1:
        return f"{said}, is {ratios(worst)} {best} at {worst.shape()}, {worst.against}."
    said += f", is {mean:.3f} {best} on average, at worst {ratios(worst)} at {worst.shape()}, "
    return said + f"{worst.against}; below {TARGET:g} in {below} of {len(rows)}."


# What reports printed, and ours beside it: plots/published/ours.csv says which does the same.
FORMS = {  # what is compared, and how it is written
    "speedup": lambda factor: digits(factor) + "×",
    "speedup / cores": "{:.3g}".format,
    "page faults": "{:.0f}".format,
    "relative error": lambda error: "" if error is None else f"{error:.2g}",
}
ALIKE, NEAR = 1.5, 2  # within these factors figures agree, and sizes are compared


def figure(results, row, what, one):
    """Ours in words, None of what we do not know: a multiple of the report's own base by the rates,
    of one thread's in turns, of one rank's by the times and their spreads."""
    what, _, base = what.partition(" over ")
    form = FORMS.get(what, digits)
    of = {name: getattr(row, name) for name in ("step", "variant", "type", "n")}
    if what == "page faults":  # none where it had the memory that a row before gave back
        switches = f", {row.context_switches or 0:.0f} switches"
        return row.page_faults and form(row.page_faults) + switches
    if what in ("GFLOP/s", "relative error"):
        return form(row.whole_rate if what == "GFLOP/s" else row.relative_error)
    of |= dict(zip(("step", "variant"), base.split())) or one
    first = min(results.select(**of), key=lambda row: row.median_s, default=None)
    if base:
        cores = results.gpu.most("cores") if what == "speedup / cores" else 1  # of some unknown
        return first and cores and form(row.whole_rate / first.whole_rate / cores)
    if not (spread := first and row.times_of(first)):
        return None
    middle, low, high = map(form, spread)
    share = f", {charts.efficiency({1: first, row.workers: row}, row.workers)}"
    return middle + f" ({low} to {high})" * (low != high) + share * (row.workers > first.workers)


def published(results, report):
    """Tables of what reports printed, ours of the same type and nearest size, a power of two only
    by one, if possible: title, what agrees, chart, cells. What lacks is left out but of one report.
    """
    tables = {}
    for line in lines_of(drawing.PLOTS / "published/ours.csv"):
        n, type, what, value = int(line["n"]), line["type"], line["what"], float(line["theirs"])
        by, gpu = line["by"], line["step"] > "07"
        count, _, among = line["count"].partition(" of ")  # ranks of so many workers
        on, one = {"gpu": gpu}, {by: 1, "workers": int(among or 1)}
        if by in ("threads", "ranks", "workers"):
            on = {by: int(count), "workers": int(among or count)}
        two = lambda row: row.n.bit_count() == 1 < n.bit_count()
        far = lambda row: (row.type != type, two(row), abs(math.log(row.n / n)), row.median_s)
        ours = sorted(results.select(variant=line["ours"], step=line["step"], **on), key=far)
        ours = ((row, said) for row in ours if (said := figure(results, row, what, one)))
        row, said = next(ours, (None, "needs a GPU" if gpu else "left out, or not built"))
        if line["report"].lower().startswith(report) and (row or report):
            at, form = f"{by} {line['count']}", FORMS.get(what.partition(" over ")[0], digits)
            share = f", {percent(value / int(count))}" if what == "speedup" and not among else ""
            cells = [line["published"], n, at if by else "a GPU" if gpu else "best", what]
            cells.append(form(value) + share)
            where = row and [row.label(), f"{row.n}" + f", {row.type}" * (row.type != type)]
            cells += [*where, marked(said, row)] if row else ["–", "–", said]
            table = tables.setdefault(f"{line['report']}, {line['table']}", [])
            table.append((line, cells, row, said))
    for title, found in tables.items():
        yield title, *compared(title, found), [cells for _, cells, *_ in found]


def compared(title, found):
    """What agrees, or why nothing is compared, and a chart. Rates are compared as multiples of one
    of the table's, of that beside which most were measured at one size."""
    counts, rates, shown, gaps = {line["count"] for line, *_ in found}, {}, [], {}
    name = lambda cells: cells[0] + f", {cells[2]}" * (len(counts) > 1)
    found = [(*of, float(re.match(r"[\d.e+-]+", said)[0])) for *of, said in found if of[-1]]
    for line, cells, row, here in found:
        if line["what"] == "GFLOP/s":
            rates.setdefault(name(cells), {})[cells[1], row.n] = float(line["theirs"]), here
    alike = lambda who: sum(len(of.keys() & rates[who].keys()) for of in rates.values())
    base = max(rates, key=alike, default="")
    for line, cells, row, here in (of for of in found if of[0]["theirs"] != "0"):
        if by := rates[base].get((cells[1], row.n)) if line["what"] == "GFLOP/s" else (1, 1):
            theirs, here = both = float(line["theirs"]) / by[0], here / by[1]
            words = f"{name(cells)}, {theirs:.3g} at {cells[1]} there, {here:.3g} at {row.n} here"
            of = abs(math.log(cells[1] / row.n)), abs(math.log(theirs / here)), words
            gaps[name(cells), row] = min(of, gaps.get((name(cells), row), of))  # a row counts once
            shown.append((line, row, both, words))
    lacking = len({(name(cells), row) for _, cells, row, _ in found} - gaps.keys())
    gaps = [of for (who, _), of in gaps.items() if who != base]
    near = [of for size, *of in gaps if size <= math.log(NEAR)]
    apart, far = [of for of in near if of[0] > math.log(ALIKE)], len(gaps) - len(near)
    said = [f"{len(near) - len(apart)} of {len(near)} agree within {ALIKE}×"] if near else []
    said += [f"furthest apart is {max(apart)[1]}"] if apart else []
    said += [f"{far} of sizes over {NEAR}× apart are left out"] if far else []
    said += [f"{base} is lacking at the size of {lacking} more"] if base and lacking else []
    why = f"only {base} was measured" if base else "they printed 0" if found else "none was run"
    said = "Nothing of it is compared here: " * (not near) + ("; ".join(said) or why)
    return said + ".", charts.printed(title, counts, shown, base) if gaps else None


def wrong_lines(results):
    for row in results.wrong:
        found = row.differences, row.error_share
        differ, share = ("?" if of is None else f"{of:g}" for of in found)
        who = f"{row.step} {row.variant} {row.type} {row.m}×{row.n}×{row.k}, {row.flags}: verdict"
        what = "rows" if row.verify == "freivalds" else "elements"
        yield f"{who} '{row.verdict}', {differ} {what} differ, error / allowed = {share}"


def above_lines(results):
    """What is above its bound beyond its spread, of rates and of efficiencies."""
    yield from results.above()
    for type, by in itertools.product(results.types, charts.COUNTED):
        for of, p in ((of, p) for of in charts.scaling(results, type, by) for p in of):
            if (share := charts.efficiency(of, p)).endswith("!"):
                who = f"{of[p].label()}, {type}, n = {of[p].n}, {p} {by}"
                yield f"{who}: an efficiency of {share[:-2]}"


def mark_lines(results):
    """How many rows were not verified, how many disturbed, whose are left out, if there are any."""
    again = "disturbed (marked ~): make report, called again, measures these again."
    said = {"not verified (marked °).": [row.verdict == "unverified" for row in results.rows]}
    said[again] = [row.disturbed for row in results.rows]
    lines = [f"{sum(of)} of {len(of)} rows {words}" for words, of in said.items() if any(of)]
    others = f"Left out: what was measured on {', '.join(results.others)}; this is {results.host}."
    return lines + [others] * bool(results.others)


def told_of(results, of, groups):
    """What the conclusion tells of a ladder: its first and its best bar, how many times as fast
    this is, and the turns that it, or what is most like it, had with a library."""
    first, best = of.bars[0], max(of.bars, key=lambda bar: bar.share)
    row = best.row
    gain = "about " + digits(row.whole_rate / first.row.whole_rate)
    gain = from_to(results.speedup(row)).removeprefix("from ") if first.label == "01" else gain
    pairs = select(itertools.chain(*groups), type=row.type, gpu=row.gpu, square=True)
    narrow = lambda at: at.variant[:5] == "tuned"  # some of these libraries are kept to AVX2
    order = lambda at: (at.variant != row.variant, narrow(at), abs(at.n - row.n), -at.threads)
    return of, first, best, gain, min(pairs, key=order, default=None)


def base(out):
    """Where the lessons are as a browser shows them: on the repository's web address, if it has
    one; else as files."""
    with suppress(OSError):  # there is no git
        ask = ["git", "-C", str(ROOT), "remote", "get-url", "origin"]
        origin = subprocess.run(ask, capture_output=True, text=True).stdout.strip()
        if found := re.fullmatch(ADDRESS, origin):
            return f"https://{found[1]}/{found[2]}/blob/HEAD"
    return quote(os.path.relpath(ROOT, out))


def content(results, reference, given):
    """All that is shown: of the machine's first type a chapter of the processor and one of the GPU,
    (what the conclusions tell, charts) each, then what is folded."""
    libraries = read(given.libraries, "ratio") if given.libraries else []
    groups = grouped(results.beside + select(libraries, host=results.host))
    ladders, chapters = ladder.of_machine(results), []
    bars = [bar for of in ladders for bar in of.bars]
    type = bars[0].row.type if bars else ""
    for gpu in (False, True):
        shown = [of for of in ladders if of.bars[0].row.gpu == gpu]
        drawn = [*map(ladder.chart, shown), *charts.course(results, type, gpu)]
        chapters.append(([told_of(results, of, groups) for of in shown], drawn))
    card = [of for of in ladder.of_machine(reference) if of.bars[0].row.gpu] if reference else []
    emulated = select(results.rows, lambda row: row.m * row.n * row.k, stand_in=True)
    if not chapters[1][0]:
        chapters[1] = ([], [ladder.chart(of, "reference_") for of in card])
    scaled = lambda of: [charts.scaling_chart(results, of, by) for by in charts.COUNTED]
    folded = [("Threads, ranks and GPUs", scaled(type))]
    for of in [of for of in results.types if of != type]:
        drawn = [*charts.course(results, of, False), *charts.course(results, of, True)]
        folded.append((f"The same in {of}", [*drawn, *scaled(of)]))
    facts = [(row.device, row.compiler, row.commit, row.started[:10]) for row in results.rows]
    facts = [", ".join(dict.fromkeys(filter(None, of))) for of in [[results.host], *zip(*facts)]]
    files = filter(None, (given.csv, given.machine, given.libraries))
    return {
        "results": results,
        "root": base(given.out),
        "chapters": [(told, list(filter(None, drawn))) for told, drawn in chapters],
        "folded": [(title, list(filter(None, drawn))) for title, drawn in folded],
        "predicted": [bar.row for bar in bars if bar.row.predicted_s and bar.label != "yours"],
        "card": card,
        "emulated": sorted(emulated, key=lambda row: row.step) if not chapters[1][0] else [],
        "libraries": [*map(sentence, groups)],
        "published": [*published(results, given.report or "")],
        "facts": "; ".join(filter(None, facts)),
        "failed": Path(given.failed or os.devnull).read_text(encoding="utf-8").splitlines(),
        "files": {Path(path).name: quote(os.path.relpath(path, given.out)) for path in files},
    }


def write(results, reference, given):
    """Writes index.html: one file, no script; the CSV stands beside it, and the charts as files."""
    shown = content(results, reference, given)
    every = [chart for _, of in shown["chapters"] + shown["folded"] for chart in of]
    every += filter(None, (of[2] for of in shown["published"]))
    drawing.render(every, Path(given.out, "charts"))
    try:
        import jinja2
    except ImportError:
        print("report.py: no page: there is no jinja2 here (python3-jinja2)", file=sys.stderr)
        sys.exit(77)
    how = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True}
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, **how)
    words = (digits, gflops, marked, percent, ratios, seconds)
    environment.filters |= {of.__name__: of for of in words}
    environment.globals |= globals()
    template = Path(__file__).with_name("page.html.jinja").read_text(encoding="utf-8")
    text = environment.from_string(template).render(shown)
    Path(given.out).mkdir(parents=True, exist_ok=True)
    (Path(given.out) / "index.html").write_text(text, encoding="utf-8")
    print(Path(given.out) / "index.html")


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
    print(*(f"WRONG, left out: {line}" for line in wrong_lines(results)), sep="\n")
    print(*above_lines(results), *mark_lines(results), sep="\n")


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("command", choices=["ladder", "page", "libraries"])
    parser.add_argument("csv", nargs="?", default="report/results.csv")
    for option in ("--machine", "--reference", "--failed", "--libraries", "--report"):
        parser.add_argument(option)
    parser.add_argument("--out", default="report")
    given = parser.parse_args()
    try:
        if given.command == "libraries":
            if not (groups := grouped(read(given.csv, "ratio"))):
                raise Refusal(f"{given.csv} has no row to show")
            return print(*map(sentence, groups), sep="\n")
        results = Results(given.csv, given.machine)
        if given.command == "ladder":
            return print_ladder(results)
        files = [Path(given.reference or "", f"{of}.csv") for of in ("results", "machine")]
        alone = not results.select(gpu=True) and files[0].exists()
        write(results, Results(*files) if alone else None, given)
    except (Refusal, OSError) as error:
        sys.exit(print(f"report.py: {error}", file=sys.stderr) or 2)


if __name__ == "__main__":
    main()

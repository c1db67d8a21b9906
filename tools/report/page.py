"""The page: plain data for page.html.jinja."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import against_libraries
import charts
import drawing
import ladder
import published
from measured import LIMITS, Refusal, digits, gflops, marked, percent, read, seconds, times, values

MISS = 1.25  # a prediction misses that is this factor off
# The passages that say why a prediction misses.
EXPLAINED = {
    "01 ijk": "01_naive/README.md#what-we-measured",
    "02 ikj": "02_loop_order/VECTORS.md#what-we-measured",
    "03 tiled": "03_tiling/README.md#what-we-measured",
    "03 four_by_four": "03_tiling/REGISTERS.md#what-we-measured",
    "07 coalesced": "07_cuda_global/COALESCED.md#what-we-measured",
    "08 shared": "08_cuda_shared/README.md#what-we-measured",
    "09 square": "09_cuda_regtile/README.md#what-we-measured",
}
NOT_EXPLAINED = "no page explains this miss"
COUNTED = {"page_faults": "page faults", "context_switches": "context switches"}
COUNTS_ARE = (
    "By getrusage, of all runs of a row. Most processors that are lent hide their own counters "
    "(cycles, cache misses); the lessons count these with cachegrind."
)


@dataclass
class Table:
    """Rows of cells; a cell is words, or (words, where they lead)."""

    title: str
    headings: list
    rows: list
    note: str = ""


@dataclass
class Section:
    title: str
    text: str = ""
    charts: list = ()
    table: Table = None


# ---- lines ----


def wrong_lines(machines):
    for row in (row for results in machines for row in results.wrong):
        differ = "?" if row.differences is None else f"{row.differences:.0f}"
        share = "?" if row.error_share is None else f"{row.error_share:g}"
        yield (
            f"{row.step} {row.variant} {row.type} {row.m}×{row.n}×{row.k}, {row.flags}: "
            f"verdict '{row.verdict}', {differ} elements differ, error / allowed = {share}"
        )


def mark_lines(machines):
    """How many rows were not verified; how many were disturbed, and what to do. None where none
    was."""
    rows = [row for results in machines for row in results.rows]
    said = {
        "not verified (marked °).": sum(row.verdict == "unverified" for row in rows),
        "disturbed (marked ~): make report, called again, measures these again.": sum(
            row.disturbed for row in rows
        ),
    }
    return [f"{count} of {len(rows)} rows {words}" for words, count in said.items() if count]


def above_lines(results):
    """What is above its bound beyond its spread: a bound that was measured in a slower moment."""
    for row, share in results.above():
        yield f"{row.label()}, {row.type}, n = {row.n}: {percent(share)} of the measured peak"
    for type in results.types:
        for by in ("threads", "ranks"):
            for of in charts.scaling(results.select(type=type), by):
                for p, row in of.items():
                    if p > 1 and charts.above(of[1], row, p):
                        share = of[1].whole_s / row.whole_s / p
                        yield f"{row.label()}, {type}, {p} {by}: efficiency {percent(share)} of one's"


def conclusion(of, groups):
    """What a ladder says, in a sentence or two with numbers."""
    first, best = of.bars[0], max(of.bars, key=lambda bar: bar.share)
    gain = best.row.whole_rate / first.row.whole_rate
    said = f"From {gflops(first.row.whole_rate)} ({first.idea}) to {gflops(best.row.whole_rate)}"
    said += f" ({best.idea}), {times(gain).replace('×', ' times')} as fast, at {of.title}"
    group = [at for at in groups if at.first.type == best.row.type and at.on_gpu == best.row.gpu]
    group = max(
        group, key=lambda at: (at.against != against_libraries.KEPT, at.first.threads), default=None
    )
    squares = [row for row in group.best.values() if row.square] if group else []
    if squares:
        row = min(squares, key=lambda row: abs(row.n - best.row.n))
        said += (
            f". In turns, ours is {row.ratios()} times as fast as {row.against}, the best library"
        )
        said += f", at n = {row.n}" * (row.n != best.row.n)
    elif of.line and not best.row.gpu:
        name, rate = of.line[1].split(": ")
        said += f". {name}, the best library, reaches {rate} (not in turns)"
    limit = LIMITS.get(best.row.limit)
    if best.row.gpu:
        return f"{said}: {percent(best.share)} of {of.full}."
    return said + (
        f". What limits now is {limit}: {percent(best.share)} of the peak is reached."
        if limit
        else "."
    )


def copies(of):
    """What of a GPU's time its kernel's does not show."""
    rows = [bar.row for bar in of.bars if bar.row.copy_in_s and bar.row.copy_out_s]
    if not rows:
        return ""
    row = rows[-1]
    took = row.copy_in_s + row.copy_out_s
    return (
        f"A time is the kernel's alone; to copy A and B there and C back takes {seconds(took)}, "
        f"{times(took / row.median_s).replace('×', ' times')} as long as {row.label()} runs."
    )


# ---- links and tables ----


def base(out):
    """Where the lessons are, as a browser shows them: on the repository's web address, if it has
    one, else as files."""
    ask = ["git", "-C", str(ladder.ROOT), "remote", "get-url", "origin"]
    try:
        origin = subprocess.run(ask, capture_output=True, text=True).stdout.strip()
    except OSError:
        origin = ""
    address = r"(?:https?://|ssh://|)(?:[^@/]*@)?([\w-]+(?:\.[\w-]+)+)(?::\d+/|[:/])([\w./-]+?)(?:\.git)?/?"
    if origin[:1] not in ("/", ".") and (found := re.fullmatch(address, origin)):
        return f"https://{found[1]}/{found[2]}/blob/HEAD"
    return quote(os.path.relpath(ladder.ROOT, out))


def predicted(bars, root):
    """The ladder's rungs with what was predicted of them; of a miss the passage that explains
    it."""
    rows = []
    for row in [bar.row for bar in bars if bar.row.predicted_s and bar.label != "yours"]:
        missed, why = row.missed(), ""
        # No product is faster than the arithmetic: its peak was measured in a slower moment.
        if row.limit == "flops" and missed < 1 / MISS:
            why = "the peak was measured in a slower moment"
        elif not 1 / MISS <= missed <= MISS:
            page = EXPLAINED.get(row.label())
            why = ("why", f"{root}/{page}") if page else NOT_EXPLAINED
        name = row.label() + f" ({row.setting()})" * bool(row.setting())
        lesson = name, f"{root}/{row.number}/README.md"
        limit = LIMITS.get(row.limit, row.limit or "–")
        measured = marked(seconds(row.median_s), row)
        rows.append([lesson, seconds(row.predicted_s), measured, f"{digits(missed)}×", limit, why])
    note = "Each program predicts its time from what it costs and from what the machine can do, before it runs. "
    note += f"A miss is a time more than {MISS:g} times the other."
    return Table(
        "Predicted beside measured",
        ["rung", "predicted", "measured", "ratio", "limit", "a miss"],
        rows,
        note,
    )


def counted(bars):
    """What getrusage counted, where the rows have it."""
    names = [name for name in COUNTED if any(getattr(bar.row, name) is not None for bar in bars)]
    rows = [
        [
            f"{bar.row.label()}",
            *(
                f"{getattr(bar.row, name):.0f}" if getattr(bar.row, name) is not None else "–"
                for name in names
            ),
        ]
        for bar in bars
    ]
    return Table(
        "What the processor counted",
        ["rung", *map(COUNTED.get, names)],
        rows * bool(names),
        COUNTS_ARE,
    )


# ---- the page ----


def sections(results, pictures, bars, groups, shown):
    """What is folded."""
    first, others = shown[:1], results.types
    yield Section("Roofs, threads and tiles", "", [of for of in pictures if [of.type] == first])
    if groups:
        below = [row for row in against_libraries.summary(groups)[1]]
        lines = [
            f"{of[0]} against {of[1]}, {of[2]}, {of[3]}: {of[4]} on average; least {of[5]}."
            for of in below
        ]
        yield Section("Beside the libraries", " ".join(lines), against_libraries.charts(groups))
    for type in others:
        if [type] != first:
            yield Section(f"The same in {type}", "", [of for of in pictures if of.type == type])
    yield Section("What the processor counted", "", [], counted(bars))
    rows = published.table(results)
    yield Section("Beside published figures", published.NEAREST, [], Table("", *rows))


def machine_page(results, reference, libraries, root):
    """All that is shown of one machine."""
    ladders = ladder.of_machine(results, reference)
    own = [(heading, of) for heading, of in ladders if of.bars[0].row in results.ranked]
    groups = against_libraries.grouped(results.beside + libraries)
    pictures, parts = charts.drawn(results), []
    type = own[0][1].bars[0].row.type if own else ""
    course = [of for of in pictures if of.name.split("_")[0] in charts.KINDS and of.type == type]
    for gpu in (False, True):
        of_it = [(heading, of) for heading, of in own if of.bars[0].row.gpu == gpu]
        if of_it:
            said = [conclusion(of, groups) for _, of in of_it] + [copies(of_it[0][1])] * gpu
            name = ladder.chart(of_it, f"ladder_{'gpu' if gpu else 'cores'}")
            parts.append((of_it[0][0], said, [name, *(of for of in course if of.gpu == gpu)]))
    bars = [bar for _, of in own for bar in of.bars]
    folded = list(
        sections(results, [of for of in pictures if of not in course], bars, groups, [type])
    )
    if reference:
        others = [(heading, of) for heading, of in ladders if of.bars[0].row in reference.ranked]
        pictures = [of for of in charts.drawn(reference) if of.gpu and of.type == "f32"]
        said = f"This machine has no GPU that was measured. These are the rows of plots/reference on {reference.gpu.name()}."
        folded.insert(1, Section("Another machine's GPU", said, [ladder.chart(others), *pictures]))
    return {
        "host": results.host,
        "name": results.processor(),
        "parts": parts,
        "above": list(above_lines(results)),
        "predicted": predicted(bars, root),
        "folded": [of for of in folded if of.charts or (of.table and of.table.rows)],
        "facts": facts(results),
    }


def facts(results):
    """Where, with what and when."""
    of = {
        name: dict.fromkeys(filter(None, (getattr(row, name) for row in results.rows)))
        for name in ("device", "compiler", "commit")
    }
    days = sorted({row.started[:10] for row in results.rows if row.started})
    return {name: ", ".join(words) for name, words in of.items()} | {
        "host": results.host,
        "measured": ", ".join(days),
    }


def write(machines, given, reference):
    """Writes index.html: one file, no script; the CSV stands beside it."""
    try:
        import jinja2
    except ImportError:
        print("report.py: no page: there is no jinja2 here (python3-jinja2)", file=sys.stderr)
        sys.exit(77)
    libraries = read(given.libraries, "ratio") if given.libraries else []
    failed = given.failed and Path(given.failed)
    failed = failed.read_text(encoding="utf-8") if failed and failed.exists() else ""
    root = base(given.out)
    loader = jinja2.FileSystemLoader(Path(__file__).resolve().parent)
    how = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True}
    environment = jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, **how)
    files = [path for path in (given.csv, given.machine, given.libraries) if path]
    text = environment.get_template("page.html.jinja").render(
        failed=failed.splitlines(),
        wrong=list(wrong_lines(machines)),
        machines=[machine_page(results, reference, libraries, root) for results in machines],
        marks=mark_lines(machines),
        style=drawing.STYLE,
        files={Path(path).name: quote(os.path.relpath(path, given.out)) for path in files},
    )
    Path(given.out).mkdir(parents=True, exist_ok=True)
    (Path(given.out) / "index.html").write_text(text, encoding="utf-8")
    print(Path(given.out) / "index.html")

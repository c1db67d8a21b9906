"""The page: plain data for page.html.jinja."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import against_libraries
import ladder
import published
import scaling
from charts import named
from drawing import drawn
from measured import LIMITS, Refusal, digits, seconds, short, times, whose

FAR_OFF = "Marked !: more than twice, or less than half, the predicted time; the lesson says why."
FACTS = {
    "peak": "Peak of each vector set",
    "bandwidth": "Bandwidth of each level with each vector set",
}
CORES_ARE = (
    "Speedup / CUDA cores is what Genova 2024 printed as efficiency. It is an efficiency of "
    "nothing: the speedup is over one core of a processor, and a CUDA core is no such core. What "
    "part of the GPU works, the share of its peak says."
)
IN_TURNS = (
    "Ours and one library took turns on the same matrices. What counts is the best library of each "
    "shape."
)
ELSEWHERE = (
    "Not this machine, which has no GPU that was measured: the rows of plots/reference, on {}. "
    "They are in no chart of this machine."
)


@dataclass
class Table:
    title: str
    headings: list
    rows: list
    note: str = ""
    marks: dict = field(default_factory=dict)  # a row's number: its class
    open: bool = False
    links: dict = field(default_factory=dict)  # a row's number: where its first cell leads


@dataclass
class Section:
    title: str
    text: str = ""
    charts: list = ()  # those of the first type are shown, the others' folded
    tables: list = ()


# ---- lines ----


def wrong_lines(machines):
    for row in (row for results in machines for row in results.wrong):
        differ = "?" if row.differences is None else f"{row.differences:.0f}"
        share = "?" if row.error_share is None else f"{row.error_share:g}"
        yield (
            f"{row.step} {row.label()} {row.type} {row.shape()}, {row.flags}: "
            f"verdict '{row.verdict}', {differ} elements differ, error / allowed = {share}"
        )


def mark_lines(machines):
    """How many rows were not verified; how many other programs disturbed, and what to do. None
    where none was."""
    rows = [row for results in machines for row in results.rows]
    unverified = sum(row.verdict == "unverified" for row in rows)
    disturbed = sum(row.quiet == "no" for row in rows)
    said = {
        "not verified (marked °).": unverified,
        "disturbed (marked ~): make report, called again, measures these again.": disturbed,
    }
    return [f"{count} of {len(rows)} rows {words}" for words, count in said.items() if count]


# ---- tables ----


def far_off(row):
    return not 0.5 <= row.missed() <= 2


def missed(row):
    return "–" if row.missed() is None else f"{digits(row.missed())}×{' !' * far_off(row)}"


def predicted(row):
    return seconds(row.predicted_s)


def limit(row):
    """What a prediction says binds. No product is faster than the arithmetic: then the peak that it
    was predicted with was measured in a bad moment, and perhaps has been measured again
    since."""
    beaten = row.limit == "flops" and (row.missed() or 1) < 0.95
    name = LIMITS.get(row.limit, row.limit or "–")
    return name + ", by a peak measured in a bad moment" * beaten


def error_share(row):
    return "–" if row.error_share is None else f"{row.error_share:.2g}"


def over_cores(results, row):
    cores, speedup = results.gpu.most("cores"), results.speedup(row)
    return f"{speedup / cores:.3g}" if speedup and cores else "–"


COLUMNS = {  # heading: what makes a row's cell
    "rung": lambda results, row: f"{short(row.step)}: {row.label()}",
    "program": lambda results, row: row.step,
    "variant": lambda results, row: row.label(),
    "type": lambda results, row: row.type,
    "m×n×k": lambda results, row: row.shape(),
    "median": lambda results, row: row.time(),
    "measured": lambda results, row: row.time(),
    "kernel's time": lambda results, row: row.time(),
    "best": lambda results, row: seconds(row.best_s),
    "deviation": lambda results, row: seconds(row.stddev_s),
    "runs": lambda results, row: row.repeat,
    "with distribution and collection": lambda results, row: row.whole_time(),
    "GFLOP/s": lambda results, row: digits(row.rate) if row.timed else "–",
    "speedup over 01 ijk": lambda results, row: times(row.timed and results.speedup(row)),
    "speedup / CUDA cores": over_cores,
    "% of peak": lambda results, row: results.share(row),
    "result": lambda results, row: row.verdict,
    "error / allowed": lambda results, row: error_share(row),
    "predicted": lambda results, row: predicted(row),
    "ratio": lambda results, row: missed(row),
    "limit": lambda results, row: limit(row),
}


def table(title, results, rows, headings, **more):
    """These columns of these rows, separated by commas."""
    headings = headings.split(", ")
    cells = [[COLUMNS[heading](results, row) for heading in headings] for row in rows]
    return Table(title, headings, cells, **more)


def rungs_predicted(results, bars, root):
    """The ladder's rungs with what was predicted of them, each with a link to its lesson."""
    rows = [bar.row for bar in bars if bar.row.predicted_s and bar.number()]
    links = {place: f"{root}/{row.number}/README.md" for place, row in enumerate(rows)}
    more = {"links": links, "note": FAR_OFF * any(map(far_off, rows))}
    return table("", results, rows, "rung, predicted, measured, ratio, limit", **more)


def amount(fact):
    """A value and its unit; bytes in KiB, MiB or GiB."""
    value, unit = fact.value, fact.unit
    for larger in ("KiB", "MiB", "GiB") if unit == "B" else ():
        if value >= 1024:
            value, unit = value / 1024, larger
    return (f"{value:.4g}" if value < 1000 else f"{value:.0f}") + f" {unit}" * bool(unit)


def machine_tables(machine, title):
    """What a machine, or its GPU, can do, with a column for each number of threads."""
    asked = {title: f"name NOT IN {tuple(FACTS)}"}
    asked |= {title: f"name = '{name}'" for name, title in FACTS.items()}
    for title, where in asked.items():
        facts, rows = machine.select(where), {}
        counts = sorted({fact.threads for fact in facts})
        for fact in facts:
            level = fact.level.replace("x", "×").replace("_", " ")
            what = (fact.name, fact.type, fact.vector, level)
            at = rows.setdefault(what, ["–"] * len(counts) + [fact.note])
            at[counts.index(fact.threads)] = amount(fact)
        headings = ["what", "type", "vector set", "level, or size"]
        headings += [whose(count) if count else "value" for count in counts] + ["note"]
        if rows:
            yield Table(title, headings, [[*what, *cells] for what, cells in rows.items()])


def library_tables(results, gpu):
    """Each library by itself."""
    where = "variant GLOB 'library*' AND timed AND " + ("gpu" if gpu else "NOT gpu")
    rows = results.beside.select(where, "type, against, threads, m * n * k")
    headings = ["library", "type", "m×n×k", "threads", "GFLOP/s", "its version"]
    cells = [
        [
            row.against,
            row.type,
            row.shape(),
            "" if gpu else str(row.threads),
            digits(row.rate),
            row.flags,
        ]
        for row in rows
    ]
    return [Table("Libraries", headings, cells)] * bool(rows)


def gpu_tables(results):
    """Each variant's fastest row at the largest size with a baseline, and at the largest that most
    variants have."""
    headings = "program, variant, kernel's time, GFLOP/s, speedup over 01 ijk, "
    headings += "speedup / CUDA cores, % of peak"
    for type in results.types:
        sizes = results.values("n", "gpu", type=type)
        based = [n for n in sizes if (type, f"{n}×{n}×{n}") in results.baselines]
        for n in dict.fromkeys([*based[-1:], results.common_size("gpu", type=type)]):
            if rows := results.least("step, variant", "gpu", type=type, n=n):
                yield table(f"{type}, n = {n}", results, rows, headings, note=CORES_ARE)


def row_table(results, step):
    """Every row of a program, wrong ones marked: a wrong result is fast at nothing."""
    rows = [row for row in results.rows if row.step == step]
    headings = "variant, type, m×n×k, median, best, deviation, runs"
    collects = any(row.collect_s is not None for row in rows)
    headings += ", with distribution and collection" * collects
    headings += ", GFLOP/s, speedup over 01 ijk, result, error / allowed"
    headings += ", predicted, ratio, limit" * any(row.predicted_s for row in rows)
    flags = " and ".join(dict.fromkeys(row.flags for row in rows))
    marks = {place: "wrong" for place, row in enumerate(rows) if not row.sound}
    title = f"Every row of {step} ({len(rows)}; compiled with {flags})"
    return table(title, results, rows, headings, marks=marks)


# ---- sections ----


def gpu_section(title, text, results, charts):
    """What ran on the GPU."""
    tables = list(gpu_tables(results))
    if tables:
        tables[0].open = True
        tables += machine_tables(results.gpu, f"What the GPU can do: {results.gpu.name()}")
        tables += library_tables(results, True)
        tables += [Table(*of) for of in published.tables(results, True)]
    return Section(title, text, charts, tables)


def libraries_section(path):
    """Ours beside the libraries."""
    try:
        groups = against_libraries.load(path)
    except Refusal:
        return None  # none was in turns
    tables = [Table("How each of ours stands", *against_libraries.summary(groups), open=True)]
    tables += [Table(group.title(), *against_libraries.table(group)) for group in groups]
    charts = [chart for chart, _ in against_libraries.charts(groups) if drawn()]
    return Section("Beside the libraries", IN_TURNS, charts, tables)


def sections(results, charts):
    """What is folded: a section for what compares steps, and one for each step."""

    def of(steps):
        return [chart for chart in charts if chart.step in steps]

    of_threads = list(scaling.tables(results))
    of_threads += published.tables(results, False) if of_threads else []
    yield Section("All steps", "", of([""]))
    able = [*machine_tables(results.machine, "Processor, caches, latencies")]
    able += library_tables(results, False)
    yield Section("What the machine can do", "", [], able)
    text = "A time is the kernel's alone; the chart of phases shows what else it takes."
    yield gpu_section("GPU", text, results, of(["gpu"]))
    of_threads = [Table(*cells) for cells in of_threads]
    yield Section("Threads", scaling.SERIAL_IS, of(["threads"]), of_threads)
    steps = {}
    course = " ".join(
        step for step, *_ in ladder.CORES + ladder.GPU
    )  # what is not there comes last
    in_order = lambda program: (course.find(program[:2]) % 99, program)
    for program in sorted({row.step for row in results.rows}, key=in_order):
        steps.setdefault(program.partition("-")[0], []).append(program)
    for step, programs in steps.items():
        yield Section(step, "", of(programs), [row_table(results, program) for program in programs])


def machine_page(results, charts, reference, root):
    """All that is shown of one machine."""
    shown = ladder.of_machine(results, reference)
    bars = shown[0][1].bars if shown else []
    type = bars[0].row.type if bars else ""
    first = [chart for chart in charts if chart.open and chart.type == type]
    parts = sections(results, [chart for chart in charts if chart not in first])
    return {
        "host": results.host,
        "name": results.processor(),
        "results": results,
        "ladders": shown,
        "open": first,
        "days": sorted({started[:10] for started in results.words("started")}),
        "predicted": rungs_predicted(results, bars, root),
        "sections": [part for part in parts if part.charts or part.tables],
    }


def write(machines, given, reference):
    """Writes index.html: one file, no script; the charts and the CSV stand beside it."""
    try:
        import jinja2
    except ImportError:
        print("report.py: no page: there is no jinja2 here (python3-jinja2)", file=sys.stderr)
        sys.exit(77)
    charts = named(machines, reference) if drawn() else []

    def of(results):
        return [chart for whose, chart in charts if whose is results]

    others = [libraries_section(given.libraries)] if given.libraries else []
    if reference:
        title = f"Reference, measured on another machine: {reference.gpu.name() or 'a GPU'}"
        text = ELSEWHERE.format(reference.place("gpu"))
        others.append(gpu_section(title, text, reference, of(reference)))
    others = [part for part in others if part]
    failed = given.failed and Path(given.failed)
    failed = failed.read_text(encoding="utf-8") if failed and failed.exists() else ""
    root = quote(os.path.relpath(ladder.ROOT, given.out))
    loader = jinja2.FileSystemLoader(Path(__file__).resolve().parent)
    how = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True}
    environment = jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, **how)
    text = environment.get_template("page.html.jinja").render(
        failed=failed.splitlines(),
        wrong=list(wrong_lines(machines)),
        others=others,
        machines=[machine_page(results, of(results), reference, root) for results in machines],
        marks=mark_lines(machines),
        drawn=drawn(),
        link=quote(os.path.relpath(given.csv, given.out)),
        csv=Path(given.csv).name,
    )
    Path(given.out).mkdir(parents=True, exist_ok=True)
    (Path(given.out) / "index.html").write_text(text, encoding="utf-8")
    print(Path(given.out) / "index.html")

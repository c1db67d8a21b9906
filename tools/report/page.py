"""The page: plain data for page.html.jinja."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import against_libraries
import ladder
import published
import scaling
from charts import named
from measured import LIMITS, Refusal, Row, digits, marked, seconds, tabulated, times, whose

FAR_OFF = "Rows marked ! took more than twice, or less than half, the predicted time: their steps' notes say why."
FACTS = {
    "peak": "Peak of each vector set",
    "bandwidth": "Bandwidth of each level with each vector set",
    "library": "Libraries",
}
CORES_ARE = (
    "Speedup / CUDA cores is what Genova 2024 printed as efficiency. It is an efficiency of nothing: the speedup is "
    "over one core of a processor, and a CUDA core is no such core. What part of the GPU works, the share of its "
    "peak says."
)
ELSEWHERE = (
    "Not this machine, which has no GPU that was measured: the rows of plots/reference, on {}. They are in no chart "
    "of this machine."
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
            f"{row.step} {row.label()} {row.type} {row.shape()}, {row.flags}: verdict '{row.verdict}', "
            f"{differ} elements differ, error / allowed = {share}"
        )


def mark_lines(machines):
    """How many rows were not verified; how many other programs disturbed, and what to do. None where none was."""
    rows = [row for results in machines for row in results.rows]
    unverified, disturbed = (
        sum(of) for of in zip(*((row.verdict == "unverified", row.quiet == "no") for row in rows))
    )
    said = []
    if unverified:
        said.append(f"{unverified} of {len(rows)} rows not verified (marked °).")
    if disturbed:
        again = "make report, called again, measures these again."
        said.append(
            f"{disturbed} of {len(rows)} rows disturbed by other programs (marked ~): {again}"
        )
    return said


# ---- tables ----


def far_off(row):
    return not 0.5 <= row.missed() <= 2


def limit(row):
    """What a prediction says binds. No product is faster than the arithmetic: then the peak that it was predicted
    with was measured in a bad moment, and perhaps has been measured again since."""
    beaten = row.limit == "flops" and row.missed() and row.missed() < 0.95
    return LIMITS.get(row.limit, row.limit or "–") + ", by a peak measured in a bad moment" * bool(
        beaten
    )


def missed(row):
    return f"{digits(row.missed())}×{' !' * far_off(row)}"


def rungs_predicted(bars, root):
    """The ladder's rungs with what was predicted of them, each with a link to its lesson."""
    rows = [bar.row for bar in bars if bar.row.predicted_s and bar.number()]
    columns = {
        "rung": lambda row: row.step,
        "variant": Row.label,
        "predicted": lambda row: seconds(row.predicted_s),
        "measured": Row.time,
        "ratio": missed,
        "limit": limit,
    }
    links = {place: f"{root}/{row.number}/README.md" for place, row in enumerate(rows)}
    return Table("", *tabulated(rows, columns), links=links, note=FAR_OFF * any(map(far_off, rows)))


def predicted_tables(results):
    """All that was predicted."""
    for type in results.types:
        if rows := results.predictions(type):
            columns = {
                "program": lambda row: row.step,
                "variant": Row.label,
                "predicted": lambda row: seconds(row.predicted_s),
                "measured": Row.time,
                "ratio": missed,
                "limit": limit,
                "% of peak": results.share,
            }
            marks = {place: "far" for place, row in enumerate(rows) if far_off(row)}
            yield Table(f"{type}, n = {rows[0].n}", *tabulated(rows, columns), marks=marks)


def amount(fact):
    """A value and its unit; bytes in KiB, MiB or GiB."""
    value, unit = fact.value, fact.unit
    for larger in ("KiB", "MiB", "GiB") if unit == "B" else ():
        if value >= 1024:
            value, unit = value / 1024, larger
    return (f"{value:.4g}" if value < 1000 else f"{value:.0f}") + f" {unit}" * bool(unit)


def machine_tables(machine, title):
    """What a machine, or its GPU, can do, with a column for each number of threads."""
    asked = {title: f"name NOT IN {tuple(FACTS)}"} | {
        title: f"name = '{name}'" for name, title in FACTS.items()
    }
    for title, where in asked.items():
        facts, rows = machine.select(where), {}
        counts = sorted({fact.threads for fact in facts})
        for fact in facts:
            what = fact.name, fact.type, fact.vector, fact.level.replace("x", "×").replace("_", " ")
            rows.setdefault(what, {})[fact.threads] = fact
        headings = ["what", "type", "vector set, or library", "level, or size"]
        headings += [whose(count) if count else "value" for count in counts] + ["note"]
        cells = [
            [
                *what,
                *(amount(of[count]) if count in of else "–" for count in counts),
                [*of.values()][0].note,
            ]
            for what, of in rows.items()
        ]
        if cells:
            yield Table(title, headings, cells)


def gpu_tables(results):
    """Each variant's fastest row at the largest size with a baseline, and at the largest that most variants have."""
    cores = results.gpu.most("cores")

    def over_cores(row):
        return f"{results.speedup(row) / cores:.3g}" if results.speedup(row) and cores else "–"

    columns = {
        "program": lambda row: row.step,
        "variant": Row.label,
        "kernel's time": Row.time,
        "GFLOP/s": lambda row: digits(row.rate),
        "speedup over 01 ijk": lambda row: times(results.speedup(row)),
        "speedup / CUDA cores": over_cores,
        "% of peak": results.share,
    }
    for type in results.types:
        sizes = results.values("n", "gpu", type=type)
        based = [n for n in sizes if (type, f"{n}×{n}×{n}") in results.baselines]
        for n in dict.fromkeys([*based[-1:], results.common_size("gpu", type=type)]):
            if rows := results.least("step, variant", "gpu", type=type, n=n):
                yield Table(f"{type}, n = {n}", *tabulated(rows, columns), CORES_ARE)


def row_table(results, step):
    """Every row of a program, wrong ones marked: a wrong result is fast at nothing."""
    rows = [row for row in results.rows if row.step == step]
    columns = {
        "variant": Row.label,
        "type": lambda row: row.type,
        "m×n×k": Row.shape,
        "median": Row.time,
        "best": lambda row: seconds(row.best_s),
        "deviation": lambda row: seconds(row.stddev_s),
        "runs": lambda row: row.repeat,
        "GFLOP/s": lambda row: digits(row.rate) if row.timed else "–",
        "speedup": lambda row: times(results.speedup(row)) if row.timed else "–",
        "result": lambda row: row.verdict,
        "error / allowed": lambda row: "–" if row.error_share is None else f"{row.error_share:.2g}",
    }
    if any(row.distribute_s is not None for row in rows):
        columns["with distribution and collection"] = Row.whole_time
    if any(row.predicted_s for row in rows):
        columns |= {"predicted": lambda row: seconds(row.predicted_s), "limit": limit}
    flags = " and ".join(dict.fromkeys(row.flags for row in rows))
    marks = {place: "wrong" for place, row in enumerate(rows) if not row.sound}
    title = f"Every row of {step} ({len(rows)}; compiled with {flags})"
    return Table(title, *tabulated(rows, columns), marks=marks)


# ---- sections ----


def gpu_section(title, text, results, charts):
    """What ran on the GPU."""
    tables = list(gpu_tables(results))
    if tables:
        tables[0].open = True
        tables += machine_tables(results.gpu, f"What the GPU can do: {results.gpu.name()}")
        tables += [Table(*of) for of in published.tables(results, True)]
    return Section(title, text, charts, tables)


def rivals_section(path):
    """Ours beside the libraries."""
    groups = against_libraries.load(path)
    text = (
        "Ours and one library took turns in one process; above 1 ours is the faster. What counts is the best "
        "library of each shape."
    )
    tables = [Table("How each of ours stands", *against_libraries.summary(groups), open=True)]
    tables += [Table(group.title(), *against_libraries.table(group)) for group in groups]
    return Section(
        "Beside the libraries",
        text,
        [chart for chart, _ in against_libraries.charts(groups)],
        tables,
    )


def sections(results, charts):
    """What is folded: a section for what compares steps, and one for each step."""

    def of(steps):
        return [chart for chart in charts if chart.step in steps]

    predicted = list(predicted_tables(results))
    of_threads = [Table(*of_type) for of_type in scaling.tables(results)]
    of_threads += (
        [Table(*of_report) for of_report in published.tables(results, False)] if of_threads else []
    )
    yield Section("All steps", "", of([""]))
    yield Section(
        "Predicted and measured", FAR_OFF * any(table.marks for table in predicted), [], predicted
    )
    able = machine_tables(results.machine, "Processor, caches, latencies")
    yield Section("What the machine can do", "", [], list(able))
    text = "A time is the kernel's alone; the chart of phases shows what allocation and copies add."
    yield gpu_section(
        "GPU", f"{text} Each variant stands with its best block or tile.", results, of(["gpu"])
    )
    yield Section("Threads", scaling.SERIAL_IS, of(["threads"]), of_threads)
    steps = {}
    for program in sorted({row.step for row in results.rows}):
        steps.setdefault(program.partition("-")[0], []).append(program)
    for step, programs in steps.items():
        yield Section(step, "", of(programs), [row_table(results, program) for program in programs])


def machine_page(results, charts, reference, root):
    """All that is shown of one machine."""
    shown = ladder.of_machine(results, reference)
    bars = shown[0][1].bars if shown else []
    type = bars[0].row.type if bars else ""
    first = [chart for chart in charts if chart.open and chart.type == type]
    return {
        "host": results.host,
        "name": results.processor(),
        "results": results,
        "ladders": shown,
        "open": first,
        "days": sorted({started[:10] for started in results.words("started")}),
        "predicted": rungs_predicted(bars, root),
        "sections": [
            part
            for part in sections(results, [chart for chart in charts if chart not in first])
            if part.charts or part.tables
        ],
    }


def write(machines, given, reference):
    """Writes index.html: one file, no script; the charts and the CSV stand beside it."""
    try:
        import jinja2
    except ImportError:
        raise Refusal(
            "the page needs jinja2 for Python; ./setup.sh installs it (python3-jinja2)"
        ) from None
    charts = named(machines, reference)

    def of(results):
        return [chart for whose, chart in charts if whose is results]

    others = [rivals_section(given.rivals)] if given.rivals else []
    if reference:
        title = f"Reference, measured on another machine: {reference.gpu.name() or 'a GPU'}"
        text = ELSEWHERE.format(reference.place("gpu"))
        others.append(gpu_section(title, text, reference, of(reference)))
    failed = Path(given.failed) if given.failed else None
    root = quote(os.path.relpath(ladder.ROOT, given.out))
    loader = jinja2.FileSystemLoader(Path(__file__).resolve().parent)
    environment = jinja2.Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    text = environment.get_template("page.html.jinja").render(
        failed=failed.read_text(encoding="utf-8").splitlines()
        if failed and failed.exists()
        else [],
        wrong=list(wrong_lines(machines)),
        others=others,
        machines=[machine_page(results, of(results), reference, root) for results in machines],
        marks=mark_lines(machines),
        link=quote(os.path.relpath(given.csv, given.out)),
        csv=Path(given.csv).name,
    )
    Path(given.out).mkdir(parents=True, exist_ok=True)
    (Path(given.out) / "index.html").write_text(text, encoding="utf-8")
    print(Path(given.out) / "index.html")

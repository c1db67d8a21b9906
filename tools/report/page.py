"""The page: plain data for page.html.jinja."""

import itertools, os, re, subprocess, sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import charts, drawing, ladder, published
from against_libraries import grouped, ratios, sentence
from measured import LIMITS, digits, from_to, gflops, marked, percent, read, seconds, select
from measured import times

ROOT = drawing.PLOTS.parent
MISS = 1.25  # a prediction misses that is this factor off
# The passages that say why a prediction misses.
EXPLAINED = """01 ijk: 01_naive/README.md, 02 ikj: 02_loop_order/VECTORS.md, 03 tiled:
03_tiling/README.md, 03 four_by_four: 03_tiling/REGISTERS.md, 07 coalesced:
07_cuda_global/COALESCED.md, 08 shared: 08_cuda_shared/README.md, 09 square:
09_cuda_regtile/README.md"""
EXPLAINED = dict(of.split(": ") for of in EXPLAINED.replace("\n", " ").split(", "))
PREDICTED = f"""Each program predicts its time from what it costs and from what the machine can do,
before it runs. A miss is a time more than {MISS:g} times the other."""
EMULATED = """This machine's are the results, right or wrong. Its emulator ran each rung at {}, and
counted what 32 multiply-adds, one of each thread of a warp, take: accesses to global memory,
sectors of 32 bytes there, and wavefronts in shared memory; a dash is what it does not count. 12 is
not emulated."""
FALLBACK = "10 ran on the processor."
CARD = """This machine has no GPU that was measured: the ladders, and the card's times at n = {},
predicted and measured, are another machine's, the {}."""
CARD_SIZE = 4096
ADDRESS = r"(?:\w+://)?(?:[^@/]*@)?([\w-]+(?:\.[\w-]+)+)(?::\d+/|[:/])([\w./-]+?)(?:\.git)?/?"


@dataclass
class Section:
    """A part of the page: paragraphs, pictures, what is bad in red, a table. A cell of the table is
    words, or (words, where they lead)."""

    title: str
    said: list = ()
    charts: list = ()
    headings: list = ()
    rows: list = ()
    bad: list = ()

    def __post_init__(self):
        self.charts = [chart for chart in self.charts if chart]


def wrong_lines(machines):
    for row in (row for results in machines for row in results.wrong):
        differ = "?" if row.differences is None else f"{row.differences:.0f}"
        share = "?" if row.error_share is None else f"{row.error_share:g}"
        who = f"{row.step} {row.variant} {row.type} {row.m}×{row.n}×{row.k}, {row.flags}: verdict"
        yield f"{who} '{row.verdict}', {differ} elements differ, error / allowed = {share}"


def mark_lines(machines):
    """How many rows were not verified, how many disturbed, if there are such."""
    rows = [row for results in machines for row in results.rows]
    again = "disturbed (marked ~): make report, called again, measures these again."
    said = {"not verified (marked °).": sum(row.verdict == "unverified" for row in rows)}
    said[again] = sum(row.disturbed for row in rows)
    return [f"{count} of {len(rows)} rows {words}" for words, count in said.items() if count]


def above_lines(results):
    """What is above its bound beyond its spread: one of the two was measured in a bad moment."""
    for row, share in results.above():
        who = ", ".join(filter(None, (row.label(), row.type, f"n = {row.n}", row.setting())))
        yield f"{who}: {percent(share)} of the measured peak"
    for type, by in itertools.product(results.types, ("threads", "ranks")):
        for of, p in ((of, p) for of in charts.scaling(results, type, by) for p in of):
            if (share := charts.efficiency(of, p, by)).endswith("!"):
                at = f"{of[p].label()}, {type}, n = {of[p].n}, {p} {by}"
                yield f"{at}: an efficiency of {share[:-2]}"


def conclusion(results, of, groups):
    """What a ladder says, in a few sentences with numbers."""
    first, best = of.bars[0], max(of.bars, key=lambda bar: bar.share)
    low, high, row = gflops(first.row.whole_rate), gflops(best.row.whole_rate), best.row
    if first is best:
        return f"{first.idea.capitalize()} reach {low} ({of.title})."
    gain = digits(row.whole_rate / first.row.whole_rate)
    if first.label == "01":
        gain = from_to(results.speedup(row))
    gain = gain if gain.startswith("from") else f"about {gain}"
    said = [f"From {low} ({first.idea}) to {high} ({best.idea}), {gain} times as fast"]
    said[0] += f" ({of.title})."
    beside = [at for rows in groups for at in rows]
    if beside := select(beside, type=row.type, gpu=row.gpu, square=True):
        narrow = lambda at: at.variant[:5] == "tuned"  # some of these libraries are kept to AVX2
        order = lambda at: (at.variant != row.variant, narrow(at), abs(at.n - row.n), -at.threads)
        at = min(beside, key=order)
        who = f"{ratios(at)} times as fast as {at.against}"
        size = f", at n = {at.n}" * (at.n != row.n)
        said.append(f"In turns, {at.variant} is {who}{size}.")
    elif of.line and not row.gpu:
        said.append(f"The fastest library, not in turns, is {of.line[1].replace(':', ' with')}.")
    for bar in sorted(of.bars, key=lambda bar: -bar.share):
        limit, predicted_s = LIMITS.get(bar.row.limit), bar.row.predicted_s
        if limit and predicted_s:
            missed = bar.row.median_s / predicted_s
            hit = f"What limits {bar.row.label()} is {limit}."
            miss = f"{bar.row.label()} takes {digits(missed)} times its predicted time"
            miss += f", which {limit} limits."
            said.append(hit if 1 / MISS <= missed <= MISS else miss)
            break
    said[1:1] = [f"That is {best.percent()} of {of.full}."] * (of.full != ladder.FASTEST)
    return " ".join(said).replace(" %", "\u00a0%")


def copies(bars):
    """What of a GPU's time its kernel's does not show."""
    for row in [bar.row for bar in bars[::-1] if bar.row.copy_in_s and bar.row.copy_out_s][:1]:
        took = row.copy_in_s + row.copy_out_s
        factor = f"{digits(took / row.median_s)} times as long as {row.label()} runs"
        return f"A time is the kernel's; the copies there and back take {seconds(took)}, {factor}."
    return ""


def base(out):
    """Where the lessons are as a browser shows them: on the repository's web address, if it has
    one; else as files."""
    ask = ["git", "-C", str(ROOT), "remote", "get-url", "origin"]
    try:
        origin = subprocess.run(ask, capture_output=True, text=True).stdout.strip()
    except OSError:
        origin = ""
    if found := re.fullmatch(ADDRESS, origin):
        return f"https://{found[1]}/{found[2]}/blob/HEAD"
    return quote(os.path.relpath(ROOT, out))


def predicted(bars, root):
    """The ladder's rungs with what was predicted of them; of a miss the passage that explains
    it."""
    rows = []
    for row in [bar.row for bar in bars if bar.row.predicted_s and bar.label != "yours"]:
        missed, page, why = row.median_s / row.predicted_s, EXPLAINED.get(row.label()), ""
        if not 1 / MISS <= missed <= MISS:
            why = ("why", f"{root}/{page}#what-we-measured") if page else "no page explains it"
        lesson, limit = f"{root}/{row.number}/README.md", LIMITS.get(row.limit, "–")
        took = seconds(row.predicted_s), marked(seconds(row.median_s), row), times(missed)
        rows.append([(row.label(), lesson), *took, limit, why])
    headings = "rung, predicted, measured, ratio, limit, a miss".split(", ")
    return Section("Predicted beside measured", [PREDICTED] * bool(rows), (), headings, rows)


def elsewhere(results, reference, root):
    """What of a GPU's steps there is without one: what they do here under the emulator, and beside
    it another machine's times."""
    rows, ladders = {}, ladder.of_machine(reference) if reference else []
    ladders = [of for of in ladders if of.bars[0].row.gpu]
    for row in select(results.rows, lambda row: row.m * row.n * row.k, stand_in=True):
        of = {name: getattr(row, name) for name in ("step", "variant", "type")}
        card = reference.select(**of, gpu=True, n=CARD_SIZE) if ladders else ()
        card = min(card, key=lambda of: of.median_s, default=row)
        took = [card.predicted_s, card.median_s] if card is not row else [None, None]
        counts, warps = [row.accesses, row.sectors, row.wavefronts], row.m * row.n * row.k / 32
        counts = ["–" if at is None else digits(at / warps) for at in counts]
        name = row.label() + f" {row.type}" * (row.type != "f32")
        cells = [(name, f"{root}/{row.number}/README.md"), row.verdict, *counts]
        rows[tuple(of.values())] = cells + [*map(seconds, took)]
    said = [CARD.format(CARD_SIZE, of.device) for of in ladders[:1]]
    shape = next((row.shape() for row in select(results.rows, device_kind="emulator")), "")
    said += [EMULATED.format(shape)] * bool(shape)
    said += [FALLBACK] * bool(select(results.rows, device_kind="fallback"))
    unverified = any("°" in bar.rate() for of in ladders for bar in of.bars)
    said += ["° marks what was not verified in that run."] * unverified
    headings = "rung, result, accesses, sectors, wavefronts, card: predicted, card: measured"
    headings = headings.split(", ")
    pictures = [ladder.chart(of, "reference_") for of in ladders]
    return Section("The GPU", said, pictures, headings, [rows[at] for at in sorted(rows)])


def machine_page(results, reference, libraries, root):
    """All that is shown of one machine: of its first type, then what is folded."""
    ladders = ladder.of_machine(results)
    groups = grouped(results.beside + select(libraries, host=results.host))
    parts, bars = [], [bar for of in ladders for bar in of.bars]
    type = bars[0].row.type if bars else ""
    for gpu, title in enumerate(("The processor", "The GPU")):
        shown = [of for of in ladders if of.bars[0].row.gpu == gpu]
        said = [conclusion(results, of, groups) for of in shown]
        said += [copies(of.bars) for of in shown[:gpu]]
        drawn = [*map(ladder.chart, shown), *charts.course(results, type, bool(gpu))]
        parts.append(Section(title, said, drawn))
    if not bars:
        parts[0].said = ["There is no square product with a right result, so there is no ladder."]
    parts += [Section("", bad=list(above_lines(results))), predicted(bars, root)]
    if not parts[1].charts:
        parts.append(elsewhere(results, reference, root))
    folded = [Section("Roofs, threads, ranks and tiles", [], charts.others(results, type))]
    folded.append(Section("Beside the libraries", [*map(sentence, groups)]))
    for of in [of for of in results.types if of != type]:
        drawn = [*charts.course(results, of, False), *charts.course(results, of, True)]
        folded.append(Section(f"The same in {of}", [], [*drawn, *charts.others(results, of)]))
    folded.append(Section(*published.table(results)))
    facts = [(row.device, row.compiler, row.commit, row.started[:10]) for row in results.rows]
    facts = [", ".join(dict.fromkeys(filter(None, of))) for of in zip(*facts)]
    return {
        "name": results.processor(),
        "host": results.host,
        "parts": [of for of in parts if of.bad or of.rows or any(of.said)],
        "folded": [of for of in folded if of.said or of.charts or of.rows],
        "facts": "; ".join(filter(None, [results.host, *facts])),
    }


def draw(shown, out):
    """Draws every chart of these pages, as a file, too."""
    every = []
    for of in shown:
        for chart in [chart for part in of["parts"] + of["folded"] for chart in part.charts]:
            host = f"{of['host']}_" * (len(shown) > 1)
            chart.name = re.sub(r"[^\w.-]", "-", host + chart.name)
            every.append(chart)
    for chart, path in zip(every, drawing.render(every, Path(out, "charts"))):
        chart.svg = drawing.in_page(chart, path)


def write(machines, given, reference):
    """Writes index.html: one file, no script; the CSV stands beside it, and the charts as files."""
    libraries = read(given.libraries, "ratio") if given.libraries else []
    shown = [machine_page(results, reference, libraries, base(given.out)) for results in machines]
    draw(shown, given.out)
    try:
        import jinja2
    except ImportError:
        print("report.py: no page: there is no jinja2 here (python3-jinja2)", file=sys.stderr)
        sys.exit(77)
    failed = Path(given.failed or os.devnull)
    failed = failed.read_text(encoding="utf-8") if failed.exists() else ""
    files = filter(None, (given.csv, given.machine, given.libraries))
    how = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True}
    template = Path(__file__).with_name("page.html.jinja").read_text(encoding="utf-8")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, **how)
    text = environment.from_string(template).render(
        failed=failed.splitlines(),
        wrong=list(wrong_lines(machines)),
        machines=shown,
        marks=mark_lines(machines),
        drawn=drawing.drawn(),
        files={Path(path).name: quote(os.path.relpath(path, given.out)) for path in files},
    )
    Path(given.out).mkdir(parents=True, exist_ok=True)
    (Path(given.out) / "index.html").write_text(text, encoding="utf-8")
    print(Path(given.out) / "index.html")

"""The ladder: a bar a rung, in per cent of the whole machine's peak; on a GPU, of cuBLAS. Time is
that of all phases. plots/ladder.gp draws it, plots/so_far.gp each lesson's part of it."""

import shutil, tempfile
from dataclasses import dataclass
from pathlib import Path

from drawing import PLOTS, Chart, draw, hue
from measured import BASELINE, LADDER_SIZE, Refusal, Row
from measured import common_size, digits, gflops, load, marked, percent, select

ROOT = Path(__file__).resolve().parents[2]
SEE = "A bar a step: longer is faster."


def every(row):
    return True


# In the order of the course: a step's number, its idea in three words, and which rows show it.
CORES = [
    ("01", "three plain loops", lambda row: row.variant == BASELINE[1]),
    ("02", "along the rows", every),
    ("03", "tiles, then registers", every),
    ("04", "all the cores", every),
    ("05", "vectors, packed blocks", every),
    ("06", "sent and collected", lambda row: row.ranks > 1 and row.distribute_s is not None),
    ("06", "data stay dealt out", lambda row: row.ranks > 1 and row.distribute_s is None),
]
GPU = [
    ("07", "coalesced reads", lambda row: row.variant == "coalesced"),
    ("08", "shared memory tiles", lambda row: row.variant == "shared"),
    ("10", "loops with directives", every),
    ("09", "tiles in registers", lambda row: row.variant == "conflict_free"),
    ("09", "nobody ever waits", every),
    ("11", "tensor cores", every),
    ("12", "fed by copies of their own", every),
    ("13", "f32 by tensor cores", every),
]


@dataclass
class Bar:
    label: str  # which gives the colour: the step's number, or "yours"
    idea: str
    row: Row
    share: float  # of what the ladder is measured with
    above: bool = False  # its bound, beyond its spread

    def rate(self):
        said = percent(self.share) + " !" * self.above
        return f"{said}, {marked(gflops(self.row.whole_rate), self.row)}"


@dataclass
class Ladder:
    """Bars of one device, one type and one size; `full` says what 100 % is, `line` is (the
    library's share, its words)."""

    device: str
    title: str
    full: str
    bars: list
    line: tuple = ()
    note: str = ""


def left_out(row):
    """What is measured for a lesson's table alone: 01 at other levels, 04's bad first touch."""
    return row.step.startswith("01_naive-O") or row.variant == "touched_by_one"


def rungs(rows, course, type, n):
    """(label, idea, row) of each rung that was measured at this size, by its best tile, and of the
    learner's own."""
    rows = sorted(select(rows, type=type, n=n), key=lambda row: row.whole_s)
    found = []
    for step, idea, shows in course:
        of_it = [row for row in rows if row.step[:3] == f"{step}_" and shows(row)]
        found += [(step, idea, row) for row in of_it[:1]]
    mine = {row.label(): row for row in reversed(select(rows, step="mine"))}
    return found + [("yours", *of) for of in sorted(mine.items())]


def on_cores(results, type):
    """The ladder's rows: of the processor, on no more workers than it has cores if there are
    such."""
    rows = results.select(lambda row: not row.gpu and not left_out(row), type=type)
    return [row for row in rows if row.workers <= results.cores] or rows


def size_of(results, type):
    """1008 where the baseline was measured there, unless a rung, perhaps the learner's own, stands
    at other sizes with the baseline only; else the largest size that has the baseline and the most
    rungs, if possible no power of two, at which the baseline is slow for a reason of its own. 0 for
    none."""
    rows = on_cores(results, type)
    based = {row.n for row in rows if (row.step, row.variant) == BASELINE}
    have = {n: {rung[1] for rung in rungs(rows, CORES, type, n)} for n in {row.n for row in rows}}
    if LADDER_SIZE in based and not any(have[n] - have[LADDER_SIZE] for n in based):
        return LADDER_SIZE
    return max(have, key=lambda n: (len(have[n]), n in based, n.bit_count() > 1, n), default=0)


def of_cores(results, type):
    """The processor's, at a size of its own. None where nothing ran."""
    n = size_of(results, type)
    if not (found := rungs(on_cores(results, type), CORES, type, n)):
        return None
    at_home = all(results.at_home(row) for *_, row in found)
    roof = results.roof(type, results.cores) if at_home else None
    top, full = max(row.whole_rate for *_, row in found), "the fastest rung: no peak was measured"
    if roof:
        top, cores = roof.value, "one core" if roof.threads == 1 else "all cores"
        full = f"the peak of {cores}, {gflops(top)}"
    above, line = {row for row, _ in results.above()}, ()
    bars = [Bar(*rung, rung[-1].whole_rate / top, rung[-1] in above) for rung in found]
    name, rate = results.best_library(type, n)
    if name and roof:
        line = (rate / top, f"{name}: {gflops(rate)}")
    note = "! Above its bound: a time or the peak was measured in a bad moment."
    note *= any(bar.above for bar in bars)
    return Ladder(results.processor(), f"{type}, n = {n}", full, bars, line, note)


def of_gpu(results, type):
    """A GPU's: at the largest size but one of the library's that most variants have. None where
    nothing ran."""
    rows = results.select(gpu=True, type=type)
    sizes = {n for at in results.libraries(type, True).values() for n in at}
    n = common_size([row for row in rows if row.n in sizes]) or common_size(rows)
    if not (found := rungs(rows, GPU, type, n)):
        return None
    name, library = results.best_library(type, n, True)
    top = library or max(row.rate for *_, row in found)
    full = f"NVIDIA's library cuBLAS, {gflops(top)}" if name else "the fastest rung"
    bars = [Bar(*rung, rung[-1].rate / top) for rung in found]
    above = "Above 100 %: faster than cuBLAS." * bool(name and max(bar.share for bar in bars) > 1)
    return Ladder(found[0][-1].device, f"{type}, n = {n}", full, bars, (1, name) * bool(name), above)


def of_machine(results):
    """The processor's and the GPU's, in f32 if there is one; of tensor cores in bf16, too."""
    for type in results.types:
        gpus = [type, "bf16"] if type == "f32" else [type]
        found = [of_cores(results, type), *(of_gpu(results, of) for of in gpus)]
        if any(found):
            return list(filter(None, found))
    return []


def chart(ladder):
    """The ladder as a picture, each step in its colour."""
    row = ladder.bars[0].row
    texts = [[0.3, 0, ladder.device], [1, 1, ladder.title], [1.55, 1, f"100 % is {ladder.full}"]]
    bars, strokes, scale = [], [], max(1, *(bar.share for bar in ladder.bars), *ladder.line[:1])
    for y, bar in enumerate(ladder.bars):
        who = bar.idea if bar.label == "yours" else f"{bar.row.label()}: {bar.idea}"
        colour = int(hue(bar.label), 16)
        bars.append([y + 2.1, bar.share / scale, who, bar.rate(), colour])
        if ladder.line:
            words = ladder.line[1].replace(":", ", the best library:")
            strokes.append([ladder.line[0] / scale, y + 2.1, words * (bar is ladder.bars[-1])])
    high = len(bars) + 3.1
    if ladder.note:
        texts.append([high - 0.2, 1, ladder.note])
        high += 0.55
    beside, settings = {"texts": texts, "libraries": strokes}, {"rows": high}
    name, title = f"ladder_{row.type}" + "_gpu" * row.gpu, f"The ladder, {ladder.title}"
    return Chart(name, "ladder", title, SEE, {ladder.device: bars}, settings, beside)


# machine, type, n, and the lessons in the order they are read in
LESSONS = (
    ("epyc-zen5", "f32", 2000, "01 02 03 04 05 06"),
    ("h100", "f32", 4096, "07 08 10 09 13"),
    ("h100", "bf16", 4096, "11 12"),
)


def measured_bar(results, type, n, cores, step, variant):
    """(GFLOP/s, its marks) of a lesson's bar. One that names nothing is misspelt."""
    if step in ("chains", "peak"):  # by 00
        fact = dict(zip(("vector", "level"), f"{variant} ".split(" ")), type=type)
        if found := results.machine.highest(step, threads=int(cores), **fact):
            return found.value, ""
    rows = results.select(type=type, n=n, step=step, variant=variant)
    rows = [row for row in rows if (row.workers == int(cores) if cores else row.gpu)]
    if not rows:
        raise Refusal(f"no row for {step} {variant} at n = {n}")
    row = max(rows, key=lambda row: row.whole_rate)
    return row.whole_rate, marked("", row)


def roof_of_gpu(results, type, n):
    """(GFLOP/s, words) of what is 100 % on a GPU: cuBLAS, or, as single products of BF16 do not
    compare with its products in a queue, the tensor cores' peak."""
    if type == "f32":
        return results.libraries(type, True)["cuBLAS"][n].rate, "cuBLAS"
    peak = results.gpu.most("peak", type=type, level="wgmma_shared")
    return peak, "the tensor cores' peak by wgmma"


def lesson_chart(results, type, n, bars, lesson):
    """The picture of a lesson, whose own bars and those before it are given."""
    rates, gpu = [measured_bar(results, type, n, *bar[1:4]) for bar in bars], not bars[0][1]
    if gpu:
        top, name = roof_of_gpu(results, type, n)
        full = f"{name}, {gflops(top)}"
    else:
        one, top = (results.machine.most("peak", type=type, threads=cores) for cores in (1, 2))
        full = f"the peak of both cores, {gflops(top)}"
        heads = {"1": f"one core; its peak of {digits(one)} is the dashed line", "2": "both cores"}
    scale = max(top, *(rate for rate, _ in rates))
    lines, before, y = {}, "", 1
    texts, strokes = [[0, f"100 %: {full}" + f" ({type}, n = {n})" * (lesson != "00")]], []
    for (rate, marks), (of, cores, _, _, idea) in zip(rates, bars):
        if cores != before:
            texts.append([y, heads[cores]])
            y, before = y + 1, cores
            if cores == "1":
                strokes.append([one / scale, y, y, 2])
        share, own = percent(rate / top) + marks, int(of == lesson)
        lines[str(y)] = [[y, rate / scale, f"{of}  {idea}", share, own]]
        y += 1
        if cores == "1":
            strokes[-1][2] = y
    strokes.append([top / scale, 1, y, 1])
    beside = {"texts": texts, "strokes": strokes}
    return Chart("so_far", "so_far", "The ladder so far", "", lines, {"rows": y}, beside)


def draw_lessons():
    """Draws NN_step/pictures/ladder.svg: the rungs up to this lesson's as bars, its own orange."""
    text = (PLOTS / "so_far.txt").read_text(encoding="utf-8")
    every = [line.split("|") for line in text.split("\n") if line[:1].isdecimal()]
    for machine, type, n, lessons in LESSONS:
        folder, read = ROOT / "plots/reference" / machine, lessons.split()
        results = load(folder / "results.csv", folder / "machine.csv")[0]
        for lesson in ["00"] * ("01" in read) + read:
            so_far = read[: read.index(lesson) + 1] if lesson in read else [lesson]
            bars = [bar for bar in every if bar[0] in so_far]
            with tempfile.TemporaryDirectory() as scratch:
                picture = draw(lesson_chart(results, type, n, bars, lesson), Path(scratch))
                shutil.copy(picture, next(ROOT.glob(f"{lesson}_*/pictures")) / "ladder.svg")

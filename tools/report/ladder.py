"""The ladder: a bar a rung, in per cent of the whole machine's peak; on a GPU, of cuBLAS. Time is
that of all phases. plots/ladder.gp draws it for README, plots/so_far.gp each lesson's part of
it."""

import re
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from drawing import PLOTS, Chart, draw_one
from measured import BASELINE, LADDER_SIZE, NOT_LEVELS, Refusal, Row
from measured import digits, load, marked

ROOT = Path(__file__).resolve().parents[2]
# In the order of the course: a step's number, its idea in three words, and what shows it, in SQL.
CORES = [
    ("01", "three plain loops", f"variant = '{BASELINE[1]}'"),
    ("02", "along the rows", "1"),
    ("03", "tiles, then registers", "1"),
    ("04", "all the cores", "variant != 'touched_by_one'"),
    ("05", "vectors, packed blocks", "1"),
    ("06", "sent and collected", "ranks > 1 AND distribute_s IS NOT NULL"),
    ("06", "data stay dealt out", "ranks > 1 AND distribute_s IS NULL"),
]
GPU = [
    ("07", "coalesced reads", "variant = 'coalesced'"),
    ("08", "shared memory tiles", "variant = 'shared'"),
    ("10", "loops with directives", "1"),
    ("09", "tiles in registers", "variant = 'conflict_free'"),
    ("09", "nobody ever waits", "1"),
]
ABOVE = "Above 100 %: the roof was measured in a bad moment."


@dataclass
class Bar:
    idea: str
    row: Row
    share: float  # of what the ladder is measured with

    def rate(self):
        rate = self.row.whole_rate
        text = f"{digits(rate / 1000)} TFLOP/s" if self.row.gpu else f"{digits(rate)} GFLOP/s"
        return marked(text, self.row)

    def number(self):
        return self.row.step[:2] if self.row.step[:2].isdecimal() else ""  # the learner's has none

    def percent(self):
        return per_cent(self.share)

    def who(self):
        count, kind = max((self.row.threads, "threads"), (self.row.ranks, "ranks"))
        several = f", {count} {kind}" * (count > 1 and not self.row.gpu)
        return f"{self.row.step} {self.row.variant}{several}"


@dataclass
class Ladder:
    """Bars of one device, one type and one size; `full` says what 100 % is, `line` is (the
    library's share, its words)."""

    title: str
    full: str
    bars: list
    line: tuple = ()
    notes: list = field(default_factory=list)

    def scale(self):
        """The share at which a picture ends."""
        return max(1, *[bar.share for bar in self.bars], *self.line[:1])


def per_cent(share):
    return f"{100 * share:.{0 if share >= 0.0995 else 1}f} %"


# ---- which rows ----


def rungs(results, course, where, type, n):
    """(idea, row) of each rung that was measured at this size, by its best tile, and of the
    learner's own."""
    found = []
    for step, idea, shows in course:
        of_it = f"{where} AND substr(step, 1, 3) = '{step}_' AND {shows}"
        if row := results.best(of_it, least="whole_s", type=type, n=n):
            found.append((idea, row))
    mine = results.least("variant", f"{where} AND step = 'mine'", order="variant", type=type, n=n)
    return found + [("yours: " + re.sub(r"_\w+/", " ", row.variant), row) for row in mine]


def on_cores(results, type):
    """In SQL, what the ladder's rows are: of the processor, on no more workers than it has
    cores."""
    where = f"NOT gpu AND {NOT_LEVELS}"
    few = f"{where} AND workers <= {results.cores}"
    return few if results.values("n", few, type=type) else where


def size_of(results, type):
    """1008 where the baseline was measured there, unless a rung, perhaps the learner's own, stands
    at other sizes with the baseline only; else the largest size that has the baseline and the most
    rungs, if possible no power of two, at which the baseline is slow for a reason of its own. 0 for
    none."""
    where = on_cores(results, type)
    based = results.values("n", where, type=type, step=BASELINE[0], variant=BASELINE[1])
    sizes = results.values("n", where, type=type)
    have = {n: {idea for idea, _ in rungs(results, CORES, where, type, n)} for n in sizes}
    if LADDER_SIZE in based and not any(have[n] - have[LADDER_SIZE] for n in based):
        return LADDER_SIZE
    key = lambda n: (len(have[n]), n in based, n.bit_count() > 1, n)
    return max(have, key=key, default=0)


def of_cores(results, type, n=None):
    """This machine's ladder, at a size of its own unless one is given. None where nothing ran."""
    n = n or size_of(results, type)
    found = rungs(results, CORES, on_cores(results, type), type, n)
    if not found:
        return None
    at_home = all(results.at_home(row) for _, row in found)
    roof = results.roof(type, results.cores) if at_home else None
    top = roof.value if roof else max(row.whole_rate for _, row in found)
    full = "the fastest rung: there is no measured peak"
    if roof:
        cores = "one core" if roof.threads == 1 else "all cores"
        full = f"the peak of {cores}, {digits(top)} GFLOP/s"
    bars = [Bar(idea, row, row.whole_rate / top) for idea, row in found]
    ladder = Ladder(f"{type}, n = {n}", full, bars)
    name, rate = results.best_library(type, n)
    if name and roof:
        ladder.line = (rate / top, f"{name}, the best library: {digits(rate)} GFLOP/s")
    if roof and ladder.scale() > 1:
        ladder.notes.append(ABOVE)
    elif roof and "; disturbed: " in roof.note:
        ladder.notes.append("The peak was measured in a disturbed moment.")
    return ladder


def of_gpu(results, type, n=None):
    """A GPU's: at the largest size but one of the library's that most variants have. None where
    nothing ran."""
    sizes = ", ".join(str(n) for at in results.libraries(type, True).values() for n in at)
    for where in (f"gpu AND n IN ({sizes})", "gpu"):
        n = n or results.common_size(where, type=type)
    found = rungs(results, GPU, "gpu", type, n)
    if not found:
        return None
    name, library = results.best_library(type, n, True)
    top = library or max(row.rate for _, row in found)
    full = f"NVIDIA's library cuBLAS, {digits(top / 1000)} TFLOP/s" if name else "the fastest rung"
    title = f"{results.gpu.name() or found[0][1].device}, {type}, n = {n}"
    ladder = Ladder(title, full, [Bar(idea, row, row.rate / top) for idea, row in found])
    ladder.line = (1, name) if name else ()
    if ladder.scale() > 1:
        ladder.notes.append("Above 100 %: faster than cuBLAS.")
    return ladder


def of_machine(results, reference=None):
    """[(heading, ladder)]: the processor's, and the GPU's, or that of the reference, which is
    another machine; in f32 if there is one."""
    for type in sorted(results.types, key=lambda type: type != "f32"):
        found = [
            (f"The processor: {results.processor()}", of_cores(results, type)),
            (f"The GPU: {results.gpu.name()}", of_gpu(results, type)),
            ("A GPU, not this machine's", of_gpu(reference, "f32") if reference else None),
        ]
        if any(ladder for _, ladder in found[:2]):
            return [(heading, ladder) for heading, ladder in found if ladder]
    return []


# ---- as a picture ----


def chart(parts):
    """The ladders under each other as one picture, to stand in README: each rung's bar, its idea
    and its rate."""
    lines, texts, strokes, y = {}, [], [], 0
    for heading, ladder in parts:
        over = (0.3, heading), (1, ladder.title), (1.55, f"100 % is {ladder.full}")
        texts += [[y + down, int(down >= 1), text] for down, text in over]
        y, scale, lines[heading] = y + 2.1, ladder.scale(), []
        for bar in ladder.bars:
            words = f"{bar.number()}  {bar.idea}".strip(), f"{bar.percent()}, {bar.rate()}"
            lines[heading].append([y, bar.share / scale, *words, int(not bar.number())])
            if ladder.line:
                last = bar is ladder.bars[-1]
                strokes.append([ladder.line[0] / scale, y, ladder.line[1] * last])
            y += 1
        for note in ladder.notes:
            texts.append([y + 0.8, 1, note])
            y += 0.55
        y += 1
    beside = {"texts": texts, "libraries": strokes}
    return Chart("ladder", "ladder", "The ladder", "", lines, {"rows": y}, beside=beside)


# ---- the lessons' part of it ----

# machine, type, n, and the lessons in the order they are read in
LESSONS = (
    ("epyc-zen5", "f32", 2000, "01 02 03 04 05 06"),
    ("h100", "f32", 4096, "07 08 10 09 13"),
    ("h100", "bf16", 4096, "11 12"),
)


def measured_bar(results, type, n, cores, step, variant):
    """(GFLOP/s, its marks) of a lesson's bar. One that names nothing is misspelt."""
    if step in ("chains", "peak"):
        vector, *level = variant.split()
        fact = {"name": step, "vector": vector, "level": level[0] if level else None, "type": type}
        if found := results.machine.highest(threads=int(cores), **fact):
            return found.value, ""
    else:
        where = f"workers = {cores}" if cores else "gpu"
        if row := results.best(where, "whole_s", type=type, n=n, step=step, variant=variant):
            return row.whole_rate, marked("", row)
    raise Refusal(f"no row for {step} {variant} at n = {n}")


def roof_of_gpu(results, type, n):
    """(GFLOP/s, words) of what is 100 % on a GPU: cuBLAS, or, as single products of BF16 do not
    compare with its products in a queue, the tensor cores' peak."""
    if type == "f32":
        return results.libraries(type, True)["cuBLAS"][n], "cuBLAS"
    peak = results.gpu.most("peak", type=type, level="wgmma_shared")
    return peak, "the tensor cores' peak by wgmma"


def lesson_chart(results, type, n, bars, lesson):
    """The picture of a lesson, whose own bars and those before it are given."""
    rates, gpu = [measured_bar(results, type, n, *bar[1:4]) for bar in bars], not bars[0][1]
    if gpu:
        top, name = roof_of_gpu(results, type, n)
        full = f"{name}, {digits(top / 1000)} TFLOP/s"
    else:
        one, top = (results.machine.most("peak", type=type, threads=cores) for cores in (1, 2))
        full = f"the peak of both cores, {digits(top)} GFLOP/s"
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
        share, own = per_cent(rate / top) + marks, int(of == lesson)
        lines[str(y)] = [[y, rate / scale, f"{of}  {idea}", share, own]]
        y += 1
        if cores == "1":
            strokes[-1][2] = y
    strokes.append([top / scale, 1, y, 1])
    beside = {"texts": texts, "strokes": strokes}
    return Chart("so_far", "so_far", "The ladder so far", "", lines, {"rows": y}, beside=beside)


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
                draw_one(lesson_chart(results, type, n, bars, lesson), "", Path(scratch))
                pictures = next(ROOT.glob(f"{lesson}_*/pictures"))
                shutil.copy(Path(scratch) / "so_far.svg", pictures / "ladder.svg")

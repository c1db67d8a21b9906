"""The ladder: a bar a rung, in per cent of the whole machine's peak; on a GPU, of cuBLAS. Time is
that of all phases."""

from dataclasses import dataclass

from drawing import Chart, style
from measured import ABOVE, Row, gflops, marked, percent, select

# In the order of the course: a step's number, its idea, and which rows show it.
CORES = [
    ("01", "three plain loops", lambda row: row.baseline),
    ("02", "along the rows", None),
    ("03", "tiles, then registers", None),
    ("04", "all the cores", None),
    ("05", "vectors, packed blocks", None),
    ("06", "sent and collected", lambda row: row.ranks > 1 and row.distribute_s is not None),
    ("06", "data stay dealt out", lambda row: row.ranks > 1 and row.distribute_s is None),
]
GPU = [
    ("07", "coalesced reads", lambda row: row.variant == "coalesced"),
    ("08", "shared memory tiles", lambda row: row.variant == "shared"),
    ("10", "loops with directives", None),
    ("09", "tiles in registers", lambda row: row.variant == "conflict_free"),
    ("09", "nobody ever waits", None),
    ("11", "tensor cores", None),
    ("12", "fed by copies of their own", None),
    ("13", "f32 by tensor cores", None),
]
IDEAS = {"03 tiled": "tiles", "03 two_level": "tiles of tiles"}  # where the usual best is lacking
IDEAS |= {f"05 {of}": "vectors" for of in "ikj_avx2 dot_avx2 register_tile blocked".split()}
IDEAS |= {f"09 {of}": "tiles in registers" for of in "column_8 column_16 square transposed".split()}
FASTEST = "the fastest rung"  # what 100 % is where nothing better is known


@dataclass
class Bar:
    label: str  # which gives the colour: the step's number, or "yours"
    idea: str
    row: Row
    share: float  # of what the ladder is measured with
    above: bool  # its bound

    def percent(self):
        return percent(self.share) + " !" * self.above

    def rate(self):
        return f"{self.percent()}, {marked(gflops(self.row.whole_rate), self.row)}"


@dataclass
class Ladder:
    """Bars of one device, one type and one size."""

    device: str
    title: str
    full: str  # what 100 % is
    bars: list
    line: tuple  # the library's share, its words; () without one


def left_out(row):
    """What is measured for a lesson's table alone: 01 at other levels, 04's bad first touch."""
    return row.step.startswith("01_naive-O") or row.variant == "touched_by_one"


def rungs(rows, course):
    """(label, idea, row) of each rung by its best tile, and of the learner's own."""
    rows, found = sorted(rows, key=lambda row: row.whole_s), []
    for step, idea, shows in course:
        of_it = [row for row in rows if row.step[:3] == f"{step}_" and (not shows or shows(row))]
        most = max((row.workers for row in of_it), default=0) if step == "04" else 0
        of_it = [row for row in of_it if row.workers >= most]  # all the cores
        found += [(step, IDEAS.get(f"{step} {row.variant}", idea), row) for row in of_it[:1]]
    mine = {row.label(): row for row in reversed(select(rows, step="mine"))}
    return found + [("yours", *of) for of in sorted(mine.items())]


def of_type(results, type, gpu):
    """The ladder of the processor, on no more workers than cores if there are such rows, or of the
    GPU. None where nothing ran."""
    rows = results.select(lambda row: row.gpu == gpu and not left_out(row), type=type)
    rows = [row for row in rows if gpu or row.workers <= results.cores] or rows
    n = results.size_of(rows)
    if not (found := rungs(select(rows, n=n), GPU if gpu else CORES)):
        return None
    (name, rate), full = results.best_library(type, n, gpu), FASTEST
    top, first = max(row.whole_rate for *_, row in found), found[0][-1]
    roof = None if gpu else results.roof_of(first, results.cores)
    if roof:
        cores = "one core" if results.cores == 1 else "all cores"
        peak = select(results.machine.facts, name="peak", value=roof)
        top, full = roof, f"the peak of {cores}, {marked(gflops(roof), *peak)}"
    elif gpu and name:
        top, full = rate, f"NVIDIA's library cuBLAS, {gflops(rate)}"
    shares = [(*rung, rung[-1].whole_rate / top) for rung in found]
    bars = [Bar(*rung, bool(roof) and rung[-1] > ABOVE) for rung in shares]
    line = (rate / top, f"{name}: {gflops(rate)}") if name and full != FASTEST else ()
    device = first.device if gpu else results.processor()
    return Ladder(device, f"{type}, n = {n}", full, bars, line)


def of_types(results, type, gpu):
    """Those of a type; a GPU's tensor cores multiply BF16."""
    types = [type, "bf16"] if gpu and type == "f32" else [type]
    return list(filter(None, (of_type(results, of, gpu) for of in types)))


def of_machine(results):
    """The processor's and the GPU's, in f32 if there is one."""
    both = (of_types(results, of, False) + of_types(results, of, True) for of in results.types)
    return next(filter(None, both), [])


def chart(ladder, start=""):
    """The ladder as a picture, each step in its colour."""
    texts = [[0.3, 0, ladder.device], [1, 1, ladder.title], [1.55, 1, f"100 % is {ladder.full}"]]
    bars, strokes, scale = [], [], max(1, *(bar.share for bar in ladder.bars), *ladder.line[:1])
    for y, bar in enumerate(ladder.bars):
        who = bar.idea if bar.label == "yours" else f"{bar.row.label()}: {bar.idea}"
        colour = int(style(bar.label)[0], 16)
        bars.append([y + 2.1, bar.share / scale, who, bar.rate(), colour])
        if ladder.line:
            words = ladder.line[1].replace(":", ", the fastest library:")
            strokes.append([ladder.line[0] / scale, y + 2.1, words * (bar is ladder.bars[-1])])
    settings = {"rows": len(bars) + 3.1}
    row, see = ladder.bars[0].row, "A bar a step: longer is faster."
    name, title = f"{start}ladder_{row.type}" + "_gpu" * row.gpu, f"The ladder, {ladder.title}"
    beside = {"texts": texts, "libraries": strokes or [[-1.0, 0, ""]]}  # none: out of sight
    return Chart(name, "ladder", title, see, {ladder.device: bars}, settings, beside)

"""The ladder: a bar a rung, in per cent of the whole machine's peak; on a GPU, of cuBLAS. plots/ladder.gp draws it."""
import re
from dataclasses import dataclass, field

from charts import Chart
from measured import BASELINE, NOT_LEVELS, digits, marked

# In the order of the course: a step's number, its one idea in three words, and the variant that shows it (none: its best).
CORES = [("01", "three plain loops", BASELINE[1]), ("02", "along the rows", ""), ("03", "tiles, then registers", ""),
         ("04", "all the cores", ""), ("05", "vectors, packed blocks", ""), ("06", "processes send blocks", "")]
GPU = [("07", "coalesced global reads", "coalesced"), ("08", "shared memory tiles", "shared"),
       ("10", "loops with directives", ""), ("09", "tiles in registers", "conflict_free"), ("09", "nobody ever waits", "")]
ABOVE = "Above 100 %: the roof was measured in a bad moment."


@dataclass
class Bar:
    idea: str
    row: object
    share: float  # of what the ladder is measured with

    def rate(self):
        rate, unit = (self.row.rate / 1000, "TFLOP/s") if self.row.gpu else (self.row.rate, "GFLOP/s")
        return marked(f"{digits(rate)} {unit}", self.row)

    def number(self):
        return self.row.step[:2] if self.row.step[:2].isdecimal() else ""  # the learner's has none

    def percent(self):
        return f"{100 * self.share:.{0 if self.share >= 0.0995 else 1}f} %"

    def who(self):
        count, kind = max((self.row.threads, "threads"), (self.row.ranks, "ranks"))
        return f"{self.row.step} {self.row.variant}" + f", {count} {kind}" * (count > 1 and not self.row.gpu)


@dataclass
class Ladder:
    """Bars of one device, one type and one size; `full` says what 100 % is, `line` is (the library's share, its words)."""
    title: str
    full: str
    bars: list
    line: tuple = ()
    notes: list = field(default_factory=list)

    def scale(self):
        """The share at which a picture ends."""
        return max(1, *[bar.share for bar in self.bars], *self.line[:1])


def rungs(results, course, where, type, n):
    """(idea, row) of each rung that was measured at this size, and of the learner's own."""
    found = []
    for step, idea, variant in course:
        of_it = f"{where} AND substr(step, 1, 3) = '{step}_'" + f" AND variant = '{variant}'" * bool(variant)
        if row := results.best(of_it, type=type, n=n):
            found.append((idea, row))
    mine = results.least("variant", f"{where} AND step = 'mine'", order="variant", type=type, n=n)
    return found + [("yours: " + re.sub(r"_\w+/", " ", row.variant), row) for row in mine]


def of_cores(results, type):
    """This machine's: the largest size that has the baseline and the most rungs, if possible no power of two, at which
    the baseline is slow for a reason of its own. None where nothing ran."""
    where = f"NOT gpu AND {NOT_LEVELS}"
    if results.values("n", f"{where} AND workers <= {results.cores}", type=type):
        where += f" AND workers <= {results.cores}"
    based = results.values("n", where, type=type, step=BASELINE[0], variant=BASELINE[1])
    at = {n: rungs(results, CORES, where, type, n) for n in results.values("n", where, type=type)}
    n = max(at, key=lambda n: (len(at[n]), n in based, n.bit_count() > 1, n), default=0)
    if not at.get(n):
        return None
    found, roof = at[n], results.roof(type, results.cores)
    roof = roof if all(results.at_home(row) for _, row in found) else None
    top = roof.value if roof else max(row.rate for _, row in found)
    ladder = Ladder(f"{type}, n = {n}", f"the peak of {'all cores' if roof.threads != 1 else 'one core'}, {digits(top)} GFLOP/s" if roof
                    else "the fastest rung: there is no measured peak", [Bar(idea, row, row.rate / top) for idea, row in found])
    libraries = {name: at[n] for name, at in results.machine.libraries(type, results.cores).items() if n in at}
    if libraries and roof:
        name = max(libraries, key=libraries.get)
        ladder.line = (libraries[name] / top, f"{name}, the best library: {digits(libraries[name])} GFLOP/s")
    if roof and (ladder.scale() > 1 or "; disturbed: " in roof.note):
        ladder.notes.append(ABOVE if ladder.scale() > 1 else "The peak was measured in a disturbed moment.")
    return ladder


def of_gpu(results, type):
    """A GPU's: the largest size but one of the library's that most variants have. None where nothing ran on one."""
    rates = {n: rate for at in results.gpu.libraries(type, 0).values() for n, rate in at.items()}
    n = results.common_size(f"gpu AND n IN ({', '.join(map(str, rates))})", type=type) or results.common_size("gpu", type=type)
    if not (found := rungs(results, GPU, "gpu", type, n)):
        return None
    top = rates.get(n) or max(row.rate for _, row in found)
    ladder = Ladder(f"{results.gpu.name() or found[0][1].device}, {type}, n = {n}", f"NVIDIA's library cuBLAS, {digits(top / 1000)} TFLOP/s"
                    if n in rates else "the fastest rung", [Bar(idea, row, row.rate / top) for idea, row in found])
    if n in rates:
        ladder.line = (1, "cuBLAS")
    if ladder.scale() > 1:
        ladder.notes.append("Above 100 %: faster than cuBLAS.")
    return ladder


def of_machine(results, reference=None):
    """[(heading, ladder)]: the processor's, and the GPU's, or that of the reference, which is another machine; in f32 if there is one."""
    name = results.processor()
    for type in sorted(results.types, key=lambda type: type != "f32"):
        found = [(f"The processor: {name}", of_cores(results, type)), (f"The GPU: {results.gpu.name()}", of_gpu(results, type))]
        found = [(heading, ladder) for heading, ladder in found if ladder]
        if found:
            elsewhere = of_gpu(reference, "f32") if reference else None
            return found + ([("A GPU, not this machine's", elsewhere)] if elsewhere else [])
    return []


def chart(parts):
    """The ladders under each other as one picture, to stand in a README: each rung's bar, its idea and its rate."""
    lines, texts, marks, y = {}, [], [], 0
    for heading, ladder in parts:
        first, last = y + 2.1, y + 2.1 + len(ladder.bars)
        texts += [[y + 0.3, 0, heading], [y + 1, 1, ladder.title], [y + 1.55, 1, f"100 % is {ladder.full}"]]
        lines[heading] = [[first + place, bar.share / ladder.scale(), f"{bar.number()}  {bar.idea}".strip(), f"{bar.percent()}, {bar.rate()}",
                           int(not bar.number())]
                          for place, bar in enumerate(ladder.bars)]
        if ladder.line:
            marks += [[ladder.line[0] / ladder.scale(), y, ladder.line[1] * (y + 1 >= last)] for y, *_ in lines[heading]]
        texts += [[last + 0.8 + 0.55 * place, 1, note] for place, note in enumerate(ladder.notes)]
        y = last + 1 + 0.55 * len(ladder.notes)
    return Chart("ladder", "ladder", "The ladder", "", lines, {"rows": y}, beside={"texts": texts, "libraries": marks},
                 columns="y, share, idea, rate, whether it is the learner's; then y, whether small, text; then share, y, text")

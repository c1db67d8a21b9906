"""The ladder as a picture: a bar a rung, in per cent of the whole machine's peak; on a GPU, of cuBLAS."""
from dataclasses import dataclass, field
from html import escape

from measured import BASELINE, best, common_size, digits
from rank_charts import workers
from scaling import cores_of

# In the order of the course: a step's number, its one idea in three words, and the variants that show it (none: its best).
CORES = [("01", "three plain loops", (BASELINE[1],)), ("02", "along the rows", ()), ("03", "tiles, then registers", ()),
         ("04", "all the cores", ()), ("05", "vectors, packed blocks", ()), ("06", "processes send blocks", ())]
GPU = [("07", "coalesced global reads", ("coalesced",)), ("08", "shared memory tiles", ("shared",)),
       ("10", "loops with directives", ()), ("09", "tiles in registers", ("conflict_free",)), ("09", "nobody ever waits", ())]
ABOVE = "Above 100 %: the roof was measured in a bad moment."


def number_of(row):
    return row.step.partition("_")[0]


@dataclass
class Bar:
    idea: str
    row: object
    share: float  # of what the ladder is measured with

    def rate(self):
        rate, unit = (self.row.gflops() / 1000, "TFLOP/s") if self.row.gpu else (self.row.gflops(), "GFLOP/s")
        return f"{digits(rate)} {unit}" + "~" * (self.row.quiet == "no") + "°" * self.row.unverified

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


def rungs(rows, course, n):
    """(idea, row) of each rung that was measured at this size."""
    found = [(idea, best([row for row in rows if number_of(row) == step and (not only or row.variant in only)], n=n))
             for step, idea, only in course]
    return [(idea, row) for idea, row in found if row]


def of_cores(results, type):
    """This machine's: the largest size that has the baseline and the most rungs, if possible no power of two, at which
    the baseline is slow for a reason of its own. None where nothing ran."""
    cores = cores_of(results)
    rows = [row for row in results.squares if row.type == type and not row.gpu and row.step in results.rungs]
    rows = [row for row in rows if workers(row) <= cores] or rows
    if not any(rungs(rows, CORES, row.n) for row in rows):
        return None
    based = {row.n for row in rows if (row.step, row.variant) == BASELINE}
    n = max({row.n for row in rows}, key=lambda n: (len(rungs(rows, CORES, n)), n in based, n.bit_count() > 1, n))
    found = rungs(rows, CORES, n)
    roof, most = results.roof(type, cores), max(row.gflops() for _, row in found)
    roof = roof if all(results.at_home(row) for _, row in found) else None
    top = roof.value if roof else most
    ladder = Ladder(f"{type}, n = {n}", f"the peak of {'all cores' if roof.threads != 1 else 'one core'}, {digits(top)} GFLOP/s" if roof
                    else "the fastest rung: there is no measured peak", [Bar(idea, row, row.gflops() / top) for idea, row in found])
    libraries = {name: at[n] for name, at in results.machine.libraries(type, cores).items() if n in at}
    if libraries and roof:
        name = max(libraries, key=libraries.get)
        ladder.line = (libraries[name] / top, f"{name}, the best library: {digits(libraries[name])} GFLOP/s")
    if roof and (ladder.scale() > 1 or "; disturbed: " in roof.note):
        ladder.notes.append(ABOVE if ladder.scale() > 1 else "The peak was measured in a disturbed moment.")
    return ladder


def of_gpu(results, type):
    """A GPU's: the largest size but one of the library's that most variants have. None where nothing ran on one."""
    rows = [row for row in results.on_gpu if row.type == type]
    rates = {n: rate for at in results.gpu.libraries(type, 0).values() for n, rate in at.items()}
    n = common_size([row for row in rows if row.n in rates] or rows)
    if not (found := rungs(rows, GPU, n)):
        return None
    top = rates.get(n) or max(row.gflops() for _, row in found)
    ladder = Ladder(f"{results.gpu.name() or found[0][1].device}, {type}, n = {n}", f"NVIDIA's library cuBLAS, {digits(top / 1000)} TFLOP/s"
                    if n in rates else "the fastest rung", [Bar(idea, row, row.gflops() / top) for idea, row in found])
    if n in rates:
        ladder.line = (1, "cuBLAS")
    if ladder.scale() > 1:
        ladder.notes.append("Above 100 %: faster than cuBLAS.")
    return ladder


def svg(parts):
    """The ladders as one picture 700 wide, to stand in a README: (heading, ladder) each."""
    y, out = 0, []

    def text(x, y, words, size=17, more=""):
        out.append(f'<text x="{x:.1f}" y="{y}" font-size="{size}" {more}>{escape(words)}</text>')
    for heading, ladder in parts:
        wide = 270 / ladder.scale()
        text(12, y + 30, heading, 19, 'font-weight="bold"')
        text(12, y + 53, f"{ladder.title}. 100 % is {ladder.full}.", 16, 'fill="#555"')
        top = y + 66
        for place, bar in enumerate(ladder.bars):
            at = top + 34 * place
            text(12, at + 23, f"{number_of(bar.row)}  {bar.idea}")
            out.append(f'<rect x="245" y="{at + 4}" width="{max(2, wide * bar.share):.1f}" height="26" fill="#4c9bd1"/>')
            text(692, at + 23, f"{bar.percent()}, {bar.rate()}", 16, 'text-anchor="end"')
        y = top + 34 * len(ladder.bars) + 6
        if ladder.line:
            x = 245 + wide * ladder.line[0]
            out.append(f'<path d="M{x:.1f} {top}V{y}" stroke="#b3261e" stroke-width="2.5" stroke-dasharray="6 4"/>')
            text(x, y + 18, ladder.line[1], 16, 'text-anchor="middle" fill="#b3261e"')
            y += 24
        for note in ladder.notes:
            text(12, y + 18, note, 16, 'fill="#555"')
            y += 24
        y += 10
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 {y}" width="700" height="{y}" font-family="sans-serif" '
            f'fill="#1b1b1b">\n<rect width="700" height="{y}" rx="8" fill="#fff"/>\n' + "\n".join(out) + "\n</svg>\n")

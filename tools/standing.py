"""Ours against the libraries: the rows of rivals.csv, their tables and charts."""
import math

from charts import Chart, render
from measured import BUILD, Record, Refusal, Table, columns_of, read, digits, place_of

COLUMNS, FULL_KEY = columns_of("rivals/rivals")
KEY = [name for name in FULL_KEY if name not in BUILD]
TARGET = 0.98  # of the best library, in every cell
TOP = 1.5      # a chart shows no more: what matters is near 1
SOUND = " AND ".join(f"{name} > 0" for name in "m n k threads ratio ratio_low ratio_high ours_gflops rival_gflops".split())
KEPT = "variant LIKE 'tuned%' AND rival LIKE '% haswell'"  # an AVX2 rung against a library's AVX2 kernels


class Duel(Record):
    """A row: a product of ours and of a library, in turns."""

    def square(self):
        return self.m == self.n == self.k

    def shape(self):
        """256, 2048²×32, 3×4×5."""
        if self.square():
            return str(self.n)
        return f"{self.n}²×{self.k}" if self.m == self.n else f"{self.m}×{self.n}×{self.k}"


class Group:
    """The duels of one host, type, number of threads and variant with libraries at their best, or kept to AVX2."""

    def __init__(self, duels, against):
        self.duels, self.against, first = duels, against, duels[0]
        self.type, self.threads, self.variant, self.host = first.type, first.threads, first.variant, first.host
        self.on_gpu = first.rival.startswith("cuBLAS")
        self.shapes = list(dict.fromkeys(duel.shape() for duel in sorted(
            duels, key=lambda duel: (not duel.square(), duel.m, duel.n, duel.k))))

    def title(self):
        whose = "on a GPU" if self.on_gpu else "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return f"{self.variant} against {self.against}, {self.type}, {whose}"

    def best(self, shape):
        """The duel with the library that did best beside ours. (Not the one of the highest rate: duels are minutes
        apart, and on a shared machine a rate says as much about the minute as about the library.)"""
        return min((duel for duel in self.duels if duel.shape() == shape), key=lambda duel: duel.ratio)

    def mean(self):
        """The geometric mean of the ratios to the best library, over the shapes."""
        return math.exp(sum(math.log(self.best(shape).ratio) for shape in self.shapes) / len(self.shapes))

    def place(self):
        return place_of(self.duels)


def load(path):
    """The groups, in the order of type, threads and variant. Rows alike in all of KEY: the last counts."""
    table, groups = Table(read(path, COLUMNS, KEY), COLUMNS, Duel), {}
    for kept, where in (False, SOUND), (True, f"{SOUND} AND {KEPT}"):
        for duel in table.select(where, order="host, type, threads, variant, rowid"):
            groups.setdefault((duel.host, duel.type, duel.threads, duel.variant, kept), []).append(duel)
    if not groups:
        raise Refusal(f"{path} has no row to show")
    found = []
    for key in sorted(groups):
        duels = groups[key]
        if key[-1]:
            found.append(Group(duels, "libraries kept to AVX2"))
        elif len(groups.get((*key[:-1], True), ())) < len(duels):
            found.append(Group(duels, "cuBLAS" if duels[0].rival.startswith("cuBLAS") else "every library"))
    return found


def table(group):
    """The headings and rows: ours beside the best library at each shape, what is missed marked."""
    headings = ["n, or m×n×k", "best library", "its GFLOP/s", "ours", "ours / it", "quartiles", "pairs", ""]
    rows = []
    for duel in map(group.best, group.shapes):
        rows.append([duel.shape(), duel.rival, digits(duel.rival_gflops), digits(duel.ours_gflops), f"{duel.ratio:.3f}",
                     f"{duel.ratio_low:.3f} – {duel.ratio_high:.3f}", str(duel.pairs), "!" * (duel.ratio < TARGET)])
    rows.append(["geometric mean", "", "", "", f"{group.mean():.3f}", "", "", "!" * (group.mean() < 1)])
    return headings, rows


def summary(groups):
    """The headings and rows of how each group stands, as text."""
    rows = []
    for group in groups:
        best = [group.best(shape) for shape in group.shapes]
        worst = min(best, key=lambda duel: duel.ratio)
        rows.append([group.variant, group.against, group.type, "GPU" if group.on_gpu else str(group.threads), f"{group.mean():.3f}",
                     f"{worst.ratio:.3f} at {worst.shape()}, {worst.rival}", f"{sum(duel.ratio < TARGET for duel in best)} of {len(best)}"])
    return ["variant", "against", "type", "threads", "mean", "worst", f"below {TARGET:g}"], rows


def chart(group, several_hosts):
    """The ratio to each library, against the shapes; lines lead from square to square alone: what is next to a shape's
    name is another shape, not a larger one."""
    rivals, lines = sorted({duel.rival for duel in group.duels}), {}
    for place, rival in enumerate(rivals):
        aside, lines[rival] = 0.12 * (place - (len(rivals) - 1) / 2), []
        mine = {duel.shape(): duel for duel in group.duels if duel.rival == rival}
        for at, shape in enumerate(group.shapes):
            if duel := mine.get(shape):
                end = [] if duel.square() else [[]]
                lines[rival] += [*end, [at + aside, duel.ratio, duel.ratio_low, duel.ratio_high, 0, at, shape]]
    top = max(duel.ratio_high for duel in group.duels)
    settings = {"target": TARGET, "bottom": min(0.9, 0.97 * min(duel.ratio_low for duel in group.duels)), "top": min(TOP, max(1.1, 1.03 * top))}
    name = f"rivals_{group.type}_{group.threads}_{group.variant}" + "_avx2" * (group.against == "libraries kept to AVX2")
    return Chart(f"{group.host}_{name}" if several_hosts else name, "rivals", group.title(),
                 "How many times as fast as each library: above 1 ours is faster. Medians of paired ratios; the thin "
                 f"bars are their quartiles. What is above {TOP} is not shown.", lines, settings,
                 footer=f"above 1 ours is the faster; dashed: {TARGET:g} of the best library, the least that ours shall reach"
                 + f"; above {TOP}: not shown" * (settings["top"] == TOP))


def draw(groups, out):
    hosts = {group.host for group in groups}
    render([(chart(group, len(hosts) > 1), group.place()) for group in groups], out)

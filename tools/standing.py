"""Ours against the libraries: the rows of rivals.csv, their tables and charts."""
import math

from drawing import Chart, disturbed, render
from measured import BUILD, Refusal, columns_of, digits, lines_of, number, place_of

COLUMNS, FULL_KEY = columns_of("rivals/rivals")
KEY = [name for name in FULL_KEY if name not in BUILD]
TARGET = 0.98  # of the best library, in every cell
TOP = 1.5      # a chart shows no more: what matters is near 1


class Duel:
    """One row: a product of ours and of a library, in turns."""

    def __init__(self, cells):
        self.cells = cells
        for name in ("type", "variant", "rival", "host"):
            setattr(self, name, cells[name])
        for name in ("m", "n", "k", "threads", "pairs"):
            setattr(self, name, int(number(cells[name]) or 0))
        self.ratio, self.low, self.high, self.ours, self.theirs = (
            number(cells[name]) for name in ("ratio", "ratio_low", "ratio_high", "ours_gflops", "rival_gflops"))
        self.square = self.m == self.n == self.k

    def sound(self):
        return all(getattr(self, name) for name in "m n k threads ratio low high ours theirs".split())

    def shape(self):
        """256, 2048²×32, 3×4×5."""
        if self.square:
            return str(self.n)
        return f"{self.n}²×{self.k}" if self.m == self.n else f"{self.m}×{self.n}×{self.k}"

    def on_gpu(self):
        return self.rival.startswith("cuBLAS")

    def kept_to_avx2(self):
        """An AVX2 rung against a library's AVX2 kernels."""
        return self.variant.startswith("tuned") and self.rival.endswith((" Haswell", " haswell"))


class Group:
    """The duels of one host, type, number of threads and variant with libraries at their best, or kept to AVX2."""

    def __init__(self, duels, against):
        self.duels, self.against, first = duels, against, duels[0]
        self.type, self.threads, self.variant, self.host = first.type, first.threads, first.variant, first.host
        self.shapes = list(dict.fromkeys(duel.shape() for duel in sorted(
            duels, key=lambda duel: (not duel.square, duel.m, duel.n, duel.k))))

    def title(self):
        whose = "on a GPU" if self.duels[0].on_gpu() else "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return f"{self.variant} against {self.against}, {self.type}, {whose}"

    def best(self, shape):
        """The duel with the library that did best beside ours. (Not the one of the highest rate: duels are minutes
        apart, and on a shared machine a rate says as much about the minute as about the library.)"""
        return min((duel for duel in self.duels if duel.shape() == shape), key=lambda duel: duel.ratio)

    def mean(self):
        """The geometric mean of the ratios to the best library, over the shapes."""
        return math.exp(sum(math.log(self.best(shape).ratio) for shape in self.shapes) / len(self.shapes))

    def place(self):
        return place_of([duel.cells for duel in self.duels])


def load(path):
    """The groups, in the order of type, threads and variant. Rows alike in all of KEY: the last counts."""
    newest = {}
    for cells in lines_of(path, COLUMNS):
        newest[tuple(cells[name] for name in KEY)] = Duel(cells)
    groups = {}
    for duel in newest.values():
        if duel.sound():
            groups.setdefault((duel.host, duel.type, duel.threads, duel.variant), []).append(duel)
    if not groups:
        raise Refusal(f"{path} has no row to show")
    found = []
    for key in sorted(groups):
        kept = [duel for duel in groups[key] if duel.kept_to_avx2()]
        if len(kept) < len(groups[key]):
            found.append(Group(groups[key], "cuBLAS" if groups[key][0].on_gpu() else "every library"))
        if kept:
            found.append(Group(kept, "libraries kept to AVX2"))
    return found


def table(group):
    """The headings and rows: ours beside the best library at each shape, what is missed marked."""
    headings = ["n, or m×n×k", "best library", "its GFLOP/s", "ours", "ours / it", "quartiles", "pairs", ""]
    rows = []
    for duel in map(group.best, group.shapes):
        rows.append([duel.shape(), duel.rival, digits(duel.theirs), digits(duel.ours), f"{duel.ratio:.3f}",
                     f"{duel.low:.3f} – {duel.high:.3f}", str(duel.pairs), "!" * (duel.ratio < TARGET)])
    rows.append(["geometric mean", "", "", "", f"{group.mean():.3f}", "", "", "!" * (group.mean() < 1)])
    return headings, rows


def summary(groups):
    """The headings and rows of how each group stands, as text."""
    rows = []
    for group in groups:
        best = [group.best(shape) for shape in group.shapes]
        worst = min(best, key=lambda duel: duel.ratio)
        rows.append([group.variant, group.against, group.type,
                     "GPU" if group.duels[0].on_gpu() else str(group.threads), f"{group.mean():.3f}",
                     f"{worst.ratio:.3f} at {worst.shape()}, {worst.rival}",
                     f"{sum(duel.ratio < TARGET for duel in best)} of {len(best)}"])
    return ["variant", "against", "type", "threads", "mean", "worst", f"below {TARGET:g}"], rows


def chart(group, several_hosts):
    """The ratio to each library, against the shapes; lines lead from square to square alone: what is next to a shape's
    name is another shape, not a larger one."""
    rivals = sorted({duel.rival for duel in group.duels})
    squares = sum(duel.square for duel in map(group.best, group.shapes))
    lines = {}
    for place, rival in enumerate(rivals):
        points = {duel.shape(): duel for duel in group.duels if duel.rival == rival}
        aside = 0.12 * (place - (len(rivals) - 1) / 2)
        lines[rival] = []
        for at, shape in enumerate(group.shapes):
            if at >= squares:
                lines[rival].append([at - 0.5, *[math.nan] * 3, False])
            if duel := points.get(shape):
                lines[rival].append([at + aside, duel.ratio, duel.low, duel.high, disturbed(duel)])
    ticks = ",".join(f'"{shape}" {at}' for at, shape in enumerate(group.shapes))
    settings = {"ticks": ticks, "left": -0.6, "right": len(group.shapes) - 0.4, "target": TARGET,
                "bottom": min(0.9, 0.97 * min(duel.low for duel in group.duels)),
                "top": min(TOP, max(1.1, 1.03 * max(duel.high for duel in group.duels)))}
    name = f"rivals_{group.type}_{group.threads}_{group.variant}" + "_avx2" * (group.against == "libraries kept to AVX2")
    return Chart(f"{group.host}_{name}" if several_hosts else name, "rivals", group.title(),
                 "How many times as fast as each library: above 1 ours is faster. Medians of paired ratios; the thin "
                 f"bars are their quartiles. What is above {TOP} is not shown.", lines, settings,
                 footer=f"above 1 ours is the faster; dashed: {TARGET:g} of the best library, the least that ours shall reach"
                 + f"; above {TOP}: not shown" * (settings["top"] == TOP))


def draw(groups, out):
    hosts = {group.host for group in groups}
    render([(chart(group, len(hosts) > 1), group.place()) for group in groups], out)

"""The charts of what ran on several ranks: scaling with them, where the time goes, and ranks against threads."""
import math

from drawing import TEXTS, Chart, disturbed, line_chart, phase_bars
from measured import common_size, digits
from scaling import program

PHASES = {"distribute": "distribution", "product": "product", "collect": "collection"}


def whole(row, median=None):
    """Seconds of all phases: what one waits for who has the matrices on one rank and wants the result there."""
    return (row.median if median is None else median) + sum(row.phases[name] or 0 for name in ("distribute", "collect"))


def fastest(rows):
    """Of rows alike but for grid and block, the one whose phases together are the shortest."""
    return min(rows, key=whole)


def workers(row):
    """How many cores it asks for; a GPU's rows ask for one."""
    return (row.threads or 1) * (row.ranks or 1)


def by_variant(rows):
    """{step and variant: its rows}, in the order they came in."""
    found = {}
    for row in rows:
        found.setdefault(program(row), []).append(row)
    return found


def by_ranks(rows):
    """The fastest row on each number of ranks, as (ranks, row), ascending."""
    return [(ranks, fastest([row for row in rows if row.ranks == ranks])) for ranks in sorted({row.ranks for row in rows})]


def on_ranks(results, type):
    """The rows of programs that ran on more than one rank, those on a single one included."""
    steps = {row.step for row in results.squares if row.ranks > 1}
    return [row for row in results.squares if row.type == type and row.step in steps]


def strong_chart(results, type):
    """Speedup of all phases over a variant's own on one rank, at the size with the most points; one thread a rank."""
    rows = [row for row in on_ranks(results, type) if row.threads < 2]
    counts = {n: len({(program(row), row.ranks) for row in rows if row.n == n}) for n in {row.n for row in rows}}
    rows = [row for row in rows if row.n == max(counts, key=lambda n: (counts[n], n))]
    lines, alone = {}, {}
    for name, mine in by_variant(rows).items():
        at = by_ranks(mine)
        if dict(at).keys() > {1}:
            lines[name], alone[name] = at, whole(dict(at)[1])
    return line_chart(f"ranks_speedup_{type}", "ranks_speedup",
                      f"Ranks: {TEXTS['ranks_speedup'][0]}, {type}, n = {rows[0].n}" if rows else "", lines,
                      lambda row, median: alone[program(row)] / whole(row, median), step="06_mpi") if lines else None


def weak_chart(results, type):
    """GFLOP/s a rank over those on one, where n² grows with the ranks: each holds as much as before."""
    rows = [row for row in on_ranks(results, type) if row.threads < 2]
    lines, alone = {}, {}
    for name, mine in by_variant(rows).items():
        for base in sorted({row.n for row in mine}):  # the largest that has a line is the last
            at = by_ranks([row for row in mine if math.isclose(row.n / base, math.sqrt(row.ranks), rel_tol=0.01)])
            if dict(at).keys() > {1}:
                lines[name], alone[name] = at, base**3 / whole(dict(at)[1])
    return line_chart(f"ranks_weak_{type}", "ranks_weak", f"Ranks: {TEXTS['ranks_weak'][0]}, {type}", lines,
                      lambda row, median: 100 * row.n**3 / whole(row, median) / row.ranks / alone[program(row)],
                      step="06_mpi") if lines else None


def phases_chart(results, type):
    """A bar a variant on the most ranks, of the most threads: distribution, product, collection; over it the same in numbers."""
    rows = [row for row in on_ranks(results, type) if row.ranks > 1]
    most = max(((row.ranks, row.threads) for row in rows), default=None)
    rows = [row for row in rows if (row.ranks, row.threads) == most]
    rows = [fastest(mine) for mine in by_variant([row for row in rows if row.n == common_size(rows)]).values()]
    if not rows:
        return None
    title = f"{TEXTS['ranks_phases'][0]}, {rows[0].ranks} ranks, {type}, n = {rows[0].n}"
    return phase_bars("ranks_phases", title, type, rows, PHASES, "06_mpi")


def heat_chart(results, type):
    """All phases' GFLOP/s with so many ranks of so many threads each, as many together in every column."""
    together = {}
    for row in on_ranks(results, type):
        together.setdefault((workers(row), row.n), []).append(row)
    (total, n), rows = max(together.items(), key=lambda of: (len(dict(by_ranks(of[1]))), of[0]), default=((None, None), ()))
    columns, variants = [ranks for ranks, _ in by_ranks(rows)], by_variant(rows)
    if len(columns) < 2:
        return None
    cells = []
    for y, mine in enumerate(variants.values()):
        for ranks, row in by_ranks(mine):
            rate = row.gflops(whole(row))
            cells.append([columns.index(ranks), y, rate, digits(rate) + "~" * disturbed(row)])
    ticks = ",".join(f'"{ranks} × {total // ranks}" {x}' for x, ranks in enumerate(columns))
    return Chart(f"ranks_heat_{type}", "ranks_heat", f"{TEXTS['ranks_heat'][0]}: {total} together, {type}, n = {n}",
                 TEXTS["ranks_heat"][1], {"GFLOP/s": cells},
                 {"ticks": ticks, "left": -0.5, "right": len(columns) - 0.5, "names": ",".join(
                     f'"{name}" {y}' for y, name in enumerate(variants)), "bars": len(variants)}, "06_mpi",
                 columns="column, row, GFLOP/s, label")

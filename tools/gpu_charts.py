"""The charts of what ran on a GPU alone: block shapes, and where a product's time goes."""
import math

from drawing import TEXTS, bar_chart, phase_bars
from measured import best, common_size
from scaling import short

PHASES = {"alloc": "allocation", "copy_in": "copy in", "product": "kernel", "copy_out": "copy out"}


def area(shape):
    """A block's threads, then its sides: 16x16 comes before 32x8."""
    sides = [int(side) for side in shape.split("x") if side.isdigit()]
    return math.prod(sides), sides


def block_chart(results, type):
    """What ran with several block shapes, at the size with most of them."""
    rows = [row for row in results.on_gpu if row.type == type and row.cells["block"]]
    shapes = {n: {row.cells["block"] for row in rows if row.n == n} for n in {row.n for row in rows}}
    n = max(shapes, key=lambda n: (len(shapes[n]), n), default=None)
    if len(shapes.get(n, ())) < 2:
        return None
    kinds = dict.fromkeys((row.step, row.variant) for row in rows if row.n == n)
    groups = {shape.replace("x", "×"): {f"{short(step)}: {variant}": best(
        [row for row in rows if row.cells["block"] == shape], n=n, step=step, variant=variant)
        for step, variant in kinds} for shape in sorted(shapes[n], key=area)}
    return bar_chart("blocks", type, groups, f"{TEXTS['blocks'][0]}, {type}, n = {n}", "gpu")


def phase_rows(results, type):
    """Of each variant whose phases were timed, the fastest row at the largest size that most have; less what would
    make all other bars dots."""
    rows = [row for row in results.on_gpu if row.type == type and any(row.phases.values())]
    n = common_size(rows)
    fastest = [best(rows, n=n, step=step, variant=variant)
               for step, variant in dict.fromkeys((row.step, row.variant) for row in rows if row.n == n)]
    return [row for row in fastest if row.median < 50 * min(other.median for other in fastest)]


def phase_chart(results, type):
    """A bar a variant, of allocation, copies and kernel end to end; over it the same in numbers."""
    rows = phase_rows(results, type)
    if not rows:
        return None
    return phase_bars("phases", f"{TEXTS['phases'][0]}, {type}, n = {rows[0].n}", type, rows, PHASES, "gpu")

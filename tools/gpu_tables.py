"""What ran on a GPU, in tables: ours, and ours beside what others published. A table is (title, headings, rows, note)."""
import math

from measured import digits, seconds, short, times
from scaling import printed

CORES_ARE = ("Speedup / CUDA cores is what Genova 2024 printed as efficiency. It is an efficiency of nothing: the speedup "
             "is over one core of a processor, and a CUDA core is no such core. What part of the GPU works, the share of "
             "its peak says.")
# By file: whose, its experiments, and of each of its variants ours: the step's number and the variant (empty: the best).
SOURCES = {
    "genova_2024": ("Genova 2024: NVIDIA T400", ("cuda_no_tiling", "cuda_shared"), {
        "global": ("07", "coalesced"), "pitched": ("07", "coalesced_pitched"), "unified": ("07", "coalesced_unified"),
        "shared_global": ("08", "shared"), "shared_unified": ("08", "shared_unified")}),
    "csc4005_2023": ("CSC4005 2023: a university cluster", ("overall", "merged_threads"), {
        "cuda_global": ("07", "coalesced"), "cuda_shared": ("08", "shared"), "cuda_shared+merge": ("09", ""),
        "merge2": ("09", ""), "merge4": ("09", ""), "merge8": ("09", ""), "merge32": ("09", "")}),
    "coalescing": ("a note on memory coalescing (its rates; the times it printed cannot be the kernels')", ("gflops",), {
        "device_global": ("07", "uncoalesced"), "device_shared": ("08", "shared")}),
    "nsight_shared": ("a report on shared memory in Nsight (unified memory)", ("global_vs_shared",), {
        "global": ("07", "coalesced_unified"), "shared": ("08", "shared_unified")})}
# By file and what it printed: the two of ours whose rates it compares.
RATIOS = {("scpa_2024", "kernel1/kernel0"): (("07", "coalesced"), ("07", "uncoalesced")),
          ("scpa_2024", "kernel3/kernel1"): (("09", ""), ("07", "coalesced")),
          ("nsight_shared", "global/shared"): (("08", "shared_unified"), ("07", "coalesced_unified"))}
HEADINGS = ["time", "GFLOP/s", "speedup", "speedup / cores"]
NEAREST = "Where we have not measured their size, ours is the nearest one: there rates compare, times do not."


def per_core(factor, cores):
    return f"{factor / cores:.3g}" if factor and cores else "–"


def figures(results, row):
    """Of one of our rows what the reports printed of theirs, as text."""
    factor = results.speedup(row)
    return [row.time(), digits(row.rate), times(factor), per_core(factor, results.gpu.most("cores"))]


def ours(results):
    """Each variant's fastest row at the largest size with a baseline, and at the largest that most variants have."""
    for type in results.types:
        based = [n for n in results.values("n", "gpu", type=type) if (type, f"{n}×{n}×{n}") in results.baselines]
        for n in dict.fromkeys([*based[-1:], results.common_size("gpu", type=type)]):
            cells = [[row.step, row.label(), *figures(results, row), results.share(row)]
                     for row in results.least("step, variant", "gpu", type=type, n=n)]
            if cells:
                yield (f"{type}, n = {n}", ["program", "variant", "kernel's time", "GFLOP/s", "speedup over 01 ijk", "speedup / CUDA cores",
                                            "% of peak"], cells, CORES_ARE)


def alike(results, which):
    """Our rows on the GPU of a step's number and a variant, or of all its variants."""
    return [row for row in results.select("gpu") if short(row.step) == which[0] and which[1] in ("", row.variant)]


def away(type, n):
    """How far a row is from this type and size: another type is farther than any size. Of like rows the fastest."""
    return lambda row: (row.type != type, abs(math.log(row.n / n)), row.median_s)


def size(row, type):
    return f"{row.n}" + f", {row.type}" * (row.type != type)


def theirs(lines, variant, n):
    """The printed figures of a variant at a size."""
    of = {line["metric"]: float(line["value"]) * {"ms": 1e-3}.get(line["unit"], 1)
          for line in lines if (line["variant"], line["n"]) == (variant, n)}
    time, percent = of.get("time"), of.get("speedup-100%")
    rate = of.get("rate") or time and 2e-9 * float(n) ** 3 / time
    return [seconds(time), digits(rate), times(of.get("speedup") or percent and 1 + percent / 100), per_core(of.get("efficiency"), 1)]


def beside(results):
    """A table for each report: what it printed, and ours."""
    for name, (whose, experiments, same) in SOURCES.items():
        lines = [line for line in printed(name, experiments) if line["variant"] in same]
        type, cells = lines[0]["type"].replace("int", "i").replace("float", "f"), []
        for variant, n in dict.fromkeys((line["variant"], line["n"]) for line in lines):
            row = min(alike(results, same[variant]), key=away(type, int(n)), default=None)
            mine = [f"{short(row.step)} {row.variant}", size(row, type), *figures(results, row)] if row else ["not measured here", *["–"] * 5]
            cells.append([variant, n, *theirs(lines, variant, n), *mine])
        headings = ["published", "n", *HEADINGS, "ours", "n", *HEADINGS]
        shown = [place for place in range(12) if any(row[place % 6] != "–" for row in cells)]  # what they printed
        yield (f"Beside {whose}, {type}", [headings[place] for place in shown], [[row[place] for place in shown] for row in cells], NEAREST)


def ratios(results):
    """The ratios that others printed, and ours at the nearest size that has both."""
    cells, largest = [], max(results.values("n", "gpu"))
    for (name, variant), pair in RATIOS.items():
        line = next(line for line in printed(name) if line["variant"] == variant)
        fast, slow = (alike(results, which) for which in pair)
        both = {(row.type, row.n) for row in slow}
        row = min((row for row in fast if (row.type, row.n) in both), default=None, key=away("f32", int(line["n"] or largest)))
        mine = ["not measured here", "–", "–"]
        if row:
            other = min((of for of in slow if (of.type, of.n) == (row.type, row.n)), key=lambda of: of.median_s)
            mine = [f"{row.variant} / {other.variant}", size(row, "f32"), times(row.rate / other.rate)]
        cells.append([name, variant, line["n"] or "–", times(float(line["value"])), *mine])
    return "Beside printed ratios, f32", ["report", "published", "n", "ratio", "ours", "n", "ratio"], cells, NEAREST

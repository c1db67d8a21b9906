"""What ran on a GPU, in tables: ours, and ours beside what others published."""
import math

from measured import best, common_size, digits, seconds, times
from scaling import printed, short

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
HEADINGS = [heading for whose in ("published", "ours")
            for heading in (whose, "n", "time", "GFLOP/s", "speedup", "speedup / cores")]
NEAREST = "Where we have not measured their size, ours is the nearest one: there rates compare, times do not."


def sizes(results, type):
    """The largest size with a baseline, and the largest that most variants have."""
    rows = [row for row in results.on_gpu if row.type == type]
    based = max((row.n for row in rows if results.speedup(row)), default=None)
    return list(dict.fromkeys(n for n in (based, common_size(rows)) if n))


def ours(results, type, n):
    """The headings and rows of each variant's fastest row."""
    rows, cores = [row for row in results.on_gpu if (row.type, row.n) == (type, n)], results.gpu.most("cores")
    cells = []
    for step, variant in dict.fromkeys((row.step, row.variant) for row in rows):
        row = best(rows, step=step, variant=variant)
        factor = results.speedup(row)
        cells.append([row.step, row.label(), row.time(), digits(row.gflops()), times(factor),
                      per_core(factor, cores), results.share(row)])
    return ["program", "variant", "kernel's time", "GFLOP/s", "speedup over 01 ijk", "speedup / CUDA cores",
            "% of peak"], cells


def per_core(factor, cores):
    return f"{factor / cores:.3g}" if factor and cores else "–"


def alike(results, which):
    """Our rows on the GPU of a step's number and a variant, or of all its variants."""
    step, variant = which
    return [row for row in results.on_gpu if short(row.step) == step and variant in ("", row.variant)]


def away(type, n):
    """How far a row is from this type and size: another type is farther than any size. Of like rows the fastest."""
    return lambda row: (row.type != type, abs(math.log(row.n / n)), row.median)


def figures(lines, variant, n):
    """The printed figures of a variant at a size: seconds, GFLOP/s, speedup, speedup / cores; None where not printed."""
    of = {line["metric"]: float(line["value"]) * {"ms": 1e-3}.get(line["unit"], 1)
          for line in lines if (line["variant"], line["n"]) == (variant, n)}
    time = of.get("time")
    percent = of.get("speedup-100%")
    return (time, of.get("rate") or time and 2e-9 * float(n) ** 3 / time,
            of.get("speedup") or percent and 1 + percent / 100, of.get("efficiency"))


def beside_it(results, row, type):
    """Our row's cells, which say its type where it is another."""
    factor = results.speedup(row)
    return [f"{short(row.step)} {row.variant}", f"{row.n}" + f", {row.type}" * (row.type != type), row.time(),
            digits(row.gflops()), times(factor), per_core(factor, results.gpu.most("cores"))]


def beside(results):
    """A table for each report: its title, headings, rows and note."""
    for name, (whose, experiments, same) in SOURCES.items():
        lines = [line for line in printed(name, experiments) if line["variant"] in same]
        [type] = {line["type"].replace("int", "i").replace("float", "f") for line in lines}
        cells = []
        for variant, n in dict.fromkeys((line["variant"], line["n"]) for line in lines):
            row = min(alike(results, same[variant]), key=away(type, int(n)), default=None)
            time, rate, factor, efficiency = figures(lines, variant, n)
            cells.append([variant, n, seconds(time), digits(rate), times(factor), per_core(efficiency, 1),
                          *(beside_it(results, row, type) if row else ["not measured here", *["–"] * 5])])
        shown = [place for place in range(len(HEADINGS)) if any(row[place % 6] != "–" for row in cells)]  # what they printed
        yield (f"Beside {whose}, {type}", [HEADINGS[place] for place in shown],
               [[row[place] for place in shown] for row in cells], NEAREST)


def ratios(results):
    """The headings and rows of the ratios that others printed, and ours at the nearest size that has both."""
    cells, largest = [], max(row.n for row in results.on_gpu)
    for (name, variant), pair in RATIOS.items():
        line = next(line for line in printed(name) if line["variant"] == variant)
        fast, slow = (alike(results, which) for which in pair)
        both = {(row.type, row.n) for row in fast} & {(row.type, row.n) for row in slow}
        row = min((row for row in fast if (row.type, row.n) in both), default=None,
                  key=away("f32", int(line["n"] or largest)))
        cells.append([name, variant, line["n"] or "–", times(float(line["value"])), "not measured here", "–", "–"])
        if row:
            other = best(slow, type=row.type, n=row.n)
            cells[-1][4:] = [f"{row.variant} / {other.variant}", f"{row.n}" + f", {row.type}" * (row.type != "f32"),
                             times(row.gflops() / other.gflops())]
    return ["report", "published", "n", "ratio", "ours", "n", "ratio"], cells

"""What reports printed, a figure a row, and ours beside it. plots/published/ours.csv says which of
ours does the same: a step and its variants, the most alike first; none is the step's best; A/B
is a ratio of two."""
import math
from pathlib import Path

from measured import BASELINE, digits, lines_of, marked, percent, times

PUBLISHED = Path(__file__).resolve().parents[2] / "plots/published"
REPORTS = {
    "genova_2024": "Genova 2024 (i9-12900K: 8 fast cores, 8 slow ones, 24 threads; NVIDIA T400)",
    "csc4005_2023": "CSC4005 2023 (a university cluster)",
    "nsight_shared": "a report on shared memory in Nsight (unified memory)",
    "coalescing": "a note on memory coalescing (its rates; its times cannot be the kernels')",
    "scpa_2024": "SCPA 2024 (its ratios)",
}
WRITTEN = {"GFLOP/s": digits, "speedup": times, "efficiency": percent, "ratio": times}
WRITTEN["speedup / cores"] = "{:.3g}".format
ALONE = ("metric", "n", "threads")  # what a time on one thread has in common with another
NEAREST = (
    "Ours is of their size, or of the nearest that we have measured. Other machines: what compares "
    "is how the figures fall or grow."
)


def theirs(line, lines):
    """What a printed line says that can be set beside ours: (what, the figure), or None."""
    metric, value = line["metric"], float(line["value"])
    if metric == "time" and line["threads"]:  # as many times as fast as on one thread
        like = line | {"threads": "1"}
        same = [of for of in lines if all(of[name] == like[name] for name in ALONE)]
        return "speedup", float(same[0]["value"]) / value
    if metric == "time":
        seconds = value * (1e-3 if line["unit"] == "ms" else 1)
        return "GFLOP/s", 2e-9 * int(line["n"]) ** 3 / seconds
    return {
        "rate": ("GFLOP/s", value),
        "speedup": ("speedup", value),
        "speedup-100%": ("speedup", 1 + value / 100),
        "efficiency": ("efficiency" if line["threads"] else "speedup / cores", value),
        "gflops_ratio": ("ratio", value),
        "time_ratio": ("ratio", value),
    }.get(metric)


def nearest(results, above, below, type, n):
    """The fastest rows like `above` and like `below`, of the same type and size, the nearest to
    these there is; or None. Another type is farther than any size."""
    ours, others = (
        {
            (row.type, row.n): row
            for row in sorted(results.select(**like), key=lambda row: -row.median_s)
        }
        for like in (above, below)
    )
    far = lambda at: (at[0] != type, abs(math.log(at[1] / n)), at)
    at = min(ours.keys() & others.keys(), default=None, key=far)
    return at and (ours[at], others[at])


def ours(results, same, line, what, type):
    """The rows that are set beside a printed line, ours and what it is a multiple of."""
    gpu, found = not line["threads"], []
    n = int(line["n"] or max((row.n for row in results.select(gpu=True)), default=1))
    for variant in same["ours"].split("|"):
        named = zip(same["step"].split("/"), variant.split("/"))
        like = [dict(zip(("number", "variant"), filter(None, of)), gpu=gpu) for of in named]
        if not gpu:
            like[0]["threads"] = int(line["threads"])
        if len(like) == 1 and what == "GFLOP/s":
            like.append(like[0])
        elif len(like) == 1:
            baseline = dict(zip(("step", "variant"), BASELINE))
            like.append(baseline if gpu else like[0] | {"threads": 1})
        found += filter(None, [nearest(results, *like, type, n)])
    return min(found, default=None, key=lambda pair: pair[0].type != type)


def row_of(results, same, line, what, value):
    """The cells of a printed line and of ours."""
    type = line["type"].replace("int", "i").replace("float", "f") or "f32"
    cells, pair = ["not measured here", "–", "–"], ours(results, same, line, what, type)
    if pair:
        row, base = pair
        mine = row.rate / (1 if what == "GFLOP/s" else base.rate)
        over = {"efficiency": row.threads, "speedup / cores": results.gpu.most("cores") or math.nan}
        who = row.label() + f" / {base.variant}" * (what == "ratio")
        size = f"{row.n}" + f", {row.type}" * (row.type != type)
        cells = [who, size, marked(WRITTEN[what](mine / over.get(what, 1)), row, base)]
    return [same["variant"], line["n"] or "–", line["threads"], what, WRITTEN[what](value), *cells]


def rows_of(results, same, printed):
    """A row for each line that was printed of the same; of the threads at each n at the largest."""
    what = ("experiment", "variant")
    lines = [line for line in printed if all(line[name] == same[name] for name in what)]
    most = max((int(line["n"]) for line in lines if line["threads"]), default=0)
    for line in lines:
        smaller = line["threads"] and int(line["n"]) < most
        if not smaller and (says := theirs(line, lines)):
            yield row_of(results, same, line, *says)


def table(results):
    """(a note, no charts, headings, rows) of what reports printed and we have measured, too."""
    headings = ["report", "published", "n", "threads", "what", "theirs", "ours", "n", "ours"]
    every, rows = lines_of(PUBLISHED / "ours.csv"), []
    for report, whose in REPORTS.items():
        printed = lines_of(PUBLISHED / f"{report}.csv")
        own = [same for same in every if same["report"] == report]
        found = [row for same in own for row in rows_of(results, same, printed)]
        rows += [[whose, *row] for row in found if row[-1] != "–"]
    return NEAREST, (), headings, rows

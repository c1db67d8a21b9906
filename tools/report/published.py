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
    "is how the figures fall or grow. Speedup / cores is what Genova 2024 printed as efficiency: "
    "over one core of a processor, by CUDA cores, which are no such cores."
)
HEADINGS = ["report", "published", "n", "threads", "what", "theirs", "ours", "n", "ours"]


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


def nearest(results, likes, type, n):
    """The fastest rows like each of these, of the same type and size, the nearest to these there
    is; or None. Another type is farther than any size."""
    slowest = lambda row: -row.median_s
    rows = [sorted(results.select(**like), key=slowest) for like in likes]
    ours, others = ({(row.type, row.n): row for row in of} for of in rows)
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
        found += filter(None, [nearest(results, like, type, n)])
    return min(found, default=None, key=lambda pair: pair[0].type != type)


def rows_of(results, same, lines):
    """The cells of each printed line of the same, and of ours where that was measured; of the
    threads at each n at the largest."""
    most = max((int(line["n"]) for line in lines if line["threads"]), default=0)
    for line in lines:
        type = line["type"].replace("int", "i").replace("float", "f") or "f32"
        what, value = theirs(line, lines) or ("", 0)
        if not what or (line["threads"] and int(line["n"]) < most):
            continue
        if pair := ours(results, same, line, what, type):
            row, base = pair
            mine = row.rate / (1 if what == "GFLOP/s" else base.rate)
            cores = results.gpu.most("cores") or math.nan
            mine /= {"efficiency": row.threads, "speedup / cores": cores}.get(what, 1)
            who = row.label() + f" / {base.variant}" * (what == "ratio")
            size, written = f"{row.n}" + f", {row.type}" * (row.type != type), WRITTEN[what]
            cells = [same["variant"], line["n"] or "–", line["threads"], what, written(value)]
            said = "–" if math.isnan(mine) else written(mine)  # a GPU whose cores are unknown
            yield [*cells, who, size, marked(said, row, base)]


def table(results):
    """(a note, no charts, headings, rows) of what reports printed and we have measured, too."""
    rows = []
    for same in lines_of(PUBLISHED / "ours.csv"):
        printed = lines_of(PUBLISHED / f"{same['report']}.csv")
        for name in ("experiment", "variant"):
            printed = [line for line in printed if line[name] == same[name]]
        rows += [[REPORTS[same["report"]], *row] for row in rows_of(results, same, printed)]
    return "Beside published figures", [NEAREST], (), HEADINGS, rows

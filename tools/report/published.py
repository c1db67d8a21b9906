"""What reports printed, a figure a row, and ours beside it. plots/published/ours.csv says which of ours does the same: a step
and its variants, the most alike first; none is the step's best; A/B is a ratio of two."""
import math
from pathlib import Path

from measured import BASELINE, digits, lines_of, marked, percent, short, times

PUBLISHED = Path(__file__).resolve().parents[2] / "plots/published"
REPORTS = {
    "genova_2024": "Genova 2024 (i9-12900K: 8 fast cores, 8 slow ones, 24 hardware threads; NVIDIA T400)",
    "csc4005_2023": "CSC4005 2023 (a university cluster)",
    "nsight_shared": "a report on shared memory in Nsight (unified memory)",
    "coalescing": "a note on memory coalescing (its rates; the times it printed cannot be the kernels')",
    "scpa_2024": "SCPA 2024 (its ratios)",
}
WRITTEN = {
    "GFLOP/s": digits,
    "speedup": times,
    "efficiency": percent,
    "speedup / cores": "{:.3g}".format,
    "ratio": times,
}
NEAREST = "Ours is of their size, or of the nearest that we have measured. Other machines: what compares is how the figures fall or grow."


def theirs(line, lines):
    """What a printed line says that can be set beside ours: (what, the figure), or None."""
    metric, value = line["metric"], float(line["value"])
    if metric == "time" and line["threads"]:  # as many times as fast as on one thread
        alone = next(
            other
            for other in lines
            if (other["metric"], other["n"], other["threads"]) == ("time", line["n"], "1")
        )
        return "speedup", float(alone["value"]) / value
    if metric == "time":
        return "GFLOP/s", 2e-9 * int(line["n"]) ** 3 / (
            value * (1e-3 if line["unit"] == "ms" else 1)
        )
    return {
        "rate": ("GFLOP/s", value),
        "speedup": ("speedup", value),
        "speedup-100%": ("speedup", 1 + value / 100),
        "efficiency": ("efficiency" if line["threads"] else "speedup / cores", value),
        "gflops_ratio": ("ratio", value),
        "time_ratio": ("ratio", value),
    }.get(metric)


def nearest(results, above, below, type, n):
    """The fastest row like `above` and the fastest like `below`, of the same type and size, the nearest to these there is; or None.
    Another type is farther than any size."""
    ours, others = (
        {(row.type, row.n): row for row in results.least("type, n", **like)}
        for like in (above, below)
    )
    at = min(
        ours.keys() & others.keys(),
        default=None,
        key=lambda at: (at[0] != type, abs(math.log(at[1] / n)), at),
    )
    return at and (ours[at], others[at])


def ours(results, same, line, what, type):
    """The rows that are set beside a printed line, ours and what it is a multiple of."""
    gpu, found = not line["threads"], []
    n = int(line["n"] or max(results.values("n", "gpu")))
    for variant in same["ours"].split("|"):
        first, *second = [
            {"gpu": gpu, "number": step} | ({"variant": name} if name else {})
            for step, name in zip(same["step"].split("/"), variant.split("/"))
        ]
        first |= {} if gpu else {"threads": int(line["threads"])}
        base = (
            second[0]
            if second
            else first
            if what == "GFLOP/s"
            else first | {"threads": 1}
            if not gpu
            else dict(zip(("step", "variant"), BASELINE))
        )
        found += filter(None, [nearest(results, first, base, type, n)])
    return min(found, default=None, key=lambda pair: pair[0].type != type)


def tables(results, on_gpu):
    """(title, headings, rows, note) for each report that printed what we have on a GPU, or on threads."""
    for report, whose in REPORTS.items():
        rows, printed = [], lines_of(PUBLISHED / f"{report}.csv")
        for same in (same for same in lines_of(PUBLISHED / "ours.csv") if same["report"] == report):
            lines = [
                line
                for line in printed
                if (line["experiment"], line["variant"]) == (same["experiment"], same["variant"])
            ]
            most = max(
                (int(line["n"]) for line in lines if line["threads"]), default=0
            )  # of the threads at each n the largest
            for line in lines:
                if (
                    on_gpu == bool(line["threads"])
                    or line["threads"]
                    and int(line["n"]) < most
                    or not (says := theirs(line, lines))
                ):
                    continue
                what, value = says
                type = line["type"].replace("int", "i").replace("float", "f") or "f32"
                cells, pair = ["not measured here", "–", "–"], ours(results, same, line, what, type)
                if pair:
                    row, base = pair
                    mine = row.rate / (1 if what == "GFLOP/s" else base.rate)
                    mine /= {
                        "efficiency": row.threads,
                        "speedup / cores": results.gpu.most("cores") or math.nan,
                    }.get(what, 1)
                    cells = [
                        f"{short(row.step)} {row.variant}"
                        + f" / {base.variant}" * (what == "ratio"),
                        f"{row.n}" + f", {row.type}" * (row.type != type),
                        marked(WRITTEN[what](mine), row, base),
                    ]
                rows.append(
                    [
                        same["variant"],
                        line["n"] or "–",
                        *[line["threads"]] * (not on_gpu),
                        what,
                        WRITTEN[what](value),
                        *cells,
                    ]
                )
        if rows:
            yield f"Beside {whose}", [
                "published",
                "n",
                *["threads"] * (not on_gpu),
                "what",
                "theirs",
                "ours",
                "n",
                "ours",
            ], rows, NEAREST

"""What reports printed, a figure a row, and ours beside it. plots/published/ours.csv says which of
ours does the same: a step and its variants, the most alike first; none is the step's best."""

import math

from charts import efficiency, times_of_one
from drawing import PLOTS
from measured import digits, lines_of, marked, percent, times

WORKERS = {"threads": "threads", "processes": "ranks"}  # in their files, and in ours


def workers(line):
    """(threads or processes, how many) that a printed line was measured on; of a GPU's ("", 0)."""
    return next(((of, int(line[of])) for of in WORKERS if line[of]), ("", 0))


def theirs(line, lines):
    """What a printed line says that can be set beside ours: (what, the figure), or ("", 0)."""
    metric, value, (by, count) = line["metric"], float(line["value"]), workers(line)
    if metric == "page_faults":
        return "page faults", value
    if metric == "rate":
        return "GFLOP/s", value
    if metric == "time" and by:
        times = [of for of in lines if (of["metric"], of["n"]) == ("time", line["n"])]
        metric, value = "speedup", float(next(of["value"] for of in times if of[by] == "1")) / value
    if metric == "time":
        seconds = value * (1e-3 if line["unit"] == "ms" else 1)
        return "GFLOP/s", 2e-9 * int(line["n"]) ** 3 / seconds
    if metric == "efficiency" and not by:
        return "speedup / cores", value
    value = 1 + value / 100 if metric == "speedup-100%" else value
    return ("speedup", value) if metric.startswith("speedup") and count != 1 else ("", 0)


def ours(results, same, line, what, type):
    """The rows that are set beside a printed line, ours and what it is a multiple of, or None: of
    the same type, of the variant most alike, of the nearest size, the fastest there is."""
    (by, count), pairs = workers(line), []
    n = int(line["n"] or max((row.n for row in results.select(gpu=True)), default=1))
    on = {"threads": 1, "ranks": 1} if by else {"gpu": True}
    many = on | ({WORKERS[by]: count} if by else {})
    # None are counted where a row had the memory that one before gave back.
    counted = (lambda row: row.page_faults) if what == "page faults" else None
    for order, variant in enumerate(same["ours"].split("|")):
        like = dict(zip(("number", "variant"), filter(None, (same["step"], variant))))
        for row in results.select(counted, **like, **many):
            one = like | on if by else {"baseline": True}
            bases = (
                results.select(**one, type=row.type, n=row.n)
                if what.startswith("speedup")
                else [row]
            )
            far = (row.type != type, order, abs(math.log(row.n / n)), row.type, row.n)
            pairs += [((*far, row.median_s, base.median_s), row, base) for base in bases]
    return min(pairs, key=lambda pair: pair[0], default=(None,))[1:]


def figure(results, row, base, what):
    """Ours in words: a multiple of one thread's in turns, of one rank's by the times and their
    spreads, else of the baseline's."""
    if what == "page faults":
        return f"{row.page_faults:.0f}, {row.context_switches or 0:.0f} switches"
    if what == "GFLOP/s":
        return digits(row.rate)
    by, of = "ranks" if row.ranks > 1 else "threads", {1: base, row.workers: row}
    spread = results.speedup(row) if base.baseline else times_of_one(of, row.workers, by)
    cores = results.gpu.most("cores") if what == "speedup / cores" else 1  # of some unknown
    if not (spread and cores):
        return "–"
    written = times if what == "speedup" else "{:.3g}".format
    middle, low, high = (written(at / cores) for at in spread)
    share = "" if base.baseline else f", {efficiency(of, row.workers, by)}"
    return middle + f" ({low} to {high})" * (low != high) + share


def table(results):
    """The rows of what reports printed and we have measured; of the threads at each n at the
    largest."""
    rows = []
    for same in lines_of(PLOTS / "published/ours.csv"):
        lines = lines_of(PLOTS / f"published/{same['report']}.csv")
        lines = [of for of in lines if all(of[at] == same[at] for at in ("experiment", "variant"))]
        most = max((int(line["n"]) for line in lines if workers(line)[0]), default=0)
        for line in lines:
            type = line["type"].replace("int", "i").replace("float", "f") or "f32"
            (what, value), (by, count) = theirs(line, lines), workers(line)
            found = what and not (by and int(line["n"]) < most)
            if not (found := found and ours(results, same, line, what, type)):
                continue
            row, base = found
            report = same["report"].replace("_", " ").title().replace("Csc", "CSC")
            on = f"{by} {count}" if by else "a GPU"
            cells = [report, same["variant"], line["n"] or "–", on]
            forms = {
                "speedup": times,
                "speedup / cores": "{:.3g}".format,
                "page faults": "{:.0f}".format,
            }
            written = forms.get(what, digits)(value)
            written += f", {percent(value / count)}" if by and what == "speedup" else ""
            cells += [what, written, row.label(), f"{row.n}" + f", {row.type}" * (row.type != type)]
            said = figure(results, row, base, what)
            rows.append([*cells, said if said == "–" else marked(said, row, base)])
    return rows

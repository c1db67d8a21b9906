"""What reports printed, a figure a row, and ours beside it. plots/published/ours.csv says which of
ours does the same: a step and its variant; none is the step's best."""

import itertools, math

from charts import efficiency, times_of_one
from drawing import PLOTS
from measured import digits, lines_of, marked, percent, times

WORKERS = {"threads": "threads", "processes": "ranks"}  # in their files, and in ours
FORMS = {  # what can be set beside ours, and how it is written
    "speedup": times,
    "speedup / cores": "{:.3g}".format,
    "page faults": "{:.0f}".format,
    "GFLOP/s": digits,
}


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


def figure(results, row, what, by):
    """Ours in words, None of what we do not know: a multiple of one thread's in turns, of one rank's
    by the times and their spreads, on a GPU of the baseline's."""
    form, of = FORMS[what], {name: getattr(row, name) for name in ("step", "variant", "type", "n")}
    if what == "page faults":  # none where it had the memory that a row before gave back
        switches = f", {row.context_switches or 0:.0f} switches"
        return row.page_faults and form(row.page_faults) + switches
    if what == "GFLOP/s":
        return form(row.rate)
    one = min(results.select(**of, threads=1, ranks=1), key=lambda row: row.median_s, default=None)
    of = {1: one, row.workers: row} if by else {}
    spread = one and times_of_one(of, row.workers, by) if by else results.speedup(row)
    cores = results.gpu.most("cores") if what == "speedup / cores" else 1  # of some unknown
    if not (spread and cores):
        return None
    middle, low, high = (form(at / cores) for at in spread)
    share = f", {efficiency(of, row.workers, by)}" if by else ""
    return middle + f" ({low} to {high})" * (low != high) + share


def table(results):
    """The rows of what reports printed and we have measured, ours of the same type if possible, and
    of the nearest size; of the threads at each n at the largest."""
    rows = []
    for same in lines_of(PLOTS / "published/ours.csv"):
        lines = lines_of(PLOTS / f"published/{same['report']}.csv")
        lines = [of for of in lines if all(of[at] == same[at] for at in ("experiment", "variant"))]
        most = max((int(line["n"]) for line in lines if workers(line)[0]), default=0)
        like = dict(zip(("number", "variant"), filter(None, (same["step"], same["ours"]))))
        for line in lines:
            type = line["type"].replace("int", "i").replace("float", "f") or "f32"
            (what, value), (by, count) = theirs(line, lines), workers(line)
            if not what or by and int(line["n"]) < most:
                continue
            on = {"threads": 1, "ranks": 1, WORKERS[by]: count} if by else {"gpu": True}
            n = int(line["n"] or 10**6)
            far = lambda row: (row.type != type, abs(math.log(row.n / n)), row.median_s)
            ours = sorted(results.select(**like, **on), key=far)
            ours = ((row, said) for row in ours if (said := figure(results, row, what, by)))
            for row, said in itertools.islice(ours, 1):
                report = same["report"].replace("_", " ").title().replace("Csc", "CSC")
                cells = [
                    report,
                    same["variant"],
                    line["n"] or "–",
                    f"{by} {count}" if by else "a GPU",
                ]
                share = f", {percent(value / count)}" if by and what == "speedup" else ""
                cells += [what, FORMS[what](value) + share, row.label()]
                cells += [f"{row.n}" + f", {row.type}" * (row.type != type), marked(said, row)]
                rows.append(cells)
    return rows

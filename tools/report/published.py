"""What reports printed, and ours beside it. plots/published/ours.csv has their figures, and which
of ours does the same: a step and its variant; none is the step's best."""

import itertools, math

from charts import efficiency
from drawing import PLOTS
from measured import digits, lines_of, marked, percent

FORMS = {  # what is compared, and how it is written
    "speedup": lambda factor: digits(factor) + "×",
    "speedup / cores": "{:.3g}".format,
    "page faults": "{:.0f}".format,
    "GFLOP/s": digits,
}


def figure(results, row, what, by):
    """Ours in words, None of what we do not know: a multiple of one thread's in turns, of one
    rank's by the times and their spreads, on a GPU of the baseline's."""
    form, of = FORMS[what], {name: getattr(row, name) for name in ("step", "variant", "type", "n")}
    if what == "page faults":  # none where it had the memory that a row before gave back
        switches = f", {row.context_switches or 0:.0f} switches"
        return row.page_faults and form(row.page_faults) + switches
    if what == "GFLOP/s":
        return form(row.rate)
    one = min(results.select(**of, threads=1, ranks=1), key=lambda row: row.median_s, default=None)
    of = {1: one, row.workers: row} if by else {}
    spread = one and row.times_of(one) if by else results.speedup(row)
    cores = results.gpu.most("cores") if what == "speedup / cores" else 1  # of some unknown
    if not (spread and cores):
        return None
    middle, low, high = (form(at / cores) for at in spread)
    share = f", {efficiency(of, row.workers)}" if by else ""
    return middle + f" ({low} to {high})" * (low != high) + share


def table(results):
    """The cells of what reports printed and we have measured, ours of the same type if possible,
    and of the nearest size."""
    rows = []
    for line in lines_of(PLOTS / "published/ours.csv"):
        n, type, what, value = int(line["n"]), line["type"], line["what"], float(line["theirs"])
        by = "threads" if line["threads"] else "ranks" if line["ranks"] else ""
        on = {"threads": 1, "ranks": 1, by: int(line[by])} if by else {"gpu": True}
        like = dict(zip(("number", "variant"), filter(None, (line["step"], line["ours"]))))
        far = lambda row: (row.type != type, abs(math.log(row.n / n)), row.median_s)
        ours = sorted(results.select(**like, **on), key=far)
        ours = ((row, said) for row in ours if (said := figure(results, row, what, by)))
        for row, said in itertools.islice(ours, 1):
            cells = [line["report"], line["published"], n, f"{by} {line[by]}" if by else "a GPU"]
            share = f", {percent(value / on[by])}" if by and what == "speedup" else ""
            cells += [what, FORMS[what](value) + share, row.label()]
            rows.append(
                [*cells, f"{row.n}" + f", {row.type}" * (row.type != type), marked(said, row)]
            )
    return rows

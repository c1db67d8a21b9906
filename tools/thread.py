#!/usr/bin/env python3
"""Draws each lesson's thread, NN_step/pictures/thread.svg: the rungs of thread.csv up to this lesson's as bars, its own marked.

100 % is the peak of all cores, on a GPU cuBLAS, of 11's BF16 as rivals.csv has it. A line of thread.csv is a lesson, an SQL condition that chooses rows of results.csv
(of machine.csv in lesson 00), of which the fastest counts, and the idea in a few words. Lines stand as the bars do."""
import shutil, sys, tempfile
from pathlib import Path

from charts import Chart, draw_one
from measured import Refusal, digits, lines_of, load, marked, table_of

ROOT = Path(__file__).resolve().parent.parent
LADDERS = (("epyc-zen5", "f32", 2000, "01 02 03 04 05 06"), ("h100", "f32", 4096, "07 08 10 09"),
           ("h100", "bf16", 4096, "11"))  # machine, type, n; the lessons in the order they are read in


def rate_of(results, type, n, line):
    """(GFLOP/s, the marks, the cores; 0 on a GPU) of a line. One that chooses nothing is misspelt."""
    if line["lesson"] == "00":
        if fact := results.machine.best(line["where"], least="-value", type=type):
            return fact.value, "", fact.threads
    elif row := results.best(line["where"], type=type, n=n):
        return row.rate, marked("", row), 0 if row.gpu else row.workers
    raise Refusal(f"thread.csv: no row for {line['where']}")


def library_of(results, folder, type, n):
    """(cuBLAS's GFLOP/s, its name); on a processor None. Of BF16 machine.csv has products in BF16, rivals.csv ours."""
    if type == "f32":
        return results.gpu.libraries(type, 0).get("cuBLAS", {}).get(n), "cuBLAS"
    row = table_of(folder / "rivals.csv").best("rival = 'cuBLAS heuristics'", least="-rowid", type=type, m=n, n=n, k=n)
    if not row:
        raise Refusal(f"rivals.csv has no {type} of cuBLAS at n = {n}")
    return row.rival_gflops, "cuBLAS, queued"


def thread(results, type, n, library, lines, lesson):
    """The picture of a lesson, whose own lines and those before it are given."""
    bars = [(*rate_of(results, type, n, line), line) for line in lines]
    gpu = not bars[0][2]
    one, (top, name) = 0, library
    if not gpu:
        one, top = (results.machine.most("peak", type=type, threads=threads) for threads in (1, results.cores))
    scale, full = max(top, *(bar[0] for bar in bars)), f"{name}, {digits(top / 1000)} TFLOP/s" if gpu else f"the peak of both cores, {digits(top)} GFLOP/s"
    texts, drawn, before, y = [[0, f"100 %: {full}" + f" ({type}, n = {n})" * (lesson != "00") + "; bars: single products" * ("queued" in name)]], {}, 0, 1
    for rate, marks, cores, line in bars:
        if cores != before:
            texts.append([y, "both cores" if cores > 1 else f"one core; its peak of {digits(one)} is the dashed line"])
            y, before = y + 1, cores
        share = 100 * rate / top
        drawn[str(y)] = [[y, rate / scale, f"{line['lesson']}  {line['idea']}", f"{share:.{0 if share >= 9.95 else 1}f} %{marks}", int(line["lesson"] == lesson)]]
        y += 1
    strokes = [[top / scale, 1, y, 1]] + [[one / scale, 2, 2 + sum(bar[2] == 1 for bar in bars), 2]] * (not gpu)
    return Chart("thread", "thread", "The thread", "", drawn, {"rows": y}, beside={"texts": texts, "strokes": strokes},
                 columns="y, share, idea, %, whether this lesson's; then y, text; then share, from, to, dashes")


def main():
    lines = lines_of(ROOT / "tools/thread.csv", ["lesson", "where", "idea"])
    for machine, type, n, lessons in LADDERS:
        folder, read = ROOT / "plots/reference" / machine, lessons.split()
        results = load(folder / "results.csv", folder / "machine.csv")[0]
        for lesson in ["00"] * ("01" in read) + read:
            so_far = read[:read.index(lesson) + 1] if lesson in read else [lesson]
            chart = thread(results, type, n, library_of(results, folder, type, n), [line for line in lines if line["lesson"] in so_far], lesson)
            with tempfile.TemporaryDirectory() as scratch:
                draw_one(chart, "", Path(scratch), ["svg"])
                shutil.copy(Path(scratch) / "thread.svg", next(ROOT.glob(f"{lesson}_*/pictures")))


if __name__ == "__main__":
    try:
        main()
    except Refusal as refusal:
        sys.exit(print(f"thread.py: {refusal}", file=sys.stderr) or 2)

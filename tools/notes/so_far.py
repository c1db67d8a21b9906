#!/usr/bin/env python3
"""Draws each lesson's part of the ladder, NN_step/pictures/ladder.svg, from plots/reference."""

import shutil, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools/report"))
from drawing import PLOTS, Chart, draw
from measured import Refusal, Results, digits, gflops, marked, percent

# rows, type, n, and the lessons in the order they are read in; those without rows are left out
LESSONS = (
    ("epyc-zen5/results.csv", "f32", 2000, "01 02 03 04 05 06"),
    ("h100/results.csv", "f32", 4096, "07 08 10 09 13"),
    ("h100/results.csv", "bf16", 4096, "11 12"),
    ("h200/f64_by_integers.csv", "f64", 4096, "14"),
)


def measured_bar(results, type, n, cores, step, variant):
    """(GFLOP/s, its marks) of a lesson's bar. One that names nothing is misspelt."""
    if step in ("chains", "peak"):  # by 00
        fact = dict(zip(("vector", "level"), f"{variant} ".split(" ")), type=type)
        if found := results.machine.most(step, threads=int(cores), **fact):
            return found, ""
    rows = results.select(type=type, n=n, step=step, variant=variant)
    rows = [row for row in rows if (row.workers == int(cores) if cores else row.gpu)]
    if not rows:
        raise Refusal(f"no row for {step} {variant} at n = {n}")
    row = max(rows, key=lambda row: row.whole_rate)
    return row.whole_rate, marked("", row)


def lesson_chart(results, type, n, bars, lesson):
    """The picture of a lesson's bars and those before. 100 %: the peak of both cores; on a GPU
    cuBLAS or, in BF16, whose single products do not compare with a queue of its, tensor cores'."""
    rates = [measured_bar(results, type, n, *bar[1:4]) for bar in bars]
    one, top = (results.machine.most("peak", type=type, threads=cores) for cores in (1, 2))
    full, heads = "the peak of both cores", {"2": "both cores"}
    if not bars[0][1] and type != "bf16":
        top, full = results.libraries(type, True)["cuBLAS", n].rate, "cuBLAS"
    elif not bars[0][1]:
        top = results.gpu.most("peak", type=type, level="wgmma_shared")
        full = "the tensor cores' peak by wgmma"
    else:
        heads["1"] = f"one core; its peak of {digits(one)} is the dashed line"
    scale = max(top, *(rate for rate, _ in rates))
    full = f"100 %: {full}, {gflops(top)}" + f" ({type}, n = {n})" * (lesson != "00")
    lines, before, y, texts, strokes = {}, "", 1, [[0, full]], []
    for (rate, marks), (of, cores, _, _, idea) in zip(rates, bars):
        if cores != before:
            texts.append([y, heads[cores]])
            strokes += [[one / scale, y + 1, y + 1, 2]] * (cores == "1")
            y, before = y + 1, cores
        share = percent(rate / top) + marks
        lines[str(y)] = [[y, rate / scale, f"{of}  {idea}", share, int(of == lesson)]]
        y += 1
        if cores == "1":
            strokes[-1][2] = y
    strokes.append([top / scale, 1, y, 1])
    beside = {"texts": texts, "strokes": strokes}
    return Chart("so_far", "so_far", "The ladder so far", "", lines, {"rows": y}, beside)


def main():
    """Draws the rungs up to each lesson's as bars, its own orange."""
    text = (PLOTS / "so_far.txt").read_text(encoding="utf-8")
    every = [line.split("|") for line in text.split("\n") if line[:1].isdecimal()]
    for rows, type, n, lessons in LESSONS:
        path, read = PLOTS / "reference" / rows, lessons.split()
        results = path.exists() and Results(path, path.parent / "machine.csv")
        for lesson in ["00"] * ("01" in read) + read if results else []:
            so_far = read[: read.index(lesson) + 1] if lesson in read else [lesson]
            bars = [bar for bar in every if bar[0] in so_far]
            with tempfile.TemporaryDirectory() as scratch:
                picture = draw(lesson_chart(results, type, n, bars, lesson), Path(scratch))
                shutil.copy(picture, next(ROOT.glob(f"{lesson}_*/pictures")) / "ladder.svg")


if __name__ == "__main__":
    main()

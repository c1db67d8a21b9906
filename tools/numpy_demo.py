#!/usr/bin/env python3
"""numpy_callers.py's programs on three gemms: numpy_demo.py BUILD [RUNG [CSV]]. The system's BLAS;
05's kernel, by libcourse_blas.so before that (LD_PRELOAD); the learner's, which is RUNG `mine` of
`make try`. The library counts its products: all must have come to it. A CSV gets the rows.

Exit status: 0 the same results each time; 1 not; 2 the command line; 77 no NumPy on the
system's BLAS."""
import csv, os, re, subprocess, sys
from pathlib import Path

TOOLS, GIVEN = Path(__file__).resolve().parent, dict(os.environ)  # which rung.py makes smaller
SHIM = """#define MINE(name, T) extern "C" void name(const course::View<const T>& a, \\
  const course::View<const T>& b, const course::View<T>& c) {{ loop_order::ikj<T>(a, b, c); }}
#include "{}"
MINE(course_mine_f32, float) MINE(course_mine_f64, double)"""


def leave(status, why):
    print(f"numpy_demo: {why}", file=sys.stderr)
    sys.exit(status)


def learners(build):
    """A library with the learner's kernel, or None if there is none yet."""
    sys.path.append(f"{TOOLS}/try")
    from rung import ROOT, STUB, load_rungs, output_of

    rung = load_rungs(build)["mine"]
    if not rung.path.exists() or STUB in rung.text:
        return print(f"{rung.shown} is not written yet: `make try RUNG=mine` begins it")
    rung.overlay()  # 02's gemm.cpp, in which ikj calls the learner's
    source, library = rung.folder / "numpy.cpp", rung.folder / "numpy.so"
    source.write_text(SHIM.format(rung.folder / rung.step / rung.file))
    compiler = re.search(r"CMAKE_CXX_COMPILER:\w+=(.*)", (build / "CMakeCache.txt").read_text())[1]
    flags = "-std=c++20 -O3 -march=native -fopenmp -fPIC -shared -w -I".split()
    done = output_of(compiler, *flags, ROOT, "-o", library, source)
    return leave(1, rung.first_error(done.stderr)) if done.returncode else library


def ran(python, more):
    """The lines of numpy_callers.py, and which BLAS was loaded."""
    words, env = [python, TOOLS / "numpy_callers.py"], GIVEN | more
    done = subprocess.run(words, capture_output=True, text=True, env=env)
    if done.returncode:
        leave(1, (done.stderr.strip() or f"NumPy died: {done.returncode}").splitlines()[-1])
    *lines, blas = done.stdout.splitlines()
    lines = [line.split(",") for line in lines]
    products = 3 * sum(int(line[5]) for line in lines)  # each program runs three times
    if more and f"course_blas: {products} products" not in done.stderr:
        leave(77, f"this NumPy calls a BLAS of its own, not the system's; {done.stderr.strip()}")
    return lines, blas


def main(build, rung="mine", path=os.devnull):
    if rung != "mine":
        leave(2, f"RUNG={rung}: only mine can multiply here")
    pythons = filter(os.path.exists, ("/usr/bin/python3", sys.executable))
    asked = ([python, "-c", "import numpy"] for python in pythons)
    python = next((words[0] for words in asked if subprocess.call(words, stderr=-3) == 0), None)
    python or leave(77, "there is no NumPy here: sh setup.sh test installs python3-numpy")
    library, mine = build / "05_avx2/libcourse_blas.so", learners(build)
    counts = {"LD_PRELOAD": f"{library}", "COURSE_BLAS_COUNT": "1"}
    runs = {"the system's": {}, "the course's": counts}
    if mine:
        runs["yours"] = counts | {"LD_PRELOAD": f"{mine} {library}", "COURSE_RUNG": "mine"}
    rows, results = [], {}
    for gemm, more in runs.items():
        lines, blas = ran(python, more)
        for program, words, result, whole, in_gemm, products, flops in lines:
            wrong, rate = re.match(r"\d*", words)[0], float(flops) / float(in_gemm) / 1e9
            who = program, gemm if more else blas
            rows.append([*who, words, wrong, whole, in_gemm, f"{rate:.1f}", products, flops])
            results.setdefault(program, []).append(float(result))
    header = "program gemm result wrong whole_s in_gemm_s gflops products flops".split()
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
    table = "{:<11} {:<13} {:<24} {:>8} {:>8} {:>8} {:>9} {:>7}".format
    print(table("", "gemm is", "result", "seconds", "in gemm", "GFLOP/s", "products", "2mnk"))
    for program in results:
        for row in (row for row in rows if row[0] == program):
            _, gemm, words, _, whole, in_gemm, rate, products, flops = row
            seconds = f"{float(whole):.3f}", f"{float(in_gemm):.3f}"
            print(table(program, gemm, words, *seconds, rate, products, f"{float(flops):.2g}"))
    for program, found in results.items():
        if not max(found) - min(found) < 1e-3 * abs(found[0]):
            leave(1, f"{program}: the results differ by more than rounding does: {found}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4):
        leave(2, "give the build folder, and perhaps RUNG and a CSV")
    main(Path(sys.argv[1]).resolve(), *sys.argv[2:])

#!/usr/bin/env python3
"""numpy_callers.py's programs on three gemms: numpy_demo.py BUILD [CSV [RUNS]]. The system's
BLAS; 05's kernel, by libcourse_blas.so before that (LD_PRELOAD); the learner's, mine/mine.cpp. The
library counts its products: all must have come to it. A CSV gets the rows.

Exit status: 0 the same results each time; 1 not; 77 no NumPy on the system's BLAS."""
import csv, os, re, subprocess, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHIM = """#include "common/view.hpp"
using namespace course;
#include "{}"
#define MINE(name, T) extern "C" void name(const View<const T>& a, const View<const T>& b, \\
                                           const View<T>& c) {{ mine<T>(a, b, c); }}
MINE(course_mine_f32, float) MINE(course_mine_f64, double)"""
HEADER = "program gemm result wrong whole_s in_gemm_s gflops products flops".split()


def leave(status, why):
    print(f"numpy_demo: {why}", file=sys.stderr)
    sys.exit(status)


def learners(build):
    """A library with the learner's kernel, or None if there is none yet."""
    path = Path(os.environ.get("COURSE_MINE", ROOT / "mine")) / "mine.cpp"
    if not path.exists() or "// your code" in path.read_text(errors="replace"):
        return print("mine/mine.cpp is not written yet: `make try RUNG=mine` begins it")
    library, cache = build / "numpy_mine.so", (build / "CMakeCache.txt").read_text()
    flags = "-std=c++20 -O3 -march=native -fopenmp -fPIC -shared -w -xc++ - -I".split()
    compiler = re.search(r"CMAKE_CXX_COMPILER:\w+=(.*)", cache)[1]
    command, shim = [compiler, *flags, ROOT, "-o", library], SHIM.format(path)
    done = subprocess.run(command, input=shim, capture_output=True, text=True)
    return leave(1, done.stderr) if done.returncode else library


def ran(python, runs, more):
    """The lines of numpy_callers.py, and which BLAS was loaded."""
    words, env = [python, ROOT / "05_avx2/library/numpy_callers.py", runs], os.environ | more
    done = subprocess.run(words, capture_output=True, text=True, env=env)
    if done.returncode:
        leave(1, (done.stderr.strip() or f"NumPy died: {done.returncode}").splitlines()[-1])
    *lines, blas = done.stdout.splitlines()
    lines = [line.split(",") for line in lines]
    products = int(runs) * sum(int(line[5]) for line in lines)
    if more and f"course_blas: {products} products" not in done.stderr:
        leave(77, f"this NumPy calls a BLAS of its own, not the system's; {done.stderr.strip()}")
    return lines, blas


def main(build, path=os.devnull, runs="3"):
    pythons = filter(os.path.exists, ("/usr/bin/python3", sys.executable))
    python = next((of for of in pythons if not subprocess.call([of, "-c", "import numpy"])), None)
    python or leave(77, "there is no NumPy here: sh setup.sh installs python3-numpy")
    library, mine = build / "05_avx2/libcourse_blas.so", learners(build)
    counts = {"LD_PRELOAD": f"{library}", "COURSE_BLAS_COUNT": "1"}
    gemms = {"the system's": {}, "the course's": counts}
    if mine:
        gemms["yours"] = counts | {"LD_PRELOAD": f"{mine} {library}", "COURSE_VARIANT": "mine"}
    rows = []
    for gemm, more in gemms.items():
        lines, blas = ran(python, runs, more)
        for program, words, result, whole, in_gemm, products, flops in lines:
            wrong, rate = re.match(r"\d*", words)[0], float(flops) / float(in_gemm) / 1e9
            times = [float(result), program, gemm if more else blas, words, wrong, whole, in_gemm]
            rows.append([*times, f"{rate:.1f}", products, flops])
    rows.sort(key=lambda row: row[1])
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADER, *(row[1:] for row in rows)])
    table = "{:<11} {:<13} {:<24} {:>8.8} {:>8.8} {:>8} {:>9} {:>12}".format
    print(table("", "gemm is", "result", "seconds", "in gemm", "GFLOP/s", "products", "2mnk"))
    for _, program, gemm, words, _, *numbers in rows:
        print(table(program, gemm, words, *numbers))
    for program in {row[1] for row in rows}:
        found = [row[0] for row in rows if row[1] == program]
        if not max(found) - min(found) < 1e-3 * abs(found[0]):
            leave(1, f"{program}: the results differ by more than rounding does: {found}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *sys.argv[2:])

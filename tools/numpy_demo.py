#!/usr/bin/env python3
"""A small network learns digits in NumPy, three times: numpy_demo.py BUILD [RUNG]. With the system's
BLAS; with libcourse_blas.so before it (LD_PRELOAD): 05's kernel; and with the learner's RUNG `mine`.

Exit status: 0 the same result each time; 1 not; 2 the command line; 77 no NumPy on the system's BLAS."""
import os, re, subprocess, sys, time
from pathlib import Path

GLYPHS = 0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71111, 0o75757, 0o75717
BATCH, ROUNDS, RATE = 250, 10, 0.2


def digits(np, random, count):
    """Digits of 5 × 3 points, enlarged, shifted and under noise: (count × 400, what they are)."""
    bits = np.array([list(f"{glyph:015b}") for glyph in GLYPHS], "f").reshape(10, 5, 3)
    glyphs = np.pad(np.kron(bits, np.ones((1, 3, 4), "f")), ((0, 0), (2, 3), (4, 4)))
    labels, shifts = random.integers(0, 10, count), random.integers(-2, 3, (count, 2))
    x = np.array([np.roll(glyphs[d], s, (0, 1)) for d, s in zip(labels, shifts)])
    return (x + random.normal(0, 0.3, x.shape).astype("f")).reshape(count, 400), labels


def train():
    """A program that knows nothing of the course. It prints: wrong of 1000, loss, seconds, those of
    products, how many these were, their 2mnk, whose BLAS."""
    import numpy as np

    calls = []  # (seconds, 2mnk)

    def times(a, b):  # a product of two matrices: gemm
        start, c = time.perf_counter(), a @ b
        calls.append((time.perf_counter() - start, 2 * a.shape[0] * a.shape[1] * b.shape[1]))
        return c

    random = np.random.default_rng(987654)
    (x, labels), (test, answers) = digits(np, random, 5000), digits(np, random, 1000)
    w1 = random.normal(0, 400**-0.5, (400, 300)).astype("f")
    w2 = random.normal(0, 300**-0.5, (300, 10)).astype("f")
    start = time.perf_counter()
    for at in range(0, len(x) * ROUNDS, BATCH):
        some = slice(at % len(x), at % len(x) + BATCH)
        # [layers]
        h = np.maximum(times(x[some], w1), 0)  # the first layer: 250 × 300 × 400
        y = np.exp(times(h, w2))  # the second: 250 × 10 × 300
        y /= y.sum(axis=1, keepdims=True)  # how likely each digit is
        y[np.arange(BATCH), labels[some]] -= 1  # the slope of the loss; back through the layers:
        back = times(y, w2.T) * (h > 0)  # 250 × 300 × 10
        w2 -= RATE / BATCH * times(h.T, y)  # 300 × 10 × 250
        w1 -= RATE / BATCH * times(x[some].T, back)  # 400 × 300 × 250
        # [/layers]
    seconds = time.perf_counter() - start
    y = times(np.maximum(times(test, w1), 0), w2)
    wrong = np.count_nonzero(y.argmax(axis=1) != answers)
    loss = np.log(np.exp(y - y[np.arange(1000), answers][:, None]).sum(axis=1)).mean()
    blas = re.findall(r"lib((?:open)?blas|blis)[^/]*\.so", Path("/proc/self/maps").read_text())
    in_gemm, flops = map(sum, zip(*calls))
    print(wrong, loss, seconds, in_gemm, len(calls), flops, max(blas, key=len, default="another"))


def leave(status, why):
    print(f"numpy_demo: {why}", file=sys.stderr)
    sys.exit(status)


SHIM = """#define MINE(name, T) extern "C" void name(const course::View<const T>& a, \\
  const course::View<const T>& b, const course::View<T>& c) {{ loop_order::ikj<T>(a, b, c); }}
#include "{}"
MINE(course_mine_f32, float) MINE(course_mine_f64, double)"""


def learners(build):
    """A library with the learner's kernel, or None if there is none yet."""
    sys.path.append(str(Path(__file__).resolve().parent / "try"))
    from rung import HOLE, ROOT, load_rungs, output_of

    rung = load_rungs(build)["mine"]
    if not rung.path.exists() or HOLE in rung.text:
        return print(f"{rung.shown} is not written yet: `make try RUNG=mine` begins it")
    rung.overlay()  # 02's gemm.cpp, in which ikj calls the learner's
    source, library = rung.folder / "numpy.cpp", rung.folder / "numpy.so"
    source.write_text(SHIM.format(rung.folder / rung.step / rung.file))
    compiler = re.search(r"CMAKE_CXX_COMPILER:\w+=(.*)", (build / "CMakeCache.txt").read_text())[1]
    flags = "-std=c++20 -O3 -march=native -fopenmp -fPIC -shared -w -I".split()
    done = output_of(compiler, *flags, ROOT, "-o", library, source)
    return leave(1, rung.first_error(done.stderr)) if done.returncode else library


def main(build, rung="mine"):
    if rung != "mine":
        leave(2, f"RUNG={rung}: only mine can multiply here")
    pythons = filter(os.path.exists, ("/usr/bin/python3", sys.executable))
    asked = ([python, "-c", "import numpy"] for python in pythons)
    python = next((words[0] for words in asked if subprocess.call(words, stderr=-3) == 0), None)
    python or leave(77, "there is no NumPy here: ./setup.sh test installs python3-numpy")
    library, mine = build / "05_avx2/libcourse_blas.so", learners(build)
    counts = {"LD_PRELOAD": f"{library}", "COURSE_BLAS_COUNT": "1"}
    runs = {"the system's": {}, "the course's": counts}
    runs["yours"] = counts | {"LD_PRELOAD": f"{mine} {library}", "COURSE_RUNG": "mine"}
    print("gemm is       wrong of 1000    loss  seconds  in gemm  GFLOP/s  products    2mnk")
    losses, row = [], "{:<13} {:13.0f}  {:.4f} {:8.2f} {:8.2f} {:8.1f} {:9.0f} {:7.2g}"
    for name, more in list(runs.items())[: 3 if mine else 2]:
        words, env = [python, __file__, "--train"], os.environ | more
        done = subprocess.run(words, capture_output=True, text=True, env=env)
        if done.returncode:
            leave(1, (done.stderr.strip() or f"{name} died").splitlines()[-1])
        *found, blas = done.stdout.split()
        wrong, loss, seconds, in_gemm, calls, flops = map(float, found)
        if more and f"course_blas: {calls:.0f} products" not in done.stderr:
            leave(77, f"this NumPy calls a BLAS of its own; {done.stderr.strip()}")
        losses.append(loss)
        numbers = wrong, loss, seconds, in_gemm, flops / in_gemm / 1e9, calls, flops
        print(row.format(name, *numbers), blas * (not more))
    if not max(losses) - min(losses) < 1e-3 * losses[0]:
        leave(1, "the results differ by more than rounding does")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        leave(2, "give the build folder, and perhaps RUNG")
    train() if sys.argv[1] == "--train" else main(Path(sys.argv[1]).resolve(), *sys.argv[2:])

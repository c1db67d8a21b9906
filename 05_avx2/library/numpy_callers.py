#!/usr/bin/env python3
"""Three programs in NumPy that know nothing of the course, and call gemm: a network, a regression
and an LU factorisation. Each prints a line: name, result in words and as a number, seconds, seconds
of the products, how many these were, their 2mnk: of so many runs, its argument, the middle one.
Last comes the BLAS that is loaded."""
import re, sys, time
from pathlib import Path

import numpy as np

GLYPHS = 0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71111, 0o75757, 0o75717
calls = []  # (seconds, 2mnk)


def times(a, b):  # a product of two matrices: gemm
    start, c = time.perf_counter(), a @ b
    calls.append((time.perf_counter() - start, 2 * a.shape[0] * a.shape[1] * b.shape[1]))
    return c


def digits(random, count):
    """Digits of 5 × 3 points, enlarged, shifted and under noise: (count × 400, what they are)."""
    bits = np.array([list(f"{glyph:015b}") for glyph in GLYPHS], "f").reshape(10, 5, 3)
    glyphs = np.pad(np.kron(bits, np.ones((1, 3, 4), "f")), ((0, 0), (2, 3), (4, 4)))
    labels, shifts = random.integers(0, 10, count), random.integers(-2, 3, (count, 2))
    x = np.array([np.roll(glyphs[d], s, (0, 1)) for d, s in zip(labels, shifts)])
    return (x + random.normal(0, 0.3, x.shape).astype("f")).reshape(count, 400), labels


def network(random):
    (x, labels), (test, answers) = digits(random, 5000), digits(random, 1000)
    w1 = random.normal(0, 400**-0.5, (400, 300)).astype("f")
    w2 = random.normal(0, 300**-0.5, (300, 10)).astype("f")
    start = time.perf_counter()
    for at in range(0, 50000, 250):
        some = slice(at % 5000, at % 5000 + 250)
        # [layers]
        h = np.maximum(times(x[some], w1), 0)  # the first layer
        y = np.exp(times(h, w2))  # the second
        y /= y.sum(axis=1, keepdims=True)  # how likely each digit is
        y[np.arange(250), labels[some]] -= 1  # the slope of the loss; and back through the layers:
        back = times(y, w2.T) * (h > 0)
        w2 -= 0.0008 * times(h.T, y)
        w1 -= 0.0008 * times(x[some].T, back)
        # [/layers]
    seconds = time.perf_counter() - start
    y = times(np.maximum(times(test, w1), 0), w2)
    loss = np.log(np.exp(y - y[np.arange(1000), answers][:, None]).sum(axis=1)).mean()
    return f"{np.count_nonzero(y.argmax(axis=1) != answers)} of 1000 wrong", loss, seconds


def regression(random):
    (x, labels), (test, answers) = digits(random, 5000), digits(random, 1000)
    x, test = x.astype(float), test.astype(float)
    start = time.perf_counter()
    # [regression]
    y = np.eye(10)[labels]  # a column a digit: 1 where it is that digit
    g = times(x.T, np.hstack([x, y]))  # XᵀX and XᵀY at once
    w = np.linalg.solve(g[:, :400], g[:, 400:])  # XᵀX·W = XᵀY
    found = times(test, w)
    # [/regression]
    seconds = time.perf_counter() - start
    wrong = np.count_nonzero(found.argmax(axis=1) != answers)
    return f"{wrong} of 1000 wrong", np.square(found - np.eye(10)[answers]).mean(), seconds


# [lu]
def factorise(a, nb=50):
    """A becomes L (below the diagonal, which is 1) and U, with rows exchanged."""
    n = len(a)
    for j in range(0, n, nb):
        end = j + nb
        for i in range(j, end):  # a panel of nb columns, one by one
            pivot = i + abs(a[i:, i]).argmax()
            a[[i, pivot]] = a[[pivot, i]]
            a[i + 1 :, i] /= a[i, i]
            a[i + 1 :, i + 1 : end] -= np.outer(a[i + 1 :, i], a[i, i + 1 : end])
        for i in range(j, end):  # the rows of U beside it
            a[i + 1 : end, end:] -= np.outer(a[i + 1 : end, i], a[i, end:])
        if end < n:
            a[end:, end:] -= times(a[end:, j:end], a[j:end, end:])  # all the rest


# [/lu]
def lu(random):
    a = random.normal(0, 1, (1000, 1000))
    start = time.perf_counter()
    factorise(a)
    seconds, size = time.perf_counter() - start, np.log(abs(a.diagonal())).sum()
    return f"log |det A| = {size:.4f}", size, seconds


for program in network, regression, lu:
    runs = []
    for _ in range(int(sys.argv[1])):
        calls.clear()
        words, result, seconds = program(np.random.default_rng(987654))
        in_gemm, flops = map(sum, zip(*calls))
        runs.append((seconds, in_gemm))
    seconds, in_gemm = sorted(runs)[len(runs) // 2]
    print(program.__name__, words, result, seconds, in_gemm, len(calls), flops, sep=",")
print(
    *re.findall(r"/lib(openblas|blis|blas|mkl_rt)[^/]*\.so", Path("/proc/self/maps").read_text())[
        :1
    ]
)

#!/usr/bin/env python3
"""The rungs as a BLAS, called from another language: as_blas_test.py LIBRARY. Right where it
multiplies, and a line with exit 2 for what it does not know."""
import ctypes
import os
import subprocess
import sys

M, N, K = 5, 7, 3


def padded(elements, cols, ld):
    """Rows that begin `ld` numbers apart; between them lies -1."""
    return [
        x
        for at in range(0, len(elements), cols)
        for x in [*elements[at : at + cols], *[-1] * (ld - cols)]
    ]


def product(library, name, real, **other):
    """C after a call with everything as it should be but for `other`."""
    x = dict(order=101, a_op=111, b_op=111, m=M, n=N, k=K)
    x |= dict(alpha=1, a=None, lda=K, b=None, ldb=N, beta=1, c=None, ldc=N) | other
    for matrix, rows, cols in ("a", M, K), ("b", K, N), ("c", M, N):
        ld = x["ld" + matrix]
        x[matrix] = (real * (rows * max(cols, ld)))(*padded(range(rows * cols), cols, ld))
    x |= dict(alpha=real(x["alpha"]), beta=real(x["beta"]))
    getattr(ctypes.CDLL(library), name)(*x.values())
    return x["c"][:]


def chosen(library, rung):
    """Exit status of a process that asks which rung it has with COURSE_RUNG set so (or not: None),
    the answer, and its stderr."""
    call = f"import ctypes; f = ctypes.CDLL({library!r}).course_blas_rung; "
    call += "f.restype = ctypes.c_char_p; print(f().decode(), end='')"
    env = {name: value for name, value in os.environ.items() if name != "COURSE_RUNG"} | (
        {} if rung is None else {"COURSE_RUNG": rung}
    )
    done = subprocess.run([sys.executable, "-c", call], env=env, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def widest():
    """Whether the last rung can run here, by what Linux says of the processor."""
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        flags = next((line.split() for line in cpuinfo if line.startswith("flags")), [])
    return {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= set(flags)


def main(library):
    right = [
        i * N + j + sum((i * K + p) * (p * N + j) for p in range(K))
        for i in range(M)
        for j in range(N)
    ]
    types = {
        "cblas_sgemm": ctypes.c_float,
        "cblas_dgemm": ctypes.c_double,
        "cblas_igemm": ctypes.c_int32,
    }
    for name, real in types.items():
        for apart in {}, {"lda": K + 2, "ldb": N + 3, "ldc": N + 1}:
            if product(library, name, real, **apart) != padded(right, N, apart.get("ldc", N)):
                sys.exit(f"{name} {apart} is wrong")
    best = "avx512" if widest() else "tuned"
    rungs = {"tuned": "tuned", None: best, "avx512": "avx512" * widest(), "": "", "packed": ""}
    for rung, answer in rungs.items():
        code, said, heard = chosen(library, rung)
        if (code, said, heard.count("\n")) != ((0, answer, 0) if answer else (2, "", 1)):
            sys.exit(f"COURSE_RUNG={rung}: exit {code}, {said!r}, {heard!r}")
    before = list(range(M * N))
    for empty in {"m": 0}, {"n": 0}, {"k": 0}:
        if product(library, "cblas_dgemm", ctypes.c_double, **empty) != before:
            sys.exit(f"{empty}: C has changed")
    refused = "alpha=2 order=102 a_op=112 b_op=112 beta=0 m=-1 n=-1 k=-1 lda=2 ldb=6 ldc=6"
    for what in refused.split():
        given = f"{library!r}, 'cblas_dgemm', ctypes.c_double, {what}"
        call = f"import as_blas_test as t, ctypes; t.product({given})"
        done = subprocess.run(
            [sys.executable, "-B", "-c", call], cwd=sys.path[0], capture_output=True, text=True
        )
        if (done.returncode, done.stderr.count("\n")) != (2, 1):
            sys.exit(f"{what}: exit {done.returncode}, said {done.stderr!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])

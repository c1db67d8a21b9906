#!/usr/bin/env python3
"""The rungs as a BLAS, called from another language: as_blas_test.py LIBRARY. Right where it multiplies, and a
line with exit 2 for what it does not know."""
import ctypes
import os
import subprocess
import sys

ROW_MAJOR, PLAIN, M, N, K = 101, 111, 5, 7, 3


def product(library, name, real, alpha=1, order=ROW_MAJOR, a_op=PLAIN, beta=1, ldb=N):
    a, b, c = ((real * (rows * cols))(*range(rows * cols)) for rows, cols in ((M, K), (K, N), (M, N)))
    getattr(ctypes.CDLL(library), name)(order, a_op, PLAIN, M, N, K, real(alpha), a, K, b, ldb, real(beta), c, N)
    return c[:]


def chosen(library, rung):
    """Exit status of a process that asks which rung it has with COURSE_RUNG set so, the answer, and its stderr."""
    call = f"import ctypes; f = ctypes.CDLL({library!r}).course_blas_rung; f.restype = ctypes.c_char_p; print(f().decode(), end='')"
    done = subprocess.run([sys.executable, "-c", call], env={**os.environ, "COURSE_RUNG": rung}, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def main(library):
    right = [i * N + j + sum((i * K + p) * (p * N + j) for p in range(K)) for i in range(M) for j in range(N)]
    for name, real in ("cblas_sgemm", ctypes.c_float), ("cblas_dgemm", ctypes.c_double), ("cblas_igemm", ctypes.c_int32):
        if product(library, name, real) != right:
            sys.exit(f"{name} is wrong")
    for rung, returned in ("tuned", 0), ("packed", 0), ("avx512", None), ("", 2), ("scalar", 2):  # None: not every processor has it
        code, said, heard = chosen(library, rung)
        if returned not in (None, code) or said != ("" if code else rung.replace("packed", "tuned")) or heard.count("\n") != (1 if code == 2 else 0) or code not in (0, 2):
            sys.exit(f"COURSE_RUNG={rung}: exit {code}, {said!r}, {heard!r}")
    for what in "alpha=2", "order=102", "a_op=112", "beta=0", "ldb=6":
        call = f"import as_blas_test as t, ctypes; t.product({library!r}, 'cblas_dgemm', ctypes.c_double, {what})"
        done = subprocess.run([sys.executable, "-B", "-c", call], cwd=sys.path[0], capture_output=True, text=True)
        if (done.returncode, done.stderr.count("\n")) != (2, 1):
            sys.exit(f"{what}: exit {done.returncode}, said {done.stderr!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])

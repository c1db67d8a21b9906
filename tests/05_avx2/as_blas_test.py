#!/usr/bin/env python3
"""libcourse_blas.so in a program without another BLAS: as_blas_test.py LIBRARY. Integers, too;
which kernel multiplies; a line and exit 2 for arguments that cannot be."""
import ctypes
import os
import subprocess
import sys


def integers(library):
    """C after C += A·B, 2 × 3 by 3 × 2."""
    a, b, c = (
        (ctypes.c_int32 * 6)(*range(6)),
        (ctypes.c_int32 * 6)(*range(6)),
        (ctypes.c_int32 * 4)(1),
    )
    ctypes.CDLL(library).cblas_igemm(101, 111, 111, 2, 2, 3, 1, a, 3, b, 2, 1, c, 2)
    return list(c)


def ended(library, call, **environment):
    """Exit status, stdout and stderr of a process that calls the library."""
    code = f"import ctypes; blas = ctypes.CDLL({library!r}); {call}"
    env = {name: value for name, value in os.environ.items() if name != "COURSE_RUNG"} | environment
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def widest():
    """Whether the last rung can run here, by what Linux says of the processor."""
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        flags = next((line.split() for line in cpuinfo if line.startswith("flags")), [])
    return {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= set(flags)


def main(library):
    if (found := integers(library)) != [11, 13, 28, 40]:
        sys.exit(f"cblas_igemm: {found}")
    tells = "f = blas.course_blas_rung; f.restype = ctypes.c_char_p; print(f().decode(), end='')"
    best = "avx512" if widest() else "tuned"
    rungs = {
        "tuned": "tuned",
        None: best,
        "avx512": "avx512" * widest(),
        "four_by_four": "four_by_four",
    }
    for rung, answer in (rungs | {"": "", "packed": "", "mine": ""}).items():
        code, said, heard = ended(library, tells, **({} if rung is None else {"COURSE_RUNG": rung}))
        if (code, said, heard.count("\n")) != ((0, answer, 0) if answer else (2, "", 1)):
            sys.exit(f"COURSE_RUNG={rung}: exit {code}, {said!r}, {heard!r}")
    right = [101, 111, 111, 2, 3, 4, 1, None, 4, None, 3, 1, None, 3]
    for argument, value in (
        (1, 100),
        (2, 7),
        (3, 0),
        (4, -1),
        (5, -1),
        (6, -1),
        (9, 3),
        (11, 2),
        (14, 2),
    ):
        given = [*right[: argument - 1], value, *right[argument:]]
        code, _, heard = ended(library, f"blas.cblas_igemm(*{given})")
        if code != 2 or heard.count("\n") != 1 or f"argument {argument} " not in heard:
            sys.exit(f"argument {argument}: exit {code}, said {heard!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])

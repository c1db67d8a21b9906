"""libcourse_blas.so (COURSE_BLAS) in a program without another BLAS: integers; which kernel
multiplies; a line and exit 2 for arguments that cannot be."""
import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARY = os.environ["COURSE_BLAS"]
FLAGS = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
BEST = "avx512" if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= FLAGS else "tuned"


def ended(call, **environment):
    """Exit status, stdout and lines of stderr of a process that calls the library."""
    code = f"import ctypes; blas = ctypes.CDLL({LIBRARY!r}); {call}"
    env = {name: value for name, value in os.environ.items() if name != "COURSE_RUNG"} | environment
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr.splitlines()


def test_integers():
    a, b, c = (
        (ctypes.c_int32 * 6)(*range(6)),
        (ctypes.c_int32 * 6)(*range(6)),
        (ctypes.c_int32 * 4)(1),
    )
    ctypes.CDLL(LIBRARY).cblas_igemm(101, 111, 111, 2, 2, 3, 1, a, 3, b, 2, 1, c, 2)
    assert list(c) == [11, 13, 28, 40]


@pytest.mark.parametrize(
    "rung, answer",
    [
        (None, BEST),
        ("tuned", "tuned"),
        ("avx512", BEST if BEST == "avx512" else ""),
        ("plain", "plain"),
    ]
    + [(unknown, "") for unknown in ("", "packed", "mine")],
)
def test_kernel(rung, answer):
    says = "f = blas.course_blas_rung; f.restype = ctypes.c_char_p; print(f().decode(), end='')"
    code, said, heard = ended(says, **({} if rung is None else {"COURSE_RUNG": rung}))
    assert (code, said, len(heard)) == ((0, answer, 0) if answer else (2, "", 1))


@pytest.mark.parametrize(
    "argument, value",
    [(1, 100), (2, 7), (3, 0), (4, -1), (5, -1), (6, -1), (9, 3), (11, 2), (14, 2)],
)
def test_argument(argument, value):
    given = [101, 111, 111, 2, 3, 4, 1, None, 4, None, 3, 1, None, 3]
    given[argument - 1] = value
    code, _, heard = ended(f"blas.cblas_igemm(*{given})")
    assert code == 2 and len(heard) == 1 and f"argument {argument} " in heard[0]

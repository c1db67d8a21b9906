"""libcourse_blas.so (COURSE_BLAS) in a program without another BLAS: integers; which kernel
multiplies; a line and exit 2 for arguments that cannot be."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

FLAGS = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
WIDE = {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= FLAGS


def ended(call, **environment):
    """Exit status, stdout and lines of stderr of a process that calls the library."""
    code = "from ctypes import *; import os; blas = CDLL(os.environ['COURSE_BLAS']);" + call
    env = {
        name: value for name, value in os.environ.items() if name != "COURSE_VARIANT"
    } | environment
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr.splitlines()


def test_integers():
    product = (
        "cblas_igemm(101, 111, 111, 2, 2, 3, 1, ints(*range(6)), 3, ints(*range(6)), 2, 1, c, 2)"
    )
    call = f"ints = c_int32 * 6; c = ints(1); blas.{product}; print(list(c)[:4], end='')"
    assert ended(call) == (0, "[11, 13, 28, 40]", [])


VARIANTS = {"": "", "tuned": "tuned", "avx512": "avx512" * WIDE, "plain": "plain", "mine": ""}


@pytest.mark.parametrize("given", [None, *VARIANTS])
def test_kernel(given):
    answer = VARIANTS["avx512"] or "tuned" if given is None else VARIANTS[given]
    environment = {} if given is None else {"COURSE_VARIANT": given}
    says = "f = blas.course_blas_variant; f.restype = c_char_p; print(f().decode(), end='')"
    code, said, heard = ended(says, **environment)
    assert (code, said, len(heard)) == ((0, answer, 0) if answer else (2, "", 1))


@pytest.mark.parametrize("argument", [1, 2, 4, 5, 6, 9, 11, 14])
def test_argument(argument):
    given = [101, 111, 111, 2, 3, 4, 1, None, 4, None, 3, 1, None, 3]
    given[argument - 1] = -1
    code, _, heard = ended(f"blas.cblas_igemm(*{given})")
    assert code == 2 and len(heard) == 1 and f"argument {argument} " in heard[0]

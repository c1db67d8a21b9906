"""Tests of gpu_counters.py, with a profiler that only pretends."""

import csv, io, os, subprocess, sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[1] / "tools"
sys.path.append(str(TOOLS))
from gpu_counters import COUNTERS, of_type

NCU = """#!/bin/sh
echo "$@" >>called
printf '==PROF== %s\\n' Connected Profiling Disconnected
cat said
echo 'no leave to count' >&2
"""


@pytest.fixture
def count(tmp_path, monkeypatch):
    """A run for two variants that start kernels with these numbers, one more in each column."""
    (tmp_path / "ncu").write_text(NCU)
    (tmp_path / "ncu").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def run(*kernels):
        table = [["ID", *COUNTERS.values()], ["", *["unit"] * len(COUNTERS)]]
        table += [[of, *(f"{of + at:,}" for at in range(len(COUNTERS)))] for of in kernels]
        with open("said", "w") as said:
            csv.writer(said, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)
        asked = "program one,two --type f32,f64 --size 512 --pad 8".split()
        call = [sys.executable, "-B", TOOLS / "gpu_counters.py", *asked]
        return subprocess.run(call, capture_output=True, text=True)

    return run


def test_of_each_variant_the_last_kernel_counts(count):
    done = count(1, 2, 3000, 4, 5, 6000)
    assert (done.returncode, done.stderr) == (0, "")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    wanted = [(v, element, "--pad 8") for element in ("f32", "f64") for v in ("one", "two")]
    assert [(row["variant"], row["type"], row["options"]) for row in rows] == wanted
    assert float(rows[0]["seconds"]) == 3e-6, "nanoseconds"
    assert [row["cycles"] for row in rows[:2]] == ["3001", "6001"]
    called = Path("called").read_text().splitlines()
    arguments = "program --pad 8 --type f64 --size 512 --variant one,two --repeat 1 --warmup 0"
    assert len(called) == 2 and arguments in called[1] and ",".join(COUNTERS.values()) in called[0]


def test_a_variant_may_have_one_type_only():
    assert [of_type("one,f32:two", of) for of in ("f32", "f64")] == [["one", "two"], ["one"]]


@pytest.mark.parametrize("kernels", [(), (1, 2, 3)])  # none, or not as many for each variant
def test_a_profiler_that_may_not_count(count, kernels):
    done = count(*kernels)
    said = f"gpu_counters.py: {len(kernels)} kernels for 2 variants; ncu said:"
    heard = ["==PROF== Profiling", "==PROF== Disconnected", "no leave to count"]
    assert (done.returncode, done.stderr.splitlines()) == (77, [said, *heard])

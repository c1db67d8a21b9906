"""Tests of gpu_counters.py, with a profiler that only pretends."""

import csv, io, os, subprocess, sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[1] / "tools"
sys.path.append(str(TOOLS))
from gpu_counters import COUNTERS

NCU = """#!/bin/sh
echo "$@" >>called
printf '==PROF== %s\\n' Connected Profiling Disconnected
cat said
echo 'no leave to count' >&2
"""


def test_of_each_variant_the_last_kernel_counts_or_it_is_said_why_not(tmp_path, monkeypatch):
    """Of two variants that start kernels with these numbers, one more in each column."""
    (tmp_path / "ncu").write_text(NCU)
    (tmp_path / "ncu").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for kernels in (1, 2, 3000, 4, 5, 6000), (), (1, 2, 3):
        table = [["Kernel Name", *COUNTERS.values()], ["", *["unit"] * len(COUNTERS)]]
        numbers = {of: [f"{of + at:,}" for at in range(len(COUNTERS))] for of in kernels}
        table += [[f"k{of % 3}()", *numbers[of]] for of in kernels]
        table += [["runs_on$_omp_fn$0", *numbers[of]] for of in kernels[:1]]
        with open("said", "w") as said:
            csv.writer(said, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)
        asked = "program one,f32:two,f64:three --type f32,f64 --size 512 --pad 8".split()
        call = [sys.executable, "-B", TOOLS / "gpu_counters.py", *asked]
        done = subprocess.run(call, capture_output=True, text=True)
        if len(kernels) == 6:
            assert (done.returncode, done.stderr) == (0, "")
            rows = list(csv.DictReader(io.StringIO(done.stdout)))
            found = " ".join(row["variant"] + row["type"] for row in rows)
            assert found == "onef32 twof32 onef64 threef64"
            assert (float(rows[0]["seconds"]), rows[1]["cycles"]) == (3e-6, "6001"), "nanoseconds"
            called = Path("called").read_text().splitlines()
            assert "program --pad 8 --type f64 --size 512 --variant one,three" in called[1]
            done = subprocess.run([*call, "--kernels=k1,k"], capture_output=True, text=True)
            cycles = [row["cycles"] for row in csv.DictReader(io.StringIO(done.stdout))]
            assert cycles == ["2", "3001", "5", "6001"] * 2, "the last of each name"
            assert subprocess.run([*call, "--kernels=k1,1"]).returncode == 77, "a name's beginning"
        else:  # none, or not as many for each variant
            words = f"gpu_counters.py: {len(kernels)} kernels for 2 variants; ncu said:"
            assert (done.returncode, done.stderr.splitlines()[0]) == (77, words)
            assert done.stderr.splitlines()[-1] == "no leave to count"

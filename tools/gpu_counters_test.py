"""Tests of gpu_counters.py, with a profiler that only pretends."""
import csv, io, os, subprocess, sys, tempfile, unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import gpu_counters  # noqa: E402

NCU = """#!/bin/sh
echo "$@" >>"$0.called"
echo '==PROF== Connected'
echo '==PROF== Profiling'
echo '==PROF== Disconnected'
cat "$0.said"
echo 'no leave to count' >&2
"""


class Counters(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.ncu = Path(folder.name) / "ncu"
        self.ncu.write_text(NCU)
        self.ncu.chmod(0o755)

    def says(self, *kernels):
        """The table of ncu: names, units, then for each kernel this number in every column, but its
        place in the first."""
        lines = [
            ["ID", *gpu_counters.COUNTERS.values()],
            ["", *["unit"] * len(gpu_counters.COUNTERS)],
        ]
        lines += [
            [place, *[f"{value + at:,}" for at in range(len(gpu_counters.COUNTERS))]]
            for place, value in enumerate(kernels)
        ]
        text = io.StringIO()
        csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(lines)
        Path(f"{self.ncu}.said").write_text(text.getvalue())

    def count(self, *arguments, path=None):
        path = f"{self.ncu.parent}:{os.environ['PATH']}" if path is None else path
        return subprocess.run(
            [sys.executable, "-B", HERE / "gpu_counters.py", *arguments],
            capture_output=True,
            text=True,
            env=os.environ | {"PATH": path},
        )

    def test_of_each_variant_the_last_kernel_counts(self):
        self.says(1, 2, 3000, 4, 5, 6000)
        done = self.count("program", "one,two", "--type", "f32,f64", "--size", "512", "--pad", "8")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(
            [(row["variant"], row["type"], row["n"], row["options"]) for row in rows],
            [
                (variant, element, "512", "--pad 8")
                for element in ("f32", "f64")
                for variant in ("one", "two")
            ],
        )
        self.assertEqual(float(rows[0]["seconds"]), 3e-6)  # nanoseconds
        self.assertEqual(
            (rows[0]["cycles"], rows[1]["cycles"], rows[1]["instructions"]),
            ("3001", "6001", "6002"),
        )
        called = Path(f"{self.ncu}.called").read_text().splitlines()
        self.assertEqual(len(called), 2)
        self.assertIn(
            "program --type f64 --size 512 --pad 8 --variant one,two --repeat 1 --warmup 0",
            called[1],
        )
        self.assertIn(",".join(gpu_counters.COUNTERS.values()), called[0])

    def test_a_variant_may_have_one_type_only(self):
        self.assertEqual(
            [gpu_counters.of_type("one,f32:two", element) for element in ("f32", "f64")],
            [["one", "two"], ["one"]],
        )

    def test_a_profiler_that_may_not_count(self):
        for kernels in ((), (1, 2, 3)):  # none, or not as many for each variant
            self.says(*kernels)
            done = self.count("program", "one,two")
            self.assertEqual(done.returncode, 77)
            self.assertEqual(
                done.stderr.splitlines(),
                [
                    f"gpu_counters.py: {len(kernels)} kernels for 2 variants; ncu said:",
                    "==PROF== Profiling",
                    "==PROF== Disconnected",
                    "no leave to count",
                ],
            )


if __name__ == "__main__":
    unittest.main()

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
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.ncu = Path(folder) / "ncu"
        self.ncu.write_text(NCU)
        self.ncu.chmod(0o755)

    def count(self, *kernels):
        """Of a program whose variants start kernels with these numbers, a place further on in each
        column."""
        names = gpu_counters.COUNTERS.values()
        table = [["ID", *names], ["", *["unit"] * len(names)]]
        for value in kernels:
            table.append([value, *(f"{value + at:,}" for at in range(len(names)))])
        with open(f"{self.ncu}.said", "w") as said:
            csv.writer(said, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)
        path = os.environ | {"PATH": f"{self.ncu.parent}:{os.environ['PATH']}"}
        asked = "gpu_counters.py program one,two --type f32,f64 --size 512 --pad 8".split()
        call = [sys.executable, "-B", *asked]
        return subprocess.run(call, capture_output=True, text=True, env=path, cwd=HERE)

    def test_of_each_variant_the_last_kernel_counts(self):
        done = self.count(1, 2, 3000, 4, 5, 6000)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        wanted = [(v, element, "--pad 8") for element in ("f32", "f64") for v in ("one", "two")]
        self.assertEqual([(row["variant"], row["type"], row["options"]) for row in rows], wanted)
        self.assertEqual(float(rows[0]["seconds"]), 3e-6)  # nanoseconds
        counted = rows[0]["cycles"], rows[1]["cycles"], rows[1]["instructions"]
        self.assertEqual(counted, ("3001", "6001", "6002"))
        called = Path(f"{self.ncu}.called").read_text().splitlines()
        self.assertEqual(len(called), 2)
        arguments = "program --pad 8 --type f64 --size 512 --variant one,two --repeat 1 --warmup 0"
        self.assertIn(arguments, called[1])
        self.assertIn(",".join(gpu_counters.COUNTERS.values()), called[0])

    def test_a_variant_may_have_one_type_only(self):
        found = [gpu_counters.of_type("one,f32:two", element) for element in ("f32", "f64")]
        self.assertEqual(found, [["one", "two"], ["one"]])

    def test_a_profiler_that_may_not_count(self):
        heard = ["==PROF== Profiling", "==PROF== Disconnected", "no leave to count"]
        for kernels in ((), (1, 2, 3)):  # none, or not as many for each variant
            done = self.count(*kernels)
            said = f"gpu_counters.py: {len(kernels)} kernels for 2 variants; ncu said:"
            self.assertEqual((done.returncode, done.stderr.splitlines()), (77, [said, *heard]))


if __name__ == "__main__":
    unittest.main()

"""Tests of simulate.py that need no SimGrid: what paper says, worked out by hand, and what it does
with what smpirun says."""
import contextlib, csv, io, os, sys, tempfile, unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "06_mpi/cluster"))
import simulate  # noqa: E402


class OnPaper(unittest.TestCase):
    def test_the_reference_has_these_figures_and_the_simulation_stays_below(self):
        rows = simulate.rows_of(ROOT / "plots/reference/simulated/simulated.csv")
        self.assertEqual(len(rows), 2 * 6 * len(simulate.CURVES))
        curves = set()
        for row in rows:
            curve = row["variant"], row["bcast"], int(row["block"])
            curves.add((row["curve"], *curve))
            grid = map(int, row["grid"].split("x"))
            seconds = simulate.alpha_beta(row["platform"], *curve, *grid)
            ideal = 2 * simulate.N**3 / int(row["ranks"]) / simulate.FLOPS
            self.assertEqual(row["alpha_beta_s"], f"{seconds:.6g}")
            self.assertEqual(row["alpha_beta"], f"{ideal / seconds:.4f}")
            efficiency = float(row["efficiency"])
            self.assertAlmostEqual(efficiency, ideal / float(row["seconds"]), delta=1e-4)
            self.assertLessEqual(efficiency, float(row["alpha_beta"]))
            if row["platform"] == "fast" and row["bcast"] == "ring":
                self.assertGreater(efficiency, 0.97 * float(row["alpha_beta"]))
        self.assertEqual(curves, set(simulate.CURVES))


class Simulates(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.out = Path(folder)
        smpirun = self.out / "smpirun"
        smpirun.write_text(f'#!/bin/sh\necho "$@" >>{self.out}/called\necho 281.475 7\n')
        smpirun.chmod(0o755)
        path = f"{self.out}:{os.environ['PATH']}"
        self.enterContext(mock.patch.dict(os.environ, PATH=path))

    def run_it(self, *arguments):
        self.said = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(self.said):
            with mock.patch.object(simulate, "draw") as self.draw:
                given = [self.out / "smpirun", "--out", self.out / "report", *arguments]
                return simulate.main([*map(str, given)])

    def test_each_curve_once_and_what_is_there_not_again(self):
        self.assertEqual(self.run_it("--ranks", "2"), 0)
        with open(self.out / "report/simulated.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), simulate.COLUMNS)
        wanted = [(name, *curve) for name in simulate.PLATFORMS for curve in simulate.CURVES]
        names = "platform", "curve", "variant", "bcast", "block"
        self.assertEqual(
            [[row[name] for name in names] for row in rows], [[*map(str, w)] for w in wanted]
        )
        paper = simulate.alpha_beta("fast", *simulate.CURVES[0][1:], 1, 2)
        seconds = ["281.475", "1.0000", "7", f"{paper:.6g}", f"{281.474976710656 / paper:.4f}"]
        self.assertEqual([*rows[0].values()][5:], ["2", "1x2", "65536", *seconds])
        called = (self.out / "called").read_text().splitlines()
        self.assertEqual(len(called), len(rows))
        self.assertRegex(
            called[0],
            r"^-np 2 -platform \S+/fast.xml .* --cfg=smpi/bcast:binomial_tree "
            r"\S+/smpirun summa_blocking 65536 512 1 2$",
        )
        self.draw.assert_called_once_with(self.out / "report/simulated.csv", self.out / "report")
        self.assertEqual(self.run_it("--ranks", "2"), 0)
        self.assertEqual(len((self.out / "called").read_text().splitlines()), len(rows))

    def test_a_simulation_that_fails(self):
        (self.out / "smpirun").write_text("#!/bin/sh\necho no memory >&2\nexit 3\n")
        self.assertEqual(self.run_it("--ranks", "2"), 1)
        self.assertEqual(self.said.getvalue(), "simulate.py: summa_blocking on 1x2: no memory\n")

    def test_what_is_refused(self):
        for ranks in ("0", "1025", "4,", "x"):
            self.assertEqual(self.run_it("--ranks", ranks), 2)
            self.assertIn(f"--ranks: '{ranks}' is not numbers from 1 to 1024", self.said.getvalue())
        self.assertEqual(self.run_it("--ranks", "1,1024"), 0)

    def test_without_simgrid(self):
        self.assertEqual(self.run_it("--draw"), 0)
        self.assertFalse((self.out / "called").exists())
        with mock.patch.dict(os.environ, PATH=""):
            self.assertEqual(self.run_it(), 77)
            self.assertEqual(self.run_it("--draw"), 0)
        (self.out / "smpirun").rename(self.out / "other")
        (self.out / "bin").mkdir()
        (self.out / "other").rename(self.out / "bin/smpirun")
        with mock.patch.dict(os.environ, PATH=f"{self.out}/bin"):
            self.assertEqual(self.run_it(), 77)
        self.assertIn("there is no SimGrid here", self.said.getvalue())

    def test_platform(self):
        self.assertEqual(simulate.main([str(self.out), "--platform", "slow"]), 0)
        text = (self.out / "slow.xml").read_text()
        for part in (
            'speed="1000000000000f"',
            'bw="1250000000Bps"',
            'lat="20us"',
            'radical="0-1023"',
        ):
            self.assertIn(part, text)
        self.assertEqual(len((self.out / "hosts").read_text().splitlines()), 1024)


if __name__ == "__main__":
    unittest.main()

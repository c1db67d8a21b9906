"""Tests of simulate.py that need no SimGrid: what paper says, worked out by hand, and what it does
with what smpirun says."""
import contextlib, csv, io, os, sys, tempfile, unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "06_mpi/cluster"))
import simulate  # noqa: E402

MULTIPLY = 2 * 2048**2 * 512 / 1e12  # seconds: a panel's product on 32 x 32 ranks
HOP = 4e-6 + 2048 * 512 * 4 / 12.5e9
BOTH = 4e-6 + 2 * 2048 * 512 * 4 / 12.5e9


def paper(kernel, bcast, block=512, p=32, q=32, platform="fast"):
    return simulate.alpha_beta(platform, kernel, bcast, block, p, q)


class OnPaper(unittest.TestCase):
    def test_broadcasts(self):
        self.assertAlmostEqual(
            paper("summa_blocking", "binomial_tree"), 128 * (MULTIPLY + 2 * 5 * HOP)
        )
        pieces = 10 * 4e-6 + 2 * 31 / 32 * 2048 * 512 * 4 / 12.5e9
        self.assertAlmostEqual(
            paper("summa_blocking", "scatter_rdb_allgather"), 128 * (MULTIPLY + 2 * pieces)
        )
        flat = 4e-6 + 31 * 2048 * 512 * 4 / 12.5e9
        self.assertAlmostEqual(paper("summa_unaided", "flat"), 128 * flat)
        self.assertAlmostEqual(
            paper("summa_unaided", "flat", p=2, q=2), 128 * 2 * 32768**2 * 512 / 1e12
        )

    def test_rings(self):
        self.assertAlmostEqual(paper("summa_ring", "ring"), 128 * MULTIPLY + 2 * 62 * BOTH)
        self.assertAlmostEqual(
            paper("summa_ring_dealt", "ring"), 128 * (MULTIPLY + 2 * BOTH) + 60 * BOTH
        )
        slow = 80e-6 + 2 * 2048 * 512 * 4 / 1.25e9  # longer than the product
        self.assertAlmostEqual(
            paper("summa_ring", "ring", platform="slow"), 128 * slow + 2 * 62 * slow
        )
        one_link = 4e-6 + 65536 * 512 * 4 / 12.5e9  # a row of ranks: A alone goes round
        self.assertAlmostEqual(
            paper("summa_ring", "ring", p=1, q=2),
            128 * 2 * 65536 * 32768 * 512 / 1e12 + 2 * one_link,
        )
        self.assertAlmostEqual(
            paper("summa_ring_dealt", "ring", p=1, q=2),
            128 * (2 * 65536 * 32768 * 512 / 1e12 + one_link),
        )
        for ring in "summa_ring", "summa_ring_dealt":  # a column: B alone
            self.assertEqual(paper(ring, "ring", p=2, q=1), paper(ring, "ring", p=1, q=2))

    def test_a_rank_alone_sends_nothing(self):
        for _, kernel, bcast, block in simulate.CURVES:
            self.assertAlmostEqual(paper(kernel, bcast, block, 1, 1), 2 * 65536**3 / 1e12)

    def test_the_reference_has_these_figures_and_the_simulation_stays_below(self):
        rows = simulate.rows_of(ROOT / "plots/reference/simulated/simulated.csv")
        self.assertEqual(len(rows), 2 * 6 * len(simulate.CURVES))
        self.assertEqual(
            {(row["curve"], row["variant"], row["bcast"], int(row["block"])) for row in rows},
            set(simulate.CURVES),
        )
        for row in rows:
            p, q = map(int, row["grid"].split("x"))
            seconds = paper(row["variant"], row["bcast"], int(row["block"]), p, q, row["platform"])
            self.assertEqual(row["alpha_beta_s"], f"{seconds:.6g}")
            ideal = 2 * simulate.N**3 / int(row["ranks"]) / simulate.FLOPS
            self.assertEqual(row["alpha_beta"], f"{ideal / seconds:.4f}")
            self.assertAlmostEqual(
                float(row["efficiency"]), ideal / float(row["seconds"]), delta=1e-4
            )
            self.assertLessEqual(float(row["efficiency"]), float(row["alpha_beta"]))
            if row["platform"] == "fast" and row["bcast"] == "ring":
                self.assertGreater(float(row["efficiency"]), 0.97 * float(row["alpha_beta"]))


class Simulates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        smpirun = self.out / "smpirun"
        smpirun.write_text(f'#!/bin/sh\necho "$@" >>{self.out}/called\necho 281.475 7\n')
        smpirun.chmod(0o755)
        path = mock.patch.dict(os.environ, PATH=f"{self.out}:{os.environ['PATH']}")
        path.start()
        self.addCleanup(path.stop)

    def run_it(self, *arguments):
        self.said = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(
            self.said
        ), mock.patch.object(simulate, "draw") as self.draw:
            return simulate.main(
                [str(self.out / "smpirun"), "--out", str(self.out / "report"), *arguments]
            )

    def test_each_curve_once_and_what_is_there_not_again(self):
        self.assertEqual(self.run_it("--ranks", "2"), 0)
        with open(self.out / "report/simulated.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), simulate.COLUMNS)
        self.assertEqual(
            [(row["platform"], row["curve"]) for row in rows],
            [(platform, curve[0]) for platform in simulate.PLATFORMS for curve in simulate.CURVES],
        )
        paper = simulate.alpha_beta("fast", "summa_blocking", "binomial_tree", 512, 1, 2)
        self.assertEqual(
            list(rows[0].values()),
            [
                "fast",
                "blocking",
                "summa_blocking",
                "binomial_tree",
                "512",
                "2",
                "1x2",
                "65536",
                "281.475",
                "1.0000",
                "7",
                f"{paper:.6g}",
                f"{281.474976710656 / paper:.4f}",
            ],
        )
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

#!/usr/bin/env python3
"""What stands in the charts of a small machine written by hand, and that gnuplot draws each: python3 tools/charts_test.py"""
import re, shutil, subprocess, sys, tempfile, unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import charts, ladder, measured, scaling

CPU, GPU = "Test CPU (2 cores)", "NVIDIA G1"


def row(step, variant, n, seconds, **more):
    """A row of results.csv: a right square product, run five times, unless told otherwise; 2 GFLOP at n = 1000."""
    cells = dict.fromkeys(measured.COLUMNS, "")
    cells |= {"step": step, "variant": variant, "type": "f32", "m": n, "n": n, "k": n, "threads": 1, "ranks": 1, "device": CPU,
              "repeat": 5, "best_s": seconds * 0.8, "median_s": seconds, "mean_s": seconds, "stddev_s": seconds / 4,
              "verdict": "right", "compiler": "g++ 12", "host": "here", "started": "2026-11-21T08:30:00Z"} | more
    return ",".join(map(str, cells.values()))


def foretold(step, variant, n, seconds, limit, predicted, **more):
    """A row with a prediction, and bytes that make 0.5 FLOP for each one between L1 and the core and 2 beyond."""
    beyond = n**3
    return row(step, variant, n, seconds, limit=limit, predicted_s=predicted, bytes_l1=4 * beyond, bytes_l2=beyond, bytes_l3=beyond,
               bytes_memory=beyond / 4, **more)


def on_gpu(step, variant, n, seconds, **more):
    phases = {"alloc_s": 1e-3, "copy_in_s": 3e-3, "copy_out_s": 2e-3}
    return foretold(step, variant, n, seconds, "shared", seconds / 2, **{"device": GPU, **phases, **more})


ROWS = [
    foretold("01_naive", "ijk", 500, 0.25, "chain", 0.1), foretold("01_naive", "ijk", 1000, 2.0, "chain", 0.8, quiet="no"),
    foretold("01_naive", "checked", 1000, 1.0, "chain", 0.5),
    row("01_naive-O0", "ijk", 1000, 8.0), row("01_naive-O0", "checked", 1000, 16.0, repeat=1), row("01_naive-O0", "ijk", 2000, 1.0),
    row("01_naive-O2", "ijk", 1000, 4.0), row("01_naive-O3", "ijk", 1000, 2.0, quiet="no"),
    *(row("02_loop_order", "ijk", n, n**3 / 4e8) for n in (100, 200, 400, 500)),
    foretold("02_loop_order", "ikj", 1000, 0.1, "L1", 0.08), foretold("02_loop_order", "kij", 1000, 0.109, "L2", 0.05),
    foretold("02_loop_order", "jki", 1000, 40, "memory", ""), row("02_loop_order-native", "ikj", 1000, 0.05),
    *(foretold("03_tiling", "tiled", 1000, 0.2 + tile / 1e3, "L2", 0.1, tile=tile) for tile in (16, 32, 64, 128)),
    *(row("03_tiling-native", "tiled", 1000, 0.1 + abs(tile - 64) / 1e3, tile=tile) for tile in (16, 32, 128)),
    foretold("03_tiling-native", "tiled", 1000, 0.1, "L1", 0.09, tile=64),
    *(row("04_openmp", "tiled", 1000, 0.2 / p + tile / 1e3, threads=p, tile=tile) for p in (2, 4) for tile in (8, 16, 32)),
    *(row("04_openmp", "tiled", 1000, 0.2 + tile / 1e3, tile=tile) for tile in (8, 16)),
    foretold("04_openmp", "rows", 1000, 0.4, "flops", 0.3), foretold("04_openmp", "rows", 1000, 0.3, "flops", 0.1, threads=2),
    foretold("04_openmp", "rows", 500, 0.1, "flops", 0.1),
    row("04_openmp", "late", 1000, 0.5, threads=2), row("04_openmp", "late", 1000, 0.25, threads=4),
    *(row("04_openmp", name, 1000, seconds / p, threads=p) for name, seconds in (("sums_padded", 0.5), ("sums_side_by_side", 0.9))
      for p in (1, 2)),
    *(foretold("04_openmp", "touched_by_one", 1000, 0.01 / p, "flops", 0.01, threads=p) for p in (1, 2)),
    row("05_avx2", "packed", 700, 0.02),
    *(foretold("06_mpi", name, 1000, 1.2 / p, "flops", 0.1, ranks=p, **more) for name, more in (
        ("rows", {"distribute_s": 0.1, "collect_s": 0.05}), ("summa", {})) for p in (1, 2, 4)),
    row("06_mpi", "summa", 500, 0.15), row("06_mpi", "summa", 2000, 3.0, ranks=4), row("06_mpi", "summa", 2000, 9.6),
    row("06_mpi", "alone", 1000, 1.0), row("06_mpi", "apart", 1000, 0.9, ranks=2), row("06_mpi", "apart", 1000, 0.8, ranks=4),
    row("06_mpi", "summa", 1000, 0.25, ranks=2, threads=2, quiet="no"),
    row("06_mpi", "summa", 1000, 0.1, ranks=2, threads=2, grid="1x2", distribute_s=0.9),
    row("06_mpi", "summa", 1000, 0.6, threads=2), row("06_mpi", "summa", 1000, 0.4, threads=4),
    on_gpu("07_cuda_global", "slow", 1000, 0.00625, block="32x32"), on_gpu("07_cuda_global", "slow", 500, 0.001, block="16x16"),
    on_gpu("07_cuda_global", "plain", 1000, 0.05, block="4x4", repeat=1),
    on_gpu("07_cuda_global", "plain", 1000, 4e-4, block="32x32"), on_gpu("07_cuda_global", "plain", 1000, 5e-4, block="64x8", quiet="no"),
    on_gpu("07_cuda_global", "plain", 1000, 5e-4, block="8x8"),
    *(on_gpu("08_cuda_shared", "shared", 1000, 4e-3 / tile, tile=tile) for tile in (8, 16, 32)),
    on_gpu("08_cuda_shared", "unified", 1000, 1e-3, tile=16, copy_in_s="", copy_out_s=0)]
FACTS = "\n".join((
    "processor,,,,,2,threads,Test CPU (2 cores)", "cache,,,,L1,3072,B,", "cache,,,,L2,196608,B,", "cache,,,,L3,25165824,B,",
    "latency,f32,,1,add,0.8,ns,", "latency,f32,,2,add,0.8,ns,", "latency,i32,,1,add,0.2,ns,", "peak,f32,avx2,1,,100,GFLOP/s,",
    "peak,f32,sse2,1,,50,GFLOP/s,", "peak,f32,avx2,2,,0.2,TFLOP/s,", "peak,f32,sse2,2,,140,GFLOP/s,", "bandwidth,,sse2,1,L1,90,GB/s,",
    "bandwidth,,avx2,1,L1,200,GB/s,", "bandwidth,,avx2,1,L2,80,GB/s,", "bandwidth,,avx2,1,L3,60,GB/s,",
    "bandwidth,,avx2,1,memory,20,GB/s,", "bandwidth,,avx2,2,L1,400,GB/s,", "bandwidth,,avx2,2,memory,25,GB/s,",
    "library,f32,OpenBLAS,1,1000x1000x1000,90,GFLOP/s,", "library,f32,OpenBLAS,1,500x500x500,70,GFLOP/s,",
    "library,f32,BLIS,1,1000x1000x1000,80,GFLOP/s,", "library,f32,oneDNN,2,1000x1000x1000,170,GFLOP/s,",
    "gpu,,cuda,,,4,multiprocessors,NVIDIA G1; compute capability 9.0", "peak,f32,cuda,,,50,TFLOP/s,",
    "bandwidth,,cuda,,shared,30000,GB/s,", "bandwidth,,cuda,,L2,8000,GB/s,", "bandwidth,,cuda,,memory,4000,GB/s,",
    "library,f32,cuBLAS,,1000x1000x1000,34000,GFLOP/s,", ""))


def machines(rows, facts=FACTS):
    with tempfile.TemporaryDirectory() as folder:
        results, machine = Path(folder, "results.csv"), Path(folder, "machine.csv")
        results.write_text("\n".join([",".join(measured.COLUMNS), *rows]) + "\n", encoding="utf-8")
        machine.write_text(",".join(measured.MACHINE_COLUMNS) + "\n" + facts, encoding="utf-8")
        return measured.load(results, machine)


class Facts(unittest.TestCase):
    """One fact or two of each chart, worked out by hand from ROWS: 2 GFLOP at n = 1000, so 2 / seconds is the rate."""

    @classmethod
    def setUpClass(cls):
        cls.results, = machines(ROWS)
        cls.plan = {chart.name: chart for chart in charts.plan(cls.results)}

    def rates(self, name, line):
        """x and y of a line, to four digits."""
        return [[float(f"{value:.4g}") for value in at[:2]] for at in self.plan[name].lines[line]]

    def test_a_step_stands_for_its_fastest_on_one_thread_and_on_the_most_with_a_core_each(self):
        self.assertEqual(list(self.plan["gflops_f32"].lines), [
            "01_naive: ijk", "02_loop_order: ikj", "03_tiling: tiled", "04_openmp: tiled, 2 threads", "05_avx2: packed", "06_mpi: alone",
            "06_mpi: rows, 2 ranks", "07_cuda_global: plain", "08_cuda_shared: shared"])
        self.assertEqual(self.rates("gflops_f32", "02_loop_order: ikj"), [[1000, 40]], "of the native build")
        self.assertEqual(self.plan["gflops_f32"].settings, {"log": 1, "bold": 8})
        self.assertEqual(self.plan["gflops_f32_04_openmp"].lines.keys(), {
            "tiled, 2 threads", "rows, 2 threads", "late, 2 threads", "sums_padded, 2 threads", "sums_side_by_side, 2 threads", "touched_by_one, 2 threads"})

    def test_peaks_and_libraries_stand_beside(self):
        self.assertEqual(self.plan["gflops_f32"].beside, {
            "libraries, one thread": [[500, 70, 70], [1000, 80, 90]], "peak, one thread: 100": [[500, 100, 100], [1000, 100, 100]],
            "libraries, 2 threads": [[1000, 170, 170]], "peak, 2 threads: 200": [[500, 200, 200], [1000, 200, 200]],
            "cuBLAS, NVIDIA G1": [[1000, 34000, 34000]], "peak, NVIDIA G1: 50000": [[500, 50000, 50000], [1000, 50000, 50000]]})
        self.assertIn("fastest of BLIS, OpenBLAS, oneDNN", self.plan["gflops_f32"].footer)
        self.assertEqual(list(self.plan["gflops_f32_gpu"].lines), ["07_cuda_global: plain", "08_cuda_shared: shared"])

    def test_a_point_has_its_spread_and_says_whether_it_was_disturbed(self):
        first, second = self.plan["time_f32"].lines["01_naive: ijk"]
        self.assertEqual((first, second[-1]), ([500, 0.25, 0.2, 0.3125, False], True))
        self.assertIn("hollow", self.plan["time_f32"].variables("here")["footer"])
        self.assertNotIn("hollow", self.plan["time_f32_05_avx2"].variables("here")["footer"])
        self.assertEqual(self.rates("speedup_f32", "02_loop_order: ikj"), [[1000, 40]])

    def test_tiles_on_one_thread_or_else_on_the_most(self):
        self.assertEqual(self.rates("tiles_f32", "tiled"), [[16, 13.51], [32, 15.15], [64, 20], [128, 12.2]])
        self.assertEqual(list(self.plan["tiles_f32_04_openmp"].lines), ["tiled, 4 threads"])
        self.assertEqual(self.plan["tiles_f32"].settings["upright_text"], ["T = 16: L1 full", "T = 128: L2 full"])
        self.assertEqual({name: round(of[0][1]) for name, of in self.plan["tiles_f32"].beside.items()}, {"02_loop_order-native: ikj": 40})
        self.assertEqual(list(self.plan["tiles_f32_gpu"].beside), ["07_cuda_global: plain"])

    def test_threads_their_speedup_and_what_is_fitted(self):
        chart = self.plan["threads_speedup_f32"]
        line = next(line for line in chart.lines if line.startswith("04: rows"))
        self.assertEqual((line, self.rates(chart.name, line)), ("04: rows, serial 50.0 %", [[1, 1], [2, 1.333]]))
        self.assertEqual((chart.settings["cores"], chart.settings["upright_text"]), (2, ["2 cores"]))
        self.assertEqual(list(self.plan["threads_sharing_f32"].lines), ["04: sums_padded", "04: sums_side_by_side"])
        self.assertAlmostEqual(scaling.serial_fraction({1: 1.0, 2: 0.6, 4: 0.4, 8: 0.3}, 8), 0.2)
        self.assertIsNone(scaling.serial_fraction({2: 1.0}, 8))

    def test_bars_of_levels_orders_and_block_shapes(self):
        self.assertEqual([bar[0::4] for bar in self.plan["levels_f32"].lines["-O3"]], [["ijk", "1.00~"], ["checked", ""]])
        self.assertEqual({kind: [bar[4] for bar in bars] for kind, bars in self.plan["orders_f32"].lines.items()}["n = 1000, native"][1], "40.0")
        self.assertEqual([bar[0] for bar in self.plan["blocks_f32"].lines["07: plain"]], ["4×4", "8×8", "64×8", "32×32"])
        self.assertEqual([bar[4] for bar in self.plan["blocks_f32"].lines["07: plain"]], ["40.0", "4000", "4000~", "5000"])

    def test_phases_end_to_end(self):
        chart = self.plan["phases_f32"]
        self.assertIn(["07: plain, 6.40 ms", "= 1.00 ms + 3.00 ms + 400 µs + 2.00 ms"], [texts for _, *texts in chart.beside[""]])
        self.assertEqual([[round(1000 * end, 3) for end in bar[1:]] for bar in chart.lines["kernel"] if bar[0] == 0][0], [4, 4.4])
        self.assertIn("4 ranks", self.plan["ranks_phases_f32"].title)

    def test_ranks_strong_weak_and_against_threads(self):
        self.assertEqual(self.rates("ranks_speedup_f32", "06: rows"), [[1, 1], [2, 1.8], [4, 3]])
        self.assertEqual(self.rates("ranks_weak_f32", "06: summa"), [[1, 100], [4, 80]])
        cells = {(cell[4], cell[5]): cell[3] for cell in self.plan["ranks_heat_f32"].lines["GFLOP/s"]}
        self.assertEqual((cells["2 × 2", "06: summa"], cells["4 × 1", "06: summa"], cells["1 × 4", "06: summa"]), ("8.00~", "6.67", "5.00"))

    def test_marks_stand_at_the_bytes_of_their_limit_under_the_roofs(self):
        chart = self.plan["roofline_f32"]
        self.assertEqual([round(at, 9) for at in chart.lines["02: ikj (L1)"][0]], [0.5, 20, 25, False])
        self.assertEqual(chart.settings["slanted_text"], ["L1 200 GB/s", "L2 80.0 GB/s", "L3 60.0 GB/s", "memory 20.0 GB/s"])
        self.assertEqual(chart.settings["flat_text"], ["avx2 100 GFLOP/s", "sse2 50.0 GFLOP/s", "chain 2.50 GFLOP/s"])
        self.assertEqual(self.plan["roofline_f32_2_threads"].settings["flat_text"], ["avx2 200 GFLOP/s", "chain 5.00 GFLOP/s"])
        self.assertEqual(self.plan["roofline_f32_gpu"].settings["slanted"], [8000, 30000, 4000])
        several, = machines(ROWS, FACTS + "peak,f32,cuda,,wgmma,40,TFLOP/s,\n")
        flat = {chart.name: chart.settings.get("flat_text") for chart in charts.plan(several)}
        self.assertEqual(flat["roofline_f32_gpu"], ["peak 50000 GFLOP/s"], "the highest of a GPU's peaks")
        here = charts.here_chart(self.results, "f32", "04_openmp", "rows", 1000)
        self.assertEqual(list(here.lines), ["01: ijk (chain)", "02: ikj (L1)", "03-native: tiled (L1)", "04: rows (flops)"])
        self.assertIsNone(charts.here_chart(self.results, "f32", "05_avx2", "packed", 700), "it predicts nothing")
        self.assertFalse([name for results in machines(ROWS, "") for name in (chart.name for chart in charts.plan(results)) if "roofline" in name])


@unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot here")
class Gnuplot(unittest.TestCase):
    def draw(self, chart):
        """The picture's text, and gnuplot's warnings."""
        run, said = subprocess.run, []

        def heard(command, **options):
            done = run(command, **options)
            said.append(done.stderr)
            return done
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(charts.subprocess, "run", heard):
            charts.draw_one(chart, "a place", Path(folder), ["svg", "png"] if chart.name.startswith("time_f32_0") else ["svg"])
            return (Path(folder) / f"{chart.name}.svg").read_text(encoding="utf-8"), "".join(said)

    def test_every_chart_is_drawn_without_a_word_and_holds_its_names(self):
        results, = machines(ROWS)
        every = [*charts.plan(results), charts.here_chart(results, "f32", "04_openmp", "rows", 1000), ladder.chart(ladder.of_machine(results))]
        for chart in every:
            text, said = self.draw(chart)
            self.assertNotRegex(said, "undefined|warning: S|error", chart.name)
            for name in chart.lines if chart.script not in ("ranks_heat", "ladder") else ():
                self.assertIn(name.replace("&", "&amp;"), text, chart.name)
            self.assertIn("a place" if chart.script != "ladder" else "three plain loops", text)

    def test_a_picture_that_is_not_whole_is_an_error(self):
        """gnuplot ends with 0 when the disk is full, and leaves the beginning of a picture."""
        results, = machines(ROWS)

        def torn(command, **_):
            Path(re.search('out = "(.*?)"', command[2])[1]).write_text("<svg>")
            return subprocess.CompletedProcess(command, 0, "", "")
        with tempfile.TemporaryDirectory() as folder:
            for run, says in ((torn, "the picture is not whole"), (mock.Mock(side_effect=FileNotFoundError()), "there is no gnuplot here"),
                              (lambda command, **_: subprocess.CompletedProcess(command, 1, "", "no\nword"), "gnuplot on time.gp: no word")):
                with mock.patch.object(charts.subprocess, "run", run), self.assertRaisesRegex(measured.Refusal, says):
                    charts.draw_one(charts.plan(results)[0], "", Path(folder))


if __name__ == "__main__":
    unittest.main()

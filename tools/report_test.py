#!/usr/bin/env python3
"""Tests of report.py on small results written by hand: python3 tools/report_test.py"""
import contextlib, html, html.parser, importlib.util, io, os, random, re, shutil, signal, subprocess, sys, tempfile, types, unittest
from pathlib import Path
from unittest import mock

TOOL = Path(__file__).resolve().parent / "report.py"
sys.path.insert(0, str(TOOL.parent))
import charts, drawing, ladder, measured, report, roofline_charts, scaling, standing

NO_JINJA2 = unittest.skipUnless(importlib.util.find_spec("jinja2"), "no jinja2 for this Python")
NO_GNUPLOT = unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot here")


def row(step, variant, n, seconds, type="f32", **more):
    """A row of results.csv: a right square product, run five times, unless told otherwise."""
    cells = dict.fromkeys(measured.COLUMNS, "")
    cells |= {"step": step, "variant": variant, "type": type, "m": n, "n": n, "k": n, "seed": 987654,
              "threads": 1, "ranks": 1, "device": "Test CPU (2 cores)", "repeat": 5,
              "fill": "uniform", "best_s": seconds * 0.9,
              "median_s": seconds, "mean_s": seconds * 1.05, "stddev_s": seconds * 0.1, "verify": "full",
              "error_share": 0.3, "differences": 0, "verdict": "right", "flags": "-O3", "compiler": "g++ 12",
              "host": "here", "commit": "c1", "started": "2026-11-21T08:30:00Z"} | more
    assert len(cells) == len(measured.COLUMNS)
    return ",".join(map(str, cells.values()))


LADDER = [row("01_naive", "ijk", 512, 0.2), row("01_naive", "ijk", 1024, 2.0),
          row("01_naive", "checked", 1024, 1.0),  # faster than the baseline, and still not the first rung
          row("01_naive-O0", "ijk", 1024, 5.0), row("01_naive-O3", "ijk", 1024, 0.001),
          row("02_loop_order", "ijk", 1024, 2.5), row("02_loop_order", "ikj", 512, 0.03),
          row("02_loop_order", "ikj", 1024, 0.25), row("02_loop_order", "kij", 1024, 0.5),
          row("02_loop_order", "ikj", 2048, 2.0)]  # no baseline at this size
THREADS = [row("04_openmp", "tiled", 1024, 0.1 / threads, threads=threads) for threads in (1, 2, 4)]
MACHINE = ",".join(measured.MACHINE_COLUMNS) + "\n" \
          "peak,f32,avx2,1,,100,GFLOP/s,\npeak,f32,avx2,2,,0.2,TFLOP/s,\n"
FULL_MACHINE = MACHINE + """\
processor,,,,,2,threads,Test CPU (2 cores)
cache,,,,L1,32768,B,8 ways; 64 B lines; each core
cache,,,,L2,1048576,B,8 ways; 64 B lines; each core
latency,f32,,1,add,0.8,ns,3.0 cycles
peak,f32,sse2,1,,50,GFLOP/s,
bandwidth,,sse2,1,L1,90,GB/s,triad
bandwidth,,avx2,1,L1,200,GB/s,triad
bandwidth,,avx2,1,L2,80,GB/s,triad
bandwidth,,avx2,1,L3,40,GB/s,triad
bandwidth,,avx2,1,memory,0.02,TB/s,triad
bandwidth,,avx2,2,L1,400,GB/s,triad
library,f32,OpenBLAS,1,1024x1024x1024,40,GFLOP/s,as chosen; 0.3.21
library,f32,OpenBLAS SkylakeX,1,1024x1024x1024,90,GFLOP/s,best; 0.3.21
library,f32,OpenBLAS SkylakeX,2,1024x1024x1024,170,GFLOP/s,best; 0.3.21
library,f32,OpenBLAS SkylakeX,1,1024x1024x64,70,GFLOP/s,best; 0.3.21
library,f32,BLIS,1,1024x1024x1024,80,GFLOP/s,as chosen and best; 0.9
"""


def foretold(step, variant, n, seconds, predicted, limit, **more):
    """A row with a prediction: 4e9 bytes between L1 and the core, 1e9 from each level beyond."""
    levels = {"bytes_l1": "4e9", "bytes_l2": "1e9", "bytes_l3": "1e9", "bytes_memory": "1e9"}
    return row(step, variant, n, seconds, predicted_s=predicted, limit=limit, **levels, **more)


FORETOLD = [foretold("01_naive", "ijk", 1000, 2.0, 0.8, "chain"), foretold("01_naive", "ijk", 2000, 20, 6, "chain"),
            foretold("02_loop_order", "ikj", 1000, 0.1, 0.09, "L1"),
            foretold("02_loop_order", "kij", 1000, 0.2, 0.0125, "L2"),
            foretold("01_naive-O0", "ijk", 1000, 5.0, 1.0, "chain")]
TILES = [row("03_tiling", "tiled", 1024, 0.1 + abs(tile - 64) / 1000, tile=tile) for tile in (32, 64, 128, 512)]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.csv = self.folder / "results.csv"

    def write(self, lines, header=",".join(measured.COLUMNS)):
        self.csv.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")

    def run_tool(self, command, *arguments):
        return self.run_with(command, self.csv, *arguments)

    def run_with(self, *arguments):
        """Runs the tool from another folder than the repository; returns its exit status, stdout and stderr."""
        given = ["report.py", *map(str, arguments)]
        with (contextlib.chdir(self.folder), mock.patch.object(sys, "argv", given), contextlib.redirect_stdout(io.StringIO()) as out,
              contextlib.redirect_stderr(io.StringIO()) as err, mock.patch.object(signal, "signal")):  # the tests' own stay
            try:
                report.main()
                status = 0
            except SystemExit as ended:
                status = ended.code
        return status, out.getvalue(), err.getvalue()

    def machine(self, text=FULL_MACHINE):
        file = self.folder / "machine.csv"
        file.write_text(text)
        return file

    def plan(self, machine=None):
        """{name: chart} of all that was written."""
        return {chart.name: chart for of in measured.load(self.csv, machine) for chart in charts.plan(of)}

    def ladder(self, *arguments):
        status, out, err = self.run_tool("ladder", *arguments)
        self.assertEqual((status, err), (0, ""))
        return out

    def page_of_it(self, *arguments):
        """The page, which every sound file must give; nothing where there is no jinja2."""
        if not importlib.util.find_spec("jinja2"):
            return ""
        status, _, err = self.run_tool("page", "--out", self.folder / "out", *arguments)
        self.assertEqual((status, err), (0, ""))
        return (self.folder / "out" / "index.html").read_text(encoding="utf-8")

    def rungs(self, out):
        """{step: the words of its rung}, of a ladder of one table."""
        lines = [line.split() for line in out.splitlines() if re.match(r"\d\d_", line)]
        return {words[0]: words[1:] for words in lines}


class Ladder(Case):
    def test_best_variant_and_speedup_at_the_largest_size_with_a_baseline(self):
        self.write(LADDER)
        out = self.ladder()
        self.assertEqual(re.findall(r"f32, n = (\d+)", out), ["1024"])
        self.assertEqual(self.rungs(out), {"01_naive": ["ijk", "2.00", "s", "1.07", "1.00×"],
                                           "02_loop_order": ["ikj", "250", "ms", "8.59", "8.00×"]})

    def test_every_size_on_request(self):
        self.write(LADDER)
        self.assertEqual(re.findall(r"n = (\d+)", self.ladder("--all-sizes")), ["512", "1024"])

    def test_at_a_power_of_two_the_size_before_is_shown_too(self):
        near = [row("01_naive", "ijk", n, t) for n, t in ((1000, 1.0), (960, 1.0), (900, 1.0), (768, 0.5))]
        self.write([*LADDER, *near])
        self.assertEqual(re.findall(r"n = (\d+)", self.ladder()), ["1000", "1024"])
        self.write([*LADDER, *near, row("01_naive", "ijk", 1100, 1.0)])
        self.assertEqual(re.findall(r"n = (\d+)", self.ladder()), ["1100"])

    def test_the_last_of_two_like_rows_counts(self):
        self.write([*LADDER, row("02_loop_order", "ikj", 1024, 0.4, commit="c2")])
        self.assertEqual(self.rungs(self.ladder())["02_loop_order"][1:3], ["400", "ms"])
        self.write([*LADDER, row("01_naive", "ijk", 1024, 4.0, commit="c2")])
        self.assertEqual(self.rungs(self.ladder())["02_loop_order"][-1], "16.0×")
        again = [row("01_naive", "ijk", 1024, 8.0, flags="-Og"), row("01_naive", "ijk", 1024, 2.0)]
        self.write(LADDER + again)  # the first of LADDER's baselines, measured again after one with other flags
        self.assertEqual(self.rungs(self.ladder())["02_loop_order"][-1], "8.00×")

    def test_a_wrong_row_is_named_and_never_wins(self):
        for verdict in ("wrong", "", "nonsense"):
            self.write([*LADDER, row("02_loop_order", "too_good", 1024, 1e-4, verdict=verdict, differences=77)])
            out = self.ladder()
            self.assertEqual(self.rungs(out)["02_loop_order"][0], "ikj")
            self.assertRegex(out, "WRONG, left out: 02_loop_order too_good f32 1024×1024×1024.* 77 elements")
        self.write([*LADDER, row("02_loop_order", "ikj", 300, 1e-4, m=700, k=90, verdict="wrong")])
        self.assertIn("WRONG, left out: 02_loop_order ikj f32 700×300×90", self.ladder())

    def test_a_wrong_row_after_a_right_one_of_its_key_takes_its_place(self):
        self.write([*LADDER, row("02_loop_order", "ikj", 1024, 0.1, verdict="wrong", commit="c2")])
        self.assertEqual(self.rungs(self.ladder())["02_loop_order"][0], "kij")

    def test_an_unverified_row_counts_and_is_marked(self):
        for quiet, time in (("", "ms°"), ("no", "ms~°")):
            self.write([*LADDER, row("02_loop_order", "jik", 1024, 0.1, verdict="unverified", quiet=quiet)])
            out, page = self.ladder(), self.page_of_it()
            self.assertEqual(self.rungs(out)["02_loop_order"][:3], ["jik", "100", time])
            self.assertEqual(self.rungs(out)["01_naive"][:3], ["ijk", "2.00", "s"])
            for text in filter(None, (out, page)):
                self.assertEqual(text.count("1 of 11 rows was not verified (marked °)."), 1)
        self.write([*LADDER, *(row("02_loop_order", variant, 64, 1, verdict="unverified") for variant in "ab")])
        self.assertEqual(self.ladder().splitlines()[-1], "2 of 12 rows were not verified (marked °).")

    def test_disturbed_rows_are_marked_and_counted_at_the_end(self):
        def lines(*marks):
            return [row("02_loop_order", f"v{place}", 1024, 0.1 + place, quiet=mark) for place, mark in enumerate(marks)]
        for asked in (LADDER, LADDER + lines("yes", "")):
            self.write(asked)
            self.assertNotIn("~", self.ladder() + self.page_of_it())
            self.assertNotIn("disturbed", self.ladder() + self.page_of_it())
        self.write(LADDER + lines("no"))
        said = "1 of 11 rows was disturbed by other programs (marked ~): make report, called again, measures just this one again."
        out, page = self.ladder(), self.page_of_it()
        self.assertEqual(self.rungs(out)["02_loop_order"][:3], ["v0", "100", "ms~"])
        self.assertEqual(self.rungs(out)["01_naive"][:3], ["ijk", "2.00", "s"])
        self.assertEqual(out.splitlines()[-1], said)
        if page:
            self.assertEqual(page.count(said), 1)
            self.assertEqual(page.count("<td>100 ms~</td>"), 1, "among every row of its step")
            self.assertIn("21.5 GFLOP/s~", page, "in the ladder")
            self.assertIn("<td>2.00 s</td>", page)
        self.write(LADDER + lines("yes", "no", "no"))
        for text in filter(None, (self.ladder(), self.page_of_it())):
            self.assertIn("2 of 13 rows were disturbed by other programs (marked ~): make report, called again, measures just these again.", text)
        # Its quiet successor takes its place, as ever.
        self.write(LADDER + lines("no") + lines("yes"))
        self.assertNotIn("~", self.ladder())

    def test_threads_are_shown(self):
        self.write(LADDER + THREADS)
        self.assertIn("tiled (4 threads)", self.ladder())

    def test_other_machines_are_never_compared(self):
        self.write([*LADDER, row("02_loop_order", "ikj", 1024, 1e-3, host="there")])
        out = self.ladder()
        self.assertIn("8.00×", out)
        self.assertRegex(out, r"02_loop_order +ikj +1.00 ms +2147 +–")

    def test_share_of_peak_is_of_as_many_threads(self):
        machine = self.machine(MACHINE)
        self.write(LADDER + [row("04_openmp", "tiled", 1024, 0.0214748, threads=2), row("06_mpi", "summa", 1024, 0.0214748, ranks=2),
                             row("05_avx2", "packed", 1024, 0.0214748, ranks="")])
        rungs = self.rungs(self.ladder("--machine", machine))
        self.assertEqual(rungs["06_mpi"][-2:], ["50.0", "%"])
        self.assertEqual(rungs["05_avx2"][-2:], ["100", "%"], "one, where it does not say")
        self.assertEqual(rungs["02_loop_order"][-2:], ["8.59", "%"])
        self.assertEqual(rungs["04_openmp"][-2:], ["50.0", "%"])
        self.assertNotIn("peak", self.ladder())
        marked = re.sub(r"(peak,f32,[^\n]*,2,[^\n]*)", r"\1; disturbed: a thread had a processor for 50 % of the time", MACHINE)
        self.assertNotEqual(marked, MACHINE)
        rungs = self.rungs(self.ladder("--machine", self.machine(marked)))
        self.assertEqual((rungs["04_openmp"][-1], rungs["02_loop_order"][-1]), ("%~", "%"))

    def test_lines_may_end_as_on_windows(self):
        self.write(LADDER)
        out = self.ladder()
        self.csv.write_bytes(self.csv.read_bytes().replace(b"\n", b"\r\n"))
        self.assertEqual(self.ladder(), out)

    def test_garbled_numbers_do_not_crash(self):
        garbage = ("", "x", "nan", "inf", "-1", "1e999", "0")
        lines = [row("02_loop_order", f"v{place}", 1024, 0.1, **{column: text})
                 for place, text in enumerate(garbage)
                 for column in ("median_s", "best_s", "stddev_s", "m", "repeat", "threads", "error_share")]
        self.write([*LADDER, *lines, "torn,by,a,crash"])
        self.ladder("--all-sizes")
        self.page_of_it()


class Unfit(Case):
    def shown(self, lines):
        """Every chart, as gnuplot is given it, and every table that ranks or compares."""
        self.write(lines)
        results, = measured.load(self.csv, self.machine(GPU_MACHINE))
        ladders = [[[bar.who(), bar.rate(), bar.percent()] for bar in of.bars] for type in results.types
                   for of in (ladder.of_cores(results, type), ladder.of_gpu(results, type)) if of]
        return ladders, [[chart.name, chart.variables(""), chart.caption, drawing.data_of(chart)] for chart in charts.plan(results)], [
            *report.predicted_tables(results), *report.thread_tables(results), *report.gpu_section("", "", results, {}).tables]

    def test_what_is_wrong_not_square_or_rehearsed_is_in_no_chart_and_no_table(self):
        self.maxDiff = 2000
        lines = [*LADDER, *FORETOLD, *TILES, *GPU, *Ranks.rows(self), *amdahl("rows", 0.1, cores=2)]
        before = self.shown(lines)
        for unfit in {"verdict": "wrong"}, {"verdict": ""}, {"m": 8}, {"k": 8}, {"device": "emulator, forward"}:
            twins = [dict(zip(measured.COLUMNS, line.split(","))) for line in lines]
            for twin in twins:  # the same thousand times as fast, built in another way: a row of its own
                twin |= {name: float(twin[name]) / 1000 for name in ("best_s", "median_s", "mean_s")} | {"flags": "-Ofast"} | unfit
            for found, own in zip(self.shown(lines + [",".join(map(str, twin.values())) for twin in twins]), before):
                self.assertEqual(found, own, unfit)


class Predicted(Case):
    def predicted(self, *arguments):
        status, out, err = self.run_tool("predicted", *arguments)
        self.assertEqual((status, err), (0, ""))
        return out

    def test_ratio_limit_and_mark_at_the_size_most_variants_have(self):
        self.write(FORETOLD)
        out = self.predicted()
        self.assertRegex(out, r"f32, n = 1000")
        self.assertRegex(out, r"01_naive +ijk +800 ms +2.00 s +2.50× +! +chain of additions\n")
        self.assertRegex(out, r"02_loop_order +ikj +90.0 ms +100 ms +1.11× +L1 bandwidth\n")
        self.assertRegex(out, r"02_loop_order +kij +12.5 ms +200 ms +16.0× +! +L2 bandwidth\n")
        self.assertIn("notes say why", out)
        self.assertNotIn("01_naive-O0", out)
        self.assertRegex(self.predicted("--machine", self.machine()), r"ikj .* 20.0 %\n")

    def test_the_size_given(self):
        self.write(FORETOLD)
        self.assertRegex(self.predicted("--size", 2000), r"n = 2000.*\n.*\n01_naive +ijk +6.00 s +20.0 s +3.33×")
        status, _, err = self.run_tool("predicted", "--size", 7)
        self.assertEqual((status, "size 7" in err), (2, True))

    def test_too_fast_is_marked_too_and_near_is_not(self):
        for seconds, mark in ((0.4, "!"), (0.5, ""), (2.0, ""), (2.1, "!")):
            self.write([foretold("01_naive", "ijk", 1000, seconds, 1.0, "L3")])
            self.assertEqual("!" in self.predicted(), bool(mark), seconds)

    def test_the_best_tile_stands_for_its_variant(self):
        self.write([foretold("03_tiling", "tiled", 1000, time, 0.3, "memory", tile=tile)
                    for tile, time in ((16, 0.5), (32, 0.4), (64, 0.6))])
        self.assertEqual(re.findall(r"tile \d+", self.predicted()), ["tile 32"])

    def test_other_ranks_and_threads_are_rows_of_their_own(self):
        for name in "ranks", "threads":
            self.write([foretold("06_mpi", "summa", 1000, 1 / count, 9, "L1", **{name: count}) for count in (1, 2, 4)])
            self.assertEqual(re.findall(r"summa.* 9.00 s +(\S+ m?s)", self.predicted()), ["1.00 s", "500 ms", "250 ms"], name)

    def test_no_prediction_is_a_refusal(self):
        self.write(LADDER)
        status, out, err = self.run_tool("predicted")
        self.assertEqual((status, out, err.count("\n")), (2, "", 1))

    def test_garbled_predictions_do_not_crash(self):
        lines = [row("02_loop_order", f"v{place}", 1000, 0.1, predicted_s=text, **more)
                 for place, (text, more) in enumerate((
                     ("x", {"limit": "L9"}), ("0", {}), ("nan", {"limit": "L1"}),
                     ("1", {"limit": "flops", "bytes_l1": "x"}), ("1", {"limit": "L2", "bytes_l2": 0}),
                     ("", {"limit": "L2", "bytes_l2": "1e9"}), ("1", {"bytes_l1": 1})))]
        self.write(FORETOLD + lines)
        self.predicted("--machine", self.machine())
        self.page_of_it("--machine", self.machine())


class Cells(unittest.TestCase):
    """What a cell, a row and a fact say, at the ends of what is told apart."""
    def test_numbers(self):
        for text, value in (("0", 0), ("1.01e-30", 1.01e-30), ("9.9e29", 9.9e29), *dict.fromkeys(("1e-30", "1e30", "-1", "9e-31", "nan", "", "1 s")).items()):
            self.assertEqual(measured.number(text), value, text)

    def test_a_count_that_is_missing(self):
        of = measured.Row(dict(zip(measured.COLUMNS, row("01_naive", "ijk", 64, 1, threads="", tile="x").split(","))))
        self.assertEqual((of.threads, of.tile, of.n), (0, 0, 64))

    def test_spread_from_the_best_to_the_mean_and_a_deviation(self):
        def spread(**cells):
            return measured.Row(dict(zip(measured.COLUMNS, row("01_naive", "ijk", 64, 2, **cells).split(",")))).spread()
        self.assertEqual(spread(repeat=2, mean_s=2.5, stddev_s=0.25), (1.8, 2.75))
        self.assertEqual(spread(best_s=3, mean_s=1), (2, 2), "the median lies within")
        for odd in (dict(repeat=1), dict(best_s=""), dict(mean_s=""), dict(stddev_s="")):
            self.assertIsNone(spread(**odd), odd)

    def test_a_place_is_cut_off(self):
        cells = {"device": "d" * 100, "compiler": "c" * 50, "started": ""}
        self.assertEqual(measured.place_of([cells, cells]), "d" * 100 + ", " + "c" * 28)

    def test_values_with_their_units(self):
        for value, unit, text in ((2**30, "B", "1 GiB"), (2**30 - 2**20, "B", "1023 MiB"), (2**20, "B", "1 MiB"), (2**20 - 2**10, "B", "1023 KiB"),
                                  (512, "B", "0.5 KiB"), (999.95, "GB/s", "1000 GB/s"), (12345.6, "", "12346"), (0.81234, "ns", "0.8123 ns")):
            self.assertEqual(report.amount(types.SimpleNamespace(value=value, unit=unit)), text)

    def test_a_line_is_added_after_the_whole_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "some.csv")
            for before, after in ((None, "a,b,c\n1,2 3,4\n"), ("", "a,b,c\n1,2 3,4\n"), ("a,b", "a,b,c\n1,2 3,4\n"), ("a,b,c\n", "a,b,c\n1,2 3,4\n"),
                                  ("a,b,c\n7,8,9\n7,8", "a,b,c\n7,8,9\n1,2 3,4\n"), ("a,b,c\n7,8,9", "a,b,c\n7,8,9\n1,2 3,4\n")):
                if before is not None:
                    path.write_text(before)
                measured.append(path, ["a", "b", "c"], [1, "2,3", "4"])
                self.assertEqual(path.read_text(), after, before)
            with self.assertRaisesRegex(measured.Refusal, f"^cannot write {folder}: "):
                measured.append(folder, ["a"], [1])


class Refusals(Case):
    def refuse(self, says):
        for command in (["ladder"], ["draw", "--out", "out"], ["page", "--out", "out"]):
            status, out, err = self.run_tool(*command)
            self.assertEqual((status, out, err.count("\n")), (2, "", 1), err)
            self.assertIn(says, err)

    def test_no_file(self):
        self.refuse("cannot read")

    def test_other_columns(self):
        self.write(LADDER, ",".join(measured.COLUMNS[:-1]))
        self.refuse("other columns")

    def test_no_row_at_all(self):
        self.write([])
        self.refuse("holds no row: nothing was measured")

    def test_only_the_page_wants_jinja2(self):
        (self.folder / "jinja2.py").write_text("raise ImportError\n")
        self.write(LADDER)
        for command, status, says in ((["ladder"], 0, ""), (["page", "--out", "out"], 2, "./setup.sh installs it")):
            done = subprocess.run([sys.executable, "-B", str(TOOL), *command, str(self.csv)], cwd=self.folder, text=True,
                                  capture_output=True, env=os.environ | {"PYTHONPATH": str(self.folder)})
            self.assertEqual((done.returncode, done.stderr.count("\n")), (status, status // 2), done.stderr)
            self.assertIn(says, done.stderr)

    def test_what_cannot_be_written(self):
        self.write(LADDER)
        with mock.patch.object(drawing, "picture"):
            status, out, err = self.run_tool("draw", "--out", "results.csv")
        self.assertEqual((status, out, err.count("\n")), (2, "", 1))
        self.assertRegex(err, "report.py: cannot write results.csv/charts[^:]*: ")

    def test_a_terminal_that_lacks_a_sign_and_a_reader_that_leaves(self):
        self.write(LADDER)
        command = [sys.executable, "-B", str(TOOL), "ladder", str(self.csv)]
        done = subprocess.run(command, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "ascii"})
        self.assertEqual((done.returncode, done.stderr, b" 8.00?\n" in done.stdout), (0, b"", True))
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, b""))

    def test_a_machine_file_with_other_columns(self):
        self.write(LADDER)
        self.assertEqual(self.run_tool("ladder", "--machine", self.csv)[0], 2)


class Images(html.parser.HTMLParser):
    """Collects a page's images and links, and what must not be in it."""
    def __init__(self, text):
        super().__init__()
        self.sources, self.links, self.tags = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "img":
            self.sources.append(dict(attributes)["src"])
            assert dict(attributes)["alt"]
        if tag == "a":
            self.links.append(dict(attributes)["href"])


class AnySoundFile(Case):
    """From any rows that a program may write come charts and a page, and the page says what is missing."""

    @NO_GNUPLOT
    def both(self, lines, *arguments):
        self.write(lines)
        self.assertEqual(self.run_tool("ladder", *arguments)[::2], (0, ""))
        self.assertEqual(self.run_tool("draw", "--out", "out", *arguments)[::2], (0, ""))
        return self.page_of_it(*arguments)

    def expect(self, text, *shown):
        for words in shown if text else ():
            self.assertIn(words, text)

    def test_only_checked(self):
        text = self.both([row("01_naive", "checked", 256, 0.1), row("01_naive", "checked", 512, 0.9)])
        self.expect(text, "so there is no ladder", "<td>checked</td>", "charts/gflops_f32.svg")

    def test_ijk_wrong(self):
        text = self.both([row("01_naive", "rows_of_rows", 256, 0.1), row("01_naive", "checked", 256, 0.2),
                          row("01_naive", "ijk", 256, 0.05, verdict="wrong", differences=9)])
        self.expect(text, "<li>01_naive ijk f32 256×256×256", "9 elements differ", "<td>rows_of_rows</td>")

    def test_touched_by_one_alone(self):
        text = self.both([row("04_openmp", "touched_by_one", 64, 0.1, threads=threads) for threads in (1, 2)])
        self.expect(text, "touched_by_one (2 threads)", "charts/threads_time_f32.svg")

    def test_everything_wrong(self):
        text = self.both([row("01_naive", "ijk", 64, 0.1, verdict="wrong", differences=7),
                          row("02_loop_order", "ikj", 64, 0.1, verdict="wrong")])
        self.expect(text, "<li>01_naive ijk", "<li>02_loop_order ikj", "so there is no ladder",
                    'class="wrong"', "Every row of 01_naive (1;")
        self.assertNotIn('class="ladder"', text)
        self.assertIn("No ladder", self.ladder())

    def test_only_shapes_that_are_not_square(self):
        text = self.both([row("01_naive", "ijk", 64, 0.1, m=32), row("02_loop_order", "ikj", 64, 0.05, m=32)])
        self.expect(text, "so there is no ladder", "<td>32×64×64</td>", "2.00×")

    def test_one_row(self):
        for lines in ([row("02_loop_order", "ikj", 64, 0.1, repeat=1)], [row("01_naive-O3", "ijk", 64, 0.1)],
                      [row("03_tiling", "tiled", 64, 0.1, tile=32)], [foretold("01_naive", "ijk", 1, 0.1, 1, "L1")],
                      [row("06_mpi", "summa", 64, 0.1, ranks=4)], [row("07_cuda", "plain", 64, 0.1, threads="")]):
            self.both(lines, "--machine", self.machine())

    def test_two_hosts(self):
        text = self.both([*LADDER, row("02_loop_order", "ikj", 512, 0.1, host="there"),
                          row("02_loop_order", "ikj", 512, 0.1, host="third", verdict="wrong")])
        self.expect(text, '<p class="lead">here</p>', "there is no ladder", "<li>02_loop_order ikj f32 512×512×512",
                    'src="charts/there_gflops_f32.svg"', 'src="charts/here_speedup_f32.svg"', 'href="charts/there_gflops_f32.dat"')
        self.assertIn("WRONG, left out: 02_loop_order ikj f32 512×512×512", self.ladder())


@NO_JINJA2
class Page(Case):
    def page(self, *arguments):
        return self.page_of_it(*arguments)

    def section(self, text, title):
        """The section of this title, from its heading to the next."""
        return re.search(rf'<h2>{title}</h2></summary>(.*?)(<details class="part"|<h2>The data)', text, re.S)[1]

    def test_text_is_escaped_and_wrong_rows_and_failed_steps_are_named(self):
        failed = self.folder / "failed"
        failed.write_text("00_dies ended with <139>\n")
        self.write([*LADDER, row("02_loop_order", "<script>bad", 1024, 0.1, verdict="wrong", flags="<i>&\"'"),
                    row("03_<b>", "v", 1024, 0.1, device="<u>GPU")])
        text = self.page("--failed", failed)
        self.assertIn("00_dies ended with &lt;139&gt;", text)
        self.assertIn("02_loop_order &lt;script&gt;bad", text.split("The processor")[0])
        self.assertEqual(text.count('role="alert"'), 1, "one box for all")
        self.assertNotIn("20.0×</td><td>wrong", text, "a wrong result has no speedup")
        self.assertFalse(Images(text).tags & {"script", "i", "u"})
        self.assertNotIn("03_<b>", text)

    def test_no_failure_is_claimed_without_one(self):
        empty = self.folder / "failed"
        empty.write_text("")
        self.write(LADDER)
        for arguments in ((), ("--failed", empty), ("--failed", self.folder / "none")):
            self.assertNotIn('class="bad"', self.page(*arguments))

    def test_it_opens_with_the_first_type_that_has_a_ladder(self):
        self.write([row("01_naive-O3", "ijk", 64, 0.1), row("02_loop_order", "ikj", 64, 0.1, type="f64")])
        self.assertIn("f64, n = 64. 100 % is", self.page())

    def test_every_chart_and_row_is_there(self):
        self.write(LADDER + THREADS)
        images = Images(text := self.page())
        names = set(self.plan())
        self.assertGreater(len(names), 8)
        self.assertEqual({f"charts/{name}.svg" for name in names}, set(images.sources))
        self.assertLessEqual({f"charts/{name}.{end}" for name in names for end in ("svg", "dat")}, set(images.links))
        captions = map(html.unescape, re.findall("<figcaption>(.*?) <a ", text))
        self.assertEqual(sorted(captions), sorted(chart.caption for chart in self.plan().values()))
        self.assertIn("../results.csv", images.links)
        self.assertIn("Every row of 02_loop_order (5; compiled with -O3)", text)
        self.assertIn("Every row of 01_naive-O0 (1;", text)


    def test_what_the_machine_can_do_and_what_was_predicted(self):
        self.write(FORETOLD)
        text = self.page("--machine", self.machine())
        for shown in ("What the machine can do", "32 KiB", "0.8 ns", "OpenBLAS SkylakeX", "1024×1024×64", "as chosen",
                      "Predicted and measured", "notes say why", "<td>chain of additions</td>", '<tr class="far">',
                      "<th>predicted</th><th>limit</th>"):
            self.assertIn(shown, text)
        self.assertNotIn("<details open>", text, "long tables are folded")
        self.write([row("01_naive", "ijk", 64, 1.0, verdict="wrong")])
        self.assertEqual(self.page().count('<tr class="wrong">'), 1)
        self.assertRegex(self.page(), r"\ntr\.wrong td {[^}]+} tr\.far td {", "which looks like nothing else")

    def test_it_opens_with_one_ladder_the_rates_what_was_predicted_and_the_threads(self):
        self.write(FORETOLD + THREADS + [row("04_openmp", "tiled", 1000, 0.05, threads=2)])
        text = self.page("--machine", self.machine())
        places = [text.index(shown) for shown in ("<h1>How fast can Test CPU (2 cores) multiply", "The processor: Test CPU", "f32, n = 1000. 100 % is the peak of all cores, 200 GFLOP/s",
            "three plain loops", "<b>0.5 %</b> 1.00 GFLOP/s", "along the rows", "<b>10 %</b> 20.0 GFLOP/s", "all the cores", "<b>20 %</b> 40.0 GFLOP/s",
            'src="charts/gflops_f32.svg"', "Predicted beside measured", "<td>2.50</td><td>1.00</td><td>chain of additions</td>",
            'src="charts/threads_speedup_f32.svg"', "How to read it", '<details class="part"', 'src="charts/time_f32.svg"')]
        self.assertEqual(places, sorted(places))
        self.assertEqual(text.count('class="ladder"'), 1)
        self.assertNotIn("Above 100", text)
        self.assertEqual(re.sub('<details class="part".*', "", text, flags=re.S).count("<table>"), 1, "the other tables are folded")

    def test_a_share_above_100_and_the_library_are_said(self):
        self.write([row("01_naive", "ijk", 1024, 2.0), row("05_avx2", "avx512_threads", 1024, 0.01, threads=2)])
        text = self.page("--machine", self.machine())
        for shown in ("<b>107 %</b> 215 GFLOP/s", "Above 100 %: the roof was measured in a bad moment.", "OpenBLAS, the best library: 170 GFLOP/s"):
            self.assertIn(shown, text)
        out = self.folder / "bars.svg"
        self.assertEqual(self.run_tool("bars", "--machine", self.machine(), "--out", out)[::2], (0, ""))
        self.assertIn("107 %, 215 GFLOP/s", out.read_text(encoding="utf-8"))

    def test_threads_have_a_section_with_ours_beside_what_others_published(self):
        self.write(LADDER)
        self.assertNotIn(">Threads</h2>", self.page())
        self.write(LADDER + amdahl("tiled", 0.1) + amdahl("tiled_simd", 0.1, type="i32") +
                   amdahl("tiled_simd", 0.9, (1, 2), n=512, type="i32"))
        text = self.page()
        threads = re.sub("<[^>]*>", "|", self.section(text, "Threads"))
        for shown in ("|04_openmp||tiled||1.00 s||4||325 ms||3.08×||76.9 %||10.0 %|",
                      "|8, beyond the cores||325 ms||3.08×||38.5 %||10.0 %|", "shared bandwidth included",
                      "Ours: 04_openmp tiled_simd, i32, n = 1024.", "|2||1.82×||91 %||1.82×||91 %|",
                      "|16||6.71×||42 %||–||–|", "Ours: not measured here.", "|2||1.27×||63 %||–||–|"):
            self.assertIn(shown, threads)

    def test_nothing_of_it_without_machine_and_predictions(self):
        self.write(LADDER)
        text = self.page()
        for absent in ("What the machine can do", "Predicted and measured", "<th>predicted</th>", "roofline"):
            self.assertNotIn(absent, text)

    def test_another_processors_machine_file_is_not_this_ones(self):
        self.write(FORETOLD)
        machine = self.machine(FULL_MACHINE.replace("Test CPU", "Other CPU"))
        text = self.page("--machine", machine)
        self.assertNotIn("What the machine can do", text)
        self.assertNotIn("% of peak", text)
        self.assertFalse([name for name in self.plan(machine) if name.startswith("roofline")])
        self.assertIn("What the machine can do", self.page("--machine", self.machine(
            FULL_MACHINE.replace("(2 cores)", "(64 cores)"))), "fewer cores may be used")


class Ranks(Case):
    def rows(self):
        phases = {"distribute_s": 0.1, "collect_s": 0.05}
        return [*(row("06_mpi", "rows", n, 2 / ranks, ranks=ranks, **phases) for n in (1000,) for ranks in (1, 2, 4)),
                *(row("06_mpi", "summa", 1000, 2 / ranks, ranks=ranks) for ranks in (1, 2, 4)),
                row("06_mpi", "summa", 2000, 5, ranks=4), row("06_mpi", "summa", 1000, 0.6, ranks=2, threads=2),
                row("06_mpi", "summa", 1000, 0.4, ranks=1, threads=4)]

    def test_speedup_counts_all_phases_over_those_on_one_rank(self):
        self.write(self.rows()[:6])
        lines = self.plan()["ranks_speedup_f32"].lines
        self.assertEqual([round(y, 4) for _, y, *_ in lines["06: rows"]], [1, round(2.15 / 1.15, 4), round(2.15 / 0.65, 4)])
        self.assertEqual([y for _, y, *_ in lines["06: summa"]], [1, 2, 4])

    def test_weak_scaling_takes_sizes_whose_squares_grow_with_the_ranks(self):
        self.write(self.rows()[3:7])
        self.assertEqual(self.plan()["ranks_weak_f32"].lines["06: summa"][1][:2], [4, 80.0], "8 times the work, 4 ranks, 2.5 times as long")
        phases = {"distribute_s": 0.1, "collect_s": 0.05}
        self.write([row("06_mpi", "rows", 1000, 2, **phases), row("06_mpi", "rows", 2000, 5, ranks=4, **phases),
                    row("06_mpi", "rows", 2041, 1, ranks=4, **phases), row("06_mpi", "rows", 1414, 1.85, ranks=2, **phases)])
        self.assertEqual([[p, round(y, 1)] for p, y, *_ in self.plan()["ranks_weak_f32"].lines["06: rows"]],
                         [[1, 100], [2, round(50 * 1.414**3 * 2.15 / 2, 1)], [4, round(200 * 2.15 / 5.15, 1)]], "all phases; and 2041 is two per cent too much")

    def test_ranks_against_threads_are_as_many_together(self):
        self.write(self.rows()[:9])
        chart = self.plan()["ranks_heat_f32"]
        self.assertEqual(chart.settings["ticks"], '"1 × 4" 0,"2 × 2" 1,"4 × 1" 2')
        self.assertEqual([(x, y, round(rate, 4)) for x, y, rate, _ in chart.lines["GFLOP/s"]],
                         [(2, 0, round(2 / 0.65, 4)), (0, 1, 5), (1, 1, round(2 / 0.6, 4)), (2, 1, 4)])

    def test_a_bar_a_variant_on_the_most_ranks(self):
        self.write(self.rows()[:6])
        chart = self.plan()["ranks_phases_f32"]
        self.assertEqual(chart.lines["distribution"], [[0, 0, 0.1]])
        self.assertEqual([[round(value, 4) for value in bar] for bar in chart.lines["product"]], [[0, 0.1, 0.6], [1, 0, 0.5]])

    def test_they_are_drawn_and_so_are_threads_beyond_all_cores(self):
        self.write([*self.rows()[:9], *(row("04_openmp", "rows", 1000, 1 / threads, threads=threads) for threads in (1, 16))])
        self.assertEqual(self.run_tool("draw", "--out", self.folder / "out")[::2], (0, ""))

    def test_none_without_several_ranks(self):
        self.write([row("06_mpi", "summa", 1000, 1)])
        self.assertFalse([name for name in self.plan() if name.startswith("ranks")])


class Rooflines(Case):
    def test_points_stand_at_the_bytes_of_their_limit(self):
        self.write(FORETOLD)
        chart = self.plan(self.machine())["roofline_f32_02_loop_order"]
        (ikj,), (kij,) = chart.lines["ikj (L1)"], chart.lines["kij (L2)"]
        self.assertEqual([round(value, 4) for value in ikj[:3]], [0.5, 20, 22.2222], "2e9 FLOP over 4e9 bytes of L1")
        self.assertEqual([round(value, 4) for value in kij[:3]], [2, 10, 160], "over 1e9 of L2")
        naive = self.plan(self.machine())["roofline_f32"].lines["01: ijk (chain)"][0]
        self.assertEqual([round(value, 4) for value in naive[:3]], [0.5, 1, 2.5], "a chain: over those of L1")

    def test_roofs_are_of_the_best_vector_set_and_end_at_the_peak(self):
        self.write(FORETOLD)
        chart = self.plan(self.machine())["roofline_f32"]
        self.assertEqual(list(chart.beside), ["L1: 200 GB/s", "L2: 80.0 GB/s", "L3: 40.0 GB/s", "memory: 20.0 GB/s",
                                              "avx2: 100 GFLOP/s", "sse2: 50.0 GFLOP/s",
                                              "chain of additions: 2.50 GFLOP/s"])
        ends = zip((roof[-1] for roof in chart.beside.values()), (0.5, 1.25, 2.5, 5), ("L1", "L2", "L3", "memory"))
        for (x, y, _, label), ridge, level in ends:
            self.assertEqual(label.split()[0], level)
            self.assertAlmostEqual(x, ridge)
            self.assertAlmostEqual(y, 100)

    def test_one_chart_for_one_thread_and_one_for_the_most(self):
        self.write(FORETOLD + [foretold("04_openmp", "rows", 1000, 0.1, 0.05, "L1", threads=threads)
                               for threads in (1, 2)])
        plan = self.plan(self.machine())
        self.assertEqual(list(plan["roofline_f32"].lines)[2], "04: rows (L1)")
        self.assertEqual(list(plan["roofline_f32_2_threads"].lines), ["04: rows (L1)"])
        self.assertEqual(list(plan["roofline_f32_04_openmp_2_threads"].beside),
                         ["L1: 400 GB/s", "avx2: 200 GFLOP/s", "chain of additions: 5.00 GFLOP/s"])

    def test_a_step_whose_fastest_predicts_nothing_is_there_by_the_fastest_that_does(self):
        self.write(FORETOLD + [row("02_loop_order", "best", 1000, 0.01)])
        self.assertIn("02: ikj (L1)", self.plan(self.machine())["roofline_f32"].lines)

    def test_no_mark_hides_another(self):
        self.write(FORETOLD + [foretold("02_loop_order", variant, 1000, 0.1, 0.09, "L1") for variant in ("ijk", "jik")])
        lines = self.plan(self.machine())["roofline_f32_02_loop_order"].lines
        first, second, third = (lines[f"{variant} (L1)"][0] for variant in ("ikj", "ijk", "jik"))
        self.assertEqual((first[1:], first[1:]), (second[1:], third[1:]))
        self.assertTrue(first[0] < 0.97 * second[0] < 0.97 ** 2 * third[0], "side by side")
        self.assertEqual(first[0], 0.5, "the first where it belongs")

    def test_a_gpu_and_ranks_have_no_place_under_this_roof(self):
        self.write(FORETOLD + [foretold("07_cuda_global", "plain", 1000, 0.01, 0.01, "memory", device="GPU"),
                               foretold("06_mpi", "rows", 1000, 0.1, 0.1, "L1", ranks=2)])
        names = " ".join(self.plan(self.machine())["roofline_f32"].lines)
        self.assertNotIn("07", names)
        self.assertNotIn("06", names)

    @NO_GNUPLOT
    def test_rooflines_and_tiles_are_drawn(self):
        self.write(FORETOLD + TILES)
        status, _, err = self.run_tool("draw", "--machine", self.machine(), "--out", "out")
        self.assertEqual((status, err), (0, ""))
        text = (self.folder / "out" / "charts" / "roofline_f32.svg").read_text()
        for shown in ("01: ijk (chain)", ">memory 20.0 GB/s<", "from measured to predicted",
                      "chain 2.50 GFLOP/s", ">1/2<"):
            self.assertIn(shown, text)
        self.assertIn("T = 52: L1 full", (self.folder / "out" / "charts" / "tiles_f32.svg").read_text())


    @NO_GNUPLOT
    def test_a_long_key_stays_in_the_picture(self):
        self.write(FORETOLD[:1] + [foretold("02_loop_order", f"v{place}", 1000, 0.1 + place, 0.1, "memory")
                                   for place in range(20)])
        self.assertEqual(self.run_tool("draw", "--machine", self.machine(), "--out", "out")[0], 0)
        text = (self.folder / "out" / "charts" / "roofline_f32_02_loop_order.svg").read_text()
        across = {re.search(r"translate\(([\d.]+),[^<]*<text>" + name + "</text>", text)[1]
                  for name in ("v0 .memory.", "v19 .memory.", "from measured to predicted")}
        self.assertEqual(len(across), 2, "two columns")
        self.assertLess(max(map(float, across)), 340)
        self.assertGreater(int(re.search(r'height="(\d+)"', text)[1]), 300 + 11 * 24, "as high as the key needs")


HERE = [*FORETOLD, foretold("02_loop_order-native", "kij", 2000, 1.0, 1.0, "L3"),
        foretold("02_loop_order", "ikj", 2000, 2.0, 1.0, "L1"), foretold("02_loop_order", "kij", 1000, 0.01, 1.0, "L1"),
        foretold("03_tiling-native", "tiled", 2000, 0.5, 1.0, "L2", tile=32), foretold("03_tiling", "tiled", 2000, 0.4, 1.0, "L2"),
        foretold("03_tiling-native", "tiled", 2000, 0.7, 1.0, "L2", tile=16),
        foretold("04_openmp", "tiled", 2000, 0.3, 0.2, "flops"), foretold("04_openmp", "tiled", 2000, 0.2, 0.2, "flops", threads=2),
        foretold("04_openmp", "tiled", 2000, 0.1, 0.2, "flops", threads=4)]


class Here(Case):
    def chart(self, step, variant, n=2000):
        results, = measured.load(self.csv, self.machine(FULL_MACHINE.replace("L1,400", "memory,25,GB/s,triad\nbandwidth,,avx2,2,L1,400")))
        rungs = roofline_charts.climb(results, "f32", step, variant, n)
        return roofline_charts.here_chart(results.machine, "f32", rungs[-1].threads, rungs)

    def test_this_rung_is_marked_and_each_step_before_it_by_its_best(self):
        self.write(HERE)
        chart = self.chart("03_tiling-native", "tiled")
        self.assertEqual(list(chart.lines), ["01: ijk (chain), 0.800", "02-native: kij (L3), 16.0", "03-native: tiled (L2), 32.0"])
        self.assertEqual([points[0][4] for points in chart.lines.values()], ["01", "02", "03 tiled"], "the last is marked")
        self.assertEqual([[round(at, 4) for at in points[0][:2]] for points in chart.lines.values()], [[4, 0.8], [16, 16], [16, 32]])
        self.assertIn("You are here: 03-native tiled, f32, n = 2000, one thread", chart.title)

    def test_on_several_threads_all_stand_under_their_roofs_and_no_more_than_the_cores_count(self):
        self.write(HERE)
        chart = self.chart("04_openmp", "tiled")
        self.assertEqual(list(chart.lines)[2:], ["03: tiled (L2), 40.0", "04: tiled (flops), 80.0"])
        self.assertEqual(list(chart.beside), ["L1: 400 GB/s", "memory: 25.0 GB/s", "avx2: 200 GFLOP/s",
                                              "one thread, avx2: 100 GFLOP/s", "one thread, chain of additions: 2.50 GFLOP/s"])
        self.assertIn("On fewer threads: 01, 02, 03.", chart.footer)

    @NO_GNUPLOT
    def test_it_is_drawn_and_so_are_the_bare_roofs(self):
        self.write(HERE)
        machine = ["--machine", self.machine()]
        self.assertEqual(self.run_tool("here", *machine, "--step", "02_loop_order", "--variant", "ikj", "--out", "a.svg")[::2], (0, ""))
        text = (self.folder / "a.svg").read_text()
        for shown, times in (("02 ikj", 2), ("01", 1), ("02: ikj (L1), 8.00", 1), ("L1 200 GB/s", 1), ("avx2 100 GFLOP/s", 1)):
            self.assertEqual(text.count(f">{shown}<"), times, shown)
        done = subprocess.run([sys.executable, "-B", TOOL, "here", *machine, "--out", "b.svg"], cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn("memory 20.0 GB/s", (self.folder / "b.svg").read_text())
        self.write([line.replace(",f32,", ",f64,") for line in HERE])
        machine[1].write_text(machine[1].read_text() + "peak,f64,avx2,1,,60,GFLOP/s,\n")
        self.assertEqual(self.run_tool("here", *machine, "--type", "f64", "--step", "02_loop_order", "--variant", "ikj", "--out", "c.svg")[::2], (0, ""))
        self.assertIn(">avx2 60.0 GFLOP/s<", (self.folder / "c.svg").read_text())

    def test_refusals(self):
        self.write(HERE)
        for arguments, says in ((["--step", "03_tiling", "--variant", "none", "--out", "a.svg"], "no row of 03_tiling none"),
                                (["--step", "03_tiling", "--out", "a.svg"], "none of the three"),
                                (["--step", "03_tiling", "--variant", "tiled", "--out", "a.pdf"], ".svg or .png")):
            status, out, err = self.run_tool("here", "--machine", self.machine(), *arguments)
            self.assertEqual((status, out, err.count("\n")), (2, "", 1))
            self.assertIn(says, err)


class Tiles(Case):
    def test_lines_marks_and_what_they_are_compared_with(self):
        native = [cells.replace("03_tiling", "03_tiling-native") for cells in TILES]
        self.write(LADDER + TILES + native + [row("02_loop_order-native", "kij", 1024, 0.2)] +
                   [row("03_tiling", "tiled", 2048, 1, tile=tile) for tile in (32, 64)])  # too few tiles at 2048
        chart = self.plan(self.machine())["tiles_f32"]
        self.assertEqual((list(chart.lines), chart.title.partition(":")[0]), (["tiled"], "03_tiling-native"))
        self.assertEqual([point[0] for point in chart.lines["tiled"]], [32, 64, 128, 512])
        self.assertEqual(list(chart.beside), ["02_loop_order-native: kij"])
        self.write(LADDER + TILES)
        chart = self.plan(self.machine())["tiles_f32"]
        self.assertEqual([round(rate, 2) for _, rate in chart.beside["02_loop_order: ikj"]], [8.59, 8.59])
        self.assertEqual(chart.settings["upright_text"], ["T = 52: L1 full", "T = 296: L2 full"])
        self.assertIn("n = 1024", chart.title)

    def test_no_mark_beyond_the_tiles_that_ran(self):
        self.write(LADDER + TILES[:3])
        self.assertEqual(self.plan(self.machine())["tiles_f32"].settings["upright_text"], ["T = 52: L1 full"])

    def test_a_type_that_says_no_width_is_as_wide_as_f32(self):
        for type in ("f0", "word", "f" + "9" * 400):
            self.write([line.replace(",f32,", f",{type},") for line in TILES])
            self.assertEqual(self.plan(self.machine())[f"tiles_{type}"].settings["upright_text"], ["T = 52: L1 full", "T = 296: L2 full"])

    def test_no_chart_of_two_tiles(self):
        self.write(LADDER + TILES[:2])
        self.assertNotIn("tiles_f32", self.plan())

    def test_against_n_a_variant_is_one_line_of_its_best_tiles(self):
        self.write(LADDER + TILES + [row("03_tiling", "tiled", 512, time, tile=tile)
                                     for tile, time in ((32, 0.01), (64, 0.02))])
        plan = self.plan()
        self.assertEqual([point[:2] for point in plan["time_f32_03_tiling"].lines["tiled"]], [[512, 0.01], [1024, 0.1]])
        self.assertIn("best tile", plan["time_f32_03_tiling"].caption)
        self.assertNotIn("best tile", plan["time_f32_02_loop_order"].caption)


    def test_the_largest_size_that_was_swept(self):
        self.write(TILES + [row("03_tiling", "tiled", n, n / 1000, tile=tile) for n in (512, 2048) for tile in (16, 32, 64)])
        chart = self.plan()["tiles_f32"]
        self.assertIn("n = 2048", chart.title)
        self.assertEqual([point[0] for point in chart.lines["tiled"]], [16, 32, 64])

    def test_one_thread_or_else_the_most(self):
        def swept(variant, *counts):
            return [row("04_openmp", variant, 1024, 0.1 / threads + tile / 1e4, threads=threads, tile=tile)
                    for threads in counts for tile in (32, 64, 128)]
        once = [row("04_openmp", "rest", 1024, 0.1, threads=1, tile=32)]  # on one thread only one tile was tried
        self.write(LADDER + TILES + swept("tiled", 1, 2, 4) + swept("rest", 2, 4) + once)
        self.assertEqual(list(self.plan()["tiles_f32"].lines), ["tiled"], "a chart a step")
        lines = self.plan()["tiles_f32_04_openmp"].lines
        self.assertEqual(list(lines), ["rest, 4 threads", "tiled"])
        self.assertEqual(len(lines["rest, 4 threads"]), 3)
        alone = row("x", "x", 1024, 0.1 + 32e-4).split(",")[measured.COLUMNS.index("median_s")]
        self.assertAlmostEqual(lines["tiled"][0][1], 2e-9 * 1024**3 / float(alone))


def amdahl(variant, serial, counts=(1, 2, 4, 8), n=1024, alone=1.0, step="04_openmp", cores=4, **more):
    """Rows of a product that grows faster as Amdahl says, up to the cores."""
    return [row(step, variant, n, alone * (serial + (1 - serial) / min(threads, cores)), threads=threads,
                **{"device": f"Test CPU ({cores} cores)"} | more) for threads in counts]


class Threads(Case):
    def test_the_serial_fraction_is_fitted_up_to_the_cores(self):
        exact = {p: 0.1 + 0.9 / p for p in (1, 2, 4)}
        self.assertAlmostEqual(scaling.serial_fraction(exact | {8: 5.0}, 4), 0.1)
        self.assertAlmostEqual(scaling.serial_fraction({1: 2.0, 2: 1.5}, 2), 0.5, msg="two points: just their ratio")
        self.assertAlmostEqual(scaling.serial_fraction({1: 1, 2: 0.6, 4: 0.25}, 4), 0.5 * 0.1 / (0.25 + 0.5625))
        self.assertEqual(scaling.serial_fraction({1: 1, 2: 0.3}, 2), 0, "faster than ideal")
        self.assertEqual(scaling.serial_fraction({1: 1, 2: 3.0}, 2), 1, "slower than alone")
        for unknown in ({2: 1, 4: 0.5}, {1: 1}, {1: 1, 8: 0.2}):
            self.assertIsNone(scaling.serial_fraction(unknown, 4))

    def test_the_table_has_the_most_threads_and_the_most_that_have_a_core_each(self):
        for cores, counts, shown in ((1, (1, 2), ["2, beyond the cores"]), (4, (1, 2, 4, 8), ["4", "8, beyond the cores"]), (8, (1, 2, 4), ["4"])):
            self.write(amdahl("tiled", 0.1, counts, cores=cores))
            results, = measured.load(self.csv, None)
            self.assertEqual([cells[3] for cells in report.thread_table(results, "f32", scaling.scalings(results, "f32")).rows], shown)

    def test_the_table_marks_what_a_disturbed_or_an_unverified_row_went_into(self):
        for marked, mark in (({"quiet": "no"}, "~"), ({"verdict": "unverified"}, "°")):
            for of, into in ((1, [2, 5, 6, 7, 10, 13, 14, 15]), (2, [7, 15]), (4, [4, 5, 6, 7, 15]), (8, [12, 13, 14])):
                self.write([line for p in (1, 2, 4, 8) for line in amdahl("tiled", 0.1, (p,), **marked if p == of else {})])
                results, = measured.load(self.csv, None)
                first, second = report.thread_table(results, "f32", scaling.scalings(results, "f32")).rows
                self.assertEqual([place for place, cell in enumerate(first + second) if mark in cell], into, first + second)

    def test_the_key_says_it_and_the_fastest_four_have_a_curve(self):
        self.write([line for place in range(6) for line in amdahl(f"v{place}", place / 100, alone=9 - place)])
        plan = self.plan()
        for name in ("threads_speedup_f32", "threads_efficiency_f32"):
            self.assertEqual(list(plan[name].lines)[:2], ["04: v0, serial 0.0 %", "04: v1, serial 1.0 %"])
            settings = plan[name].settings
            self.assertEqual((settings["fit_line"], settings["cores"]), ("6 5 4 3", 4))
            self.assertEqual(settings["fit_serial"].split(), ["0.05", "0.04", "0.03", "0.02"])
            self.assertIn("shared bandwidth", plan[name].caption)
        self.assertEqual(list(plan["threads_time_f32"].lines)[:2], ["04: v0", "04: v1"])

    def test_threads_beyond_the_cores_are_marked_where_there_are_any(self):
        for cores, counts, text in ((2, (1, 2, 4), ["2 cores"]), (16, (1, 2, 4, 8, 16, 32), ["16 cores"]),
                                    (4, (1, 2, 4), None)):
            self.write(amdahl("tiled", 0.1, counts, cores=cores))
            self.assertEqual(self.plan()["threads_speedup_f32"].settings.get("upright_text"), text)

    def test_each_number_of_threads_has_its_best_tile(self):
        self.write([row("04_openmp", "tiled", 1024, seconds, threads=threads, tile=tile)
                    for threads, tile, seconds in ((1, 32, 1.2), (1, 64, 1.0), (2, 32, 0.5), (2, 64, 0.6))])
        plan = self.plan()
        self.assertEqual([at[:2] for at in plan["threads_time_f32"].lines["04: tiled"]], [[1, 1.0], [2, 0.5]])
        self.assertEqual([at[:2] for at in plan["threads_speedup_f32"].lines["04: tiled, serial 0.0 %"]],
                         [[1, 1.0], [2, 2.0]])
        self.assertIn("its best on each number of threads", plan["threads_time_f32"].caption)

    def test_every_programs_fastest_is_among_the_twelve(self):
        rows = [line for place in range(14) for line in amdahl(f"v{place:02}", 0.1, alone=1 + place)]
        self.write(rows + amdahl("slow", 0.1, alone=99, step="05_avx2") + amdahl("late", 0.1, alone=98, step="mine"))
        plan = self.plan()
        names = list(plan["threads_time_f32"].lines)
        self.assertEqual(names, [f"04: v{place:02}" for place in range(10)] + ["05: slow", "mine: late"])
        self.assertEqual(plan["threads_speedup_f32"].settings["fit_line"], "1 12 11 2")

    def test_fast_is_who_is_fast_on_any_number_of_threads(self):
        self.write(amdahl("alone", 0.9, (1, 2), alone=1.0) + amdahl("many", 0.0, (1, 2, 4), alone=2.0))
        self.assertEqual([scaling.variant for scaling in scaling.scalings(measured.load(self.csv, None)[0], "f32")], ["many", "alone"])

    def test_false_sharing_has_a_chart_of_its_own(self):
        pair = amdahl("sums_padded", 0.1) + amdahl("sums_side_by_side", 0.9)
        native = [line.replace("04_openmp", "04_openmp-native") for line in pair]
        self.write(amdahl("tiled", 0.1) + pair + native + amdahl("sums_padded", 0.1, n=2048))
        plan = self.plan()
        self.assertEqual(list(plan["threads_sharing_f32"].lines), ["04: sums_padded", "04: sums_side_by_side"])
        self.assertIn("n = 1024", plan["threads_sharing_f32"].title, "the largest size with both")
        self.write(pair + amdahl("sums_padded", 0.1, n=512) + amdahl("sums_side_by_side", 0.9, n=512))
        self.assertIn("n = 1024", self.plan()["threads_sharing_f32"].title, "the largest of two")
        self.write(amdahl("tiled", 0.1) + pair + native)
        self.assertEqual(list(self.plan()["threads_time_f32"].lines), ["04: tiled"])
        self.write(amdahl("tiled", 0.1) + native)
        self.assertNotIn("threads_sharing_f32", self.plan())

    def test_without_one_thread_there_is_a_time_and_no_speedup(self):
        self.write(amdahl("tiled", 0.1, (2, 4)))
        self.assertEqual([name for name in self.plan() if name.startswith("threads")], ["threads_time_f32"])

    @NO_GNUPLOT
    def test_drawn_with_the_ideal_flat_beyond_the_cores(self):
        self.write(amdahl("tiled", 0.1) + amdahl("sums_padded", 0.1) + amdahl("sums_side_by_side", 0.9))
        self.assertEqual(self.run_tool("draw", "--out", "out")[::2], (0, ""))

        def text(name):
            return (self.folder / "out" / "charts" / f"threads_{name}_f32.svg").read_text()
        self.assertIn("ideal: p×, at most 4×", text("speedup"))
        self.assertIn("up to the cores", text("efficiency"))
        self.assertIn("sums_side_by_side", text("sharing"))
        self.write(amdahl("tiled", 0.1, device="unknown"))
        self.assertEqual(self.run_tool("draw", "--out", "out")[::2], (0, ""))
        self.assertIn(">ideal: p×<", text("speedup"))


class Libraries(Case):
    def test_each_at_its_best_setting_beside_the_steps(self):
        self.write(LADDER)
        plan = self.plan(self.machine())
        self.assertEqual(plan["gflops_f32"].beside, {"libraries, one thread": [[1024, 80, 90]]})
        slower = "library,f32,OpenBLAS Haswell,1,1024x1024x1024,60,GFLOP/s,after the best\n"
        self.assertEqual(self.plan(self.machine(FULL_MACHINE + slower))["gflops_f32"].beside, plan["gflops_f32"].beside)
        self.assertIn("the fastest of BLIS, OpenBLAS,", plan["gflops_f32"].footer)
        self.assertEqual(plan["gflops_f32"].settings["level"], [100])
        self.assertFalse(plan["gflops_f32_02_loop_order"].beside)

    def test_what_has_no_name_is_no_library(self):
        self.write(LADDER)
        nameless = "".join(f"library,f32,{name},1,1024x1024x1024,95,GFLOP/s,\n" for name in ("", "  "))
        self.assertEqual(self.plan(self.machine(FULL_MACHINE + nameless))["gflops_f32"], self.plan(self.machine())["gflops_f32"])
        self.page_of_it("--machine", self.machine(FULL_MACHINE + nameless))

    def test_all_threads_only_where_a_line_has_several(self):
        self.write(LADDER + THREADS)
        chart = self.plan(self.machine())["gflops_f32"]
        self.assertEqual(chart.beside["libraries, 2 threads"], [[1024, 170, 170]])
        self.assertEqual(chart.settings["level"], [100, 200])

    def test_logarithmic_where_the_slowest_is_a_hundredth_of_the_fastest(self):
        for factor, logarithmic in ((99, False), (101, True)):
            self.write([row("01_naive", "ijk", 1024, 1), row("02_loop_order", "ikj", 1024, 1 / factor),
                        row("01_naive-O3", "ijk", 1024, 1 / factor), row("01_naive-O0", "ijk", 1024, 1),
                        *(row("03_tiling", "tiled", 1024, 1 / (factor if tile > 8 else 1), tile=tile) for tile in (8, 16, 32))])
            plan = self.plan()
            for name in ("gflops_f32", "levels_f32", "tiles_f32", "gflops_f32_03_tiling"):
                self.assertEqual("rates" in plan[name].settings, logarithmic and name != "gflops_f32_03_tiling", name)
            self.assertIn("rates", plan["orders_f32"].settings, "always")
        self.assertEqual(drawing.log_axis(0.95, 11)["rates"], '1e0,2e0,"" 3e0 1,"" 4e0 1,5e0,"" 6e0 1,"" 7e0 1,"" 8e0 1,"" 9e0 1,1e1')

    def test_other_numbers_of_threads_do_not_enter_the_headline(self):
        def lines(name):
            return {label: [round(rate * 1e9 / 2 / n**3) for n, rate, *_ in points]
                    for label, points in self.plan()[name].lines.items()}
        seconds = {1: 1, 2: 1 / 5, 4: 1 / 9}  # as fast as none would be: 4 threads are beyond the 2 cores
        self.write([*(row("04_openmp", "tiled", n, seconds[threads], threads=threads)
                      for n in (512, 1024) for threads in (1, 2, 4) if (n, threads) != (512, 2)),
                    row("05_avx2", "packed", 512, 1 / 7), row("05_avx2", "packed_threads", 1024, 1 / 11, threads=2),
                    row("05_avx2", "packed_threads", 512, 1 / 13), row("05_avx2-native", "packed", 1024, 1 / 3)])
        self.assertEqual(lines("gflops_f32"), {"04_openmp: tiled, 2 threads": [5], "05_avx2: packed": [3],
                                               "05_avx2: packed_threads, 2 threads": [11]})
        self.assertEqual(lines("gflops_f32_04_openmp"), {"tiled, 2 threads": [5]})
        self.assertEqual(self.plan()["gflops_f32"].settings["bold"], 2)


GPU_MACHINE = FULL_MACHINE + """\
gpu,,cuda,,,4,multiprocessors,Test GPU; compute capability 9.0
cores,,cuda,,,512,,FP32 units: 128 a multiprocessor
memory,,cuda,,memory,150754820096,B,
peak,f32,cuda,,,50,TFLOP/s,
peak,f64,cuda,,,25000,GFLOP/s,
bandwidth,,cuda,,shared,30000,GB/s,
bandwidth,,cuda,,L2,8000,GB/s,
bandwidth,,cuda,,memory,4000,GB/s,
cache,,cuda,,L1,32768,B,
copy,,cuda,,to_device_pinned,55,GB/s,
library,f32,cuBLAS,,1024x1024x1024,34000,GFLOP/s,
library,f32,cuBLAS pedantic,,1024x1024x1024,35000,GFLOP/s,
library,tf32,cuBLAS,,1024x1024x1024,100000,GFLOP/s,
"""


def on_gpu(step, variant, n, seconds, **more):
    """A row of a GPU, with its phases and a prediction."""
    phases = {"alloc_s": 1e-3, "copy_in_s": 3e-3, "copy_out_s": 2e-3}
    return foretold(step, variant, n, seconds, seconds / 2, "shared", **{"device": "Test GPU", **phases, **more})


GPU = [on_gpu("07_cuda_global", "uncoalesced", 1024, 4e-3, block="32x32"),
       on_gpu("07_cuda_global", "coalesced", 1024, 4e-4, block="32x32"),
       on_gpu("07_cuda_global", "coalesced", 1024, 5e-4, block="8x8"),
       on_gpu("07_cuda_global", "coalesced", 1024, 3e-4, block="32x8"),
       on_gpu("07_cuda_global", "coalesced", 4096, 3e-2, block="32x32"),
       *(on_gpu("08_cuda_shared", "shared", 1024, 2e-3 / tile, tile=tile) for tile in (4, 8, 16))]
REHEARSALS = [on_gpu("07_cuda_global", "coalesced", 1024, 1e-9, device="emulator, forward"),
              on_gpu("10_openacc", "one_each", 1024, 1e-9, device="host fallback: Test CPU (2 cores)"),
              row("01_naive", "ijk", 1024, 1e-9, device="emulator, forward", seed=1)]


class Gpu(Case):
    def test_the_ladder_has_its_steps_over_the_hosts_ijk_and_under_its_own_peak(self):
        self.write(LADDER + GPU)
        rungs = self.rungs(self.ladder("--machine", self.machine(GPU_MACHINE)))
        self.assertEqual(rungs["07_cuda_global"], "coalesced (block 32x8) 300 µs 7158 6667× 14.3 %".split())
        self.assertEqual(rungs["08_cuda_shared"], "shared (tile 16) 125 µs 17180 16000× 34.4 %".split())
        self.assertEqual(rungs["02_loop_order"][-2:], ["8.59", "%"], "the processor's own peak")

    def test_what_is_no_gpu_says_right_or_wrong_and_nothing_else(self):
        self.write(LADDER + GPU + REHEARSALS)
        out = self.ladder("--machine", self.machine(GPU_MACHINE))
        self.assertNotIn("10_openacc", out)
        self.assertNotIn("emulator", out)
        self.assertEqual(self.rungs(out)["02_loop_order"][4], "8.00×", "no baseline")
        for chart in self.plan(self.machine(GPU_MACHINE)).values():
            self.assertFalse([at for points in chart.lines.values() for at in points if at[1] in (1e-9, 2e-9 * 1024**3 / 1e-9)])
        text = self.page_of_it()
        for shown in ("Every row of 10_openacc (1;", "<td>one_each</td>") if text else ():
            self.assertIn(shown, text)
        self.assertNotIn("2147483648", text)
        self.write([*LADDER, on_gpu("07_cuda_global", "coalesced", 64, 1, device="emulator", verdict="wrong")])
        self.assertIn("WRONG, left out: 07_cuda_global", self.ladder())

    def test_the_ladders_sizes_are_those_of_the_types_own_squares(self):
        self.write([row("01_naive", "ijk", 100, 1.0), row("01_naive", "ijk", 200, 1.0, type="f64"), row("01_naive", "ijk", 300, 1.0, m=5),
                    row("02_loop_order", "ikj", 400, 1.0)])
        results, = measured.load(self.csv, None)
        self.assertEqual((results.sizes("f32"), results.sizes("f64")), ([100], [200]))

    def test_its_facts_and_the_processors_are_not_mixed(self):
        self.write(FORETOLD + TILES + GPU)
        results, = measured.load(self.csv, self.machine(GPU_MACHINE))
        self.assertEqual((results.roof("f32", 1).value, results.gpu.most("peak", type="f32")), (100, 50000))
        self.assertEqual(set(results.machine.libraries("f32", 1)), {"OpenBLAS", "BLIS"})
        plan = self.plan(self.machine(GPU_MACHINE))
        self.assertEqual(list(plan["roofline_f32"].beside)[:2], ["L1: 200 GB/s", "L2: 80.0 GB/s"])
        text = self.page_of_it("--machine", self.machine(GPU_MACHINE))
        self.assertNotIn("0 threads", text)

    def test_another_gpus_machine_file_is_not_this_ones(self):
        self.write(LADDER + GPU)
        machine = self.machine(GPU_MACHINE.replace("Test GPU", "Other GPU"))
        self.assertEqual(self.rungs(self.ladder("--machine", machine))["07_cuda_global"][-1], "–")
        plan = self.plan(machine)
        self.assertNotIn("roofline_f32_gpu", plan)
        self.assertEqual((plan["gflops_f32_gpu"].settings.get("level"), plan["gflops_f32_gpu"].beside), (None, {}))

    def test_a_gpus_rows_alone_keep_its_roofs(self):
        self.write(GPU)
        self.assertRegex(self.ladder("--machine", self.machine(GPU_MACHINE)), "n = 4096.*\n.*\n07_cuda.* – +9.16 %")

    def test_the_steps_stand_on_one_axis_and_the_gpus_on_their_own(self):
        self.write(LADDER + GPU)
        plan = self.plan(self.machine(GPU_MACHINE))
        chart = plan["gflops_f32"]
        self.assertIn("07_cuda_global: coalesced", chart.lines)
        self.assertEqual((chart.settings["level"], chart.settings["level_text"][1]),
                         ([100, 50000], "peak 50000¶Test GPU"))
        self.assertEqual(chart.beside["cuBLAS, Test GPU"], [[1024, 35000, 35000]], "the better setting; tf32 is another type")
        self.assertGreater(chart.settings["top"], 50000)
        own = plan["gflops_f32_gpu"]
        self.assertEqual((list(own.lines), list(own.beside), own.settings["level"]),
                         (["07_cuda_global: coalesced", "08_cuda_shared: shared"], ["cuBLAS, Test GPU"], [50000]))

    def test_its_roofline(self):
        self.write(LADDER + GPU)
        chart = self.plan(self.machine(GPU_MACHINE))["roofline_f32_gpu"]
        self.assertEqual(list(chart.beside), ["shared: 30000 GB/s", "L2: 8000 GB/s", "memory: 4000 GB/s",
                                              "peak: 50000 GFLOP/s"])
        x, rate, predicted = chart.lines["08: shared (shared)"][0][:3]
        self.assertEqual([round(value, 3) for value in (x, rate, predicted)],
                         [round(2 * 1024**3 / 4e9, 3), round(2.147483648 / 125e-6, 3), round(2.147483648 / 62.5e-6, 3)])
        self.assertIn("Test GPU", chart.title)
        self.assertIn("roofline_f32_07_cuda_global_gpu", self.plan(self.machine(GPU_MACHINE)))

    def test_its_tiles_and_blocks_have_charts_of_their_own(self):
        self.write(LADDER + TILES + GPU)
        plan = self.plan(self.machine(GPU_MACHINE))
        self.assertEqual(list(plan["tiles_f32"].lines), ["tiled"])
        chart = plan["tiles_f32_gpu"]
        self.assertEqual([at[0] for at in chart.lines["shared"]], [4, 8, 16])
        self.assertEqual((list(chart.beside), "upright" in chart.settings), (["07_cuda_global: coalesced"], False))
        self.assertEqual(plan["blocks_f32"].settings["ticks"], '"8×8" 0,"32×8" 1,"32×32" 2')
        self.assertEqual([len(bars) for bars in plan["blocks_f32"].lines.values()], [1, 3])
        self.write(LADDER + GPU[:2])
        self.assertNotIn("blocks_f32", self.plan())

    def test_phases_end_to_end(self):
        self.write(LADDER + GPU + [on_gpu("08_cuda_shared", "shared_unified", 1024, 1e-3, tile=16, copy_in_s="", copy_out_s=0)])
        chart = self.plan()["phases_f32"]
        self.assertIn("n = 1024", chart.title, "the size that most variants have")
        bars = {phase: [[round(value * 1000, 3) for value in bar[1:]] for bar in of] for phase, of in chart.lines.items()}
        self.assertEqual({phase: bar[1] for phase, bar in bars.items()},
                         {"allocation": [0, 1], "copy in": [1, 4], "kernel": [4, 4.3], "copy out": [4.3, 6.3]})
        self.assertEqual((len(bars["kernel"]), len(bars["copy in"])), (4, 3))
        self.assertEqual([text for _, text in chart.beside[""]][1::2],
                         ["07: coalesced, 6.30 ms: allocation 1.00 ms + copy in 3.00 ms + kernel 300 µs + copy out 2.00 ms",
                          "08: shared_unified, 2.00 ms: allocation 1.00 ms + kernel 1.00 ms"])
        self.write([on_gpu("07_cuda_global", variant, 1024, 1e-3, quiet=quiet) for variant, quiet in (("pitched", "no"), ("coalesced", "yes"))])
        self.assertEqual([text.partition(":")[2].partition(":")[0] for _, text in self.plan()["phases_f32"].beside[""]], [" pitched, 7.00 ms~", " coalesced, 7.00 ms"])

    @NO_GNUPLOT
    def test_all_of_it_is_drawn(self):
        self.write(LADDER + GPU)
        self.assertEqual(self.run_tool("draw", "--machine", self.machine(GPU_MACHINE), "--out", "out")[::2], (0, ""))
        def text(name):
            return (self.folder / "out" / "charts" / f"{name}_f32.svg").read_text()
        for name, shown in (("phases", "copy in 3.00 ms + kernel 300"), ("blocks", ">7158<"),
                            ("gflops", ">peak 50000<"), ("phases", "Test GPU, g++ 12, 2026")):
            self.assertIn(shown, text(name))
        self.assertIn("Test CPU (2 cores) + Test GPU", text("gflops"))
        self.write(LADDER + [on_gpu("07_cuda_global", "coalesced", 1024, 1.7)])
        self.run_tool("draw", "--machine", self.machine(GPU_MACHINE), "--out", "out")
        self.assertEqual(re.findall(r">(\d[\d.]* m?s)<", text("phases")), ["0 s", "500 ms", "1 s", "1.5 s"])

    @NO_JINJA2
    def test_the_page_says_what_speedup_over_cores_is_worth_and_has_the_published_beside(self):
        self.write(LADDER + GPU + [on_gpu("07_cuda_global", "coalesced", 1024, 1e-3, type="i32", block="32x32"),
                                   row("01_naive", "ijk", 1024, 2.0, type="i32")])
        text = re.sub("<[^>]*>", "|", Page.section(self, self.page_of_it("--machine", self.machine(GPU_MACHINE)), "GPU"))
        for shown in ("|07_cuda_global||coalesced (block 32x8)||300 µs||7158||6667×||13||14.3 %|", "an efficiency of nothing",
                      "|140.4 GiB|", "|tf32||cuBLAS||100000|", "Beside Genova 2024: NVIDIA T400, i32",
                      "|global||1024||62.0 ms||34.6||–||–||07 coalesced||1024||1.00 ms||2147||2000×||3.91|",
                      "|shared_global||5000||1.93 s||129||175×||0.45||08 shared||1024, f32||125 µs||17180||16000×||31.2|",
                      "|cuda_shared+merge||2048||11.0 ms||1560||8106×||not measured here||–||–||–||–|",
                      "|device_global||128||11.3||07 uncoalesced||1024, f32||537|", "ours is the nearest one",
                      "|scpa_2024||kernel1/kernel0||–||14.0×||coalesced / uncoalesced||1024||13.3×|"):
            self.assertIn(shown, text)

    def test_a_printed_ratio_is_compared_at_one_type_and_size(self):
        def ratio(*more):
            self.write([*GPU[:2], *more])
            return report.gpu.ratios(measured.load(self.csv, None)[0])[1][0][4:]
        self.assertEqual(ratio(), ["coalesced / uncoalesced", "1024", "10.0×"])
        self.assertEqual(ratio(on_gpu("07_cuda_global", "uncoalesced", 1024, 1e-3, type="f64"), on_gpu("07_cuda_global", "uncoalesced", 512, 1e-3)), ratio())

    def test_the_largest_size_with_a_baseline_and_the_largest_that_most_have(self):
        self.write([*LADDER, *(on_gpu("07_cuda_global", variant, n, 1e-3) for n in (512, 1024, 2048) for variant in ("coalesced", "pitched"))])
        self.assertEqual(report.gpu.sizes(measured.load(self.csv, None)[0], "f32"), [1024, 2048])

    def test_each_type_has_its_own_peak_and_another_gpu_has_none(self):
        self.write([on_gpu("07_cuda_global", "coalesced", 1024, 1e-3, type="f64"), on_gpu("08_cuda_shared", "shared", 1024, 1e-3, type="f64", device="Second GPU")])
        self.assertEqual(self.plan(self.machine(GPU_MACHINE))["gflops_f64_gpu"].settings["level"], [25000])
        rungs = self.rungs(self.ladder("--machine", self.machine(GPU_MACHINE)))
        self.assertEqual((rungs["07_cuda_global"][-2:], rungs["08_cuda_shared"][-1]), (["8.59", "%"], "–"))

    @NO_JINJA2
    def test_without_a_gpu_the_page_shows_the_references_and_says_so(self):
        reference = self.folder / "h200"
        self.write(LADDER)
        without = self.page_of_it("--reference", reference)
        self.assertNotIn("Reference", without)
        reference.mkdir()
        self.write([*GPU, row("01_naive", "ijk", 1024, 3.0, host="there")])
        self.csv.rename(reference / "results.csv")
        self.machine(GPU_MACHINE).rename(reference / "machine.csv")
        self.write(LADDER)
        text = self.page_of_it("--reference", reference)
        other = text.split("Reference, measured on another machine: Test GPU</h2>")[1]
        self.assertIn("A GPU, not this machine&#39;s: Test GPU", text)
        self.assertIn('src="charts/reference_phases_f32.svg"', other)
        self.assertIn('href="charts/reference_phases_f32.dat"', other)
        self.assertIn("They are in no chart of this machine.", other)
        self.assertEqual({chart.name for _, chart, name in charts.named(measured.load(self.csv, None))}, set(self.plan()))
        self.write(LADDER + GPU)
        self.assertNotIn("Reference", self.page_of_it("--reference", reference), "there is a GPU here")
        self.write(LADDER + GPU + [row("01_naive", "ijk", 1024, 1.0, host="there")])
        self.assertNotIn("Reference", self.page_of_it("--reference", reference), "one of two machines has one")

    @NO_GNUPLOT
    def test_the_references_charts_are_drawn_beside_this_machines(self):
        (self.folder / "h200").mkdir()
        self.write(GPU)
        self.csv.rename(self.folder / "h200" / "results.csv")
        self.write(LADDER)
        self.assertEqual(self.run_tool("draw", "--out", "out", "--reference", "h200")[::2], (0, ""))
        folder = self.folder / "out" / "charts"
        self.assertEqual({file.name for file in folder.glob("reference_*.svg")},
                         {f"reference_{name}_f32{gpu}.svg" for name, gpu in (
                             ("phases", ""), ("blocks", ""), ("gflops", "_gpu"), ("tiles", "_gpu"))})
        self.assertNotIn("cuda", (folder / "gflops_f32.dat").read_text())


def duel(variant, rival, n, ratio, /, theirs=100, type="f32", **more):
    """A row of rivals.csv."""
    cells = dict.fromkeys(standing.COLUMNS, "")
    cells |= {"type": type, "m": n, "n": n, "k": n, "threads": 1, "variant": variant, "rival": rival, "pairs": 21,
              "ratio": ratio, "ratio_low": 0.9 * ratio, "ratio_high": 1.1 * ratio, "ours_gflops": ratio * theirs,
              "rival_gflops": theirs, "device": "Test CPU (2 cores)", "flags": "-O3", "compiler": "g++ 12",
              "host": "here", "commit": "c1", "started": "2026-11-21T08:30:00Z"} | more
    assert len(cells) == len(standing.COLUMNS)
    return ",".join(map(str, cells.values()))


DUELS = [duel("avx512", "OpenBLAS SkylakeX", 256, 1.1, 200), duel("avx512", "oneDNN", 256, 0.9, 210),
         duel("avx512", "OpenBLAS SkylakeX", 512, 1.21, 220), duel("avx512", "oneDNN", 512, 1.3, 190),
         duel("avx512", "oneDNN", 256, 0.98, 200, k=32),
         duel("tuned", "OpenBLAS Haswell", 256, 1.0, 100), duel("tuned", "BLIS haswell", 256, 1.2, 90)]


class Rivals(Case):
    def write(self, lines):
        super().write(lines, ",".join(standing.COLUMNS))

    def rivals(self, *arguments):
        status, out, err = self.run_tool("rivals", *arguments)
        self.assertEqual((status, err), (0, ""))
        return out

    def charts(self):
        return {chart.name: chart for chart in (standing.chart(group, False) for group in standing.load(self.csv))}

    def test_the_best_library_of_each_shape_counts_and_what_is_missed_is_marked(self):
        self.write(DUELS)
        out = self.rivals()
        self.assertRegex(out, r"avx512 against every library, f32, 1 thread, Test CPU")
        self.assertRegex(out, r"\n256 +oneDNN +210 +189 +0\.900 +0\.810 – 0\.990 +21 +!\n")
        self.assertRegex(out, r"\n512 +OpenBLAS SkylakeX +220 +266 +1\.210 .* 21\n")
        self.assertRegex(out, r"\n256²×32 +oneDNN +200 +196 +0\.980 .* 21\n")
        self.assertRegex(out, r"\ngeometric mean +1\.022\n", "the cube root of 0.9 · 1.21 · 0.98")

    def test_a_square_is_alike_on_all_three_sides(self):
        self.write([duel("avx512", "oneDNN", 256, 1.0, **{side: 32}) for side in "mnk"] + [duel("avx512", "oneDNN", 256, 1.0)])
        self.assertEqual(standing.load(self.csv)[0].shapes, ["256", "32×256×256", "256×32×256", "256²×32"])

    def test_rates_of_other_minutes_do_not_choose_the_best(self):
        self.write([duel("avx512", "OpenBLAS SkylakeX", 256, 1.1, 200), duel("avx512", "oneDNN", 256, 0.9, 100)])
        self.assertEqual(standing.load(self.csv)[0].best("256").rival, "oneDNN")

    def test_avx2_rungs_have_a_table_of_the_libraries_kept_to_avx2(self):
        self.write(DUELS)
        self.assertEqual([group.title() for group in standing.load(self.csv)],
                         ["avx512 against every library, f32, 1 thread",
                          "tuned against libraries kept to AVX2, f32, 1 thread"])
        self.write([*DUELS, duel("tuned", "oneDNN", 256, 0.5, 200)])
        groups = standing.load(self.csv)[1:]
        self.assertEqual([(group.against, len(group.duels), group.best("256").rival) for group in groups],
                         [("every library", 3, "oneDNN"), ("libraries kept to AVX2", 2, "OpenBLAS Haswell")])

    def test_the_last_of_two_like_rows_counts_and_other_hosts_are_apart(self):
        self.write([*DUELS, duel("avx512", "oneDNN", 256, 1.07, 215, commit="c2"),
                    duel("avx512", "oneDNN", 256, 0.5, 900, host="there")])
        self.assertEqual([group.best("256").ratio for group in standing.load(self.csv)], [1.07, 1.0, 0.5])

    def test_charts_hold_a_line_a_library_and_do_not_join_squares_with_others(self):
        self.write(DUELS)
        plan = self.charts()
        self.assertEqual(list(plan), ["rivals_f32_1_avx512", "rivals_f32_1_tuned_avx2"])
        lines = plan["rivals_f32_1_avx512"].lines
        self.assertEqual(list(lines), ["OpenBLAS SkylakeX", "oneDNN"])
        self.assertEqual([[round(at, 4) for at in point] for point in lines["oneDNN"][:2]],
                         [[0.06, 0.9, 0.81, 0.99, 0], [1.06, 1.3, 1.17, 1.43, 0]])
        gap, last = lines["oneDNN"][2:]
        self.assertTrue(gap[1] != gap[1] and last[0] > gap[0], "NaN: the line is broken")
        settings = plan["rivals_f32_1_avx512"].settings
        self.assertEqual(settings["ticks"], '"256" 0,"512" 1,"256²×32" 2')
        self.assertLess(settings["bottom"], 0.81)
        self.write([*DUELS, duel("avx512", "oneDNN", 256, 1, k=64), duel("avx512", "oneDNN", 256, 1, k=128)])
        points = self.charts()["rivals_f32_1_avx512"].lines["oneDNN"]
        self.assertEqual(["-" if y != y else "o" for _, y, *_ in points], list("oo-o-o-o"), "nor shapes with one another")

    def test_far_faster_than_a_library_does_not_press_the_rest_flat(self):
        self.write([*DUELS, duel("avx512", "Eigen", 256, 9)])
        self.assertEqual(self.charts()["rivals_f32_1_avx512"].settings["top"], standing.TOP)

    @NO_GNUPLOT
    def test_they_are_drawn(self):
        self.write([*DUELS, duel("avx512_threads", "it's `odd`", 7, 1.0, threads=2, type="f64")])
        self.assertIn("3 charts in", self.rivals("--out", "out"))
        folder = self.folder / "out" / "charts"
        text = (folder / "rivals_f32_1_avx512.svg").read_text()
        for shown in ("avx512 against every library, f32, 1 thread", "0.98: the target", "dashed: 0.98 of the best library", "256²×32", "oneDNN",
                      "Test CPU (2 cores), g++ 12, 2026-11-21"):
            self.assertIn(shown, text)
        self.assertTrue((folder / "rivals_f64_2_avx512_threads.png").read_bytes().startswith(b"\x89PNG"))

    def test_a_summary_ends_the_tables(self):
        self.write(DUELS)
        self.assertRegex(self.rivals(), r"\navx512 +every library +f32 +1 +1\.022 +0\.900 at 256, oneDNN +1 of 3\n"
                                        r"tuned +libraries kept to AVX2 .* 0 of 1\n$")

    def test_the_page_shows_them_if_there_are_some(self):
        self.write(DUELS)
        duels = self.csv.rename(self.folder / "rivals.csv")
        super().write(LADDER)
        self.assertNotIn("Beside the libraries", Page.page(self))
        page = Page.page(self, "--rivals", duels)
        for shown in ("Beside the libraries</h2>", 'src="charts/rivals_f32_1_avx512.svg"', "0.900 at 256, oneDNN",
                      "avx512 against every library, f32, 1 thread"):
            self.assertIn(shown, page)
        self.assertEqual(self.run_tool("page", "--out", "out", "--rivals", "none.csv")[0], 2)

    def test_refusals_and_garbage(self):
        self.assertEqual(self.run_tool("rivals")[0], 2)
        super().write(LADDER)
        status, out, err = self.run_tool("rivals")
        self.assertEqual((status, out, err.count("\n")), (2, "", 1))
        self.assertIn("other columns", err)
        self.write([duel("avx512", "oneDNN", 256, 1.0, ratio=text) for text in ("", "x", "nan", "-1", "0")])
        status, _, err = self.run_tool("rivals")
        self.assertEqual((status, "no row to show" in err), (2, True))
        for column in ("m", "n", "k", "threads", "ratio", "ratio_low", "ratio_high", "ours_gflops", "rival_gflops"):
            self.write([duel("avx512", "oneDNN", 256, 1.0, **{column: ""})])
            self.assertEqual(self.run_tool("rivals")[0], 2, column)
        self.write([*DUELS, "f32,256"] + [duel("avx512", f"r{place}", 256, 1.0, **{column: text})
                                          for column in ("m", "ratio_low", "rival_gflops", "threads", "pairs")
                                          for place, text in enumerate(("", "x", "inf", "0"))])
        self.rivals()


class Pairs(unittest.TestCase):
    def summary(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write(text), file.flush()
            done = subprocess.run([sys.executable, "-B", TOOL.parent / "pairs.py", file.name], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_least_median_and_most_of_each_row(self):
        pairs = "".join(f"f32,100,200,50,{pair},{ours},{theirs},GPU\n" for pair, (ours, theirs) in enumerate(
            ((0.001, 0.002), (0.002, 0.002), (0.001, 0.003))))
        self.assertEqual(self.summary("type,m,n,k,pair,ours_s,rival_s,device\n" + pairs + "f64,1,1,1,0,2,1,GPU\n"), (0, (
            "type,m,n,k,pairs,ours_gflops,rival_gflops,ratio_low,ratio,ratio_high\n"
            "f32,100,200,50,3,2.0,1.0,1.000,2.000,3.000\nf64,1,1,1,1,0.0,0.0,0.500,0.500,0.500\n"), ""))

    def test_no_pairs(self):
        status, out, err = self.summary("type,m,n,k,ours_s\n")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("has no pairs", err)
        self.assertEqual(self.summary("pair,ours_s,rival_s\n0,1,2\n")[:2], (0, (
            "pairs,ours_gflops,rival_gflops,ratio_low,ratio,ratio_high\n1,0.0,0.0,2.000,2.000,2.000\n")), "nothing but pairs")
        done = subprocess.run([sys.executable, "-B", TOOL.parent / "pairs.py"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "pairs.py: give the CSV of a duel's pairs\n"))


class Rounds(unittest.TestCase):
    def rounds(self, *files):
        done = subprocess.run([sys.executable, "-B", TOOL.parent / "rounds.py", *files], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_the_fastest_of_each_key(self):
        columns = measured.COLUMNS
        def row(variant, median):
            return ",".join({"variant": variant, "median_s": median}.get(name, "1") for name in columns) + "\n"
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, "1.csv"), Path(folder, "2.csv")]
            for file, rows in zip(files, ([row("a", "2"), row("b", "0.1")], [row("b", "3e-2"), row("a", "10")])):
                file.write_text(",".join(columns) + "\n" + "".join(rows), encoding="utf-8")
            self.assertEqual(self.rounds(*files), (0, ",".join(columns) + "\n" + row("a", "2") + row("b", "3e-2"), ""))
            self.assertEqual(self.rounds(files[0]), (0, files[0].read_text(), ""))

    def test_refusals(self):
        self.assertEqual(self.rounds(), (1, "", "rounds.py: give the CSVs of the rounds\n"))
        with tempfile.TemporaryDirectory() as folder:
            one, other = Path(folder, "1.csv"), Path(folder, "2.csv")
            one.write_text(",".join(measured.COLUMNS) + "\n")
            other.write_text("a,b\n")
            self.assertEqual(self.rounds(one, other), (1, "", f"rounds.py: {other} has other columns than {one}\n"))


class Draw(Case):
    EXPECTED = {"time_f32", "gflops_f32", "speedup_f32", "levels_f32", "orders_f32", "time_f32_01_naive",
                "gflops_f32_01_naive", "time_f32_02_loop_order", "gflops_f32_02_loop_order"}

    def draw(self):
        status, _, err = self.run_tool("draw", "--out", "out")
        self.assertEqual((status, err), (0, ""))
        return {file.name: file for file in (self.folder / "out" / "charts").iterdir()}

    @NO_GNUPLOT
    def test_a_data_file_an_svg_and_a_png_each(self):
        self.write(LADDER)
        files = self.draw()
        self.assertEqual(set(files), {f"{name}.{ending}" for name in self.EXPECTED
                                      for ending in ("dat", "svg", "png")})
        for name, file in files.items():
            content = file.read_bytes()
            if name.endswith(".png"):
                self.assertTrue(content.startswith(b"\x89PNG") and len(content) > 5000, name)
            if name.endswith(".svg"):
                self.assertIn(b"</svg>", content[-20:], name)
                self.assertIn("Test CPU (2 cores), g++ 12, 2026-11-21", content.decode(), name)
        self.assertIn("02_loop_order: ikj", files["time_f32.svg"].read_text())

    def test_a_picture_that_is_not_whole_is_an_error(self):
        """gnuplot ends with 0 when the disk is full, and leaves the beginning of a picture."""
        gnuplot = self.folder / "gnuplot"
        gnuplot.write_text("#!/bin/sh\nout=${2#*; out=\\'}\nprintf '<svg>' >\"${out%%\\'*}\"\n")
        gnuplot.chmod(0o755)
        self.write(LADDER)
        with mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"):
            status, out, err = self.run_tool("draw", "--out", "out")
        self.assertEqual((status, out, err.count("\n")), (2, "", 1))
        self.assertRegex(err, r"report.py: cannot write out/charts/\w+.(svg|png): the picture is not whole; is the disk full\?")

    @NO_GNUPLOT
    def test_thread_charts_only_where_there_are_threads(self):
        self.write(LADDER + THREADS[:1])
        self.assertFalse([name for name in self.draw() if name.startswith("threads")])
        self.write(LADDER + THREADS)
        files = self.draw()
        for chart in ("time", "speedup", "efficiency"):
            for ending in ("svg", "png"):
                self.assertGreater(files[f"threads_{chart}_f32.{ending}"].stat().st_size, 1000)
            self.assertIn(">2 cores<", files[f"threads_{chart}_f32.svg"].read_text())
        self.assertIn("ideal", files["threads_speedup_f32.svg"].read_text())

    @NO_GNUPLOT
    def test_one_point_and_odd_names(self):
        self.write([row("01_naive", "it's \"`odd`\" \\ %s", 7, 1e-6, type="i32", repeat=1, device="O'Brien")])
        self.assertIn("time_i32_01_naive.png", self.draw())
        self.write([row("01_naive", "a\0b", 7, 1e-6, type="i\0", device="a crash\0\0 left it")])
        self.assertIn("time_i-_01_naive.png", self.draw())

    @NO_GNUPLOT
    def test_names_that_no_file_may_have_make_charts_of_their_own(self):
        for names in ("03 x", "03-x", "03_x"), ("03-x", "03 x", "03-x-2"):
            self.write([row(name, "v", 64, 1.0 + place) for place, name in enumerate(names)])
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            drawn = [file.read_text().partition(":")[0] for name, file in self.draw().items() if re.fullmatch(r"time_f32_03.*\.dat", name)]
            self.assertEqual(sorted(drawn), sorted(f"# {name}" for name in names))
            page = self.page_of_it()
            for name in re.findall(r'href="charts/([^"]*)"', page):
                self.assertTrue((self.folder / "out" / "charts" / name).exists(), name)
            self.assertEqual(len(set(re.findall(r'src="charts/(time_f32_03[^"]*)"', page))), 3 * bool(page))

    def test_a_wrong_row_is_not_drawn(self):
        self.write([*LADDER, row("02_loop_order", "too_good", 1024, 1e-4, verdict="wrong")])
        for chart in self.plan().values():
            self.assertNotIn("too_good", drawing.data_of(chart))

    def test_the_spread_is_in_the_charts_unit_and_only_of_several_runs(self):
        self.write([row("01_naive", "ijk", 1000, 2.0), row("01_naive", "ijk", 2000, 16.0, repeat=1)])
        plan = self.plan()
        first, second = plan["time_f32"].lines["01_naive: ijk"]
        self.assertEqual([round(value, 6) for value in first], [1000, 2.0, 1.8, 2.3, 0])
        self.assertTrue(second[2] != second[2] and second[3] != second[3], "NaN: no error bar")
        rates = plan["gflops_f32"].lines["01_naive: ijk"][0]
        self.assertEqual([round(value, 4) for value in rates], [1000, 1.0, 0.8696, 1.1111, 0])


class Disturbed(Case):
    SAYS = "hollow: measured in a disturbed moment"

    @NO_GNUPLOT
    def test_its_points_bars_and_marks_are_hollow_and_the_footer_says_so(self):
        for mark, hollow in (("no", True), ("yes", False), ("", False)):
            self.write([*FORETOLD[:2], foretold("02_loop_order", "ikj", 1000, 0.1, 0.09, "L1", quiet=mark)])
            plan = self.plan(self.machine())
            self.assertEqual(plan["gflops_f32"].lines["02_loop_order: ikj"][0][-1], hollow)
            names = ("gflops_f32", "orders_f32", "roofline_f32", "time_f32_02_loop_order", "time_f32_01_naive")
            self.assertEqual([self.SAYS in plan[name].below("") for name in names], 4 * [hollow] + [False])
            self.assertEqual(self.run_tool("draw", "--machine", self.machine(), "--out", "out")[::2], (0, ""))
            for name in names[:4]:
                text = (self.folder / "out" / "charts" / f"{name}.svg").read_text()
                self.assertEqual(self.SAYS in text, hollow, name)
                if name != "orders_f32":
                    self.assertEqual("rgb(255, 255, 255)' stroke" in text or "color='rgb(255, 255, 255)'" in text, hollow, name)


class Golden(Case):
    """All that the commands print, from rows that have one of everything: as tests/report.txt says.
    After a change that is meant, COURSE_RENEW=1 python3 tools/report_test.py Golden writes them anew, for `git diff` to show."""
    ROWS = [row("01_naive", "ijk", 512, 0.22), row("01_naive", "ijk", 1000, 1.7), row("01_naive", "checked", 1000, 1.3, repeat=1),
            foretold("01_naive", "ijk", 1024, 2.1, 0.84, "chain"), row("01_naive", "ijk", 1024, 3.2, type="f64"),
            row("01_naive", "ijk", 1024, 2.9, type="i32"), row("01_naive", "ijk", 300, 0.4, m=700, k=90),
            row("01_naive-O3", "ijk", 1024, 0.9), row("02_loop_order", "ikj", 512, 0.031, flags="-O2"),
            row("02_loop_order", "ikj", 1000, 0.26), foretold("02_loop_order", "ikj", 1024, 0.28, 0.25, "L1"),
            foretold("02_loop_order", "kij", 1024, 0.53, 0.17, "L2"), row("02_loop_order", "ikj", 2048, 2.3),
            row("02_loop_order", "ikj", 300, 0.05, m=700, k=90, verdict="unverified", error_share=""),
            row("02_loop_order", "too_good", 1024, 1e-4, verdict="wrong", differences=77, error_share=12.5, flags="-O1"),
            row("02_loop_order", "lost", 1024, 1e-3, verdict="", differences="", error_share=""),
            foretold("03_tiling", "tiled", 1024, 0.21, 0.4, "memory", tile=64), foretold("03_tiling", "tiled", 1024, 0.19, 0.4, "memory", tile=32),
            foretold("03_tiling", "tiled", 1024, 0.23, 0.5, "L9", type="f64", tile=32), row("03_tiling", "tiled", 1000, 0.17, tile=32, quiet="no"),
            *(foretold("04_openmp", "tiled", 1024, time, 0.06, "flops", threads=threads, repeat=7) for threads, time in ((1, 0.2), (2, 0.11), (4, 0.13))),
            *(row("04_openmp", "rows", 1024, time, threads=threads) for threads, time in ((1, 0.29), (2, 0.17))),
            *(row("04_openmp", "tiled_simd", 1024, time, type="i32", threads=threads) for threads, time in ((1, 0.4), (2, 0.21), (4, 0.16))),
            *(row("04_openmp", "tiled_simd", 2048, 2 / threads, type="i32", threads=threads) for threads in (2, 4)),
            row("04_openmp", "rows", 512, 0.02, threads=2), *(row("06_mpi", "summa", 1024, 0.5 / threads, ranks=2, threads=threads) for threads in (1, 2)),
            row("05_avx2", "ikj_avx2", 1024, 0.11, quiet="no"), row("06_mpi", "summa", 1024, 0.09, ranks=4, grid="2x2", block="64x64"),
            row("02_loop_order", "ikj", 1000, 0.24, commit="c2", started="2026-11-22T08:30:00Z"),
            on_gpu("07_cuda_global", "coalesced", 512, 1e-9, device="emulator, forward"),
            row("02_loop_order", "ikj", 1024, 0.7, host="there", device="Other CPU (1 cores)"),
            *(row("04_openmp", "tiled", 1024, time, threads=threads, host="there", device="Other CPU (1 cores)") for threads, time in ((1, 0.5), (2, 0.6)))]
    GPU = [*GPU, *(on_gpu("07_cuda_global", "coalesced", n, n * n * 1e-9, type="i32", block="32x32") for n in (1024, 2000)),
           on_gpu("09_cuda_regtile", "square", 1024, 9e-5),
           on_gpu("08_cuda_shared", "shared_unified", 2048, 2e-3, tile=16), on_gpu("07_cuda_global", "coalesced_unified", 2048, 4e-3)]
    DUELS = [*DUELS, duel("tuned", "BLIS haswell", 300, 0.97, 80, k=90), duel("tuned", "BLIS haswell", 300, 0.99, 81, m=600, k=90),
             duel("tuned", "BLIS haswell", 600, 0.95, 82, m=300, k=90), duel("tuned", "BLIS", 256, 0.9, 95), duel("avx512", "MKL", 512, 1.6, 75, type="f64"),
             duel("avx512", "oneDNN", 512, 1.05, 150, threads=2), duel("square", "cuBLAS", 1024, 1.0, 40000, device="Test GPU"),
             duel("avx512", "oneDNN", 512, 1.02, 200, host="there")]

    def command(self, *arguments):
        """What report.py prints for these arguments, in the folder, and of a picture here what is in it."""
        with mock.patch.object(drawing, "picture"), mock.patch.object(report, "picture") as picture:
            status, out, err = self.run_with(*arguments)
        self.assertEqual((status, err), (0, ""))
        drawn = "".join(f"{path}: {chart.title}; {place}; {', '.join([*chart.lines, *chart.beside])}\n"
                        for (chart, place, _, path), _ in picture.call_args_list)
        return f"$ report.py {' '.join(map(str, arguments))}\n{out}{drawn}"

    def is_as_in(self, name, text):
        golden = TOOL.parent.parent / "tests" / name
        if os.environ.get("COURSE_RENEW"):
            golden.write_text(text, encoding="utf-8")
        self.maxDiff = 5000
        self.assertEqual(text.splitlines(), golden.read_text(encoding="utf-8").splitlines())

    def files(self):
        """machine.csv, results.csv of a machine with a GPU and of one without, rivals.csv, and a reference folder."""
        (self.folder / "h200").mkdir()
        for name, lines, columns in (("all.csv", self.ROWS + self.GPU, measured.COLUMNS), ("results.csv", self.ROWS, measured.COLUMNS),
                                     ("h200/results.csv", self.GPU, measured.COLUMNS), ("rivals.csv", self.DUELS, standing.COLUMNS)):
            (self.folder / name).write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")
        for name in ("machine.csv", "h200/machine.csv"):
            (self.folder / name).write_text(GPU_MACHINE, encoding="utf-8")
        (self.folder / "failed").write_text("00_dies ended with 139\n")

    def test_what_is_printed(self):
        self.files()
        machine = ("--machine", "machine.csv")
        said = [self.command(*arguments) for arguments in (
            ("ladder", "results.csv"), ("ladder", "all.csv", *machine), ("ladder", "all.csv", *machine, "--all-sizes"), ("predicted", "results.csv"),
            ("predicted", "all.csv", *machine), ("predicted", "all.csv", "--size", 2048), ("rivals", "rivals.csv", "--out", "out"),
            ("draw", "all.csv", *machine, "--out", "out"), ("here", *machine, "--out", "here.svg"),
            *(("here", "all.csv", *machine, "--step", step, "--variant", variant, "--size", 1024, "--out", "here.png") for step, variant in (
                ("01_naive", "ijk"), ("04_openmp", "tiled"), ("07_cuda_global", "coalesced"), ("08_cuda_shared", "shared"))))]
        said.append(" ".join(sorted(path.name for path in (self.folder / "out/charts").glob("*rivals*"))))
        for chart in (standing.chart(group, group.host == "there") for group in standing.load(self.folder / "rivals.csv")):
            said.append(f"{chart.name}: {chart.title}\n{chart.caption}\n{chart.footer}\n{chart.settings}\n{drawing.data_of(chart)}")
        self.is_as_in("report.txt", "\n".join(said))

    @NO_JINJA2
    def test_the_page(self):
        self.files()
        self.command("page", "all.csv", "--rivals", "rivals.csv", "--failed", "failed", "--machine", "machine.csv", "--out", "out")
        text = (self.folder / "out/index.html").read_text(encoding="utf-8")
        for shown in ("<li>00_dies ended with 139</li>", "<li>02_loop_order too_good f32", "The GPU: Test GPU", "Beside the libraries</h2>",
                      "Beside Genova 2024", "Peak of each vector set", "cuBLAS, GFLOP/s", '<p class="lead">there</p>', "700×300×90", 'class="wrong"'):
            self.assertIn(shown, text)


class OddCells(Case):
    """Whatever stands in a cell, and whichever rows are missing: tables and page, or one line that refuses; no traceback.
    COURSE_FUZZ=N tries N files instead of forty, from the seed COURSE_SEED on."""
    ODD = ("", "0", "-1", "1e-320", "1e200", "1e400", "nan", "inf", "-inf", "x", "1024", "7.5", "~", "f32", "2048", "right", "wrong",
           "unverified", "no", "yes", "gpu", "ijk", "9" * 30, "<b>", "2026-11-21T08:30:00Z", "é", "L1", "chain", "01_naive", "avx2")

    def odd(self, draw, lines):
        """Some of these lines, with some cells changed."""
        some = [line.split(",") for line in lines if draw.random() > draw.choice((0, 0.1, 0.7))]
        for cells in draw.choices(some, k=draw.randint(0, 8)) if some else ():
            cells[draw.randrange(len(cells))] = draw.choice(self.ODD)
        return [",".join(cells) for cells in some]

    def test_no_file_ends_in_a_traceback(self):
        first = int(os.environ.get("COURSE_SEED", 987654))
        header, *facts = FULL_MACHINE.splitlines()
        for seed in range(first, first + int(os.environ.get("COURSE_FUZZ", 40))):
            draw = random.Random(seed)
            self.write(self.odd(draw, LADDER + THREADS + FORETOLD + TILES))
            machine = self.machine("\n".join([header, *self.odd(draw, facts)]) + "\n")
            for command, *more in (["ladder"], ["ladder", "--all-sizes"], ["predicted"], ["draw", "--out", "out"], ["page", "--out", "out"]):
                if command == "page" and not importlib.util.find_spec("jinja2"):
                    continue
                arguments = ["report.py", command, str(self.csv), *more, *draw.choice(([], ["--machine", str(machine)]))]
                with (self.subTest(seed=seed, command=command), contextlib.chdir(self.folder), mock.patch.object(sys, "argv", arguments),
                      contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as err,
                      mock.patch.object(drawing, "picture")):
                    try:
                        report.main()
                    except SystemExit as ended:
                        self.assertEqual((ended.code, err.getvalue().count("\n")), (2, 1))


if __name__ == "__main__":
    unittest.main()

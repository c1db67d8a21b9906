"""Tests of tools/report on small results written by hand: python3 tests/report_test.py"""

import contextlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TOOL = Path(__file__).resolve().parents[1] / "tools/report/report.py"
sys.path.insert(0, str(TOOL.parent))
import against_libraries  # noqa: E402
import charts  # noqa: E402
import drawing  # noqa: E402
import ladder  # noqa: E402
import measured  # noqa: E402
import report  # noqa: E402
import scaling  # noqa: E402

REFERENCE = TOOL.parents[2] / "plots/reference/h100"
COLUMNS, MACHINE_COLUMNS = (
    (REFERENCE / f"{name}.csv").read_text(encoding="utf-8").split("\n")[0].split(",")
    for name in ("results", "machine")
)
NO_JINJA2 = unittest.skipUnless(importlib.util.find_spec("jinja2"), "no jinja2 for this Python")
NO_GNUPLOT = unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot here")


def line(columns, cells):
    assert cells.keys() <= {*columns}
    return ",".join(str(cells.get(name, "")) for name in columns)


def row(step, variant, n, seconds, **more):
    """A row of results.csv: a right square product, run five times, unless told otherwise; 2 GFLOP
    at n = 1000. With a limit there are bytes: 0.5 FLOP for each one between L1 and the core, and
    2 beyond."""
    n, seconds = int(n), float(seconds)
    names = "step variant type m n k threads ranks device_kind device cores repeat"
    values = (step, variant, "f32", n, n, n, 1, 1, "processor", "Test CPU", 2, 5)
    names += " best_s median_s mean_s stddev_s"
    values += (0.8 * seconds, seconds, seconds, seconds / 4)
    cells = dict(zip(names.split(), values)) | {"verdict": "right", "flags": "-O3", "host": "here"}
    cells |= {"compiler": "g++ 12", "commit": "c1", "started": "2026-11-21T08:30:00Z"}
    if "limit" in more:
        bytes = {"l1": 4 * n**3, "l2": n**3, "l3": n**3, "memory": n**3 / 4}
        cells |= {f"bytes_{level}": of for level, of in bytes.items()}
    if more.get("device") == "G1":
        cells |= {
            "device_kind": "gpu",
            "cores": "",
            "alloc_s": 1e-3,
            "copy_in_s": 3e-3,
            "copy_out_s": 2e-3,
        }
    return line(COLUMNS, cells | more)


def rows(text):
    """Rows of step, variant, n, seconds and more cells, one a line."""
    every = [words.split() for words in text.strip().split("\n")]
    return [row(*words[:4], **dict(of.split("=") for of in words[4:])) for words in every]


LADDER = rows(
    """
01_naive ijk 500 0.25 limit=chain predicted_s=0.1
01_naive ijk 1000 2.0 limit=chain predicted_s=0.8 quiet=no
01_naive-O3 ijk 1000 0.001
02_loop_order ikj 1000 0.1 limit=L1 predicted_s=0.08
02_loop_order-native ikj 1000 0.05
03_tiling-native tiled 1000 0.068 tile=16
03_tiling-native tiled 1000 0.02 tile=64
03_tiling-native tiled 1000 0.084 tile=128
04_openmp tiled 1000 0.04
04_openmp tiled 1000 0.02 threads=2
04_openmp touched_by_one 1000 0.001 threads=2
05_avx2 packed 1000 0.0125 threads=2
"""
)
for name, rate in ("OpenBLAS SkylakeX", 150), ("oneDNN", 170):
    more = {"against": name, "threads": 2, "flags": "1.2"}
    LADDER.append(row("libraries", "library", 1000, 2 / rate, **more))
RANKS = rows(
    """
06_mpi summa 1000 0.024
06_mpi summa 1000 0.012 ranks=2
06_mpi rows 1000 0.02 distribute_s=0.008 collect_s=0.002
06_mpi rows 1000 0.01 ranks=2 distribute_s=0.008 collect_s=0.002
06_mpi cyclic 1000 0.009 ranks=2 distribute_s=0.02 collect_s=0.002
"""
)
GPU = rows(
    """
07_cuda_global coalesced 1000 4e-4 device=G1 block=32x32 limit=shared predicted_s=2e-4
07_cuda_global uncoalesced 1000 4e-3 device=G1
08_cuda_shared shared 1000 5e-4 device=G1 tile=8
08_cuda_shared shared 1000 1.25e-4 device=G1 tile=32
08_cuda_shared shared 1000 2.5e-4 device=G1 tile=16
12_cuda_hopper best 1000 4e-6 device=G1 type=bf16
07_cuda_global coalesced 1000 1e-9 device_kind=emulator
cublas library 1000 5.882353e-5 device=G1 against=cuBLAS
"""
)
FACTS = """processor,,,,,2,threads,Test CPU
cache,,,,L1,3072,B,
cache,,,,L2,196608,B,
latency,f32,,1,add,0.8,ns,
peak,f32,avx2,1,,100,GFLOP/s,
peak,f32,sse2,1,,50,GFLOP/s,
peak,f32,avx2,2,,0.2,TFLOP/s,
bandwidth,,sse2,1,L1,90,GB/s,
bandwidth,,avx2,1,L1,200,GB/s,
bandwidth,,avx2,1,L2,190,GB/s,
bandwidth,,avx2,1,memory,180,GB/s,
gpu,,cuda,,,4,multiprocessors,G1; compute capability 9.0
cores,,cuda,,,512,,FP32 units
peak,f32,cuda,,,50,TFLOP/s,
peak,bf16,cuda,,,1000,TFLOP/s,
bandwidth,,cuda,,shared,30000,GB/s,
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.csv = self.folder / "results.csv"

    def write(self, lines, columns=COLUMNS, name="results.csv"):
        path = self.folder / name
        path.write_text("\n".join([",".join(columns), *lines, ""]), encoding="utf-8")
        return path

    def machine(self, facts=FACTS):
        return self.write([facts], MACHINE_COLUMNS, "machine.csv")

    def results(self, lines, facts=FACTS):
        return measured.load(self.write(lines), self.machine(facts))[0]

    def run_tool(self, *arguments):
        """Runs the tool from another folder than the repository; returns its exit status, stdout
        and stderr."""
        given = ["report.py", *map(str, arguments)]
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.chdir(self.folder))
            stack.enter_context(mock.patch.object(sys, "argv", given))
            out = stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            err = stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
            try:
                report.main()
                status = 0
            except SystemExit as ended:
                status = ended.code
        return status, out.getvalue(), err.getvalue()

    def page(self, lines, *arguments, facts=FACTS):
        self.write(lines)
        machine = ("--machine", self.machine(facts)) if facts else ()
        status, _, err = self.run_tool("page", self.csv, "--out", "out", *machine, *arguments)
        self.assertEqual((status, err), (0, ""))
        return (self.folder / "out/index.html").read_text(encoding="utf-8")


class Reader(Case):
    def test_of_equal_rows_the_last_quiet_one_counts_and_torn_lines_do_not(self):
        twice = {1: "no", 2: "yes", 3: "yes", 4: "no"}
        lines = [row("02", "ikj", 64, at, quiet=quiet) for at, quiet in twice.items()]
        lines += [row("02", "ikj", 32, at, quiet="no", commit=at) for at in (5, 6)]
        lines += [row("02", "ikj", 16, 7), row("02", "ikj", 16, 8, quiet="no", commit="another's")]
        found = self.results([*lines, "torn,by,a,crash", lines[0] + ",longer"], "").rows
        self.assertEqual([(of.n, of.median_s) for of in found], [(64, 3), (32, 6), (16, 8)])

    def test_columns_are_found_by_the_headers_names(self):
        columns, cells = (of[::-1] for of in (COLUMNS, row("01_naive", "ijk", 64, 2).split(",")))
        self.write([",".join(["x", *cells[1:]])], ["new", *columns[1:]])  # one more, one less
        results = measured.load(self.csv, None)[0]
        self.assertEqual([(of.step, of.median_s) for of in results.rows], [("01_naive", 2)])
        self.assertEqual(results.place(), "Test CPU (2 cores), g++ 12")

    def test_a_line_is_added_after_the_whole_lines(self):
        path, head = self.folder / "some.csv", "a,b,c\n"
        for before in (None, "", "a,b", head, f"{head}7,8,9\n7,8", f"{head}7,8,9"):
            if before is not None:
                path.write_text(before)
            names = "cab" if before and "\n" in before else "abc"  # the file's order is kept
            measured.append(path, {name: {"a": 1, "b": "2,3", "c": "4"}[name] for name in names})
            kept = head + "7,8,9\n" * ("9" in (before or ""))
            self.assertEqual(path.read_text(), f"{kept}1,2 3,4\n", before)


class Ladder(Case):
    def test_each_rung_by_its_best_tile_and_all_phases(self):
        mine = row("mine", "02_loop_order/ikj", 1000, 0.04)
        of = ladder.of_cores(self.results([*LADDER, *RANKS, mine]), "f32")
        rates = [bar.rate().replace(" GFLOP/s", "") for bar in of.bars]
        self.assertEqual(rates, ["1.00~", "40.0", "100", "100", "160", "100", "167", "50.0"])
        ideas = [bar.idea for bar in of.bars[5:]]
        self.assertEqual(ideas, ["sent and collected", "data stay dealt out", "yours: 02 ikj"])

    def test_it_stands_at_1008_where_the_baseline_was_measured_there(self):
        more = rows("01_naive ijk 1008 2.0\n01_naive ijk 2048 2.0")
        self.assertEqual(ladder.size_of(self.results(more), "f32"), 1008)
        more.append(row("mine", "02_loop_order/ikj", 2048, 0.04))  # else it would not be shown
        self.assertEqual(ladder.size_of(self.results(more), "f32"), 2048)
        self.assertEqual(ladder.size_of(self.results(LADDER), "f32"), 1000)
        self.assertEqual(measured.ladder_sizes([1000, 1008, 1024]), [1008])

    def test_the_library_and_a_share_above_100_are_said(self):
        results = self.results([*LADDER, row("05_avx2", "fast", 1000, 0.008, threads=2)])
        of = ladder.of_cores(results, "f32")
        self.assertEqual(of.line[1], "oneDNN, the best library: 170 GFLOP/s")
        self.assertEqual((of.notes, of.bars[-1].percent()), ([ladder.ABOVE], "125 %"))

    def test_bf16_of_the_lessons_is_a_share_of_the_peak_by_wgmma(self):
        facts = FACTS.rstrip("\n") + "\npeak,bf16,cuda,,wgmma_shared,900,TFLOP/s,\n"
        self.assertEqual(ladder.roof_of_gpu(self.results(GPU, facts), "bf16", 1000)[0], 900000)


class Charts(Case):
    def plan(self, lines, facts=FACTS):
        return {chart.name: chart for chart in charts.plan(self.results(lines, facts))}

    def last(self, chart):
        """{line: its last point, to three digits}, with what stands beside."""
        every = chart.lines | chart.beside
        return {name: float(f"{of[-1][1]:.3g}") for name, of in every.items()}

    def test_time_speedup_and_efficiency_of_the_rungs_and_the_best_library(self):
        plan = self.plan(LADDER + RANKS + GPU)
        names = ["01 ijk", "02 ikj", "03 tiled", "04 tiled", "05 packed", "oneDNN"]
        seconds, speedup = [2, 0.05, 0.02, 0.02, 0.0125, 0.0118], [1, 40, 100, 100, 160, 170]
        values = {"time": seconds, "speedup": speedup, "efficiency": [0.5, 20, 50, 50, 80, 85]}
        for script, last in values.items():
            self.assertEqual(self.last(plan[f"{script}_f32"]), dict(zip(names, last)))
        on_gpu = {"07 coalesced": 10, "08 shared": 32, "12 best bf16": 50, "cuBLAS": 68}
        self.assertEqual(self.last(plan["efficiency_f32_gpu"]), on_gpu)
        first, second = plan["time_f32"].lines["01 ijk"]
        self.assertEqual((first, second[-1]), ([500, 0.25, 0.2, 0.3125, False], True))
        self.assertIn("hollow", plan["time_f32"].variables("here")["footer"])
        self.assertNotIn("roofline_f32", self.plan(LADDER, ""), "without roofs")

    def test_amdahl_is_fitted_to_four_quiet_points_or_more(self):
        times = {p: 0.1 + 0.9 / p for p in (1, 2, 4, 8)}
        self.assertAlmostEqual(scaling.serial_fraction(times), 0.1)
        self.assertIsNone(scaling.serial_fraction({p: times[p] for p in (1, 2, 4)}))
        for disturbed, fitted in ((0, "1"), (4, "")):
            more = [{"threads": p, "quiet": "no" if p == disturbed else "yes"} for p in times]
            device = {"cores": 8}
            lines = [row("04_openmp", "v", 64, times[of["threads"]], **of, **device) for of in more]
            chart = self.plan(lines)["threads_speedup_f32"]
            self.assertEqual((chart.settings["dotted"], self.last(chart)["04: v"]), (fitted, 4.71))

    def test_ranks_are_compared_by_all_phases(self):
        plan = self.plan(LADDER + RANKS)
        for kind, values in (("speedup", (1.5, 2, 2)), ("efficiency", (75, 100, 100))):
            of = dict(zip(("06: rows", "06: summa", "ideal"), values))
            self.assertEqual(self.last(plan[f"ranks_{kind}_f32"]), of)
        shown = [texts[1:] for texts in plan["phases_f32_ranks"].beside[""]]
        self.assertIn(["06: rows, 20.0 ms", "= 8.00 ms + 10.0 ms + 2.00 ms"], shown)

    def test_tiles_and_where_three_fill_a_cache(self):
        chart = self.plan(LADDER)["tiles_f32_03_tiling-native"]
        self.assertEqual([at[0] for at in chart.lines["tiled"]], [16, 64, 128])
        self.assertEqual(chart.footer, "dotted: three tiles fill L1 at T = 16, L2 at T = 128")

    def test_marks_stand_at_the_bytes_of_their_limit_under_the_roofs(self):
        chart = self.plan(LADDER)["roofline_f32"]
        mark = [round(at, 9) for at in chart.lines["02: ikj (L1)"][0]]
        self.assertEqual(mark, [0.5, 20, 25, False])
        slanted, flat = (chart.settings[name] for name in ("slanted_text", "flat_text"))
        self.assertEqual(slanted, ["L1 200 GB/s", "L2 190 GB/s", "memory 180 GB/s"])
        self.assertEqual(flat, ["sse2 50.0", "avx2 100", "chain 2.50"])
        self.stand_apart(chart.settings["slanted_at"], 0.07)

    def stand_apart(self, places, gap):
        order = sorted(places)
        self.assertTrue(all(b - a > gap for a, b in zip(order, order[1:])), places)
        self.assertTrue(-1e-9 <= order[0] and order[-1] <= 1 + 1e-9, places)

    def test_names_stand_apart(self):
        for places in ([0.5] * 6, [0, 0, 0.02, 1, 1], [0.3, 0.9], [1, 0.99, 0.98]):
            self.stand_apart(drawing.apart(places, 0.1), 0.0999)

    @NO_GNUPLOT
    def test_gnuplot_draws_each_without_a_word_and_with_its_names(self):
        results, run, said = self.results(LADDER + RANKS + GPU), subprocess.run, []

        def heard(command, **options):
            done = run(command, **options)
            said.append(done.stderr)
            return done

        with mock.patch.object(drawing.subprocess, "run", heard):
            for chart in [*charts.plan(results), ladder.chart(ladder.of_machine(results))]:
                drawing.draw_one(chart, "a place", self.folder)
                text = (self.folder / f"{chart.name}.svg").read_text(encoding="utf-8")
                for name in chart.lines if chart.script != "ladder" else ["three plain loops"]:
                    self.assertIn(name, text, chart.name)
                self.assertRegex(text, "width=.(400|440).", "readable on a telephone")
        self.assertNotRegex("".join(said), "undefined|warning: S|error")

    def test_a_picture_that_is_not_whole_is_an_error(self):
        """gnuplot ends with 0 when the disk is full, and leaves the beginning of a picture."""
        chart = charts.plan(self.results(LADDER))[0]

        def torn(command, **_):
            Path(re.search(b'out = "(.*?)"', command[3])[1].decode()).write_text("<svg>")
            return subprocess.CompletedProcess(command, 0, "", "")

        failing = mock.Mock(return_value=subprocess.CompletedProcess([], 1, "", "no\nword"))
        missing = mock.Mock(side_effect=FileNotFoundError())
        says = {torn: "not whole", missing: "no gnuplot here", failing: "lines.gp: no word"}
        for run, words in says.items():
            with mock.patch.object(drawing.subprocess, "run", run):
                with self.assertRaisesRegex(measured.Refusal, words):
                    drawing.draw_one(chart, "", self.folder)


class Commands(Case):
    def test_files_that_say_nothing(self):
        for lines, columns, says in (
            ([], [], "there is no repeat"),
            (LADDER, [of.replace("verdict", "x") for of in COLUMNS], "no such column: verdict"),
            ([], COLUMNS, "holds no row: nothing was measured"),
            (None, [], "cannot read"),
        ):
            self.csv.unlink() if lines is None else self.write(lines, columns)
            for command in (["ladder"], ["draw", "--out", "out"], ["page", "--out", "out"]):
                status, out, err = self.run_tool(command[0], self.csv, *command[1:])
                self.assertEqual((status, out, err.count("\n"), says in err), (2, "", 1, True), err)

    def test_only_the_page_wants_jinja2(self):
        (self.folder / "jinja2.py").write_text("raise ImportError\n")
        self.write(LADDER)
        for command, status, says in (
            (["ladder"], 0, ""),
            (["page", "--out", "out"], 77, "report.py: no page: there is no jinja2 here"),
        ):
            done = self.called(*command, env={"PYTHONPATH": str(self.folder)})
            self.assertEqual((done.returncode, done.stderr[: len(says)]), (status, says))

    @NO_JINJA2
    def test_without_gnuplot_there_are_no_charts(self):
        self.write(LADDER)
        no_charts = "report.py: no charts: there is no gnuplot here\n"
        for command, says in {"draw": no_charts, "page": ""}.items():
            done = self.called(command, "--out", "out", env={"PATH": "/nonexistent"})
            self.assertEqual((done.returncode, done.stderr), (0, says))
        page = (self.folder / "out/index.html").read_text(encoding="utf-8")
        self.assertIn('<p class="soft">Without charts', page)
        self.assertNotIn(".svg", page)

    def test_a_terminal_that_lacks_a_sign(self):
        self.write(LADDER)
        done = self.called("ladder", env={"PYTHONIOENCODING": "ascii"})
        self.assertEqual((done.returncode, done.stderr, " 40.0?\n" in done.stdout), (0, "", True))

    def called(self, command, *more, env={}):
        call = [sys.executable, "-B", str(TOOL), command, str(self.csv), *more]
        environment = os.environ | env
        return subprocess.run(
            call, cwd=self.folder, text=True, capture_output=True, env=environment
        )


@NO_JINJA2
@NO_GNUPLOT
class Page(Case):
    def test_text_is_escaped_and_wrong_rows_and_failed_steps_are_named(self):
        failed = self.folder / "failed"
        failed.write_text("00_dies ended with <139>\n")
        wrong = row("02_loop_order", "<script>bad", 1000, 0.1, verdict="wrong", flags="<i>&\"'")
        text = self.page([*LADDER, wrong, row("03_<b>", "v", 1000, 0.1)], "--failed", failed)
        self.assertIn("00_dies ended with &lt;139&gt;", text)
        self.assertIn("02_loop_order &lt;script&gt;bad", text.split("The processor")[0])
        self.assertNotIn("20.0×</td><td>wrong", text, "a wrong result has no speedup")
        self.assertNotRegex(text, "<(script|i)>|03_<b>")

    def test_it_opens_with_the_ladder_three_charts_and_what_was_predicted(self):
        text = self.page(LADDER + RANKS + GPU)
        open_part, folded = text.split("How to read it")
        shown = [
            "<h1>How fast can Test CPU (2 cores)",
            "100 % is the peak of all cores, 200 GFLOP/s",
        ]
        shown += ["three plain loops", "The GPU: G1"]
        shown += [f'src="charts/{name}_f32.svg"' for name in ("time", "speedup", "efficiency")]
        shown += ["Predicted beside measured", '01_naive/README.md">01: ijk</a>']
        shown += ["2.50× !</td><td>chain of additions"]
        places = [open_part.index(of) for of in shown]
        self.assertEqual(places, sorted(places))
        self.assertEqual((open_part.count("<figure>"), open_part.count("<table>")), (6, 1))
        names = {chart.name for chart in charts.plan(self.results(LADDER + RANKS + GPU))}
        self.assertEqual({*re.findall('src="charts/(.*?).svg"', text)}, names, "every chart")
        self.assertIn("Every row of 03_tiling-native (3; compiled with -O3)", folded)

    @NO_GNUPLOT
    def test_any_sound_file_gives_charts_and_a_page(self):
        two = [*LADDER, row("02_loop_order", "ikj", 512, 0.1, host="there")]
        wrong = "ijk 64 0.1 verdict=wrong"
        for lines, shown in (
            (rows("02_loop_order ikj 64 0.1 repeat=1"), ""),
            (rows("06_mpi summa 64 0.1 ranks=4"), ""),
            (rows(f"01_naive {wrong}\n02_loop_order {wrong}"), "so there is no ladder"),
            (two, 'src="charts/there_time_f32.svg"'),
        ):
            self.assertIn(shown, self.page(lines))
            drawn = self.run_tool("draw", self.csv, "--out", "out", "--machine", "machine.csv")
            for status, _, err in drawn, self.run_tool("ladder", self.csv):
                self.assertEqual((status, err), (0, ""))

    def test_marks_and_limits_are_said(self):
        for more, mark in ("verdict=unverified", "°"), ("quiet=yes", ""), ("quiet=no", "~"):
            text = self.page(rows(f"02_loop_order jik 1000 0.1 {more}"))
            self.assertEqual(text.count("(marked "), len(mark))
            self.assertIn(f"<td>100 ms{mark}</td>", text)
        text = self.page(rows("01_naive ijk 1000 0.6 limit=flops predicted_s=1"))
        self.assertIn("arithmetic, by a peak measured in a bad moment", text)

    def test_another_processors_machine_file_is_not_this_ones(self):
        text = self.page(LADDER, facts=FACTS.replace("Test CPU", "Other CPU"))
        self.assertNotIn("Processor, caches", text)
        self.assertIn("the fastest rung: there is no measured peak", text)

    def test_ours_stands_beside_what_others_published(self):
        both = [row("04_openmp", "tiled_simd", 512, 1, type="i32")]
        both.append(row("04_openmp", "tiled_simd", 512, 0.55, type="i32", threads=2))
        text = re.sub("<[^>]*>", "|", self.page([*LADDER, *both, *GPU]))
        for shown in (
            "|openmp_simd+tiling||5000||2||speedup||1.82×||04 tiled_simd||512||1.82×|",
            "|16||efficiency||42.0 %||not measured here||–||–|",
            "|kernel1/kernel0||–||ratio||14.0×||07 coalesced / uncoalesced||1000||10.0×|",
            "an efficiency of nothing",
        ):
            self.assertIn(shown, text)

    def test_without_a_gpu_the_page_shows_the_references_and_says_so(self):
        reference = self.folder / "h100"
        reference.mkdir()
        self.machine().rename(reference / "machine.csv")
        self.write(GPU).rename(reference / "results.csv")
        text = self.page(LADDER, "--reference", reference, facts="")
        other = text.split("Reference, measured on another machine: G1</h2>")[1]
        self.assertIn("A GPU, not this machine&#39;s", text)
        self.assertIn('src="charts/reference_phases_f32_gpu.svg"', other)
        own = self.page(LADDER + GPU, "--reference", reference)
        self.assertNotIn("Reference", own, "it has one itself")


def compared(variant, against, n, by, **more):
    """A row in turns."""
    names = "step type m n k threads variant against repeat ratio ratio_low ratio_high gflops "
    names += "against_gflops host verdict"
    values = ("libraries", "f32", n, n, n, 1, variant, against, 21, by, 0.9 * by, 1.1 * by, 90)
    return line(COLUMNS, dict(zip(names.split(), (*values, 100, "here", "right"))) | more)


class Libraries(Case):
    ROWS = [compared("avx512", "oneDNN", n, by) for n, by in ((256, 0.9), (512, 1.3))]
    ROWS.append(compared("avx512", "OpenBLAS", 256, 1.1))
    ROWS.append(compared("avx512", "oneDNN", 256, 0.98, k=32))

    def libraries(self, lines):
        return self.write(lines, COLUMNS, "libraries.csv")

    def test_the_best_library_of_each_shape_counts(self):
        path = self.libraries([*self.ROWS, compared("tuned", "BLIS haswell", 256, 1.2)])
        if importlib.util.find_spec("jinja2") and shutil.which("gnuplot"):
            text = self.page(LADDER, "--libraries", path)
            self.assertIn('src="charts/libraries_f32_1_avx512.svg"', text)
        status, out, err = self.run_tool("libraries", path)
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, "avx512 +every library +f32 +1 +1.047 +0.900 at 256, oneDNN +1 of 3")
        self.assertRegex(out, "tuned +libraries kept to AVX2 +f32 +1 +1.200 ")

    def test_a_chart_joins_squares_alone_and_ends_at_its_top(self):
        ((chart, _),) = against_libraries.charts(against_libraries.load(self.libraries(self.ROWS)))
        points = [of[1:2] + of[5:] for of in chart.lines["oneDNN"]]
        self.assertEqual(points, [[0.9, 0, "256"], [1.3, 1, "512"], [], [0.98, 2, "256²×32"]])
        for ratios, top in (((1.1, 4), 4.532), ((1.1, 2), 1.5), ((1, 1.1), 1.2463)):
            lines = [compared("best", "cuBLAS", n, of) for n, of in zip((1024, 2048), ratios)]
            ((chart, _),) = against_libraries.charts(against_libraries.load(self.libraries(lines)))
            found = round(chart.settings["top"], 4), "not shown" in chart.footer
            self.assertEqual(found, (top, top == 1.5))

    def test_garbage(self):
        for cell in ("m=", "ratio=x", "ratio_low=nan", "threads=0", "gflops=-1", "verdict=wrong"):
            path = self.libraries(
                [compared("avx512", "oneDNN", 256, 1.0, **dict([cell.split("=")]))]
            )
            status, _, err = self.run_tool("libraries", path)
            self.assertEqual((status, "no row to show" in err), (2, True), cell)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Tests of report.py on small results written by hand: python3 tools/report_test.py"""
import html.parser, re, shutil, subprocess, sys, tempfile, unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "report.py"
sys.path.insert(0, str(TOOL.parent))
import charts, measured

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
MACHINE = "name,type,vector,threads,level,value,unit,note\n" \
          "peak,f32,avx2,1,,100,GFLOP/s,\npeak,f32,avx2,2,,0.2,TFLOP/s,\n"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.csv = self.folder / "results.csv"

    def write(self, lines, header=",".join(measured.COLUMNS)):
        self.csv.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")

    def run_tool(self, command, *arguments):
        """Runs the tool from another folder than the repository; returns its exit status, stdout and stderr."""
        done = subprocess.run([sys.executable, "-B", str(TOOL), command, str(self.csv), *map(str, arguments)],
                              cwd=self.folder, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def ladder(self, *arguments):
        status, out, err = self.run_tool("ladder", *arguments)
        self.assertEqual((status, err), (0, ""))
        return out

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

    def test_a_wrong_row_after_a_right_one_of_its_key_takes_its_place(self):
        self.write([*LADDER, row("02_loop_order", "ikj", 1024, 0.1, verdict="wrong", commit="c2")])
        self.assertEqual(self.rungs(self.ladder())["02_loop_order"][0], "kij")

    def test_an_unverified_row_counts(self):
        self.write([*LADDER, row("02_loop_order", "jik", 1024, 0.1, verdict="unverified")])
        self.assertEqual(self.rungs(self.ladder())["02_loop_order"][0], "jik")

    def test_threads_are_shown(self):
        self.write(LADDER + THREADS)
        self.assertIn("tiled (4 threads)", self.ladder())

    def test_other_machines_are_never_compared(self):
        self.write([*LADDER, row("02_loop_order", "ikj", 1024, 1e-3, host="there")])
        out = self.ladder()
        self.assertIn("8.00×", out)
        self.assertRegex(out, r"02_loop_order +ikj +1.00 ms +2147 +–")

    def test_share_of_peak_is_of_as_many_threads(self):
        machine = self.folder / "machine.csv"
        machine.write_text(MACHINE)
        self.write(LADDER + [row("04_openmp", "tiled", 1024, 0.0214748, threads=2)])
        rungs = self.rungs(self.ladder("--machine", machine))
        self.assertEqual(rungs["02_loop_order"][-2:], ["8.59", "%"])
        self.assertEqual(rungs["04_openmp"][-2:], ["50.0", "%"])
        self.assertNotIn("peak", self.ladder())

    def test_garbled_numbers_do_not_crash(self):
        garbage = ("", "x", "nan", "inf", "-1", "1e999", "0")
        lines = [row("02_loop_order", f"v{place}", 1024, 0.1, **{column: text})
                 for place, text in enumerate(garbage)
                 for column in ("median_s", "best_s", "stddev_s", "m", "repeat", "threads", "error_share")]
        self.write([*LADDER, *lines, "torn,by,a,crash"])
        self.ladder("--all-sizes")
        self.assertEqual(self.run_tool("page", "--out", self.folder / "out")[::2], (0, ""))


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

    def test_no_row_to_show(self):
        self.write([row("01_naive", "ijk", 64, 0.1, verdict="wrong"),
                    row("01_naive", "ijk", 32, 0.1, median_s="")])
        self.refuse("2 rows, 1 of them not right")

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


class Page(Case):
    def page(self, *arguments):
        out = self.folder / "out"
        status, _, err = self.run_tool("page", "--out", out, *arguments)
        self.assertEqual((status, err), (0, ""))
        return (out / "index.html").read_text(encoding="utf-8")

    def test_text_is_escaped_and_wrong_rows_and_failed_steps_are_named(self):
        failed = self.folder / "failed"
        failed.write_text("00_dies ended with <139>\n")
        self.write([*LADDER, row("02_loop_order", "<script>bad", 1024, 0.1, verdict="wrong", flags="<i>&\"'"),
                    row("03_<b>", "v", 1024, 0.1, device="<u>GPU")])
        text = self.page("--failed", failed)
        self.assertIn("00_dies ended with &lt;139&gt;", text)
        self.assertIn("02_loop_order &lt;script&gt;bad", text.split("The ladder")[0])
        self.assertNotIn("20.0×</td><td>wrong", text, "a wrong result has no speedup")
        self.assertFalse(Images(text).tags & {"script", "i", "u"})
        self.assertNotIn("03_<b>", text)

    def test_no_failure_is_claimed_without_one(self):
        empty = self.folder / "failed"
        empty.write_text("")
        self.write(LADDER)
        for arguments in ((), ("--failed", empty), ("--failed", self.folder / "none")):
            self.assertNotIn('class="bad"', self.page(*arguments))

    def test_every_chart_and_row_is_there(self):
        self.write(LADDER + THREADS)
        images = Images(text := self.page())
        names = {chart.name for chart in charts.plan(measured.load(self.csv, None)[0])}
        self.assertGreater(len(names), 8)
        self.assertEqual({f"charts/{name}.svg" for name in names}, set(images.sources))
        self.assertIn("../results.csv", images.links)
        self.assertIn("Every row of 02_loop_order (5; compiled with -O3)", text)
        self.assertIn("Every row of 01_naive-O0 (1;", text)


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

    def test_a_wrong_row_is_not_drawn(self):
        self.write([*LADDER, row("02_loop_order", "too_good", 1024, 1e-4, verdict="wrong")])
        for chart in charts.plan(measured.load(self.csv, None)[0]):
            self.assertNotIn("too_good", charts.data_of(chart))

    def test_the_spread_is_in_the_charts_unit_and_only_of_several_runs(self):
        self.write([row("01_naive", "ijk", 1000, 2.0), row("01_naive", "ijk", 2000, 16.0, repeat=1)])
        plan = {chart.name: chart for chart in charts.plan(measured.load(self.csv, None)[0])}
        first, second = plan["time_f32"].lines["01_naive: ijk"]
        self.assertEqual([round(value, 6) for value in first], [1000, 2.0, 1.8, 2.3])
        self.assertTrue(second[2] != second[2] and second[3] != second[3], "NaN: no error bar")
        rates = plan["gflops_f32"].lines["01_naive: ijk"][0]
        self.assertEqual([round(value, 4) for value in rates], [1000, 1.0, 0.8696, 1.1111])


if __name__ == "__main__":
    unittest.main()

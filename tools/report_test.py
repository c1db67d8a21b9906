"""Tests of report.py on small results written by hand: python3 tools/report_test.py"""
import contextlib, html, importlib.util, io, os, re, shutil, signal, subprocess, sys, tempfile, unittest
from pathlib import Path
from unittest import mock
TOOL = Path(__file__).resolve().parent / "report.py"
sys.path.insert(0, str(TOOL.parent))
import against_libraries, charts, measured, report
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


LADDER = [row("01_naive", "ijk", 512, 0.2), row("01_naive", "ijk", 1024, 2.0), row("01_naive", "checked", 1024, 1.0),
          row("01_naive-O0", "ijk", 1024, 5.0), row("01_naive-O3", "ijk", 1024, 0.001), row("02_loop_order", "ijk", 1024, 2.5),
          row("02_loop_order", "ikj", 512, 0.03), row("02_loop_order", "ikj", 1024, 0.25), row("02_loop_order", "kij", 1024, 0.5),
          row("02_loop_order", "ikj", 2048, 2.0)]
THREADS = [row("04_openmp", "tiled", 1024, 0.1 / threads, threads=threads) for threads in (1, 2, 4)]
FULL_MACHINE = "\n".join((
    ",".join(measured.MACHINE_COLUMNS), "peak,f32,avx2,1,,100,GFLOP/s,", "peak,f32,avx2,2,,0.2,TFLOP/s,",
    "processor,,,,,2,threads,Test CPU (2 cores)", "cache,,,,L1,32768,B,8 ways; 64 B lines; each core",
    "cache,,,,L2,1048576,B,8 ways; 64 B lines; each core", "latency,f32,,1,add,0.8,ns,3.0 cycles", "peak,f32,sse2,1,,50,GFLOP/s,",
    "bandwidth,,sse2,1,L1,90,GB/s,triad", "bandwidth,,avx2,1,L1,200,GB/s,triad", "bandwidth,,avx2,1,L2,80,GB/s,triad",
    "bandwidth,,avx2,1,L3,40,GB/s,triad", "bandwidth,,avx2,1,memory,0.02,TB/s,triad", "bandwidth,,avx2,2,L1,400,GB/s,triad",
    "library,f32,OpenBLAS,1,1024x1024x1024,40,GFLOP/s,as chosen; 0.3.21",
    "library,f32,OpenBLAS SkylakeX,1,1024x1024x1024,90,GFLOP/s,best; 0.3.21",
    "library,f32,OpenBLAS SkylakeX,2,1024x1024x1024,170,GFLOP/s,best; 0.3.21",
    "library,f32,OpenBLAS SkylakeX,1,1024x1024x64,70,GFLOP/s,best; 0.3.21",
    "library,f32,BLIS,1,1024x1024x1024,80,GFLOP/s,as chosen and best; 0.9", ""))


def foretold(step, variant, n, seconds, predicted, limit, **more):
    """A row with a prediction: 4e9 bytes between L1 and the core, 1e9 from each level beyond."""
    levels = {"bytes_l1": "4e9", "bytes_l2": "1e9", "bytes_l3": "1e9", "bytes_memory": "1e9"}
    return row(step, variant, n, seconds, predicted_s=predicted, limit=limit, **levels, **more)


FORETOLD = [foretold("01_naive", "ijk", 1000, 2.0, 0.8, "chain"), foretold("01_naive", "ijk", 2000, 20, 6, "chain"),
            foretold("02_loop_order", "ikj", 1000, 0.1, 0.09, "L1"), foretold("02_loop_order", "kij", 1000, 0.2, 0.0125, "L2"),
            foretold("01_naive-O0", "ijk", 1000, 5.0, 1.0, "chain")]

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
        return {words[0]: words[1:] for words in map(str.split, out.splitlines()) if words and re.match(r"\d\d_", words[0])}


class Ladder(Case):
    def test_unverified_and_disturbed_rows_and_peaks_are_marked(self):
        for more, mark in (({"verdict": "unverified"}, "°"), ({"quiet": "yes"}, ""), ({"quiet": "no"}, "~")):
            self.write([*LADDER, row("02_loop_order", "jik", 1024, 0.1, **more)])
            if page := self.page_of_it():
                self.assertEqual((page.count("(marked "), f"21.5 GFLOP/s{mark}" in page, f"<td>100 ms{mark}</td>" in page), (len(mark), True, True))
        self.write(LADDER + THREADS)
        marked = FULL_MACHINE.replace("TFLOP/s,", "TFLOP/s,best of 4; disturbed: a thread waited")
        rungs = self.rungs(self.ladder("--machine", self.machine(marked)))
        self.assertEqual((rungs["04_openmp"][-1], rungs["02_loop_order"][-1]), ("%~", "%"))


class Cells(unittest.TestCase):
    def test_a_line_is_added_after_the_whole_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "some.csv")
            for before, after in ((None, "a,b,c\n1,2 3,4\n"), ("", "a,b,c\n1,2 3,4\n"), ("a,b", "a,b,c\n1,2 3,4\n"), ("a,b,c\n", "a,b,c\n1,2 3,4\n"),
                                  ("a,b,c\n7,8,9\n7,8", "a,b,c\n7,8,9\n1,2 3,4\n"), ("a,b,c\n7,8,9", "a,b,c\n7,8,9\n1,2 3,4\n")):
                if before is not None:
                    path.write_text(before)
                measured.append(path, ["a", "b", "c"], [1, "2,3", "4"])
                self.assertEqual(path.read_text(), after, before)


class Limits(unittest.TestCase):
    def test_a_product_faster_than_the_arithmetic_says_that_its_peak_was_badly_measured(self):
        for name, missed, words in (("flops", 0.6, "arithmetic, by a peak measured in a bad moment"), ("flops", 0.97, "arithmetic"),
                                    ("flops", 1.5, "arithmetic"), ("flops", None, "arithmetic"), ("L2", 0.6, "L2 bandwidth")):
            self.assertEqual(report.limit(mock.Mock(limit=name, missed=lambda: missed)), words)


class Refusals(Case):
    def test_files_that_say_nothing(self):
        for lines, header, says in (([], "", "other columns"), (LADDER, ",".join(measured.COLUMNS[:-1]), "other columns"),
                                    ([], ",".join(measured.COLUMNS), "holds no row: nothing was measured"), (None, "", "cannot read")):
            self.csv.unlink() if lines is None else self.write(lines, header)
            for command in (["ladder"], ["draw", "--out", "out"], ["page", "--out", "out"]):
                status, out, err = self.run_tool(*command)
                self.assertEqual((status, out, err.count("\n"), says in err), (2, "", 1, True), err)
        self.write(LADDER)
        self.assertEqual((self.run_tool("predicted", "--size", 7)[0], self.run_tool("ladder", "--machine", self.csv)[0]), (2, 2))

    def test_only_the_page_wants_jinja2(self):
        (self.folder / "jinja2.py").write_text("raise ImportError\n")
        self.write(LADDER)
        for command, status, says in ((["ladder"], 0, ""), (["page", "--out", "out"], 2, "./setup.sh installs it")):
            done = subprocess.run([sys.executable, "-B", str(TOOL), *command, str(self.csv)], cwd=self.folder, text=True,
                                  capture_output=True, env=os.environ | {"PYTHONPATH": str(self.folder)})
            self.assertEqual((done.returncode, done.stderr.count("\n")), (status, status // 2), done.stderr)
            self.assertIn(says, done.stderr)

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


class AnySoundFile(Case):
    """From any rows that a program may write come charts and a page, and the page says what is missing."""
    @NO_GNUPLOT
    def test_one_row_all_wrong_and_two_hosts(self):
        for lines, shown in (([row("02_loop_order", "ikj", 64, 0.1, repeat=1)], []), ([row("06_mpi", "summa", 64, 0.1, ranks=4)], []),
                             ([row(step, "ijk", 64, 0.1, verdict="wrong") for step in ("01_naive", "02_loop_order")], [
                                 "<li>01_naive ijk", "<li>02_loop_order ijk", "so there is no ladder", 'class="wrong"']),
                             ([*LADDER, row("02_loop_order", "ikj", 512, 0.1, host="there"), row("02_loop_order", "ikj", 512, 0.1, host="third", verdict="")], [
                                 '<p class="lead">here</p>', "there is no ladder", "<li>02_loop_order ikj f32 512×512×512",
                                 'src="charts/there_gflops_f32.svg"', 'src="charts/here_speedup_f32.svg"'])):
            self.write(lines)
            machine = ("--machine", self.machine())
            self.assertEqual((self.run_tool("ladder", *machine)[::2], self.run_tool("draw", "--out", "out", *machine)[::2]), ((0, ""), (0, "")))
            text = self.page_of_it(*machine)
            self.assertFalse([words for words in shown if text and words not in text])


@NO_JINJA2
class Page(Case):
    def section(self, text, title):
        """The section of this title, from its heading to the next."""
        return re.search(rf'<h2>{title}</h2></summary>(.*?)(<details class="part"|<h2>The data)', text, re.S)[1]

    def test_text_is_escaped_and_wrong_rows_and_failed_steps_are_named(self):
        failed = self.folder / "failed"
        failed.write_text("00_dies ended with <139>\n")
        self.write([*LADDER, row("02_loop_order", "<script>bad", 1024, 0.1, verdict="wrong", flags="<i>&\"'"),
                    row("03_<b>", "v", 1024, 0.1, device="<u>GPU")])
        text = self.page_of_it("--failed", failed)
        self.assertIn("00_dies ended with &lt;139&gt;", text)
        self.assertIn("02_loop_order &lt;script&gt;bad", text.split("The processor")[0])
        self.assertEqual(text.count('role="alert"'), 1, "one box for all")
        self.assertNotIn("20.0×</td><td>wrong", text, "a wrong result has no speedup")
        self.assertNotRegex(text, "<(script|i|u)>")
        self.assertNotIn("03_<b>", text)

    def test_every_chart_and_row_is_there(self):
        self.write(LADDER + THREADS)
        text, plan = self.page_of_it(), self.plan()
        self.assertGreater(len(plan), 8)
        self.assertEqual(set(re.findall('src="(.*?)"', text)), {f"charts/{name}.svg" for name in plan})
        self.assertLessEqual({f"charts/{name}.dat" for name in plan} | {"../results.csv"}, set(re.findall('href="(.*?)"', text)))
        self.assertEqual(sorted(map(html.unescape, re.findall("<figcaption>(.*?) <a ", text))), sorted(chart.caption for chart in plan.values()))
        self.assertIn("Every row of 02_loop_order (5; compiled with -O3)", text)

    def test_it_opens_with_one_ladder_the_rates_what_was_predicted_and_the_threads(self):
        self.write(FORETOLD + THREADS + [row("04_openmp", "tiled", 1000, 0.05, threads=2), row("06_mpi", "summa", 1000, 0.1, ranks=2, device="Test CPU (1 cores)")])
        text = self.page_of_it("--machine", self.machine())
        places = [text.index(shown) for shown in ("<h1>How fast can Test CPU (2 cores) multiply", "The processor: Test CPU", "f32, n = 1000. 100 % is the peak of all cores, 200 GFLOP/s",
            "three plain loops", "<b>0.5 %</b> 1.00 GFLOP/s", "along the rows", "<b>10 %</b> 20.0 GFLOP/s", "all the cores", "<b>20 %</b> 40.0 GFLOP/s",
            'src="charts/gflops_f32.svg"', "Predicted beside measured", "<td>2.50</td><td>1.00</td><td>chain of additions</td>",
            'src="charts/threads_speedup_f32.svg"', "How to read it", '<details class="part"', 'src="charts/time_f32.svg"')]
        self.assertEqual(places, sorted(places))
        self.assertEqual(text.count('class="ladder"'), 1)
        self.assertNotIn("Above 100", text)
        self.assertIn(", Test CPU (2 cores), g++", self.ladder("--machine", self.machine()))
        self.assertEqual(re.sub('<details class="part".*', "", text, flags=re.S).count("<table>"), 1, "the other tables are folded")

    def test_a_share_above_100_and_the_library_are_said(self):
        self.write([row("01_naive", "ijk", 1024, 2.0), row("05_avx2", "avx512_threads", 1024, 0.01, threads=2)])
        text = self.page_of_it("--machine", self.machine())
        for shown in ("<b>107 %</b> 215 GFLOP/s", "Above 100 %: the roof was measured in a bad moment.", "OpenBLAS, the best library: 170 GFLOP/s"):
            self.assertIn(shown, text)
        if shutil.which("gnuplot"):
            self.assertEqual(self.run_tool("bars", "--machine", self.machine(), "--out", "out")[::2], (0, ""))
            self.assertIn("107 %, 215 GFLOP/s", (self.folder / "out/ladder.svg").read_text(encoding="utf-8"))

    def test_threads_have_a_section_with_ours_beside_what_others_published(self):
        self.write(LADDER + amdahl("tiled", 0.1) + amdahl("tiled_simd", 0.1, type="i32") +
                   amdahl("tiled_simd", 0.9, (1, 2), n=512, type="i32"))
        text = self.page_of_it()
        threads = re.sub("<[^>]*>", "|", self.section(text, "Threads"))
        for shown in ("|04_openmp||tiled||1.00 s||4||325 ms||3.08×||76.9 %||10.0 %|",
                      "|8, beyond the cores||325 ms||3.08×||38.5 %||10.0 %|", "shared bandwidth included",
                      "|openmp_simd+tiling||5000||2||speedup||1.82×||04 tiled_simd||1024||1.82×|",
                      "|16||efficiency||42.0 %||not measured here||–||–|", "|2||speedup||1.27×||not measured here||–||–|"):
            self.assertIn(shown, threads)

    def test_another_processors_machine_file_is_not_this_ones(self):
        self.write(FORETOLD)
        machine = self.machine(FULL_MACHINE.replace("Test CPU", "Other CPU"))
        text = self.page_of_it("--machine", machine)
        self.assertNotIn("What the machine can do", text)
        self.assertNotIn("% of peak", text)
        self.assertFalse([name for name in self.plan(machine) if name.startswith("roofline")])
        self.assertIn("What the machine can do", self.page_of_it("--machine", self.machine(
            FULL_MACHINE.replace("(2 cores)", "(64 cores)"))), "fewer cores may be used")


def amdahl(variant, serial, counts=(1, 2, 4, 8), n=1024, alone=1.0, step="04_openmp", cores=4, **more):
    """Rows of a product that grows faster as Amdahl says, up to the cores."""
    return [row(step, variant, n, alone * (serial + (1 - serial) / min(threads, cores)), threads=threads,
                **{"device": f"Test CPU ({cores} cores)"} | more) for threads in counts]


GPU_MACHINE = FULL_MACHINE + "\n".join((
    "gpu,,cuda,,,4,multiprocessors,Test GPU; compute capability 9.0", "cores,,cuda,,,512,,FP32 units: 128 a multiprocessor",
    "memory,,cuda,,memory,150754820096,B,", "peak,f32,cuda,,,50,TFLOP/s,", "peak,f64,cuda,,,25000,GFLOP/s,",
    "bandwidth,,cuda,,shared,30000,GB/s,", "bandwidth,,cuda,,L2,8000,GB/s,", "bandwidth,,cuda,,memory,4000,GB/s,",
    "cache,,cuda,,L1,32768,B,", "copy,,cuda,,to_device_pinned,55,GB/s,", "library,f32,cuBLAS,,1024x1024x1024,34000,GFLOP/s,",
    "library,f32,cuBLAS pedantic,,1024x1024x1024,35000,GFLOP/s,", "library,tf32,cuBLAS,,1024x1024x1024,100000,GFLOP/s,", ""))


def on_gpu(step, variant, n, seconds, **more):
    """A row of a GPU, with its phases and a prediction."""
    phases = {"alloc_s": 1e-3, "copy_in_s": 3e-3, "copy_out_s": 2e-3}
    return foretold(step, variant, n, seconds, seconds / 2, "shared", **{"device": "Test GPU", **phases, **more})


GPU = [on_gpu("07_cuda_global", "uncoalesced", 1024, 4e-3, block="32x32"), on_gpu("07_cuda_global", "coalesced", 1024, 4e-4, block="32x32"),
       on_gpu("07_cuda_global", "coalesced", 1024, 5e-4, block="8x8"), on_gpu("07_cuda_global", "coalesced", 1024, 3e-4, block="32x8"),
       on_gpu("07_cuda_global", "coalesced", 4096, 3e-2, block="32x32"),
       *(on_gpu("08_cuda_shared", "shared", 1024, 2e-3 / tile, tile=tile) for tile in (4, 8, 16))]


class Gpu(Case):
    @NO_JINJA2
    def test_the_page_says_what_speedup_over_cores_is_worth_and_has_the_published_beside(self):
        self.write(LADDER + GPU + [on_gpu("07_cuda_global", "coalesced", 1024, 1e-3, type="i32", block="32x32"),
                                   row("01_naive", "ijk", 1024, 2.0, type="i32")])
        text = re.sub("<[^>]*>", "|", Page.section(self, self.page_of_it("--machine", self.machine(GPU_MACHINE)), "GPU"))
        for shown in ("|07_cuda_global||coalesced (block 32x8)||300 µs||7158||6667×||13||14.3 %|", "an efficiency of nothing",
                      "|140.4 GiB|", "|tf32||cuBLAS||1024×1024×1024||100000 GFLOP/s|", "Beside Genova 2024",
                      "|global||1024||GFLOP/s||34.6||07 coalesced||1024||2147|", "|shared_global||5000||speedup||175×||08 shared||1024, f32||16000×|",
                      "|shared_global||5000||speedup / cores||0.45||08 shared||1024, f32||31.2|", "|merge2||1024||GFLOP/s||942||not measured here|",
                      "|device_global||128||GFLOP/s||11.3||07 uncoalesced||1024, f32||537|", "of the nearest that we have measured",
                      "|kernel1/kernel0||–||ratio||14.0×||07 coalesced / uncoalesced||1024||13.3×|"):
            self.assertIn(shown, text)

    @NO_JINJA2
    def test_without_a_gpu_the_page_shows_the_references_and_says_so(self):
        reference = self.folder / "h200"
        self.write(LADDER)
        self.assertNotIn("Reference", self.page_of_it("--reference", reference))
        reference.mkdir()
        self.write([*GPU, row("01_naive", "ijk", 1024, 3.0, host="there")])
        self.csv.rename(reference / "results.csv")
        self.machine(GPU_MACHINE).rename(reference / "machine.csv")
        self.write(LADDER)
        text = self.page_of_it("--reference", reference)
        other = text.split("Reference, measured on another machine: Test GPU</h2>")[1]
        self.assertIn("A GPU, not this machine&#39;s", text)
        self.assertIn('src="charts/reference_phases_f32.svg"', other)
        self.assertIn("They are in no chart of this machine.", other)
        self.write(LADDER + GPU + [row("01_naive", "ijk", 1024, 1.0, host="there")])
        self.assertNotIn("Reference", self.page_of_it("--reference", reference), "one of two machines has one")


def compared(variant, rival, n, ratio, /, theirs=100, type="f32", **more):
    """A row of rivals.csv."""
    cells = dict.fromkeys(against_libraries.COLUMNS, "")
    cells |= {"type": type, "m": n, "n": n, "k": n, "threads": 1, "variant": variant, "rival": rival, "pairs": 21,
              "ratio": ratio, "ratio_low": 0.9 * ratio, "ratio_high": 1.1 * ratio, "ours_gflops": ratio * theirs,
              "rival_gflops": theirs, "device": "Test CPU (2 cores)", "flags": "-O3", "compiler": "g++ 12",
              "host": "here", "commit": "c1", "started": "2026-11-21T08:30:00Z"} | more
    assert len(cells) == len(against_libraries.COLUMNS)
    return ",".join(map(str, cells.values()))


COMPARISONS = [compared("avx512", "OpenBLAS SkylakeX", 256, 1.1, 200), compared("avx512", "oneDNN", 256, 0.9, 210),
         compared("avx512", "OpenBLAS SkylakeX", 512, 1.21, 220), compared("avx512", "oneDNN", 512, 1.3, 190),
         compared("avx512", "oneDNN", 256, 0.98, 200, k=32), compared("tuned", "OpenBLAS Haswell", 256, 1.0, 100),
         compared("tuned", "BLIS haswell", 256, 1.2, 90)]


class Rivals(Case):
    def write(self, lines):
        super().write(lines, ",".join(against_libraries.COLUMNS))

    @NO_JINJA2
    def test_the_page_shows_them_if_there_are_some(self):
        self.write(COMPARISONS)
        rivals = self.csv.rename(self.folder / "rivals.csv")
        super().write(LADDER)
        page = self.page_of_it("--rivals", rivals)
        for shown in ("Beside the libraries</h2>", 'src="charts/rivals_f32_1_avx512.svg"', "0.900 at 256, oneDNN"):
            self.assertIn(shown, page)
        self.assertEqual(self.run_tool("page", "--out", "out", "--rivals", "none.csv")[0], 2)

    def test_a_chart_has_a_line_a_library_and_does_not_join_squares_with_other_shapes(self):
        self.write(COMPARISONS)
        lines = next(against_libraries.charts(against_libraries.load(self.csv))).lines
        self.assertEqual(([point[1:2] + point[5:] for point in lines["oneDNN"]], len(lines)), ([[0.9, 0, "256"], [1.3, 1, "512"], [], [0.98, 2, "256²×32"]], 2))
        if shutil.which("gnuplot"):
            self.assertEqual(self.run_tool("rivals", "--out", "out")[::2], (0, ""))
            self.assertIn("256²×32", (self.folder / "out/charts/rivals_f32_1_avx512.svg").read_text(encoding="utf-8"))

    def test_a_chart_ends_at_its_top_unless_the_mean_is_above(self):
        for ratios, top in (((1.1, 4), 4.532), ((1.1, 2), 1.5), ((1, 1.1), 1.2463)):  # the upper quartile is a tenth above
            self.write([compared("best", "cuBLAS default", n, ratio) for n, ratio in zip((1024, 2048), ratios)])
            chart, = against_libraries.charts(against_libraries.load(self.csv))
            self.assertEqual((round(chart.settings["top"], 4), "above 1.5" in chart.caption, "above 1.5" in chart.footer), (top, top == 1.5, top == 1.5))

    def test_refusals_and_garbage(self):
        self.assertEqual(self.run_tool("rivals")[0], 2)
        for column, text in (("m", ""), ("ratio", "x"), ("ratio_low", "nan"), ("threads", "0"), ("ours_gflops", "-1")):
            self.write([compared("avx512", "oneDNN", 256, 1.0, **{column: text})])
            status, _, err = self.run_tool("rivals")
            self.assertEqual((status, "no row to show" in err), (2, True), column)
            self.write([*COMPARISONS, "f32,256", compared("avx512", "oneDNN", 256, 1.0, **{column: text})])
            self.assertEqual(self.run_tool("rivals")[::2], (0, ""))


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
    COMPARISONS = [*COMPARISONS, compared("tuned", "BLIS haswell", 300, 0.97, 80, k=90), compared("tuned", "BLIS haswell", 300, 0.99, 81, m=600, k=90),
             compared("tuned", "BLIS haswell", 600, 0.95, 82, m=300, k=90), compared("tuned", "BLIS", 256, 0.9, 95),
             compared("avx512", "oneDNN", 512, 1.05, 150, threads=2), compared("square", "cuBLAS", 1024, 1.0, 40000, device="Test GPU"),
             compared("avx512", "oneDNN", 512, 1.02, 200, host="there")]

    def command(self, *arguments):
        """What report.py prints for these arguments, in the folder."""
        with mock.patch.object(charts, "draw_one"), mock.patch.object(report, "draw_one"):
            status, out, err = self.run_with(*arguments)
        self.assertEqual((status, err), (0, ""))
        return f"$ report.py {' '.join(map(str, arguments))}\n{out}"

    def test_what_is_printed(self):
        for name, lines, columns in (("all.csv", self.ROWS + self.GPU, measured.COLUMNS), ("gpu.csv", self.ROWS[:6] + self.GPU, measured.COLUMNS),
                                     ("results.csv", self.ROWS, measured.COLUMNS),
                                     ("rivals.csv", self.COMPARISONS, against_libraries.COLUMNS)):
            (self.folder / name).write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")
        self.machine(GPU_MACHINE)
        machine = ("--machine", "machine.csv")
        said = [self.command(*arguments) for arguments in (
            ("ladder", "results.csv"), ("ladder", "gpu.csv", *machine, "--all-sizes"), ("predicted", "all.csv", *machine),
            ("rivals", "rivals.csv", "--out", "out"), ("draw", "all.csv", *machine, "--out", "out"),
            ("here", "all.csv", *machine, "--step", "04_openmp", "--variant", "tiled", "--size", 1024, "--out", "out"))]
        golden, text = TOOL.parent.parent / "tests/report.txt", "\n".join(said)
        if os.environ.get("COURSE_RENEW"):
            golden.write_text(text, encoding="utf-8")
        self.maxDiff = 5000
        self.assertEqual(text.splitlines(), golden.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Every chart of a small machine written by hand, as gnuplot is given it, beside tests/charts.txt; and what that cannot show.

    charts_test.py            the tests
    charts_test.py --golden   what belongs into tests/charts.txt after a change that is meant; look at it before"""
import contextlib, html, io, math, re, shutil, subprocess, sys, tempfile, textwrap, unittest
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import charts, drawing, gpu_charts, measured, rank_charts, roofline_charts, scaling, standing

GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "charts.txt"
BRIEF = re.compile(r"_(02_loop_order-native|03_tiling|05_avx2|06_mpi|0[78]_cuda_\w+)$")  # their charts against n say nothing new
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
    on_gpu("08_cuda_shared", "unified", 1000, 1e-3, tile=16, copy_in_s="", copy_out_s=0),
    *(row(step, variant, n, seconds, type="f64", **more) for step, variant, n, seconds, more in (
        ("01_naive", "ijk", 1000, 1.9, {}), ("01_naive", "fast", 1000, 1.0, {"threads": 2}), ("01_naive-O1", "ijk", 1000, 3.0, {}),
        ("02_loop_order", "ikj", 300, 0.01, {}), ("02_loop_order", "ikj", 1000, 0.19, {"mean_s": 1.0}), ("02_loop_order", "kij", 1000, 0.3, {}),
        *(("03_tiling", "tiled", 1000, 0.2 + tile / 1e4, {"tile": tile}) for tile in (8, 16, 256))))]
FACTS = """\
processor,,,,,2,threads,Test CPU (2 cores)
cache,,,,L1,3072,B,
cache,,,,L2,196608,B,
cache,,,,L3,25165824,B,
latency,f32,,1,add,0.8,ns,
latency,f32,,2,add,0.8,ns,
latency,i32,,1,add,0.2,ns,
peak,f32,avx2,1,,100,GFLOP/s,
peak,f32,sse2,1,,50,GFLOP/s,
peak,f32,avx2,2,,0.2,TFLOP/s,
peak,f32,sse2,2,,140,GFLOP/s,
bandwidth,,sse2,1,L1,90,GB/s,
bandwidth,,avx2,1,L1,200,GB/s,
bandwidth,,avx2,1,L2,80,GB/s,
bandwidth,,avx2,1,L3,60,GB/s,
bandwidth,,avx2,1,memory,20,GB/s,
bandwidth,,avx2,2,L1,400,GB/s,
bandwidth,,avx2,2,memory,25,GB/s,
library,f32,OpenBLAS,1,1000x1000x1000,90,GFLOP/s,
library,f32,OpenBLAS,1,500x500x500,70,GFLOP/s,
library,f32,BLIS,1,1000x1000x1000,80,GFLOP/s,
library,f32,oneDNN,2,1000x1000x1000,170,GFLOP/s,
gpu,,cuda,,,4,multiprocessors,NVIDIA G1; compute capability 9.0
peak,f32,cuda,,,50,TFLOP/s,
bandwidth,,cuda,,shared,30000,GB/s,
bandwidth,,cuda,,L2,8000,GB/s,
bandwidth,,cuda,,memory,4000,GB/s,
library,f32,cuBLAS,,1000x1000x1000,34000,GFLOP/s,
"""


def machines(rows, facts=FACTS):
    with tempfile.TemporaryDirectory() as folder:
        results, machine = Path(folder, "results.csv"), Path(folder, "machine.csv")
        results.write_text("\n".join([",".join(measured.COLUMNS), *rows]) + "\n", encoding="utf-8")
        machine.write_text(",".join(measured.MACHINE_COLUMNS) + "\n" + facts, encoding="utf-8")
        return measured.load(results, machine)


def named_texts(text):
    """What plots/texts.json and others say is named here, not said again."""
    known = {f"<{name}>": of[1] for name, of in drawing.TEXTS.items()} | {" <spread>": drawing.SPREAD, "<serial>": scaling.SERIAL_IS}
    for name, said in known.items():
        text = text.replace(said, name)
    return text


def value(of):
    """A variable's value, numbers to six digits; of the lines without a label on an axis the first and the last."""
    if isinstance(of, list):
        return f"[{', '.join(map(value, of))}]"
    return f"{of:.6g}" if isinstance(of, float) else re.sub(r'"" (\S+) 1(,"" \S+ 1)*,"" (\S+) 1', r"(\1…\3)", str(of))


def shown(chart):
    """A chart as gnuplot is given it, in lines that a diff can show."""
    variables = chart.variables("")
    kind = chart.alt().split()[0]
    yield f"== {chart.name} ({kind}, {chart.script}.gp, {chart.type}{f', of {chart.step}' * bool(chart.step)}): {variables.pop('title')}"
    yield f"{named_texts(chart.caption)} ¶ {variables.pop('footer')}".strip()
    yield "; ".join(f"{name}={value(of)}" for name, of in variables.items())
    _, columns, data = drawing.data_of(chart).split("\n", 2)
    if columns != "# x, y, low, high, disturbed":
        yield columns
    yield from (block.strip().replace("\n", " | ") for block in data.split("\n\n\n"))


def here_charts(results):
    for step, variant in (("03_tiling-native", "tiled"), ("04_openmp", "rows"), ("08_cuda_shared", "shared")):
        rungs = roofline_charts.climb(results, "f32", step, variant, 1000)
        machine, threads = (results.gpu, 0) if rungs[-1].gpu else (results.machine, rungs[-1].threads)
        yield roofline_charts.here_chart(machine, "f32", threads, rungs)
    yield roofline_charts.here_chart(results.machine, "f32", 1)
    yield roofline_charts.here_chart(results.gpu, "f32", 0)


def golden():
    results, = machines(ROWS)
    plan = [*charts.plan(results), *here_charts(results)]
    lines = [line for chart in plan for place, line in enumerate(shown(chart)) if place == 0 or not BRIEF.search(chart.name) and (
        chart.type == "f32" or chart.script in ("gflops", "tiles") and not chart.step)]
    return "".join(textwrap.fill(line, 150, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False) + "\n" for line in lines)


class Golden(unittest.TestCase):
    maxDiff = None

    def test_every_chart_is_as_written_down(self):
        self.assertEqual(golden().splitlines(), GOLDEN.read_text(encoding="utf-8").splitlines())


class Plan(unittest.TestCase):
    def plan(self, rows, facts=FACTS):
        return {chart.name: chart for results in machines(rows, facts) for chart in charts.plan(results)}

    def test_two_ranks_and_two_block_shapes_are_enough_for_a_chart_and_one_is_not(self):
        ranks = [row("06_mpi", "rows", 1000, 1 / p, ranks=p) for p in (1, 2)] + [row("06_mpi", "rows", 1000, 0.6, threads=2)]
        blocks = [on_gpu("07_cuda_global", "plain", 1000, 1e-3, block=block) for block in ("8x8", "16x16")]
        several = {"ranks_speedup_f32", "ranks_phases_f32", "ranks_heat_f32", "blocks_f32"}
        self.assertLessEqual(several, self.plan(ranks + blocks).keys())
        alone = [row("06_mpi", "rows", 1000, 1, type="f64"), on_gpu("07_cuda_global", "plain", 1000, 1e-3, block="8x8", type="f64")]
        self.assertFalse({name.replace("f32", "f64") for name in several} & self.plan(ranks + blocks + alone).keys())

    def test_the_most_ranks_though_fewer_have_more_cores_together(self):
        chart = self.plan([row("06_mpi", "rows", 1000, 1, ranks=p, threads=threads) for p, threads in ((1, 1), (2, 4), (4, 1))])["ranks_phases_f32"]
        self.assertIn("4 ranks", chart.title)

    def test_what_says_no_threads_or_ranks_asks_for_one_core(self):
        self.assertEqual(rank_charts.workers(SimpleNamespace(threads=0, ranks=0)), 1)
        self.assertEqual(rank_charts.workers(SimpleNamespace(threads=3, ranks=2)), 6)

    def test_blocks_are_in_order_of_their_threads(self):
        blocks = ["?", "8x8x1", "8x16", "16x8", "128x1", "32x32"]
        self.assertEqual(sorted(reversed(blocks), key=gpu_charts.area), blocks)

    def test_bars_of_block_shapes_are_of_one_size_and_of_their_variant(self):
        rows = [on_gpu("07_cuda_global", variant, 1000, 1e-3, block=block) for variant in ("plain", "other") for block in ("8x8", "16x16")]
        chart = self.plan(rows)["blocks_f32"]
        faster = [on_gpu("07_cuda_global", "plain", 500, 1e-6, block="16x16"), on_gpu("07_cuda_global", "plain", 1000, 1e-6, type="f64", block="8x8")]
        self.assertEqual(drawing.data_of(self.plan(rows + faster)["blocks_f32"]), drawing.data_of(chart))
        bars = self.plan([*rows, on_gpu("08_cuda_shared", "plain", 1000, 1e-4, block="8x8")])["blocks_f32"].lines
        self.assertEqual({name: [round(bar[1]) for bar in of] for name, of in bars.items()},
                         {"07: plain": [2000, 2000], "07: other": [2000, 2000], "08: plain": [20000]})

    def test_a_line_is_of_one_number_of_threads_and_one_of_ranks(self):
        for at in ({"threads": 2}, {"ranks": 2}):
            rows = [row("06_mpi", "rows", n, seconds, **more) for n, seconds, more in ((500, 0.1, at), (1000, 0.5, at), (500, 0.01, {}), (1000, 0.9, {}))]
            (name, points), = self.plan(rows)["time_f32_06_mpi"].lines.items()
            self.assertEqual((name, [of[1] for of in points]), (f"rows, 2 {next(iter(at))}", [0.1, 0.5]))

    def test_the_twelve_fastest_sweeps(self):
        names = [f"v{place:02}" for place in range(14)]
        plan = self.plan([row("03_tiling", name, 1000, 1 + place + tile / 1e3, tile=tile) for place, name in enumerate(names)
                          for tile in (8, 16, 32)])
        self.assertEqual(list(plan["tiles_f32"].lines), names[:12])

    def test_no_roofline_where_there_are_no_slanted_roofs(self):
        facts = "".join(line for line in FACTS.splitlines(keepends=True) if not line.startswith("bandwidth"))
        self.assertFalse([name for name in self.plan(ROWS, facts) if "roofline" in name])
        results, = machines(ROWS, facts)
        with self.assertRaisesRegex(measured.Refusal, "no roofs for f32 on one thread"):
            roofline_charts.here_chart(results.machine, "f32", 1)

    def test_a_peak_too_near_the_one_before_has_no_label(self):
        def levels(*peaks):
            results, = machines([row("04_openmp", "rows", 1000, 1, threads=2)], "".join(
                f"peak,f32,avx2,{threads},,{peak},GFLOP/s,\n" for threads, peak in enumerate(peaks, 1) if peak))
            settings, beside, names = charts.yardsticks(results, "f32", charts.headline(results, "f32"))
            self.assertEqual((beside, names), ({}, []))
            return settings.get("level_text")
        self.assertEqual(levels(100, 140), ["peak 100¶one thread", "peak 140¶2 threads"])
        self.assertEqual(levels(100, 139), ["peak 100¶one thread"])
        self.assertEqual(levels(None, 139), ["peak 139¶2 threads"])
        self.assertEqual(levels(100, None), ["peak 100¶one thread"])
        self.assertIsNone(levels(None, None))

    def test_the_peak_of_one_thread_is_a_roof_of_several_where_it_is_below(self):
        for alone, shown in ((70, 0), (69, 1)):
            results, = machines(ROWS, "bandwidth,,avx2,2,L1,200,GB/s,\npeak,f64,avx2,2,,100,GFLOP/s,\n" f"peak,f64,avx2,1,,{alone},GFLOP/s,\n")
            names = list(roofline_charts.here_chart(results.machine, "f64", 2).beside)
            self.assertEqual(sum(name.startswith("one thread") for name in names), shown)

    def test_names_of_several_hosts_and_of_a_reference(self):
        rows = [row("01_naive", "i j/k", 1000, 1)]
        two = machines([*rows, row("01_naive", "ijk", 1000, 1, host="there")])
        own = [name for _, _, name in charts.named(two[:1])]
        self.assertEqual(own, ["time_f32", "gflops_f32", "time_f32_01_naive", "gflops_f32_01_naive"])
        reference, = machines([row("01_naive", "ijk", 1000, 1), on_gpu("07_cuda global", "plain", 1000, 1e-3)])
        found = [(of, name) for of, _, name in charts.named(two, reference)]
        self.assertEqual([name for of, name in found if of is two[0]], [f"here_{name}" for name in own])
        self.assertIn("there_speedup_f32", [name for of, name in found if of is two[1]])
        self.assertEqual([name for of, name in found if of is reference], [
            "reference_roofline_f32_gpu", "reference_gflops_f32_gpu", "reference_phases_f32"])


class Axes(unittest.TestCase):
    def test_rates_are_labelled_at_powers_of_ten_and_where_these_are_few_between(self):
        def rates(bottom, top):
            return re.sub(r'"" (\S+) 1', r"(\1)", drawing.log_axis(bottom, top)["rates"])
        self.assertEqual(rates(1, 5), "1e0,2e0,(3e0),(4e0),5e0", "the ends are in")
        self.assertEqual(rates(6, 30), "(6e0),(7e0),(8e0),(9e0),1e1,2e1,(3e1)")
        self.assertEqual(rates(6, 299), "(6e0),(7e0),(8e0),(9e0),1e1,2e1,(3e1),(4e1),5e1,(6e1),(7e1),(8e1),(9e1),1e2,2e2")
        self.assertEqual(rates(6, 300), "(6e0),(7e0),(8e0),(9e0),1e1,(2e1),(3e1),(4e1),(5e1),(6e1),(7e1),(8e1),(9e1),1e2,(2e2),(3e2)")

    def test_a_hundredth_of_the_fastest_makes_an_axis_logarithmic(self):
        self.assertEqual(drawing.scale([3, 299]), {})
        axis = drawing.scale([3, 300])
        self.assertEqual((axis["bottom"], axis["top"]), (2, 420))
        self.assertEqual(drawing.scale([3, 4], always=True)["bottom"], 2)

    def test_a_label_keeps_clear_of_the_one_before(self):
        last = 2**100  # an eleventh power of two is too near, a twelfth is not
        self.assertEqual(drawing.axis([1, 2**11, 2**12, last])["ticks"], f'"1" 1,"" 2048,"4096" 4096,"{last}" {last}')
        ends = drawing.axis([100, 400, 200])
        self.assertEqual((ends["left"], ends["right"]), (100 / 1.12, 400 * 1.12))
        self.assertAlmostEqual(drawing.axis([1, 2**20])["left"], 0.5)

    def test_powers_of_two_or_of_four_under_the_roofs(self):
        def ticks(x):  # the axis reaches from 1 / 1.7 to somewhat beyond x
            settings, _ = roofline_charts.under({"L1": 1}, {"peak": ("peak", 4)}, 4, [(1, 1), (x, math.nan)])
            return re.findall('"(.*?)"', settings["ticks"])
        self.assertEqual(ticks(45), "1 2 4 8 16 32 64 128 256".split())
        self.assertEqual(ticks(90), "1 4 16 64 256".split())


class Places(unittest.TestCase):
    """Where texts go, in pixels of a plot of 378 × 300; the one text, larger letters, is 24 wide and 18 high with its room."""
    def place(self, x, y, *lines):
        at, = roofline_charts.free_places(lines, [(x, y)], ["01"])
        return at

    def between(self, y, left=0, right=378):
        """Lines that leave a text beside a mark at y room on its level alone."""
        return [(((left, y + above), (right, y + above)), 0) for above in (-36, -18, 18, 36)]

    def test_right_below_its_mark_or_else_above_or_beside(self):
        self.assertEqual(self.place(200, 150), (191, 132))
        self.assertEqual(self.place(200, 150, (((0, 132), (378, 132)), 0)), (191, 168))
        dots = [(((200, 150 + above), (200, 150 + above)), 0) for above in (-18, 18)]
        self.assertEqual(self.place(200, 150, *dots), (203, 132), "half aside, rather to the right")
        self.assertEqual(self.place(200, 150, *self.between(150)), (215, 150))
        self.assertEqual(self.place(200, 150, *self.between(150), (((224, 150), (300, 150)), 0)), (167, 150))

    def test_in_the_picture_and_off_its_mark_by_a_hair(self):
        self.assertEqual(self.place(200, 25), (191, 0 + 9), "below it are 16 pixels to the edge")
        self.assertEqual(self.place(200, 24), (191, 42))
        self.assertEqual(self.place(200, 275, (((0, 257), (378, 257)), 0)), (191, 300 - 9))
        self.assertEqual(self.place(347, 150, *self.between(150)), (378 - 21, 150))
        self.assertEqual(self.place(31, 150, *self.between(150)), (3, 150))
        self.assertEqual(self.place(346, 150, *self.between(150)), (378 - 21, 150))
        self.assertEqual(self.place(348, 150, *self.between(150)), (315, 150), "at the edge it would lie on the mark")
        self.assertEqual(self.place(30, 150, *self.between(150)), (45, 150))

    def test_a_line_that_ends_right_before_it_is_in_no_ones_way(self):
        self.assertEqual(self.place(200, 150, (((100, 132), (188, 132)), 0)), (191, 132))
        self.assertEqual(self.place(200, 150, (((100, 132), (189, 132)), 0)), (191, 168))
        self.assertEqual(self.place(200, 150, (((100, 123), (300, 123)), 0)), (191, 132), "nor one that runs right below")
        self.assertEqual(self.place(200, 150, (((100, 123), (300, 123)), 1)), (191, 168))

    def test_no_farther_than_seven_steps(self):
        self.assertEqual(self.place(200, 150, (((0, 150), (378, 150)), 32)), (191, 108), "just off a thick line")
        self.assertNotIn(self.place(200, 150, (((0, 150), (378, 150)), 38))[1], (102, 198))

    def test_a_text_keeps_clear_of_the_one_that_was_placed_before(self):
        line = (((0, 80), (378, 80)), 0)  # what is placed first, the last, stands at 132; so 116 is near, not on it
        self.assertEqual(roofline_charts.free_places([line], [(200, 98), (200, 150)], ["01", "02"])[0], (192.2, 116))
        first, last = roofline_charts.free_places([line], [(200, 99), (200, 150)], ["01", "02"])
        self.assertEqual((first[1], last), (99, (191, 132)))

    def test_the_roofs_and_their_names_are_drawn(self):
        pixels, place = roofline_charts.in_pixels({"left": 1, "right": 2**21, "bottom": 1, "top": 2**10})
        self.assertEqual([round(at, 9) for at in pixels(2**7, 2**5)], [126, 150])
        self.assertEqual([round(at, 6) for at in place(126, 150)], [128, 32])
        (roof, thin), (name, high) = roofline_charts.drawn(pixels, 30, {"L1": [[1, 1, 1, ""], [2**7, 2**5, 2**14, "L1"]]})
        self.assertEqual(([[round(at, 9) for at in end] for end in roof], thin), ([[0, 0], [126, 150]], 0))
        self.assertEqual(([[round(at, 6) for at in end] for end in name], high),
                         ([[252, 157], [round(252 + 125 * math.sqrt(0.75), 6), 219.5]], 7), "from where it stands, aslant")


class Gnuplot(unittest.TestCase):
    CHART = drawing.Chart("n_1", "time", "t" * 33 + " " + "t" * 33, "", {"a `b`": [[1, 2.5, math.nan, math.nan, True]]},
                          {"left": 0.5, "level": [1, "it's"]}, footer="f" * 49 + " " + "f" * 49)

    def test_lines_are_broken_where_the_picture_ends(self):
        self.assertEqual(self.CHART.variables("place")["title"], "t" * 33 + "¶" + "t" * 33, "67 letters are too many")
        self.assertEqual(replace(self.CHART, title="t" * 33 + " " + "t" * 32).variables("")["title"], "t" * 33 + " " + "t" * 32)
        self.assertEqual(self.CHART.below("place"), "place¶" + "f" * 49 + "¶" + "f" * 49 + "¶hollow: measured in a disturbed moment")
        self.assertEqual(replace(self.CHART, footer="f" * 49 + " " + "f" * 48, lines={"a": []}).below(""), "f" * 49 + " " + "f" * 48)

    def test_what_a_reader_hears(self):
        self.assertEqual(replace(self.CHART, title="T", beside={"c": []}).alt(), "Line chart. T. Shown: a `b`, c.")

    def render(self, write=b"<svg></svg>\n", code=0, error=None):
        """Its calls, with a stand-in for gnuplot that writes this; and the data file."""
        calls = []

        def gnuplot(command, **_):
            calls.append(command)
            if error:
                raise error
            Path(re.search("; out='(.*?)'", command[2])[1]).write_bytes(write if "format='svg'" in command[2] else b"\x89PNG IEND\xaeB`\x82")
            return subprocess.CompletedProcess(command, code, "", "line 0:\n no such thing")
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(drawing.subprocess, "run", gnuplot):
            with contextlib.redirect_stdout(io.StringIO()) as said:
                drawing.render([(self.CHART, "here")], Path(folder, "new", "out"))
            drawn = Path(folder, "new", "out", "charts")
            self.assertEqual(said.getvalue(), f"1 charts in {drawn}\n")
            calls = [[part.replace(str(drawn), "OUT").replace(str(drawing.PLOTS), "PLOTS") for part in command] for command in sorted(calls)]
            return calls, (drawn / "n_1.dat").read_text(encoding="utf-8")

    def test_it_is_called_for_both_pictures_with_the_variables_and_the_data(self):
        calls, data = self.render()
        title, footer = "t" * 33, "f" * 49
        self.assertEqual(calls, [["gnuplot", "-e", (
            f"dir='PLOTS'; data='OUT/n_1.dat'; out='OUT/n_1.{end}'; format='{end}'; title='{title}¶{title}'; "
            f"footer='here¶{footer}¶{footer}¶hollow: measured in a disturbed moment'; count=1; beside=0; longest=5; hollow=1; "
            "left=0.5; array level[2] = [1, 'it''s']"), "PLOTS/time.gp"] for end in ("png", "svg")])
        self.assertEqual(data, f'# {title} {title}\n# x, y, low, high, disturbed\n"a b"\n1 2.5 nan nan 1\n')

    def test_refusals(self):
        for given, says in (({"code": 1}, "gnuplot on time.gp: line 0: no such thing"), ({"write": b"<svg>"}, "n_1.svg: the picture is not whole"),
                            ({"error": FileNotFoundError()}, "there is no gnuplot here")):
            with self.assertRaisesRegex(measured.Refusal, says):
                self.render(**given)


class Picture:
    """A chart as the real gnuplot draws it: where a value lies in pixels, and what is drawn where."""
    WHERE = "print " + ", ".join(f"GPVAL_{name}" for name in "TERM_XMIN TERM_XMAX TERM_YMIN TERM_YMAX TERM_YSIZE X_MIN X_MAX Y_MIN Y_MAX".split())

    def __init__(self, chart):
        run, said = subprocess.run, []

        def asked(command, **options):
            done = run([*command, "-e", self.WHERE], **options)
            said.append(done.stderr)
            return done
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(drawing.subprocess, "run", asked):
            data, out = Path(folder, f"{chart.name}.dat"), Path(folder, "out.svg")
            drawing.data_file(chart, data.parent)
            drawing.picture(chart, "here", data, out)
            self.text = re.sub('<path [^>]*class="gridline"[^>]*>', "", out.read_text(encoding="utf-8"))
        left, right, bottom, top, high, *ends = map(float, said[0].split())
        self.box = left, right, high / 100 - bottom, high / 100 - top
        self.across = self.axis(*ends[:2], *self.box[:2], chart.script not in ("levels", "orders", "blocks", "phases", "ranks_heat", "rivals"))
        self.up = self.axis(*ends[2:], *self.box[2:], "rates" in chart.settings or chart.script in ("threads_speedup", "ranks_speedup"))
        self.parts = [self.numbers(part) for part in self.text.split('id="gnuplot_plot_')[1:]]  # one for each element of `plot`
        self.of = {}  # by the name in the key
        for part, numbers in zip(self.text.split('id="gnuplot_plot_')[1:], self.parts):
            self.of.setdefault(html.unescape((re.findall("<text>(.*?)</text>", part) or [""])[0]), []).extend(numbers)
        self.all = self.numbers(self.text)
        self.white = self.numbers("".join(re.findall(r"<use [^>]*(translate\S*) [^>]*color='rgb\(255, 255, 255\)'", self.text)))
        self.texts = [(html.unescape(words), float(x), float(y)) for x, y, words in
                      re.findall(r"translate\(([-\d.]+),([-\d.]+)\)[^>]*>\s*<text>(.*?)</text>", self.text)]

    @staticmethod
    def numbers(part):
        """All pairs of numbers in it: corners of lines and boxes, and marks."""
        return [(float(x), float(y)) for x, y in re.findall(r"(-?\d+\.\d+),(-?\d+\.\d+)", part)]

    @staticmethod
    def axis(low, high, first, last, logarithmic):
        """From a value to its pixel, and back."""
        to, back = (math.log, math.exp) if logarithmic else (float, float)
        a, b = to(low), to(high)
        return (lambda value: first + (last - first) * (to(value) - a) / (b - a), lambda pixel: back(a + (b - a) * (pixel - first) / (last - first)))

    def place(self, x, y):
        return self.across[0](x), self.up[0](y)


def same(pairs, place):
    return any(abs(x - place[0]) < 0.06 and abs(y - place[1]) < 0.06 for x, y in pairs)


def places(chart):
    """What a picture must show of a chart's data: (the name in the key, or None where it has none, x, y), and texts: (words, x, y)."""
    lines, beside, settings = chart.lines.items(), chart.beside.items(), chart.settings
    for name, (x, y, *more) in ((name, point) for name, points in lines for point in points):
        if chart.script == "phases":
            yield from ((name, y, x + 0.02), (name, more[0], x + 0.38))
        elif chart.script == "ranks_heat":
            yield from ((None, x - 0.48, y - 0.46), (None, x + 0.48, y + 0.46))
        elif "top" in chart.columns:
            yield from ((None if more[-1] else name, x + side * settings["width"] / 2, y) for side in (-1, 1))
        else:
            yield name, x, y
        if chart.script == "roofline":
            yield None, x, more[0]
        elif "low" in chart.columns:
            yield from ((None, x, more[0]), (None, x, more[1]))
    for name, point in ((name, point) for name, points in beside for point in points if chart.script != "phases"):
        if point[1] >= settings.get("bottom", 0):  # a slanted roof may begin below
            yield name if chart.script in ("orders", "tiles") else None, point[0], point[1]
        if chart.script == "gflops":
            yield name, point[0], point[2]
    yield from ((None, settings[side], rate) for rate in settings.get("level", []) for side in ("left", "right"))
    yield from ((None, settings[side], 1) for side in ("left", "right") if chart.script == "speedup")
    yield from ((name, settings[side], y) for side in ("left", "right") for name, y in (("", 1), ("0.98: the target", 0.98)) if chart.script == "rivals")


def words_of(chart):
    """The texts among the data, where they stand."""
    points = [point for points in chart.lines.values() for point in points]
    if chart.script in ("levels", "blocks"):
        return [(label, x, top) for x, _, _, _, top, label, _ in points]
    if chart.script == "orders":
        return [(label, x, 1.12 * chart.settings["bottom"]) for x, _, _, _, _, label, _ in points]
    if chart.script == "ranks_heat":
        return [(label, x, y) for x, y, _, label in points]
    if chart.script == "phases":
        return [(text, chart.settings["left"], place - 0.24) for place, text in chart.beside[""]]
    slanted = chart.settings.get("slanted", 0)  # the roofs' names: a level one's in the margin
    roofs = [(text, x if place < slanted else chart.settings["right"], y) for place, (_, (_, y, x, text)) in enumerate(chart.beside.values())] if slanted else []
    return roofs + ([(text, x, y) for _, _, x, y, text, _ in points] if chart.script == "here" else [])


@unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot here")
class Drawn(unittest.TestCase):
    """Each script of plots/, on a chart whose numbers are known."""
    N, TIME, RATE, THREADS = "n (matrices n × n)", "time of one product (lower is better)", "GFLOP/s (higher is better)", "threads"
    BYTES = "FLOP for each byte across the level that limits"
    AXES = {"time": (N, TIME), "gflops": (N, RATE), "speedup": (N, "speedup over 01 ijk (higher is better)"), "roofline": (BYTES, RATE),
            "here": (BYTES, RATE), "tiles": ("T (tiles T × T)", RATE), "levels": ("variant of 01_naive", RATE),
            "orders": ("order of the loops, the outermost first", RATE), "blocks": ("threads of a block, across × down", RATE),
            "phases": ("time (less is better)",), "threads_time": (THREADS, TIME), "threads_sharing": (THREADS, TIME),
            "threads_speedup": (THREADS, "speedup over one thread"), "threads_efficiency": (THREADS, "speedup / threads (higher is better)"),
            "ranks_speedup": ("ranks", "speedup over one rank (higher is better)"), "ranks_weak": ("ranks (n² grows with them)", "rate of a rank / of one alone"),
            "ranks_heat": ("ranks × threads of each; in the cells GFLOP/s, all phases",),
            "rivals": ("n of matrices n × n, then n² × k or m × n × k", "GFLOP/s, ours / library"), "simulated": ("ranks", "simulated efficiency (higher is better)")}

    def charts(self):
        """One of each script, by its name."""
        results, = machines(ROWS)
        duels = [standing.Duel(dict.fromkeys(standing.COLUMNS, "") | {
            "type": "f32", "threads": 1, "variant": "avx512", "rival": rival, "m": n, "n": n, "k": k, "ratio": ratio, "ratio_low": 0.9 * ratio,
            "ratio_high": 1.04 * ratio, "host": "here"}) for rival, n, k, ratio in (
            ("BLIS", 256, 256, 1.2), ("BLIS", 512, 512, 0.97), ("BLIS", 512, 32, 1.1), ("MKL", 256, 256, 1.06))]
        of = {"simulated": drawing.Chart("simulated", "simulated", "t", "", {"ring": [[1, 100], [4, 90], [16, 70]], "tree": [[1, 100], [16, 50]]},
                                         drawing.axis([1, 4, 16]), beside={"ring: on paper": [[1, 95], [4, 92], [16, 75]]}, columns="ranks, %"),
              "rivals": standing.chart(standing.Group(duels, "every library"), False)}
        for chart in [*charts.plan(results), list(here_charts(results))[1]]:
            of.setdefault(chart.script, chart)
        return of

    def test_what_is_in_the_data_is_where_the_axes_say(self):
        charts_of = self.charts()
        self.assertEqual(set(charts_of), set(self.AXES))
        self.assertEqual(set(charts_of) | {"style"}, {path.stem for path in drawing.PLOTS.glob("*.gp")})
        for script, chart in charts_of.items():
            with self.subTest(script=script):
                picture = Picture(chart)
                self.assertEqual([" rotate(270)" in part for name in self.AXES[script] for part in re.findall(
                    rf"<g transform=([^>]*)>\s*<text>{re.escape(name)}<", picture.text)], [False, True][:len(self.AXES[script])])
                for name, x, y in places(chart):
                    if not math.isnan(y):
                        self.assertTrue(same(picture.all if name is None else picture.of.get(name, ()), picture.place(x, y)), (name, x, y))
                for words, *at in words_of(chart):
                    across, down = picture.place(*at)
                    self.assertTrue(any(text == words and -1 < x - across < 8 and abs(y - down) < 12 for text, x, y in picture.texts), (words, at))
                hollow = [(name, *point[:2]) for name, points in chart.lines.items() for point in points if point[-1] is True]
                if "top" in chart.columns:
                    for name, x, y in hollow:
                        self.assertFalse(same(picture.of[name], picture.place(x + chart.settings["width"] / 2, y)), "a disturbed bar is not filled")
                    continue
                hollow = [picture.place(x, y) for _, x, y in hollow]
                self.assertEqual(len(picture.white), len(hollow))
                self.assertTrue(all(same(picture.white, place) for place in hollow), hollow)

    def test_curves_that_are_no_data_follow_their_law(self):
        def amdahl(s):
            return lambda p: 1 / (s + (1 - s) / p)

        def share(s):
            return lambda p: 100 * amdahl(s)(p) / p
        of = self.charts()
        cores, serial = (of["threads_speedup"].settings[name] for name in ("cores", "fit_serial"))
        serial = [float(s) for s in serial.split()]
        self.assertTrue(cores == 2 and max(serial) > 0.1)
        for script, laws in (("threads_speedup", [lambda p: min(p, cores), *map(amdahl, serial)]), ("ranks_speedup", [lambda p: p]),
                             ("threads_efficiency", [lambda p: 100 if p <= cores else 100 * (1 - math.log2(p / cores) / 2) if p < 2 * cores else 50 * (1 - math.log2(p / cores / 2) / 2), *map(share, serial)]),
                             ("ranks_weak", [lambda p: 100])):
            picture = Picture(of[script])
            for place, (law, part) in enumerate(zip(laws, picture.parts)):
                drawn = [(picture.across[1](x), y) for x, y in part if picture.box[0] <= x <= picture.box[1] and picture.box[3] <= y <= picture.box[2]]
                self.assertGreater(len({x for x, _ in drawn}), 1)
                self.assertGreaterEqual(min(x for x, _ in drawn), 0.99 if len(laws) > 1 else 0)
                self.assertLessEqual(max(x for x, _ in drawn), 1.01 * (cores if place else of[script].settings["right"]))
                for x, y in drawn:
                    self.assertAlmostEqual(y, picture.up[0](law(x)), delta=0.7, msg=f"{script}, {place}, {x}")

    def test_a_cell_is_the_bluer_the_higher_its_rate(self):
        chart = self.charts()["ranks_heat"]
        cells, rates = re.findall(r"<polygon fill = 'rgb\((.*?)\)'", Picture(chart).text), [cell[2] for cell in chart.lines["GFLOP/s"]]
        self.assertEqual(len(cells), len(rates))
        for cell, rate in zip(cells, rates):
            for part, full in zip(cell.split(","), (0x56, 0xB4, 0xE9)):
                self.assertAlmostEqual(int(part), 255 + (full - 255) * rate / max(rates), delta=3)


if __name__ == "__main__":
    if sys.argv[1:] == ["--golden"]:
        sys.exit(print(golden(), end=""))
    unittest.main()

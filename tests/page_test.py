"""Tests of tools/report on rows written by hand, by what a reader would see wrong."""

import html, math, os, re, subprocess, sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOL = ROOT / "tools/report/report.py"
sys.path.insert(0, str(TOOL.parent))
import charts, drawing, ladder, measured, report

REFERENCE = ROOT / "plots/reference/h100"
COLUMNS = (REFERENCE / "results.csv").read_text().split("\n")[0].split(",")
COLUMNS += "turns_s page_faults context_switches accesses sectors wavefronts".split()
MACHINE_COLUMNS = (REFERENCE / "machine.csv").read_text().split("\n")[0]


def row(step, variant, n, seconds, **more):
    """A row of results.csv: a right square product of 2 GFLOP at n = 1000, run five times, unless
    told otherwise; turns_s=1/2 are two turns."""
    n, seconds = int(n), float(seconds)
    cells = {"step": step, "variant": variant, "type": "f32", "m": n, "n": n, "k": n, "threads": 1}
    cells |= {"ranks": 1, "device_kind": "processor", "device": "Test CPU", "cores": 2, "repeat": 5}
    cells |= {"best_s": 0.8 * seconds, "median_s": seconds, "mean_s": seconds, "host": "here"}
    cells |= {"stddev_s": seconds / 4, "verdict": "right"}
    if more.get("device") == "G1":
        cells |= {"device_kind": "gpu", "cores": "", "copy_in_s": 3e-3, "copy_out_s": 2e-3}
    cells |= {of: at.replace("/", " ") if of == "turns_s" else at for of, at in more.items()}
    assert cells.keys() <= {*COLUMNS}
    return ",".join(str(cells.get(name, "")) for name in COLUMNS)


def rows(text):
    """Rows of step, variant, n, seconds and more cells."""
    every = [words.split() for words in re.split("[;\n]", text)]
    return [row(*words[:4], **dict(of.split("=") for of in words[4:])) for words in every]


LADDER = rows(
    """01_naive ijk 500 0.25; 01_naive ijk 1000 2.0 limit=chain predicted_s=0.8 started=T1
01_naive ijk 1000 1.6 started=T2; 01_naive ijk 1000 2.5 started=T3; 01_naive ijk 1024 8.0 quiet=no
01_naive-O3 ijk 1000 0.001; 02_loop_order ikj 1000 0.1
02_loop_order-native ikj 1000 0.05 limit=L1 predicted_s=0.05
03_tiling-native tiled 1000 0.068 tile=16; 03_tiling-native tiled 1000 0.02 tile=64
04_openmp-native tiled_simd 1000 0.04 turns_s=0.04/0.05/0.06
04_openmp-native tiled_simd 1000 0.02 threads=2 limit=L1 predicted_s=0.001 turns_s=0.02/0.02/0.04/9
05_avx2 packed 1000 0.025 turns_s=0.025/0.025; 04_openmp touched_by_one 1000 1e-3 threads=2
05_avx2 packed 1000 0.0125 threads=2 turns_s=0.0125/0.0125; mine 02_loop_order/ikj 1000 0.04
libraries library 1000 0.016 threads=2 against=OpenBLAS
libraries library 1000 0.0125 threads=2 against=oneDNN"""
)
for name, ratio in {"oneDNN": 1.1, "OpenBLAS": 1.3}.items():
    more = {"against": name, "ratio": ratio, "ratio_low": ratio - 0.05, "ratio_high": 1.4}
    more |= {"gflops": 9, "against_gflops": 9}
    LADDER.append(row("libraries", "packed", 1000, 1, threads=2, **more))
RANKS = rows(
    """06_mpi summa 1000 0.024; 06_mpi summa 1000 0.012 ranks=2
06_mpi rows 1000 0.01 ranks=2 distribute_s=0.008 collect_s=0.002"""
)
GPU = rows(
    """07_cuda_global coalesced 1000 4e-4 device=G1; 07_cuda_global uncoalesced 1000 4e-3 device=G1
08_cuda_shared shared 1000 5e-4 device=G1 tile=8; 08_cuda_shared shared 1000 1.25e-4 device=G1
12_cuda_hopper best 1000 4e-6 device=G1 type=bf16
07_cuda_global coalesced 1000 1e-9 device_kind=emulator"""
)
FACTS = """processor,,,,,2,threads,Test CPU;peak,f32,avx2,1,,100,GFLOP/s,
peak,f32,avx2,2,,0.2,TFLOP/s,;peak,bf16,cuda,,,1000,TFLOP/s,
gpu,,cuda,,,4,multiprocessors,G1# compute;peak,f32,cuda,,,50,TFLOP/s,no tensor cores"""
FACTS = FACTS.replace(";", "\n").replace("#", ";")


pytestmark = pytest.mark.skipif(not drawing.GNUPLOT, reason="no gnuplot here")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def results(lines, facts=FACTS, columns=COLUMNS):
    Path("machine.csv").write_text("\n".join([MACHINE_COLUMNS, facts, ""]))
    Path("results.csv").write_text("\n".join([",".join(columns), *lines, ""]), encoding="utf-8")
    return measured.Results("results.csv", "machine.csv") if lines else None


def plan(lines, facts=FACTS):
    of = results(lines, facts), "f32"
    found = [charts.scaling_chart(*of, by) for by in charts.COUNTED]
    found += [*charts.course(*of, False), *charts.course(*of, True)]
    return {chart.name: chart for chart in found if chart}


def run_tool(name, *options, **env):
    """The exit status, stdout and stderr."""
    call = [sys.executable, "-B", TOOL, name, "results.csv", "--out", "out", *options]
    done = subprocess.run(call, capture_output=True, text=True, env=os.environ | env)
    return done.returncode, done.stdout, done.stderr


def page_of(lines, *more, facts=FACTS, says="", **env):
    results(lines, facts)
    status, _, err = run_tool("page", "--machine", "machine.csv", *more, **env)
    assert (status, err) == (0, says)
    return Path("out/index.html").read_text(encoding="utf-8")


def says(text, words):
    """Whether these words, a line each, stand in a page in this order, its tags left out."""
    text = re.sub("<[^>]*>+", "|", re.sub("(?s)<svg.*?</svg>", "", text))
    text = re.sub(r"[|\s]*\|[|\s]*", "|", " ".join(html.unescape(text).split()))
    return re.search(".*".join(map(re.escape, words.split("\n"))), text) is not None


def svg_of(chart):
    return drawing.draw(chart, ".").read_text(encoding="utf-8")


def read_off(svg):
    """{label: its value at n = 1000}, as a reader sees it: between the numbers of the axis."""
    ticks = re.findall(r',(\S+)\)"[^>]*anchor="end">\s*<text> *([\d.]+) ?(\S*?) ?<', svg)
    units = {"ms": 1e-3, "µs": 1e-6, "%": 0.01}
    ticks = [(float(y) - 4.55, float(at) * units.get(unit, 1)) for y, at, unit in ticks]
    into, back = (math.log, math.exp) if ticks[0][1] else (float, float)
    (y0, low), (y1, high) = ((y, into(at)) for y, at in (ticks[0], ticks[-1]))
    marks = re.findall(r"<title>([^<]*?): n = 1000,[^(]*translate\(\S+?,(\S+)\)", svg)
    of = lambda y: back(low + (float(y) - y0) / (y1 - y0) * (high - low))
    return {label: of(y) for label, y in marks}


def test_of_equal_rows_the_last_undisturbed_counts_and_torn_lines_do_not():
    """That is a row begun beside a slow sample; older files say quiet, of a peak its note."""
    paces = "here,2026T1,9\nhere,2026T3,10\nhere,2026T5,10\nhere,2026T7,9.2\nhere,2026T9,10\n"
    Path("pace.csv").write_text("host,at,gops\n" + paces)
    begun = {1: "2026T25", 2: "2026T35", 3: "2026T52", 4: "2026T79"}
    lines = [row("02", "ikj", 64, took, started=at) for took, at in begun.items()]
    lines += [row("02", "ikj", 32, took, quiet="no", commit=took) for took in (5, 6)]
    found = results([*lines, "torn,by,a,crash", lines[0] + ",longer"]).rows
    assert [(of.n, of.median_s, of.disturbed) for of in found] == [(64, 2, False), (32, 6, True)]
    peak = "peak,f32,avx2,2,,0.1,TFLOP/s,12 chains; disturbed: a thread had a processor for 36 %"
    alone = FACTS.replace(FACTS.split("\n")[2], peak)
    for facts, full in ((f"{FACTS}\n{peak}", "200 GFLOP/s"), (alone, "100 GFLOP/s~")):
        assert ladder.of_machine(results(LADDER, facts))[0].full == f"the peak of all cores, {full}"


def test_rows_of_one_program_are_compared_turn_by_turn_those_of_two_by_medians():
    of = results(LADDER)
    turns = lambda number: {row.threads: row for row in of.select(number=number) if row.turns_s}
    tiled, packed = turns("04_openmp"), turns("05_avx2")
    assert tiled[2].times_of(tiled[1]) == (2, 1.5, 2.5)
    assert charts.efficiency(tiled, 2) == "100 %"
    assert charts.efficiency(packed, 2) == "–", "two turns"
    assert of.speedup(packed[2]) == [160, 128, 200]
    of = results(LADDER + rows("; ".join(f"0{of}_x v 500 1" for of in range(2, 10))))
    size = of.size_of(of.select(type="f32"))
    assert size == 1000, "where the baseline was taken most often"


def test_machines_are_not_compared():
    there = "02_x v 64 1 started=T1 host=there; libraries library 64 1 host=there against=BLIS"
    of = results(rows(f"01_naive ijk 64 1 started=T2; {there}"))
    assert ([row.step for row in of.rows + of.beside], of.others) == (["01_naive"], ["there"])
    assert "was measured on there; this is here" in run_tool("ladder")[1]


def test_time_speedup_and_efficiency_are_read_off_their_axes():
    drawn = plan(LADDER + RANKS + GPU)
    took = {"01 ijk": 2, "02 ikj": 0.05, "03 tiled": 0.02, "04 tiled_simd": 0.02, "06 summa": 0.012}
    took |= {"05 packed": 0.0125, "yours: 02 ikj": 0.04, "oneDNN": 0.0125}
    values = {"time": lambda s: s, "speedup": lambda s: 2 / s, "efficiency": lambda s: 0.01 / s}
    of = {f"{kind}_f32": {of: make(took[of]) for of in took} for kind, make in values.items()}
    of["efficiency_f32_gpu"] = {"07 coalesced": 0.1, "08 shared": 0.32, "12 best bf16": 0.5}
    for name, expected in of.items():
        assert read_off(svg_of(drawn[name])) == pytest.approx(expected, rel=0.03, abs=1e-3)


def test_gnuplot_says_no_word_and_a_picture_that_is_not_whole_is_an_error(monkeypatch):
    """gnuplot ends with 0 when the disk is full, and leaves the beginning of a picture."""
    every, run, heard = [*plan(LADDER + RANKS + GPU).values()], subprocess.run, []
    every += map(ladder.chart, ladder.of_machine(results(LADDER + GPU)))
    hear = lambda *of, **how: heard.append(run(*of, **how)) or heard[-1]
    monkeypatch.setattr(drawing.subprocess, "run", hear)
    for chart in every:
        svg_of(chart)
    assert {done.stderr for done in heard} == {""}
    Path(f"{every[0].name}.svg").write_text("<svg>")
    monkeypatch.setattr(drawing.subprocess, "run", lambda *_, **how: heard[0])
    with pytest.raises(measured.Refusal, match="not whole"):
        svg_of(every[0])


def test_a_step_has_one_colour():
    svg = svg_of(plan(LADDER)["time_f32"])
    assert len(re.findall("<title>01 ijk: n = 1024,[^(]*#gpPt3", svg)) == 1, "hollow"
    for of in "05 packed/52,  95, 178", "yours: 02 ikj/192,  74,   0", "oneDNN/102, 102, 102":
        assert re.search("<title>{}: n = 1000,[^>]*>[^>]*rgb\\( *{}\\)".format(*of.split("/")), svg)


def test_scaling_tells_efficiency():
    for by, step in {"threads": "04", "ranks": "06"}.items():
        lines = []
        for p, at in {p: 0.1 + 0.9 / p for p in (1, 2, 4, 8)}.items():
            more = {"cores": 8, "turns_s": f"{at}/{at}/{at}", by: p}
            lines.append(row(f"{step}_x", "v", 64, at, **more))
            lines.append(row("04_openmp", "touched_by_one", 64, 0.01, **{by: p}))
        assert f">{step} v, 59 %<" in svg_of(plan(lines)[f"{by}_f32"])
    of = "15 {1} 64 {0} device=G1 threads={2} turns_s={0}/{0}/{0}"
    many = "; ".join(of.format(1 / p, v, p) for v in "ab" for p in (1, 4))
    svg = svg_of(plan(LADDER + rows(many))["GPUs_f32"])
    assert ">15 a, 100 %<" in svg and ">15 b, 100 %<" in svg, "each variant on GPUs"


def test_the_page_opens_with_the_conclusion_four_pictures_and_what_was_predicted(monkeypatch):
    counted = "05_avx2 ikj_avx2 1000 1 threads=2 page_faults=70 context_switches=3"
    counted += f"; {counted.replace('1000', '3000').replace('70', '9')}"  # of no size of theirs
    text = page_of(LADDER + RANKS + GPU + rows(counted))
    words = """(three plain loops) to 167 GFLOP/s (data stay dealt out), 133 to 208 times
In turns, packed is 1.100 (1.05 to 1.40) times as fast as oneDNN.
|01 ijk|
2.50×|chain of additions;
why it misses|02 ikj|
1.00×|L1 bandwidth|04 tiled_simd|
20.0×|L1 bandwidth;
no page explains the miss
speedup|1.82×, 91 %|04 tiled_simd|1000, f32|2.00× (1.50× to 2.50×), 100 %
page faults|18|05 ikj_avx2|1000, f32|70, 3 switches"""
    assert says(text, words)
    for passage in re.findall(r"[\w/]+[.]md(?=#what-we-measured)", text):
        assert "\n## What we measured\n" in (ROOT / passage).read_text(encoding="utf-8")
    pictures = re.findall(r'aria-label="(\w+)', text)[:4]
    assert pictures == ["The", "Time", "Speedup", "Efficiency"]
    for origin in "git@git.org:me/course.git", "https://me:word@git.org/me/course":
        said = SimpleNamespace(stdout=origin)
        monkeypatch.setattr(report.subprocess, "run", lambda *_, **how: said)
        assert report.base("out") == "https://git.org/me/course/blob/HEAD"


@pytest.mark.parametrize("turns, spread", [("", 1), ("1/2/3", 1), ("1.9/2/2.1", 1), ("", 0)])
def test_a_share_above_its_bound_beyond_its_spread_is_marked_and_named(turns, spread):
    more, above = {"stddev_s": spread, "turns_s": turns}, turns == "1.9/2/2.1"
    lines = [row("06_mpi", "r", 64, of, ranks=p) for p, of in ((1, 8), (2, 1))]
    lines.append(row("04_openmp", "v", 64, 9e-6, stddev_s=spread, turns_s="5/5/5"))
    lines.append(row("libraries", "library", 64, 1e-6, against="BLIS", stddev_s=spread))
    text = page_of([*lines, row("04_openmp", "v", 64, 1e-6, threads=2, **more)])
    above_peak = "04 v, f32, n = 64, 2 threads: 262 % of the measured peak|"
    assert says(text, f"{above_peak}\nBLIS, f32, n = 64: 524 % of") == (not spread)
    assert says(text, "04 v, f32, n = 64, 2 threads: an efficiency of 125 %") == above
    assert says(text, "06 r, f32, n = 64, 2 ranks: an efficiency of 400 %")
    assert ("04 v, 125 % !<" in text) == above
    assert ("04 v, 83 % to 250 %<" in text) == (turns == "1/2/3")
    printed = run_tool("ladder", "--machine", "machine.csv")[1]
    assert "262 % !" in printed and ("262 % of the" in printed) == (not spread)


def test_a_published_report_stands_beside_ours_with_what_agrees_and_what_lacks():
    """Rates agree as multiples of the table's first; theirs are 9.01 and 8.04 times."""
    lines = """01_naive-O0 rows_of_rows 2000 8; 01_naive-O1 rows_of_rows 2000 1
01_naive-O2 rows_of_rows 500 .5; 01_naive-O3 rows_of_rows 2000 .5; 01_naive-O3 rows_of_rows 2048 9
02_loop_order ikj 2000 2; 02_loop_order-native ikj 2000 1
04_openmp-native tiled_simd 2000 1; 04_openmp-native tiled_simd 2000 .5 threads=2"""
    text = page_of(rows(lines), "--report", "genova")
    agreed = "1 of 2 agree within 1.5×; furthest apart is O3, 8.04 at 2000 there, 16 at 2000 here"
    agreed += "; O0 is lacking at the size of 1 more.\n|0.197\n|2.00\n|2000, f32|32.0\nleft out"
    assert says(text, f"Genova 2024, levels of optimisation\n{agreed}")
    assert says(text, "|12.9|02 ikj|2000, f32|8.00|\n|36.0|02 ikj|2000, f32|16.0|")
    assert says(text, "1 of 1 agree within 1.5×.\n|openmp_simd+tiling|2000|threads 1|")
    assert ">n = 3000 (2000)<" in text
    assert says(text, "global memory|Nothing of it is compared here: none was run.\nneeds a GPU")
    assert "CSC4005 2023," not in text
    few = "02_loop_order ikj 250 2; 02_loop_order contiguous 250 1; 01_naive ijk 1024 1"
    text = page_of(rows(f"{few}; 06_mpi block_cyclic 1000 1 relative_error=1e-7"))
    for words in "1 of sizes over 2× apart", "only host was measured.", "they printed 0":
        assert says(text, f"Nothing of it is compared here: {words}")
    assert "needs a GPU" not in text


def test_a_published_table_is_drawn_over_what_it_varies():
    lines = """01_naive-O2 checked 1024 8; 07_cuda_global coalesced 1024 0.01 device=G1
06_mpi rows_immediate 1024 0.04 threads=32; 06_mpi rows_immediate 1024 0.02 ranks=4 threads=8"""
    text = page_of(rows(lines), "--report", "csc4005")
    assert says(text, "speedup over 01_naive-O2 checked|1843×|07 coalesced|1024, f32|800×|")
    svg = Path("out/charts/csc4005_2023_processes.svg").read_text(encoding="utf-8")
    assert (
        "ranks (32 threads in all)" in svg and "ranks 4 of 32, 0.667 at 1024 there, 1.99 at" in svg
    )


def test_any_sound_file_gives_a_page():
    Path("failed").write_text("00_dies ended with <139>\n")
    for lines, words in (
        ("03_<b> v 64 0.1", "00_dies ended with &lt;139&gt;"),
        ("01_naive <script>bad 64 0.1 verdict=wrong", "01_naive &lt;script&gt;bad f32"),
        ("06_mpi summa 64 0.1 ranks=4 repeat=1", "Data stay dealt out reach"),
        ("02_loop_order v 64 0.1 verdict=unverified", "1 of 1 rows not verified"),
        ("06_x v 64 1; 06_x v 64 1 ranks=0", "so there is no ladder"),
        ("01_naive ijk 64 1; 08_x v 64 1 k=0 device_kind=emulator accesses=1", "01 ijk"),
    ):
        text = page_of(rows(lines), "--failed", "failed")
        assert words in text and not re.search("<(script|i)>|03_<b>", text)


def test_a_page_without_gnuplot_has_no_charts():
    said = "report.py: no charts: there is no gnuplot here\n"
    text = page_of(LADDER, says=said, PATH="/nonexistent")
    assert "Without charts: there was" in text and "<figure>" not in text


def test_without_a_gpu_the_emulators_counts_stand_beside_the_references_ladder():
    results(GPU + rows("08_cuda_shared shared 4096 0.0156 device=G1"))
    Path("h100").mkdir()
    for file in "results.csv", "machine.csv":
        Path(file).rename(Path("h100", file))
    here = "device_kind=emulator accesses=65536 sectors=131072 wavefronts=32768"
    here = rows(f"08_cuda_shared shared 256 1 k=64 {here}")
    here += rows("10_openacc tiled 256 1 k=64 device_kind=fallback")
    text = page_of(LADDER + here, "--reference", "h100", facts="")
    words = """the ladders are another machine's, the G1
10's on the processor; these ran at 256×256×64. Counted
|08 shared|right|0.500|1.00|0.250|
10 tiled|right|–|–|–|"""
    assert says(text, words)
    assert "no GPU" not in page_of(LADDER + GPU, "--reference", "h100")


def test_what_is_printed():
    Path("jinja2.py").write_text("raise ImportError\n")
    bar = "96 %, 160 GFLOP/s from 128 to 200 05_avx2 packed 2 threads 06 sent"
    for columns, command, status, words in (
        (COLUMNS, "ladder", 0, bar),
        (COLUMNS, "page", 77, "report.py: no page: there is no jinja2 here"),
        (COLUMNS, "libraries", 0, "is 1.100 (1.05 to 1.40) times as fast as the best library at"),
        (["host"], "page", 2, "has other columns than ours: there is no repeat"),
    ):
        results(LADDER + RANKS if columns is COLUMNS else [], columns=columns)
        ended, *printed = run_tool(command, PYTHONPATH=os.getcwd())
        assert (ended, words in " ".join("".join(printed).split())) == (status, True), printed

"""The book, in a real browser, too, at 1280 and at 390 pixels (sh setup.sh book; … browser)."""

import csv, re, subprocess, sys
from operator import itemgetter
from urllib.parse import unquote, urlsplit

import pytest
from browser_test import REFERENCE, ROOT, driver, sound, webdriver  # noqa: F401

ORDERS = ("01 ijk", 48, 64), ("02 jki", 32, 16), ("02 ikj", 32, 16), ("03 tiled", 64, 128)
PROGRAMS = {"02": f"{ROOT}/build/02_loop_order/02_loop_order"}
PROGRAMS |= {"01": PROGRAMS["02"], "03": f"{ROOT}/build/03_tiling/03_tiling --tile 16"}
CONTROLS = ".interactive :enabled:not(option), .sidebar-search, .next-page, .prev-page"
FACTS = itemgetter(*"variant n tile predicted_s bytes_l2".split())
ONCE = "--type f32 --repeat 1 --warmup 0 --verify none"


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """With the rows of a machine of plots/reference as the report of this one."""
    pytest.importorskip("furo", reason="sh setup.sh book installs it")
    report, out = tmp_path_factory.mktemp("report"), tmp_path_factory.mktemp("site") / "book"
    (report / "results.csv").write_text((REFERENCE / "epyc-zen4/results.csv").read_text())
    tool = lambda *words: subprocess.run([sys.executable, "-B", *words], check=True)
    tool(ROOT / "tools/report/report.py", "page", report / "results.csv", "--out", report)
    tool(ROOT / "tools/book/book.py", out, report)
    return out


def test_links_lead_somewhere_and_the_report_is_in_it(book):
    pages = {path: path.read_text() for path in book.rglob("*.html")}
    places = {path: re.findall(r'\b(?:id|name)="([^"]*)"', text) for path, text in pages.items()}
    for path, text in pages.items():
        for to in re.findall(r'<\w+\b[^>]*?\s(?:href|src)="([^"]*)"', text):
            of = urlsplit(to)
            there = (path.parent / unquote(of.path)).resolve() if of.path else path
            assert of.scheme or there.exists() and of.fragment in ["", *places.get(there, [])], to
    assert 'href="../02_loop_order/README.html"' in pages[book / "report/index.html"]
    box = re.search(r'class="here.*?</table>', pages[book / "02_loop_order/README.html"], re.S)[0]
    assert re.search(r"ikj.*?<strong>23.9</strong> \(32.0\)", box, re.S)  # Zen 4's, Zen 5's
    assert '#word-latency" aria-description="Latency: how' in pages[book / "01_naive/LINES.html"]


@pytest.mark.parametrize("width", [1280, 390])
def test_in_a_browser(driver, book, width):
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    for page in "README report/index tools/book/accesses tools/book/roofline".split():
        driver.get((book / f"{page}.html").as_uri())
        sound(driver, CONTROLS)
    search = driver.find_element("class name", "sidebar-search")
    for _ in range(200):
        if driver.switch_to.active_element == search:
            break
        webdriver.ActionChains(driver).send_keys(webdriver.Keys.TAB).perform()
    else:
        pytest.fail("TAB does not reach the search")
    assert search.rect["x"] >= 0, "out of sight"
    search.send_keys("coalesced", webdriver.Keys.ENTER)
    driver.implicitly_wait(20)
    assert driver.find_elements("css selector", "#search-results a"), "nothing is found"
    assert driver.get_log("browser") == [], "on the console"


def test_what_is_played_is_what_the_programs_do(driver, book, tmp_path):
    driver.get((book / "tools/book/accesses.html").as_uri())
    driver.find_element("xpath", "//button[.='Step']").send_keys(webdriver.Keys.ENTER)
    assert "Access 1 reads C(0, 0): a miss." in driver.page_source
    count = lambda *of: driver.execute_script("return accesses.count(...arguments)", *of)
    listed = (ROOT / "tests/CMakeLists.txt").read_text()
    for order, row in re.findall(r'"(0[78]_\w+ \w+) f32 32x32x32 ([\d,]+)"', listed):
        of = count(re.sub(r"_\w+", "", order, count=1), {})
        found = [sum(of[name][at] for name in "ABC") for at in (0, 1)] + of["shared"]
        assert found == [int(cell) for cell in row.split(",")], order
    for order, n, lines in ORDERS:
        of = count(order, {"n": n, "line": 16, "lines": lines, "ways": 0, "tile": 16})
        misses = sum(of[name][1] for name in "ABC")
        call = f"--d1 {64 * lines},{lines},64 --ll 262144,16,64 --expect D1m:{order[3:]}:{misses}:"
        call += f"{1.03 * misses} -- {PROGRAMS[order[:2]]} --size {n} --variant {order[3:]} {ONCE}"
        subprocess.run([sys.executable, ROOT / "tools/cachegrind.py", *call.split()], check=True)
    driver.get((book / "tools/book/roofline.html").as_uri())
    machine, out = REFERENCE / "epyc-zen5/machine.csv", tmp_path / "rows.csv"
    for program in PROGRAMS["02"] + " --variant ijk,jki,ikj", PROGRAMS["03"] + ",256":
        call = f"{program} --size 100,1000 {ONCE} --machine {machine} --csv {out}"
        subprocess.run(call.split(), check=True, stdout=subprocess.DEVNULL)
    rows = [row for row in csv.DictReader(out.open()) if row["variant"] != "two_level"]
    for variant, n, tile, *wanted in map(FACTS, rows):
        ask = f"roofline.predict('{variant}', {{n: {n}, tile: {tile or 0}}}, of)"
        found = f"const of = roofline.machine(arguments[0], 'sse2'); return {ask}"
        found = driver.execute_script(found, machine.read_text())
        found = pytest.approx([found["seconds"], found["bytes"][1]], 1e-5)
        assert found == [float(cell) for cell in wanted], variant

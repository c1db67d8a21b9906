"""The book, in a real browser, too, at 1280 and at 390 pixels (sh setup.sh book; … browser)."""

import re, subprocess, sys
from urllib.parse import unquote, urlsplit

import pytest
from browser_test import REFERENCE, ROOT, driver, webdriver  # noqa: F401

sys.path.append(str(ROOT / "tools"))
import cachegrind

WIDER = (
    "[...document.querySelectorAll('html, .content')].map(of => of.scrollWidth - of.clientWidth)"
)
ORDERS = ("01 ijk", 48, 64), ("02 jki", 32, 16), ("02 ikj", 32, 16), ("03 tiled", 64, 128)


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
    assert len(pages) > 60
    for path, text in pages.items():
        for to in re.findall(r'<\w+\b[^>]*?\s(?:href|src)="([^"]*)"', text):
            of = urlsplit(to)
            there = (path.parent / unquote(of.path)).resolve() if of.path else path
            assert of.scheme or there.exists(), f"{path}: {to}"
            assert of.fragment in places.get(there, []) or not of.fragment, f"{path}: {to}"
    assert 'href="../02_loop_order/README.html"' in pages[book / "report/index.html"]
    lesson = pages[book / "02_loop_order/README.html"]
    box = re.search(r'class="here.*?</table>', lesson, re.S)[0]
    assert re.search(r"ikj.*?<strong>23.9</strong> \(32.0\)", box, re.S)  # Zen 4's, Zen 5's
    assert '#word-latency" aria-description="Latency: how' in pages[book / "01_naive/LINES.html"]


@pytest.mark.parametrize("width", [1280, 390])
def test_in_a_browser(driver, book, width):
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    asked = lambda script: driver.execute_script(f"return {script}")
    for page in "11_cuda_tensor/README report/index GLOSSARY tools/book/accesses".split():
        driver.get((book / f"{page}.html").as_uri())
        assert max(asked(WIDER)) <= 0, page
        fetched = asked("performance.getEntriesByType('resource').map(of => of.name)")
        assert [of for of in fetched if not of.startswith((book.as_uri(), "data:"))] == []
    missing = {"next-page", "prev-page", "sidebar-search" if width > 1000 else "next-page"}
    driver.get((book / "01_naive/README.html").as_uri())
    for _ in range(150):
        driver.switch_to.active_element.send_keys(webdriver.Keys.TAB)
        missing.discard(asked("document.activeElement.className"))
    assert missing == set(), "out of a keyboard's reach"
    driver.get((book / "search.html").as_uri() + "?q=coalesced")
    driver.implicitly_wait(20)
    assert driver.find_elements("css selector", "#search-results a"), "nothing is found"
    assert driver.get_log("browser") == [], "on the console"


def test_accesses_are_the_emulators_and_cachegrinds(driver, book):
    driver.get((book / "tools/book/accesses.html").as_uri())
    controls = driver.find_elements("css selector", ".interactive :is(select, button):enabled")
    driver.execute_script("arguments[0].focus()", controls[0])
    for control in controls:
        assert driver.switch_to.active_element == control, "out of a keyboard's reach"
        control.send_keys(webdriver.Keys.ENTER * (control.text == "Step"), webdriver.Keys.TAB)
    assert "Access 1 reads C(0, 0): a miss." in driver.page_source
    count = lambda *of: driver.execute_script("return accesses.count(...arguments)", *of)
    listed = (ROOT / "tests/CMakeLists.txt").read_text()
    for order, row in re.findall(r'"(0[78]_\w+ \w+) f32 32x32x32 ([\d,]+)"', listed):
        of = count(re.sub(r"_\w+", "", order, count=1), {})
        found = [sum(of[name][at] for name in "ABC") for at in (0, 1)] + of["shared"]
        assert found == [int(cell) for cell in row.split(",")], order
    for order, n, lines in ORDERS:
        of = count(order, {"n": n, "line": 16, "lines": lines, "ways": 0, "tile": 16})
        program = "02_loop_order/02_loop_order" if order < "03" else "03_tiling/03_tiling --tile 16"
        call = f"{ROOT}/build/{program} --type f32 --size {n} --variant {order[3:]} --repeat 1"
        caches = f"--D1={64 * lines},{lines},64 --LL=262144,16,64 --I1=32768,8,64".split()
        told = cachegrind.measured(caches, f"{call} --warmup 0 --verify none".split())
        theirs = cachegrind.total(cachegrind.events_by_function(told), "D1m", order[3:])
        assert 1 <= theirs / sum(of[name][1] for name in "ABC") <= 1.03, order

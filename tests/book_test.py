"""The book, in a real browser, too, at 1280 and at 390 pixels (sh setup.sh book; … browser)."""

import re, subprocess, sys
from html import unescape
from urllib.parse import unquote, urlsplit

import pytest
from browser_test import REFERENCE, ROOT, driver, webdriver  # noqa: F401


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """With the rows of a machine of plots/reference as the report of this one."""
    for module in "sphinx", "myst_parser", "furo", "sphinx_copybutton":
        pytest.importorskip(module, reason="sh setup.sh book installs it")
    report, out = tmp_path_factory.mktemp("report"), tmp_path_factory.mktemp("site") / "book"
    (report / "results.csv").write_text((REFERENCE / "epyc-zen4/results.csv").read_text())
    tool = lambda *words: subprocess.run([sys.executable, "-B", *words], check=True)
    tool(ROOT / "tools/report/report.py", "page", report / "results.csv", "--out", report)
    tool(ROOT / "tools/book/book.py", out, report)
    return out


def test_each_link_leads_somewhere_and_nothing_is_fetched_from_elsewhere(book):
    pages = {path: path.read_text() for path in book.rglob("*.html")}
    places = {path: re.findall(r'\b(?:id|name)="([^"]*)"', text) for path, text in pages.items()}
    assert len(pages) > 60
    for path, text in pages.items():
        for tag, to in re.findall(r'<(\w+)\b[^>]*?\s(?:href|src)="([^"]*)"', text):
            of = urlsplit(unescape(to))
            there = (path.parent / unquote(of.path)).resolve() if of.path else path
            assert not of.netloc or tag == "a", f"{path} fetches {to}"
            assert of.scheme or there.exists(), f"{path}: {to}"
            assert of.fragment in places.get(there, []) or not of.fragment, f"{path}: {to}"
    for style in book.rglob("*.css"):
        assert not re.search(r"""(url\(|@import)\s*["']?(https?:|/)""", style.read_text()), style


def test_the_reports_rows_lead_to_lessons_and_stand_beside_theirs(book):
    assert 'href="../02_loop_order/README.html"' in (book / "report/index.html").read_text()
    lesson = (book / "02_loop_order/README.html").read_text()
    box = re.search(r'class="here.*?</table>', lesson, re.S)[0]
    assert re.search(r"ikj.*?<strong>23.9</strong> \(32.0\)", box, re.S)  # Zen 4's, Zen 5's
    words = (book / "01_naive/LINES.html").read_text()
    assert 'GLOSSARY.html#word-latency" aria-description="Latency: how long' in words


@pytest.mark.parametrize("width", [1280, 390])
def test_in_a_browser(driver, book, width):
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    asked = lambda script: driver.execute_script(f"return {script}")
    for page in "02_loop_order/VECTORS 11_cuda_tensor/README report/index GLOSSARY index".split():
        driver.get((book / f"{page}.html").as_uri())
        assert asked("document.documentElement.scrollWidth - innerWidth") <= 0, page
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

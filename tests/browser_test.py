"""The report's page in a real browser, at 1200 and at 390 pixels (sh setup.sh browser)."""

import base64, re, shutil, subprocess, sys
from pathlib import Path

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="sh setup.sh browser installs it")
if not ((CHROMIUM := shutil.which("chromium")) and (DRIVER := shutil.which("chromedriver"))):
    pytest.skip("there is no chromium here; sh setup.sh browser", allow_module_level=True)
ROOT = Path(__file__).resolve().parents[1]
REFERENCE, SMALLEST = ROOT / "plots/reference", 9
# Of each picture: what is wrong with its texts. Letters of another font may be a little wider.
TEXTS = """(smallest => {
const wrong = [];
for (const svg of document.querySelectorAll('svg')) {
  const of = svg.getAttribute('aria-label'), whole = svg.getBoundingClientRect();
  const scale = whole.width / svg.viewBox.baseVal.width, before = [];
  if (!of) wrong.push('a picture without a name');
  for (const text of svg.querySelectorAll('text')) if (text.textContent.trim()) {
    const a = text.getBoundingClientRect(), name = `${of}: "${text.textContent}"`;
    const size = parseFloat(getComputedStyle(text).fontSize) * scale;
    if (a.left < whole.left - .5 || a.right > whole.right + .5 ||
        a.top < whole.top - .5 || a.bottom > whole.bottom + .5) wrong.push(`${name} is clipped`);
    if (size < smallest) wrong.push(`${name} is ${size} px high`);
    for (const [b, other] of before) {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 3) wrong.push(`${name} on "${other}"`);
    }
    before.push([a, text.textContent]);
  }
}
return wrong })(arguments[0])"""

FOUND = """document.querySelectorAll('details').forEach(of => of.open = true);
    return [performance.getEntriesByType('resource').map(of => of.name),
    [...document.querySelectorAll('html, .content')].map(of => of.scrollWidth - of.clientWidth)]"""


@pytest.fixture(scope="module")
def driver():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.chrome.service.Service(DRIVER)
    with webdriver.Chrome(service=service, options=options) as driver:
        yield driver


def sound(driver, controls):
    """An opened page fits, fetches nothing, complains of nothing; its controls are in reach."""
    missing = driver.find_elements("css selector", controls) if controls else []
    fetched, wider = driver.execute_script(FOUND)
    assert max(wider) <= 0, "wider than the screen"
    assert [of for of in fetched if not of.startswith(("file:", "data:"))] == []
    assert driver.get_log("browser") == [], "on the console"
    for _ in range(200 * bool(missing)):
        webdriver.ActionChains(driver).send_keys(webdriver.Keys.TAB).perform()
        if not (missing := [of for of in missing if of != driver.switch_to.active_element]):
            return
    assert missing == [], "out of a keyboard's reach"


@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("machine", ["epyc-zen5", "epyc-zen4", "h200"])
def test_a_page_of_plots_reference(driver, tmp_path, machine, width):
    folder = shutil.copytree(REFERENCE / machine, tmp_path / machine)
    call = [sys.executable, "-B", ROOT / "tools/report/report.py", "page", folder / "results.csv"]
    call += ["--machine", folder / "machine.csv", "--reference", REFERENCE / "h100"]
    libraries = folder / "libraries.csv"
    call += ["--out", folder] + ["--libraries", libraries] * libraries.exists()
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
    screen = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    driver.get((folder / "index.html").as_uri())
    paper = {"paperWidth": 8.27, "paperHeight": 11.7}
    printed = driver.execute_cdp_cmd("Page.printToPDF", paper)["data"]
    assert len(re.findall(rb"/Type */Page\b", base64.b64decode(printed))) <= 3, "sheets"
    sound(driver, "a, summary, [tabindex]")
    assert driver.execute_script(f"return {TEXTS}", SMALLEST) == []

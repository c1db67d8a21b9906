"""The report's page in a real browser, at 1200 and at 390 pixels; 77: sh setup.sh browser"""

import base64, itertools, os, re, shutil, subprocess, sys, tempfile, unittest  # noqa: E401
from pathlib import Path

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.keys import Keys
except ImportError as missing:
    sys.exit(print(f"Skipped: {missing}; sh setup.sh browser installs it") or 77)
if not ((CHROMIUM := shutil.which("chromium")) and (DRIVER := shutil.which("chromedriver"))):
    sys.exit(print("Skipped: there is no chromium here; sh setup.sh browser installs it") or 77)

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


def made(folder, machine):
    """The page of a machine of plots/reference."""
    shutil.copytree(REFERENCE / machine, folder)
    python = os.environ.get("PAGE_PYTHON", sys.executable)  # has jinja2; this one has selenium
    call = [python, "-B", ROOT / "tools/report/report.py", "page", folder / "results.csv"]
    call += ["--machine", folder / "machine.csv", "--reference", REFERENCE / "h100"]
    libraries = folder / "libraries.csv"
    call += ["--out", folder] + ["--libraries", libraries] * libraries.exists()
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
    return (folder / "index.html").as_uri()


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        cls.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        cls.addClassCleanup(cls.driver.quit)
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.pages = [made(cls.folder / of, of) for of in ("epyc-zen5", "epyc-zen4", "h200")]

    def asked(self, script, *values):
        return self.driver.execute_script(f"return {script}", *values)

    def test_each_page_at_both_widths(self):
        for page, width in itertools.product(self.pages, (1200, 390)):
            with self.subTest(page=page, width=width):
                screen = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
                self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
                self.driver.get(page)
                paper = {"paperWidth": 8.27, "paperHeight": 11.7}
                printed = self.driver.execute_cdp_cmd("Page.printToPDF", paper)["data"]
                sheets = re.findall(rb"/Type */Page\b", base64.b64decode(printed))
                self.assertIn(len(sheets), (1, 2, 3))
                self.asked("document.querySelectorAll('details').forEach(of => of.open = true)")
                self.assertEqual(self.asked(TEXTS, SMALLEST), [])
                beyond = self.asked("document.documentElement.scrollWidth - innerWidth")
                self.assertLessEqual(beyond, 0, "wider than the screen")
                self.assertEqual(self.driver.get_log("browser"), [], "on the console")
                fetched = self.asked("performance.getEntriesByType('resource').map(of => of.name)")
                here = (self.folder.as_uri(), "data:")
                self.assertEqual([of for of in fetched if not of.startswith(here)], [])
                controls = "[...document.querySelectorAll('a, summary, [tabindex]')]"
                missing = set(range(self.asked(f"{controls}.length")))
                for _ in sorted(missing):
                    self.driver.switch_to.active_element.send_keys(Keys.TAB)
                    missing.discard(self.asked(f"{controls}.indexOf(document.activeElement)"))
                self.assertEqual(missing, set(), "out of a keyboard's reach")


if __name__ == "__main__":
    unittest.main()

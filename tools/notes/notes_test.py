"""Each page is its template rendered, and its links lead somewhere; and how a template is read."""
import contextlib, io, re, subprocess, sys, tempfile, unittest
from pathlib import Path
from unittest.mock import patch
from urllib.parse import unquote

sys.path.insert(0, str(Path(__file__).resolve().parent))
import figures, notes

LINK = re.compile(r"""\]\(\s*<?([^)\s>]+)|\b(?:src|href)=["']([^"']+)""")
FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^`\n]*\n.*?^[ \t]*\1+[ \t]*$", re.M | re.S)
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
TWO_SENTENCES = re.compile(r"[a-z0-9)`*>][.?!:]?[.?!] +[*`]*[A-ZÄÖÜ]")


def pages():
    """Those that git tracks, or without git all, save what was built."""
    git = ["git", "-c", "safe.directory=*", "-C", notes.ROOT, "ls-files", "-z", "*.md"]
    listed = subprocess.run(git, capture_output=True, text=True).stdout.split("\0")
    found = [notes.ROOT / name for name in listed if name]
    return [page for page in found or notes.ROOT.glob("[!.b]*/**/*.md") if page.is_file()]


class Pages(unittest.TestCase):
    def test_each_is_its_template_rendered(self):
        self.assertTrue(notes.templates())
        with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said):
            status = notes.main(["--check"])
        self.assertEqual((status, said.getvalue()), (0, ""), "they differ; run make notes")

    def test_links_lead_somewhere(self):
        for page in pages():
            text = CODE_SPAN.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))
            for target in map("".join, LINK.findall(text)):
                path = unquote(re.split("[#?]", target)[0])
                if not re.match(r"[A-Za-z][\w+.-]*:|//", path):
                    there = notes.ROOT / path[1:] if path[:1] == "/" else page.parent / path
                    self.assertTrue(there.exists(), f"{page.relative_to(notes.ROOT)}: {target}")

    def test_a_line_holds_one_sentence(self):
        for page in pages():
            text = FENCE.sub("", page.read_text(encoding="utf-8"))
            for line in text.split("\n") if (page.parent / "text").is_dir() else ():
                content = re.sub(r"\s*(?:(?:[-*+]|\d+[.)])\s+)*", "", line, count=1)  # no "1. "
                if not re.match(r"[|#]", content):
                    place = f"{page.relative_to(notes.ROOT)}: {line}"
                    self.assertNotRegex(CODE_SPAN.sub("`", content), TWO_SENTENCES, place)
                    self.assertLessEqual(len(line), 300, place)


RESULTS = """variant,m,n,k,repeat,gflops,median_s,quiet,verdict,commit
ijk,8,8,8,5,1.25,0.5,yes,right,a
ijk,16,16,16,5,2.5,0.5,yes,right,a
ijk,8,16,8,5,7,0.5,yes,right,a
ikj,8,8,8,5,10,0.002,yes,unverified,a
ikj,16,16,16,5,20,,no,right,a
again,8,8,8,5,1,1,no,right,a
again,8,8,8,5,2,1,yes,right,b
again,8,8,8,5,3,1,no,right,c
torn,8,8
"""
SOURCE = "// [outer]\n  int a;\n  // [inner]\n    int b;\n  // [/inner]\n// [/outer]\n"
SOURCE += "// [open]\n# [/back]\n# [back]\n"


class Templates(unittest.TestCase):
    """Each in a repository of its own: plots/r.csv, 02/gemm.cpp and a template of 02/README.md."""

    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        self.enterContext(patch.object(notes, "ROOT", self.root))
        self.enterContext(patch.object(figures, "PLOTS", self.root / "plots"))
        self.template = self.root / "02/text/README.md.jinja"
        self.template.parent.mkdir(parents=True)
        (self.root / "plots").mkdir()
        (self.root / "plots/r.csv").write_text(RESULTS)
        (self.root / "02/gemm.cpp").write_text(SOURCE)
        figures.read.cache_clear()

    def page(self, text):
        self.template.write_text("{% set run = csv('r.csv', 'gflops', 'variant n') %}\n\n" + text)
        return notes.rendered(self.template)

    def test_figures(self):
        for text, written in (
            ("{{ run('ijk', 8) | f1 }} {{ run(n=16, variant='ijk') | f0 }}\n", "1.2 2\n"),
            ("{{ run('ijk', 8).median_ms | f0 }} {{ (3 - 2 / run('ijk', 16)) | f2 }}", "500 2.20"),
            ("{{ run('ijk', 16, m=8, k=8) | g3 }}, not square", "7, not square"),
            ("{{ run('again', 8) | f0 }}, the last quiet one", "2, the last quiet one"),
            ("| {{ (run('ikj', [8, 16]) / run('ijk', [8, 16])) | f1 }} |", "| 8.0° | 8.0~ |"),
            (
                "{{ max(run('ikj', [8, 16])) | f0 }} {{ min(run('ijk', [8, 16]), 2) | f1 }}",
                "20~° 1.2 | 2.0",
            ),
            ("{{ (run('ikj', 16) + run('ikj', 8)) | f0 }}", "30~°"),
            (
                "{% for n in [8, 16] %}\n| {{ run('ijk', n) | f2 }} |\n{% endfor %}\n",
                "| 1.25 |\n| 2.50 |\n",
            ),
        ):
            self.assertEqual(self.page(text), written)

    def test_code(self):
        self.assertEqual(self.page("{{ code('gemm.cpp', 'outer') }}"), "int a;\n  int b;")
        self.assertEqual(self.page("{{ code('02/gemm.cpp', 'inner') }}"), "int b;")

    def test_an_error_names_page_line_and_query(self):
        for text, said in (
            ("{{ run('ijj', 8) | f1 }}", "0 rows of r.csv with variant=ijj, n=8; one is needed"),
            ("{{ run('torn') | f1 }}", "0 rows of r.csv with variant=torn"),
            ("{{ run('ijk') | f1 }}", "3 rows of r.csv with variant=ijk"),
            ("{{ run('ijk', 8).tile | f1 }}", "no tile in"),
            ("{{ run('ikj', 16).median_s | f1 }}", "no median_s in the row"),
            ("{{ run('ijk', 8, 8) | f1 }}", "r.csv has no columns for"),
            ("{{ run('ijk', tile=8) | f1 }}", "r.csv has no columns for"),
            ("{{ run('ijk', 8) }}", "needs a format"),
            ("{{ ruin('ijk', 8) | f1 }}", "'ruin' is undefined"),
            ("{{ run('ijk', 8) | f1", "unexpected end of template"),
            ("{{ (run('ijk', [8, 16]) / run('ijk', [8, 16, 8])) | f1 }}", "2 figures meet 3"),
            ("{{ csv('s.csv', 'gflops') | f1 }}", "no s.csv under plots/"),
            ("{{ code('gemm.cpp', 'open') }}", "gemm.cpp needs a mark [open], then a mark [/open]"),
            ("{{ code('gemm.cpp', 'back') }}", "gemm.cpp needs a mark [back], then a mark [/back]"),
        ):
            with self.assertRaises(notes.Refusal, msg=text) as caught:
                self.page("Text\n" + text)
            self.assertIn("02/text/README.md.jinja:4: ", str(caught.exception))
            self.assertIn(said, str(caught.exception))

    def test_check_writes_nothing_and_an_error_leaves_the_page(self):
        page, said = self.root / "02/README.md", io.StringIO()
        for text, status, checked, left in (("a\n", 0, 1, "a\n"), ("{{ b }}\n", 2, 2, "a\n")):
            self.template.write_text(text)
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                self.assertEqual(notes.main(["--check"]), checked)
                self.assertEqual(notes.main([]), status)
                self.assertEqual(page.read_text(), left)
        self.assertIn("02/README.md\n", said.getvalue())


if __name__ == "__main__":
    unittest.main()

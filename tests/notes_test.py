"""Each page is its template rendered, and its links lead somewhere; and how a template is read."""

import os, re, subprocess, sys
from pathlib import Path
from urllib.parse import unquote

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools/notes"))
import carry, figures, notes

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


def test_each_is_its_template_rendered(capsys):
    assert notes.templates()
    assert (notes.main(["--check"]), *capsys.readouterr()) == (0, "", ""), "run make notes"


def test_links_lead_somewhere():
    for page in pages():
        text = CODE_SPAN.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))
        for target in map("".join, LINK.findall(text)):
            path = unquote(re.split("[#?]", target)[0])
            if not re.match(r"[A-Za-z][\w+.-]*:|//", path):
                there = notes.ROOT / path[1:] if path[:1] == "/" else page.parent / path
                assert there.exists(), f"{page}: {target}"


def test_letters_can_be_read_on_a_telephone():
    """A telephone 390 pixels wide shows 358 of a picture."""
    for picture in notes.ROOT.glob("[0-9gp]*/**/*.svg"):
        text = picture.read_text(encoding="utf-8")
        wide = max(358, float(re.search(r'viewBox="0 0 ([\d.]+)', text)[1]))
        least = min(map(float, re.findall(r'font-size="([\d.]+)', text)))
        assert least * 358 / wide >= 9, f"{picture}: letters of {least} on {wide}"


def test_a_line_holds_one_sentence():
    for page in pages():
        text = FENCE.sub("", page.read_text(encoding="utf-8"))
        for line in text.split("\n") if (page.parent / "text").is_dir() else ():
            content = re.sub(r"\s*(?:(?:[-*+]|\d+[.)])\s+)*", "", line, count=1)  # no "1. "
            if not re.match(r"[|#]", content):
                two = TWO_SENTENCES.search(CODE_SPAN.sub("`", content))
                assert not two and len(line) <= 300, f"{page}: {line}"


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
SOURCE += "// [ijk]\nvoid ijk() {\n  int m;  // a\n  x();\n    y();\n}\n// [/ijk]\n"
SOURCE += "// [ikj]\n// b\nvoid ikj() {\n    int n;  // b\n  x();\n\n  y();\n  z();\n}\n// [/ikj]\n"
SOURCE += "// [kij]\nvoid kij() {\n  x();\n  y();\n}\n// [/kij]\n"


@pytest.fixture
def template(tmp_path, monkeypatch):
    """In a repository of its own with plots/r.csv and 02/gemm.cpp: 02/text/README.md.jinja."""
    monkeypatch.setattr(notes, "ROOT", tmp_path)
    monkeypatch.setattr(figures, "PLOTS", tmp_path / "plots")
    for file, text in ("plots/r.csv", RESULTS), ("02/gemm.cpp", SOURCE), ("02/text/x", ""):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    figures.read.cache_clear()
    return tmp_path / "02/text/README.md.jinja"


def rendered(template, text):
    template.write_text("{% set run = csv('r.csv', 'gflops', 'variant n') %}\n\n" + text)
    return notes.rendered(template)


@pytest.mark.parametrize(
    "text, written",
    [
        ("{{ run('ijk', 8) | f1 }} {{ run(n=16, variant='ijk') | f0 }}\n", "1.2 2\n"),
        ("{{ run('ijk', 8).median_ms | f0 }} {{ (3 - 2 / run('ijk', 16)) | f2 }}", "500 2.20"),
        ("{{ run('ijk', 16, m=8, k=8) | g3 }}, not square", "7, not square"),
        ("{{ run('again', 8) | f0 }}, the last quiet one", "2, the last quiet one"),
        ("| {{ (run('ikj', [8, 16]) / run('ijk', [8, 16])) | f1 }} |", "| 8.0° | 8.0~ |"),
        ("{{ max(run('ikj', [8, 16])) | f0 }}", "20~°"),
        ("{{ min(run('ijk', [8, 16]), 2) | f1 }}", "1.2 | 2.0"),
        ("{{ (run('ikj', 16) + run('ikj', 8)) | f0 }}", "30~°"),
        ("{% for n in [8, 16] %}\n{{ run('ijk', n) | f2 }}\n{% endfor %}\n", "1.25\n2.50\n"),
        ("{{ code('gemm.cpp', 'outer') }}", "int a;\n  int b;"),
        ("{{ code('02/gemm.cpp', 'inner') }}", "int b;"),
        (  # comments, indentation, empty lines and the name make no difference
            "{{ difference('gemm.cpp:ijk', 'gemm.cpp:ikj') }}",
            " void ikj() {\n-  int m;\n+    int n;  // b\n   x();\n   y();\n+  z();\n }",
        ),
        ("{{ difference('gemm.cpp:ijk', 'gemm.cpp:ikj', 0, {'m': 'n'}) }}", "+  z();"),
        ("{{ difference('gemm.cpp:ikj', 'gemm.cpp:kij', 0) }}", "-    int n;\n …\n-  z();"),
    ],
)
def test_what_a_template_asks_for(template, text, written):
    assert rendered(template, text) == written


@pytest.mark.parametrize(
    "text, said",
    [
        ("{{ run('ijj', 8) | f1 }}", "0 rows of r.csv with variant=ijj, n=8; one is needed"),
        ("{{ run('ijk') | f1 }}", "3 rows of r.csv with variant=ijk"),
        ("{{ run('ijk', 8).tile | f1 }}", "no tile in"),
        ("{{ run('ijk', 8, 8) | f1 }}", "r.csv has no columns for"),
        ("{{ run('ijk', 8) }}", "needs a format"),
        ("{{ ruin('ijk', 8) | f1 }}", "'ruin' is undefined"),
        ("{{ run('ijk', 8) | f1", "unexpected end of template"),
        ("{{ (run('ijk', [8, 16]) / run('ijk', [8, 16, 8])) | f1 }}", "2 figures meet 3"),
        ("{{ csv('s.csv', 'gflops') | f1 }}", "no s.csv under plots/"),
        ("{{ code('gemm.cpp', 'open') }}", "gemm.cpp needs a mark [open], then a mark [/open]"),
        ("{{ code('gemm.cpp', 'back') }}", "gemm.cpp needs a mark [back], then a mark [/back]"),
    ],
)
def test_an_error_names_page_line_and_query(template, text, said):
    with pytest.raises(notes.Refusal) as caught:
        rendered(template, "Text\n" + text)
    assert "02/text/README.md.jinja:4: " in str(caught.value) and said in str(caught.value)


def test_check_writes_nothing_and_an_error_leaves_the_page(template, capsys):
    page = template.parents[1] / "README.md"
    for text, status, checked in ("a\n", 0, 1), ("{{ b }}\n", 2, 2):
        template.write_text(text)
        assert (notes.main(["--check"]), notes.main([])) == (checked, status)
        assert page.read_text() == "a\n"
    assert "02/README.md\n" in capsys.readouterr().out


def test_an_edit_of_a_page_goes_back(template, capsys, monkeypatch, tmp_path):
    """Also beside a line in which a value stands twice; what we rendered ourselves is no edit."""
    monkeypatch.setattr(carry, "RENDERED", tmp_path / "build/rendered")
    page = template.parents[1] / "README.md"
    twice = "{{ run('ijk', 8) | f1 }}{{ run('ijk', 8) | f1 }}\n"
    rendered(template, "It is {{ run('ijk', 8) | f1 }} fast.\nLast.\n" + twice)
    assert notes.main([]) == 0
    edits = ("fast.\nLast.", "very fast.\nLast.\nNew.", 0), ("is 1.2", "is 1.3", 2)
    for words, by, status in edits:
        page.write_text(edited := page.read_text().replace(words, by))
        assert (notes.main([]), page.read_text()) == (status, edited)
    assert "README.md.jinja:3: edit this line" in capsys.readouterr().err
    template.write_text("Other.\n")
    assert (notes.main([]), page.read_text()) == (2, edited)  # both were changed
    page.unlink()
    assert (notes.main([]), page.read_text()) == (0, "Other.\n")
    template.write_text("Undone.\n")
    assert (notes.main([]), page.read_text()) == (0, "Undone.\n")

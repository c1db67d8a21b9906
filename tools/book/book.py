#!/usr/bin/env python3
"""Builds the lessons as one site: book.py OUT REPORT

Replaces OUT by index.html and the pages beside it, by Sphinx from Markdown laid out in OUT-pages:
the pages of the course, the sources that they link to, and the report in the folder REPORT, if
there is one. Nothing is fetched. Status: 1 a link is dead, 77 there is no Sphinx here."""

import html, importlib.util, os, re, shutil, subprocess, sys
from pathlib import Path

if not importlib.util.find_spec("furo"):
    sys.exit(print("book.py: no Sphinx; sh setup.sh book installs it", file=sys.stderr) or 77)
import here, words

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r'(\]\(|\bhref=")([^)\s#:"]+)(?=[)#"])')
ROOFLINE = "tools/book/roofline.md"
IMAGE = re.compile(r'<img src="([^"]*)"[^>]* alt="([^"]*)">')
LANGUAGE = dict.fromkeys((".cpp", ".hpp", ".cu", ".cuh"), "cpp") | {".py": "python", ".sh": "bash"}
NOT_COPIED = ".*", "build*", "mine", "text", "*.csv"


def contents(caption, entries):
    """A list of contents that is not shown where it stands: [(title, page)…]."""
    lines = "".join(f"{title} <{page.removesuffix('.md')}>\n" for title, page in entries)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}```\n" if entries else ""


def link(stage, page, target):
    """What a page's link to a file or folder of the repository becomes."""
    path = Path(os.path.normpath(Path(page).parent / target))
    if path.suffix in (".md", ".svg", ".png") or not (ROOT / path).exists():
        return target
    if not (stage / f"{path}.md").exists():
        (stage / f"{path}.md").write_text(source(stage, path), encoding="utf-8")
    return target.rstrip("/") + ".md"


def source(stage, path):
    """The page of a source, or of a folder, which lists the sources in it."""
    head = f"---\norphan: true\nnosearch: true\n---\n\n# {path}\n\n"
    if (ROOT / path).is_dir():
        names = sorted(of.name for of in (ROOT / path).iterdir() if of.suffix in LANGUAGE)
        link_to = lambda name: link(stage, f"{path}.md", f"{path.name}/{name}")
        return head + "\n".join(f"- [`{name}`]({link_to(name)})" for name in names)
    language, text = LANGUAGE.get(path.suffix, "none"), (ROOT / path).read_text("utf-8")
    return f"{head}`````{language}\n{text}`````\n"


def lay_out(stage, report):
    """Writes the pages, with the lists of contents in the order of reading."""
    shutil.copytree(ROOT, stage, ignore=shutil.ignore_patterns(*NOT_COPIED))
    found = sorted(str(page.relative_to(stage)) for page in stage.rglob("*.md"))
    pages = {page: (ROOT / page).read_text(encoding="utf-8") for page in found}
    titled = lambda of: [(re.search("# (.*)", pages[page])[1], page) for page in of]
    readme = pages["README.md"]
    rows = re.findall(r"^\| [^|]+ \| (\[.*?) \|", readme, re.M)  # of its map, in reading order
    lessons = [re.findall(r"\]\(([^)#]+\.md)\)", row) for row in rows]
    others = set(found) - {*sum(lessons, ["README.md"])}
    others = sorted(others, key=lambda page: (f"]({page})" not in readme, readme.find(page), page))
    begin = titled(first for first, *_ in lessons)
    for first, *more in lessons:
        more = [(title.partition(" · ")[2], Path(of).name) for title, of in titled(more)]
        pages[first] += contents("More", more)
    if (report / "index.html").is_file():
        name, rows = here.results(report)
        pages = {page: here.beside(page, text, name, rows) for page, text in pages.items()}
        pages["report/index.md"] = here.chapter(report)
        begin.insert(0, ("On this machine", "report/index.md"))
        csv = html.escape("".join(of.read_text("utf-8") for of in report.glob("machine.csv")))
        data = " data-machine", f' data-csv="{csv}" data-machine'
        pages[ROOFLINE] = pages[ROOFLINE].replace(*data)
        (stage / "report").mkdir(exist_ok=True)
    pages["README.md"] += contents("Lessons", begin) + contents("Further pages", titled(others))
    pages["GLOSSARY.md"] = words.anchored()
    for page, text in pages.items():
        led = lambda of, to: of[1] + (to if of[1] == "](" else re.sub(r"\.md$", ".html", to))
        each = lambda of: led(of, link(stage, page, of[2]))
        (stage / page).write_text(LINK.sub(each, IMAGE.sub(r"![\2](\1)", text)), encoding="utf-8")


def main(out, report):
    pages = out.with_name(out.name + "-pages")
    for folder in out, pages:
        shutil.rmtree(folder, ignore_errors=True)
    lay_out(pages, report)
    call = [sys.executable, *"-B -m sphinx -q -W --keep-going -j2 -c . -d".split(), pages / ".read"]
    subprocess.run([*call, pages, out], cwd=ROOT / "tools/book").returncode and sys.exit(1)
    shutil.copy(out / "README.html", out / "index.html")
    for file in report.glob("*.csv") if (out / "report").is_dir() else ():
        shutil.copy(file, out / "report")
    print("The book:", out / "index.html")


if __name__ == "__main__":
    main(*(Path(of).resolve() for of in sys.argv[1:]))

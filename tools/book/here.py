"""This machine's report in the book: its page as a chapter, and its rows beside those of pages."""

import re, sys
from operator import attrgetter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "notes"))
import figures, notes
from measured import Results, Row, digits, marked, typed

SECTION = re.compile(r"^## What we measured\n(.*?)(?=^## |\Z)", re.M | re.S)
TABLE = re.compile(r"(?:^\|.*\n)+", re.M)
LESSON = re.compile(r'href="[^"]*?((?:\d\d_\w+|gpu|plots)/[\w/]*)\.md(#[\w-]*)?"')
alike = attrgetter(*"step variant type m n k threads ranks grid block tile".split())  # compared


def chapter(report):
    """The report's page, with links to the book's lessons."""
    page = (report / "index.html").read_text(encoding="utf-8")
    title, body = re.search(r"<h1>(.*?)</h1>(.*)</body>", page, re.S).groups()
    body = LESSON.sub(lambda of: f'href="../{of[1]}.html{of[2] or ""}"', body)
    body = f'```{{raw}} html\n<div class="report">{body}</div>\n```\n'
    return f"# On this machine\n\n**{title}**\n\n{body}"


def results(report):
    """The machine's name, and what was measured on it: {what a row is of: the row}."""
    found = Results(report / "results.csv")
    return found.processor(), {alike(row): row for row in found.rows if row.timed}


def quoted(template):
    """A page as its template renders it, and the rows that it quotes: [(place in it, row)…]."""
    text, found, cell = "", [], figures.Query.cell

    def noted(query, column):
        found.append((len(text), Row(**{of: typed(of, at) for of, at in query.rows()[0].items()})))
        return cell(query, column)

    figures.Query.cell = noted
    for piece in notes.environment(template.parent).get_template(template.name).generate():
        text += piece
    figures.Query.cell = cell
    page = text.lstrip("\n")
    return page, [(place + len(page) - len(text), row) for place, row in found]


def beside(page, text, name, here):
    """The page's text with a box under each table of what we measured: this machine's rates."""
    template = notes.ROOT / Path(page).parent / "text" / (Path(page).name + ".jinja")
    if not template.is_file() or not (section := SECTION.search(text)):
        return text
    as_rendered, rows = quoted(template)  # of a page that was edited it is not known where
    tables = TABLE.finditer(text, *section.span(1)) if text.startswith(as_rendered) else ()
    for table in reversed([*tables]):
        of = [row for at, row in rows if table.start() <= at < table.end() and alike(row) in here]
        if of := {alike(row): (here[alike(row)], row) for row in of if row.timed}:
            text = text[: table.end()] + box(name, of.values()) + text[table.end() :]
    return text


def box(name, both):
    """A table of rates, a line for what was run and a column for each size."""
    lines, sizes = {}, dict.fromkeys(there.shape() for _, there in both)
    for here, there in both:
        what = ", ".join(filter(None, (f"`{here.step} {here.variant}`", here.setting())))
        cells = lines.setdefault(what + f", {here.type}" * (here.type != "f32"), {})
        cells[there.shape()] = f"**{marked(digits(here.rate), here)}** ({digits(there.rate)})"
    rows = [["GFLOP/s, n =", *sizes], ["---"] + ["---:"] * len(sizes)]
    rows += [[what, *(cells.get(size, "") for size in sizes)] for what, cells in lines.items()]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    said = f"[On this machine](/report/index.md), {name}; in brackets the page's rates"
    return f"\n```{{admonition}} {said}\n:class: here\n\n{table}\n```\n"

#!/usr/bin/env python3
"""Renders the pages from their templates, text/NAME.md.jinja to NAME.md in the folder above: notes.py [--check]

A template is Markdown with jinja2 in it, a sentence a line. Its first lines say what the page draws from:

    {% set run = csv('epyc-zen5/results.csv', 'gflops', 'variant n', type='f32', threads=1) %}
    {% set native = run(step='03_tiling-native', tile=256) %}

The CSV lies under plots/reference/ or plots/. Then come the column that is the figure, the columns that a query's words
fill in turn, and what all queries have in common; a call adds to that or replaces it. n alone is a square product. One
row must be left; of one measured again the last quiet one counts, else the last. A figure has a format:

    {{ native('tiled', 1000) | f1 }}                      f0 to f6: so many decimals; g2, g3: so many digits
    {{ native('tiled', 1000).median_ms | f2 }}            another column; _ms, _us, tflops, thousands: UNITS
    {{ (native('tiled', 1000) / peak) | f2 }}             arithmetic, min(…), max(…)
    | `tiled` | {{ native('tiled', [256, 512]) | f1 }} |  a list fills a cell each
    {{ code('gemm.cpp', 'tiled') }}                       from the line // [tiled] to // [/tiled]

~ follows by itself where other programs disturbed a figure, ° where it was not verified."""
import csv, functools, itertools, operator, re, statistics, sys, textwrap, traceback
from pathlib import Path

import jinja2

ROOT = Path(__file__).resolve().parents[2]
# Rows alike in all of these are one measurement, taken again.
ABOUT = """step variant type m n k fill seed threads ranks grid block tile device flags compiler host name vector
level rival bytes stride lines transfers platform curve bcast experiment metric source pair""".split()
UNITS = (
    ("_s", "_ms", 1e3),
    ("_s", "_us", 1e6),
    ("gflops", "tflops", 1e-3),
    ("value", "thousands", 1e-3),
)
FRAGMENT_MARK = re.compile(r"\s*(?://|#)\s*\[(/?[\w.-]+)\]\s*$")


class Refusal(Exception):
    """Why a page cannot be rendered, as one line."""


def cells_of(value):
    return value.cells if isinstance(value, Figure) else [(value, "")]


def union(*marks):
    return "".join(mark for mark in "~°" if mark in "".join(marks))


def each_with_each(operation, one, other):
    left, right = cells_of(one), cells_of(other)
    left, right = left * (len(right) if len(left) == 1 else 1), right * (
        len(left) if len(right) == 1 else 1
    )
    if len(left) != len(right):
        raise Refusal(f"{len(left)} figures meet {len(right)}")
    return Figure([(operation(x, y), union(a, b)) for (x, a), (y, b) in zip(left, right)])


def extreme(which, *figures):
    """The least or the most of one list of figures; of several, each with each."""
    if len(figures) > 1:
        return functools.reduce(functools.partial(each_with_each, which), figures)
    values, marks = zip(*cells_of(figures[0]))
    return Figure([(which(values), union(*marks))])


class Figure:
    """Numbers side by side, each with its marks. Arithmetic is that of each, and keeps the marks."""

    def __init__(self, cells):
        self.cells = cells

    def __getitem__(self, place):
        return Figure([self.cells[place]])

    def _with(self, operation, other):
        return each_with_each(operation, self, other)

    def _from(self, operation, other):
        return each_with_each(operation, other, self)

    __add__, __radd__ = (functools.partialmethod(to, operator.add) for to in (_with, _from))
    __sub__, __rsub__ = (functools.partialmethod(to, operator.sub) for to in (_with, _from))
    __mul__, __rmul__ = (functools.partialmethod(to, operator.mul) for to in (_with, _from))
    __truediv__, __rtruediv__ = (
        functools.partialmethod(to, operator.truediv) for to in (_with, _from)
    )


@functools.cache
def read(path):
    """The columns and rows of a CSV; a row torn by a crash is passed over."""
    with open(path, encoding="utf-8", newline="") as file:
        columns, *rows = csv.reader(file)
    return columns, [dict(zip(columns, row)) for row in rows if len(row) == len(columns)]


class Query(Figure):
    """The rows of a CSV that have certain cells; the figure is a column of the one row left."""

    def __init__(self, path, words, column, where):
        self.path, self.words, self.column, self.where = path, words, column, where

    def __call__(self, *values, **where):
        where = {**self.where, **dict(zip(self.words, values)), **where}
        if len(values) > len(self.words) or where.keys() - set(read(self.path)[0]):
            raise Refusal(f"{self.path.name} has no columns for {values} {where}")
        return Query(self.path, self.words, self.column, where)

    def __str__(self):
        return f"{self.path.name} with {', '.join(f'{name}={value}' for name, value in self.where.items())}"

    def rows(self):
        columns, rows = read(self.path)
        where, found = {name: str(value) for name, value in self.where.items()}, {}
        if "n" in where and not {"m", "k"} & set(where) and {"m", "k"} < set(columns):
            where |= {"m": where["n"], "k": where["n"]}
        for row in (row for row in rows if where.items() <= row.items()):
            about = tuple(row.get(name) for name in ABOUT)
            if row.get("quiet") != "no" or found.get(about, row).get("quiet") == "no":
                found[about] = row
        return list(found.values())

    def cell(self, column):
        """The value of the one row in a column, and its marks."""
        rows = self.rows()
        if len(rows) != 1:
            raise Refusal(f"{len(rows)} rows of {self}; one is needed")
        [row], factor = rows, 1
        for unit, other, times in UNITS:
            if column.endswith(other) and column not in row:
                column, factor = column.removesuffix(other) + unit, times
        if not row.get(column):
            raise Refusal(f"no {column} in the row of {self}")
        marks = "~" * (row.get("quiet") == "no") + "°" * (row.get("verdict") == "unverified")
        return float(row[column]) * factor, marks

    def __getattr__(self, column):
        if column.startswith("_") or column == "jinja_pass_arg":
            raise AttributeError(column)
        lists = {name: value for name, value in self.where.items() if isinstance(value, list)}
        each = (dict(zip(lists, values)) for values in itertools.product(*lists.values()))
        return Figure([self(**values).cell(column) for values in each])

    @property
    def cells(self):
        return getattr(self, self.column).cells


def query(name, column, words="", /, **where):
    paths = [
        path for path in (ROOT / "plots/reference" / name, ROOT / "plots" / name) if path.is_file()
    ]
    if not paths:
        raise Refusal(f"no {name} under plots/")
    return Query(paths[0], words.split(), column, {})(**where)


def ratio(row):
    return float(row["ratio"])


def standing(rivals):
    """Ours beside the best library of each shape: geometric mean, worst, how many shapes below 0.98."""
    best = {}
    for row in rivals.rows():
        shape = row["m"], row["n"], row["k"]
        best[shape] = min(best.get(shape, row), row, key=ratio)
    ratios, worst = [ratio(row) for row in best.values()], min(best.values(), key=ratio)
    m, n, k = worst["m"], worst["n"], worst["k"]
    shape = n if m == n == k else f"{n}²×{k}" if m == n else f"{m}×{n}×{k}"
    mean, low = statistics.geometric_mean(ratios), sum(each < 0.98 for each in ratios)
    return f"{mean:.3f} | {ratio(worst):.3f} at {shape}, {worst['rival']} | {low} of {len(ratios)}"


def code(folder, name, part):
    """The lines of a source, beside the page or from the root, between its marks [part] and [/part]."""
    source = folder / name if (folder / name).is_file() else ROOT / name
    lines = source.read_text(encoding="utf-8").split("\n")
    marks = [mark and mark[1] for mark in map(FRAGMENT_MARK.match, lines)]
    if (marks.count(part), marks.count("/" + part)) != (1, 1):
        raise Refusal(f"{name} needs a mark [{part}] and a mark [/{part}]")
    between = range(marks.index(part), marks.index("/" + part))
    return textwrap.dedent("\n".join(lines[at] for at in between if not marks[at])).strip("\n")


def written(form, figure):
    return " | ".join(form % value + marks for value, marks in cells_of(figure))


def printable(value):
    if isinstance(value, Figure):
        raise Refusal("a figure needs a format, such as | f1")
    return value


def rendered(template):
    """The page of a template."""
    jinja = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template.parent),
        undefined=jinja2.StrictUndefined,
        finalize=printable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for form in *(f".{digits}f" for digits in range(7)), ".2g", ".3g":
        jinja.filters[form[2] + form[1]] = functools.partial(written, "%" + form)
    jinja.globals |= {
        "csv": query,
        "standing": standing,
        "code": functools.partial(code, template.parents[1]),
    }
    jinja.globals |= {
        "min": functools.partial(extreme, min),
        "max": functools.partial(extreme, max),
    }
    try:
        return jinja.get_template(template.name).render().lstrip("\n")
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(template)]
        line = getattr(error, "lineno", None) or lines[-1]
        raise Refusal(f"{template.relative_to(ROOT)}:{line}: {error}") from None


def templates():
    return sorted(
        path
        for path in ROOT.glob("**/text/*.md.jinja")
        if "build" not in path.relative_to(ROOT).parts[0]
    )


def main(arguments):
    """Writes each page that differs, or with --check only names it. Status: 0 well, 1 one differs, 2 one cannot be made."""
    status = 0
    for template in templates():
        page = template.parents[1] / template.stem
        try:
            text = rendered(template)
        except Refusal as refusal:
            print(refusal, file=sys.stderr)
            status = 2
            continue
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            print(page.relative_to(ROOT))
            if arguments == ["--check"]:
                status = max(status, 1)
            else:
                page.write_text(text, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

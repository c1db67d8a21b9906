"""Figures by name: `<!--=ijk_2000-->3.06<!--/-->` in a lesson, and what `ijk_2000` is in the figures.csv beside it.

figures.csv has a line a figure: name, file, where, value, format.
    ijk_2000,reference/epyc-zen5/results.csv,"step = '01_naive' AND variant = 'ijk' AND n = 2000",gflops,%.2f
    swap_gain,,,ikj_2000 / ijk_2000,%.1f
`where` and `value` are SQL over the columns of `file`, a CSV below plots/, which measured.py turns into a table.
One row must be left; of one that was measured again, the last counts. A figure without a file follows from others,
whose values are taken as they are, not as they are written. `format` is printf's; %s is for text.
"""
import csv, re, sqlite3

from measured import FULL_KEY, MACHINE_KEY, Refusal, Table, marks, table_of

COLUMNS = ["name", "file", "where", "value", "format"]
# What a row is about: rows alike in all of these are one measurement, taken again, perhaps at another commit.
KEY = [name for name in dict.fromkeys([*FULL_KEY, *MACHINE_KEY]) if name != "commit"]


def label(value):
    """A cell's value as text."""
    return f"{value:.15g}" if isinstance(value, (int, float)) else value or ""


def written(value, form, mark=""):
    """A value as a page has it, with its marks."""
    if value is None:
        raise Refusal("the value is empty")
    if not re.fullmatch(r"%(\.\d{1,2})?[fegds]", form) or (form != "%s" and not isinstance(value, (int, float))):
        raise Refusal(f"'{value}' cannot be written as '{form}' (%.2f, %.3g, %d or %s)")
    # %d by itself cuts: 9.9 would become 9.
    return form % (label(value) if form == "%s" else round(value) if form == "%d" else value) + mark


def rows_of(path, where, *terms):
    """(the values of these SQL terms, the marks, what it is about) of each row of a CSV for which WHERE holds."""
    table, count = table_of(path), len(terms)
    names = [f'"{name}"' if name in table.names else "NULL" for name in ("quiet", "verdict", *KEY)]
    rows = map(tuple, table.ask(", ".join([*terms, *names]), where, {}, ""))
    return [(row[:count], marks(row[count:count + 2]), row[count + 2:]) for row in rows]


def the_one(rows, path, name):
    """The values and marks of the one row among these; of one that was measured again, of the last."""
    if len({about for *_, about in rows}) != 1:
        raise Refusal(f"{name}: {len(rows)} rows of {path.name} match, one is needed")
    return rows[-1][:2]


class Figures:
    """The figures of one folder's pages. Whatever is wrong with one is a Refusal."""

    def __init__(self, path, plots):
        self.path, self.plots, self.used = path, plots, set()
        with open(path, encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        if any(list(line) != COLUMNS or None in line.values() for line in lines):
            raise Refusal(f"{path.name} has lines of other columns than {','.join(COLUMNS)}")
        self.lines = {line["name"]: line for line in lines}
        if len(self.lines) < len(lines) or not all(map(str.isidentifier, self.lines)):
            raise Refusal(f"{path.name}: each name stands once, and is of letters, digits and _")

    def text(self, name):
        """A figure as the lesson has it."""
        value, mark = self.value(name)
        try:
            return written(value, self.lines[name]["format"], mark)
        except Refusal as refusal:
            raise Refusal(f"{name}: {refusal}") from None

    def value(self, name, asking=()):
        """(value, marks) of a figure that others, `asking`, may follow from."""
        if name not in self.lines:
            raise Refusal(f"{self.path.name} has no figure '{name}'")
        if name in asking:
            raise Refusal(f"{name} follows from itself")
        self.used.add(name)
        line, path = self.lines[name], self.plots / self.lines[name]["file"]
        try:
            if not line["file"]:
                return self.derived(line["value"], (*asking, name))
            [value], mark = the_one(rows_of(path, line["where"], line["value"]), path, name)
            return value, mark
        except (OSError, sqlite3.Error) as error:
            raise Refusal(f"{name}: {error}") from None

    def derived(self, formula, asking):
        names = [name for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", formula)) if name in self.lines]
        found = {name: self.value(name, asking) for name in names}
        others = Table([{name: value for name, (value, _) in found.items()} | {"": None}], [*found, ""])
        [[value]] = others.ask(f"1.0 * ({formula})", "1", {}, "")
        return value, "".join(mark for mark in "~°" if any(mark in marks for _, marks in found.values()))

    def unused(self):
        """The names that no page has asked for."""
        return [name for name in self.lines if name not in self.used]

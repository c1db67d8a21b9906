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
        form = self.lines[name]["format"]
        if not re.fullmatch(r"%(\.\d{1,2}[feg]|d|s)", form) or (form != "%s" and not isinstance(value, (int, float))):
            raise Refusal(f"{name}: '{value}' cannot be written as '{form}' (%.2f, %.3g, %d or %s)")
        return form % (round(value) if form == "%d" else value) + mark

    def value(self, name, asking=()):
        """(value, marks) of a figure."""
        if name not in self.lines:
            raise Refusal(f"{self.path.name} has no figure '{name}'")
        if name in asking:
            raise Refusal(f"{name} follows from itself")
        self.used.add(name)
        line = self.lines[name]
        try:
            found = self.measured(line) if line["file"] else self.derived(line, (*asking, name))
        except (OSError, sqlite3.Error) as error:
            raise Refusal(f"{name}: {error}") from None
        if found[0] is None:
            raise Refusal(f"{name}: the value is empty")
        return found

    def measured(self, line):
        table = table_of(self.plots / line["file"])
        names = [f'"{name}"' if name in table.names else "NULL" for name in ("quiet", "verdict", *KEY)]
        rows = table.ask(", ".join([line["value"], *names]), line["where"], {}, "")
        if len({row[3:] for row in rows}) != 1:
            raise Refusal(f"{line['name']}: {len(rows)} rows of {line['file']} match, one is needed")
        return rows[-1][0], marks(rows[-1][1:3])

    def derived(self, line, asking):
        names = [name for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", line["value"])) if name in self.lines]
        found = {name: self.value(name, asking) for name in names}
        others = Table([{name: value for name, (value, _) in found.items()} | {"": None}], [*found, ""])
        [[value]] = others.ask(f"1.0 * ({line['value']})", "1", {}, "")
        return value, "".join(mark for mark in "~°" if any(mark in marks for _, marks in found.values()))

    def unused(self):
        """The names that no page has asked for."""
        return [name for name in self.lines if name not in self.used]

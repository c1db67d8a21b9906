"""Figures of the CSV files under plots/: what a page's template asks for, see notes.py."""
import functools, itertools, operator, statistics, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools/report"))
from measured import Paces, Refusal, key, lines_of

PLOTS = ROOT / "plots"
UNITS = {"_ms": ("_s", 1e3), "_us": ("_s", 1e6), "tflops": ("gflops", 1e-3)}
UNITS |= {"thousands": ("value", 1e-3), "us": ("seconds", 1e6)}  # as other columns give them


def cells_of(value):
    return value.cells if isinstance(value, Figure) else [(value, "")]


def union(*marks):
    return "".join(mark for mark in "~°" if mark in "".join(marks))


class Figure:
    """Numbers side by side, (value, marks) each. Arithmetic is of each, and keeps the marks."""

    def __init__(self, cells):
        self.cells = cells

    def __getitem__(self, place):
        return Figure([self.cells[place]])

    def combined(self, operation, other, swapped=False):
        left, right = self.cells, cells_of(other)
        left = left * len(right) if len(left) == 1 else left
        right = right * len(left) if len(right) == 1 else right
        if len(left) != len(right):
            raise Refusal(f"{len(left)} figures meet {len(right)}")
        pairs = zip(right, left) if swapped else zip(left, right)
        return Figure([(operation(x, y), union(a, b)) for (x, a), (y, b) in pairs])

    __add__ = __radd__ = functools.partialmethod(combined, operator.add)
    __mul__ = __rmul__ = functools.partialmethod(combined, operator.mul)
    __sub__ = functools.partialmethod(combined, operator.sub)
    __rsub__ = functools.partialmethod(combined, operator.sub, swapped=True)
    __truediv__ = functools.partialmethod(combined, operator.truediv)
    __rtruediv__ = functools.partialmethod(combined, operator.truediv, swapped=True)


def extreme(which, first, *others):
    """The least or the most of a list of figures; of several lists, each with each."""
    if others:
        each = lambda one, other: Figure.combined(one, which, other)
        return functools.reduce(each, others, first)
    values, marks = zip(*first.cells)
    return Figure([(which(values), union(*marks))])


def written(form, figure):
    return " | ".join(form % value + marks for value, marks in cells_of(figure))


@functools.cache
def read(path):
    """The rows of a CSV; quiet says no, as in older files, of one that was disturbed."""
    rows, paces = lines_of(path), Paces(path.with_name("pace.csv"))
    for row in (row for row in rows if row.get("device_kind") != "gpu"):
        if row.get("started") and paces.slow(row["host"], row["started"]):
            row["quiet"] = "no"
    return rows


class Query(Figure):
    """The rows of a CSV that have certain cells; the figure is a column of the one row left."""

    def __init__(self, path, column, words, where):
        self.path, self.column, self.words, self.where = path, column, words, where

    def __call__(self, *values, **where):
        where = {**self.where, **dict(zip(self.words, values)), **where}
        if len(values) > len(self.words) or where.keys() - read(self.path)[0].keys():
            raise Refusal(f"{self.path.name} has no columns for {values} {where}")
        return Query(self.path, self.column, self.words, where)

    def __str__(self):
        cells = (f"{name}={value}" for name, value in self.where.items())
        return f"{self.path.name} with {', '.join(cells)}"

    def rows(self):
        where, found = {name: str(value) for name, value in self.where.items()}, {}
        if "n" in where and {"m", "k"} <= read(self.path)[0].keys() - where.keys():
            where |= {"m": where["n"], "k": where["n"]}
        for row in (row for row in read(self.path) if where.items() <= row.items()):
            about = key(row), row.get("compiler")
            if row.get("quiet") != "no" or found.get(about, row).get("quiet") == "no":
                found[about] = row
        return list(found.values())

    def cell(self, column):
        rows, factor = self.rows(), 1
        if len(rows) != 1:
            raise Refusal(f"{len(rows)} rows of {self}; one is needed")
        [row] = rows
        for other, (unit, times) in UNITS.items():
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
    for folder in PLOTS / "reference", PLOTS:
        if (folder / name).is_file():
            return Query(folder / name, column, words.split(), {})(**where)
    raise Refusal(f"no {name} under plots/")


def standing(query):
    """Ours beside the best library of each shape: geometric mean, worst, how many below 0.98."""
    best = {}
    for row in query.rows():
        n = row["n"]
        thin = f"{n}²×{row['k']}" if row["m"] == n else f"{row['m']}×{n}×{row['k']}"
        shape = n if row["m"] == n == row["k"] else thin
        found = (float(row["ratio"]), f"{shape}, {row['against']}")
        best[shape] = min(best.get(shape, found), found)
    ratios, (worst, place) = [ratio for ratio, _ in best.values()], min(best.values())
    below, mean = sum(ratio < 0.98 for ratio in ratios), statistics.geometric_mean(ratios)
    return f"{mean:.3f} | {worst:.3f} at {place} | {below} of {len(ratios)}"

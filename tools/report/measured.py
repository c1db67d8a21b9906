"""What was measured: CSV files in SQLite databases in memory, and what tables and charts ask of
them.

An empty or garbled cell is NULL."""

import csv
import itertools
import math
import re
import sqlite3
import weakref
from pathlib import Path
from types import SimpleNamespace

import inherited  # noqa: F401

# A file's header line names its columns. Of these the cells are words, of any other numbers; a
# count that is missing is 0.
WORDS = set(
    """step variant type fill grid block device_kind device verify verdict quiet flags compiler host commit
    started limit name vector level unit note against""".split()
)
COUNTS = set("m n k threads ranks tile cores repeat".split())
# The first column that was measured; rows alike in those before it are one measurement, taken
# again.
MEASURED = {"repeat", "value"}
BASELINE = ("01_naive", "ijk")
LIBRARIES = ("libraries", "cublas")  # programs of libraries/
NOT_LEVELS = "step NOT GLOB '01_naive-O*'"
LADDER_SIZE = 1008  # a multiple of every step's 16, and no power of two
# What a prediction says binds, from the processor outwards, in words.
LIMITS = {
    "flops": "arithmetic",
    "chain": "chain of additions",
    "L1": "L1 bandwidth",
    "L2": "L2 bandwidth",
    "shared": "shared-memory bandwidth",
    "L3": "L3 bandwidth",
    "memory": "memory bandwidth",
}


class Refusal(Exception):
    """Why nothing can be shown, as one line."""


# ---- files and tables ----


def lines_of(path, columns=()):
    """A CSV's lines as {column: cell}; it must have these columns. A line of another width than the
    header's, as a crash leaves one, is passed over."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace").replace("\0", "\ufffd")
    except OSError as error:
        raise Refusal(f"cannot read {path}: {error.strerror}") from None
    header, *lines = (next(csv.reader([line]), []) for line in text.split("\n"))
    if lacking := [name for name in columns if name not in header]:
        raise Refusal(f"{path} has other columns than ours: there is no {lacking[0]}")
    return [dict(zip(header, cells)) for cells in lines if len(cells) == len(header)]


def append(path, row):
    """Adds a row {column: cell} to a CSV, by one write; makes it where there is none, and cuts off
    a last line torn by a crash; one that lacks only its end of line is whole."""
    try:
        with open(path, "a+b") as file:
            file.seek(0)
            text = file.read()
            whole = text.rfind(b"\n") + 1
            columns = text.decode().split("\n")[0].split(",") if whole else list(row)
            if unended := whole and text[whole:].count(b",") == len(columns) - 1:
                whole = len(text)
            file.truncate(whole)
            header = "\n" if unended else "" if whole else ",".join(columns) + "\n"
            line = ",".join(str(row[name]).replace(",", " ") for name in columns)
            file.write(f"{header}{line}\n".encode())
    except OSError as error:
        raise Refusal(f"cannot write {path}: {error.strerror}") from None


def number(text):
    """The number in a cell; None where it is empty, garbled, negative or beyond what could be
    measured."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == 0 or 1e-30 < value < 1e30 else None


def typed(column, text):
    """A cell as the database has it."""
    if column in WORDS:
        return text or None
    value = number(text)
    return int(min(value or 0, 2**53)) if column in COUNTS else value


def key(row):
    """The cells that tell a row's measurement from others."""
    return tuple(itertools.takewhile(lambda cell: cell[0] not in MEASURED, row.items()))


def read(path, measured):
    """A CSV's rows as {column: cell}, typed; it must have the column `measured`. Of rows alike in
    their key the last of the last program's counts that was not disturbed, else the last; it stands
    where the first stood."""
    newest = {}
    for line in lines_of(path, [measured]):
        row = {name: typed(name, text) for name, text in line.items()}
        alike = key(row)
        before = newest.get(alike, row)
        is_new = any(row.get(name) != before.get(name) for name in ("compiler", "commit"))
        if is_new or row.get("quiet") != "no" or before["quiet"] == "no":
            newest[alike] = row
    return list(newest.values())


class Record(SimpleNamespace):
    """A row: its columns are attributes, "" where a word is missing, None where a number is."""

    def __init__(self, **cells):
        words = {name: "" for name, cell in cells.items() if cell is None and name in WORDS}
        super().__init__(**cells | words)

    def __getattr__(self, name):  # a column that an older file lacks
        if name.startswith("_"):
            raise AttributeError(name)
        return "" if name in WORDS else None


class Table:
    """Rows in a database of their own, as the table `rows`; one that is asked for is a `kind`.
    Columns that follow from others are `derived`, {name: SQL}."""

    def __init__(self, rows, kind=Record, derived={}):
        self.kind, self.database = kind, sqlite3.connect(":memory:")
        weakref.finalize(self, self.database.close)
        self.database.row_factory = sqlite3.Row
        self.is_empty, names = not rows, list(rows[0]) if rows else ["nothing"]
        columns = [f"[{name}]" for name in names]
        columns += [f"{name} AS ({sql})" for name, sql in derived.items() if rows]
        self.do(f"CREATE TABLE rows ({', '.join(columns)})")
        places = ", ".join("?" * len(names))
        cells = (list(row.values()) for row in rows)
        self.database.executemany(f"INSERT INTO rows VALUES ({places})", cells)

    def do(self, command, values=()):
        try:
            return self.database.execute(command, values)
        except sqlite3.OperationalError as error:
            raise Refusal(f"a file has other columns than ours: {error}") from None

    def ask(self, what, where, equal, then):
        """The answer to SELECT of the rows for which WHERE holds and whose columns have these
        values."""
        clauses = " AND ".join([f"({where})", *(f"[{name}] IS :{name}" for name in equal)])
        query = f"SELECT {what} FROM rows WHERE {clauses} {then}"
        return [] if self.is_empty else self.do(query, equal).fetchall()

    def select(self, where="1", order="rowid", **equal):
        """The rows, in this order."""
        return [self.kind(**row) for row in self.ask("*", where, equal, f"ORDER BY {order}")]

    def best(self, where="1", least="median_s", **equal):
        """The first in order of `least`, the fastest if that is not given; or None."""
        return next(iter(self.select(where, f"{least}, rowid", **equal)), None)

    def least(self, by, where="1", least="median_s", order="first", **equal):
        """Of the rows alike in the columns `by` the first in order of `least`; what was met first
        stands first."""
        over = f"OVER (PARTITION BY {by}"
        ranked = (
            f"*, row_number() {over} ORDER BY {least}, rowid) AS place, min(rowid) {over}) AS first"
        )
        rows = self.ask(ranked, where, equal, f"ORDER BY {order}")
        return [self.kind(**row) for row in rows if row["place"] == 1]

    def values(self, column, where="1", **equal):
        """The different values in a column, ascending."""
        found = self.ask(f"DISTINCT {column}", where, equal, f"ORDER BY {column}")
        return [value for value, in found]


# ---- results.csv ----

DERIVED = {  # columns that follow from those of a line, in SQL
    "number": "substr(step, 1, instr(step || '-', '-') - 1)",  # the step's
    # Devices that stand in for a GPU: right or wrong is all that such rows say.
    "stand_in": "device_kind IN ('emulator', 'fallback')",
    "gpu": "device_kind = 'gpu'",
    "sound": "coalesce(verdict IN ('right', 'unverified') AND step || variant || type != '', 0)",
    "rate": "2e-9 * m * n * k / median_s",
    "timed": "coalesce(sound AND NOT stand_in AND rate > 0, 0)",
    "square": "m = n AND n = k",
    "workers": "max(threads, 1) * max(ranks, 1)",
    # Seconds of all phases, for who has the matrices on one rank.
    "whole_s": "median_s + coalesce(distribute_s, 0) + coalesce(collect_s, 0)",
    "whole_rate": "2e-9 * m * n * k / whole_s",
    # Over the bytes to and from the level that binds; for what arithmetic binds, those between L1
    # and the core. What a GPU's multiprocessor shares is as near to its cores as its L1.
    "intensity": """2 * m * n * k / CASE [limit] WHEN 'L2' THEN bytes_l2 WHEN 'L3' THEN bytes_l3
                    WHEN 'memory' THEN bytes_memory ELSE bytes_l1 END""",
}


class Row(Record):
    """A line of results.csv, with what follows from it."""

    def shape(self):
        return f"{self.m}×{self.n}×{self.k}"

    def time(self):
        """The median in words, and its marks."""
        return marked(seconds(self.median_s), self)

    def whole_time(self):
        """The same of all phases: what 06 distributes and collects is part of its product."""
        return marked(seconds(self.whole_s), self)

    def missed(self):
        """Measured time over predicted time, or None."""
        return self.median_s / self.predicted_s if self.median_s and self.predicted_s else None

    def gflops_in(self, seconds):
        return 2e-9 * self.m * self.n * self.k / seconds

    def spread(self):
        """The ends of the spread: the best run, and the mean plus one deviation. None for a single
        run."""
        if self.repeat < 2 or not self.best_s or self.mean_s is None or self.stddev_s is None:
            return None
        return min(self.best_s, self.median_s), max(self.mean_s + self.stddev_s, self.median_s)

    def label(self):
        """The variant, and what it was set to."""
        counts = {name: getattr(self, name) for name in ("threads", "ranks")}
        settings = [f"{count} {name}" for name, count in counts.items() if count > 1]
        of = {name: getattr(self, name) for name in ("grid", "block", "tile")}
        settings += [f"{name} {value}" for name, value in of.items() if value]
        return self.variant + f" ({', '.join(settings)})" * bool(settings)

    def program(self):
        """Step and variant, as a key or a label names them."""
        return f"{short(self.step)}: {self.variant}"


def short(step):
    """The step's number and what its program was built for: steps' names would crowd a key."""
    return re.sub(r"^(\d+)_[^-]*", r"\1", step)


def marks(*judged):
    """A ~ if other programs disturbed one of the rows whose (quiet, verdict) these are, a ° if one
    was not verified."""
    disturbed = any(quiet == "no" for quiet, _ in judged)
    return "~" * disturbed + "°" * any(verdict == "unverified" for _, verdict in judged)


def marked(text, *rows):
    """The text with the marks of these rows; what says nothing stays as it is."""
    return text if text == "–" else text + marks(*((row.quiet, row.verdict) for row in rows))


def ladder_sizes(sizes):
    """Of these 1008, else the largest and, where that is a power of two, the one before if it is
    near: at a power of two the baseline is slow for a reason of its own (01), and every factor
    over it too large."""
    *before, last = sorted(sizes)
    if LADDER_SIZE in (*before, last):
        return [LADDER_SIZE]
    return [n for n in before[-1:] if last.bit_count() == 1 and n >= 0.9 * last] + [last]


class Machine(Table):
    """The facts of machine.csv about its processor, or about its GPU. Rates are in units of 10⁹ a
    second."""

    def __init__(self, path=None, gpu=False):
        facts = read(path, "value") if path else []
        facts = [fact for fact in facts if fact["value"]]
        facts = [fact for fact in facts if (fact["vector"] or "").startswith("cuda") == gpu]
        for fact in facts:
            if fact["unit"] in ("TFLOP/s", "TB/s"):
                fact |= {"value": 1000 * fact["value"], "unit": "G" + fact["unit"][1:]}
        super().__init__(facts)

    def highest(self, name, **equal):
        """The fact with the highest of these values, or None: that of the best vector set, or
        setting."""
        return self.best(least="-value", name=name, **equal)

    def most(self, name, **equal):
        """The highest of these values, or None."""
        fact = self.highest(name, **equal)
        return fact and fact.value

    def same(self, devices):
        """Whether one of these is its processor."""
        mine = {fact.note for fact in self.select(name="processor")}
        return not mine or not mine.isdisjoint(devices)

    def name(self):
        """The GPU's name, as the column `device` has it; nothing where there is none."""
        return next((fact.note.partition(";")[0] for fact in self.select(name="gpu")), "")


class Results(Table):
    """The rows of one machine. Its table has what can be ranked and drawn: right square products,
    timed. Those of libraries are in a table `beside` it."""

    def __init__(self, rows, machine_path):
        super().__init__([row for row in rows if row["step"] not in LIBRARIES], Row, DERIVED)
        self.beside = Table([row for row in rows if row["step"] in LIBRARIES], Row, DERIVED)
        self.rows = self.select()
        self.database.execute("DELETE FROM rows WHERE NOT (timed AND square)")
        self.host, devices = self.rows[0].host, {row.device for row in self.rows}
        self.machine, self.gpu = Machine(machine_path), Machine(machine_path, gpu=True)
        if not self.machine.same(devices):
            self.machine = Machine()
        if self.gpu.name() not in devices:
            self.gpu = Machine(gpu=True)
        based = [row for row in self.rows if row.timed and (row.step, row.variant) == BASELINE]
        self.baselines = {(row.type, row.shape()): row for row in based}
        self.types, self.wrong = self.values("type"), [row for row in self.rows if not row.sound]
        self.wrong += self.beside.select("NOT sound")
        self.cores = max(row.cores or 0 for row in self.rows) or 10**6

    def common_size(self, where="1", of="step || ' ' || variant", **equal):
        """The size that most variants have, of those the largest: slow ones may be left out at
        large sizes."""
        counts = self.ask(f"count(DISTINCT {of}), n", where, equal, "GROUP BY n")
        return max(counts, key=tuple, default=(0, 0))[1]

    def speedup(self, row):
        base = self.baselines.get((row.type, row.shape()))
        return base and base.median_s / row.whole_s

    def roof(self, type, threads):
        """The processor's peak with so many threads, else the highest known; or None."""
        of = self.machine.highest("peak", type=type, threads=threads)
        return of or self.machine.highest("peak", type=type)

    def share(self, row):
        """In words, the per cent of the peak that a row reached, where the peak is that of its
        device; marked where other programs disturbed the peak: then it may well be over 100."""
        roof = self.roof(row.type, row.workers)
        if row.gpu:
            roof = self.gpu.highest("peak", type=row.type)
        if not roof or not self.at_home(row):
            return "–"
        share = row.rate / roof.value
        disturbed = "~" * ("; disturbed: " in roof.note)
        return f"{digits(100 * share)} %{disturbed}{', above the measured peak' * (share > 1.005)}"

    def at_home(self, row):
        """Whether the roofs are of the device a row ran on: the GPU, or the processor that the
        baseline ran on."""
        if row.gpu:
            return row.device == self.gpu.name()
        homes = {base.device for base in self.baselines.values()}
        return not homes or row.device in homes

    def libraries(self, type, gpu=False):
        """{library: {n: the rate of its best setting there}}, of square products on all cores or on
        the GPU."""
        found, here = {}, self.words("device")
        where = "timed AND square AND variant GLOB 'library*' AND "
        where += "gpu" if gpu else f"NOT gpu AND threads = {self.cores}"
        for row in self.beside.select(where, "n", type=type):
            if row.device in here and row.against.strip():
                at = found.setdefault(row.against.split()[0], {})
                at[row.n] = max(row.rate, at.get(row.n, 0))
        return found

    def best_library(self, type, n, gpu=False):
        """(name, rate) of the fastest library at this size; of none, ("", None)."""
        at = {name: rates[n] for name, rates in self.libraries(type, gpu).items() if n in rates}
        return max(at.items(), key=lambda item: item[1], default=("", None))

    def words(self, name):
        return words(self.rows, name)

    def processor(self):
        """The processor that the rows ran on."""
        on_it = [row for row in self.rows if row.device_kind == "processor"]
        return next((device_of(on_it, name) for name in words(on_it, "device")), self.host)

    def place(self, step=""):
        """Where all was measured, or what a chart of this step shows: a program may have run on the
        GPU alone."""
        rows = [row for row in self.rows if not row.stand_in]
        alone = {"gpu"} | {row.step for row in rows} - {row.step for row in rows if not row.gpu}
        return place_of([row for row in rows if row.gpu or step not in alone])


def words(rows, name):
    """The different words in a column, in order."""
    return list(dict.fromkeys(filter(None, (getattr(row, name) for row in rows))))


def device_of(rows, name):
    """The device of this name in words, a processor's with the most cores that a program was left:
    a rank bound to a core counts that core only."""
    cores = max(row.cores or 0 for row in rows if row.device == name)
    return f"{name} ({cores} cores)" if cores else name


def place_of(rows):
    """The machine of these rows in a few words."""
    named = [device_of(rows, name) for name in words(rows, "device")]
    day = max(words(rows, "started"), default="")[:10]
    parts = (" + ".join(named), " + ".join(words(rows, "compiler")), day)
    return ", ".join(filter(None, parts))[:130]


def load(path, machine_path):
    """The results of each machine: times of different machines are never compared."""
    hosts = {}
    for cells in read(path, "repeat"):
        hosts.setdefault(cells.get("host"), []).append(cells)
    of_steps = [{row["step"] for row in rows} - {*LIBRARIES} for rows in hosts.values()]
    hosts = dict(of for of, steps in zip(hosts.items(), of_steps) if steps)
    if not hosts:
        raise Refusal(f"{path} holds no row: nothing was measured")
    return [Results(rows, machine_path) for rows in hosts.values()]


# ---- how tables and numbers are written ----


def tabulated(rows, columns):
    """(headings, cells) of rows, from {heading: what makes a row's cell}."""
    return list(columns), [[cell(row) for cell in columns.values()] for row in rows]


def digits(value):
    """Three significant digits, never fewer than the whole part has: 0.370, 10.0, 1234."""
    return (
        f"{value:.{max(0, 2 - math.floor(math.log10(float(f'{value:.2e}'))))}f}" if value else "0"
    )


def whose(threads):
    return "1 thread" if threads == 1 else f"{threads} threads"


def times(factor):
    return f"{digits(factor)}×" if factor else "–"


def percent(share, places=1):
    return "–" if share is None else f"{100 * share:.{places}f} %"


def seconds(value):
    if value is None:
        return "–"
    scales = ((1, "s"), (1e3, "ms"), (1e6, "µs"))
    scale, unit = next((of for of in scales if value * of[0] >= 1), (1e9, "ns"))
    return f"{digits(value * scale)} {unit}"

"""What was measured: the rows of results.csv and the facts of machine.csv, and what tables and charts ask of them."""
import math, re, sys
from pathlib import Path
from types import SimpleNamespace

for stream in (sys.stdout, sys.stderr):  # a terminal that has no × or … shows a ? instead
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")


def columns_of(name):
    """The columns of a kind of file, and those that tell one row from another: NAME.columns is the one list of them."""
    text = (Path(__file__).resolve().parent.parent / f"{name}.columns").read_text(encoding="utf-8")
    columns = re.findall(r'^\{"(\w+)"(, key)?[},]', text, re.M)
    return [column for column, _ in columns], [column for column, key in columns if key]


COLUMNS, FULL_KEY = columns_of("runner/results")
MACHINE_COLUMNS, MACHINE_KEY = columns_of("runner/machine")
BUILD = ("compiler", "commit")
KEY = [name for name in FULL_KEY if name not in BUILD]  # another build's row takes the place of the old one
BASELINE, LEVELS = ("01_naive", "ijk"), [f"01_naive-{level}" for level in ("O0", "O1", "O2", "O3", "Ofast")]
# What a prediction says binds, from the processor outwards, in words.
LIMITS = {"flops": "arithmetic", "chain": "chain of additions", "L1": "L1 bandwidth", "L2": "L2 bandwidth",
          "shared": "shared-memory bandwidth", "L3": "L3 bandwidth", "memory": "memory bandwidth"}
REHEARSED = ("emulator", "host fallback")  # devices that stand in for a GPU: right or wrong is all that such rows say


class Refusal(Exception):
    """Why nothing can be shown, as one line."""


# ---- what was measured ----

def number(text):
    """The number in a cell; None where it is empty, garbled, negative or beyond what anybody could have measured."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == 0 or 1e-30 < value < 1e30 else None


class Row:
    """One measurement. `cells` holds every column as text; here a count that is missing is 0, a time None."""

    def __init__(self, cells):
        self.cells = cells
        for name in ("step", "variant", "type", "host", "device", "quiet"):
            setattr(self, name, cells[name])
        for name in ("m", "n", "k", "threads", "ranks", "repeat", "tile"):
            setattr(self, name, int(number(cells[name]) or 0))
        self.median, self.least, self.mean, self.deviation, self.predicted = (
            number(cells[name]) for name in ("median_s", "best_s", "mean_s", "stddev_s", "predicted_s"))
        self.phases = {name: number(cells[f"{name}_s"]) for name in ("alloc", "copy_in", "copy_out", "distribute", "collect")}
        self.limit = cells["limit"]
        # Bytes to and from the level that binds; for what arithmetic binds, those between L1 and the core. What a
        # GPU's multiprocessor shares is as near to its cores as its L1.
        level = "l1" if self.limit in ("flops", "chain", "shared") else self.limit.lower()
        self.moved = number(cells.get(f"bytes_{level}", ""))
        self.unverified = cells["verdict"] == "unverified"
        self.sound = self.unverified or cells["verdict"] == "right"
        self.square = self.m == self.n == self.k
        self.rehearsed = self.device.startswith(REHEARSED)
        # The programs write a processor's cores behind its name.
        self.gpu = not self.rehearsed and not re.search(r"\(\d+ cores\)", self.device)
        self.shape = f"{self.m}×{self.n}×{self.k}"

    def time(self):
        """The median in words, and its marks."""
        return marked(seconds(self.median), self)

    def intensity(self):
        """FLOP for each byte that crosses where the prediction says it is tight; None where nothing was counted."""
        return 2 * self.m * self.n * self.k / self.moved if self.moved else None

    def missed(self):
        """Measured time over predicted time, or None."""
        return self.median / self.predicted if self.median and self.predicted else None

    def gflops(self, seconds=None):
        return 2e-9 * self.m * self.n * self.k / (seconds or self.median)

    def spread(self):
        """The ends of the spread: the best run, and the mean plus one deviation. None for a single run."""
        if self.repeat < 2 or not self.least or self.mean is None or self.deviation is None:
            return None
        return min(self.least, self.median), max(self.mean + self.deviation, self.median)

    def label(self):
        """The variant, and what it was set to."""
        settings = [f"{getattr(self, name)} {name}" for name in ("threads", "ranks") if getattr(self, name) > 1]
        settings += [f"{name} {self.cells[name]}" for name in ("grid", "block", "tile") if self.cells[name]]
        return self.variant + (f" ({', '.join(settings)})" if settings else "")


def marked(text, *rows):
    """The text, with a ~ if other programs disturbed one of these rows, and a ° if one was not verified; what says nothing
    stays as it is."""
    marks = "~" * any(row.quiet == "no" for row in rows) + "°" * any(row.unverified for row in rows)
    return text + marks * (text != "–")


def best(rows, **wanted):
    """The fastest of the rows that have these attributes, or None."""
    return min((row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())),
               key=lambda row: row.median, default=None)


def along(rows, name):
    """The fastest row at each value of an attribute, as (value, row), ascending."""
    return [(value, best(rows, **{name: value})) for value in sorted({getattr(row, name) for row in rows})]


def ladder_sizes(sizes):
    """Of these the largest and, where that is a power of two, the one before if it is near. At a power of two the baseline
    is slow for a reason of its own (01), and every factor over it too large."""
    *before, last = sorted(sizes)
    return [n for n in before[-1:] if last.bit_count() == 1 and n >= 0.9 * last] + [last]


def common_size(rows):
    """The size that most variants have, of those the largest: slow ones may be left out at large sizes. 0 for none."""
    return max({row.n for row in rows}, default=0,
               key=lambda n: (len({(row.step, row.variant) for row in rows if row.n == n}), n))


class Machine:
    """The facts of machine.csv about its processor, or about its GPU. Rates are in units of 10⁹ a second."""

    def __init__(self, lines=(), gpu=False):
        facts = {tuple(cells[name] for name in MACHINE_KEY): SimpleNamespace(**cells) for cells in lines
                 if cells["vector"].startswith(("cuda", "cuBLAS")) == gpu}
        self.facts = [fact for fact in facts.values() if number(fact.value)]
        for fact in self.facts:
            scaled = fact.unit[1:] in ("FLOP/s", "B/s") and fact.unit[0] == "T"
            fact.value, fact.unit = number(fact.value) * (1000 if scaled else 1), "G" * scaled + fact.unit[scaled:]
            fact.threads = int(number(fact.threads) or 0)

    def of(self, name, **wanted):
        """The facts of this name with these attributes."""
        return [fact for fact in self.facts
                if fact.name == name and all(getattr(fact, key) == value for key, value in wanted.items())]

    def highest(self, name, **wanted):
        """The fact with the highest of these values, or None: that of the best vector set, or of a library's best setting."""
        return max(self.of(name, **wanted), key=lambda fact: fact.value, default=None)

    def most(self, name, **wanted):
        """The highest of these values, or None."""
        fact = self.highest(name, **wanted)
        return fact and fact.value

    def same(self, devices):
        """Whether one of these is its processor, however many of its cores may be used."""
        mine = {fact.note.partition(" (")[0] for fact in self.of("processor")}
        return not mine or bool(mine & {device.partition(" (")[0] for device in devices})

    def name(self):
        """The GPU's name, as the column `device` has it; nothing where there is none."""
        return next((fact.note.partition(";")[0] for fact in self.of("gpu")), "")

    def libraries(self, type, threads):
        """{library: {n: the rate of its best setting there}}, of square products; a GPU's have no threads."""
        found = {}
        for fact in self.of("library", type=type, threads=threads):
            if (match := re.fullmatch(r"(\d+)x\1x\1", fact.level)) and fact.vector.strip():
                found.setdefault(fact.vector.split()[0], {}).setdefault(int(match[1]), []).append(fact.value)
        return {library: {n: max(rates) for n, rates in sorted(at.items())} for library, at in found.items()}


class Results:
    """The rows of one machine, and what the ladder and the charts ask of them."""

    def __init__(self, host, rows, machine, gpu):
        self.host, self.rows, devices = host, rows, {row.device for row in rows}
        self.machine = machine if machine.same(devices) else Machine()
        self.gpu = gpu if gpu.name() in devices else Machine()
        timed = [row for row in rows if row.sound and not row.rehearsed and row.median and row.gflops()]
        self.baselines = {(row.type, row.shape): row for row in timed if (row.step, row.variant) == BASELINE}
        self.squares = [row for row in timed if row.square]
        self.on_gpu = [row for row in self.squares if row.gpu]
        self.types = sorted({row.type for row in self.squares})
        self.rungs = sorted({row.step for row in self.squares if row.step not in LEVELS})
        self.wrong = [row for row in rows if not row.sound]

    def speedup(self, row, seconds=None):
        base = self.baselines.get((row.type, row.shape))
        return base and base.median / (seconds or row.median)

    def roof(self, type, threads):
        """The processor's peak with so many threads, else the highest known; or None."""
        return self.machine.highest("peak", type=type, threads=threads) or self.machine.highest("peak", type=type)

    def share(self, row):
        """In words, the per cent of the peak that a row reached, where the peak is that of its device; marked where other
        programs disturbed the peak: then it may well be over 100."""
        roof = self.gpu.highest("peak", type=row.type) if row.gpu else self.roof(row.type, row.threads * (row.ranks or 1))
        if not roof or not self.at_home(row):
            return "–"
        share = row.gflops() / roof.value
        return f"{digits(100 * share)} %" + "~" * ("; disturbed: " in roof.note) + ", above the measured peak" * (share > 1.005)

    def at_home(self, row):
        """Whether the roofs are of the device a row ran on: the GPU, or the processor that the baseline ran on."""
        homes = {base.device for base in self.baselines.values()}
        return row.device == self.gpu.name() if row.gpu else not homes or row.device in homes

    def compared(self, type, n=None):
        """The products of size n (the one most variants have) that were predicted: of each variant the best tile."""
        rows = [row for row in self.squares if row.type == type and row.step not in LEVELS and row.missed()]
        n = n or common_size(rows)
        alike = dict.fromkeys((row.step, row.variant, row.threads, row.ranks) for row in rows if row.n == n)
        return [best(rows, n=n, step=step, variant=variant, threads=threads, ranks=ranks)
                for step, variant, threads, ranks in sorted(alike, key=lambda key: key[0])]

    def sizes(self, type):
        """The ladder's sizes, ascending: those of the baseline, or all where it was not measured."""
        with_base = {row.n for row in self.baselines.values() if row.type == type and row.square}
        return sorted(with_base or {row.n for row in self.squares if row.type == type})

    def shown_sizes(self, type):
        """The sizes that a ladder is shown at."""
        return ladder_sizes(self.sizes(type))

    def ladder(self, type, n):
        """The baseline, then the fastest row of every other program; 01's own fastest where the baseline is missing."""
        rows = [best(self.squares, type=type, n=n, step=step) for step in self.rungs]
        base = self.baselines.get((type, f"{n}×{n}×{n}"))
        return [base if base and row.step == base.step else row for row in rows if row]

    def words(self, name):
        """The different words in a column, in order."""
        return list(dict.fromkeys(row.cells[name] for row in self.rows if row.cells[name]))

    def place(self, step=""):
        """Where all was measured, or what a chart of this step shows: a program may have run on the GPU alone."""
        rows = [row for row in self.rows if not row.rehearsed]
        alone = {"gpu"} | {row.step for row in rows} - {row.step for row in rows if not row.gpu}
        return place_of([row.cells for row in rows if row.gpu or step not in alone])


def place_of(rows):
    """The machine in a few words, from the cells of these rows."""
    def words(name):
        return dict.fromkeys(cells[name] for cells in rows if cells[name])
    parts = " + ".join(words("device")), " + ".join(words("compiler")), max(words("started"), default="")[:10]
    return ", ".join(part for part in parts if part)[:130]


def lines_of(path, columns):
    """A CSV's lines as {column: cell}. The schema has no quoting; a line torn by a crash is passed over."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace").replace("\0", "\ufffd")  # no program may be given a NUL
        header, *lines = (line.split(",") for line in text.split("\n"))
    except OSError as error:
        raise Refusal(f"cannot read {path}: {error.strerror}") from None
    if header != columns:
        raise Refusal(f"{path} has other columns than {columns[0]},{columns[1]},…,{columns[-1]}")
    return [dict(zip(columns, cells)) for cells in lines if len(cells) == len(columns)]


def append(path, columns, cells):
    """Adds a line to a CSV, by one write; makes it where there is none, and cuts off a last line torn by a crash; one that
    lacks only its end of line is whole."""
    try:
        with open(path, "a+b") as file:
            file.seek(0)
            text = file.read()
            whole = text.rfind(b"\n") + 1
            if unended := whole and text[whole:].count(b",") == len(columns) - 1:
                whole = len(text)
            file.truncate(whole)
            header = "\n" if unended else "" if whole else ",".join(columns) + "\n"
            line = ",".join(str(cell).replace(",", " ") for cell in cells)
            file.write(f"{header}{line}\n".encode())
    except OSError as error:
        raise Refusal(f"cannot write {path}: {error.strerror}") from None


def load(path, machine_path):
    """The results of each machine: times of different machines are never compared.

    Rows alike in all of KEY are one measurement taken again: the last counts."""
    newest = {}
    for cells in lines_of(path, COLUMNS):
        key = tuple(cells[name] for name in KEY)
        newest.pop(key, None)  # the one read last shall also stand last
        newest[key] = Row(cells)
    facts = lines_of(machine_path, MACHINE_COLUMNS) if machine_path else []
    hosts = dict.fromkeys(row.host for row in newest.values())
    machines = [Results(host, [row for row in newest.values() if row.host == host], Machine(facts),
                        Machine(facts, gpu=True)) for host in hosts]
    if not machines:
        raise Refusal(f"{path} holds no row: nothing was measured")
    return machines


# ---- how numbers are written ----

def digits(value):
    """Three significant digits, never fewer than the whole part has: 0.370, 10.0, 1234."""
    return f"{value:.{max(0, 2 - math.floor(math.log10(float(f'{value:.2e}'))))}f}" if value else "0"


def whose(threads):
    return "1 thread" if threads == 1 else f"{threads} threads"


def times(factor):
    return f"{digits(factor)}×" if factor else "–"


def percent(share, places=1):
    return "–" if share is None else f"{100 * share:.{places}f} %"


def seconds(value):
    if value is None:
        return "–"
    for scale, unit in (1, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns"):
        if value * scale >= 1:
            break
    return f"{digits(value * scale)} {unit}"

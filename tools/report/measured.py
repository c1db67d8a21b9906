"""What was measured: the rows of the CSV files, and what tables and charts ask of them.

A cell that is empty or garbled is "" where its column holds words, else None."""

import csv, itertools, math, re
from pathlib import Path
from statistics import median, quantiles
from types import SimpleNamespace

import started  # noqa: F401

# A file's header line names its columns. Of these the cells are words, of any other numbers; a
# count that is missing is 0.
WORDS = """step variant type fill grid block device_kind device verify verdict quiet flags compiler
host commit started at turns_s limit name vector level unit note against""".split()
COUNTS = set("m n k threads ranks tile cores repeat".split())
MEASURED = {"repeat", "value"}  # rows alike in the columns before are one measurement, taken again
BASELINE = ("01_naive", "ijk")
LIBRARIES = ("libraries", "cublas")  # programs of libraries/
ABOVE = 1.005  # a share beyond this is above its bound
FEWEST = 3  # turns that make a ratio
SLOW = 0.93  # of the upper quartile of a host's samples of its pace
# What a prediction says binds, from the processor outwards, in words.
LIMITS = {"flops": "arithmetic", "chain": "chain of additions"}
LIMITS |= {of: f"{of} bandwidth" for of in ("L1", "L2", "shared", "L3", "memory")}
LIMITS["shared"] = "shared-memory bandwidth"


class Refusal(Exception):
    """Why nothing can be shown, as one line."""


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


def typed(column, text):
    """A cell's word or number; no number where it is negative or beyond what could be measured."""
    if column in WORDS:
        return text
    try:
        value = float(text) if float(text) == 0 or 1e-30 < float(text) < 1e30 else None
    except ValueError:
        value = None
    return int(value or 0) if column in COUNTS else value


def key(row):
    """The cells that tell a row's measurement from others."""
    return tuple(itertools.takewhile(lambda cell: cell[0] not in MEASURED, row.items()))


class Paces:
    """How fast the processors were between the lines of a plan: a CSV of host, at and gops, a
    sample a line. Without the file there are none, and nobody was disturbed."""

    def __init__(self, path):
        self.samples = {}  # {host: [(at, gops)]} in the order of time
        for line in lines_of(path) if Path(path).exists() else []:
            if gops := typed("gops", line["gops"]):
                self.samples.setdefault(line["host"], []).append((line["at"], gops))

    def slow(self, host, started):
        """Whether the last sample at or before this time, or the first one after it, is slow; of
        fewer than four samples none is."""
        if len(samples := self.samples.get(host, [])) < 4:
            return False
        least = SLOW * quantiles((gops for _, gops in samples), method="inclusive")[2]
        before = [gops for at, gops in samples if at <= started]
        after = [gops for at, gops in samples if at > started]
        around = before[-1:] + after[:1] if before else []  # from before there was a pace
        return any(gops < least for gops in around)


def read(path, *columns):
    """A CSV's rows; it must have these columns. Of rows alike in their key one is left, with its
    `takes`: of those of the last program, undisturbed if there are such, the last, of the baseline
    that of the median time, whose takes are all of them."""
    paces, alike = Paces(Path(path).with_name("pace.csv")), {}
    for line in lines_of(path, columns):
        row = Row(**{name: typed(name, text) for name, text in line.items()})
        takes = alike.setdefault(key(vars(row)), [])
        slow = not row.gpu and paces.slow(row.host, row.started)  # a GPU has a pace of its own
        row.disturbed = row.quiet == "no" or slow or "disturbed" in row.note  # quiet: older files
        if takes and (row.compiler, row.commit) != (takes[0].compiler, takes[0].commit):
            takes.clear()
        takes.append(row)
    rows = []
    for takes in alike.values():
        calm, baseline = [row for row in takes if not row.disturbed] or takes, takes[0].baseline
        in_order = sorted(calm, key=lambda row: row.median_s or math.inf)
        rows.append(in_order[(len(calm) - 1) // 2] if baseline else calm[-1])
        rows[-1].takes = takes if baseline else calm
    return rows


def select(rows, test=None, **equal):
    """The rows with these values for which the test holds."""
    rows = [row for row in rows if all(getattr(row, of) == value for of, value in equal.items())]
    return [row for row in rows if test(row)] if test else rows


class Row(SimpleNamespace):
    """A line of a CSV: its columns are attributes; with what follows from them."""

    def __getattr__(self, name):  # a column that an older file lacks
        if name.startswith("_"):
            raise AttributeError(name)
        return "" if name in WORDS else 0 if name in COUNTS else None

    __eq__, __hash__ = object.__eq__, object.__hash__

    number = property(lambda row: row.step.partition("-")[0])  # the step's folder
    baseline = property(lambda row: (row.step, row.variant) == BASELINE)
    gpu = property(lambda row: row.device_kind == "gpu")
    # Devices that stand in for a GPU: their seconds say nothing.
    stand_in = property(lambda row: row.device_kind in ("emulator", "fallback"))
    square = property(lambda row: row.m == row.n == row.k)
    workers = property(lambda row: max(row.threads, 1) * max(row.ranks, 1))
    rate = property(lambda row: row.gflops_in(row.median_s))
    # Of all phases, for who has the matrices on one rank.
    whole_s = property(lambda row: row.median_s + row.other_s)
    whole_rate = property(lambda row: row.gflops_in(row.whole_s))
    other_s = property(lambda row: (row.distribute_s or 0) + (row.collect_s or 0))
    # Whether its result is right, as far as was looked.
    right = property(lambda row: row.verdict in ("right", "unverified"))
    sound = property(lambda row: bool(row.right and row.step and row.variant and row.type))
    timed = property(lambda row: bool(row.sound and not row.stand_in and row.median_s and row.rate))

    def gflops_in(self, seconds):
        return 2e-9 * self.m * self.n * self.k / seconds if seconds else 0

    def times(self):
        """Seconds of all phases: the median, the best run, and the mean plus one deviation; of one
        run three times it."""
        if self.repeat < 2 or None in (self.best_s, self.mean_s, self.stddev_s):
            return (self.whole_s,) * 3
        ends = min(self.best_s, self.median_s), max(self.mean_s + self.stddev_s, self.median_s)
        return [seconds + self.other_s for seconds in (self.median_s, *ends)]

    def rates(self):
        return [self.gflops_in(seconds) for seconds in self.times()]

    def times_of(self, other):
        """How many times as fast as another row of its program: median, least and largest of the
        turns they had together, None of fewer than three; of ranks, which run apart, by the medians
        and the spreads of both."""
        if self is other:
            return (1.0,) * 3
        if self.ranks != other.ranks:
            (mine, *ends), (its, best, slow) = self.times(), other.times()
            return its / mine, best / ends[1], slow / ends[0]
        turns = lambda row: [typed("turn", word) for word in row.turns_s.split()]
        for mine, its in itertools.product(self.takes[::-1], other.takes[::-1]):
            if self.step == other.step and mine.started == its.started:
                found = [its / mine for mine, its in zip(turns(mine), turns(its)) if mine and its]
                return (median(found), min(found), max(found)) if len(found) >= FEWEST else None
        return None

    def shape(self):
        return str(self.n) if self.square else f"{self.m}×{self.n}×{self.k}"

    def label(self):
        """Step and variant, without what the count of workers says."""
        if self.step == "mine":
            return "yours: " + re.sub(r"_\w+/", " ", self.variant)
        if self.step in LIBRARIES:
            return f"{self.variant} {self.against}".removeprefix("library ")
        return re.sub(r"_.*", "", self.number) + " " + self.variant.removesuffix("_threads")

    def setting(self):
        """What the variant was set to."""
        of = [(name, getattr(self, name)) for name in "threads ranks grid block tile".split()]
        counts = [f"{at} {name}" for name, at in of[:2] if at > 1]
        return ", ".join(counts + [f"{name} {at}" for name, at in of[2:] if at])


def marked(text, *rows):
    """The text with a ~ if one of these rows was disturbed, a ° if one was not verified."""
    unverified = "unverified" in (row.verdict for row in rows)
    return text + "~" * any(row.disturbed for row in rows) + "°" * unverified


class Machine:
    """The facts of machine.csv about its processor, or about its GPU. Rates are in units of 10⁹ a
    second."""

    def __init__(self, path=None, gpu=False):
        facts = [fact for fact in (read(path, "value") if path else []) if fact.value]
        self.facts = [fact for fact in facts if fact.vector.startswith("cuda") == gpu]
        for fact in self.facts:
            if fact.unit in ("TFLOP/s", "TB/s"):
                fact.value, fact.unit = 1000 * fact.value, "G" + fact.unit[1:]
        named = select(self.facts, name="gpu" if gpu else "processor")
        self.device = named[0].note.partition(";")[0] if named else ""

    def most(self, name, test=None, **equal):
        """The highest of these values, or None: that of the best vector set, or setting."""
        return max((of.value for of in select(self.facts, test, name=name, **equal)), default=None)


class Results:
    """What was measured on the host of the last row, for times of different machines are never
    compared. `ranked` are the rows that can be ranked and drawn: right square products, timed.
    Those of libraries stand `beside`."""

    def __init__(self, path, machine_path=None):
        every = read(path, "repeat", "verdict")
        if not (steps := [row for row in every if row.step not in LIBRARIES]):
            raise Refusal(f"{path} holds no row: nothing was measured")
        self.host = max(steps, key=lambda row: row.started).host
        rows = select(every, host=self.host)
        self.others = sorted({row.host for row in every} - {self.host})
        self.beside = [row for row in rows if row.step in LIBRARIES]
        self.rows = select(steps, host=self.host)
        self.ranked = [row for row in self.rows if row.square and row.timed]
        self.wrong = [row for row in rows if not row.sound]
        self.cores = max(row.cores for row in self.rows) or 10**6
        self.machine, self.gpu = Machine(machine_path), Machine(machine_path, gpu=True)
        self.types = sorted({row.type for row in self.ranked}, key=lambda of: (of != "f32", of))
        self.baselines, self.spreads = {}, {}  # a type's spread is that which was taken most often
        for row in sorted(self.select(baseline=True), key=lambda row: len(row.takes)):
            self.baselines[row.type, row.n] = row
            took = [take.median_s / row.median_s for take in row.takes if take.timed]
            self.spreads[row.type] = (1, min(took), max(took))

    def select(self, test=None, **equal):
        """Of the rows that can be ranked those with these values for which the test holds."""
        return select(self.ranked, test, **equal)

    def speedup(self, row):
        """Over the baseline: by its median time, and as that spreads; or None."""
        base = self.baselines.get((row.type, row.n))
        if base in (None, row):
            return base and (1, 1, 1)
        return [base.median_s / row.whole_s * of for of in self.spreads[row.type]]

    def roof_of(self, row, threads=None):
        """The peak of the device that a row ran on, if that was measured: with its threads unless
        others are given, else the highest; on a GPU of the units that the step computes with."""
        if row.device != (self.gpu if row.gpu else self.machine).device:
            return None
        if row.gpu:
            on_tensor = lambda peak: ("no tensor cores" not in peak.note) == (row.number >= "11")
            return (self.gpu.most("peak", on_tensor, type=row.type) or 0) * row.workers or None
        of = self.machine.most("peak", type=row.type, threads=threads or row.workers)
        return of or self.machine.most("peak", type=row.type)

    def above(self):
        """What is faster than its roof beyond its own spread, a line each: one of the two was
        measured in a bad moment."""
        for row in self.ranked + select(self.beside, square=True, timed=True):
            roof = self.roof_of(row)
            if roof and row.rates()[2] > ABOVE * roof:
                who = filter(None, (row.label(), row.type, f"n = {row.n}", row.setting()))
                share = percent(row.whole_rate / roof)
                yield f"{', '.join(who)}: {share} of the measured peak"

    def libraries(self, type, gpu=False):
        """{(library, n): its fastest row there}, of squares on no more than all cores, or on the
        GPU."""
        alone = lambda row: row.variant.startswith("library") and row.against.strip()
        rows = select(self.beside, alone, type=type, gpu=gpu, square=True, timed=True)
        rows = [row for row in rows if gpu or row.threads <= self.cores]
        rows.sort(key=lambda row: -row.median_s)
        return {(row.against.split()[0], row.n): row for row in rows}

    def best_library(self, type, n, gpu=False):
        """(name, rate) of the fastest library at this size; of none, ("", None)."""
        found = self.libraries(type, gpu).items()
        rates = [(name, row.rate) for (name, at), row in found if at == n]
        return max(rates, key=lambda of: of[1], default=("", None))

    def size_of(self, rows):
        """The size to compare these rows of a device at: on the processor that at which the
        baseline was measured most often, on a GPU one of its library's; then that of the most
        steps, on a GPU variants; no power of two, where the baseline is slow; the largest."""
        have, gpu, types = {}, any(row.gpu for row in rows), {row.type for row in rows}
        for row in rows:
            have.setdefault(row.n, set()).add(row.variant if row.gpu else row.number)
        bases = [row for row in self.baselines.values() if row.type in types and not gpu]
        takes = {row.n: min(len(row.takes), FEWEST) for row in bases}
        takes |= {n: 1 for type in types if gpu for _, n in self.libraries(type, True)}
        rank = lambda n: (takes.get(n, 0), len(have[n]), gpu or n.bit_count() > 1, n)
        return max(have, key=rank, default=0)

    def processor(self):
        """The processor that the rows ran on, with the most cores that a program was left; the GPU
        if they ran on that alone."""
        cores = f" ({self.cores} cores)" * (self.cores < 10**6)
        names = [row.device + cores for row in select(self.rows, device_kind="processor")]
        return next(filter(None, names + [row.device for row in self.rows]), self.host)


def digits(value):
    """Three significant digits, never fewer than the whole part has: 0.370, 10.0, 1234."""
    size = math.floor(math.log10(float(f"{value:.2e}"))) if value else 2
    return f"{value:.{max(0, 2 - size)}f}"


def percent(share):
    """96 %, 0.6 %."""
    return "–" if share is None else f"{100 * share:.{0 if share >= 0.0995 else 1}f} %"


def from_to(spread):
    """106, or from 81 to 95; of nothing a dash."""
    _, low, high = [digits(of) for of in spread] if spread else ["–"] * 3
    return low if low == high else f"from {low} to {high}"


def gflops(rate):
    return f"{digits(rate / 1000)} TFLOP/s" if rate >= 2000 else f"{digits(rate)} GFLOP/s"


def seconds(value):
    if value is None:
        return "–"
    scales = ((1, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns"))
    scale, unit = next((of for of in scales if value * of[0] >= 1), scales[-1])
    return f"{digits(value * scale)} {unit}"

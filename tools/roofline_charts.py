"""The rooflines: what a machine can do at most, what was measured and predicted under it, and where a rung stands."""
import math

from drawing import TEXTS, Chart, disturbed, log_axis
from measured import BASELINE, LIMITS, Refusal, Row, best, common_size, digits
from scaling import cores_of, short

ACROSS, TALL, MARGIN = 378, 300, 148  # of the plot, in pixels of style.gp, and right of it for the level roofs' names


def on(threads):
    """So many threads in words; none have a GPU's rows."""
    return "one thread" if threads == 1 else f"{threads} threads" * bool(threads)


def roofs(machine, type, threads):
    """The slanted roofs, {level: GB/s}, the fastest first; the level ones, {text: (name, GFLOP/s)}; and the highest."""
    slanted = {level: machine.most("bandwidth", threads=threads, level=level) for level in LIMITS}
    peaks = {fact.vector: fact.value for fact in machine.of("peak", type=type, threads=threads)}
    top = max(peaks, key=peaks.get, default=None)
    flat = {vector.replace("cuda", "peak"): (vector.replace("cuda", "peak"), rate) for vector, rate in peaks.items()
            if vector == top or vector == "sse2" and rate < 0.7 * peaks[top]}
    for fact in machine.of("latency", type=type, level="add"):
        flat[LIMITS["chain"]] = "chain", 2 * threads / fact.value
    return dict(sorted(((level, rate) for level, rate in slanted.items() if rate), key=lambda pair: -pair[1])), \
        {f"{text}: {digits(rate)} GFLOP/s": (name, rate) for text, (name, rate) in flat.items()}, peaks.get(top)


def under(slanted, flat, roof, marks):
    """The axes that hold these roofs and marks, (x, GFLOP/s) each, and the roofs' blocks, each with its name: a slanted
    one's at its end, in the room above the peak."""
    x, y = [at for at, _ in marks], [rate for _, rate in marks if rate == rate]
    left = min(*x, roof / max(slanted.values()) / 4, math.inf) / 1.7
    most = max(*x, roof / min(slanted.values()), 0)
    right = most * (most / left) ** 0.45
    bottom, highest = min(*y, *(rate for _, rate in flat.values()), math.inf) / 1.8, max(*y, roof, 0)
    slope = 0.5
    for _ in range(9):  # above the peak is room for the slanted roofs' names, which run on along these
        top = bottom * (highest / bottom) ** (TALL / (TALL - 22 - 125 * math.sin(slope)))
        slope = math.atan2(TALL / math.log(top / bottom), ACROSS / math.log(right / left))
    beside, free = {}, left
    for level, rate in slanted.items():
        free = max(free, roof / rate)
        beside[f"{level}: {digits(rate)} GB/s"] = [[left, rate * left, left, ""],
                                                   [roof / rate, roof, free, f"{level} {digits(rate)} GB/s"]]
        free *= (right / left) ** (17 / math.sin(slope) / ACROSS)  # or two names would run together
    for text, (name, rate) in flat.items():
        beside[text] = [[max(left, rate / max(slanted.values())), rate, left, ""],
                        [right, rate, right, f"{name} {digits(rate)} GFLOP/s"]]
    powers = range(math.ceil(math.log2(left)), math.floor(math.log2(right)) + 1)
    return log_axis(bottom, top) | {"left": left, "right": right, "slanted": len(slanted), "after": MARGIN,
            "angle": round(math.degrees(slope), 1),
            "ticks": ",".join(f'"{2 ** power if power >= 0 else f"1/{2 ** -power}"}" {2.0 ** power}' for power in powers
                              if len(powers) < 10 or power % 2 == 0)}, beside


def roofline_chart(machine, rows, threads, step):
    """Each row at its own FLOP for each byte, under the roofs of so many threads, or of the GPU (0); None where either
    is unknown."""
    type, n = (rows[0].type, rows[0].n) if rows else ("", 0)
    slanted, flat, roof = roofs(machine, type, threads)
    if not (rows and slanted and roof):
        return None
    x = [row.intensity() for row in rows]
    predicted = [row.gflops(row.predicted) if row.predicted else math.nan for row in rows]
    settings, beside = under(slanted, flat, roof, [*zip(x, map(Row.gflops, rows)), *zip(x, predicted)])
    lines = {}
    for place, (row, at, foreseen) in enumerate(zip(rows, x, predicted)):
        hidden = sum(abs(x[other] / at - 1) < 0.1 and abs(rows[other].gflops() / row.gflops() - 1) < 0.15
                     for other in range(place))
        program = f"{short(row.step)}: " * (not step) + row.variant + f", tile {row.tile}" * bool(step and row.tile)
        lines[f"{program} ({row.limit})"] = [
            [at * (settings["right"] / settings["left"]) ** (0.025 * hidden), row.gflops(), foreseen, disturbed(row)]]
    settings["longest"] = max(map(len, [*lines, "from measured to predicted"]))  # the roofs are in no key
    name = f"roofline_{type}" + f"_{step}" * bool(step) + ("_gpu" if not threads else f"_{threads}_threads" * (threads > 1))
    title = f"{step or 'The steps'}: {TEXTS['roofline'][0]}, {type}, n = {n}, {on(threads) or machine.name()}"
    return Chart(name, "roofline", title, TEXTS["roofline"][1] + " " + TEXTS["roofs" if threads else "roofs_gpu"][1],
                 lines, settings, step or "gpu" * (not threads), beside, "x, measured, predicted, disturbed")


def placed(results, type):
    """The rows that have a place under this machine's roofs."""
    return [row for row in results.squares if row.type == type and row.ranks < 2 and row.intensity()
            and row.limit in LIMITS and results.at_home(row)]


def roofline_charts(results, type, variants, step=""):
    """These (step, variant) on one thread, on the most that any ran with, and on the GPU, at the size that most of
    them have."""
    rows = [row for row in placed(results, type) if (row.step, row.variant) in variants]
    alone = [row for row in rows if not row.gpu]
    sets = [(results.machine, threads, [row for row in alone if row.threads == threads])
            for threads in sorted({1, max((row.threads for row in alone), default=1)})]
    for machine, threads, mine in (*sets, (results.gpu, 0, [row for row in rows if row.gpu])):
        n = common_size(mine)
        fastest = [best(mine, n=n, step=step, variant=variant) for step, variant in variants]
        yield roofline_chart(machine, [row for row in fastest if row], threads, step)


# ---- you are here ----

def climb(results, type, step, variant, n):
    """Of each step before this one its best row, its builds together, then this variant's: what ran on no more threads
    than it, on the same device. 01 stands for its baseline."""
    rows = [row for row in placed(results, type) if row.n == n and row.threads <= cores_of(results)]
    this = best(rows, step=step, variant=variant)
    if not this:
        raise Refusal(f"no row of {step} {variant}, {type}, n = {n}, has a place under the roofs: it needs a prediction")
    number = lambda row: row.step.partition("-")[0]  # noqa: E731
    rows = [row for row in rows if row.gpu == this.gpu and row.threads <= this.threads and number(row) < number(this)]
    found = []
    for earlier in sorted(set(map(number, rows))):
        mine = [row for row in rows if number(row) == earlier]
        found.append(earlier == BASELINE[0] and best(mine, step=earlier, variant=BASELINE[1]) or best(mine))
    return [*found, this]


def here_chart(machine, type, threads, rungs=()):
    """The roofs alone, or with rungs under them, of which the last is where one is."""
    slanted, flat, roof = roofs(machine, type, threads)
    if not (slanted and roof):
        raise Refusal(f"machine.csv has no roofs for {type} on {on(threads) or 'a GPU'}")
    if threads > 1:  # what the single threads stand under
        alone = roofs(machine, type, 1)
        flat = {text: flat[text] for text in list(flat) if flat[text][1] == roof}
        flat |= {f"one thread, {text}": ("1×" * (name != "chain") + name, rate) for text, (name, rate) in alone[1].items()
                 if rate == alone[2] < 0.7 * roof or name == "chain"}
    settings, beside = under(slanted, flat, roof, [(row.intensity(), row.gflops()) for row in rungs])
    names = [f"{short(row.step)}: {row.variant} ({row.limit}), {digits(row.gflops())}" for row in rungs]
    texts = [row.step.partition("_")[0] + f" {row.variant}" * (row is rungs[-1]) for row in rungs]
    lines = {name: [[row.intensity(), row.gflops(), *at, text, disturbed(row)]] for row, name, text, at in
             zip(rungs, names, texts, free_places(settings, beside, rungs, texts))}
    where = on(threads) or machine.name()
    title = f"The roofs of this machine: {type}, {where}"
    said = "A level roof is a peak; chain: additions that each wait for the one before." if threads else ""
    if rungs:
        title = f"You are here: {short(rungs[-1].step)} {rungs[-1].variant}, {type}, n = {rungs[-1].n}, {where}"
        said = ("x: FLOP for each byte that crosses the level in brackets, which the prediction says limits (flops and "
                "chain: bytes between L1 and the core); then GFLOP/s.")
        alone = [row.step.partition("_")[0] for row in rungs if row.threads < threads]
        said += f" On fewer threads: {', '.join(alone)}." * bool(alone)
    settings["longest"] = max(map(len, lines), default=0)
    return Chart("here", "here", title, "", lines, settings, beside=beside,
                 columns="x, GFLOP/s, the text's x and y, text, disturbed", type=type, footer=said)


def free_places(settings, beside, rungs, texts):
    """Where the texts of these marks begin, each beside its mark, on no line, mark or other text, as far as there is
    room; the last has the choice. (x, y) each."""
    left, right, bottom, top = (settings[end] for end in ("left", "right", "bottom", "top"))

    def pixel(x, y):
        return ACROSS * math.log(x / left) / math.log(right / left), TALL * math.log(y / bottom) / math.log(top / bottom)
    inked, found = [], []
    for (x1, y1, *_), (x2, y2, *_) in beside.values():
        (x1, y1), (x2, y2) = pixel(x1, y1), pixel(x2, y2)
        inked += [(x1 + (x2 - x1) * part / 100, y1 + (y2 - y1) * part / 100) for part in range(101)]
        if y2 > y1:  # a slanted roof's name goes on from its end
            along = math.radians(settings["angle"])
            inked += [(x2 + step * math.cos(along), y2 + step * math.sin(along) + up) for step in range(0, 130, 5)
                      for up in (0, 7, 14)]
    marks = [pixel(row.intensity(), row.gflops()) for row in rungs]
    inked += [(x + dx, y + dy) for x, y in marks for dx in (-7, 0, 7) for dy in (-7, 0, 7)]
    for text, (x, y) in zip(texts[::-1], marks[::-1]):
        wide, half = (7.8 if found else 9) * len(text), 9

        def cost(place):
            ahead, middle = place
            out = max(0, -ahead) + max(0, ahead + wide - ACROSS) + max(0, half - middle) + max(0, middle + half - TALL)
            return (10 * out + sum(ahead - 3 < at < ahead + wide + 3 and abs(up - middle) < half for at, up in inked),
                    math.hypot(ahead + wide / 2 - x, middle - y))
        ahead, middle = min(((x + dx, y + dy) for dy in range(-42, 43, 6) for dx in (
            15, -wide - 15, *((-wide / 2, -wide / 4, -3 * wide / 4) if abs(dy) > (17 if found else 23) else ()))), key=cost)
        inked += [(ahead + step, middle + dy) for step in range(0, int(wide), 6) for dy in (-7, 0, 7)]
        found.append((left * (right / left) ** (ahead / ACROSS), bottom * (top / bottom) ** (middle / TALL)))
    return found[::-1]

"""The rooflines: what a machine can do at most, what was measured and predicted under it, and where a rung stands."""
import math

from drawing import TEXTS, Chart, disturbed, log_axis
from measured import BASELINE, LIMITS, Refusal, best, common_size, digits
from scaling import cores_of, short

ACROSS, TALL, MARGIN = 378, 300, 148  # of the plot, in pixels of style.gp, and right of it for the level roofs' names
NAME = 125  # the length of a slanted roof's name


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
    left = min([*x, roof / max(slanted.values()) / 4]) / 1.7
    most = max([*x, roof / min(slanted.values())])
    right = most * (most / left) ** 0.45
    bottom, highest = min([*y, *(rate for _, rate in flat.values())]) / 1.8, max([*y, roof])
    slope = 0.5
    for _ in range(9):  # above the peak is room for the slanted roofs' names, which run on along these
        top = bottom * (highest / bottom) ** (TALL / (TALL - 22 - NAME * math.sin(slope)))
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
    """Each row at its own FLOP for each byte, under the roofs of so many threads, or of the GPU (0); None where those
    are unknown."""
    type, n = rows[0].type, rows[0].n
    slanted, flat, roof = roofs(machine, type, threads)
    if not (slanted and roof):
        return None
    x, rates = [row.intensity() for row in rows], [row.gflops() for row in rows]
    predicted = [row.gflops(row.predicted) if row.predicted else math.nan for row in rows]
    settings, beside = under(slanted, flat, roof, [*zip(x, rates), *zip(x, predicted)])
    lines = {}
    for place, (row, at, rate, foreseen) in enumerate(zip(rows, x, rates, predicted)):
        hidden = sum(math.isclose(before / at, 1, rel_tol=0.1) and math.isclose(its / rate, 1, rel_tol=0.15)
                     for before, its in zip(x[:place], rates))
        program = f"{short(row.step)}: " * (not step) + row.variant + f", tile {row.tile}" * bool(step and row.tile)
        lines[f"{program} ({row.limit})"] = [
            [at * (settings["right"] / settings["left"]) ** (0.025 * hidden), rate, foreseen, disturbed(row)]]
    settings["longest"] = max(map(len, [*lines, "from measured to predicted"]))  # the roofs are in no key
    name = f"roofline_{type}" + f"_{step}" * bool(step) + ("_gpu" if not threads else f"_{threads}_threads" * (threads > 1))
    title = f"{step or 'The steps'}: {TEXTS['roofline'][0]}, {type}, n = {n}, {on(threads) or machine.name()}"
    return Chart(name, "roofline", title, TEXTS["roofline"][1] + " " + TEXTS["roofs" if threads else "roofs_gpu"][1],
                 lines, settings, step or "gpu" * (not threads), beside, "x, measured, predicted, disturbed")


def comparable(rows):
    """Those that a step may stand for: not the one that is there to be slow, unless it is alone."""
    return [row for row in rows if row.variant != "touched_by_one"] or rows


def placed(results, type):
    """The rows that have a place under this machine's roofs."""
    return [row for row in results.squares if row.type == type and row.ranks < 2 and row.intensity() and results.at_home(row)]


def roofline_charts(results, type, variants, step=""):
    """These (step, variant) on one thread, on the most that any ran with, and on the GPU, at the size that most of
    them have."""
    rows = [row for row in placed(results, type) if (row.step, row.variant) in variants]
    alone = [row for row in rows if not row.gpu]
    sets = [(results.machine, threads, [row for row in alone if row.threads == threads])
            for threads in sorted({1, max(row.threads for row in alone)})] if alone else []
    for machine, threads, mine in (*sets, (results.gpu, 0, [row for row in rows if row.gpu])):
        fastest = [best(mine, n=common_size(mine), step=step, variant=variant) for step, variant in variants]
        if mine:
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
        mine = comparable([row for row in rows if number(row) == earlier])
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
    pixels, place = in_pixels(settings)
    found = free_places(drawn(pixels, settings["angle"], beside), [pixels(row.intensity(), row.gflops()) for row in rungs], texts)
    lines = {name: [[row.intensity(), row.gflops(), *place(*at), text, disturbed(row)]] for row, name, text, at in
             zip(rungs, names, texts, found)}
    where = on(threads) or machine.name()
    title = f"The roofs of this machine: {type}, {where}"
    said = "A level roof is a peak; chain: additions that each wait for the one before." if threads else ""
    if rungs:
        title = f"You are here: {short(rungs[-1].step)} {rungs[-1].variant}, {type}, n = {rungs[-1].n}, {where}"
        near = "L1 and the core" if threads else "shared memory and the registers"
        said = ("x: FLOP for each byte that crosses the level in brackets, which the prediction says limits (flops and "
                f"chain: bytes between {near}); then GFLOP/s.")
        alone = [row.step.partition("_")[0] for row in rungs if row.threads < threads]
        said += f" On fewer threads: {', '.join(alone)}." * bool(alone)
    settings["longest"] = max(map(len, lines), default=0)
    return Chart("here", "here", title, "", lines, settings, beside=beside,
                 columns="x, GFLOP/s, the text's x and y, text, disturbed", type=type, footer=said)


def in_pixels(settings):
    """Two functions: from a place on these axes to the pixels of the plot, and back."""
    left, right, bottom, top = (settings[end] for end in ("left", "right", "bottom", "top"))

    def pixels(x, y):
        return ACROSS * math.log(x / left, right / left), TALL * math.log(y / bottom, top / bottom)

    def place(across, up):
        return left * (right / left) ** (across / ACROSS), bottom * (top / bottom) ** (up / TALL)
    return pixels, place


def drawn(pixels, angle, beside):
    """The roofs and their names in pixels: the ends of each, and how far it reaches above and below."""
    found, along = [], math.radians(angle)
    for (x1, y1, *_), (x2, y2, free, _) in beside.values():
        across, up = pixels(free, y2)
        end = across + NAME * math.cos(along), up + 7 + NAME * math.sin(along)
        found += [((pixels(x1, y1), pixels(x2, y2)), 0), (((across, up + 7), end), 7)]
    return found


def free_places(lines, marks, texts):
    """Where the texts of these marks begin, each beside its mark, on no line, mark or other text, as far as there is
    room; the last, which is larger, has the choice. All in pixels of the plot."""
    inked, found = [], []

    def ink(ends, reach):
        for part in range(65):
            inked.append([a + (b - a) * part / 64.0 for a, b in zip(*ends)] + [reach + 9])
    for line in lines:
        ink(*line)
    for x, y in marks:
        ink(((x - 7, y), (x + 7, y)), 7)
    for text, (x, y) in zip(texts[::-1], marks[::-1]):
        half = 3 + (3.9 if found else 4.5) * len(text)  # of its width, with a little room

        def cost(spot):
            return (sum(abs(spot[0] - across) < half and abs(spot[1] - up) < reach for across, up, reach in inked),
                    math.dist(spot, (x, y)))
        across, up = min(((min(max(x + side * (half + 12), half), ACROSS - half), min(max(y + above, 9), TALL - 9))
                          for above in range(-42, 48, 6) for side in (0, 1, -1, 0.5, -0.5)), key=cost)
        ink(((across - half, up), (across + half, up)), 7)
        found.append((across - half + 3, up))
    return found[::-1]

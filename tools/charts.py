"""What each chart shows, chosen from the rows; the scripts in plots/ say how it looks."""
import math, re
from dataclasses import replace

from drawing import TEXTS, Chart, bar_chart, line_chart, render
from gpu_charts import block_chart, phase_chart
from measured import BASELINE, LEVELS, LIMITS, Row, along, best, common_size, digits
from scaling import cores_of, ranked, scalings, sharing, short

ORDERS = "ijk ikj jik jki kij kji".split()
ORDER_STEPS = {"02_loop_order": "", "02_loop_order-native": " native"}
UNTILED = {False: "02_loop_order", True: "07_cuda_global"}  # what tiles are compared with, on the GPU or not


def on(threads):
    """So many threads in words; none have a GPU's rows."""
    return "one thread" if threads == 1 else f"{threads} threads" * bool(threads)


def yardsticks(results, type, lines):
    """The roofs and the libraries: the processor's with one thread, and with all where one of the lines had several;
    the GPU's where one of the lines ran on it."""
    machine, settings, beside = results.machine, {"level": [], "level_text": []}, {}
    rows = [row for at in lines.values() for _, row in at]
    several = any(max(row.threads, row.ranks) > 1 for row in rows)
    most = max((fact.threads for fact in machine.facts if fact.name in ("peak", "library")), default=1)
    known = [(results.peak(type, threads), machine.libraries(type, threads), on(threads))
             for threads in ((1, most) if several and most > 1 else (1,)) if not all(row.gpu for row in rows)]
    if any(row.gpu for row in rows):
        known.append((results.gpu.most("peak", type=type), results.gpu.libraries(type, 0), results.gpu.name()))
    for peak, libraries, who in known:
        if peak and not (settings["level"] and peak < 1.1 * settings["level"][0]):  # two labels would run together
            settings["level"].append(peak)
            settings["level_text"].append(f"peak of {who}: {digits(peak)} GFLOP/s")
        for library, rates in libraries.items():
            beside[f"{library}, {who}"] = [[n, rate] for n, rate in rates.items()]
    return settings if settings["level"] else {}, beside


def size_charts(results, type, lines, step=""):
    """Time, GFLOP/s and, where steps are compared, speedup against n."""
    measures = {"time": lambda row, s: s, "gflops": Row.gflops, "speedup": results.speedup}
    for script in ("time", "gflops") if step else measures:
        name, title = f"{script}_{type}", f"{step or 'The steps'}: {TEXTS[script][0]}, {type}"
        name += f"_{step}" if step else ""
        settings, beside = yardsticks(results, type, lines) if script == "gflops" and not step else ({}, {})
        yield line_chart(name, script, title, lines, measures[script], settings, beside, step)


def gpu_steps_chart(results, type, lines):
    """GFLOP/s of the steps that ran on the GPU, on an axis of their own."""
    lines = {label: own for label, at in lines.items() if (own := [(n, row) for n, row in at if row.gpu])}
    return line_chart(f"gflops_{type}_gpu", "gflops", f"The steps on the GPU: {TEXTS['gflops'][0]}, {type}", lines,
                      Row.gflops, *yardsticks(results, type, lines), step="gpu")


def swept_tiles(rows):
    """{(n, line's name, program): its runs} of what ran with three tiles or more, on one thread or else on the most."""
    swept, runs = {}, {}  # rows by what is swept and by threads
    for row in rows:
        if row.tile:
            by_threads = swept.setdefault((row.n, row.step, row.variant, row.ranks), {})
            by_threads.setdefault(row.threads, []).append(row)
    for (n, step, variant, ranks), by_threads in swept.items():
        able = [threads for threads, rows in by_threads.items() if len({row.tile for row in rows}) > 2]
        if able:
            threads = min(able) if min(able) < 2 else max(able)
            settings = [f"{count} {name}" for name, count in (("threads", threads), ("ranks", ranks)) if count > 1]
            runs[n, ", ".join([f"{step}: {variant}", *settings]), step] = along(by_threads[threads], "tile")
    return runs


def tile_chart(results, type, gpu=False):
    """What was swept over tiles, at the largest such size, the twelve fastest at most: the processor's programs, or
    the GPU's, for these are a thousand times as fast."""
    runs = swept_tiles([row for row in results.squares if row.type == type and row.gpu == gpu])
    if not runs:
        return None
    n = max(runs)[0]
    fast = sorted((key for key in runs if key[0] == n), key=lambda key: min(row.median for _, row in runs[key]))[:12]
    fast.sort(key=lambda key: (key[2], key[1]))
    lines = {key[1]: runs[key] for key in fast}
    tiles = [tile for at in lines.values() for tile, _ in at]
    beside = {}
    for step in dict.fromkeys(UNTILED[gpu] + "-native" * key[2].endswith("-native") for key in fast):
        if row := best(results.squares, type=type, n=n, step=step, threads=1, gpu=gpu):
            beside[f"{step}: {row.variant}"] = [[tile, row.gflops()] for tile in (min(tiles), max(tiles))]
    title = f"Tiles{' on the GPU' * gpu}: {TEXTS['tiles'][0]}, {type}, n = {n}"
    if gpu:
        return line_chart(f"tiles_{type}_gpu", "tiles", title, lines, Row.gflops, step="gpu", beside=beside,
                          text="tiles_gpu")
    width = int(re.sub(r"\D", "", type) or 32) / 8
    full = {fact.level: math.sqrt(fact.value / (3 * width)) for fact in results.machine.of("cache")}
    full = {level: tile for level, tile in full.items() if min(tiles) <= tile <= max(tiles)}
    marks = {"upright": list(full.values()),
             "upright_text": [f"3 tiles fill {level} (T = {tile:.0f})" for level, tile in full.items()]}
    return line_chart(f"tiles_{type}", "tiles", title, lines, Row.gflops, marks if full else {}, beside=beside)


def roofs(machine, type, threads):
    """The slanted roofs, {level: GB/s}, the fastest first; the level ones, {text: GFLOP/s}; and the highest."""
    slanted = {level: machine.most("bandwidth", threads=threads, level=level) for level in LIMITS}
    peaks = {fact.vector: fact.value for fact in machine.of("peak", type=type, threads=threads)}
    top = max(peaks, key=peaks.get, default=None)
    flat = {f"{vector.replace('cuda', 'peak')}: {digits(rate)} GFLOP/s": rate for vector, rate in peaks.items()
            if vector == top or vector == "sse2" and rate < 0.8 * peaks[top]}
    for fact in machine.of("latency", type=type, level="add"):
        rate = 2 * threads / fact.value
        flat[f"{LIMITS['chain']}: {digits(rate)} GFLOP/s"] = rate
    return dict(sorted(((level, rate) for level, rate in slanted.items() if rate), key=lambda pair: -pair[1])), \
        flat, peaks.get(top)


def roofline_chart(machine, rows, threads, step):
    """Each row at its own FLOP for each byte, under the roofs of so many threads, or of the GPU (0); None where either
    is unknown."""
    type, n = (rows[0].type, rows[0].n) if rows else ("", 0)
    slanted, flat, roof = roofs(machine, type, threads)
    if not (rows and slanted and roof):
        return None
    x = [row.intensity() for row in rows]
    left, most = min(*x, roof / max(slanted.values()) / 3) / 1.7, max(*x, roof / min(slanted.values()))
    lines, right = {}, most * (most / left) ** (0.4 if threads else 0.6)  # room for the level roofs' labels
    for place, (row, at, rate) in enumerate(zip(rows, x, map(Row.gflops, rows))):
        hidden = sum(abs(x[other] / at - 1) < 0.1 and abs(rows[other].gflops() / rate - 1) < 0.15
                     for other in range(place))
        program = f"{short(row.step)}: " * (not step) + row.variant + f", tile {row.tile}" * bool(step and row.tile)
        lines[f"{program} ({LIMITS[row.limit].partition(' ')[0]})"] = [
            [at * (right / left) ** (0.02 * hidden), rate,
             row.gflops(row.predicted) if row.predicted else math.nan]]
    heights = [height for points in lines.values() for height in points[0][1:]]
    known = [height for height in heights if height == height]
    bottom, top = min(*known, *flat.values()) / 1.6, 2.5 * max(*known, roof)
    beside = {f"{level}: {digits(rate)} GB/s": [[left, rate * left, ""], [roof / rate, roof, level]]
              for level, rate in slanted.items()}
    for text, rate in flat.items():
        beside[text] = [[max(left, rate / max(slanted.values())), rate, ""], [right / 1.03, rate, text]]
    powers = range(math.ceil(math.log2(left)), math.floor(math.log2(right)) + 1)
    settings = {
        "left": left, "right": right, "bottom": bottom, "top": top, "slanted": len(slanted),
        "ticks": ",".join(f'"{2 ** power if power >= 0 else f"1/{2 ** -power}"}" {2.0 ** power}' for power in powers
                          if len(powers) < 10 or power % 2 == 0)}
    name = f"roofline_{type}" + f"_{step}" * bool(step) + ("_gpu" if not threads else f"_{threads}_threads" * (threads > 1))
    title = f"{step or 'The steps'}: {TEXTS['roofline'][0]}, {type}, n = {n}, {on(threads) or machine.name()}"
    return Chart(name, "roofline", title, TEXTS["roofline"][1] + " " + TEXTS["roofs" if threads else "roofs_gpu"][1],
                 lines, settings, step or "gpu" * (not threads), beside, "x, measured, predicted")


def roofline_charts(results, type, variants, step=""):
    """These (step, variant) on one thread, on the most that any ran with, and on the GPU, at the size that most of
    them have."""
    rows = [row for row in results.squares if row.type == type and (row.step, row.variant) in variants
            and row.ranks < 2 and row.intensity() and row.limit in LIMITS and results.at_home(row)]
    alone = [row for row in rows if not row.gpu]
    under = [(results.machine, threads, [row for row in alone if row.threads == threads])
             for threads in sorted({1, max((row.threads for row in alone), default=1)})]
    for machine, threads, mine in (*under, (results.gpu, 0, [row for row in rows if row.gpu])):
        n = common_size(mine)
        fastest = [best(mine, n=n, step=step, variant=variant) for step, variant in variants]
        yield roofline_chart(machine, [row for row in fastest if row], threads, step)


def level_chart(results, type):
    """01's variants at every level, at the largest size that has them all (or most of them)."""
    rows = [row for row in results.squares if row.type == type and row.step in LEVELS]
    levels = sorted({row.step for row in rows})
    n = common_size(rows)
    groups = {variant: {level.removeprefix(BASELINE[0]): best(rows, step=level, variant=variant, n=n)
                        for level in levels}
              for variant in dict.fromkeys(row.variant for row in rows if row.n == n)}
    return bar_chart("levels", type, groups, f"{TEXTS['levels'][0]}, {type}, n = {n}", BASELINE[0])


def order_chart(results, type):
    """The six orders, plain and native, at the four largest sizes: more would not be legible."""
    rows = [row for row in results.squares
            if row.type == type and row.step in ORDER_STEPS and row.variant in ORDERS]
    groups = {str(n): {order + ending: best(rows, step=step, variant=order, n=n)
                       for step, ending in ORDER_STEPS.items() for order in ORDERS}
              for n in sorted({row.n for row in rows})[-4:]}
    return bar_chart("orders", type, groups, f"02_loop_order: {TEXTS['orders'][0]}, {type}", "02_loop_order")


def thread_charts(results, type):
    """What ran on several numbers of threads, at the largest such size; the twelve fastest variants at most, and
    every program's fastest among them."""
    found, cores = scalings(results, type), cores_of(results)
    first, pair = ranked(found)[:12], sharing(found)
    fitted = [scaling for scaling in first if scaling.serial is not None][:4]
    shown = sorted(first, key=lambda scaling: (scaling.step, scaling.variant))
    rated = [scaling for scaling in shown if 1 in scaling.times]
    own = {(scaling.step, scaling.variant): scaling for scaling in rated}
    # Of the lines with a fitted curve, which they are, counted from 1, and their serial fractions.
    fits = {"cores": cores if cores < math.inf else 10**6,
            "fit_line": " ".join(str(1 + rated.index(scaling)) for scaling in fitted),
            "fit_serial": " ".join(f"{scaling.serial:.6g}" for scaling in fitted)}

    def speedup(row, seconds):
        return own[row.step, row.variant].speedup(seconds)

    def efficiency(row, seconds):
        return 100 * speedup(row, seconds) / row.threads
    for script, of, measure in (("threads_time", shown, lambda row, seconds: seconds),
                                ("threads_speedup", rated, speedup), ("threads_efficiency", rated, efficiency),
                                ("threads_sharing", pair, lambda row, seconds: seconds)):
        if of:
            lines = {scaling.label(of is rated): scaling.runs for scaling in of}
            beyond = cores < max(threads for scaling in of for threads in scaling.times)
            mark = {"upright": [cores], "upright_text": [f"{cores} cores"]} if beyond else {}
            yield line_chart(f"{script}_{type}", script, f"Threads: {TEXTS[script][0]}, {type}, n = {of[0].n}",
                             lines, measure, mark | (fits if of is rated else {}), step="threads")


def plan(results):
    """Every chart that a machine's rows allow."""
    return [replace(chart, type=type) for type in results.types for chart in plan_of(results, type) if chart]


def plan_of(results, type):
    """Those of one type; None where the rows do not suffice."""
    steps, chosen, shown = {}, {}, []
    for step in results.rungs:
        rows = [row for row in results.squares if (row.type, row.step) == (type, step)]
        if rows:
            steps[step] = {variant: along([row for row in rows if row.variant == variant], "n")
                           for variant in dict.fromkeys(row.variant for row in rows)}
            # A step is compared by the variant that is its best at its largest size, 01 by the baseline.
            rows = [row for row in rows if row.variant != "touched_by_one"] or rows
            name = BASELINE[1] if step == BASELINE[0] and BASELINE[1] in steps[step] else best(
                rows, n=max(row.n for row in rows)).variant
            chosen[f"{step}: {name}"] = steps[step].get(name, [])
            predicted = [row for row in rows if row.intensity() and row.limit in LIMITS]
            if predicted and not any(row.variant == name for row in predicted):
                name = best(predicted, n=max(row.n for row in predicted)).variant  # under a roof it would have no place
            shown.append((step, name))
    yield from (*size_charts(results, type, chosen), *roofline_charts(results, type, shown),
                tile_chart(results, type), *thread_charts(results, type), level_chart(results, type),
                order_chart(results, type), gpu_steps_chart(results, type, chosen), tile_chart(results, type, gpu=True),
                block_chart(results, type), phase_chart(results, type))
    for step, lines in steps.items():
        yield from size_charts(results, type, lines, step)
        yield from roofline_charts(results, type, [(step, variant) for variant in lines], step)


def named(machines, reference=None):
    """(results, chart, its files' name) of every chart; where there are several hosts, theirs is in it. Of a reference,
    which was measured on another machine, what its GPU did."""
    for results in machines:
        host = results.host + "_" if len(machines) > 1 else ""
        for chart in plan(results):
            yield results, chart, file_name(host + chart.name)
    for chart in plan(reference) if reference else ():
        if chart.step == "gpu":
            yield reference, chart, file_name(f"reference_{chart.name}")


def file_name(text):
    return re.sub(r"[^\w.-]", "-", text)


def draw(machines, out, reference=None):
    """Writes every chart of these machines."""
    render([(replace(chart, name=name), results.place(chart.step))
            for results, chart, name in named(machines, reference)], out)

"""What each chart shows, chosen from the rows; the scripts in plots/ say how it looks."""
import math, re
from dataclasses import replace

from drawing import TEXTS, bar_chart, line_chart, log_axis, render
from gpu_charts import block_chart, phase_chart
from rank_charts import heat_chart, phases_chart, strong_chart, weak_chart, workers
from roofline_charts import comparable, on, roofline_charts
from measured import BASELINE, LEVELS, Row, along, best, common_size, digits, number
from scaling import cores_of, ranked, scalings, sharing

ORDERS = "ijk ikj jik jki kij kji".split()
ORDER_STEPS = ["02_loop_order", "02_loop_order-native"]
UNTILED = {False: "02_loop_order", True: "07_cuda_global"}  # what tiles are compared with, on the GPU or not


def workers_of(row):
    """In words, where it is not one thread."""
    return "".join(f", {count} {name}" for name, count in (("threads", row.threads), ("ranks", row.ranks)) if count > 1)


def steady(rows, cores):
    """Of a variant's rows those on as many threads and ranks as its fastest at the largest size, beyond the cores only if
    there are no others: a line against n is of one number of threads."""
    rows = [row for row in rows if workers(row) <= cores] or rows
    top = best(rows, n=max(row.n for row in rows))
    return [row for row in rows if (row.threads, row.ranks) == (top.threads, top.ranks)]


def variant_lines(results, rows):
    """{variant and its threads: its points} of a program."""
    lines = {}
    for variant in dict.fromkeys(row.variant for row in rows):
        mine = steady([row for row in rows if row.variant == variant], cores_of(results))
        lines[variant + workers_of(mine[0])] = along(mine, "n")
    return lines


def headline(results, type):
    """{label: its points} of the steps, each with all its builds together: the fastest, at its largest size, of the
    variants for one thread, and of those for several, on the most that have a core each. 01 stands for its baseline."""
    rows = [row for row in results.squares if row.type == type and row.step not in LEVELS]
    rows = comparable(rows)
    counts, lines = {workers(row) for row in rows}, {}
    most = max((count for count in counts if count <= cores_of(results)), default=min(counts))
    number = lambda row: row.step.partition("-")[0]  # noqa: E731
    parallel = {(number(row), row.variant) for row in rows if workers(row) > 1}
    for step in sorted(set(map(number, rows))):
        for several in (False, True):
            mine = [row for row in rows if number(row) == step and ((step, row.variant) in parallel) == several
                    and workers(row) == (most if several else 1)]
            top = best(mine, n=max((row.n for row in mine), default=None))
            if step == BASELINE[0]:
                top = best(mine, step=step, variant=BASELINE[1]) or top
            if top:
                lines[f"{step}: {top.variant}{workers_of(top)}"] = along([row for row in mine if all(
                    getattr(row, name) == getattr(top, name) for name in ("step", "variant", "threads", "ranks"))], "n")
    return lines


def yardsticks(results, type, lines):
    """The roofs, and of the libraries a band from the slowest to the fastest: the processor's with one thread, and with as
    many as one of the lines had; the GPU's where one of the lines ran on it. Then the libraries' names, less cuBLAS."""
    machine, settings, beside, names = results.machine, {"level": [], "level_text": []}, {}, set()
    rows = [row for at in lines.values() for _, row in at]
    known = [(machine.most("peak", type=type, threads=count), machine.libraries(type, count), on(count))
             for count in sorted({1, *map(workers, rows)}) if not all(row.gpu for row in rows)]
    if any(row.gpu for row in rows):
        known.append((results.gpu.most("peak", type=type), results.gpu.libraries(type, 0), results.gpu.name()))
    for peak, libraries, who in known:
        if peak and not (settings["level"] and peak < 1.4 * settings["level"][-1]):  # two labels would run together
            settings["level"].append(peak)
            settings["level_text"].append(f"peak {digits(peak)}¶{who.removeprefix('NVIDIA ')}")
        rates, others = {}, libraries.keys() - {"cuBLAS"}
        for n, rate in (at for library in libraries.values() for at in library.items()):
            rates.setdefault(n, []).append(rate)
        if rates:
            beside[f"{'libraries' if others else 'cuBLAS'}, {who}"] = [[n, min(of), max(of)] for n, of in sorted(rates.items())]
        names |= others
    return settings if settings["level"] else {}, beside, sorted(names)


def size_charts(results, type, lines, step=""):
    """Time, GFLOP/s and, where steps are compared, speedup against n."""
    measures = {"time": lambda row, s: s, "gflops": Row.gflops, "speedup": results.speedup}
    for script in ("time", "gflops") if step else measures:
        name, title = f"{script}_{type}", f"{step or 'The steps'}: {TEXTS[script][0]}, {type}"
        name += f"_{step}" if step else ""
        if script == "gflops" and not step:
            yield steps_chart(results, type, lines, name, title)
        else:
            yield line_chart(name, script, title, lines, measures[script], step=step)


def steps_chart(results, type, lines, name, title, step=""):
    """GFLOP/s of the steps, the best line the boldest, beside the peaks and the libraries."""
    settings, beside, names = yardsticks(results, type, lines)
    chart = line_chart(name, "gflops", title, lines, Row.gflops, settings, beside, step)
    if chart:
        at = list(chart.lines.values())
        chart.settings["bold"] = max(range(len(at)), key=lambda place: at[place][-1][1])
        chart.footer = f"a step is its fastest variant and build{', 01 is ijk' * (BASELINE[0] in str(list(lines)))}"
        if names:
            chart.footer += f"; grey: from the slowest to the fastest of {', '.join(names)}, each at its best setting"
    return chart


def gpu_steps_chart(results, type, lines):
    """GFLOP/s of the steps that ran on the GPU, on an axis of their own."""
    lines = {label: own for label, at in lines.items() if (own := [(n, row) for n, row in at if row.gpu])}
    return steps_chart(results, type, lines, f"gflops_{type}_gpu", f"The steps on the GPU: {TEXTS['gflops'][0]}, {type}",
                       "gpu") if lines else None


def swept_tiles(rows):
    """{(n, line's name, program): its runs} of what ran with three tiles or more, on one thread or else on the most."""
    swept, runs = {}, {}  # rows by what is swept and by threads
    for row in rows:
        if row.tile:
            by_threads = swept.setdefault((row.n, row.step, row.variant, row.ranks), {})
            by_threads.setdefault(row.threads, []).append(row)
    for (n, step, variant, _), by_threads in swept.items():
        able = [threads for threads, rows in by_threads.items() if len({row.tile for row in rows}) > 2]
        if able:
            threads = min(able) if min(able) < 2 else max(able)
            rows = by_threads[threads]
            runs[n, f"{step}: {variant}{workers_of(rows[0])}", step] = along(rows, "tile")
    return runs


def tile_charts(results, type, gpu=False):
    """What was swept over tiles, a chart a step: the processor's programs, or the GPU's. The native build's, where there
    is one; at the largest size with a sweep, the twelve fastest at most."""
    runs = swept_tiles([row for row in results.squares if row.type == type and row.gpu == gpu])
    first = True
    for number in sorted({key[2].partition("-")[0] for key in runs}):
        builds = {key[2] for key in runs if key[2].partition("-")[0] == number}
        program = f"{number}-native" if f"{number}-native" in builds else min(builds)
        yield tile_chart(results, type, {key: at for key, at in runs.items() if key[2] == program}, program, gpu, first)
        first = False


def tile_chart(results, type, runs, program, gpu, first):
    """Of a program's sweeps; the first program's chart is the one of all steps."""
    n = max(runs)[0]
    fast = sorted((key for key in runs if key[0] == n), key=lambda key: min(row.median for _, row in runs[key]))[:12]
    lines = {key[1].partition(": ")[2]: runs[key] for key in sorted(fast)}
    tiles = [tile for at in lines.values() for tile, _ in at]
    untiled, beside = UNTILED[gpu] + "-native" * program.endswith("-native"), {}
    if row := best(results.squares, type=type, n=n, step=untiled, threads=1, gpu=gpu):
        beside[f"{untiled}: {row.variant}"] = [[tile, row.gflops()] for tile in (min(tiles), max(tiles))]
    name = f"tiles_{type}" + "_gpu" * gpu + f"_{program}" * (not first)
    title = f"{program}: {TEXTS['tiles'][0]}, {type}, n = {n}"
    if gpu:
        return line_chart(name, "tiles", title, lines, Row.gflops, step="gpu", beside=beside, text="tiles_gpu")
    width = (number(re.sub(r"\D", "", type)) or 32) / 8
    full = {fact.level: math.sqrt(fact.value / (3 * width)) for fact in results.machine.of("cache")}
    full = {level: tile for level, tile in full.items() if min(tiles) <= tile <= max(tiles)}
    marks = {"upright": list(full.values()), "upright_text": [f"T = {tile:.0f}: {level} full" for level, tile in full.items()]}
    chart = line_chart(name, "tiles", title, lines, Row.gflops, marks if full else {}, beside=beside,
                       step="" if first else program)
    chart.footer = "upright: where three tiles, one of each matrix, fill a cache" * bool(full)
    return chart


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
    """The six orders at the four largest sizes: more would not be legible. Beside the bars stand the native build's."""
    own, native = ORDER_STEPS
    rows = [row for row in results.squares if row.type == type and row.step in ORDER_STEPS and row.variant in ORDERS]
    build = own if any(row.step == own for row in rows) else native
    sizes = sorted({row.n for row in rows if row.step == build})[-4:]

    def bars(step):
        groups = {order: {f"n = {n}": best(rows, step=step, variant=order, n=n) for n in sizes} for order in ORDERS}
        return bar_chart("orders", type, groups, f"{step}: {TEXTS['orders'][0]}, {type}", own)
    chart, diamonds = bars(build), bars(native) if build == own else None
    if not chart:
        return None
    if diamonds:
        chart.beside = {"native build": [[x, y] for points in diamonds.lines.values() for x, y, *_ in points]}
    rates = [at[1] for points in (*chart.lines.values(), *chart.beside.values()) for at in points]
    chart.settings |= log_axis(min(rates) / 5, 1.6 * max(rates))  # room for the numbers, at the feet of the bars
    return chart


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
    fits = {"cores": cores if math.isfinite(cores) else 1e6,
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
    steps, shown = {}, []
    for step in results.rungs:
        rows = [row for row in results.squares if (row.type, row.step) == (type, step)]
        if rows:
            steps[step] = rows
            # Under the roofs a program is its best at its largest size, 01 its baseline.
            rows = comparable(rows)
            name = BASELINE[1] if step == BASELINE[0] else best(rows, n=max(row.n for row in rows)).variant
            predicted = [row for row in rows if row.intensity()]
            if predicted and not any(row.variant == name for row in predicted):
                name = best(predicted, n=max(row.n for row in predicted)).variant  # under a roof it would have no place
            shown.append((step, name))
    chosen = headline(results, type) if steps else {}
    yield from (*size_charts(results, type, chosen), *roofline_charts(results, type, shown),
                *tile_charts(results, type), *thread_charts(results, type), level_chart(results, type),
                order_chart(results, type), gpu_steps_chart(results, type, chosen), *tile_charts(results, type, gpu=True),
                block_chart(results, type), phase_chart(results, type), strong_chart(results, type), weak_chart(results, type),
                phases_chart(results, type), heat_chart(results, type))
    for step, rows in steps.items():
        yield from size_charts(results, type, variant_lines(results, rows), step)
        yield from roofline_charts(results, type, [(step, name) for name in dict.fromkeys(row.variant for row in rows)], step)


def named(machines, reference=None):
    """(results, chart, its files' name) of every chart; where there are several hosts, theirs is in it. Of a reference,
    which was measured on another machine, what its GPU did."""
    taken = set()
    for results in machines:
        host = results.host + "_" if len(machines) > 1 else ""
        for chart in plan(results):
            yield results, chart, file_name(host + chart.name, taken)
    for chart in plan(reference) if reference else ():
        if chart.step == "gpu":
            yield reference, chart, file_name(f"reference_{chart.name}", taken)


def file_name(text, taken):
    """A name that a file may have, and that none of these has; it is one of them from now on."""
    name = re.sub(r"[^\w.-]", "-", text)
    while name in taken:
        name += "-"
    taken.add(name)
    return name


def draw(machines, out, reference=None):
    """Writes every chart of these machines."""
    render([(replace(chart, name=name), results.place(chart.step))
            for results, chart, name in named(machines, reference)], out)

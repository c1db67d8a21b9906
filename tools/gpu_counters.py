#!/usr/bin/env python3
"""What a GPU counts while a step's kernels run, by NVIDIA's profiler, one line a variant, as CSV:

  tools/gpu_counters.py build/09_cuda_regtile/09_cuda_regtile square,transposed \\
    --type f32 --size 2048 >ncu.csv

Other options, such as --pad 8, go to the program, and into the column `options`. A program tries a
small product before, twice: of each variant the last kernel counts (10's runs_on() never) or, of
each name that --kernels gives (or its beginning), the last. Wavefronts and instructions are of
warps; `waits`: for how many cycles a warp has stood for that reason for each instruction issued.
Exit status: 0 well, 2 a wrong command line, 77 no profiler, no such kernel or no leave to count."""
import argparse, csv, itertools, re, shutil, signal, subprocess, sys

ABOUT = ("variant", "kernel", "type", "n", "options")
COUNTERS = {
    "seconds": "gpu__time_duration.sum",  # ncu gives nanoseconds
    "cycles": "sm__cycles_elapsed.max",
    "instructions": "smsp__inst_executed.sum",
    "issue_slots_used_percent": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
    "wavefronts_percent": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "global_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "line_lookups": "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
    "tensor_percent": "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "level2_read_sectors": "lts__t_sectors_op_read.sum",
    "memory_bytes": "dram__bytes.sum",
    "registers_a_thread": "launch__registers_per_thread",
} | {
    f"waits_{what}": f"smsp__average_warps_issue_stalled_{why}_per_issue_active.ratio"
    for what, why in {
        "device_memory": "long_scoreboard",
        "global_queue": "lg_throttle",
        "shared_memory": "short_scoreboard",
        "shared_memory_queue": "mio_throttle",
        "barrier": "barrier",
        "others_turn": "not_selected",
    }.items()
}


def stop(says):
    sys.exit(print(f"gpu_counters.py: {says}", file=sys.stderr) or 77)


def count(program, variants, element, size, options, kernels):
    """A dict for each variant and kernel, by the names above."""
    words = "--csv --page raw --print-units base --clock-control none --metrics".split()
    asked = f"--type {element} --size {size} --variant {','.join(variants)} --repeat 1 --warmup 0"
    command = ["ncu", *words, ",".join(COUNTERS.values()), program, *options, *asked.split()]
    command += "--verify none --budget 1e9".split()
    done = subprocess.run(command, capture_output=True, text=True)
    table = [line for line in done.stdout.splitlines() if re.match('"(?!.*runs_on)', line)]
    rows = list(csv.DictReader(table))[1:]  # the first holds units
    each, left = divmod(len(rows), len(variants))
    if each == 0 or left:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line not in table]
        said.insert(-3, f"{len(rows)} kernels for {len(variants)} variants; ncu said:")
        stop("\n".join(said[-4:]))
    for at, kernel in itertools.product(range(len(variants)), kernels.split(",")):
        own = reversed(rows[at * each :][:each])
        named = (row for row in own if re.search(rf"\b{kernel}", row["Kernel Name"]))
        row = next(named, None) or stop(f"--kernels: {variants[at]} starts no {kernel}")
        values = {name: float(row[counter].replace(",", "")) for name, counter in COUNTERS.items()}
        values["seconds"] *= 1e-9
        about = dict(zip(ABOUT, (variants[at], kernel, element, size, " ".join(options))))
        yield about | {name: f"{value:.9g}" for name, value in values.items()}


def main():
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("program")
    parser.add_argument("variants", help="in the program's order; f32:NAME with that type alone")
    parser.add_argument("--type", default="f32", help="a list")
    parser.add_argument("--size", default="2048", help="a list")
    parser.add_argument("--kernels", default="", help="a list")
    given, others = parser.parse_known_args()
    if not shutil.which("ncu"):
        stop("no ncu here (it comes with CUDA: Nsight Compute)")
    out = csv.DictWriter(sys.stdout, [*ABOUT, *COUNTERS], lineterminator="\n")
    out.writeheader()
    words = [word.rpartition(":") for word in given.variants.split(",")]
    for element, size in itertools.product(given.type.split(","), given.size.split(",")):
        variants = [name for type, _, name in words if type in ("", element)]
        out.writerows(count(given.program, variants, element, size, others, given.kernels))


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `… | head` ends quietly
    main()

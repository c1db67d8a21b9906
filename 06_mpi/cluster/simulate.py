#!/usr/bin/env python3
"""Simulates SUMMA on clusters that are not there (SimGrid's SMPI) and draws its efficiency: `make
simulate`.

    simulate.py PROGRAM [--out FOLDER] [--ranks 1,4,16,64,256,1024] [--draw]
    simulate.py --platform fast|slow FOLDER        (only writes SimGrid's description of it)

PROGRAM is 06_mpi_simulate. What FOLDER/simulated.csv already has is not simulated again; --draw
only draws. Exit status: 0 well; 1 a simulation failed; 2 the command line; 77 there is no SimGrid
here."""
import argparse, csv, math, shutil, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools/report"))
from drawing import Chart, render  # noqa: E402
from measured import Refusal  # noqa: E402

N, FLOPS = 65536, 1e12
# By name: bytes a second and seconds of a link. The tree has 32 switches of 32 nodes each and 32
# more above them.
PLATFORMS = {"fast": (12.5e9, 1e-6), "slow": (1.25e9, 20e-6)}
LINKS = 4  # between nodes of different switches
# One change after the other: a curve's name, kernel, MPI_Bcast's algorithm, depth of a panel.
CURVES = [
    ("blocking", "summa_blocking", "binomial_tree", 512),
    ("smaller panels", "summa_blocking", "binomial_tree", 128),
    ("scatter and allgather", "summa_blocking", "scatter_rdb_allgather", 512),
    ("overlap", "summa_unaided", "flat", 512),
    ("rings as dealt", "summa_ring_dealt", "ring", 512),
    ("rings by owner", "summa_ring", "ring", 512),
    ("rings by owner and smaller panels", "summa_ring", "ring", 256),
]
COLUMNS = """platform curve variant bcast block ranks grid n seconds efficiency words alpha_beta_s
alpha_beta""".split()
# What a call of MPI_Test costs SMPI in seconds is no part of the platform: it is there to end loops
# that only look.
SETTINGS = ["smpi/simulate-computation:no", "smpi/test:0", "smpi/iprobe:0"]


def grid_of(ranks):
    """The squarest grid, no higher than wide."""
    p = max(p for p in range(1, math.isqrt(ranks) + 1) if ranks % p == 0)
    return p, ranks // p


def alpha_beta(platform, kernel, bcast, block, p, q):
    """Seconds on paper: messages of x bytes take alpha + x / bandwidth, and disturb nobody."""
    bandwidth, latency = PLATFORMS[platform]
    a, b = 4 * block * N / p, 4 * block * N / q  # bytes of a panel of A and of B in a rank
    panels, multiply = N / block, 2 * N / p * N / q * block / FLOPS

    def hop(size):
        return LINKS * latency + size / bandwidth

    def broadcast(ranks, size):
        if ranks == 1:
            return 0
        if bcast == "binomial_tree":
            return math.ceil(math.log2(ranks)) * hop(size)
        if bcast == "flat":  # one root sends to all
            return LINKS * latency + (ranks - 1) * size / bandwidth
        return (
            2 * math.ceil(math.log2(ranks)) * LINKS * latency
            + 2 * (ranks - 1) / ranks * size / bandwidth
        )

    if bcast == "ring":  # a rank sends a panel of each on, through one link
        step = hop(a * (q > 1) + b * (p > 1))
        far = p - 1 + q - 1  # hops to the last rank: a panel of A waits for the panel of B
        # The owner of the next panel is one hop to the right and one down, and waits for this one.
        if kernel == "summa_ring_dealt":
            near = (p > 1) + (q > 1)
            return panels * (multiply + near * step) + (far - near) * step
        return panels * max(multiply, step) + 2 * far * step
    if kernel == "summa_unaided":  # most roots of a panel of A are none of B's
        return panels * max(multiply, broadcast(q, a), broadcast(p, b))
    return panels * (multiply + broadcast(q, a) + broadcast(p, b))


def write_platform(folder, name):
    """The files that describe the cluster: (platform, hosts)."""
    bandwidth, latency = PLATFORMS[name]
    platform, hosts = folder / f"{name}.xml", folder / "hosts"
    platform.write_text(
        f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="{name}" prefix="node-" suffix="" radical="0-1023" speed="{FLOPS:.0f}f"
           bw="{bandwidth:.0f}Bps" lat="{latency * 1e6:.0f}us" topology="FAT_TREE"
           topo_parameters="2;32,32;1,32;1,1"/>
</platform>
""",
        encoding="utf-8",
    )
    hosts.write_text("".join(f"node-{i}\n" for i in range(1024)), encoding="utf-8")
    return platform, hosts


def simulated(program, platform, hosts, kernel, bcast, block, p, q):
    """(seconds, words) that PROGRAM finds."""
    chosen = [f"smpi/bcast:{bcast}"] if kernel == "summa_blocking" else []
    command = [
        "smpirun",
        "-np",
        str(p * q),
        "-platform",
        platform,
        "-hostfile",
        hosts,
        "--log=root.thres:error",
        *(f"--cfg={setting}" for setting in SETTINGS + chosen),
        program,
        kernel,
        str(N),
        str(block),
        str(p),
        str(q),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Refusal(f"{kernel} on {p}x{q}: {' '.join(done.stderr.split())[-300:]}")
    seconds, words = done.stdout.split()
    return float(seconds), int(words)


def simulate(program, table, ranks):
    """Adds to the table what it lacks: what is done soonest first."""
    known = {(row["platform"], row["curve"], row["ranks"]) for row in rows_of(table)}
    if not known:
        table.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for count in ranks:
            p, q = grid_of(count)
            for platform in PLATFORMS:
                files = write_platform(Path(folder), platform)
                for curve, kernel, bcast, block in CURVES:
                    if (platform, curve, str(count)) in known:
                        continue
                    seconds, words = simulated(program, *files, kernel, bcast, block, p, q)
                    ideal = 2 * N**3 / count / FLOPS
                    paper = alpha_beta(platform, kernel, bcast, block, p, q)
                    row = [
                        platform,
                        curve,
                        kernel,
                        bcast,
                        block,
                        count,
                        f"{p}x{q}",
                        N,
                        f"{seconds:.6g}",
                        f"{ideal / seconds:.4f}",
                        words,
                        f"{paper:.6g}",
                        f"{ideal / paper:.4f}",
                    ]
                    with open(table, "a", encoding="utf-8") as file:
                        file.write(",".join(map(str, row)) + "\n")
                    took = f"{seconds:>10.4f} s {ideal / seconds:>6.1%}"
                    print(
                        f"simulated: {platform:<5} {curve:<24} {count:>5} ranks {took}", flush=True
                    )


def rows_of(table):
    if not table.is_file():
        return []
    with open(table, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def draw(table, out):
    """Efficiency against ranks, a chart for each platform; dashed what paper says."""
    rows, charts = rows_of(table), []
    for platform, (bandwidth, latency) in PLATFORMS.items():
        lines, beside = {}, {}
        for row in rows:
            if row["platform"] == platform:
                name, ranks = f"{row['curve']} ({row['block']})", int(row["ranks"])
                lines.setdefault(name, []).append([ranks, 100 * float(row["efficiency"])])
                beside.setdefault(f"{name}: on paper", []).append(
                    [ranks, 100 * float(row["alpha_beta"])]
                )
        if lines:
            network = f"{bandwidth / 1e9:g} GB/s, {latency * 1e6:g} µs"
            title = f"Simulated: efficiency of SUMMA, n = {N} f32, {network}"
            name = f"simulated_{platform}"
            charts.append(Chart(name, "simulated", title, "", lines, {}, beside))
    render(charts, out / "charts")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("--platform", choices=PLATFORMS)
    parser.add_argument("--out", type=Path, default=Path("report"))
    parser.add_argument("--ranks", default="1,4,16,64,256,1024")
    parser.add_argument("--draw", action="store_true")
    options = parser.parse_args(arguments)
    if options.platform:
        write_platform(Path(options.program), options.platform)
        return 0
    ranks = options.ranks.split(",")
    if not all(text.isascii() and text.isdecimal() and 1 <= int(text) <= 1024 for text in ranks):
        print(
            f"simulate.py: --ranks: '{options.ranks}' is not numbers from 1 to 1024, such as 16,64",
            file=sys.stderr,
        )
        return 2
    if not options.draw and (not shutil.which("smpirun") or not Path(options.program).is_file()):
        why = "there is no SimGrid here, or nothing was built with it"
        print(f"simulate.py: {why}; `sh setup.sh simulate` installs it", file=sys.stderr)
        return 77
    options.out.mkdir(parents=True, exist_ok=True)
    table = options.out / "simulated.csv"
    try:
        if not options.draw:
            simulate(Path(options.program).resolve(), table, [int(text) for text in ranks])
        draw(table, options.out)
    except (Refusal, OSError) as problem:
        print(f"simulate.py: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

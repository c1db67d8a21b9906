#!/usr/bin/env python3
"""Which cost each variant of a step on a GPU declares, without one: what is predicted for what stands in its place: predicted_test.py PROGRAM"""
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# For 32 multiply-adds a warp's wavefronts, for one the bytes of A and of B from the second level, and who costs so much.
# README.md of each step says why.
EXPECTED = {
    "07_cuda_global": [(33, 4 / 8 + 4 / 32, "uncoalesced"),
                       (2, 4 / 32 + 4 / 8, "coalesced coalesced_pitched coalesced_unified coalesced_registered")],
    "08_cuda_shared": [(1.625, 4 / 32 + 4 / 32, "shared shared_unified")],
    "09_cuda_regtile": [*((1 / rows + 1 / 2 + 4 / 32, 4 / 32 + 4 / 32, f"column_{rows}") for rows in (1, 2, 4, 8, 16, 32)),
                        ((4 + 16) / 64, 4 / 128 + 4 / 128, "square transposed vectorised"),
                        ((4 + 8) / 64, 4 / 128 + 4 / 128, "conflict_free double_buffered kept_addresses async_copies"),
                        ((4 + 4) / 64, 4 / 128 + 4 / 128, "warp_tiles fragments_ahead snake"),
                        ((4 + 4) / 64, 4 / 256 + 4 / 128, "large_tiles stream_k"),
                        ((4 + 4) / 64, 4 / 128 + 4 / 64, "slices"), (None, None, "best")],
    "10_openacc": [(2, 4 / 1024 + 4, "one_each"), (2, 4 / 32 + 4 / 32, "tiled"), (0.5, 4 / 32 + 4 / 512, "four_by_four"),
                   (64, 4 + 32, "omp_target"), (2, 4 / 32 + 4, "omp_target_simd")],
}
# A GPU that is slow at its first level alone, which has room for nothing.
MACHINE = """name,type,vector,threads,level,value,unit,note
gpu,,cuda,,,1,multiprocessors,{device}
cache,,cuda,,L1,1,B,
cache,,cuda,,L2,1e9,B,
peak,f32,cuda,,,1e9,GFLOP/s,
bandwidth,,cuda,,shared,1e-3,GB/s,
bandwidth,,cuda,,L2,1e9,GB/s,
bandwidth,,cuda,,memory,1e9,GB/s,
"""
N = 32
program = Path(sys.argv[1]).resolve()
options = ["--type", "f32", "--size", N, "--repeat", 1, "--warmup", 0, "--verify", "none"]
if program.name == "10_openacc":
    os.environ |= {"ACC_DEVICE_TYPE": "host", "OMP_TARGET_OFFLOAD": "DISABLED"}
else:
    options += ["--emulate", "forward", *["--block", "32x8"] * (program.name == "07_cuda_global")]


def rows(*arguments):
    with tempfile.NamedTemporaryFile("r", suffix=".csv") as file:
        done = subprocess.run([program, *map(str, options), "--csv", file.name, *arguments], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        return list(csv.DictReader(file))


def close(text, value):
    return abs(float(text) - value) <= 1e-5 * value


with tempfile.NamedTemporaryFile("w", suffix=".csv") as machine:
    machine.write(MACHINE.format(device=rows()[0]["device"])), machine.flush()
    met = {row["variant"]: row for row in rows("--machine", machine.name)}
expected = {name: costs for *costs, names in EXPECTED[program.name] for name in names.split()}
wrong = sorted(met.keys() ^ expected.keys())
for name in met.keys() & expected.keys():
    (wavefronts, second), row = expected[name], met[name]
    if wavefronts is None:
        right = row["predicted_s"] == ""
    else:
        first, madds = wavefronts * 128 / 32, N**3
        right = (row["limit"] == "shared" and close(row["predicted_s"], first * madds / 1e6) and close(row["bytes_l1"], first * madds) and
                 close(row["bytes_l2"], second * madds + 3 * 4 * N * N))  # and each matrix once
    if not right:
        wrong.append({name: expected[name]} | {column: row[column] for column in ("predicted_s", "limit", "bytes_l1", "bytes_l2")})
sys.exit(f"not so predicted: {wrong}" if wrong else 0)

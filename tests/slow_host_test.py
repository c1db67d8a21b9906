#!/usr/bin/env python3
"""A report on a host that slows down for a while, by slow_host.cpp:
slow_host_test.py SOURCE LIBRARY"""
import csv, os, subprocess, sys, tempfile
from pathlib import Path

source, library = map(Path, sys.argv[1:])
sys.path.append(str(source / "tools/report"))
from measured import Paces

PLAN = "02_loop_order/02_loop_order --variant ikj --type f32 --size {0}\n" * 4
WINDOWS = ("", f"0 {2**32}", "")  # of three calls: the second is all in one
SIZES = ("8", "9", "10")
CALL = [sys.executable, "-B", source / "tools/report/run_plan.py"]

with tempfile.TemporaryDirectory() as folder:
    for n, window in zip(SIZES, WINDOWS):
        Path(folder, "plan").write_text(PLAN.format(n))
        around = {"LD_PRELOAD": str(library), "COURSE_TICKS": "1", "COURSE_SLOW_HOST": window}
        call = [*CALL, "plan", "--build", library.parents[1], "--out", "."]
        subprocess.run(call, cwd=folder, env=os.environ | around, check=True)
    rows = list(csv.DictReader(Path(folder, "results.csv").open()))
    paces = Paces(Path(folder, "pace.csv"))
marked = [(row["m"], paces.slow(row["host"], row["started"])) for row in rows]
print(*marked)
sys.exit(marked != [(n, bool(window)) for n, window in zip(SIZES, WINDOWS) for _ in range(4)])

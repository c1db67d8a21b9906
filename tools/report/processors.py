"""How many processors there are for this process; printed, if this is the program."""

import os
from pathlib import Path


def processors(groups="/proc/self/cgroup", root="/sys/fs/cgroup"):
    """The least of those that it may run on and of what its cgroups, versions 1 and 2, leave it of
    their time (docker --cpus); at least one. runner/machine.cpp counts alike."""
    asked = getattr(os, "sched_getaffinity", None)
    least = len(asked(0)) if asked else os.cpu_count() or 1
    lines = Path(groups).read_text().splitlines() if os.path.exists(groups) else []
    for _, controllers, group in (line.split(":", 2) for line in lines):
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = Path(root, "cpu" if controllers else "")
        names = ("cpu.cfs_quota_us", "cpu.cfs_period_us") if controllers else ("cpu.max",)
        for folder in Path(group, "_").parents:  # the group's own, and those above it
            try:
                files = [Path(f"{top}{folder}", name) for name in names]
                quota, period = map(int, " ".join(file.read_text() for file in files).split())
            except (OSError, ValueError):  # none is here, or "max"
                continue
            if quota > 0:  # -1: without a limit
                least = min(least, quota / period)
    return max(1, int(least))


if __name__ == "__main__":
    print(processors())

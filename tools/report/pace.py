"""How fast the processors were between the lines of a plan: OUT/pace.csv, one sample a line."""

import bisect, csv, statistics
from pathlib import Path

COLUMNS = ("host", "at", "gops")
SLOW = 0.93  # of the upper quartile of a host's samples
FEW = 4  # fewer samples tell of nobody that he is slow


class Paces:
    """The samples of a file; without the file there are none, and nobody was disturbed."""

    def __init__(self, path):
        lines = []
        if Path(path).exists():
            lines = csv.DictReader(Path(path).read_text(errors="replace").splitlines())
        self.samples = {}  # {host: [(at, gops)]} in the order of time
        for line in lines:
            try:
                sample = line["at"].rstrip("Z"), float(line["gops"])
            except (KeyError, TypeError, AttributeError, ValueError):  # a crash left half a line
                continue
            bisect.insort(self.samples.setdefault(line["host"], []), sample)

    def slow(self, host, started):
        """Whether the last sample at or before this time, or the first one after it, is slow."""
        samples = self.samples.get(host, [])
        if len(samples) < FEW:
            return False
        least = SLOW * statistics.quantiles([gops for _, gops in samples], method="inclusive")[2]
        after = bisect.bisect_right(samples, (started.rstrip("Z"), float("inf")))
        return any(gops < least for _, gops in samples[max(0, after - 1) : after + 1])

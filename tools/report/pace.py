"""How fast the processors were between the lines of a plan: OUT/pace.csv, a sample a line."""

import bisect, statistics, time
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path

COLUMNS = ("host", "at", "gops")
SLOW = 0.93  # of the upper quartile of a host's samples
FEW = 4  # fewer samples say of nobody that it is slow


def utc(at=None):
    """A time, else now, as the CSV files have it."""
    of = datetime.fromtimestamp(time.time() if at is None else at, timezone.utc)
    return of.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def add(path, host, gops):
    with open(path, "a", encoding="utf-8") as file:
        print(*[] if file.tell() else [",".join(COLUMNS) + "\n"], file=file, end="")
        print(host, utc(), gops, sep=",", file=file)


class Paces:
    """The samples of a file; without the file there are none, and nobody was disturbed."""

    def __init__(self, path):
        text = Path(path).read_text(errors="replace") if Path(path).exists() else ""
        self.samples = {}  # {host: [(at, gops)]} in the order of time
        for line in text.splitlines():
            with suppress(ValueError):  # the header, or half a line that a crash left
                host, at, gops = line.split(",")
                bisect.insort(self.samples.setdefault(host, []), (at.rstrip("Z"), float(gops)))

    def least(self, host):
        """Under this a sample is slow."""
        gops = [gops for _, gops in self.samples.get(host, [])]
        return SLOW * statistics.quantiles(gops, method="inclusive")[2] if len(gops) >= FEW else 0

    def slow(self, host, started):
        """Whether the last sample at or before this time, or the first one after it, is slow."""
        samples, least = self.samples.get(host, []), self.least(host)
        after = bisect.bisect_right(samples, (started.rstrip("Z"), float("inf")))
        around = samples[after - 1 : after + 1] if after else []  # from before there was a pace
        return any(gops < least for _, gops in around)

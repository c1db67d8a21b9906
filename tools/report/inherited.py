"""What a tool takes over from who starts it, set right for it and for all that it starts: importing
this is enough."""

import os
import re
import signal
import sys
from pathlib import Path

LIST = Path(__file__).parents[1] / "inherited.txt"
NAMES = re.sub("(?m)^#.*", "", LIST.read_text(encoding="utf-8")).replace("%", ".*").split()
for name in [name for name in os.environ if re.fullmatch("|".join(NAMES), name)]:
    del os.environ[name]
if not os.access(os.environ.get("TMPDIR", "."), os.W_OK):
    del os.environ["TMPDIR"]  # of a job that has ended
os.environ["LC_ALL"] = "C.UTF-8"  # points in numbers, messages in English
signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `… | head` ends quietly
for stream in (sys.stdout, sys.stderr):  # a terminal that has no × or … shows a ? instead
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")

"""What a tool takes over from who starts it, set right for it and for all that it starts: importing
this is enough."""

import os
import re
import signal
import sys
from pathlib import Path

LIST = Path(__file__).parents[1] / "inherited.txt"
KEPT = "|".join(re.sub("(?m)^#.*", "", LIST.read_text(encoding="utf-8")).replace("%", ".*").split())
KEPT += "|TMPDIR" * os.access(os.environ.get("TMPDIR", ""), os.W_OK)
for name in [name for name in os.environ if not re.fullmatch(KEPT, name)]:
    del os.environ[name]
os.environ["LC_ALL"] = "C.UTF-8"  # points in numbers, messages in English
signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `… | head` ends quietly
for stream in (sys.stdout, sys.stderr):  # a terminal that has no × or … shows a ? instead
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")

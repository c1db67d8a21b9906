"""against_libraries.py is in report/ now; whoever still asks for it here gets that one."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "report"))
del sys.modules["against_libraries"]
import against_libraries  # noqa: E402, F401

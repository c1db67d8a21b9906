"""What make's build.py does on a stranger's machine, with a cmake that only says what it was called
with."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CMAKE = """#!/bin/sh
echo "$2" >>"$COURSE_SAID"
[ "$1" = --build ] && exit
printf 'CMAKE_%s:INTERNAL=%s\\n' HOME_DIRECTORY "$2" CACHEFILE_DIR "$PWD/$4" >"$4/CMakeCache.txt"
"""


class Build(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder.chmod(0o755)
        (self.folder / "cmake").write_text(CMAKE)
        (self.folder / "cmake").chmod(0o755)
        self.course("course (1)")

    def course(self, name):
        """A checkout, configured; the folder of the build."""
        self.root = self.folder / name
        shutil.copytree(ROOT / "tools/report", self.root / "tools/report")
        for file in "tools/build.py", "tools/inherited.txt", "CMakeLists.txt":
            shutil.copy(ROOT / file, self.root / file)
        self.assertEqual(self.build(), (0, "building (the log is build.log)\n", ""))
        return self.root / "build"

    def start(self, build="build", **more):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        path = f"{self.folder}:{os.environ['PATH']}"
        around = {"PATH": path, "COURSE_SAID": str(self.folder / "said")}
        python = (
            "/usr/bin/python3" if "user" in more else sys.executable
        )  # root's may be root's alone
        command = [python, "-B", "tools/build.py", build, "all"]
        return subprocess.Popen(command, cwd=self.root, env=around, **pipes, **more)

    def build(self, *build, **more):
        process = self.start(*build, **more)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def test_a_folder_that_came_with_its_course_is_emptied_and_another_checkouts_left(self):
        first = self.root
        (first / "build/made").touch()
        self.root = first.rename(self.folder / "renamed")
        said = f"build was configured in {first}/build: it is built afresh\n"
        self.assertEqual(self.build(), (0, f"{said}building (the log is build.log)\n", ""))
        self.assertFalse((self.root / "build/made").exists())
        self.assertNotIn("afresh", self.build()[1], "which is known then")
        of = self.course("other")
        self.root = self.folder / "renamed"
        said = f"{of} is of the course in {of.parent}; give another: BUILD=…\n"
        self.assertEqual(self.build(of), (2, "", said))

    def test_a_file_of_cmakes_that_is_dated_in_the_future_is_dated_now(self):
        file = self.root / "CMakeLists.txt"
        os.utime(file, (time.time() + 9999,) * 2)
        self.assertIn("CMakeLists.txt and what else is dated in the future", self.build()[1])
        self.assertLessEqual(file.stat().st_mtime, time.time())

    def test_two_at_once_build_one_after_the_other(self):
        with open(self.root / "build/lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            process = self.start()
            line = process.stdout.readline()
            self.assertEqual(line, "another make builds in build: waiting\n")
            self.assertEqual((self.folder / "said").read_text().count("\n"), 2, "setUp's alone")
        self.assertEqual((process.communicate(timeout=60)[1], process.returncode), ("", 0))

    def test_a_folder_that_another_owns(self):
        me = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        for path in (self.root, self.root / "build/lock"):
            path.chmod(0o555)
        for build in "build", "new":
            status, out, err = self.build(build, **me)
            self.assertEqual((status, out, err.count("\n")), (2, "", 1))
            self.assertRegex(err, "Permission denied: .* belongs to .*, and you are .*; give fold")
        self.root.chmod(0o755)


if __name__ == "__main__":
    unittest.main()

"""What is inherited changes nothing: what is run under a stranger's settings says what it says
without; and a closed pipe ends it without a word."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAKE = "make --no-print-directory -f Makefile.report BUILD=there"
STRANGE = {  # a variable: what a shell's, a job's or another project's settings may give it
    "OUT": "/nonexistent a",
    "THREADS": "64",
    "QUICK": "yes",
    "needs": "nothing",
    "PYTHON": "false",
    "PYTHONHOME": "/nonexistent",
    "PYTHONSAFEPATH": "1",
    "PYTHONIOENCODING": "ascii",
    "PYTHONINSPECT": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "GOMP_CPU_AFFINITY": "0",
    "OMPI_MCA_btl": "nonsense",
    "PMIX_RANK": "7",
    "CXXFLAGS": "-ffast-math",
    "NVCC_APPEND_FLAGS": "-G",
    "CMAKE_BUILD_TYPE": "Debug",
    "CMAKE_GENERATOR": "Nonsense",
    "CDPATH": str(ROOT.parent),
    "SHELLOPTS": "noclobber",
    "BASH_FUNC_grep%%": "() { echo no; }",
    "GREP_OPTIONS": "--color=always",
    "LC_ALL": "tr_TR.UTF-8",
    "LANGUAGE": "de",
    "GIT_DIR": "/nonexistent",
    "GNUTERM": "nonsense",
    "HEARD_OF_NOWHERE": "yes",
    "TMPDIR": "/proc/none",
}
# What make 4.4 says of TMPDIR before it reads a makefile, and of SIGPIPE; older ones say nothing.
OWN_WORDS = r"(?m)^make: (TMPDIR value|using default temporary|\*\*\*).*\n"
IS_OLD = re.search(r"Make (3|4\.[0-3])\b", subprocess.getoutput("make --version"))
OF_MAKE = {"OUT", "THREADS", "QUICK", "needs", "PYTHON"}  # the same names may mean others' things


class Inherited(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.strange = STRANGE | {"HOME": str(self.folder), "BASH_ENV": f"{self.folder}/bash_env"}
        self.program = self.folder / "build/00_machine/00_machine"
        self.program.parent.mkdir(parents=True)
        run_plan = f"$(run_plan) {self.folder}/plan --out {self.folder}/out"
        for name, text in {
            ".gnuplot": "set datafile separator ','; set output\n",
            "bash_env": "cd /; echo a word\n",
            "plan": "00_machine/00_machine\n",
            "ctest.cmake": f'include("{ROOT}/cmake/inherited.cmake")\n'
            f"execute_process(COMMAND {self.program})\n",
            "makefile": f"include Makefile.report\nshown:\n\t@{self.program}\n"
            f"rows_of_plan:\n\t@{run_plan} $(or_failed)\n",
        }.items():
            (self.folder / name).write_text(text)

    def said(self, command, environment):
        clean = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "input": "print(42)\n"}
        done = subprocess.run(
            command, shell=True, cwd=ROOT, env=clean | environment, text=True, **pipes
        )
        return done.returncode, done.stdout if IS_OLD else re.sub(OWN_WORDS, "", done.stdout)

    def test_a_strangers_settings(self):
        csv = ROOT / "plots/reference/h100/results.csv"
        for command in (
            f"{MAKE} -n report test plan simulate",
            f"{MAKE} ladder OUT={csv.parent}",
            f"{MAKE} help",
        ):
            said = self.said(command, {})
            self.assertEqual(said[0], 0, said[1])
            self.assertEqual(self.said(command, self.strange), said, command)

    def starts(self, script):
        self.program.write_text(f"#!{sys.executable} -E\n{script}\n")
        self.program.chmod(0o755)

    def test_what_is_started(self):
        self.starts("import os; print(*sorted(os.environ), os.environ['LC_ALL'])")
        for command in (
            f"cmake -P {self.folder}/ctest.cmake",
            f"{sys.executable} -E tools/report/run_plan.py {self.folder}/plan "
            f"--build {self.folder}/build --out {self.folder}/out",
            f"make -f {self.folder}/makefile shown",
        ):
            status, said = self.said(command, self.strange)
            self.assertEqual((status, said.split()[-1]), (0, "C.UTF-8"), said)
            self.assertEqual(self.strange.keys() & {*said.split()} - OF_MAKE, {"HOME", "LC_ALL"})

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot here")
    def test_gnuplot(self):
        pictures = []
        for environment in {}, self.strange:
            out = self.folder / f"out{len(pictures)}"
            csv = "plots/reference/h100/results.csv"
            command = f"{sys.executable} -E tools/report/report.py page {csv} --out {out}"
            self.assertIn(self.said(command, environment)[0], (0, 77))  # 77: without jinja2
            pictures.append((out / "charts/ladder_f32_gpu.svg").read_text(encoding="utf-8"))
        self.assertEqual(*pictures)

    def test_a_closed_pipe(self):
        """What a program says of it then, by its status, is not said again."""
        self.starts("import sys\ntry:\n  print('a\\n' * 10**6)\nexcept OSError: sys.exit(1)")
        for command in (
            f"{MAKE} help",
            f"{MAKE} ladder OUT=plots/reference/h100",
            f"make -f {self.folder}/makefile rows_of_plan BUILD={self.folder}/build",
        ):
            closed = f"{{ {command}; }} | head -n 1 >{self.folder}/first"
            self.assertEqual(self.said(closed, {}), (0, ""), command)


if __name__ == "__main__":
    unittest.main()

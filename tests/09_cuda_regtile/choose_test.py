"""Tests of choose.py: what it chooses of a few rows, and that choices.inc is what it says of the
search in plots/reference."""
import subprocess, sys, tempfile, unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SEARCH = ROOT / "09_cuda_regtile/search"
TITLE = "// Written by choose.py: the fastest of all tilings, m, n, k; measured by `make search`.\n"


def choose(*arguments):
    """Its exit status, what it prints, what it says on stderr."""
    done = subprocess.run(
        [sys.executable, "-B", SEARCH / "choose.py", *arguments], capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


class Choose(unittest.TestCase):
    def of(self, *rows):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("\n".join(["variant,m,n,k,median_s,verdict", *rows]))
            file.flush()
            return choose(file.name), file.name

    def test_the_reference(self):
        found = choose(ROOT / "plots/reference/h200/search.csv")
        self.assertEqual(found, (0, (SEARCH / "choices.inc").read_text(), ""))

    def test_the_fastest_by_size(self):
        rows = "a,9,8,7,0.5,right b,9,8,7,10,right c,9,8,7,0.1,wrong best,9,8,7,0.2,right "
        rows += "a,4,4,2,2,unverified b,4,4,2,3,unverified b,4,4,2,1,unverified"  # the last of b
        lines = '{4, 4, 2, "b"},\n{9, 8, 7, "a"},\n'
        self.assertEqual(self.of(*rows.split())[0], (0, TITLE + lines, ""))

    def test_refused(self):
        said, name = self.of("a,9,8,7,,right")
        error = f"choose.py: {name} has no row of the search; make search\n"
        self.assertEqual(said, (1, "", error))
        self.assertEqual(choose(), (1, "", "choose.py: give the search's CSV\n"))


if __name__ == "__main__":
    unittest.main()

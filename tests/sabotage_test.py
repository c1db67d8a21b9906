"""Tests of sabotage.py on a course of a few lines: python3 tests/sabotage_test.py"""
import csv, itertools, signal, subprocess, sys, tempfile, time, unittest, unittest.mock
from pathlib import Path
from types import SimpleNamespace

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import sabotage

CMAKE = """\
cmake_minimum_required(VERSION 3.25)
project(toy LANGUAGES NONE)
enable_testing()
add_custom_command(OUTPUT object COMMAND grep -q build ${CMAKE_SOURCE_DIR}/source && cp ${CMAKE_SOURCE_DIR}/source object
                   DEPENDS ${CMAKE_SOURCE_DIR}/source)
add_custom_target(toy DEPENDS object)
foreach(word add store)
  add_test(NAME toy.${word} COMMAND grep -q ${word} object)
endforeach()
add_test(NAME toy.skipped COMMAND sh -c "exit 77")
set_tests_properties(toy.skipped PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME toy.red COMMAND false)
add_test(NAME toy.patient COMMAND sh -c "grep -q quick object || { echo $$ >>${CMAKE_SOURCE_DIR}/../pids; exec sleep 1000; }")
"""
SOURCE = "build add store quick\n"
DRIVER = """\
import sys; sys.path.insert(0, sys.argv.pop(1))
import pathlib, sabotage
sabotage.ROOT = pathlib.Path(sys.argv.pop(1))
sabotage.SABOTAGES = [sabotage.Sabotage(*entry) for entry in eval(sys.argv.pop(1))]
sabotage.written_tests = lambda: {entry.tests for entry in sabotage.SABOTAGES}
sabotage.Campaign.patience = float(sys.argv.pop(1))
sys.exit(sabotage.main())
"""
ADD = ("add", "source", "add", "sub", "toy.add")
STORE = ("store, at last", "source", "store", "fetch", "toy.store")
BLIND = ("unseen", "source", "store", "sub", "toy.add")
HANG = ("hang", "source", "quick", "slow", "toy.patient")


class Import(unittest.TestCase):
    def test_does_nothing(self):
        """No process, and no file but modules."""
        code = ("import sys; seen = []; sys.path.insert(0, sys.argv[1])\n"
                "for module in 'argparse collections concurrent.futures.thread contextlib csv hashlib io itertools os pathlib queue re "
                "shutil signal subprocess tempfile threading time'.split(): __import__(module)\n"
                "sys.addaudithook(lambda event, of: seen.append((event, *of[:1])))\n"
                "import sabotage\n"
                "print([at for at in seen if at[0] in ('subprocess.Popen', 'os.system', 'os.posix_spawn', 'os.mkdir', 'os.chdir')\n"
                "       or at[0] == 'open' and not str(at[1]).endswith(('.py', '.pyc'))])")
        with tempfile.TemporaryDirectory() as elsewhere:
            done = subprocess.run([sys.executable, "-B", "-c", code, HERE], cwd=elsewhere, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "[]\n", ""))


class Shards(unittest.TestCase):
    def test_they_are_the_whole(self):
        entries = [sabotage.Sabotage(f"{file} {number}", file, "old", "new", "test") for file in "ab" for number in range(7)]
        with unittest.mock.patch.object(sabotage, "SABOTAGES", entries):
            parts = [sabotage.chosen(SimpleNamespace(names=[], shard=(part, 3))) for part in (1, 2, 3)]
        self.assertEqual(sorted(itertools.chain(*parts)), entries)
        self.assertEqual([len(part) for part in parts], [5, 5, 4])


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.root, self.work = self.folder / "course", self.folder / "work"
        (self.root / "tests").mkdir(parents=True)
        (self.root / "CMakeLists.txt").write_text(CMAKE)
        (self.root / "source").write_text(SOURCE)
        (self.root / "tests/sabotages.md").write_text("Some words.\n\n| what is broken | file | tests that turned red |\n|---|---|---|\n")
        subprocess.run(["git", "init", "-q", "."], cwd=self.root, check=True)

    def command(self, entries, *options, patience=60):
        return [sys.executable, "-B", "-c", DRIVER, str(HERE), str(self.root), repr(entries), str(patience), "--tree", str(self.work), *options]

    def run_it(self, entries, *options, status=0, patience=60):
        done = subprocess.run(self.command(entries, *options, patience=patience), capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def wait_for(self, what):
        for _ in range(600):
            if what():
                return
            time.sleep(0.05)
        self.fail("it never came")

    def results(self):
        """{name: (what, tests)}, of lines that are whole."""
        text = (self.work / "results.csv").read_text()
        self.assertTrue(text.endswith("\n"))
        head, *rows = csv.reader(text.splitlines())
        self.assertEqual(head, "name what tests seconds state".split())
        return {row[0]: tuple(row[1:3]) for row in rows}

    def test_each_end_is_told_from_the_others(self):
        entries = [ADD, STORE, BLIND, ("dead", "source", "build", "bild", "toy.add"), ("skip", "source", "add", "sub", "toy.skipped"),
                   ("both", "source", "add store", "nothing", "toy.(add|store|skipped)"), ("ill", "source", "add", "sub", "toy.red"), HANG]
        said = self.run_it(entries, "--workers", "2", "--jobs", "1", status=1, patience=0.5)
        found = self.results()
        self.assertIn("hung for", found.pop("hang")[1])
        self.assertEqual(found.pop("dead")[0], "DOES NOT BUILD")
        self.assertEqual(found, {"add": ("red", "toy.add"), "store, at last": ("red", "toy.store"), "unseen": ("UNNOTICED", ""),
                                 "skip": ("LEFT OUT", "skipped: toy.skipped"), "both": ("red", "toy.add toy.store"),
                                 "ill": ("RED BEFORE", "toy.red (Failed)")})
        self.assertIn("8 breaks: 4 red, ", said)
        self.assertEqual((self.work / "00/source").read_text(), SOURCE)
        self.assertEqual((self.root / "source").read_text(), SOURCE)

    def test_nothing_of_a_break_is_left_for_the_next(self):
        """Or the second would find the first one's object, and toy.add be red still."""
        other = ("other file", "CMakeLists.txt", "cp ${CMAKE_SOURCE_DIR}/source object\n", "cp ${CMAKE_SOURCE_DIR}/source  object\n", "toy.add")
        self.run_it([ADD, other], "--workers", "1", status=1)
        self.assertEqual(self.results(), {"add": ("red", "toy.add"), "other file": ("UNNOTICED", "")})

    def test_a_second_call_goes_on(self):
        def done(said):
            return [name for name in ("add", "store, at last") if f"\n{name}: toy." in f"\n{said}"]
        self.assertEqual(done(self.run_it([ADD, STORE], "add")), ["add"])
        with (self.work / "results.csv").open("a") as file:
            file.write("store, at last,red,torn by a cra")
        self.assertEqual(done(self.run_it([ADD, STORE])), ["store, at last"])
        self.assertEqual(done(self.run_it([ADD, STORE], "--again", "add")), ["add"])
        changed = (*ADD[:3], "subtract", ADD[4])
        self.assertEqual(done(self.run_it([changed, STORE])), ["add"])
        (self.root / "source").write_text(SOURCE + "more\n")
        self.assertEqual(done(self.run_it([changed, STORE])), ["add", "store, at last"])

    def test_stopped_it_leaves_whole_lines_and_no_process(self):
        with subprocess.Popen(self.command([ADD, HANG], "--workers", "1"), stdout=subprocess.DEVNULL) as process:
            self.wait_for(lambda: (self.work / "pids").exists())
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(20), 130)
        self.assertEqual(self.results(), {"add": ("red", "toy.add")})
        for pid in (self.work / "pids").read_text().split():
            self.wait_for(lambda: not Path(f"/proc/{pid}").exists() or ") Z " in Path(f"/proc/{pid}/stat").read_text())

    def test_all_texts_are_matched_before_anything_is_built(self):
        gone = ("gone", "source", "no such text", "x", "toy.add")
        said = self.run_it([ADD, gone, ("same", "source", "add", "add", "toy.add")], status=1)
        self.assertIn("gone: source has 0 times, not once: no such text", said)
        self.assertIn("same: changes nothing", said)
        self.assertFalse(self.work.exists())

    def test_the_table_is_written_from_the_results(self):
        self.assertIn("--write-md", self.run_it([ADD, STORE], "--check", status=1))
        self.run_it([ADD, STORE], "add")
        self.run_it([ADD, STORE], "--write-md")
        table = (self.root / "tests/sabotages.md").read_text()
        self.assertTrue(table.startswith("Some words.\n\n"))
        self.assertTrue(table.endswith("| add | source | toy.add |\n| store, at last | source | not run |\n"), table)
        self.assertEqual(self.run_it([ADD, STORE], "--check", status=1), "tests/sabotages.md: store, at last: not run\n")
        self.run_it([ADD, STORE])
        self.run_it([ADD, STORE], "--write-md")
        self.run_it([ADD, STORE], "--check")
        table = (self.root / "tests/sabotages.md").read_text()
        self.assertTrue(table.endswith("| add | source | toy.add |\n| store, at last | source | toy.store |\n"), table)
        results = (self.work / "results.csv").read_text()
        for what, again in (("UNNOTICED", False), ("DOES NOT BUILD", False), ("RED BEFORE", False), ("LEFT OUT", True)):
            (self.work / "results.csv").write_text(f"{results}add,{what},x,1,y\n")
            self.run_it([ADD, STORE], "--write-md")
            self.run_it([ADD, STORE], "--check", status=0 if again else 1)
            if again:  # another machine saw it red
                self.assertEqual((self.root / "tests/sabotages.md").read_text(), table)
            (self.root / "tests/sabotages.md").write_text(table)
        (self.work / "results.csv").unlink()  # what the table says stays
        self.run_it([ADD, STORE], "--write-md")
        self.assertEqual((self.root / "tests/sabotages.md").read_text(), table)


if __name__ == "__main__":
    unittest.main()

"""Tests of mutate.py: which changes it makes, and that a seed makes the same ones: python3 tests/mutate_test.py"""
import re, sys, tempfile, threading, time, unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mutate

CODE = """#include <vector>
// a < b in a comment
template <class T>
void f(View<const T> a, Index n) {
  for (Index i = 0; i < n; ++i) {
    sum += a(i, n) * 2;
    take(first, second);
    const Index left = n - 1;
    const auto text = "1 < 2, or";
    return;
  }
  call(
      one, two);
}
"""


def made(file, content):
    """{rule: the lines it makes}"""
    found = {}
    for rule, line, column, old, new in mutate.places(file, content):
        text = mutate.changed(content.encode(), line, column, old, new).decode().splitlines()[line - 1]
        found.setdefault(rule, []).append(text.strip())
    return found


class Places(unittest.TestCase):
    def test_of_cpp(self):
        found = made("common/a.hpp", CODE)
        self.assertEqual(found["bound"], ["for (Index i = 0; i <= n; ++i) {"])
        self.assertEqual(sorted(found["operator"]), ["const Index left = n + 1;", "sum += a(i, n) + 2;", "sum -= a(i, n) * 2;"])
        self.assertEqual(sorted(found["constant"]), ["const Index left = n - 2;", "for (Index i = 1; i < n; ++i) {", "sum += a(i, n) * 3;"])
        self.assertEqual(sorted(found["drop"]), [";", ";"])  # the sum and the call: no declaration, no jump, no half statement
        self.assertIn("take(second, first);", found["swap"])
        self.assertIn("sum += a(n, i) * 2;", found["swap"])

    def test_of_python(self):
        found = made("tools/a.py", '"""1 < 2\n3 < 4"""\nif a == 1 and b:\n    x = f(a, b)\n    y = f(\n        a)\n    # x = 1 + 1\n')
        self.assertEqual(found["bound"], ["if a != 1 and b:"])
        self.assertEqual(found["operator"], ["if a == 1 or b:"])
        self.assertEqual(found["constant"], ["if a == 2 and b:"])
        self.assertEqual(found["drop"], ["pass"])
        self.assertEqual(found["swap"], ["x = f(b, a)"])

    def test_areas(self):
        for file, area in (("common/view.hpp", "steps"), ("06_mpi/rows.hpp", "steps"), ("08_cuda_shared/gemm.cuh", "steps"),
                           ("rivals/meet.cpp", "rest"), ("gpu/emulator/emulator.cpp", "rest"), ("tools/report.py", "rest"),
                           ("Makefile.report", "rest"), ("05_avx2/broken.hpp", None), ("tests/run_test.cpp", None), ("README.md", None),
                           ("03_tiling/exercises.hpp", None), ("tools/notes.py", None), ("tools/report_test.py", None)):
            self.assertEqual(mutate.area_of(file), area, file)


class Sanitized(unittest.TestCase):
    def test_what_ci_runs_is_read_from_the_preset(self):
        environment, options = mutate.of_preset("sanitize")
        self.assertTrue(Path(re.match("suppressions=([^:]*)", environment["LSAN_OPTIONS"])[1]).exists())
        self.assertEqual(options[0], "-LE")
        self.assertIn("mechanism", options[1].split("|"))


class Draw(unittest.TestCase):
    FILES = {"common/a.hpp": (CODE.encode(), 0o644), "tools/a.py": (b"x = f(a, b)\ny = 1 + 2\n", 0o644)}

    def test_a_seed_draws_the_same_and_every_place_once(self):
        one, again, other = (list(mutate.drawn(seed, self.FILES)) for seed in ("0a1b2c3d", "0a1b2c3d", "0a1b2c3e"))
        self.assertEqual(one, again)
        self.assertNotEqual([place[1:] for place in one], [place[1:] for place in other])
        self.assertEqual([number for number, *_ in one], list(range(1, len(one) + 1)))
        everything = {(file, line, column, new) for _, _, _, file, line, column, _, new in one}
        self.assertEqual(len(everything), len(one))
        self.assertEqual(len(one), sum(len(list(mutate.places(file, content.decode()))) for file, (content, _) in self.FILES.items()))

    def test_answers_are_of_this_commit(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(mutate.Tree, "configure", return_value=["one", "two"]), \
                mock.patch.object(mutate.Tree, "build", return_value=""), \
                mock.patch.object(mutate.Tree, "test", side_effect=lambda names: {name: ("Passed", 1.0) for name in names}) as test:
            def look(files):
                build = mutate.Build(files, Path(folder), 1, 1, mutate.Commands())
                (Path(folder) / "00/build").mkdir(parents=True, exist_ok=True)
                build.look()
                return build.sound
            self.assertEqual(look(self.FILES), {"one": 1.0, "two": 1.0})
            self.assertEqual((look(self.FILES), test.call_count), ({"one": 1.0, "two": 1.0}, 2))
            look(self.FILES | {"tools/a.py": (b"x = 1\n", 0o644)})
            self.assertEqual(test.call_count, 4)
            look({"tools/a.py": (b"x = 1\n", 0o644)})
            self.assertEqual(test.call_count, 6)

    def test_so_many_are_judged_and_the_stillborn_do_not_count(self):
        copies, added = ["one", "two"], []
        run = mutate.Run.__new__(mutate.Run)
        run.plain = mock.Mock(copies=copies)
        at_once, most, lock = set(), [], threading.Lock()

        def judge(copy, place):
            with lock:
                self.assertNotIn(copy, at_once)
                at_once.add(copy)
                most.append(len(at_once))
            time.sleep(0.01)
            with lock:
                at_once.remove(copy)
            return mutate.Mutant(*[""] * 12)._replace(number=place[0], result="stillborn" if place[0] % 3 == 0 else "killed")

        run.judge = judge
        with mock.patch.object(mutate, "add", added.append):
            run.judge_all(((number,) for number in range(1, 100)), 6)
        self.assertEqual((sorted(mutant.number for mutant in added), max(most)), ([1, 2, 3, 4, 5, 6, 7, 8], 2))
        with mock.patch.object(mutate, "add", added.append):
            run.judge_all(iter([(1,), (2,)]), 6)  # there are no more places
        self.assertEqual(len(added), 10)

    def test_no_path_of_this_machine_is_kept(self):
        tree = mutate.Tree(Path("/a/machine/01"), 1, None)
        with mock.patch.object(mutate.Tree, "run", return_value=("/a/machine/01/x.cu:3: error: in /a/machine/01/y.hpp\n", 1)):
            self.assertEqual(tree.build(None), "x.cu:3: error: in y.hpp\n")

    def test_results_are_kept(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(mutate, "RESULTS", Path(folder) / "mutants.csv"), mock.patch("builtins.print"):
            first = mutate.Mutant("0a1b2c3d", "1", "steps", "a.hpp", "3", "swap", "a, b", "b, a", "killed", 'x "y"', "3", "")
            mutate.add(first), mutate.add(first._replace(number="2", result="survived"))
            self.assertEqual([mutant.result for mutant in mutate.known()], ["killed", "survived"])
            self.assertEqual(mutate.known()[0], first)


if __name__ == "__main__":
    unittest.main()

"""Tests of mutate.py: which changes it makes, and that a seed makes the same ones: python3 tests/mutate_test.py"""
import tempfile, unittest
from pathlib import Path
from unittest import mock

import mutate, tree

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
                           ("rivals/main.cpp", "rest"), ("gpu/emulator/emulator.cpp", "rest"), ("tools/report.py", "rest"),
                           ("Makefile.report", "rest"), ("05_avx2/broken.hpp", None), ("tests/run_test.cpp", None), ("README.md", None),
                           ("03_tiling/exercises.hpp", None), ("tools/notes.py", None), ("tools/report_test.py", None)):
            self.assertEqual(mutate.area_of(file), area, file)


class Draw(unittest.TestCase):
    FILES = {"common/a.hpp": (CODE.encode(), 0o644), "tools/a.py": (b"x = f(a, b)\ny = 1 + 2\n", 0o644)}

    def test_a_seed_draws_the_same_and_every_place_once(self):
        one, again, other = (list(mutate.drawn(seed, self.FILES)) for seed in ("0a1b2c3d", "0a1b2c3d", "0a1b2c3e"))
        self.assertEqual(one, again)
        self.assertNotEqual([place[1:] for place in one], [place[1:] for place in other])
        self.assertEqual([number for number, *_ in one], list(range(1, len(one) + 1)))
        self.assertEqual(len({(file, line, column, new) for _, _, _, file, line, column, _, new in one}), len(one))
        self.assertEqual(len(one), sum(len(list(mutate.places(file, content.decode()))) for file, (content, _) in self.FILES.items()))

    def test_answers_are_of_this_commit(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.multiple(mutate, FOLDER=Path(folder), tree_at=lambda seed: self.FILES), \
                mock.patch.multiple(mutate.Tree, configure=mock.DEFAULT, build=mock.Mock(return_value=""), tests=lambda tree: {"one": ()}), \
                mock.patch.object(mutate.Tree, "test", return_value={"one": ("Passed", 1.0)}) as test:
            for seed, tested in ("0a1b2c3d", 1), ("0a1b2c3d", 1), ("0a1b2c3e", 2):
                run = mutate.Run(seed, 1)
                (Path(folder) / "00/build").mkdir(parents=True, exist_ok=True)
                with mock.patch.object(mutate.Tree, "fill"):
                    self.assertEqual(run.look(), [])
                self.assertEqual((run.sound, test.call_count), ({"one": 1.0}, 2 * tested))

    def test_so_many_are_judged_and_the_stillborn_do_not_count(self):
        added, run = [], mutate.Run.__new__(mutate.Run)
        run.copies = ["one", "two"]
        run.judge = lambda copy, place: mock.Mock(number=place[0], result="stillborn" if place[0] % 3 == 0 else "killed")
        with mock.patch.object(mutate, "add", added.append):
            run.judge_all(((number,) for number in range(1, 100)), 6)
            self.assertEqual(sorted(mutant.number for mutant in added), [1, 2, 3, 4, 5, 6, 7, 8])
            run.judge_all(iter([(1,), (2,)]), 6)  # there are no more places
        self.assertEqual(len(added), 10)

    def test_what_is_built_for_a_test_stands_in_its_command(self):
        with tempfile.TemporaryDirectory() as build:
            for words, targets in (([], ()), (["x.sh", f"{build}/t/libfake.so", f"{build}/a/a_tests", "--n"], ("a_tests", "fake")),
                                   ([f"{build}/CMakeFiles/kernels.dir/a.cpp.o"], ("kernels",)), ([build, f"{build}/a/a"], None)):
                self.assertEqual(tree.targets_of(["python3", *words], build), targets)


if __name__ == "__main__":
    unittest.main()

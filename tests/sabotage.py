#!/usr/bin/env python3
"""Breaks the course on purpose, one line at a time, and sees which test turns red.

    tests/sabotage.py [NAME …]      (`make sabotage`)

Works on a copy of the tree in a temporary folder. A sabotage no test notices is a hole: exit 1.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# name, file, what stands there, what it becomes
SABOTAGES = [
    ("rows one short", "01_naive/gemm.cpp", "i < c.rows(); ++i)\n    for (Index j = 0; j < c.cols(); ++j) {\n      T sum = c(i, j);",
     "i + 1 < c.rows(); ++i)\n    for (Index j = 0; j < c.cols(); ++j) {\n      T sum = c(i, j);"),
    ("ikj: index of B swapped", "02_loop_order/gemm.cpp", "c(i, j) += factor * b(p, j);", "c(i, j) += factor * b(j, p);"),
    ("transposed: one column short", "02_loop_order/gemm.cpp", "j < b.cols(); ++j) bt(j, p)", "j + 1 < b.cols(); ++j) bt(j, p)"),
    ("contiguous: overwrites", "02_loop_order/gemm.cpp", "c(i, j) += a(i, p) * b(p, j);\n}\n// [/contiguous]",
     "c(i, j) = a(i, p) * b(p, j);\n}\n// [/contiguous]"),
    ("view: columns for the leading dimension", "common/view.hpp", "return data_[i * ld_ + j]; }", "return data_[i * cols_ + j]; }"),
    ("view: check off by one", "common/view.hpp", "j < 0 || j >= cols_", "j < 0 || j > cols_"),
    ("guards: padding not looked at", "common/view.hpp", "+ cols_, ld_ - cols_)", "+ cols_, 0)"),
    ("matrix: not poisoned", "common/view.hpp", "view()(i, j) = poison<T>();", "(void)j;"),
    ("checker: accepts NaN", "common/verify.cpp", "if (!(size <= allowed))", "if (size > allowed)"),
    ("checker: maximum loses NaN", "common/verify.cpp", "if (std::isnan(most)) return;\n", ""),
    ("checker: bound ten times wider", "common/verify.cpp", "return 8 * u", "return 80 * u"),
    ("checker: bound from the wrong row", "common/verify.cpp", "a_norms[static_cast<std::size_t>(i)]", "a_norms[0]"),
    ("checker: last row and column not sampled", "common/verify.cpp", "drawn = {0, count - 1};", "drawn = {0};"),
    ("Freivalds: a column without weight", "common/verify.cpp", "x[j] = element_hash(", "x[j] = j == 0 ? 0 : element_hash("),
    ("Freivalds: one weight for all", "common/verify.cpp", "element_hash(seed, 'x', v, static_cast<Index>(j)) | 1u", "mix(seed) | 1u"),
    ("Freivalds: C before forgotten", "common/verify.cpp", "after[i] != before[i] + product[i]", "after[i] != product[i]"),
    ("Freivalds: fractions pass", "common/verify.cpp", "check.right = whole_numbers && wrong_rows.empty();", "check.right = wrong_rows.empty();"),
    ("fill: C is zero", "common/loop.cpp", "fill_matrix(c_.view(), kind, options_.seed, 'C');",
     "for (Index i = 0; i < c_.view().rows(); ++i)\n      for (Index j = 0; j < c_.view().cols(); ++j) c_.view()(i, j) = 0;"),
    ("fill: row ignored", "common/fill.hpp", "static_cast<std::uint64_t>(i));", "0 * static_cast<std::uint64_t>(i));"),
    ("loop: wrong results end with 0", "common/loop.cpp", "if (failed) return 1;", "(void)failed;"),
    ("loop: C not reset", "common/loop.cpp", "    variant.reset();\n    session.counters.start();", "    session.counters.start();"),
    ("loop: verdict always right", "common/loop.cpp", 'agree(check.right) ? "right" : "wrong"', 'agree(check.right) ? "right" : "right"'),
    ("loop: guards ignored", "common/loop.cpp", "if (!trouble.empty()) check.right = false", "if (false) check.right = false"),
    ("loop: baseline left out", "common/loop.cpp", "if ((variant.baseline && !session.step.is_level) || ", "if ("),
    ("loop: median is the first", "common/table.cpp", "  std::sort(values.begin(), values.end());\n", ""),
    ("loop: resumed wrong rows forgiven", "common/loop.cpp", 'known->verdict == "wrong"', 'known->verdict == "never"'),
    ("csv: other columns accepted", "common/row_file.cpp", "content.substr(0, content.find('\\n')) != header", "false"),
    ("csv: torn line kept", "common/row_file.cpp", "if (whole < content.size())", "if (false)"),
    ("csv: key without threads", "common/record.cpp", '"threads",', '"thread",'),
    ("options: octal", "common/options.cpp", "given.data() + given.size(), value);\n  const std::string range",
     "given.data() + given.size(), value, given.starts_with(\"0\") ? 8 : 10);\n  const std::string range"),
    ("options: overflow clamped", "common/options.cpp", "if (error == std::errc::result_out_of_range) refuse", "if (false) refuse"),
    ("memory: no question asked", "common/loop.cpp", "if (needed > 0.95 * available)", "if (needed > 1e300 * available)"),
    ("build: kernels and common share flags", "cmake/course.cmake", "target_compile_options(${program}-kernels PRIVATE ${course_kernel_flags} ${options})",
     "target_compile_options(${program}-kernels PRIVATE ${options})\n  target_link_options(${program} PRIVATE ${options})"),
    ("build: a template leaves the object", "common/view.hpp", "[[gnu::always_inline]] constexpr", "[[gnu::noinline]] constexpr"),
    ("report: a failing step passes", "Makefile.report", "exit 1; fi", "exit 0; fi"),
    ("report: starts anew", "Makefile.report", "--resume --counters", "--counters"),
    ("machine: wrong libraries forgiven", "00_machine/rivals.cpp", "session.wrong |= !found.wrong.empty();", "(void)session;"),
    ("machine: products not verified", "00_machine/inputs.hpp", "if (inside && check.right)", "if (inside)"),
    ("machine: guards of a library ignored", "00_machine/inputs.hpp", "inputs.guards_intact() && product.guards_intact();", "true;"),
    ("machine: children outlive the program", "00_machine/child.cpp", "prctl(PR_SET_PDEATHSIG, SIGKILL);", ""),
    ("machine: no limit for a library", "00_machine/rivals.cpp", "const double limit = 10 +", "const double limit = 1000 +"),
    ("machine: libraries in the program's own process", "00_machine/main.cpp", "if (argc > 1 && argv[1] == child_mark)", "if (argc > 99)"),
    ("machine: rows measured again", "00_machine/sheet.cpp", ": !known_.contains(row.key());", ": !known_.contains(row.key() + 'x');"),
    ("machine: another processor's file extended", "00_machine/sheet.cpp", 'row.name == "processor" && row.note', 'row.name == "nothing" && row.note'),
    ("machine: more threads than there are accepted", "00_machine/main.cpp", "if (threads > static_cast<int>(machine.cpus.size()))", "if (threads > 99999)"),
    ("machine: a library that cannot be loaded accepted", "00_machine/libraries.cpp", "    if (!found.found)\n", "    if (found.text == file)\n"),
    ("machine: a disturbed roof says nothing", "00_machine/measure.cpp", "if (share >= 0.97) return {};", "if (share >= 0) return {};"),
    ("machine: the best setting not said", "00_machine/rivals.cpp", '? "as chosen and best"', '? "as chosen"'),
    ("machine: no multiply-add in avx2", "00_machine/CMakeLists.txt", "-mavx2 -mfma -ffp-contract=fast", "-mavx2 -mfma -ffp-contract=off"),
    ("machine: sums in memory", "00_machine/peak.hpp", "#pragma GCC unroll 32\n    for", "    for"),
    ("machine: a vector set's object shows its functions", "00_machine/peak_avx2.cpp", "namespace {\n\nusing machine::Index;", "using machine::Index;\n\nnamespace {}\ninline namespace shown {"),
    ("machine: a setting not set", "00_machine/child.cpp", "    set(environment);\n", "    (void)environment;\n"),
    ("rivals: the ratio upside down", "05_avx2/duel.cpp", "pair.theirs / pair.ours", "pair.ours / pair.theirs"),
    ("rivals: a ratio of medians", "05_avx2/duel.cpp", "return {course::median(ratios)", "return {course::median(theirs) / course::median(ours)"),
    ("rivals: ours always first", "05_avx2/duel.cpp", "pair % 2", "0 * pair"),
    ("rivals: fewer pairs than asked for", "05_avx2/duel.cpp", "pair < rules.pairs ||", "pair < 1 ||"),
    ("rivals: a short product alone in its sample", "05_avx2/duel.cpp", "runs_ = std::max(", "runs_ = std::min("),
    ("rivals: C not reset", "05_avx2/duel.cpp", "if (pair % rules.between_reset == 0) reset();", "if (pair < 0) reset();"),
    ("rivals: products not verified at the shape that is timed", "05_avx2/duel_child.cpp",
     "what = machine::trouble(inputs, reference, product);", "what = std::string();"),
    ("rivals: a wrong rival forgiven", "05_avx2/rivals.cpp", "session.wrong |= wrong;", "(void)session, (void)wrong;"),
    ("rivals: a crash not named", "05_avx2/rivals.cpp", "if (!end.empty()) {", "if (end == where) {"),
    ("rivals: dear shapes first", "05_avx2/rivals.cpp", "a.flops() < b.flops()", "a.flops() > b.flops()"),
    ("rivals: another machine's settings taken", "05_avx2/rivals.cpp", 'cells[0] == "processor" &&', 'cells[0] == "nothing" &&'),
    ("rivals: settings looked for again", "05_avx2/rivals.cpp", "session.standing.met(session.ours[0], name)", "std::nullopt"),
    ("rivals: nobody meets the libraries kept to AVX2", "05_avx2/rivals.cpp", "|| narrow) rivals.push_back", ") rivals.push_back"),
    ("rivals: rows measured again", "05_avx2/standing.cpp", "known_.find(key(row))", "known_.find(key(row) + 'x')"),
    ("rivals: the summary of the slowest library", "05_avx2/standing.cpp", "ratio(*row) < ratio(*most)", "ratio(*row) > ratio(*most)"),
    ("rivals: the table of the slowest library", "tools/rivals.py", "key=lambda duel: duel.theirs)", "key=lambda duel: -duel.theirs)"),
    ("rivals: missed cells not marked", "tools/rivals.py", '"!" * (duel.ratio < TARGET)', '"!" * (duel.ratio < 0)'),
    ("rivals: lines join squares and others", "tools/rivals.py", "if at == squares > 0:", "if at < 0:"),
    ("prediction: the chain does not count", "common/prediction.cpp", "if (cost.chain > 0) takes(", "if (cost.chain > 1e300) takes("),
    ("prediction: a level that just holds it has lost it", "common/prediction.cpp", "reuse.distance > capacity_[l]", "reuse.distance >= capacity_[l]"),
    ("prediction: threads do not share", "common/prediction.cpp", "latency->second / threads", "latency->second"),
    ("cost: ikj does not read B again", "common/cost.hpp", "cost.reuses.push_back({e.size * e.madds, e.b});", ""),
    ("cost: tiles read B as often as without", "03_tiling/cost.hpp", "e.size * e.madds / m, e.b", "e.size * e.madds, e.b"),
    ("tiles: the last column of tiles is taken whole", "03_tiling/gemm.cpp", "least(tile, c.cols() - j)", "tile"),
    ("tiles: what is left of k is lost", "03_tiling/gemm.cpp", "c.block(0, 0, m, n));\n  ikj<T>(a.block(m", "c.block(0, 0, 0, n));\n  ikj<T>(a.block(m"),
    ("openmp: one row too few", "04_openmp/gemm.cpp", "View<T> c, int threads) {\n  const Index m = c.rows(), n = c.cols(), k = a.cols();\n#pragma omp parallel for num_threads", "View<T> c, int threads) {\n  const Index m = c.rows() - 1, n = c.cols(), k = a.cols();\n#pragma omp parallel for num_threads"),
    ("openmp: tiles of k shared out, too", "04_openmp/gemm.cpp", "collapse(2) num_threads(threads) schedule(static)\n  for (Index i = 0; i < rows; i += tile)\n    for (Index j = 0; j < cols; j += tile)\n      for (Index p = 0; p < a.cols()",
     "collapse(2) num_threads(threads) schedule(static)\n  for (Index i = 0; i < rows; i += tile)\n    for (Index j = 0; j < cols; j += tile)\n      for (Index p = 1; p < a.cols()"),
    ("avx2: the last vector is not masked", "05_avx2/micro_kernel.hpp", "if (masked && j == vectors - 1)\n        sum[i][j].store", "if (false)\n        sum[i][j].store"),
    ("avx2: C is overwritten", "05_avx2/micro_kernel.hpp", "sum[i][j].add(load(c_row, j));", "(void)c_row;"),
    ("avx2: B is packed once for all k", "05_avx2/five_loops.hpp", "          pack_B<V, nr>(piece", "          if (pc == 0) pack_B<V, nr>(piece"),
    ("avx2: a team does not wait for its copy of B", "05_avx2/five_loops.hpp", "#pragma omp barrier", ";"),
    ("avx2: a team copies into the block still in use", "05_avx2/five_loops.hpp", "std::swap(b_packed, b_before);", "(void)b_before;"),
    ("avx2: half the room for shared blocks", "05_avx2/five_loops.hpp", "blocks = share ? 2 * across : threads;", "blocks = share ? across : threads;"),
    ("avx2: no room for the last thread's block", "05_avx2/five_loops.hpp", "blocks = share ? 2 * across : threads;", "blocks = share ? 2 * across : larger(1, threads - 1);"),
    ("avx2: no room for the gaps between A's rows", "05_avx2/five_loops.hpp", "space.of(mc * a_ld * size)", "space.of(mc * kc * size)"),
    ("avx2: half the room for a block of one thread", "05_avx2/five_loops.hpp", "space.of(how.kc * how.nc * Index", "space.of(how.kc * how.nc / 2 * Index"),
    ("avx2: a team's two blocks overlap", "05_avx2/five_loops.hpp", "team.room + kc * nc :", "team.room + kc * nc / 2 :"),
    ("avx2: a team's last member copies too little", "05_avx2/five_loops.hpp", "divide_up(divide_up(cols, nr), team.members) * nr,", "cols / nr / team.members * nr,"),
    ("avx2: the columns of a vector shared by two", "05_avx2/five_loops.hpp", "lanes * (col + 1) / across * V::lanes);", "lanes * (col + 1) / across * V::lanes + 1);"),
    ("avx2: fewer threads than asked for", "05_avx2/five_loops.hpp", "if (omp_get_num_threads() == threads) {", "if (threads > 0) {"),
    ("avx2: BLAS: alpha is not looked at", "05_avx2/as_blas.cpp", "alpha != T{1} || ", "alpha == T{99} || "),
    ("machine: children have the parent's one core", "00_machine/child.cpp", "sched_setaffinity(0, sizeof all, &all);\n    set", "sched_setaffinity(0, 0, &all);\n    set"),
    ("report: the worst is the best", "tools/rivals.py", "worst = min(best", "worst = max(best"),
    ("avx2: rows packed twice", "05_avx2/pack.hpp", "for (Index i = 0; i < a.rows(); ++i) copy_row<V>(&a(i, 0)", "for (Index i = 0; i < a.rows(); ++i) copy_row<V>(&a(i, 0), 1, &to(i, 0)), copy_row<V>(&a(i, 0)"),
    ("notes: code changed", "02_loop_order/gemm.cpp", "const T factor = a(i, p);", "const T scale = a(i, p), factor = scale;"),
]


def run(command, where):
    return subprocess.run(command, cwd=where, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def red_tests(tree):
    """Names of failing tests; a build that fails shows nothing of the tests."""
    build = run(["sh", "-c", "cmake -B build >/dev/null && cmake --build build --parallel $(nproc)"], tree)
    if build.returncode != 0:
        return ["DOES NOT BUILD"]
    tests = run(["sh", "-c", "ctest --test-dir build --parallel $(nproc) --timeout 60"], tree)
    lines = [line.strip() for line in tests.stdout.splitlines() if line.startswith("\t")]
    return [line.split(" - ")[1].split(" (")[0] for line in lines if " - " in line and "(Skipped)" not in line]


def main(names):
    unnoticed = []
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "tree"
        for file in run(["git", "ls-files"], ROOT).stdout.splitlines():
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, tree / file)
        run(["sh", "-c", "git init -q . && git add -A && git -c user.name=x -c user.email=x commit -qm x"], tree)
        before = red_tests(tree)
        if before:
            sys.exit(f"red before any sabotage: {', '.join(before)}")
        for name, file, old, new in SABOTAGES:
            if names and not any(part in name for part in names):
                continue
            path = tree / file
            text = path.read_text()
            if old not in text:
                sys.exit(f"{name}: {file} no longer has: {old}")
            path.write_text(text.replace(old, new))
            red = [test for test in red_tests(tree) if test != "house.format"]
            path.write_text(text)
            print(f"{name}: {', '.join(red[:4]) + (f' and {len(red) - 4} more' if len(red) > 4 else '') if red else 'UNNOTICED'}", flush=True)
            if not red or red == ["DOES NOT BUILD"]:
                unnoticed.append(name)
    if unnoticed:
        sys.exit(f"unnoticed: {', '.join(unnoticed)}")


main(sys.argv[1:])

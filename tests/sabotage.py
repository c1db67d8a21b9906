#!/usr/bin/env python3
"""Breaks the course on purpose, one line at a time, and sees whether the tests that promise to notice do.

    tests/sabotage.py [NAME …]        (`make sabotage`) these, or all; a part of a name, a file or a test will do
      --tree DIR                      keep the copy that is broken there: a second run builds what changed only
      --all-tests                     after each break build everything and run every test: what else turns red?
      --jobs N                        compilers and tests at a time (default: the cores)
    tests/sabotage.py --check         without building: does each line still stand, is each test there?

Works on a copy of the tree. A sabotage that its tests do not notice is a hole: exit 1. tests/sabotages.md is the table.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What must be built for a test, by its name; of the others, the program before the dot.
TARGETS = [
    (r"common\..*", "common_tests"),
    (r"runner\.ranks", "ranks"),
    (r"runner\..*", "runner_tests"),
    (r"golden|command_line", "01_naive"),
    (r"house\..*|report\.tools", ""),
    (r"report\..*|objects|emulated\..*", "course_programs"),
    (r"00_machine\.peak_loops", "00_machine-sse2-kernels 00_machine-avx2-kernels 00_machine-avx512-kernels"),
    (r"00_machine\..*", "00_machine FAKES"),
    (r"04_openmp\.bits", "04_openmp_tests"),
    (r"05_avx2\.blocks", "05_avx2_tests"),
    (r"05_avx2\.pack_once", "05_avx2_pack_count"),
    (r"05_avx2\.tile_.*", "05_avx2-kernels"),
    (r"05_avx2\.as_blas", "course_blas"),
    (r"05_avx2\.bound", "rivals course_blas"),
    (r"05_avx2\.duel", "duel_tests"),
    (r"05_avx2\.rivals_.*", "rivals FAKES"),
]
FAKES = " ".join(f"fake_{fault}" for fault in "transposed crash hang empty outside square right".split())

# The breaks that these tests alone notice wait for them: not every machine, nor every branch, has them.
AWAITED = ("emulated",)
# They look at the text itself, and would notice every break.
TEXTUAL = {"house.format", "house.sabotage"}
PATIENCE = 400  # seconds for the tests of one break: who hangs longer has noticed, too

Sabotage = collections.namedtuple("Sabotage", "name file old new tests targets", defaults=[None])
RESULTS_KEY = "step,variant,type,m,n,k,fill,seed,threads,ranks,grid,block,tile,device,flags,compiler,host,"

# Name; file; what stands there, once; what it becomes; which tests must notice, any of them (a pattern for whole names);
# what to build for them, if that is not what their names say. Neighbours share a file: little is built in between.
SABOTAGES = [Sabotage(*entry) for entry in [
    # ---- common: views and memory
    ("view: columns for the leading dimension", "common/view.hpp",
     "COURSE_CHECK(i >= 0 && i < rows_ && j >= 0 && j < cols_);\n    return data_[i * ld_ + j];",
     "return data_[i * cols_ + j];", "common.view"),
    ("view: check off by one", "common/view.hpp", "j < 0 || j >= cols_", "j < 0 || j > cols_", "common.view"),
    ("guards: padding not looked at", "common/matrix.hpp", "i * ld_ + cols_, ld_ - cols_)", "i * ld_ + cols_, 0)", "common.view"),
    ("matrix: not poisoned", "common/matrix.hpp", "view()(i, j) = poison<T>();", "(void)j;", "common.view"),
    ("matrix: elements not poisoned at birth", "common/matrix.hpp", "[this](Index i) { poison_part(guard + i * ld_, ld_); }",
     "[this, pad](Index i) {\n      std::fill_n(buffer_.get() + guard + i * ld_, cols_, T{});\n"
     "      poison_part(guard + i * ld_ + cols_, pad);\n    }", "common.view|common.variant"),
    ("fill: row ignored", "common/fill.hpp", "static_cast<std::uint64_t>(i));", "0 * static_cast<std::uint64_t>(i));", "common.fill"),
    ("fill: C is zero", "common/problem.hpp", "fill_matrix(made->c.view(), fill, seed, 'C');",
     "for (Index i = 0; i < shape.m; ++i) std::fill_n(&made->c.view()(i, 0), shape.n, T{});", "common.verify"),
    ("problem: guards of the inputs not looked at", "common/problem.hpp", "return !made || made->guards_intact();", "return true;",
     "runner.run"),
    ("problem: a guard of A not looked at", "common/problem.hpp", "return a.guards_intact() && b", "return b", "runner.run"),

    # ---- common: variants
    ("variant: threads are not swept", "common/variant.hpp", "traits.threads = (std::is_same_v<Makers, Threads> || ...);",
     "traits.threads = false;", "common.variant"),
    ("variant: tiles are not swept", "common/variant.hpp", "traits.tiles = (std::is_same_v<Makers, Tile> || ...);",
     "traits.tiles = false;", "common.variant"),
    ("variant: rows of rows stay where they are", "common/variant.hpp",
     "std::copy(row.begin(), row.end(), &call.c(i++, 0));", "(void)row, ++i;", "common.variant"),
    ("variant: workspace not poisoned", "common/variant.hpp",
     "workspace_ = Matrix<T>(extent.m, extent.n, problem.pad, touching);",
     "workspace_ = Matrix<T>(extent.m, extent.n, problem.pad, touching);\n"
     "    fill_matrix(workspace_.view(), Fill::digits, 1, 'C');", "common.variant"),
    ("variant: guards of the workspace not looked at", "common/variant.hpp", " && workspace_.guards_intact();", ";", "common.variant"),
    ("variant: memory kept between rows", "common/variant.hpp", "{ own_.forget(), c_ = {}, workspace_ = {}; }", "{}", "common.variant"),
    ("variant: inputs touched by one shared with the others", "common/variant.hpp", "if (by_one) own_ = problem,",
     "if (by_one && false) own_ = problem,", "common.variant"),
    ("variant: memory of rows of rows not counted", "common/variant.hpp", "(in_rows_ || this->traits.touched_by_one ? 2 : 1)",
     "(this->traits.touched_by_one ? 2 : 1)", "common.variant"),

    # ---- common: the checker
    ("checker: accepts NaN", "common/verify.cpp", "if (!(error <= allowed)) ++differences;", "if (error > allowed) ++differences;",
     "common.verify"),
    ("checker: maximum loses NaN", "common/verify.cpp", "if (!std::isnan(most) && !(value <= most)) most = value;",
     "most = std::max(most, value);", "common.verify"),
    ("checker: bound ten times wider", "common/verify.cpp", "return 8 * u", "return 80 * u", "common.verify"),
    ("checker: bound from the wrong row", "common/verify.cpp", "static_cast<double>(a_norms(r, 0))",
     "static_cast<double>(a_norms(0, 0))", "common.verify"),
    ("checker: bound from the wrong column", "common/verify.cpp", "static_cast<double>(b_norms(0, s))",
     "static_cast<double>(b_norms(0, 0))", "common.verify"),
    ("checker: last row and column not sampled", "common/verify.cpp", "drawn = {0, count - 1};", "drawn = {0};", "common.verify"),
    ("checker: coverage ignored", "common/verify.cpp", "const bool whole_c = covered(problem_, piece, fits, world);",
     "const bool whole_c = covered(problem_, piece, fits, world) || true;", "common.verify"),
    ("checker: a reference kept for other rows", "common/verify.cpp", "piece.rows == rows_ && piece.cols == cols_",
     "piece.cols == cols_", "common.verify"),
    ("checker: a reference kept for other columns", "common/verify.cpp", "piece.rows == rows_ && piece.cols == cols_",
     "piece.rows == rows_", "common.verify"),
    ("checker: what a rank found stays its own", "common/verify.cpp", "  trouble = world.first(trouble);\n  if (!whole_c",
     "  if (!whole_c", "runner.run"),
    ("Freivalds: a column without weight", "common/verify.cpp", "= element_hash(seed, what, vector, i) | 1u",
     "= i == 0 ? 0 : element_hash(seed, what, vector, i) | 1u", "common.verify"),
    ("Freivalds: one weight for all", "common/verify.cpp", "element_hash(seed, what, vector, i) | 1u",
     "element_hash(seed, what, vector, 0) | 1u", "common.verify"),
    ("Freivalds: C before forgotten", "common/verify.cpp",
     "(integer(piece.c(i, j++)) - integer(problem.c(piece.rows[at(i)], col)))",
     "((void)problem.c(piece.rows[at(i)], col), integer(piece.c(i, j++)))", "common.verify"),
    ("Freivalds: fractions pass", "common/verify.cpp", "if (fits && !integers)", "if (trouble.empty() && false)",
     "common.verify"),
    ("Freivalds: each rank's sums its own", "common/verify.cpp", "  world.sum(difference);\n", "", "runner.run"),

    # ---- common: ranks
    ("MPI: the maximum loses NaN", "common/mpi_world.cpp", "if (lost[i] > 0) mine[i]", "if (lost[i] > 99) mine[i]", "runner.ranks"),
    ("MPI: a rank's text is lost", "common/mpi_world.cpp", "MPI_INT, MPI_MIN);", "MPI_INT, MPI_MAX);", "runner.ranks"),
    ("MPI: memory of ranks on one host not added up", "common/mpi_world.cpp",
     "  reduce(std::span(&mine, 1), MPI_DOUBLE, MPI_SUM, host_);\n", "", "runner.ranks"),

    # ---- runner: a row
    ("loop: C not reset", "runner/row.cpp", "    variant_.reset();\n", "", "runner.run"),
    ("loop: verdict always right", "runner/row.cpp", 'check.right ? "right" : "wrong"', 'check.right ? "right" : "right"', "runner.run"),
    ("loop: guards ignored", "runner/row.cpp", "if (!outside.empty()) check.right = false,", "if (false) check.right = false,",
     "runner.run"),
    ("loop: guards of the inputs ignored", "runner/row.cpp", "bool intact = variant_.guards_intact() && problem.guards_intact();",
     "bool intact = variant_.guards_intact();", "runner.run"),
    ("loop: guards in the run on digits ignored", "runner/row.cpp",
     "intact &= variant_.guards_intact() && digits.guards_intact();", "(void)intact;", "runner.run"),
    ("loop: Freivalds' verdict ignored", "runner/row.cpp", "check.right &= second.right;", "", "runner.run"),
    ("loop: baseline left out", "runner/row.cpp", "if ((traits_.baseline && !session_.step.is_level) || ", "if (", "runner.run"),
    ("loop: resumed wrong rows forgiven", "runner/row.cpp", 'answer = verdict == "wrong" ? wrong : yes;', "answer = yes;", "runner.run"),
    ("loop: rows keep their memory", "runner/row.cpp", "~Row() { variant_.release(); }", "~Row() {}", "runner.run"),
    ("ranks: a rank that will not is alone", "runner/row.cpp", "if (why = world_.first(why); !why.empty()) {", "if (!why.empty()) {",
     "runner.run"),
    ("ranks: a rank without memory is alone", "runner/row.cpp", "if (why = world_.first(why); why == no_memory) throw",
     "if (why == no_memory) throw", "runner.run"),
    ("ranks: each has its own times", "runner/session.cpp", "if (most[p] >= 0) times.*Times::parts()[p] = most[p];",
     "if (most[p] < -1) times.*Times::parts()[p] = most[p];", "runner.run"),
    ("ranks: each decides on what is resumed", "runner/row.cpp", "const std::uint64_t known = world_.root(answer);",
     "const std::uint64_t known = answer;", "runner.run"),

    # ---- runner: a session
    ("ranks: one that throws leaves the others waiting", "runner/session.cpp", "if (world.size() > 1) world.abort(",
     "if (world.size() > 99) world.abort(", "runner.run"),
    ("ranks: the root refuses alone", "runner/session.cpp", "if (refusal = world.first(refusal); !refusal.empty())",
     "if (!refusal.empty())", "runner.run"),
    ("ranks: all speak", "runner/session.cpp", "if (!said.insert(line).second || !speaks()) return;",
     "if (!said.insert(line).second) return;", "runner.run"),
    ("ranks: one that throws outside of a row leaves the others waiting", "runner/run.cpp",
     "if (world.size() > 1) world.abort(program", "if (world.size() > 99) world.abort(program", "runner.run"),
    ("loop: wrong results end with 0", "runner/run.cpp", "if (failed) return 1;", "if (failed) return 0;", "runner.run"),
    ("memory: no question asked", "runner/machine.cpp", "needed > 0.95 * available", "needed > 1e300 * available", "runner.run"),
    ("memory: each rank asks for itself", "runner/machine.cpp", "world.on_this_host(bytes);", "bytes;", "runner.run"),
    ("machine: every feature is believed", "runner/machine.cpp", "{ #feature, __builtin_cpu_supports(#feature) != 0 }",
     "{ #feature, true }", r"emulated\.(Nehalem|Haswell)"),
    ("machine: unknown features are believed", "runner/machine.cpp", "if (!feature.empty() && std::find(",
     "if (feature.empty() && std::find(", "runner.run"),

    # ---- runner: records and tables
    ("loop: median is the first", "runner/text.hpp", "  std::sort(values.begin(), values.end());\n", "", "runner.text|runner.record"),
    *[(f"csv: key without {column}", "runner/record.cpp", f'"{RESULTS_KEY}"',
       f'"{",".join(part for part in RESULTS_KEY.split(",") if part != column)}"', "runner.table")
      for column in RESULTS_KEY.split(",")[:-1]],
    ("csv: key without commit", "runner/record.cpp", f'{RESULTS_KEY}"\n            "commit")', f'{RESULTS_KEY[:-1]}")', "runner.table"),
    ("csv: other columns accepted", "runner/table.cpp", ": lines[0] != header)", ": false)", "runner.table"),
    ("csv: torn line kept", "runner/table.cpp", "if (torn_ > 0) {", "if (false) {", "runner.table"),
    ("csv: superseded rows are shown", "runner/table.cpp", "if (find(row) == &row) newest", "newest", "runner.table"),
    ("csv: of rows with one key the first counts", "runner/table.cpp", "last_[key(row)] = rows_.size();",
     "last_.emplace(key(row), rows_.size());", "runner.prediction"),
    ("options: octal", "runner/options.cpp", "std::from_chars(given.data(), given.data() + given.size(), value);",
     "[&] {\n    if constexpr (std::is_integral_v<T>)\n      return std::from_chars(given.data(), given.data() + given.size(), value,\n"
     "                             given.starts_with(\"0\") ? 8 : 10);\n    else\n"
     "      return std::from_chars(given.data(), given.data() + given.size(), value);\n  }();", "golden|command_line"),
    ("options: overflow clamped", "runner/options.cpp", "if (error == std::errc::result_out_of_range) refuse", "if (false) refuse",
     "command_line"),

    # ---- runner: predictions and costs
    ("prediction: the chain does not count", "runner/prediction.cpp", "if (cost.chain > 0) takes(", "if (cost.chain > 1e300) takes(",
     "runner.prediction"),
    ("prediction: a level that just holds it has lost it", "runner/prediction.cpp", "reuse.distance > capacity_[l]",
     "reuse.distance >= capacity_[l]", "runner.prediction"),
    ("prediction: threads do not share", "runner/prediction.cpp", "latency->second / threads", "latency->second", "runner.prediction"),
    ("prediction: one thread is held to what all reached", "runner/prediction.cpp", "above->first == threads) return above->second;",
     "above->first == threads)\n    return std::min(above->second, found->second.rbegin()->second);", "runner.prediction"),
    ("cost: ikj does not read B again", "runner/cost.hpp", "cost.reuses.push_back({e.size * e.madds, e.b});", "", "runner.cost"),
    ("cost: tiles read B as often as without", "03_tiling/cost.hpp", "{e.size * e.madds / m, e.b});                     // B, for",
     "{e.size * e.madds, e.b});  // B, for", "runner.cost"),

    # ---- the steps
    ("rows one short", "01_naive/gemm.cpp", "i < c.rows(); ++i)\n    for (Index j = 0; j < c.cols(); ++j) {\n      T sum = c(i, j);",
     "i + 1 < c.rows(); ++i)\n    for (Index j = 0; j < c.cols(); ++j) {\n      T sum = c(i, j);", "01_naive.random"),
    ("ikj: index of B swapped", "02_loop_order/gemm.cpp",
     "for (Index p = 0; p < a.cols(); ++p) {\n      const T factor = a(i, p);\n"
     "      for (Index j = 0; j < c.cols(); ++j) c(i, j) += factor * b(p, j);",
     "for (Index p = 0; p < a.cols(); ++p) {\n      const T factor = a(i, p);\n"
     "      for (Index j = 0; j < c.cols(); ++j) c(i, j) += factor * b(j, p);", "02_loop_order.random"),
    ("transposed: one column short", "02_loop_order/gemm.cpp", "j < b.cols(); ++j) bt(j, p)", "j + 1 < b.cols(); ++j) bt(j, p)",
     "02_loop_order.random"),
    ("contiguous: overwrites", "02_loop_order/gemm.cpp", "c(i, j) += a(i, p) * b(p, j);\n}\n// [/contiguous]",
     "c(i, j) = a(i, p) * b(p, j);\n}\n// [/contiguous]", "02_loop_order.random"),
    ("build: a template leaves the object", "common/view.hpp", "[[gnu::always_inline]] constexpr", "[[gnu::noinline]] constexpr",
     "objects", "02_loop_order-kernels"),
    ("build: kernels and common share flags", "cmake/course.cmake",
     "target_compile_options(${program}-kernels PRIVATE ${course_kernel_flags} ${options})",
     "target_compile_options(${program}-kernels PRIVATE ${options})\n  target_link_options(${program} PRIVATE ${options})",
     "objects", "01_naive-Ofast"),
    ("tiles: the last column of tiles is taken whole", "03_tiling/gemm.cpp", "n = least(tile, c.cols() - j);\n        ikj(",
     "n = tile;\n        ikj(", "03_tiling.(random|edges)"),
    ("tiles: what is left of k is lost", "03_tiling/gemm.cpp", "c.block(0, 0, m, n));\n  ikj<T>(a.block(m",
     "c.block(0, 0, 0, n));\n  ikj<T>(a.block(m", "03_tiling.random"),
    ("openmp: one row too few", "04_openmp/gemm.cpp",
     "View<T> c, int threads) {\n  const Index m = c.rows(), n = c.cols(), k = a.cols();\n#pragma omp parallel for num_threads",
     "View<T> c, int threads) {\n  const Index m = c.rows() - 1, n = c.cols(), k = a.cols();\n#pragma omp parallel for num_threads",
     "04_openmp.random"),
    ("openmp: tiles of k shared out, too", "04_openmp/gemm.cpp",
     "collapse(2) num_threads(threads) schedule(static)\n  for (Index i = 0; i < rows; i += tile)\n"
     "    for (Index j = 0; j < cols; j += tile)\n      for (Index p = 0; p < a.cols()",
     "collapse(2) num_threads(threads) schedule(static)\n  for (Index i = 0; i < rows; i += tile)\n"
     "    for (Index j = 0; j < cols; j += tile)\n      for (Index p = 1; p < a.cols()", "04_openmp.random"),
    ("avx2: the last vector is not masked", "05_avx2/micro_kernel.hpp", "partly(j) ? sum[i][j].store",
     "false ? sum[i][j].store", "05_avx2.blocks"),
    ("avx2: C is overwritten", "05_avx2/micro_kernel.hpp", "sum[i][j].add(load(c_row, j));", "(void)c_row;", "05_avx2.blocks"),
    ("avx2: B is packed once for all k", "05_avx2/five_loops.hpp", "const Block<Tile> b_block = team.copy(b.block(pc,",
     "const Block<Tile> b_block = team.copy(b.block(pc == 0 || k != kc ? pc : 0,", "05_avx2.blocks"),
    ("avx2: A is not copied for the second block of k", "05_avx2/five_loops.hpp", "room && jc > 0;", "room && (jc > 0 || pc > 0);", "05_avx2.blocks"),
    ("avx2: a team does not wait for its copy of B", "05_avx2/five_loops.hpp", "if (members > 1) barrier.wait(members), turn",
     "if (members > 1) turn", "05_avx2.blocks"),
    ("avx2: a barrier lets all but the last through", "05_avx2/five_loops.hpp", "< (round + 1) * members; ++look)", "< round * members; ++look)",
     "05_avx2.blocks"),
    ("avx2: a team copies into the block still in use", "05_avx2/five_loops.hpp", "turn = 1 - turn;", "turn = turn;", "05_avx2.blocks"),
    ("avx2: half the room for shared blocks", "05_avx2/five_loops.hpp", "team_room = (members > 1 ? 2 : 1) * block;",
     "team_room = block;", "05_avx2.blocks"),
    ("avx2: no room for the last thread's block", "05_avx2/five_loops.hpp", "(teams * team_room)", "(teams > 1 ? (teams - 1) * team_room : team_room)",
     "05_avx2.blocks"),
    ("avx2: no room for the gaps between A's rows", "05_avx2/five_loops.hpp", "(mc * ld)", "(mc * kc)", "05_avx2.blocks"),
    ("avx2: a team's two blocks overlap", "05_avx2/five_loops.hpp", "room + turn * block;", "room + turn * block / 2;", "05_avx2.blocks"),
    ("avx2: a team's last member copies too little", "05_avx2/five_loops.hpp", "smaller(strips * Tile::nr, b.cols() - jr);",
     "smaller((strips - (me > 0)) * Tile::nr, b.cols() - jr);", "05_avx2.blocks"),
    ("avx2: the columns of a vector shared by two", "05_avx2/five_loops.hpp", "cols = smaller(count * lanes, n - j);",
     "cols = smaller(count * lanes + 1, n - j);", "05_avx2.blocks"),
    ("avx2: a panel of a member that has no more rows", "05_avx2/five_loops.hpp", "if (ic >= c.rows()) continue;", ";", "05_avx2.blocks"),
    ("avx2: fewer threads than asked for", "05_avx2/five_loops.hpp", "omp_get_num_threads() == threads) {", "threads > 0) {", "05_avx2.blocks"),
    ("avx2: the element after the last of a row", "05_avx2/gemm_lanes.cpp", "V::load(bt_j + whole, rest)", "V::load(&bt(j, whole), rest)",
     "05_avx2.blocks"),
    ("avx2: a block of B as large as L2", "05_avx2/blocks.hpp", "caches.l2 * 5 / 8", "caches.l2", "05_avx2.blocks"),
    ("avx2: rows packed twice", "05_avx2/pack.hpp", "for (Index i = 0; i < a.rows(); ++i) copy_row<typename Tile::V>(&a(i, 0)",
     "for (Index i = 0; i < a.rows(); ++i) copy_row<typename Tile::V>(&a(i, 0), 1, &to(i, 0)), copy_row<typename Tile::V>(&a(i, 0)", "05_avx2.pack_once"),
    ("avx2: BLAS: any rung's name will do", "05_avx2/as_blas.cpp", 'if (rung != "avx512" && rung != "packed")', 'if (rung == "nothing")', "05_avx2.as_blas"),
    ("avx2: BLAS: alpha is not looked at", "05_avx2/as_blas.cpp", "alpha != T{1} || ", "alpha == T{99} || ", "05_avx2.as_blas"),

    # ---- ours against the libraries
    ("rivals: the ratio upside down", "05_avx2/duel.cpp", "pair.theirs / pair.ours", "pair.ours / pair.theirs", "05_avx2.duel"),
    ("rivals: a ratio of medians", "05_avx2/duel.cpp", "return {course::median(ratios)",
     "return {course::median(theirs) / course::median(ours)", "05_avx2.duel"),
    ("rivals: ours always first", "05_avx2/duel.cpp",
     "if (pair % 2 == 0) times.ours = we.sample();\n    times.theirs = they.sample();\n    if (pair % 2 != 0) times.ours = we.sample();",
     "times.ours = we.sample();\n    times.theirs = they.sample();", "05_avx2.duel"),
    ("rivals: fewer pairs than asked for", "05_avx2/duel.cpp", "pair < rules.pairs ||", "pair < 1 ||", "05_avx2.duel"),
    ("rivals: a short product alone in its sample", "05_avx2/duel.cpp", "runs_ = std::max(", "runs_ = std::min(", "05_avx2.duel"),
    ("rivals: C not reset", "05_avx2/duel.cpp", "if (pair % rules.between_reset == 0) reset();", "if (pair < 0) reset();", "05_avx2.duel"),
    ("rivals: products not verified at the shape that is timed", "05_avx2/duel_child.cpp",
     "what = machine::trouble(problem, verifier, product);", "what = std::string();", "05_avx2.rivals_wrong"),
    ("rivals: a wrong rival forgiven", "05_avx2/rivals.cpp", "session.wrong |= wrong;", "(void)session, (void)wrong;",
     "05_avx2.rivals_wrong"),
    ("rivals: a crash not named", "05_avx2/rivals.cpp", "if (!end.empty()) {", "if (end == where) {", "05_avx2.rivals_failing"),
    ("rivals: dear shapes first", "05_avx2/rivals.cpp", "a.flops() < b.flops()", "a.flops() > b.flops()", "05_avx2.rivals_rows"),
    ("rivals: another machine's settings taken", "05_avx2/rivals.cpp", 'if (name == "processor" &&', 'if (name == "nothing" &&',
     "05_avx2.rivals_settings"),
    ("rivals: settings looked for again", "05_avx2/rivals.cpp", "session.standing.met(session.ours[0], name)", "std::nullopt",
     "05_avx2.rivals_resume"),
    ("rivals: nobody meets the libraries kept to AVX2", "05_avx2/rivals.cpp", "|| narrow) rivals.push_back", ") rivals.push_back",
     "05_avx2.rivals_settings"),
    ("rivals: rows measured again", "05_avx2/standing.cpp", "resume_ ? file_.find(cells(row)) : nullptr;",
     "resume_ && row.type.empty() ? file_.find(cells(row)) : nullptr;", "05_avx2.rivals_resume"),
    ("rivals: the summary of the slowest library", "05_avx2/standing.cpp", "ratio(*row) < ratio(*most)",
     "ratio(*row) > ratio(*most)", "05_avx2.rivals_resume"),

    # ---- what the machine can do
    ("machine: wrong libraries forgiven", "00_machine/rivals.cpp", "session.wrong |= !found.wrong.empty();", "(void)session;",
     "00_machine.libraries"),
    ("machine: the best setting not said", "00_machine/rivals.cpp", '? "as chosen and best"', '? "as chosen"', "00_machine.libraries"),
    ("machine: no limit for a library", "00_machine/rivals.cpp", "const double limit = 10 +", "const double limit = 1000 +",
     "00_machine.hang"),
    ("machine: rows measured again", "00_machine/sheet.cpp", "!resume_ || file_.find(cells(row)) == nullptr;",
     "!resume_ || !row.name.empty();", "00_machine.resume"),
    ("machine: another processor's file extended", "00_machine/sheet.cpp", 'file_.cell(*row, "name") == "processor" &&',
     'file_.cell(*row, "name") == "nothing" &&', "00_machine.resume"),
    ("machine: libraries in the program's own process", "00_machine/main.cpp", "if (argc > 1 && argv[1] == child_mark)",
     "if (argc > 99)", "00_machine.libraries"),
    ("machine: a disturbed roof says nothing", "00_machine/measure.cpp", "if (share >= 0.97) return {};", "if (share >= 0) return {};",
     "00_machine.disturbed"),
    ("machine: no multiply-add in avx2", "00_machine/CMakeLists.txt", "-mavx2 -mfma -ffp-contract=fast",
     "-mavx2 -mfma -ffp-contract=off", "00_machine.peak_loops"),
    ("machine: sums in memory", "00_machine/peak.hpp", "#pragma GCC unroll 32\n    for", "    for", "00_machine.peak_loops"),
    ("machine: a vector set's object shows its functions", "00_machine/peak_avx2.cpp", "namespace {\n\nusing machine::Index;",
     "using machine::Index;\n\nnamespace {}\ninline namespace shown {", "objects", "00_machine-avx2-kernels"),
    # child.cpp, libraries.cpp and inputs.hpp are 05's as well, whose program is built faster.
    ("machine: children outlive the program", "00_machine/child.cpp", "prctl(PR_SET_PDEATHSIG, SIGKILL);", "",
     "00_machine.interrupt"),
    ("machine: a setting not set", "00_machine/child.cpp", "    set(environment);\n", "    (void)environment;\n",
     "00_machine.rows|05_avx2.rivals_(settings|resume)"),
    ("machine: children have the parent's one core", "00_machine/child.cpp", "sched_setaffinity(0, sizeof all, &all);\n    set",
     "sched_setaffinity(0, 0, &all);\n    set", "05_avx2.bound"),
    ("machine: a library that cannot be loaded accepted", "00_machine/libraries.cpp", "    if (!found.found)\n",
     "    if (found.text == file)\n", "00_machine.refusals|05_avx2.rivals_refusals"),
    ("machine: more threads than there are accepted", "00_machine/libraries.cpp", "    if (threads > cpus)\n",
     "    if (threads > cpus + 99999)\n", "05_avx2.rivals_refusals"),
    ("machine: products not verified", "00_machine/inputs.hpp", "if (inside && check.right)", "if (inside)",
     "00_machine.libraries|05_avx2.rivals_wrong"),
    ("machine: guards of a library ignored", "00_machine/inputs.hpp", "inputs.guards_intact() && product.guards_intact();", "true;",
     "00_machine.libraries|05_avx2.rivals_wrong"),

    # ---- the report, its tools and the notes
    ("report: a failing step passes", "Makefile.report", "exit 1; fi", "exit 0; fi", "report.failing_step"),
    ("report: starts anew", "Makefile.report", "--csv '$(OUT)/results.csv' --resume", "--csv '$(OUT)/results.csv'",
     "report.interrupted"),
    ("report: the worst is the best", "tools/rivals.py", "worst = min(best", "worst = max(best", "report.tools"),
    ("rivals: the table of the slowest library", "tools/rivals.py", "if duel.shape() == shape), key=lambda duel: duel.ratio)",
     "if duel.shape() == shape), key=lambda duel: -duel.ratio)", "report.tools"),
    ("rivals: missed cells not marked", "tools/rivals.py", '"!" * (duel.ratio < TARGET)', '"!" * (duel.ratio < 0)', "report.tools"),
    ("rivals: lines join squares and others", "tools/rivals.py", "if at == squares > 0:", "if at < 0:", "report.tools"),
    ("notes: code changed", "02_loop_order/gemm.cpp", "for (Index p = 0; p < a.cols(); ++p) {\n      const T factor = a(i, p);",
     "for (Index p = 0; p < a.cols(); ++p) {\n      const T scale = a(i, p), factor = scale;", "house.notes"),
]]


# ---------------------------------------------------------------- without building

def written_tests():
    """The names of all tests, as far as CMakeLists.txt say them: foreach and course_step are read, nothing else."""
    names = set()
    for path in [*ROOT.glob("[0-9]*/CMakeLists.txt"), ROOT / "tests/CMakeLists.txt"]:
        text = re.sub(r"#.*", "", path.read_text())
        text = re.sub(r"foreach\((\w+) ([^)$]*)\)(.*?)endforeach\(\)", lambda loop: "".join(
            loop[3].replace(f"${{{loop[1]}}}", item) for item in loop[2].split()), text, flags=re.S)
        names |= set(re.findall(r"course_(?:test|cachegrind)\(([\w.-]+) ", text))
        names |= {f"03_tiling.{name}" for name in re.findall(r"tiling_misses\((\w+) \w+ \d", text)}
        for step, more in re.findall(r"course_step\((\w+)([^)]*)\)", text):
            levels = re.search(r" LEVELS((?: [OA-Za-z]\w*)*?)(?: [A-Z]{3,}\b|$)", more)
            for program in [step, *(f"{step}-{level}" for level in (levels[1].split() if levels else []))]:
                names |= {f"{program}.{check}" for check in ("random", "digits", "edges", "broken")}
    return names


def check():
    troubles, tests = [], written_tests()
    names = [entry.name for entry in SABOTAGES]
    troubles += [f"{name}: is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    for entry in SABOTAGES:
        path = ROOT / entry.file
        found = path.read_text().count(entry.old) if path.exists() else 0
        if found != 1:
            troubles.append(f"{entry.name}: {entry.file} has {found} times, not once: {entry.old}")
        if entry.old == entry.new:
            troubles.append(f"{entry.name}: changes nothing")
        if not entry.tests.startswith(AWAITED) and not any(re.fullmatch(entry.tests, test) for test in tests):
            troubles.append(f"{entry.name}: there is no test {entry.tests}")
    print("\n".join(troubles) or f"{len(SABOTAGES)} sabotages can be done")
    return 1 if troubles else 0


# ---------------------------------------------------------------- with a copy of the tree

class Tree:
    def __init__(self, path, jobs):
        self.path, self.jobs, self.known = path, jobs, []

    def run(self, *command, patience=None):
        """What was printed, and the exit status; None if it took too long."""
        with subprocess.Popen(command, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", start_new_session=True) as process:
            try:
                return process.communicate(timeout=patience)[0], process.returncode
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return process.communicate()[0], None
            except BaseException:  # Ctrl-C: the child has a session of its own
                os.killpg(process.pid, signal.SIGKILL)
                raise

    def copy(self):
        """As the working tree is; what is the same keeps its date."""
        listed = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
        files = {file for file in listed.split("\0") if file and (ROOT / file).exists()}
        for file in files:
            source, copy = ROOT / file, self.path / file
            if not copy.exists() or copy.read_bytes() != source.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, copy)
                copy.touch()
        for path in self.path.rglob("*"):
            inside = path.relative_to(self.path)
            if path.is_file() and inside.parts[0] not in ("build", ".git") and str(inside) not in files:
                path.unlink()
        # A repository, for the tests of the house; in which nothing ever changes, or each break would be a commit of its own
        # and what shows the commit compiled anew.
        self.run("sh", "-c", "rm -rf .git && export GIT_COMMITTER_DATE=2000-01-01T00:00:00Z && git init -q . && git add -A && git -c user.name=x -c user.email=x commit -qm x "
                 "--date=2000-01-01T00:00:00Z && git ls-files -z | git update-index --assume-unchanged -z --stdin")

    def build(self, targets):
        """What the compiler said if it failed."""
        if targets == []:
            return ""
        parallel = ["--parallel", str(self.jobs)]
        said, status = self.run("cmake", "--build", "build", *parallel, *(["--target", *targets] if targets else []))
        return said if status != 0 else ""

    def configure(self):
        said, status = self.run("cmake", "-B", "build")
        if status != 0:
            sys.exit(said)
        listed = self.run("ctest", "--test-dir", "build", "-N")[0]
        self.known = re.findall(r"Test +#\d+: (\S+)", listed)

    def tests(self, pattern):
        return [name for name in self.known if re.fullmatch(pattern, name)]

    def red(self, names):
        """Those of the tests that failed; not run, or left out, is not failed."""
        pattern = "^(" + "|".join(map(re.escape, names)) + ")$"
        started = time.monotonic()
        said, status = self.run("ctest", "--test-dir", "build", "--parallel", str(self.jobs), "-R", pattern,
                                   patience=PATIENCE if len(names) < 20 else None)
        failed = re.findall(r"^\t *\d+ - (\S+) \((?!Not Run|Disabled|Skipped)", said, re.M)
        return failed if status is not None else [*failed, f"hung for {time.monotonic() - started:.0f} s"]


def targets_of(tests):
    targets = set()
    for test in tests:
        for pattern, needed in TARGETS:
            if re.fullmatch(pattern, test):
                targets |= set(needed.replace("FAKES", FAKES).split())
                break
        else:
            targets.add(test.split(".")[0])
    return sorted(targets)


def sabotage(tree, entry, all_tests):
    """The tests that turned red; a line that begins with a capital says why none could."""
    tests = [test for test in tree.known if test not in TEXTUAL] if all_tests else tree.tests(entry.tests)
    if not tests:
        return ["LEFT OUT: none of its tests is here"]
    targets = None if all_tests else entry.targets.split() if entry.targets else targets_of(tests)
    path = tree.path / entry.file
    text = path.read_text()
    try:
        path.write_text(text.replace(entry.old, entry.new))
        if said := tree.build(targets):
            return ["DOES NOT BUILD: " + next((line for line in said.splitlines() if "error" in line.lower()), said[-300:])]
        return tree.red(tests)
    finally:
        path.write_text(text)


def run(options, folder):
    chosen = [entry for entry in SABOTAGES if not options.names or any(
        part in text for part in options.names for text in (entry.name, entry.file, entry.tests))]
    if not chosen:
        sys.exit(f"no sabotage is like {' or '.join(options.names)}")
    tree = Tree(folder, options.jobs)
    tree.copy()
    tree.configure()
    wanted = sorted({test for entry in chosen for test in (tree.known if options.all_tests else tree.tests(entry.tests))} - TEXTUAL)
    if said := tree.build(None if options.all_tests else targets_of(wanted)):
        sys.exit(said)
    if before := tree.red(wanted):
        sys.exit(f"red before any sabotage: {', '.join(before)}")
    unnoticed = []
    for entry in chosen:
        started = time.monotonic()
        red = sabotage(tree, entry, options.all_tests)
        print(f"{entry.name}: {', '.join(red[:4]) or 'UNNOTICED'}{f' and {len(red) - 4} more' if len(red) > 4 else ''} "
              f"({time.monotonic() - started:.0f} s)", flush=True)
        if not red or red[0].startswith("DOES NOT BUILD"):
            unnoticed.append(entry.name)
    if unnoticed:
        sys.exit(f"unnoticed: {', '.join(unnoticed)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tree", type=pathlib.Path)
    parser.add_argument("--all-tests", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if status := check():
        return status
    if options.check:
        return 0
    for stop in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop, lambda number, _: sys.exit(128 + number))
    if options.tree:
        options.tree.mkdir(parents=True, exist_ok=True)
        return run(options, options.tree.resolve())
    with tempfile.TemporaryDirectory() as folder:
        return run(options, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())

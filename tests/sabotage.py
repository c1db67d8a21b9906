#!/usr/bin/env python3
"""Breaks the course on purpose, one line at a time, and sees whether the tests that promise to notice do.

    tests/sabotage.py [NAME …]        (`make sabotage`) these, or all; a part of a name, a file or a test will do
      --workers N                     so many copies of the tree at once (default: half the cores)
      --jobs N                        compilers and tests at a time in each (default: the cores, shared out)
      --again                         those, too, whose result for this very tree is known
      --all-tests                     after each break build everything and run every test: what else turns red?
      --shard I/N                     one of N parts, for several machines
      --tree DIR                      where the copies and results.csv are (default: build-sabotage)
    tests/sabotage.py --check         without building: does each line still stand, is each test there?
      --build DIR                     and is all that DIR's tests call among what is built for them?
    tests/sabotage.py --write-md      without building: results.csv into the table of tests/sabotages.md

One copy of the tree is built and stays whole; for each break a worker copies that, with all that is built, breaks its line,
builds what the tests need, and runs them. What came out is written to results.csv at once; a second call goes on where the
first was stopped. ccache, where it is, makes the first copy cheap. Ends with 1 when a break was not noticed or not made.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import csv
import hashlib
import io
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What must be built for a test, by its name; of the others, the program before the dot.
TARGETS = [
    (r"common\..*", "common_tests"),
    (r"runner\.ranks", "ranks"),
    (r"runner\..*", "runner_tests"),
    (r"golden|command_line", "01_naive"),
    (r"sweeps", "04_openmp"),
    (r"costs", "01_naive 02_loop_order 03_tiling 04_openmp 05_avx2"),
    (r"memory", "01_naive 02_loop_order 05_avx2"),
    (r"house\..*|report\.(tools|charts|plan|recipes|run_steps|reference)", ""),
    (r"report\..*|objects|emulated\..*", "course_programs"),
    (r"00_machine\.peak_loops", "00_machine-sse2-kernels 00_machine-avx2-kernels 00_machine-avx512-kernels 00_machine-exercises"),
    (r"00_machine\.kernels", "kernels_tests"),
    (r"00_machine\.findings", "machine_tests"),
    (r"00_machine\.parts", "machine_parts_tests"),
    (r"(00_machine|emulator|0[789]_\w+)\.exercises", "exercises_tests"),
    (r"01_naive\.exercises", "01_naive_tests"),
    (r"01_naive\.lines.*", "01_naive_lines"),
    (r"02_loop_order\.exercises", "02_loop_order_tests"),
    (r"03_tiling\.exercises", "03_tiling_tests"),
    (r"03_tiling\.orders", "03_tiling_orders"),
    (r"05_avx2\.exercises", "05_avx2_exercises"),
    (r"00_machine\..*", "00_machine"),
    (r"emulator", "emulator_tests"),
    (r"device$", "device 09_cuda_regtile"),
    (r"gpu_options", "07_cuda_global 08_cuda_shared"),
    (r"ptx", ""),
    (r"04_openmp\.bits", "04_openmp_tests"),
    (r"05_avx2\.blocks", "05_avx2_tests"),
    (r"05_avx2\.main", "05_avx2_main"),
    (r"05_avx2\.pack_once", "05_avx2_pack_count"),
    (r"05_avx2\.tile_.*", "05_avx2-kernels"),
    (r"05_avx2\.as_blas", "course_blas"),
    (r"06_mpi\.counts_.", "06_mpi_tests"),
    (r"06_mpi\.fewer_words", "06_mpi_fewer_words"),
    (r"06_mpi\.(memory|duel|duel_refusals)", "06_mpi_memory 06_mpi_duel"),
    (r"09_cuda_regtile\.engines", "regtile_tests"),
    (r"09_cuda_regtile\.choices", ""),
    (r"10_openacc\.adaptor", "10_openacc_tests"),
    (r"10_openacc\.kernels", "10_openacc fake_openacc"),
    (r"rivals\.duel", "duel_tests"),
    (r"rivals\.answers", ""),
    (r"rivals\..*", "meet FAKES"),
]
FAKES = " ".join(f"fake_{fault}" for fault in "transposed crash hang empty outside beside square slow right openblas blis dnnl mkl gpu meet_gpu".split())

# They look at the text itself, and would notice every break.
TEXTUAL = {"house.format", "house.sabotage"}

Sabotage = collections.namedtuple("Sabotage", "name file old new tests targets", defaults=[None])
RESULTS_KEY = "step,variant,type,m,n,k,fill,seed,threads,ranks,grid,block,tile,device,flags,compiler,host,commit"

# Name; file; what stands there, once; what it becomes; which tests must notice, any of them (a pattern for whole names);
# what to build for them, if that is not what their names say. Neighbours share a file: little is built in between.
SABOTAGES = [Sabotage(*entry) for entry in [
    # ---- common: views and memory
    ("view: columns for the leading dimension", "common/view.hpp",
     "COURSE_CHECK(i >= 0 && i < rows_ && j >= 0 && j < cols_);\n    return data_[i * ld_ + j];",
     "return data_[i * cols_ + j];", "common.view"),
    ("view: check off by one", "common/view.hpp", "j < 0 || j >= cols_", "j < 0 || j > cols_", "common.view"),
    ("guards: padding not looked at", "common/matrix.hpp", "i * ld_ + cols_, ld_ - cols_)", "i * ld_ + cols_, 0)", "common.view"),
    ("matrix: not poisoned", "common/matrix.hpp", "view(i, j) = poison<T>();", "(void)j;", "common.view"),
    ("matrix: elements not poisoned at birth", "common/matrix.hpp", "[this](Index i) { poison_part(guard_ + i * ld_, ld_); }",
     "[this, pad](Index i) {\n      std::fill_n(buffer_.get() + guard_ + i * ld_, cols_, T{});\n"
     "      poison_part(guard_ + i * ld_ + cols_, pad);\n    }", "common.view|common.variant"),
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
    ("checker: maximum loses NaN", "common/verify.cpp", "if (std::isnan(most) || value <= most) return false;",
     "if (std::max(most, value) == most) return false;", "common.verify"),
    ("checker: bound ten times wider", "common/verify.cpp", "return 8 * u", "return 80 * u", "common.verify"),
    ("checker: bound from the wrong row", "common/verify.cpp", "static_cast<double>(a_norms(r, 0))",
     "static_cast<double>(a_norms(0, 0))", "common.verify"),
    ("checker: bound from the wrong column", "common/verify.cpp", "static_cast<double>(b_norms(0, s))",
     "static_cast<double>(b_norms(0, 0))", "common.verify"),
    ("checker: last row and column not sampled", "common/verify.cpp", "drawn = {0, count - 1};", "drawn = {0};", "common.verify"),
    ("checker: coverage ignored", "common/verify.cpp", "const bool whole_c = covered(problem_, piece, world);",
     "const bool whole_c = covered(problem_, piece, world) || true;", "common.verify"),
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
    ("Freivalds: fractions pass", "common/verify.cpp", "if (!integers)\n", "if (false)\n",
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
    ("loop: guards ignored", "runner/row.cpp", "if (!complaint.empty()) check.right = false,", "if (false) check.right = false,",
     "runner.run"),
    ("loop: guards of the inputs ignored", "runner/row.cpp", "bool intact = variant_.guards_intact() && problem.guards_intact();",
     "bool intact = variant_.guards_intact();", "runner.run"),
    ("loop: guards in the run on digits ignored", "runner/row.cpp",
     "intact &= variant_.guards_intact() && digits.guards_intact();", "(void)intact;", "runner.run"),
    ("loop: Freivalds' verdict ignored", "runner/row.cpp", "check.right &= second.right;", "", "runner.run"),
    ("loop: baseline left out", "runner/row.cpp", "if ((traits_.baseline && !session_.step.is_level) || ", "if (", "runner.run"),
    ("loop: resumed wrong rows forgiven", "runner/row.cpp", 'answer = verdict == "wrong" ? wrong : done ? yes : no;', "answer = done ? yes : no;", "runner.run"),
    ("quiet: no run is disturbed", "runner/row.cpp", "return missing > 1 - enough_served;", "return missing > 2;", "runner.run"),
    ("ranks: each has its own disturbances", "runner/row.cpp", "    world_.max({&missing, 1});\n", "", "runner.run"),
    ("quiet: short runs are judged, too", "runner/row.cpp", " &&\n                      lasted >= clock_tells;", ";", "runner.run"),
    ("quiet: disturbed runs count", "runner/row.cpp", "summarise(good.times.empty() ? all.times : good.times)", "summarise(all.times)", "runner.run"),
    ("quiet: a disturbed row is done", "runner/row.cpp", '!options_.quiet || quiet == "yes"', "!options_.quiet || !quiet.empty()", "runner.run"),
    ("quiet: a row that nobody asked about is done", "runner/row.cpp", '!options_.quiet || quiet == "yes"', '!options_.quiet || quiet != "no"',
     "runner.run"),
    ("quiet: a worse row takes a disturbed one's place", "runner/row.cpp", "disturbed_s_ <= *record_.median_s", "disturbed_s_ < 0", "runner.run"),
    ("quiet: one budget", "runner/row.cpp", "within(all, 3)", "within(all, 1)", "runner.run"),
    ("quiet: one good run is enough", "runner/row.cpp", "std::min(3, options_.repeat)", "1", "runner.run"),
    ("quiet: a long run never suffices", "runner/row.cpp", "good.spent >= options_.budget;", "false;", "runner.run"),
    ("quiet: a GPU's rows need the processor", "runner/row.cpp", "told = variant_.device().empty() && ", "told = ", "runner.run"),
    ("quiet: a crowd of threads must end together", "runner/row.cpp", " && settings_.threads * world_.size() <= usable_cpus() &&", " &&", "runner.run"),
    ("quiet: nobody is told", "runner/run.cpp", "if (session.disturbed > 0)", "if (session.disturbed > 9)", "runner.run|command_line"),
    ("quiet: not marked on the terminal", "runner/record.cpp", '(r.quiet == "no" ? "~" : "")', '(r.quiet == "no" ? "" : "")', "command_line"),
    ("loop: rows keep their memory", "runner/row.cpp", "~Row() { variant_.release(); }", "~Row() {}", "runner.run"),
    ("ranks: a rank that will not is alone", "runner/row.cpp", "if (why = world_.first(why); !why.empty()) {", "if (!why.empty()) {",
     "runner.run"),
    ("ranks: a rank without memory is alone", "runner/row.cpp", "if (why = world_.first(why); why == no_memory) throw",
     "if (why == no_memory) throw", "runner.run"),
    ("ranks: each has its own times", "runner/session.cpp", "if (most >= 0) times.*part = most;",
     "if (most < -1) times.*part = most;", "runner.run"),
    ("ranks: each decides on what is resumed", "runner/row.cpp", "const std::uint64_t known = world_.root(answer);",
     "const std::uint64_t known = answer;", "runner.run"),

    ("runner: one variant's rate estimates the others", "runner/row.cpp", "r.type, r.variant, settings.threads", "r.type, r.step, settings.threads",
     "runner.run"),
    ("runner: a row of threads has one thread's peak", "runner/row.cpp", "settings_.threads * world_.size(), vector)",
     "world_.size(), vector)", "runner.run"),
    ("runner: every row has the same numbers", "runner/run.cpp", "options.fill, options.seed,", "options.fill, Problem<T>().seed,", "runner.run"),
    ("runner: memory that runs out is a wrong result", "runner/session.cpp", "    if (why == no_memory) throw;\n", "", "runner.run"),
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
    ("machine: every feature is believed", "runner/machine.cpp", "__builtin_cpu_supports(#feature) ? #feature : \"\"",
     "#feature", r"emulated\.(Nehalem|Haswell)"),
    ("machine: unknown features are believed", "runner/machine.cpp", "if (!feature.empty() && !among(",
     "if (feature.empty() && !among(", "runner.run"),

    ("memory: limits of the groups above", "runner/machine.cpp", "if (group.empty()) break;", "break;", "memory"),
    # ---- runner: records and tables
    ("loop: median is the first", "runner/text.hpp", "  std::sort(values.begin(), values.end());\n", "", "runner.text|runner.record"),
    *[(f"csv: key without {column}", "runner/results.columns", f'{{"{column}", key}}', f'{{"{column}"}}', "runner.table")
      for column in RESULTS_KEY.split(",")],
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

    ("table: the cells of a key run together", "runner/table.cpp", 'key += plain(cell(row, column)) + ",";',
     "key += plain(cell(row, column));", "runner.run|runner.table"),
    ("record: the mean for the median", "runner/record.cpp", "best_s, median_s, mean_s,", "best_s, mean_s, median_s,", "runner.record"),
    # ---- runner: predictions and costs
    ("prediction: the chain does not count", "runner/prediction.cpp", "if (cost.chain > 0) takes(", "if (cost.chain > 1e300) takes(",
     "runner.prediction"),
    ("prediction: a level that just holds it has lost it", "runner/prediction.cpp", "reuse.distance > holds",
     "reuse.distance >= holds", "runner.prediction"),
    ("prediction: a chain of multiply-adds is charged additions", "runner/prediction.cpp", "cost.fused ?", "false ?", "runner.prediction"),
    ("avx2: dot's chain is of additions", "05_avx2/cost.hpp", "cost.fused = std::is_floating_point_v<T>", "cost.fused = false", "runner.cost"),
    ("00: one thread streams from the third level what all together do", "00_machine/roof.cpp", "std::max(all, static_cast<double>(machine.cpus.size()))",
     "all", "00_machine.rows"),
    ("prediction: threads do not share", "runner/prediction.cpp", "latency->second / std::min(threads, cores)",
     "latency->second / std::min(1, cores)", "runner.prediction"),
    ("prediction: chains run on cores that are not there", "runner/prediction.cpp", "const int cores = rates_.at(", "const int cores = 99 + rates_.at(", "runner.prediction"),
    ("prediction: one thread is held to what all reached", "runner/prediction.cpp", "above->first == threads) return above->second;",
     "above->first == threads)\n    return std::min(above->second, found->second.rbegin()->second);", "runner.prediction"),
    ("cost: ikj does not read B again", "runner/cost.hpp", "cost.reuses.push_back({e.size * e.madds, e.b});", "", "runner.cost"),
    ("cost: tiles read B as often as without", "03_tiling/cost.hpp", "{e.size * e.madds / m, e.b});                     // B, for",
     "{e.size * e.madds, e.b});  // B, for", "runner.cost"),

    # ---- the steps
    ("lines: a count that four do not divide is walked", "01_naive/lines.cpp", "&& lines % 4 == 0", "&& lines % 4 >= 0", "01_naive.lines_asked"),
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
    # (noinline alone lets g++ make clones that the linker does not see.)
    ("build: a template leaves the object", "common/view.hpp", "[[gnu::always_inline]] constexpr", "[[gnu::noipa]] constexpr",
     "objects", "02_loop_order-kernels"),
    ("build: kernels and common share flags", "cmake/course.cmake",
     "target_compile_options(${program}-kernels PRIVATE ${course_kernel_flags} ${options})",
     "target_compile_options(${program}-kernels PRIVATE ${options})\n  target_link_options(${program} PRIVATE ${options})",
     "objects", "01_naive-Ofast"),
    ("tiles: the last column of tiles is taken whole", "03_tiling/gemm.cpp", "n = least(tile, c.cols() - j);\n        ikj(",
     "n = tile;\n        ikj(", "03_tiling.(random|edges)"),
    ("tiles: what is left of k is lost", "03_tiling/gemm.cpp", "c.block(0, 0, m, n));\n  ikj<T>(a.block(m",
     "c.block(0, 0, 0, n));\n  ikj<T>(a.block(m", "03_tiling.random"),
    ("tiles: in the order kij C stays at its first row", "03_tiling/gemm_orders.cpp", "{&c(i, j), 0, c.ld()}", "{&c(i, j), 0, 0}",
     "03_tiling_orders.right"),
    ("tiles: the two orders are no longer one machine code", "03_tiling/gemm_orders.cpp", "[[gnu::noinline, gnu::noclone]] ", "",
     "03_tiling.orders", "03_tiling_orders"),
    ("openmp: one row too few", "04_openmp/gemm.cpp",
     "View<T> c, int threads) {\n  const Index m = c.rows(), n = c.cols(), k = a.cols();\n#pragma omp parallel for num_threads",
     "View<T> c, int threads) {\n  const Index m = c.rows() - 1, n = c.cols(), k = a.cols();\n#pragma omp parallel for num_threads",
     "04_openmp.random"),
    ("openmp: tiles of k shared out, too", "04_openmp/gemm.cpp",
     "collapse(2) num_threads(threads) schedule(static)\n  for (Index i = 0; i < rows; i += tile)\n"
     "    for (Index j = 0; j < cols; j += tile)\n      for (Index p = 0; p < a.cols()",
     "collapse(2) num_threads(threads) schedule(static)\n  for (Index i = 0; i < rows; i += tile)\n"
     "    for (Index j = 0; j < cols; j += tile)\n      for (Index p = 1; p < a.cols()", "04_openmp.random"),
    ("openmp: the last strip is forgotten", "04_openmp/gemm_shares.cpp",
     "schedule(dynamic, 1)\n  for (Index s = 0; s < strips; ++s)", "schedule(dynamic, 1)\n  for (Index s = 0; s < strips - 1; ++s)",
     "04_openmp.random"),
    ("openmp: the last columns of C are taken for half a line", "04_openmp/gemm_shares.cpp",
     "const Index n = c.cols() - first < half<T> ? c.cols() - first : half<T>;", "const Index n = half<T>;", "04_openmp.random"),
    ("openmp: the sums may stay in registers", "04_openmp/gemm_shares.cpp", "volatile T* const sum", "T* const sum", "04_openmp.stores",
     "04_openmp"),
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
    ("avx2: the tile's sums on the stack", "05_avx2/gemm_tile.cpp", "#pragma GCC unroll 8\n    for (int i = 0; i < mr; ++i) {\n      const",
     "#pragma GCC unroll 1\n    for (int i = 0; i < mr; ++i) {\n      const", "05_avx2.tile_textbook"),
    ("avx2: the columns right of the tiles", "05_avx2/gemm_tile.cpp", "Index j = i < m ? n : 0;", "Index j = i < m ? n + c.cols() : 0;",
     "05_avx2.blocks"),
    ("avx2: a row that A does not have is packed", "05_avx2/gemm_tile.cpp", "i < a.rows() ? a(i, p) : T{0}", "a(i, p)", "05_avx2.blocks"),
    ("avx2: a cut tile is written whole", "05_avx2/gemm_tile.cpp", "i < rows; ++i)\n          for (Index j = 0; j < cols;",
     "i < mr; ++i)\n          for (Index j = 0; j < nr<T>;", "05_avx2.blocks"),
    ("avx2: room for less than B's block", "05_avx2/gemm_tile.cpp", "b_space.of<T>(kc * nc)", "b_space.of<T>(kc * nc / 2)", "05_avx2.blocks"),
    ("avx2: rows packed twice", "05_avx2/pack.hpp", "for (Index i = 0; i < a.rows(); ++i) copy_row<typename Tile::V>(&a(i, 0)",
     "for (Index i = 0; i < a.rows(); ++i) copy_row<typename Tile::V>(&a(i, 0), 1, &to(i, 0)), copy_row<typename Tile::V>(&a(i, 0)", "05_avx2.pack_once"),
    ("avx2: BLAS: any rung's name will do", "05_avx2/as_blas.cpp", 'if (rung != "avx512" && rung != "tuned" && rung != "packed")', 'if (rung == "nothing")', "05_avx2.as_blas"),
    ("avx2: BLAS: alpha is not looked at", "05_avx2/as_blas.cpp", "alpha != T{1} || ", "alpha == T{99} || ", "05_avx2.as_blas"),
    ("mpi: the remainder of the last rank", "06_mpi/layout.hpp", "return {from, rows * (r + 1) / ranks - from};", "return {from, rows / ranks};",
     "06_mpi.ranks_3"),
    ("mpi: the last block is not short", "06_mpi/layout.hpp", "return b + 1 < blocks() ? block : extent - b * block;", "return (void)b, block;",
     "06_mpi.counts_1"),
    ("mpi: rows of a message lie side by side", "06_mpi/messages.hpp", "static_cast<MPI_Aint>(rows.ld())", "static_cast<MPI_Aint>(rows.cols())",
     "06_mpi.ranks_2"),
    ("mpi: datatypes are not freed", "06_mpi/messages.hpp", "if (made_ != MPI_DATATYPE_NULL) MPI_Type_free(&made_);", "", "06_mpi.counts_1"),
    ("mpi: a row 2^31 bytes away", "06_mpi/block_cyclic.hpp", "matrix.ld() * Index{sizeof(T)});",
     "matrix.ld() * Index{sizeof(T)} & 0x7fffffff);", "06_mpi.counts_1"),
    ("mpi: the next panel in the room of the present one", "06_mpi/summa.hpp", "room_a[s % 2]", "room_a[0]", "06_mpi.ranks_3"),
    ("mpi: a ring's last messages are not waited for", "06_mpi/summa_ring.hpp", "  MPI_Waitall(4, flying, MPI_STATUSES_IGNORE);\n}", "}",
     "06_mpi.counts_4"),
    ("mpi: a ring's next panel in the room of the present one", "06_mpi/summa_ring.hpp", "panels.room_a[t % 2]", "panels.room_a[0]",
     "06_mpi.ranks_3"),
    ("mpi: nobody looks after the messages", "06_mpi/summa.hpp", "    MPI_Testall(messages, flying, &arrived, MPI_STATUSES_IGNORE);",
     "    (void)flying;", "06_mpi.counts_4"),
    ("mpi: slices go on though all is there", "06_mpi/summa.hpp", "if (arrived || slice", "if (slice", "06_mpi.counts_4"),
    ("mpi: a broadcast counts at its root, too", "06_mpi/words.cpp", "return rank_in(ranks) == root ? 0 : bytes_of(count, type);",
     "return (void)root, (void)ranks, bytes_of(count, type);", "06_mpi.counts_4"),
    ("mpi: a message to oneself counts", "06_mpi/words.cpp", "status.MPI_SOURCE == me ? 0 :", "status.MPI_SOURCE == me - 1000 ? 0 :",
     "06_mpi.counts_4"),
    ("mpi: a broadcast that nobody counts", "06_mpi/words.cpp", "by_status ? message(status, me) : bytes;", "by_status ? message(status, me) : 0 * bytes;",
     "06_mpi.counts_4"),
    ("mpi: a receive without a wrapper", "06_mpi/words.cpp", "int MPI_Irecv(", "int not_MPI_Irecv(", "06_mpi.wrapped"),
    ("mpi: no broadcast is left out", "06_mpi/CMakeLists.txt", "&& ++calls > 1)", "&& ++calls > 0)", "06_mpi.fewer_words"),
    ("mpi: more room for panels than said", "06_mpi/variants.hpp", "room_a_[turn] = Matrix<T>(depth,", "room_a_[turn] = Matrix<T>(2 * depth,",
     "06_mpi.memory"),
    ("mpi: room for panels is not said", "06_mpi/variants.hpp", "own_a + 2 * depth)", "own_a)", "06_mpi.memory"),
    ("mpi: C of the product before", "06_mpi/variants.hpp", "course::copy(shared_.all_c.block(0, 0, mine, n), shared_.c);", "(void)mine, (void)n;",
     "06_mpi.large_blocks_1"),
    ("mpi: a grid of other ranks", "runner/options.cpp", "if (p * q == ranks) return", "if (p * q > 0) return", "06_mpi.refusals"),
    ("mpi: a broken variant that is right", "06_mpi/broken.hpp", "size, of - 1).from", "size, of).from", "06_mpi.broken_3"),
    ("mpi: ScaLAPACK's ranks in another order", "06_mpi/scalapack.hpp", '"Column"', '"Row"', "06_mpi.duel"),

    ("avx2: BLAS: A's rows lie side by side", "05_avx2/as_blas.cpp", "{a, m, k, lda}", "{a, m, k, k}", "05_avx2.as_blas"),
    ("avx2: a room for all threads", "05_avx2/gemm_tile.cpp", "static thread_local Space a_space", "static Space a_space", "05_avx2.blocks"),
    ("openmp: a thread too few", "04_openmp/gemm.cpp", "parallel for num_threads(threads)", "parallel for num_threads(threads - 1)",
     "04_openmp.bits"),
    ("mpi: all slices go to the first columns", "06_mpi/summa.hpp", "c.block(0, j, c.rows(), slice)", "c.block(0, 0, c.rows(), slice)",
     "06_mpi.counts_4"),
    ("mpi: duel: a wrong product is right", "06_mpi/duel.cpp", "right &= is_right(", "right |= is_right(", "06_mpi.duel_refusals"),
    # ---- ours against the libraries
    ("rivals: products not verified at the shape that is timed", "rivals/meeting.cpp", "if (inside && check.right)", "if (inside)",
     "rivals.wrong"),
    ("rivals: guards of a library ignored", "rivals/meeting.cpp", "problem.guards_intact() && variant.guards_intact();", "true;",
     "rivals.wrong"),
    ("rivals: rows measured again", "rivals/meeting.cpp", "options.resume && meeting.table.find(empty) != nullptr", "options.resume && meeting.rows > 99",
     "rivals.resume"),
    ("rivals: libraries outlive the program", "rivals/starter.hpp", "  prctl(PR_SET_PDEATHSIG, SIGKILL);", "", "rivals.interrupt"),
    ("rivals: a library's process does not see that it came too late", "rivals/starter.hpp", "std::atoi(starter) != getppid()", "false",
     "rivals.interrupt"),
    ("rivals: an empty product is timed", "rivals/meet.cpp", "if (s.flops() == 0) throw", "if (s.flops() < 0) throw", "rivals.refusals"),
    ("rivals: what multiplies nothing is a library", "rivals/library.cpp", "if (!variant<float>() && !variant<double>())", "if (file.empty())",
     "rivals.refusals"),
    ("rivals: products not verified where nothing divides", "rivals/rivals.py", "        if types and (key :=", "        if not types and (key :=", "rivals.wrong|rivals.alone"),
    ("rivals: a wrong library forgiven", "rivals/rivals.py", "            self.wrong |= status == 1\n", "", "rivals.wrong"),
    ("rivals: a crash not named", "rivals/rivals.py", "    if done.returncode < 0:\n        raise", "    if done.returncode < -99:\n        raise", "rivals.failing"),
    ("rivals: no limit for a library", "rivals/rivals.py", "limit=10 + limit,", "limit=1000 + limit,", "rivals.failing"),
    ("rivals: dear shapes first", "rivals/rivals.py", "in sorted((2 * math.prod", "in sorted((-2 * math.prod", "rivals.rows"),
    ("rivals: another machine's settings taken", "rivals/rivals.py", 'if cells["name"] == "processor" and', 'if cells["name"] == "nothing" and',
     "rivals.settings|rivals.alone"),
    ("rivals: settings looked for again", "rivals/rivals.py", "known.get(name) in (None, *NARROW):", "name in known:", "rivals.resume"),
    ("rivals: nobody meets the libraries kept to AVX2", "rivals/rivals.py", ' or rung == "tuned" and setting.label in NARROW', "",
     "rivals.answers"),
    ("rivals: squares alone by default", "rivals/rivals.py", "    options.shaped = options.size is not None or options.shape is not None\n",
     "    options.shaped = True\n", "rivals.defaults"),
    ("rivals: the best setting not said", "rivals/rivals.py", 'why = "as chosen and best" if', 'why = "as chosen" if', "rivals.alone"),
    ("rivals: a setting not set", "rivals/rivals.py", "    return setting.environment | counts", "    return counts", "rivals.environment"),
    ("rivals: libraries are bound as we are", "rivals/rivals.py", 'if not name.startswith(("OMP_", "GOMP_"))', "", "rivals.environment"),
    ("rivals: a library that cannot be loaded accepted", "rivals/rivals.py", '        if kind == "blas":\n            raise', '        if kind == "nothing":\n            raise',
     "rivals.refusals"),
    ("machine: more threads than there are accepted", "runner/machine.cpp", "    if (threads > usable_cpus())", "    if (threads > usable_cpus() + 99999)",
     "rivals.refusals|00_machine.refusals"),
    ("tools: a torn line is appended to", "tools/measured.py", 'whole = text.rfind(b"\\n") + 1', "whole = len(text)", "rivals.alone"),
    ("rivals: the ratio upside down", "rivals/duel.cpp", "pair.theirs / pair.ours", "pair.ours / pair.theirs", "rivals.duel"),
    ("rivals: a ratio of medians", "rivals/duel.cpp", "return {course::median(ratios)",
     "return {course::median(theirs) / course::median(ours)", "rivals.duel"),
    ("rivals: ours always first", "rivals/duel.cpp",
     "if (pair % 2 == 0) times.ours = we.sample();\n    times.theirs = they.sample();\n    if (pair % 2 != 0) times.ours = we.sample();",
     "times.ours = we.sample();\n    times.theirs = they.sample();", "rivals.duel"),
    ("rivals: fewer pairs than asked for", "rivals/duel.cpp", "pair < rules.pairs ||", "pair < 1 ||", "rivals.duel"),
    ("rivals: a short product alone in its sample", "rivals/duel.cpp", "runs_ = std::max(", "runs_ = std::min(", "rivals.duel"),
    ("rivals: C not reset", "rivals/duel.cpp", "if (pair % rules.between_reset == 0) reset();", "if (pair < 0) reset();", "rivals.duel"),

    ("rivals: ours is not verified", "rivals/meeting.cpp", "std::pair(meeting.ours.name, we)", "std::pair(meeting.ours.name, they)",
     "rivals.wrong"),
    # ---- what the machine can do
    ("machine: rows measured again", "00_machine/sheet.cpp", "resume_ && file_.find(cells(row)) != nullptr;",
     "resume_ && row.name.empty();", "00_machine.resume"),
    ("machine: another processor's file extended", "00_machine/sheet.cpp", 'file_.cell(*row, "name") == "processor" &&',
     'file_.cell(*row, "name") == "nothing" &&', "00_machine.resume"),
    ("machine: a disturbed roof says nothing", "00_machine/measure.cpp", "if (share >= 0.97) return {};", "if (share >= 0) return {};",
     "00_machine.disturbed"),
    ("machine: no multiply-add in avx2", "00_machine/CMakeLists.txt", "-mavx2 -mfma -ffp-contract=fast",
     "-mavx2 -mfma -ffp-contract=off", "00_machine.peak_loops"),
    ("machine: sums in memory", "00_machine/peak.hpp", "#pragma GCC unroll 32\n    for", "    for", "00_machine.peak_loops"),
    ("machine: a vector set's object shows its functions", "00_machine/peak_avx2.cpp", "namespace {\n\nusing machine::Index;",
     "using machine::Index;\n\nnamespace {}\ninline namespace shown {", "objects", "00_machine-avx2-kernels"),
    # child.cpp, libraries.cpp and inputs.hpp are 05's as well, whose program is built faster.

    # ---- the report, its tools and the notes
    ("report: a failing step passes", "Makefile.report", "exit 1; fi", "exit 0; fi", "report.failing_step"),
    ("report: starts anew", "tools/planned.py", '"results.csv"), "--resume", "--quiet"]', '"results.csv"), "--quiet"]',
     "report.interrupted|report.plan"),
    ("report: not in quiet moments", "tools/planned.py", '"results.csv"), "--resume", "--quiet"]', '"results.csv"), "--resume"]',
     "report.plan|report.run_steps"),
    ("report: threads that wait are idle", "tools/run_steps.py", 'BOUND if "--threads" in command else ACTIVE', 'BOUND if "--threads" in command else {}', "report.run_steps"),
    ("report: disturbed rows are not marked", "tools/measured.py", '"~" * any(row.quiet == "no"', '"~" * any(row.quiet == "?"', "report.tools"),
    ("report: nobody is told of disturbed rows", "tools/report.py", 'sum(row.quiet == "no" for', 'sum(row.quiet == "?" for', "report.tools"),
    ("notes: a disturbed figure is as good as any", "tools/notes.py", 'row.get("quiet") == "no"', 'row.get("quiet") == "?"', "house.notes_tool"),
    ("reference: a failure passes", "tools/reference.py", "file=sys.stderr) or 1)", "file=sys.stderr) or 0)", "report.reference"),
    ("reference: without --quiet", "tools/reference.py", 'machine, "--quiet"]', "machine]", "report.reference"),
    ("report: a wrong result passes", "tools/run_steps.py", "WELL = (0, 77)", "WELL = (0, 1, 77)",
     "report.failing_step|report.run_steps"),
    ("report: Ctrl-C ends one program only", "tools/run_steps.py", "                    sys.exit(status)\n",
     "                    break\n", "report.run_steps"),
    ("report: Ctrl-C is not passed on", "tools/run_steps.py", "process.send_signal(Signals.pending)", "process.kill()",
     "report.run_steps"),
    ("report: no baseline where STEPS leaves it out", "tools/planned.py", " or program.name == BASELINE[0]]", "]",
     "report.run_steps"),
    ("report: ranks without mpirun", "tools/planned.py", '["mpirun", "-n", ranks] if', "[] if", "report.run_steps"),
    ("report: wrong results not named", "tools/page.html.jinja", "{% if failed or wrong %}", "{% if failed %}", "report.tools"),
    ("report: text of a CSV is HTML", "tools/report.py", "autoescape=True", "autoescape=False", "report.tools"),
    ("report: no page where touched_by_one is alone", "tools/roofline_charts.py", ' if row.variant != "touched_by_one"] or rows',
     ' if row.variant != "touched_by_one"]', "report.tools"),
    ("report: no page without ijk", "tools/charts.py", "variant=BASELINE[1]) or top", "variant=BASELINE[1])", "report.tools"),
    ("report: no page where nothing is ranked", "tools/report.py", "bars[0].row.type if shown else", "bars[0].row.type if True else",
     "report.tools"),
    ("report: the charts after the tables", "tools/page.html.jinja", '{{ figures(machine.wide[:1]) }}\n', "",
     "report.tools"),
    ("report: nobody is told why a share is above 100 %", "tools/ladder.py", "ladder.scale() > 1 or", "False and ladder.scale() > 1 or", "report.tools"),
    ("report: a roofline's marks hide one another", "tools/roofline_charts.py", "0.025 * hidden", "0 * hidden", "report.tools"),
    ("charts: other numbers of threads in the headline", "tools/charts.py", "and workers(row) == (most if several else 1)]", "]",
     "report.tools"),
    ("charts: a line of several numbers of threads", "tools/charts.py", "if (row.threads, row.ranks) == (top.threads, top.ranks)]", "]",
     "report.tools"),
    ("charts: the slowest line is the boldest", "tools/charts.py", '["bold"] = max(', '["bold"] = min(', "report.tools"),
    ("charts: the plain build's tiles", "tools/charts.py", 'f"{number}-native" if f"{number}-native" in builds', 'f"{number}-native" if not builds',
     "report.tools"),
    ("charts: the orders from zero", "tools/charts.py", "    chart.settings |= log_axis(min(rates) / 5, 1.6 * max(rates))", "    #", "report.tools"),
    ("charts: a hundredth lies on the floor", "tools/drawing.py", "high >= 100 * low else", "high >= 1000 * low else", "report.tools"),
    ("charts: a disturbed point is full", "plots/style.gp", "for [i = 0:hollow*count-1] data index i using 1:($5", "for [i = 0:-1] data index i using 1:($5",
     "report.tools"),
    ("charts: nobody says what is hollow", "tools/drawing.py", '" * self.hollow()]', '" * 0]', "report.tools"),
    ("charts: you are at the first rung", "tools/roofline_charts.py", '* (row is rungs[-1])', '* (row is rungs[0])', "report.tools"),
    ("charts: later rungs under the roof", "tools/roofline_charts.py", "number(row) < number(this)]", "number(row) <= number(this)]", "report.tools"),
    ("charts: more threads than cores under the roof", "tools/roofline_charts.py", "row.n == n and row.threads <= cores_of(results)]", "row.n == n]",
     "report.tools"),
    ("charts: names lie on the roofs", "tools/roofline_charts.py", "and abs(spot[1] - up) < reach for", "and abs(spot[1] - up) < 0 for", "report.charts"),
    ("report: other tiles", "Makefile.report", "TILES ?= 16 64 256", "TILES ?= 16 64", "report.plan"),
    ("report: the worst is the best", "tools/standing.py", "worst = min(best", "worst = max(best", "report.tools"),
    ("rivals: the table of the slowest library", "tools/standing.py", "if duel.shape() == shape), key=lambda duel: duel.ratio)",
     "if duel.shape() == shape), key=lambda duel: -duel.ratio)", "report.tools"),
    ("rivals: missed cells not marked", "tools/standing.py", '"!" * (duel.ratio < TARGET)', '"!" * (duel.ratio < 0)', "report.tools"),
    ("rivals: lines join squares and others", "tools/standing.py", "if at >= squares:", "if at < 0:", "report.tools"),
    ("rivals: lines join shapes", "tools/standing.py", "if at >= squares:", "if at == squares:", "report.tools"),
    ("notes: code changed", "02_loop_order/gemm.cpp", "for (Index p = 0; p < a.cols(); ++p) {\n      const T factor = a(i, p);",
     "for (Index p = 0; p < a.cols(); ++p) {\n      const T scale = a(i, p), factor = scale;", "house.notes"),
    ("report: an emulator's rows are ranked", "tools/measured.py", "row.sound and not row.rehearsed and row.median and", "row.sound and row.median and",
     "report.tools"),
    ("report: a GPU's share of the processor's peak", "tools/measured.py",
     'self.gpu.highest("peak", type=row.type) if row.gpu else self.roof(', "self.roof(", "report.tools"),
    ("report: a GPU's phases side by side", "tools/drawing.py", "append([place, end, end + time])", "append([place, 0, time])", "report.tools"),
    ("report: the reference's charts take this machine's names", "tools/charts.py", 'file_name(f"reference_{chart.name}", taken)', "file_name(chart.name, taken)",
     "report.tools"),
    ("report: a GPU has the processor's sizes", "tools/planned.py", "given.gpu_sizes if gpu else given.sizes", "given.sizes", "report.run_steps"),
    # ---- GPUs and the emulator
    ("emulator: shared memory not poisoned", "emulator/emulator.cpp", "for (const auto& poison : shared_memory) poison();", "", "emulator"),
    ("emulator: two barriers taken for one", "emulator/emulator.cpp", "thread.barrier().number != first->barrier().number", "thread.state() == Thread::running", "emulator"),
    ("emulator: the seed ignored", "emulator/emulator.cpp", "element_hash(seed_ + last,", "element_hash(1 + last,", "emulator"),
    ("emulator: reversed is forward", "emulator/emulator.cpp", "if (order_ == \"reversed\") std::reverse", "if (false) std::reverse", "emulator"),
    ("emulator: a tile's bound off by one", "emulator/emulator.hpp", "j >= cols) emulator::outside", "j > cols) emulator::outside", "emulator"),
    ("emulator: a launch that waits for itself", "emulator/emulator.cpp", "queue.push_back({grid, block, std::move(thread)});",
     "queue.push_back({grid, block, std::move(thread)});\n  synchronize();", "emulator|08_cuda_shared.every_seed"),
    ("gpu: other blocks than asked for", "gpu/variant.hpp", "block != settings_.block)", "false)", "07_cuda_global.every_seed"),
    ("gpu: a clock that stopped too early", "gpu/variant.hpp", "if (Platform::pending()) complaint_", "if (false) complaint_", "08_cuda_shared.every_seed"),
    ("gpu: copies not verified", "gpu/variant.hpp", "if (settings_.verify_copies)", "if (false)", "emulator"),
    ("gpu: C's guards not looked at", "gpu/variant.hpp", "before_.guards_intact() && c_.guards_intact()", "before_.guards_intact() && true", "emulator"),
    ("gpu: memory not asked for", "runner/run.cpp", "needed > free)", "needed < 0)", "runner.run"),
    ("07: the second launch goes on in the wrong place", "07_cuda_global/gemm.cuh", "b.block(0, j, b.rows(), n)", "b.block(0, 0, b.rows(), n)",
     "07_cuda_global.many_blocks"),
    ("08: the second launch goes on in the wrong place", "08_cuda_shared/gemm.cuh", "a.block(i, 0, m, a.cols())", "a.block(0, 0, m, a.cols())",
     "08_cuda_shared.many_blocks"),
    ("09: the second launch goes on in the wrong place", "09_cuda_regtile/gemm.cuh", "launch(kernel, grid, block, a.block(i, 0, m, a.cols())",
     "launch(kernel, grid, block, a.block(0, 0, m, a.cols())", "09_cuda_regtile.many_blocks"),
    ("00: a level that is not there is measured", "00_machine/roof.cpp", "if (bytes == 0) return;", "if (bytes == 1) return;", "00_machine.no_third"),
    ("table: half a header stays on a full disk", "runner/table.cpp", "written <= 0 || before < 0 ||", "written <= 0 || before <= 0 ||", "runner.table"),
    ("gpu: blocks of too many threads", "runner/options.cpp", "if (x * y > 1024)", "if (x * y > 2048)", "gpu_options"),
    ("gpu: any tile", "runner/options.cpp", "if (!choices.empty()) one_of(", "if (false) one_of(", "gpu_options"),
    ("07: a bound missing", "07_cuda_global/gemm.cuh", "if (i >= c.rows() || j >= c.cols()) return;  // the last", "if (i >= c.rows()) return;  // the last",
     "07_cuda_global.emulated_forward"),
    ("07: not unrolled", "07_cuda_global/gemm.cuh", "const int k = int(a.cols());\n#pragma unroll 8\n", "const int k = int(a.cols());\n", "ptx"),
    ("07: blocks rounded down", "07_cuda_global/gemm.cuh", "const Grid grid{course::ceil_div(c.cols(), block.x)", "const Grid grid{c.cols() / block.x",
     "07_cuda_global.emulated_forward"),
    ("08: no second barrier", "08_cuda_shared/gemm.cuh", "__syncthreads();  // nobody writes before all have read", "", "08_cuda_shared.emulated_reversed|ptx"),
    ("09: nothing is added beyond the last row", "09_cuda_regtile/gemm.cuh",
     "if (i0 + row + r < c.rows() && j0 + col + s < c.cols()) c(i0 + row + r, j0 + col + s) += sum[r][s];\n}\n// [/square]",
     "if (j0 + col + s < c.cols()) c(i0 + row + r, j0 + col + s) += sum[r][s];\n}\n// [/square]", "09_cuda_regtile.emulated_forward"),
    ("09: rows of B beyond k", "09_cuda_regtile/async.cuh", "l * S::b_rows + b_q < feed.left && e", "l * S::b_rows + b_q <= feed.left && e",
     "09_cuda_regtile.engines"),
    ("09: columns of A beyond k", "09_cuda_regtile/async.cuh", "a_q + e < feed.left ? feed.a[l][e] : 0", "a_q + e <= feed.left ? feed.a[l][e] : 0",
     "09_cuda_regtile.engines"),
    ("09: whole steps of k only", "09_cuda_regtile/async.cuh", "int((a.cols() + S::BK - 1) / S::BK), tiles, sum", "int(a.cols() / S::BK), tiles, sum",
     "09_cuda_regtile.engines"),
    ("09: nobody waits for the tiles", "09_cuda_regtile/async.cuh", "  wait_for_copies();\n  __syncthreads();\n", "  wait_for_copies();\n",
     "09_cuda_regtile.engines"),
    ("09: nobody waits for the copies", "09_cuda_regtile/async.cuh", "  wait_for_copies();\n  __syncthreads();\n", "  __syncthreads();\n",
     "09_cuda_regtile.engines"),
    ("09: copies are not committed", "09_cuda_regtile/async.cuh", "  end_of_copies();\n#pragma", "#pragma", "09_cuda_regtile.engines"),
    ("09: the last copies begin where the columns end", "09_cuda_regtile/async.cuh", "j = b.cols() / S::W * S::W - S::W;", "j = b.cols() - S::W;",
     "09_cuda_regtile.emulated_padded"),
    ("emulator: threads that have not begun stay on their stacks", "emulator/emulator.cpp", "if (state_ != done) resume();",
     "if (state_ == waiting) resume();", "emulator"),
    ("09: slices hurry", "09_cuda_regtile/async.cuh", "+= theirs[e];\n      }\n    __syncthreads();\n", "+= theirs[e];\n      }\n",
     "09_cuda_regtile.engines"),
    ("09: the last part alone", "09_cuda_regtile/async.cuh", "sum[r][s] += theirs[s];", "sum[r][s] = theirs[s];", "09_cuda_regtile.engines"),
    ("09: a piece of k too long", "09_cuda_regtile/gemm.cuh", "std::min(most, a.cols() - p)", "most", "09_cuda_regtile.engines"),
    ("09: an empty product is divided", "09_cuda_regtile/gemm.cuh", "for (Index p = 0; p < a.cols(); p += most) {",
     "for (Index p = 0; p <= a.cols(); p += most) {", "09_cuda_regtile.engines"),
    ("09: larger is nearer", "09_cuda_regtile/best.cuh", "std::max(times, 1 / times)", "1 / times", "09_cuda_regtile.engines"),
    ("09: the slowest is chosen", "09_cuda_regtile/choose.py", "min(times, key=times.get)", "max(times, key=times.get)", "09_cuda_regtile.choices"),
    ("09: no second barrier", "09_cuda_regtile/gemm.cuh", "    put(stage ^ 1);\n    __syncthreads();\n", "    put(stage ^ 1);\n",
     "09_cuda_regtile.emulated_reversed"),
    ("09: no loads of 16 bytes", "09_cuda_regtile/words.cuh", "  if (aligned && i < from.rows() && j + width<T> <= from.cols())\n    return",
     "  if (false)\n    return", "ptx"),
    ("08: a column too many at the edge", "08_cuda_shared/gemm.cuh", "p + x < a.cols() ? a(i, p + x)", "p + x <= a.cols() ? a(i, p + x)",
     "08_cuda_shared.emulated_forward"),
    ("gpu: a copy compared with itself", "gpu/variant.hpp", "back.view()(i, j) == sent(i, j)", "back.view()(i, j) == back.view()(i, j)",
     "emulator"),
    ("07: uncoalesced runs coalesced", "07_cuda_global/main.cu", "started<T>(rows_along_x<T>, uncoalesced<T>)", "along", "emulator"),
    ("09: a piece of k is all of it", "09_cuda_regtile/best.cuh",
     "[&](View<const T> a, View<const T> b) {", "[&](View<const T>, View<const T>) {", "09_cuda_regtile.engines"),
    ("09: stream-K's flags hold what was there", "09_cuda_regtile/best.cuh", "exchange->ready.poison();", ";", "09_cuda_regtile.engines"),
    # ---- 10: directives
    ("10: the host's time under the GPU's name", "10_openacc/device.hpp", "if (model_.host_wanted() || !model_.on_host()) return {};",
     "if (model_.host_wanted() || !model_.on_host() || problem_ == nullptr) return {};", "10_openacc.no_gpu|10_openacc.adaptor"),
    ("10: nobody asks where the run will be", "10_openacc/device.hpp", "if (model_.on_host() != on_host_)", "if (!model_.on_host() && model_.on_host())",
     "10_openacc.adaptor"),
    ("10: the fallback goes by the processor's name", "10_openacc/device.hpp", '"host fallback: " + course::processor()', "course::processor()",
     "10_openacc.fallback"),
    ("10: C not reset on the device", "10_openacc/device.hpp", "{ c_.fill_from(std::as_const(problem_->whole().c).view()); }", "{}",
     "10_openacc.adaptor"),
    ("10: the guard behind a buffer not looked at", "10_openacc/device.hpp", " && untouched(data + rows_ * ld_, guard);", ";",
     "10_openacc.adaptor"),
    ("10: a GPU that is not there", "10_openacc/model_acc.cpp", "number < acc_get_num_devices(acc_device_nvidia) ? number : -1", "number < 100 ? number : -1",
     "10_openacc.no_gpu"),
    ("10: tiles without edges", "10_openacc/gemm_acc.cpp", "j1 = j0 + tile < n ? j0 + tile : n;", "j1 = j0 + tile;",
     "10_openacc.(random|digits|edges)"),
    ("10: a broken kernel that is right", "10_openacc/broken.cpp", "T sum = 0;", "T sum = c(i, j);", "10_openacc.broken"),
    ("10: one lane of 32", "10_openacc/gemm_omp.cpp", "parallel for simd firstprivate", "parallel for firstprivate", "10_openacc.nvptx"),
    ("10: sums in local memory", "10_openacc/gemm_acc.cpp", "T sum[4][4] = {};", "T sum[4][4] = {};\n      T* volatile kept = &sum[0][0];\n      kept[0] = 0;",
     "10_openacc.nvptx"),
    ("10: the plugin stays behind", "10_openacc/carry.sh", 'libraries="$libraries $plugin"', ":", "10_openacc.carry"),

    # ---- the GPU's roofs
    ("machine: a GPU that is not there passes", "00_machine/main.cpp", "std::cerr << skipped;\n    return 77;", "std::cerr << skipped;\n    return 0;",
     "00_machine.gpu"),
    ("prediction: the GPU's caches are the processor's", "runner/prediction.cpp", '(vector == on_gpu ? of_gpu_ : of_processor_).capacity',
     "of_processor_.capacity", "runner.prediction"),
    ("table: a second writer is let in", "runner/table.cpp", "&& errno == EWOULDBLOCK)", "&& false)", "runner.table"),
    ("table: a pipe is waited for", "runner/table.cpp", "O_CLOEXEC | O_NONBLOCK", "O_CLOEXEC", "runner.table"),
    ("table: a pipe is read", "runner/table.cpp", "S_ISFIFO(status.st_mode))", "false)", "runner.table"),
    ("table: a last row without its end is torn", "runner/table.cpp", "if (unended_) whole_ = content.size();", "", "runner.table"),
    ("options: a tile of any size", "runner/options.cpp", "whole_number(option, item, 1, longest);\n    std::vector",
     "whole_number(option, item, 1, std::numeric_limits<Index>::max());\n    std::vector", "sweeps"),
    ("run: what a kernel packs is forgotten", "runner/run.cpp", "own_bytes + bytes_a_thread * settings.threads + ", "", "memory"),
    ("run: threads that cannot be had", "runner/run.cpp", "world.first(cannot_start(most))", "world.first(cannot_start(0 * most))", "sweeps"),
    ("report: half a picture passes", "tools/drawing.py", "endswith(LAST_BYTES[out.suffix])", 'endswith(b"")', "report.tools"),
    ("report: numbers beyond all measure", "tools/measured.py", "1e-30 < value < 1e30", "0 < value", "report.tools"),
    ("report: a blank in OUT", "Makefile.report", "$(filter-out 0 1,$(words $($(name))))", "$(filter-out 0 1 2,$(words $($(name))))",
     "report.variables"),
    ("report: quotes in OUT", "Makefile.report", "special := $(quote) ", "special := ", "report.variables"),
    ("00: chains count half of the operations", "00_machine/roof.cpp", "rate.rounds * 2 * few.lanes", "rate.rounds * few.lanes", "00_machine.relations"),
    ("reference: an experiment is made again", "tools/reference.py", "if printed and printed.exists():", "if False:", "report.reference"),
    ("reference: half of an experiment is kept", "tools/reference.py", "printed.unlink()", "pass", "report.reference"),
    ("rivals: the slower of cuBLAS's ways", "rivals/rivals.py", "best = max(found, key", "best = min(found, key", "rivals.cublas"),
]]


# ---------------------------------------------------------------- without building

def written_tests():
    """The names of all tests, as far as CMakeLists.txt say them: foreach and course_step are read, nothing else."""
    names = set()
    for path in [*ROOT.glob("[0-9]*/CMakeLists.txt"), ROOT / "rivals/CMakeLists.txt", ROOT / "tests/CMakeLists.txt"]:
        text = re.sub(r"#.*", "", path.read_text())
        text = re.sub(r"foreach\((\w+) ([^)$]*)\)(.*?)endforeach\(\)", lambda loop: "".join(
            loop[3].replace(f"${{{loop[1]}}}", item) for item in loop[2].split()), text, flags=re.S)
        names |= set(re.findall(r"course_(?:test|cachegrind)\(([\w.-]+) ", text))
        names |= {f"06_mpi.{name}" for name in re.findall(r"mpi_(?:test|check)\(([\w.-]+) ", text)}
        names |= {f"03_tiling.{name}" for name in re.findall(r"tiling_misses\((\w+) \w+ \d", text)}
        names |= {f"{step}.{check}" for step in re.findall(r"course_gpu_step\((\w+)", text) for check in
                  ("random", "digits", "edges", "broken", "emulated_forward", "emulated_reversed", "emulated_987654", "every_seed", "many_blocks")}
        names |= {f"{step}.{check}" for step in re.findall(r"course_tests\((\w+) ", text) for check in ("random", "digits", "edges", "broken")}
        for step, more in re.findall(r"course_step\((\w+)([^)]*)\)", text):
            levels = re.search(r" LEVELS((?: [OA-Za-z]\w*)*?)(?: [A-Z]{3,}\b|$)", more)
            for program in [step, *(f"{step}-{level}" for level in (levels[1].split() if levels else []))]:
                names |= {f"{program}.{check}" for check in ("random", "digits", "edges", "broken")}
    return names


def check():
    """What stands in the way of a break: its text, or its tests, are not there."""
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
        if not any(re.fullmatch(entry.tests, test) for test in tests):
            troubles.append(f"{entry.name}: there is no test {entry.tests}")
    return troubles


TABLE_HEAD = "| what is broken | file | tests that turned red |\n|---|---|---|\n"


def table_file():
    return ROOT / "tests/sabotages.md"


def table_rows():
    """(name, file, what turned red) of each row of the table, which is the last thing in its file."""
    rows = table_file().read_text().partition(TABLE_HEAD)[2].splitlines()
    return [tuple(cell.strip() for cell in row.strip("|").split("|")) for row in rows]


def check_table():
    """The same breaks, each of them seen red."""
    rows = table_rows()
    if [row[:2] for row in rows] != [(entry.name, entry.file) for entry in SABOTAGES]:
        return ["tests/sabotages.md lists others than tests/sabotage.py: tests/sabotage.py --write-md"]
    return [f"tests/sabotages.md: {name}: {red}" for name, _, red in rows if red.startswith(NOT_RED)]


def write_table(results):
    """What this run or an earlier one found, the newest first; other rows keep what they say, and those left out here."""
    cells = {name: red for name, _, red in table_rows()}
    cells |= {found.name: in_short(found) for found in results if found.what != "LEFT OUT" or found.name not in cells}
    rows = [f"| {entry.name} | {entry.file} | {cells.get(entry.name, 'not run')} |\n" for entry in SABOTAGES]
    table_file().write_text(table_file().read_text().partition(TABLE_HEAD)[0] + TABLE_HEAD + "".join(rows))


# ---------------------------------------------------------------- what came out

# `what` is red, or in capitals why not; `tests` are those that turned red, or a reason; `state` stands for the tree and the break.
Found = collections.namedtuple("Found", "name what tests seconds state")
# What another call need not find out again; a test that is missing, or red already, may be there next time.
FINAL = ("red", "UNNOTICED", "DOES NOT BUILD")
GOOD = ("red", "LEFT OUT")
NOT_RED = ("UNNOTICED", "DOES NOT BUILD", "RED BEFORE", "LEFT OUT", "not run")


def in_short(found):
    tests = found.tests.split(" ") if found.what == "red" and "hung" not in found.tests else [found.tests]
    said = ", ".join(tests[:4]) + (f" and {len(tests) - 4} more" if len(tests) > 4 else "")
    return said if found.what == "red" else f"{found.what}: {said}" if said else found.what


class Results:
    """results.csv: a line a break, written whole as soon as it is known. Of lines with one name the last counts."""

    def __init__(self, path):
        self.path, self.lock, self.of = path, threading.Lock(), {}
        lines = path.read_text().splitlines() if path.exists() else []
        for cells in csv.reader(lines[1:]):
            if len(cells) == len(Found._fields):
                self.of[cells[0]] = Found(*cells)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(path.name + ".new")  # without a line torn by a crash, and those that no longer count
        fresh.write_text("".join(map(self.line, (Found._fields, *self.of.values()))))
        fresh.replace(path)

    @staticmethod
    def line(cells):
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(cells)
        return line.getvalue()

    def add(self, found):
        with self.lock:
            self.of[found.name] = found
            with self.path.open("a") as file:
                file.write(self.line(found))
            print(f"{found.name}: {in_short(found)} ({found.seconds} s)", flush=True)

    def known(self, name, state):
        return name in self.of and self.of[name].state == state and self.of[name].what in FINAL


# ---------------------------------------------------------------- with copies of the tree

STOPS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


class Stopped(Exception):
    """The user has had enough."""


class Commands:
    """Runs commands for the workers; ends them all when told to."""

    def __init__(self):
        self.lock, self.running, self.stopped = threading.Lock(), set(), False

    def run(self, *command, cwd, env, patience=None):
        """What was printed, and the exit status; None if it took too long."""
        with tempfile.TemporaryFile("w+", errors="replace") as said:  # no pipe: a grandchild that lives on might hold it
            with self.lock:
                if self.stopped:
                    raise Stopped
                process = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=said,
                                           stderr=subprocess.STDOUT, start_new_session=True)
                self.running.add(process)
            try:
                status = process.wait(patience)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                status = None
            with self.lock:
                self.running.remove(process)
                if self.stopped:
                    raise Stopped
            said.seek(0)
            return said.read(), status

    def stop(self):
        """First politely: make removes what is half compiled."""
        for number in signal.SIGTERM, signal.SIGKILL:
            with self.lock:
                self.stopped = True
                for process in self.running:
                    with contextlib.suppress(ProcessLookupError):  # it has just ended
                        os.killpg(process.pid, number)
            for _ in range(50):
                if self.running:
                    time.sleep(0.1)


def snapshot():
    """{file: (its bytes, its mode)} of the working tree: what git knows or would."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT,
                            stdout=subprocess.PIPE, text=True, check=True).stdout
    files = sorted({file for file in listed.split("\0") if file and (ROOT / file).is_file()})
    return {file: ((ROOT / file).read_bytes(), (ROOT / file).stat().st_mode) for file in files}


class Tree:
    """A copy of the course with a build folder of its own."""

    def __init__(self, path, jobs, commands):
        self.path, self.jobs, self.commands = path, jobs, commands
        self.env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        # One cache for all copies: paths are taken from the copy's folder on, and which folder it is does not count.
        self.env |= {"CCACHE_DIR": str(path.parent / "ccache"), "CCACHE_BASEDIR": str(path), "CCACHE_NOHASHDIR": "1"}

    def run(self, *command, patience=None):
        return self.commands.run(*command, cwd=self.path, env=self.env, patience=patience)

    def write(self, file, content):
        """Newer than anything that was built from the old content: the kernel's stamps lag behind the clock, ours does not."""
        path = self.path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, ns=(time.time_ns(),) * 2)

    def fill(self, files):
        """Makes it these files; what is the same keeps its date. Returns whether anything was not."""
        changed = False
        for file, (content, mode) in files.items():
            path = self.path / file
            if not path.exists() or path.read_bytes() != content:
                self.write(file, content)
                changed = True
            path.chmod(mode & 0o777)
        for path in self.path.rglob("*"):
            inside = path.relative_to(self.path)
            if inside.parts[0] not in ("build", ".git") and path.is_file() and str(inside) not in files:
                path.unlink()
                changed |= path.suffix != ".pyc"
        # A repository, for the tests of the house; in which nothing ever changes, or each break would be a commit of its own
        # and what shows the commit compiled anew. The same in every copy.
        said, status = self.run("sh", "-c", "rm -rf .git && export GIT_COMMITTER_DATE=2000-01-01T00:00:00Z && git init -q . && "
                                "git add -A && git -c user.name=x -c user.email=x commit -qm x --date=2000-01-01T00:00:00Z && "
                                "git ls-files -z | git update-index --assume-unchanged -z --stdin")
        if status != 0:
            sys.exit(said)
        return changed

    def clone(self, other):
        """Becomes a copy of another tree, with all that is built there. Its path stands in many of the files, programs and
        libraries among them: this one's, which is as long, takes its place. So a break costs no building but its own: to mend
        it in place would mean to compile all that it had touched once more, and to leave nothing of it behind."""
        there, here = bytes(other.path), bytes(self.path)
        assert len(there) == len(here)
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(other.path, self.path, symlinks=True)
        for path in self.path.rglob("*"):
            if path.is_file() and not path.is_symlink() and there in (content := path.read_bytes()):
                dates = path.stat().st_atime_ns, path.stat().st_mtime_ns
                path.write_bytes(content.replace(there, here))
                os.utime(path, ns=dates)

    def configure(self, *options, left_out=()):
        """Returns the names of all tests but those with such labels."""
        launcher = "ccache" if shutil.which("ccache") else ""
        said, status = self.run("cmake", *options, "-B", "build", "-DCOURSE_USE_NVCC=OFF", f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}")
        if status != 0:
            sys.exit(said)
        return re.findall(r"Test +#\d+: (\S+)", self.run("ctest", "--test-dir", "build", "-N", *left_out)[0])

    def build(self, targets):
        """What the compiler said if it failed, with paths from the copy on, which is nowhere else. None: everything."""
        if targets == []:
            return ""
        said, status = self.run("cmake", "--build", "build", "--parallel", str(self.jobs), *(["--target", *targets] if targets else []))
        return "" if status == 0 else said.replace(f"{self.path}/", "") or "the compiler said nothing"

    def test(self, names, patience=None):
        """{test: (Passed, Skipped, Not Run or Failed, seconds)}; empty when patience ended."""
        said, status = self.run("ctest", "--test-dir", "build", "--parallel", str(self.jobs), "-R",
                                "^(" + "|".join(map(re.escape, names)) + ")$", patience=patience)
        answers = re.findall(r"Test +#\d+: (\S+) \.*(.*?) +([\d.]+) sec$", said, re.M)
        words = ("Passed", "Skipped", "Not Run")
        return {} if status is None else {
            test: (next((word for word in words if word in answer), "Failed"), float(seconds)) for test, answer, seconds in answers}


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


def is_program(path):
    """Linked, neither a script nor an object: what would have to be linked anew."""
    return path.suffix != ".o" and path.is_file() and path.open("rb").read(4) == b"\x7fELF"


def check_targets(build):
    """Tests of a build that call a program which TARGETS does not have linked for them: they would run the old one."""
    said = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], stdout=subprocess.PIPE, text=True, check=True).stdout
    troubles = []
    for test in json.loads(said)["tests"]:
        programs = {path.name.removeprefix("lib").removesuffix(".so") for path in map(pathlib.Path, test.get("command", []))
                    if build in path.parents and is_program(path)}
        if missing := programs - set(targets_of([test["name"]])) - {"course_programs"}:
            troubles.append(f"{test['name']}: TARGETS has {' '.join(sorted(missing))} not built for it")
    return troubles


class Campaign:
    """All breaks of one call, and what the workers must know of the course as it should be."""
    patience = 60  # seconds beyond five times what the tests of a break take: then they hang

    def __init__(self, all_tests, files, results):
        self.all_tests, self.files, self.results = all_tests, files, results
        self.whole, self.known, self.answers = None, [], {}

    def state(self, entry):
        """What a result holds for: this tree, less the list of breaks and their table, and this break."""
        state = hashlib.sha256(repr((entry, self.all_tests)).encode())
        for file, (content, _) in self.files.items():
            if file not in ("tests/sabotage.py", "tests/sabotages.md"):
                state.update(f"{file} {len(content)} ".encode() + content)
        return state.hexdigest()[:16]

    def tests_of(self, entry):
        if self.all_tests:
            return [test for test in self.known if test not in TEXTUAL]
        return [test for test in self.known if re.fullmatch(entry.tests, test)]

    def build(self, tree, targets):
        """What the compiler said if it failed."""
        return tree.build(None if self.all_tests else sorted(targets))

    def look(self, tree, entries):
        """Before any break: everything that these need is built, and tested, on all cores. This copy stays whole."""
        self.whole = tree
        tree.fill(self.files)
        self.known = tree.configure()
        if said := self.build(tree, {target for entry in entries for target in targets_of(self.tests_of(entry))}):
            sys.exit(f"before any break:\n{said[-3000:]}")
        wanted = sorted({test for entry in entries for test in self.tests_of(entry)})
        self.answers = tree.test(wanted) if wanted else {}

    def broken(self, tree, entry):
        """What came of one break, as (what, tests)."""
        before = {test: self.answers.get(test, ("Not Run", 0)) for test in self.tests_of(entry)}
        sound = {test: seconds for test, (answer, seconds) in before.items() if answer == "Passed"}
        odd = [f"{test} ({answer})" for test, (answer, _) in before.items() if answer not in ("Passed", "Skipped")]
        if not sound:
            return ("RED BEFORE", " ".join(odd)) if odd else ("LEFT OUT", f"skipped: {' '.join(before)}" if before else "no such test here")
        # Who hangs has noticed, too. All tests together end by their own limits.
        patience = None if self.all_tests else self.patience + 5 * sum(sound.values())
        tree.clone(self.whole)
        tree.write(entry.file, self.files[entry.file][0].replace(entry.old.encode(), entry.new.encode()))
        if said := self.build(tree, entry.targets.split() if entry.targets else targets_of(before)):
            lines = said.splitlines()
            return "DOES NOT BUILD", next((line for line in lines if "error" in line.lower()), lines[-1])
        answers = tree.test(sound, patience)
        if not answers:
            return "red", f"{' '.join(sound)} hung for {patience:.0f} s"
        if lost := [test for test in sound if answers.get(test, ("Not Run",))[0] == "Not Run"]:
            return "DOES NOT BUILD", f"not run: {' '.join(lost)}"
        red = [test for test in sound if answers[test][0] == "Failed"]
        return ("red", " ".join(red)) if red else ("UNNOTICED", "")

    def work(self, tree, waiting):
        """One worker: takes one break after the other."""
        try:
            for entry in iter(waiting.get, None):
                started = time.monotonic()
                what, tests = self.broken(tree, entry)
                self.results.add(Found(entry.name, what, " ".join(tests.split()), f"{time.monotonic() - started:.0f}", self.state(entry)))
        except Stopped:
            pass


def chosen(options):
    entries = [entry for entry in SABOTAGES if not options.names or any(
        part in text for part in options.names for text in (entry.name, entry.file, entry.tests))]
    if not entries:
        sys.exit(f"no sabotage is like {' or '.join(options.names)}")
    part, parts = options.shard
    return entries[part - 1::parts]


def break_all(campaign, entries, folder, workers, jobs):
    commands, waiting = Commands(), queue.SimpleQueue()
    with concurrent.futures.ThreadPoolExecutor(workers) as crew:
        try:
            campaign.look(Tree(folder / "00", workers * jobs, commands), entries)
            # What needs all programs comes first: it takes longest.
            for entry in sorted(entries, key=lambda entry: "course_programs" not in targets_of(campaign.tests_of(entry))):
                waiting.put(entry)
            for _ in range(workers):
                waiting.put(None)
            trees = [Tree(folder / f"{number:02}", jobs, commands) for number in range(1, workers + 1)]
            ended, _ = concurrent.futures.wait([crew.submit(campaign.work, tree, waiting) for tree in trees],
                                               return_when=concurrent.futures.FIRST_EXCEPTION)
            for one in ended:
                one.result()  # throws what it threw
        except BaseException:
            commands.stop()
            raise


def run(options):
    folder = options.tree.resolve()
    entries, results = chosen(options), Results(folder / "results.csv")
    campaign = Campaign(options.all_tests, snapshot(), results)
    todo = [entry for entry in entries if options.again or not results.known(entry.name, campaign.state(entry))]
    if len(todo) < len(entries):
        print(f"{len(entries) - len(todo)} of {len(entries)} are known from before ({results.path})", flush=True)
    if todo:
        break_all(campaign, todo, folder, options.workers, options.jobs or max(1, cores() // options.workers))
    found = [results.of[entry.name] for entry in entries]
    counts = collections.Counter(one.what for one in found)
    print(f"{len(found)} breaks: {', '.join(f'{count} {what}' for what, count in counts.most_common())}")
    bad = [one for one in found if one.what not in GOOD]
    print("".join(f"  {one.name}: {in_short(one)}\n" for one in bad), end="")
    return 1 if bad else 0


def cores():
    return len(os.sched_getaffinity(0))


def a_shard(text):
    part, parts = map(int, text.split("/"))
    if not 1 <= part <= parts:
        raise ValueError
    return part, parts


def up_to_99(text):
    if not 1 <= int(text) <= 99:
        raise ValueError
    return int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--workers", type=up_to_99, default=max(1, cores() // 2))
    parser.add_argument("--jobs", type=up_to_99)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--all-tests", action="store_true")
    parser.add_argument("--shard", type=a_shard, default=(1, 1))
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT / "build-sabotage")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--write-md", action="store_true")
    options = parser.parse_args()
    if options.write_md:
        write_table(Results(options.tree / "results.csv").of.values())
    troubles = check() + (check_table() if options.check else []) + (check_targets(options.build) if options.build else [])
    if troubles:
        print("\n".join(troubles))
        return 1
    if options.check or options.write_md:
        print(f"{len(SABOTAGES)} sabotages can be done")
        return 0

    def stop(number, _):
        for other in STOPS:
            signal.signal(other, signal.SIG_IGN)  # it takes a moment
        sys.exit(128 + number)

    for number in STOPS:
        signal.signal(number, stop)
    return run(options)


if __name__ == "__main__":
    sys.exit(main())

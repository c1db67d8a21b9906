#include <algorithm>
#include <stdexcept>

#include "runner/session.hpp"

namespace course {
namespace {

/// One more run, on digits, whose product is known exactly. The whole matrices of before make room for it.
template <class T>
Check judge_on_digits(const Session& session, Variant<T>& variant, const Problem<T>& problem,
                      const Settings& settings, bool& intact) {
  session.progress(variant.traits.name + ": once more on digits, for Freivalds");
  variant.release(), problem.forget();
  Problem<T> digits = problem;
  digits.fill = Fill::digits;
  const Allocated<T> allocated(session, variant, digits, settings);
  if (!allocated.trouble.empty()) throw std::runtime_error(allocated.trouble);
  Piece<T> piece;
  allocated.run(piece);
  intact &= variant.guards_intact() && digits.guards_intact();
  return freivalds(digits, piece, session.world);
}

}  // namespace

bool verifies_whole(const Options& options, const Shape& s) {
  constexpr Index whole_up_to = 2048;  // --verify auto
  return options.verify == Verify::full || std::max({s.m, s.n, s.k}) <= whole_up_to;
}

template <class T>
Check judge(const Session& session, Variant<T>& variant, Work<T>& work, const Settings& settings,
            const Piece<T>& piece, std::string& method) {
  const Problem<T>& problem = work.problem;
  const World& world = session.world;
  const bool whole = verifies_whole(session.options, problem.shape);
  const bool with_freivalds = !whole && problem.shape.k <= exact_k<T>();
  method = whole ? "full" : with_freivalds ? "samples+freivalds" : "samples";
  session.progress(variant.traits.name + ": verifying");
  if (!work.verifier) work.verifier.emplace(problem, whole);
  Check check = work.verifier->check(piece, world);
  bool intact = variant.guards_intact() && problem.guards_intact();
  if (with_freivalds) {
    const Check second = problem.exact() ? freivalds(problem, piece, world)
                                         : judge_on_digits(session, variant, problem, settings, intact);
    if (check.right) check.trouble = second.trouble;
    check.right &= second.right;
    check.error_share = std::max(check.error_share, second.error_share);
    check.differences = std::max(check.differences, second.differences);
  }
  const std::string who = world.size() > 1 ? fmt::format("rank {} ", world.rank()) : "";
  const std::string outside = world.first(intact ? "" : who + "wrote outside its matrix");
  if (!outside.empty()) check.right = false, check.trouble = outside;
  return check;
}

template Check judge(const Session&, Variant<float>&, Work<float>&, const Settings&, const Piece<float>&,
                     std::string&);
template Check judge(const Session&, Variant<double>&, Work<double>&, const Settings&, const Piece<double>&,
                     std::string&);
template Check judge(const Session&, Variant<std::int32_t>&, Work<std::int32_t>&, const Settings&,
                     const Piece<std::int32_t>&, std::string&);

}  // namespace course

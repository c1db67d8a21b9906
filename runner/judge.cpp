#include <algorithm>

#include "runner/session.hpp"

namespace course {
namespace {

/// One more run, on digits, whose product is known exactly. The whole matrices of before make room for it.
template <class T>
Check judge_on_digits(Session& session, Variant<T>& variant, const Problem<T>& problem,
                      const Settings& settings, bool& intact) {
  session.progress(variant.traits.name + ": once more on digits, for Freivalds");
  variant.release(), problem.forget();
  Problem<T> digits = problem;
  digits.fill = Fill::digits;
  struct Release {
    Variant<T>& variant;
    ~Release() { variant.release(); }
  } const release{variant};
  Times ignored;
  if (const std::string why = allocate(session, variant, digits, settings, ignored); !why.empty())
    throw std::runtime_error(why);
  Piece<T> piece;
  once(session, variant, piece);
  intact &= variant.guards_intact() && digits.guards_intact();
  return freivalds(digits, piece, session.world);
}

}  // namespace

bool verifies_whole(const Options& options, const Shape& s) {
  constexpr Index whole_up_to = 2048;  // --verify auto
  return options.verify == Verify::full || std::max({s.m, s.n, s.k}) <= whole_up_to;
}

template <class T>
Check judge(Session& session, Variant<T>& variant, Work<T>& work, const Settings& settings,
            const Piece<T>& piece, std::string& method) {
  const Problem<T>& problem = work.problem;
  const bool whole = verifies_whole(session.options, problem.shape);
  const bool with_freivalds = !whole && problem.shape.k <= exact_k<T>();
  method = whole ? "full" : with_freivalds ? "samples+freivalds" : "samples";
  session.progress(variant.traits.name + ": verifying");
  if (!work.verifier) work.verifier.emplace(problem, whole);
  Check check = work.verifier->check(piece, session.world);
  bool intact = variant.guards_intact() && problem.guards_intact();
  if (with_freivalds) {
    const Check second = problem.exact() ? freivalds(problem, piece, session.world)
                                         : judge_on_digits(session, variant, problem, settings, intact);
    if (!second.right) {
      if (check.right) check.trouble = second.trouble;
      check.right = false;
      check.error_share = second.error_share;
      check.differences = std::max(check.differences, second.differences);
    }
  }
  const int rank = session.world.rank();
  const std::string who = session.world.size() > 1 ? fmt::format("rank {} ", rank) : "";
  const std::string outside = session.world.first(intact ? "" : who + "wrote outside its matrix");
  if (!outside.empty()) check.right = false, check.trouble = outside;
  return check;
}

#define COURSE_JUDGE(T) \
  template Check judge(Session&, Variant<T>&, Work<T>&, const Settings&, const Piece<T>&, std::string&);
COURSE_JUDGE(float)
COURSE_JUDGE(double)
COURSE_JUDGE(std::int32_t)

}  // namespace course

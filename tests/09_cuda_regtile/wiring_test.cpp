// 09's variants: a result does not tell which kernel was started.
#include "tests/wiring.hpp"

#include <set>

#include "09_cuda_regtile/main.cu"

TEST_CASE_TEMPLATE("09: each variant starts a kernel of its own, and another one if rows are not aligned", T,
                   float, double) {
  std::set<wiring::Kernel> started;
  bool by_vectors = false;  // from vectorised on
  for (const auto& variant : variants<T>()) {
    if (variant->traits.broken) continue;
    const std::string name = variant->traits.name;
    CAPTURE(name);
    by_vectors |= name == "vectorised";
    const wiring::Kernel aligned = wiring::started_by(*variant, 0, {}),
                         padded = wiring::started_by(*variant, 1, {});
    CHECK((aligned != padded) == by_vectors);
    CHECK(started.insert(aligned).second);
  }
  CHECK(by_vectors);
}

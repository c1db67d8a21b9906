// 07's variants: which kernel, in which memory.
#include "tests/wiring.hpp"

#include "07_cuda_global/main.cu"

TEST_CASE_TEMPLATE("07: each variant starts the kernel that its name says, in the memory that it says", T,
                   float, double) {
  using course::Memory, wiring::row;
  wiring::check<T>(variants<T>(),
                   {
                       row("uncoalesced", uncoalesced<T>),
                       row("coalesced", coalesced<T>),
                       row("coalesced_pitched", coalesced<T>, Memory::pitched),
                       row("coalesced_unified", coalesced<T>, Memory::unified),
                       row("coalesced_pinned", coalesced<T>, Memory::pinned),
                   },
                   {.block = {4, 2}});
}

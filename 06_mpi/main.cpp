// 06_mpi: the product on several processes, which have nothing in common but messages.
#include "broken.hpp"
#include "mpi_world.hpp"
#include "runner/run.hpp"
#include "variants.hpp"

template <class T>
course::Variants<T> variants() {
  using namespace mpi;
  using course::broken;
  const auto by_rows = [](const char* name, const char* idea, auto scatter, auto gather) {
    return on_ranks<ByRows<T>>(name, idea, scatter, gather);
  };
  const auto summa_by = [](const char* name, const char* idea, auto kernel) {
    return on_ranks<Summa<T>>(name, idea, kernel);
  };
  course::Variants<T> list = {
      by_rows("rows_blocking", "rows of A and C sent one rank after the other, B to all", scatter_blocking<T>,
              gather_blocking<T>),
      by_rows("rows_immediate", "the same, all messages at once", scatter_immediate<T>, gather_immediate<T>),
      on_ranks<BlockCyclic<T>>("block_cyclic", "blocks of C dealt out on a grid of ranks"),
      summa_by("summa_blocking", "panels of A and B broadcast, then multiplied", summa_blocking<T>),
      summa_by("summa_unaided", "the next panels on their way meanwhile", summa_unaided<T>),
      summa_by("summa", "and the program sees to it that they get on", summa<T>),
      summa_by("summa_ring_dealt", "panels from neighbour to neighbour", summa_ring_dealt<T>),
      summa_by("summa_ring", "and one owner's panels after another's", summa_ring<T>),
      broken(by_rows("rest_lost", "m / ranks rows for each", scatter_blocking<T>, wrong::rest_lost<T>)),
      broken(by_rows("wrong_displacement", "one rank too early", scatter_blocking<T>,
                     wrong::wrong_displacement<T>)),
      broken(by_rows("wrong_tag", "any tag will do", scatter_blocking<T>, wrong::wrong_tag<T>)),
      broken(by_rows("not_waited_for", "rows taken before they are there", scatter_blocking<T>,
                     wrong::not_waited_for<T>)),
      broken(summa_by("row_too_far", "a row more of C", wrong::row_too_far<T>)),
  };
  if constexpr (std::is_floating_point_v<T>)  // what nobody has written is NaN
    list.push_back(broken(summa_by("wrong_root", "panels from another rank", wrong::wrong_root<T>)));
  return list;
}

int main(int argc, char** argv) {
  const course::MpiWorld world(&argc, &argv);
  auto step = COURSE_STEP("several processes");
  step.grids = {mpi::squarest(world.size())};
  step.blocks = {{256, 256}};
  return course::run(argc, argv, step, world);
}

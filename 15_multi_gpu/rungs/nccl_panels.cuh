// nccl_panels: as overlapped, but a process a GPU cannot read another's memory: each sends its panels.
//   mpirun -n 2 build/15_multi_gpu/15_multi_gpu_mpi --size 8192 --variant nccl,nccl_panels
#pragma once

#include "nccl.cuh"

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

// [nccl_panels]
/// In turn t a GPU multiplies the rows of B of the GPU t further on, which it has received while it
/// multiplied those of turn t - 1, and it has sent its own the other way.
template <class T>
void nccl_panels(Share<T>& gpu) {
  const int gpus = gpu.group.grid.size();
  const ncclComm_t all = gpu.group.team.communicator(gpus, gpu.me);
  const auto rows_of = [&](int turn) {
    return part(gpu.group.problem.shape.k, gpus, (gpu.me + turn) % gpus);
  };
  const auto b_at = [&](int turn) {
    return turn == 0 ? gpu.b : gpu.panel_b[turn % 2].block(0, 0, rows_of(turn).count, gpu.b.cols());
  };
  const auto start = [&](int turn) {
    if (turn == gpus) return;
    gpu.copies.wait(gpu.done[turn % 2]);
    gpu.copies.put("rows of B", [&] {
      const auto count = [](View<T> rows) { return std::size_t(rows.rows() * rows.ld()); };
      check(ncclGroupStart());
      check(ncclSend(gpu.b.data(), count(gpu.b), nccl_type<T>, (gpu.me + gpus - turn) % gpus, all,
                     gpu.copies.get()));
      check(ncclRecv(b_at(turn).data(), count(b_at(turn)), nccl_type<T>, (gpu.me + turn) % gpus, all,
                     gpu.copies.get()));
      check(ncclGroupEnd());
    });
    gpu.copies.record(gpu.arrived[turn % 2]);
  };
  for (int turn = 0; turn < gpus; ++turn) {
    gpu.products.wait(gpu.arrived[turn % 2]);
    gpu.multiply(gpu.a.block(0, rows_of(turn).from, gpu.a.rows(), rows_of(turn).count), b_at(turn), gpu.c);
    gpu.products.record(gpu.done[turn % 2]);
    start(turn + 1);
  }
}
// [/nccl_panels]

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu

// 15_multi_gpu_mpi: a process for each GPU, as on a cluster; communication by NCCL.
#include <mpi.h>

#include <array>
#include <set>

#include "06_mpi/mpi_world.hpp"
#include "09_cuda_regtile/library.hpp"
#include "13_f32_by_halves/library.hpp"
#include "rungs/nccl_panels.cuh"
#include "runner/run.hpp"
#include "variants.hpp"

namespace {

using namespace multi_gpu;

/// A team of processes, of which each has one GPU of its host: of those that it sees (Slurm may show it only
/// its own) the one of its number among the host's processes.
class Ranks : public Team {
 public:
  Ranks() {
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &device_), MPI_Comm_free(&host);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_), MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    cudaDeviceProp mine = {};
    if (const int here = gpus_here(); here > 0)
      device_ %= here, check(cudaGetDeviceProperties(&mine, device_));
    std::vector<std::array<char, sizeof mine.uuid>> all(static_cast<std::size_t>(ranks_));
    MPI_Allgather(&mine.uuid, sizeof mine.uuid, MPI_BYTE, all.data(), sizeof mine.uuid, MPI_BYTE,
                  MPI_COMM_WORLD);
    std::set different(all.begin(), all.end());
    different.erase(decltype(all)::value_type{});  // of a rank that sees no GPU
    gpus_ = std::ssize(different);
    communicator = [this, made = ncclComm_t()](int, int) mutable {
      ncclUniqueId id;
      if (made != nullptr) return made;
      if (rank_ == 0) check(ncclGetUniqueId(&id));
      MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
      check(ncclCommInitRank(&made, ranks_, id, rank_));
      return made;
    };
  }
  int gpus(const course::Settings&) const override { return ranks_; }
  std::string missing(int) const override {
    return gpus_ < ranks_ ? "each process needs a GPU of its own; the GPUs of " + std::to_string(ranks_) +
                                " processes: " + std::to_string(gpus_)
                          : "";
  }
  void all(int, const std::function<void(int)>& work) override {
    check(cudaSetDevice(device_));
    work(rank_);
  }
  void meet() override { MPI_Barrier(MPI_COMM_WORLD); }
  bool collect(void* whole, std::size_t row, const std::vector<Part>& parts) override {
    const auto rows = [&](int of) {
      return static_cast<char*>(whole) + std::size_t(parts[std::size_t(of)].from) * row;
    };
    MPI_Datatype a_row;
    MPI_Type_contiguous(int(row), MPI_BYTE, &a_row), MPI_Type_commit(&a_row);
    if (rank_ > 0) MPI_Send(rows(rank_), int(parts[std::size_t(rank_)].count), a_row, 0, 0, MPI_COMM_WORLD);
    for (int of = 1; rank_ == 0 && of < ranks_; ++of)
      MPI_Recv(rows(of), int(parts[std::size_t(of)].count), a_row, of, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&a_row);
    return rank_ == 0;
  }

 private:
  int device_ = 0, rank_ = 0, ranks_ = 1;
  std::ptrdiff_t gpus_ = 0;  // different ones
};

template <class T>
course::Variants<T> variants() {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, course::bf16>) {
    static const auto team = std::make_shared<Ranks>();
    Kernel<T>* kernel = nullptr;
    if constexpr (std::is_same_v<T, float>)
      kernel = course_gpu_sgemm;
    else
      kernel = course_tensor_bf16;
    const auto variant = [&](const char* name, const char* idea, void (*run)(Share<T>&), Needs needs) {
      course::VariantInfo info{.name = name, .idea = idea, .distributed = true, .vector = "cuda"};
      return std::make_shared<MultiGpu<T>>(std::move(info), Rung<T>{run, kernel, needs}, team);
    };
    return {variant("local", "all of B is everywhere already", local<T>, {.whole_b = true, .b_there = true}),
            variant("nccl", "rows of B by NCCL's all-gather", nccl<T>, {.whole_b = true}),
            variant("nccl_panels", "... sent round while others are multiplied", nccl_panels<T>,
                    {.panel_b = true})};
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  setenv("NCCL_NVLS_ENABLE", "0", 0);  // NVLink multicast, which not every host allows
  const course::MpiWorld world(&argc, &argv);
  course::Step step = COURSE_STEP("several GPUs, a process for each");
  step.bf16 = variants<course::bf16>();
  return course::run(argc, argv, step, world);
}

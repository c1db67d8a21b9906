// 15_multi_gpu: one product on several GPUs.
#include "09_cuda_regtile/library.hpp"
#include "broken.cuh"
#include "gpu/step.hpp"
#include "rungs/cublasxt.cuh"
#include "rungs/from_host.cuh"
#include "rungs/grid.cuh"
#include "rungs/nccl.cuh"
#include "rungs/overlapped.cuh"
#include "rungs/peer.cuh"
#include "rungs/staged.cuh"
#include "runner/run.hpp"
#include "variants.hpp"
#ifdef __CUDACC__
#include "13_f32_by_halves/library.hpp"
#endif

namespace {

using namespace multi_gpu;
using course::broken;

/// The team of all variants; it ends with the last of them.
std::shared_ptr<Team> one_team() {
  static std::weak_ptr<Team> known;
  setenv("NCCL_NVLS_ENABLE", "0", 0);  // NVLink multicast, which not every host allows
  auto team = known.lock();
  if (!team) known = team = std::make_shared<Team>(), team->communicator = in_this_process;
  return team;
}

/// The kernel of a GPU's own product, the best of an earlier step; none of the other types.
template <class T>
constexpr Kernel<T>* kernel = nullptr;
template <>
constexpr Kernel<float>* kernel<float> = COURSE_REGTILE_MULTIPLY;
#ifdef __CUDACC__
template <>
constexpr Kernel<course::bf16>* kernel<course::bf16> = course_tensor_bf16;
#endif

template <class T>
course::Variants<T> variants() {
  course::Variants<T> list;
  if constexpr (kernel<T> != nullptr) {
    const auto team = one_team();
    const auto add = [&](const char* name, const char* idea, void (*run)(Share<T>&), Needs needs,
                         std::string lacking = {}, Kernel<T>* by = kernel<T>) {
      course::VariantInfo info{.name = name, .idea = idea, .threads = true};
      info.tiles = needs.panel_b || needs.from_host, info.distributed = true, info.vector = "cuda";
      list.push_back(std::make_shared<MultiGpu<T>>(std::move(info), Rung<T>{run, by, needs, lacking}, team));
      return list.back();
    };
    add("local", "all of B is everywhere already", local<T>, {.whole_b = true, .b_there = true});
    add("staged", "rows of B through the host's memory", staged<T>, {.whole_b = true, .host_b = true});
    add("peer", "... from GPU to GPU", peer<T>, {.whole_b = true});
    add("nccl", "... by NCCL's all-gather", nccl<T>, {.whole_b = true}, no_nccl);
    add("overlapped", "... in panels, while others are multiplied", overlapped<T>, {.panel_b = true});
    add("grid", "... GPUs in two dimensions", grid<T>, {.panel_b = true, .panel_a = true, .grid = true});
    add("from_host", "A, B and C in the host's memory", from_host<T>, {.from_host = true});
    if constexpr (std::is_same_v<T, float>) {
      add("cublasxt", "... by cuBLASXt, in tiles of --tile", cublasxt, {.from_host = true}, no_cublasxt())
          ->info.against = "cuBLASXt";
#ifdef __CUDACC__
      add("local_by_halves", "local by 13's f32_by_fp16", local<T>, {.whole_b = true, .b_there = true}, "",
          course_tensor_f32_by_fp16);
      add("by_halves", "overlapped by 13's f32_by_fp16", overlapped<T>, {.panel_b = true}, "",
          course_tensor_f32_by_fp16);
#endif
    }
    broken(add("last_rows_lost", "the last row of each GPU's B is lost", wrong::last_rows_lost<T>,
               {.whole_b = true}));
    broken(add("not_waited_for", "panels are multiplied before they are there", wrong::not_waited_for<T>,
               {.panel_b = true}));
    broken(add("overwritten", "a panel comes while the one before is multiplied", wrong::overwritten<T>,
               {.panel_b = true}));
  }
  return list;
}

}  // namespace

COURSE_GPU_STEP("several GPUs; besides the options below --gpus 1,2 (a host thread each) and --timeline FILE",
                (step.bf16 = variants<course::bf16>(), step.tiles = {8192}))

// 09_cuda_regtile: several elements of C a thread, on the GPU or, by --emulate, on the processor.
#include "async.cuh"
#include "gpu/step.hpp"
#include "runner/run.hpp"

namespace {

using namespace cuda_regtile;
using course::broken, course::gpu, course::Memory, course::Settings;

template <class T, int TM>
std::shared_ptr<course::Variant<T>> column_of() {
  const auto launch = [](View<const T> a, View<const T> b, View<T> c, const Settings&) {
    tile_a_block<T>(column<T, TM>, 32, 32, Block{32, 32 / TM}, a, b, c);
  };
  return gpu<T>("column_" + std::to_string(TM), "a thread " + std::to_string(TM) + " of a column", launch);
}

template <class T>
std::shared_ptr<course::Variant<T>> square_of(std::string name, std::string idea, Kernel<T> kernel) {
  return gpu<T>(std::move(name), std::move(idea),
                [=](View<const T> a, View<const T> b, View<T> c, const Settings&) {
                  tile_a_block<T>(kernel, BM, BN, Block{threads, 1}, a, b, c);
                });
}
/// By its fast way where 16-byte loads are allowed, else by the guarded one.
template <class T>
std::shared_ptr<course::Variant<T>> vector_of(std::string name, std::string idea, Kernel<T> fast,
                                              Kernel<T> guarded) {
  return gpu<T>(std::move(name), std::move(idea),
                [=](View<const T> a, View<const T> b, View<T> c, const Settings&) {
                  const bool aligned = is_aligned(a) && is_aligned(b) && is_aligned(c);
                  tile_a_block<T>(aligned ? fast : guarded, BM, BN, Block{threads, 1}, a, b, c);
                });
}

template <class S>
std::shared_ptr<course::Variant<float>> async_of(std::string name, std::string idea) {
  return gpu<float>(std::move(name), std::move(idea),
                    [=](View<const float> a, View<const float> b, View<float> c, const Settings&) {
                      const bool aligned = is_aligned(a) && is_aligned(b) && is_aligned(c);
                      tile_a_block<float>(aligned ? async<S, true> : async<S, false>, S::BM, S::BN,
                                          Block{S::threads, 1}, a, b, c);
                    });
}

/// What blocks leave for each other.
struct Exchange {
  course::Here::Matrix<float> parts;
  course::Here::Matrix<unsigned> ready;
  unsigned run = 0;
};

template <class S>
std::shared_ptr<course::Variant<float>> stream_of(std::string name, std::string idea) {
  const auto exchange = std::make_shared<Exchange>();
  return gpu<float>(
      std::move(name), std::move(idea),
      [=](View<const float> a, View<const float> b, View<float> c, const Settings&) {
        const Index at_once = course::Here::multiprocessors() * (512 / S::threads);
        if (exchange->run == 0) {
          exchange->parts = {at_once, S::BM * S::BN, 0, Memory::device};
          exchange->ready = {1, at_once, 0, Memory::device};
          exchange->ready.poison();
        }
        ++exchange->run;
        using course::ceil_div;
        const Index steps = ceil_div(c.rows(), S::BM) * ceil_div(c.cols(), S::BN) * ceil_div(a.cols(), S::BK);
        const bool aligned = is_aligned(a) && is_aligned(b) && is_aligned(c);
        course::launch(aligned ? stream_k<S, true> : stream_k<S, false>, Grid{std::min(steps, at_once), 1},
                       Block{S::threads, 1}, a, b, c, exchange->parts.view().data(),
                       exchange->ready.view().data(), exchange->run);
      });
}

template <class T>
course::Variants<T> variants() {
  course::Variants<T> list = {
      column_of<T, 1>(),
      column_of<T, 2>(),
      column_of<T, 4>(),
      column_of<T, 8>(),
      column_of<T, 16>(),
      column_of<T, 32>(),
      square_of<T>("square", "a thread 8 x 8 elements", square<T>),
      square_of<T>("transposed", "… A's tile transposed", transposed<T>),
      vector_of<T>("vectors", "… 16 bytes a load", vectors<T, true>, vectors<T, false>),
      vector_of<T>("spread", "… no bank conflicts", spread<T, true>, spread<T, false>),
      vector_of<T>("double_buffered", "… the next tiles by registers", double_buffered<T, true>,
                   double_buffered<T, false>),
  };
  if constexpr (std::is_same_v<T, float>) {
    list.push_back(async_of<Tiling<128, 128, 8, 1, false>>("async", "… of B by cp.async"));
    list.push_back(async_of<Tiling<128, 128, 8, 1, true>>("warp_tiles", "… a warp 32 x 64 elements"));
    list.push_back(async_of<Tiling<128, 256, 16, 1, true>>("large_tiles", "… a block 128 x 256"));
    list.push_back(
        stream_of<Tiling<128, 256, 16, 1, true>>("stream_k", "… equal shares for all multiprocessors"));
    list.push_back(async_of<Tiling<64, 128, 32, 4, true>>("slices_4", "… k in 4 slices"));
    list.push_back(async_of<Tiling<32, 64, 64, 16, true>>("slices_16", "… k in 16 slices"));
  }
  return list;
}

}  // namespace

COURSE_GPU_STEP("register tiles")

// The platform of GpuVariant on the emulator.
#pragma once

#include "gpu/variant.hpp"

namespace course {

/// The host's memory as the GPU's. Kernels stay in the emulator's queue until somebody synchronizes.
struct Emulated {
  static std::string device() { return "emulator: " + emulator::order(); }
  static std::string missing(int /*capability*/, bool /*no_other*/) {
    return emulator::order().empty() ? "built without nvcc; --emulate forward runs it on the processor" : "";
  }
  static int multiprocessors() { return 5; }  // few: so that small products, too, are shared out
  static void synchronize() { emulator::synchronize(); }
  static bool pending() { return emulator::pending(); }

  template <class Work>
  static double seconds_of(Work work) {
    const Stopwatch watch;
    work(), synchronize();
    return watch.seconds();
  }
  template <class T>
  static void transfer(View<const T> from, View<T> to) {
    synchronize();
    copy<T>(from, to);
  }

  template <class T>
  class Matrix : public course::Matrix<T> {
   public:
    Matrix() = default;
    Matrix(Index rows, Index cols, Index pad, Memory, Use use = Use::output)
        : course::Matrix<T>(rows, cols, pad, 1, use, wide_guard(cols + pad)) {
      if constexpr (std::is_integral_v<T>)  // what was there before; on a GPU nothing is born poisoned
        for (Index i = 0; i < rows; ++i)
          for (Index j = 0; j < cols; ++j) view()(i, j) = 1;
    }
    View<T> view() const { return const_cast<Matrix*>(this)->course::Matrix<T>::view(); }
    void poison() { poison_all(view()); }
  };
  template <class T>
  using HostMatrix = course::Matrix<T>;
};

}  // namespace course

// AddressSanitizer must be told when the stack changes; without it all of this is nothing.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace course::emulator {

/// Between the scheduler's stack and one fiber's.
class Switch {
 public:
#if defined(__SANITIZE_ADDRESS__)
  void forget(const void* stack, std::size_t bytes) {
    __asan_unpoison_memory_region(stack, bytes);
  }
  void enter(const void* stack, std::size_t bytes) {
    __sanitizer_start_switch_fiber(&host_, stack, bytes);
  }
  void back() {
    __sanitizer_finish_switch_fiber(host_, nullptr, nullptr);
  }
  void arrived() {
    __sanitizer_finish_switch_fiber(own_, &stack_, &bytes_);
  }
  void leave() {
    __sanitizer_start_switch_fiber(&own_, stack_, bytes_);
  }
  void leave_for_good() {
    __sanitizer_start_switch_fiber(nullptr, stack_, bytes_);
  }

 private:
  void *host_ = nullptr, *own_ = nullptr;  // the sanitizer's notes
  const void* stack_ = nullptr;            // the scheduler's
  std::size_t bytes_ = 0;
#else
  void forget(const void*, std::size_t) {}
  void enter(const void*, std::size_t) {}
  void back() {}
  void arrived() {}
  void leave() {}
  void leave_for_good() {}
#endif
};

}  // namespace course::emulator

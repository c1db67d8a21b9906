// Tells AddressSanitizer when the stack changes; without it the calls do nothing.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
inline void __asan_unpoison_memory_region(const void*, std::size_t) {}
inline void __sanitizer_start_switch_fiber(void**, const void*, std::size_t) {}
inline void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*) {}
#endif

namespace course::emulator {

/// Switches between the scheduler's stack and one fiber's.
class Switch {
 public:
  void forget(const void* stack, std::size_t bytes) { __asan_unpoison_memory_region(stack, bytes); }
  void enter(const void* stack, std::size_t bytes) { __sanitizer_start_switch_fiber(&host_, stack, bytes); }
  void back() { __sanitizer_finish_switch_fiber(host_, nullptr, nullptr); }
  void arrived() { __sanitizer_finish_switch_fiber(own_, &stack_, &bytes_); }
  void leave() { __sanitizer_start_switch_fiber(&own_, stack_, bytes_); }
  void leave_for_good() { __sanitizer_start_switch_fiber(nullptr, stack_, bytes_); }

 private:
  void *host_ = nullptr, *own_ = nullptr;  // the sanitizer's state of either stack
  const void* stack_ = nullptr;            // the scheduler's
  std::size_t bytes_ = 0;
};

}  // namespace course::emulator

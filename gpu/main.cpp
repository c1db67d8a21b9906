// The main of a step on a GPU: its variants on the GPU or, with --emulate, on the emulator.
#ifdef COURSE_HAS_EMULATOR
#include "gpu/emulator/emulator.hpp"
#endif
#include "runner/run.hpp"
#include "runner/text.hpp"

course::Step step_on_gpu();
course::Step step_emulated();
void take_own_options(std::vector<const char*>& words);  // a step's, if it has any

int main(int argc, char** argv) {
#ifdef COURSE_HAS_NVCC
  course::Step step = step_on_gpu();
#else
  course::Step step = step_emulated();  // its variants refuse to run before they have an order
#endif
  step.emulated = [](const std::string& order, [[maybe_unused]] bool count) -> course::Step {
#ifdef COURSE_HAS_EMULATOR
    course::emulator::set_order(order), course::emulator::counting = count;
    return step_emulated();
#else
    throw course::Refusal{"--emulate: '" + order + "' needs the emulator; this build had no Boost.Context"};
#endif
  };
#ifdef COURSE_OWN_OPTIONS
  std::vector<const char*> words(argv, argv + argc);
  return course::exit_status(step.program, [&] {
    take_own_options(words);
    return course::run(static_cast<int>(words.size()), words.data(), step);
  });
#else
  return course::run(argc, argv, step);
#endif
}

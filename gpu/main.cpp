// The main of a step on a GPU: its variants there, or the emulator's.
#ifdef COURSE_HAS_EMULATOR
#include "emulator/emulator.hpp"
#endif
#include "runner/run.hpp"

course::Step step_on_gpu();
course::Step step_emulated();

int main(int argc, char** argv) {
#ifdef COURSE_HAS_NVCC
  course::Step step = step_on_gpu();
#else
  course::Step step = step_emulated();
  step.missing = "built without nvcc; --emulate forward runs the kernels on the processor";
#endif
#ifdef COURSE_HAS_EMULATOR
  step.emulated = [](const std::string& order) {
    course::emulator::set_order(order);
    return step_emulated();
  };
#endif
  return course::run(argc, argv, step);
}

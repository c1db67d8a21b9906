// The options of 15 alone: --gpus and --timeline.
#include <cstdio>

#include "asked.hpp"
#include "runner/text.hpp"

/// Takes them out of the command line. A GPU has a host thread: the runner sweeps over these.
void take_own_options(std::vector<const char*>& words) {
  static const std::string gpus = course::taken(words, "--gpus", "not given");
  if (gpus != "not given") words.insert(words.end(), {"--threads", gpus.c_str()});
  std::string& file = multi_gpu::timeline_file = course::taken(words, "--timeline");
  if (file.empty()) return;
  std::FILE* const begun = std::fopen(file.c_str(), "w");
  if (begun == nullptr) throw course::Refusal{"--timeline: cannot write to '" + file + "'"};
  std::fputs("variant,gpus,gpu,stream,what,begin_us,end_us\n", begun);
  std::fclose(begun);
}

std::exception_ptr multi_gpu::refusal(const std::string& line) {
  return std::make_exception_ptr(course::Refusal{line});
}

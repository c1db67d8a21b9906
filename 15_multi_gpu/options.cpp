// The options of 15 alone: --gpus, --kernel, --timeline.
#include <cstdio>

#include "asked.hpp"
#include "runner/text.hpp"

/// Takes them out of the command line. A GPU has a host thread: the runner sweeps over these.
void take_own_options(std::vector<const char*>& words) {
  static const std::string gpus = course::taken(words, "--gpus");
  if (!gpus.empty()) words.insert(words.end(), {"--threads", gpus.c_str()});
  auto& [kernel, timeline] = multi_gpu::asked;
  kernel = course::one_of("--kernel", course::taken(words, "--kernel", kernel), {"best", "f32_by_fp16"});
  timeline = course::taken(words, "--timeline");
  if (timeline.empty()) return;
  std::FILE* const file = std::fopen(timeline.c_str(), "w");
  if (file == nullptr) throw course::Refusal{"--timeline: cannot write to '" + timeline + "'"};
  std::fputs("variant,gpus,gpu,lane,what,begin_us,end_us\n", file);
  std::fclose(file);
}

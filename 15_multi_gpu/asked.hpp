// What is asked for beside the options of every step.
#pragma once

#include <string>

namespace multi_gpu {

struct Asked {
  std::string kernel = "best";  // the local product in f32: 09's best, or 13's f32_by_fp16
  std::string timeline = {};    // a file for what each GPU did when
};
inline Asked asked;

}  // namespace multi_gpu

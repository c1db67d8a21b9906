// What is asked for beside the options of every step.
#pragma once

#include <string>

namespace multi_gpu {

/// A file for what each GPU did when; empty: none.
inline std::string timeline_file;

}  // namespace multi_gpu

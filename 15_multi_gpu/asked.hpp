// What is asked for beside the options of every step, and how a program ends that lost a GPU (options.cpp).
#pragma once

#include <exception>
#include <string>

namespace multi_gpu {

/// A file for what each GPU did when; empty: none.
inline std::string timeline_file;

/// A Refusal, whose header nvcc cannot read: one line on stderr, status 2.
std::exception_ptr refusal(const std::string& line);

}  // namespace multi_gpu

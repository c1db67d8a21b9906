// What the libraries reach here. Each runs in a process of its own: it reads its settings while it is loaded,
// and one that crashes, hangs or disturbs the floating-point mode shall not take the program with it.
#pragma once

#include "libraries.hpp"
#include "roof.hpp"

namespace machine {

/// Rows of every candidate of one name: as the library chooses, and as the fastest of its settings. Sets
/// session.wrong if one computes a wrong product. False if not even one row could be had.
bool add_library(Session& session, const std::vector<Candidate>& settings);

/// The process of one library. Its arguments are what add_library gives; its findings go to file
/// descriptor 3.
int run_child(int argc, const char* const* argv);

/// The first argument that makes the program such a process.
inline const std::string child_mark = "--library-child";

}  // namespace machine

// What the libraries reach here, each in a process of its own (child.hpp).
#pragma once

#include "child.hpp"
#include "roof.hpp"

namespace machine {

/// Rows of every candidate of one name: as the library chooses, and as the fastest of its settings. Sets
/// session.wrong if one computes a wrong product. False if not even one row could be had.
bool add_library(Session& session, const std::vector<Candidate>& settings);

/// The process of one library. Its arguments are what add_library gives.
int run_child(int argc, const char* const* argv);

}  // namespace machine

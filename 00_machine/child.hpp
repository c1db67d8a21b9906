// This program once more, in a process of its own with one library in it: libraries read their settings while
// they are loaded, and one that crashes, hangs or disturbs the floating-point mode shall not take the program
// with it.
#pragma once

#include <functional>

#include "libraries.hpp"

namespace machine {

/// The first argument that makes a program such a process; main hands over to `serve` then.
inline const std::string child_mark = "--library-child";

/// What a process found out, a line of cells each. `cells` are five or more, empty where fewer were told.
using OnLine = std::function<void(const std::vector<std::string>& cells)>;

/// Runs this program with child_mark and `arguments`, in this environment and without standard streams;
/// `on_line` is called with each line as it comes. Returns nothing if all went well, else how it ended; also
/// when no line came for `limit` seconds. It ends when this process does, however that ends.
std::string run_apart(const std::vector<std::string>& arguments, const Environment& environment, double limit,
                      const OnLine& on_line);

/// In that process: runs `body` and leaves; what it throws is told as "failed". Returns 2 if nobody listens.
int serve(const std::function<void()>& body);
/// In that process: one line to the parent.
void tell(const std::vector<std::string>& cells);
/// Tells "about": the library's version, kernel, configuration and file.
void tell_about(const Library& library);

}  // namespace machine

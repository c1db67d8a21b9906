// How fast the processors are, told by a loop that needs nothing else.
#pragma once

namespace machine {

/// Additions a second of a loop of some milliseconds that needs nothing but a processor. So many threads run
/// one each; the slowest counts.
double pace(int threads);

}  // namespace machine

// How much of the processors this process had, and how fast they are. A shared machine is disturbed in
// bursts.
#pragma once

namespace course {

/// Additions a second of a loop of some milliseconds that needs nothing but a processor. So many threads run
/// one each; the slowest counts.
double pace(int threads);

/// Seconds for which this process had processors, of all its threads together.
double processor_seconds();

}  // namespace course

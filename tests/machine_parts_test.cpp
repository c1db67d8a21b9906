// Which parts of 00_machine run, in which order, and which are looked at twice: its main.cpp round parts that
// only say that they were called.
#include <doctest/doctest.h>

#define main machine_program
#include "../00_machine/main.cpp"
#undef main

namespace {

std::vector<std::string> calls;

void called(const char* part, const machine::Session& session) {
  calls.push_back(std::string(session.sheet.second_look ? "again " : "") + part);
}
std::vector<std::string> calls_of(std::vector<const char*> words) {
  words.insert(words.begin(), {"00_machine", "--threads", "1"});
  calls.clear();
  CHECK(machine_program(static_cast<int>(words.size()), const_cast<char**>(words.data())) == 0);
  return calls;
}

}  // namespace

namespace machine {

Topology topology() {
  return {{0}, 1, {}, 1e9};
}
void add_processor(Sheet&, const Topology&) {
  calls.emplace_back("processor");
}
void add_topology(Sheet&, const Topology&) {
  calls.emplace_back("topology");
}
void add_latencies(Session& session) {
  called("latencies", session);
}
void add_chains(Session& session) {
  called("chains", session);
}
std::string chains_missing() {
  return {};
}
void add_paces(Session& session) {
  called("paces", session);
}
void add_peaks(Session& session) {
  called("peaks", session);
}
void add_bandwidths(Session& session) {
  called("bandwidths", session);
}

}  // namespace machine

TEST_CASE("every part in its turn, and all that are rates once more") {
  CHECK(calls_of({}) == std::vector<std::string>{"processor", "topology", "latencies", "chains", "paces",
                                                 "peaks", "bandwidths", "again chains", "again paces",
                                                 "again peaks", "again bandwidths"});
  CHECK(calls_of({"--variant", "bandwidth,latency"}) ==
        std::vector<std::string>{"processor", "latencies", "bandwidths", "again bandwidths"});
}

// Which parts of 00_machine run, in which order, and which are looked at twice: its main.cpp round parts that
// only say that they were called.
#include <unistd.h>

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>

#define main machine_program
#include "00_machine/main.cpp"
#undef main

namespace {

std::vector<std::string> calls;

void called(const char* part, const machine::Session& session) {
  using Look = machine::Sheet::Look;
  const Look look = session.sheet.look;
  calls.push_back(std::string(look == Look::first   ? ""
                              : look == Look::again ? "again "
                                                    : "disturbed ") +
                  part);
}

/// What is called at each look: `first`, then the rates thrice and, where disturbed, six times more.
std::vector<std::string> looks_at(std::vector<std::string> first, const std::vector<std::string>& rates) {
  for (int look = 0; look < 9; ++look)
    for (const std::string& rate : rates) first.push_back((look < 3 ? "again " : "disturbed ") + rate);
  return first;
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
void add_reads(Session& session) {
  called("reads", session);
}

}  // namespace machine

TEST_CASE("every part in its turn, and all that are rates once more, as often as looks are taken") {
  CHECK(calls_of({}) ==
        looks_at({"processor", "topology", "latencies", "chains", "paces", "peaks", "bandwidths", "reads"},
                 {"chains", "paces", "peaks", "bandwidths", "reads"}));
  CHECK(calls_of({"--variant", "bandwidth,latency"}) ==
        looks_at({"processor", "latencies", "bandwidths"}, {"bandwidths"}));
  const std::string file = std::filesystem::temp_directory_path() / ("again." + std::to_string(getpid()));
  std::ofstream{file};
  CHECK(calls_of({"--again", "--csv", file.c_str()}) == looks_at({}, {"peaks"}));
  std::filesystem::remove(file);
}

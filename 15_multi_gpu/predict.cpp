// What each rung should take, before it is measured: predict LINKS.csv TFLOP/s N[,N…] GPUS [BYTES [TILE]].
// LINKS.csv is 00_machine_links' output; the rate is one GPU's, for large products of elements of BYTES.
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "cost.hpp"
#include "runner/run.hpp"
#include "runner/text.hpp"

namespace {

using namespace multi_gpu::cost;

/// α from the smallest message, β from the largest, by their medians; nothing if the file has no such link.
std::optional<Link> link_of(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::map<double, double> seconds;  // by bytes
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ",")) {
      double gpus, bytes, least, median;
      if (std::sscanf(line.c_str() + name.size() + 1, "%lf,%lf,%lf,%lf", &gpus, &bytes, &least, &median) == 4)
        seconds[bytes] = median;
    }
  if (seconds.size() < 2) return {};
  const auto [bytes, longest] = *seconds.rbegin();
  const double alpha = seconds.begin()->second;
  return Link{alpha, bytes / (longest - alpha)};
}

/// A number from 1 to 10⁹, for instance 54.3.
double number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 1 && value <= 1e9))
    throw course::Refusal{"'" + text + "' is no number from 1 to 1000000000"};
  return value;
}

int predict(const std::vector<std::string>& words) {
  if (words.size() < 4 || words.size() > 6)
    throw course::Refusal{
        "give LINKS.csv, a GPU's TFLOP/s, n[,n...], GPUs and perhaps an element's bytes and --tile's value"};
  const std::string& file = words[0];
  const double tera = number(words[1]);
  const double element = words.size() > 4 ? number(words[4]) : 4,
               most = words.size() > 5 ? number(words[5]) : 8192;
  const int gpus = int(number(words[3]));
  auto to = link_of(file, "to_each_gpu"), both = link_of(file, "both_ways_each");
  const auto one = link_of(file, "to_gpu"), from = link_of(file, "from_gpu"),
             peers = link_of(file, "peer_each"), gather = link_of(file, "all_gather");
  for (auto* each : {&to, &both})  // in 15 a GPU's own host thread starts its copies, as one GPU's there
    if (*each && one) (*each)->alpha = one->alpha;
  const Link none;
  const Rates rates{.product = tera * 1e12,
                    .memory = 4.2e12,  // an H200's
                    .peer = peers.value_or(none),
                    .all_gather = gather.value_or(none),
                    .to_gpu = to.value_or(none),
                    .from_gpu = from.value_or(none),
                    .both_ways = both ? *both : to.value_or(none)};
  if (!to && !peers && !gather) throw course::Refusal{file + " has no link that a rung goes by"};
  course::say(stdout, "variant,n,gpus,tile,predicted_s,efficiency\n");
  std::stringstream sizes(words[2] + ",");  // so that an empty last item is one
  for (std::string size; std::getline(sizes, size, ',');) {
    const course::Index n = course::Index(number(size));
    const Sizes s({n, n, n}, gpus, element);
    const auto say = [&](const char* name, bool known, double seconds) {
      if (known)
        course::say(stdout, "{},{},{},{:g},{:.6g},{:.4f}\n", name, n, gpus, most, seconds,
                    local(s, rates) / seconds);
    };
    say("local", true, local(s, rates));
    say("staged", gpus > 1 && to && from, staged(s, rates));
    say("peer", gpus > 1 && peers, peer(s, rates));
    say("nccl", gpus > 1 && gather, nccl(s, rates));
    say("overlapped", gpus > 1 && peers, overlapped(s, rates, most));
    if (to && from && double(n) <= 32 * most)  // it goes through all steps: not of many tiles
      say("from_host", true, from_host(s, rates, most));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return course::exit_status("predict", [&] { return predict({argv + 1, argv + argc}); });
}

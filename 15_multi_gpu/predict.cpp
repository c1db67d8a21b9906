// What each rung should take, before it is measured: predict LINKS.csv TFLOP/s N[,N…] GPUS [BYTES [TILE]].
// LINKS.csv is 00_machine_links' output; the rate is one GPU's, for large products of elements of BYTES.
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

#include "cost.hpp"
#include "runner/run.hpp"
#include "runner/text.hpp"

namespace {

using namespace multi_gpu::cost;

/// α from the smallest message, β from the largest, by their medians.
Link link_of(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::map<double, double> seconds;  // by bytes
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ",")) {
      double gpus, bytes, least, median;
      if (std::sscanf(line.c_str() + name.size() + 1, "%lf,%lf,%lf,%lf", &gpus, &bytes, &least, &median) == 4)
        seconds[bytes] = median;
    }
  if (seconds.size() < 2) throw course::Refusal{path + " has no link '" + name + "'"};
  const auto [bytes, longest] = *seconds.rbegin();
  const double alpha = seconds.begin()->second;
  return {alpha, bytes / (longest - alpha)};
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
  Rates rates{.product = tera * 1e12,
              .memory = 4.2e12,  // an H200's
              .to_gpu = link_of(file, "to_each_gpu"),
              .from_gpu = link_of(file, "from_gpu")};
  if (gpus > 1) rates.peer = link_of(file, "peer_each"), rates.all_gather = link_of(file, "all_gather");
  course::say(stdout, "variant,n,gpus,tile,predicted_s,efficiency\n");
  std::stringstream sizes(words[2] + ",");  // so that an empty last item is one
  for (std::string size; std::getline(sizes, size, ',');) {
    const course::Index n = course::Index(number(size));
    const Sizes s({n, n, n}, gpus, element);
    for (const auto& [name, seconds] : {std::pair{"local", local(s, rates)},
                                        {"staged", staged(s, rates)},
                                        {"peer", peer(s, rates)},
                                        {"nccl", nccl(s, rates)},
                                        {"overlapped", overlapped(s, rates, most)},
                                        {"from_host", from_host(s, rates, most)}})
      if (gpus > 1 || std::string(name) == "local" || std::string(name) == "from_host")
        course::say(stdout, "{},{},{},{:g},{:.6g},{:.4f}\n", name, n, gpus, most, seconds,
                    local(s, rates) / seconds);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return course::exit_status("predict", [&] { return predict({argv + 1, argv + argc}); });
}

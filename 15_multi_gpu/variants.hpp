// A rung as a variant: memory on each GPU, its run from the first GPU's start to the last one's end.
#pragma once

#include <cmath>
#include <cstdio>

#include "common/stopwatch.hpp"
#include "runner/variant.hpp"
#include "share.hpp"

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

using course::Settings, course::Times;

template <class T>
struct Rung {
  void (*run)(Share<T>& gpu);
  Kernel<T>* kernel;
  Needs needs;
  std::string lacking = {};  // why it cannot run here, whatever the GPUs; else empty
};

template <class T>
class MultiGpu : public course::Variant<T> {
 public:
  using R = Result<T>;
  MultiGpu(course::VariantInfo info, Rung<T> rung, std::shared_ptr<Team> team)
      : course::Variant<T>(std::move(info)), rung_(std::move(rung)), team_(std::move(team)) {}

  /// In turns with others each has its own memory.
  std::shared_ptr<course::Variant<T>> another() const override {
    return std::make_shared<MultiGpu>(this->info, rung_, team_);
  }
  course::Device device() const override { return Cuda::device(); }
  std::string refuses(const Problem<T>&, const Settings& settings) const override {
    if (!rung_.lacking.empty()) return rung_.lacking;
    if (const std::string why = Cuda::missing(80); !why.empty()) return why;
    return team_->missing(std::max(team_->gpus(settings), this->info.broken ? 2 : 1));
  }
  Times allocate(const Problem<T>& problem, const Settings& settings) override {
    release();
    const int gpus = team_->gpus(settings);
    const auto [m, n, k] = problem.shape;
    const Grid grid = rung_.needs.grid ? squarest(gpus) : Grid{gpus, 1};
    const Index most = settings.tile > 0 ? settings.tile : std::max({m, n, k});
    group_.reset(new Group<T>{problem, grid, most, rung_.kernel, *team_});
    group_->shares.resize(std::size_t(gpus));
    if (rung_.needs.host_b || rung_.needs.from_host) group_->b = {k, n, problem.pad};
    if (rung_.needs.from_host) {
      group_->a = {m, k, problem.pad}, group_->c = {m, n, problem.pad};
    }
    all([&](int gpu) {
      auto& share = group_->shares[std::size_t(gpu)];
      share = std::make_unique<Share<T>>(*group_, gpu, rung_.needs);
    });
    if (rung_.needs.from_host) fill_host('A', group_->a.view()), fill_host('B', group_->b.view());
    return {};
  }
  void reset() override {
    if (rung_.needs.host_b) course::poison_all(group_->b.view());
    if (rung_.needs.from_host) fill_host('C', group_->c.view());
    all([this](int gpu) { share(gpu).reset(); });
  }
  // [run]
  /// The seconds from when all GPUs are ready to when the last has ended.
  Times run() override {
    std::vector<double> began(group_->shares.size(), HUGE_VAL), ended(group_->shares.size());
    const course::Stopwatch watch;
    all([&](int gpu) {
      Share<T>& mine = share(gpu);
      team_->meet();
      began[std::size_t(gpu)] = watch.seconds();
      rung_.run(mine);
      Cuda::synchronize();
      ended[std::size_t(gpu)] = watch.seconds();
    });
    return {.product = *std::max_element(ended.begin(), ended.end()) -
                       *std::min_element(began.begin(), began.end())};
  }
  // [/run]
  View<const R> result() override {
    if (rung_.needs.from_host) return group_->c.view();
    const auto& [m, n, k] = group_->problem.shape;
    result_ = course::Matrix<R>(m, n, group_->problem.pad);
    all([this](int gpu) {
      const auto& [c, rows, cols] = std::tie(share(gpu).c, share(gpu).rows, share(gpu).cols);
      Cuda::transfer<R>(c, result_.view().block(rows.from, cols.from, rows.count, cols.count));
    });
    std::vector<Part> parts;
    for (int gpu = 0; gpu < group_->grid.P; ++gpu)
      parts.push_back(part(result_.view().rows(), group_->grid.P, gpu));
    const std::size_t row = std::size_t(result_.view().ld()) * sizeof(R);
    return team_->collect(result_.view().data(), row, parts) ? View<const R>(result_.view())
                                                             : View<const R>();
  }
  bool guards_intact() const override {
    std::atomic<bool> intact = result_.guards_intact();
    all([&](int gpu) {
      if (!share(gpu).guards_intact()) intact = false;
    });
    return intact;
  }
  void release() override {
    if (!group_) return;
    if (!timeline_file.empty()) write_timeline();
    try {
      all([this](int gpu) { group_->shares[std::size_t(gpu)].reset(); });
    } catch (...) {  // a lost GPU gives nothing back
    }
    group_.reset(), result_ = {};
  }

 private:
  void all(const std::function<void(int)>& work) const { team_->all(group_->grid.size(), work); }
  Share<T>& share(int gpu) const { return *group_->shares[std::size_t(gpu)]; }

  /// Writes all elements of a matrix in the host's memory, on all its cores, by threads that end with it:
  /// OpenMP's stay busy for some milliseconds more, on the cores that the GPUs' threads want.
  template <class E>
  void fill_host(char name, View<E> to) const {
    const Problem<T>& problem = group_->problem;
    const Index parts = course::usable_cpus();
    const auto fill = [=](Part rows) {
      for (Index i = rows.from; i < rows.from + rows.count; ++i)
        for (Index j = 0; j < to.cols(); ++j)
          to(i, j) = course::element<E>(problem.fill, problem.seed, name, i, j);
    };
    std::vector<std::thread> threads;
    for (Index each = 0; each < parts; ++each) try {
        threads.emplace_back(fill, part(to.rows(), parts, each));
      } catch (const std::system_error&) {  // no more threads
        fill(part(to.rows(), parts, each));
      }
    for (std::thread& thread : threads) thread.join();
  }

  /// Adds what each GPU did in the last run, in microseconds from that GPU's first piece of work on.
  void write_timeline() const {
    std::FILE* const file = std::fopen(timeline_file.c_str(), "a");
    if (file == nullptr) throw std::runtime_error("--timeline: cannot write to " + timeline_file);
    for (int gpu = 0; gpu < group_->grid.size(); ++gpu)
      if (group_->shares[std::size_t(gpu)])
        for (const Span& span : share(gpu).spans) {
          float begin = 0, end = 0;
          const cudaEvent_t first = share(gpu).spans[0].begin.get();
          if (cudaEventElapsedTime(&begin, first, span.begin.get()) == cudaSuccess &&
              cudaEventElapsedTime(&end, first, span.end.get()) == cudaSuccess)
            std::fprintf(file, "%s,%d,%d,%s,%s,%.1f,%.1f\n", this->info.name.c_str(), group_->grid.size(),
                         gpu, span.stream.c_str(), span.what.c_str(), 1e3 * double(begin), 1e3 * double(end));
        }
    std::fclose(file);
  }

  Rung<T> rung_;
  std::shared_ptr<Team> team_;
  std::unique_ptr<Group<T>> group_;
  course::Matrix<R> result_;
};

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu

// Several ranks played by threads of this process: a real barrier, real sums, and an end that reaches all.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "common/world.hpp"

class Crew {
 public:
  explicit Crew(int size) : slots_(static_cast<std::size_t>(size)), size_(size) {}

  /// Calls `body` on every rank; returns what each returned, or 1 if the program was ended by one of them.
  std::vector<int> run(const std::function<int(const course::World&)>& body) {
    std::vector<int> statuses(slots_.size());
    {
      std::vector<std::jthread> threads;
      for (int r = 0; r < size_; ++r)
        threads.emplace_back([this, r, &body, &statuses] {
          const Rank rank(*this, r);
          try {
            statuses[static_cast<std::size_t>(r)] = body(rank);
          } catch (const Ended&) {
            statuses[static_cast<std::size_t>(r)] = 1;
          }
        });
    }
    return statuses;
  }

  int meetings = 0;                     // how often all ranks have met
  std::vector<std::string> last_words;  // of ranks that ended the program

 private:
  struct Ended {};

  void meet() {
    std::unique_lock lock(mutex_);
    const int meeting = meetings;
    if (++waiting_ == size_) waiting_ = 0, ++meetings, all_.notify_all();
    const auto met = [&] { return ended_ || meetings != meeting; };
    if (!all_.wait_for(lock, std::chrono::seconds(30), met)) end("a rank waited in vain", lock);
    if (ended_) throw Ended();
  }
  /// `locked`: holds mutex_.
  [[noreturn]] void end(const std::string& line, const std::unique_lock<std::mutex>& locked) {
    (void)locked;
    if (!ended_) last_words.push_back(line);
    ended_ = true, all_.notify_all();
    throw Ended();
  }

  class Rank : public course::World {
   public:
    Rank(Crew& crew, int rank) : crew_(crew), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return crew_.size_; }
    void sum(std::span<std::uint64_t> mine) const override { reduce(mine, std::plus<>()); }
    void sum(std::span<double> mine) const override { reduce(mine, std::plus<>()); }
    void max(std::span<double> mine) const override {
      reduce(mine, [](double a, double b) { return std::isnan(a) || a > b ? a : b; });
    }
    std::string first(const std::string& mine) const override {
      std::string found;
      exchange(&mine, [&](const void* theirs) {
        if (found.empty()) found = *static_cast<const std::string*>(theirs);
      });
      return found;
    }
    std::uint64_t root(std::uint64_t mine) const override {
      if (rank_ != 0) mine = 0;
      sum(std::span(&mine, 1));
      return mine;
    }
    double on_this_host(double mine) const override {
      sum(std::span(&mine, 1));
      return mine;
    }
    [[noreturn]] void abort(const std::string& line) const override {
      crew_.end(line, std::unique_lock(crew_.mutex_));
    }

   private:
    /// Shows `mine` to all and calls `look` with each rank's, in order.
    template <class Look>
    void exchange(const void* mine, Look look) const {
      crew_.slots_[static_cast<std::size_t>(rank_)] = mine;
      crew_.meet();
      for (const void* theirs : crew_.slots_) look(theirs);
      crew_.meet();
    }
    template <class V, class Join>
    void reduce(std::span<V> mine, Join join) const {
      std::vector<V> all;
      exchange(mine.data(), [&](const void* theirs) {
        const std::span from(static_cast<const V*>(theirs), mine.size());
        if (all.empty())
          all.assign(from.begin(), from.end());
        else
          std::transform(all.begin(), all.end(), from.begin(), all.begin(), join);
      });
      for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = all[i];
    }

    Crew& crew_;
    int rank_;
  };

  std::mutex mutex_;
  std::condition_variable all_;
  std::vector<const void*> slots_;
  int size_, waiting_ = 0;
  bool ended_ = false;
};

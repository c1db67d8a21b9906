// The program of a learner's kernel: multiplies what tools/try/judge.py asks for in shared memory, and leaves
// C there. It takes the place of runner's run(), and proves nothing: the parent verifies.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdio>
#include <stdexcept>

#include "runner/cpu.hpp"
#include "runner/run.hpp"
#include "runner/text.hpp"

namespace course {
namespace {

enum class State : std::int64_t { asked, begun, answered, outside, failed, refused };

/// A product as the parent asks for it: a, b, c and bt are places in the file. From `state` on it is the
/// child's answer.
struct Product {
  std::int64_t type;  // bf16, f32, f64, i32
  std::int64_t m, n, k, pad, threads, tile;
  Dim2 grid, block;
  std::int64_t seed, digits, again;  // again: on the A and B of the product before
  std::int64_t a, b, c, bt;
  State state;
  double seconds, counts[4];
  char text[256];

  void say(State found, const std::string& what) {
    text[what.copy(text, sizeof text - 1)] = 0;
    state = found;
  }
};

/// Multiplies by a variant of this name: a kernel on the processor in the shared memory itself, others on
/// matrices of their own, made from the same recipe.
template <class T>
class Multiplier {
 public:
  Multiplier(const Variants<T>& variants, const std::string& name, const World& world, char* memory)
      : world_(world), memory_(memory) {
    for (const auto& variant : variants)
      if (variant->info.name == name) variant_ = variant;
  }

  void operator()(Product& asked, const Settings& settings) {
    if (variant_ == nullptr) return asked.say(State::refused, "there is no such variant of this type");
    const Fill fill = asked.digits != 0 ? Fill::digits : Fill::uniform;
    const Problem<T> problem{{asked.m, asked.n, asked.k}, fill, std::uint64_t(asked.seed), asked.pad};
    if (const std::string why = variant_->refuses(problem, settings); !why.empty())
      return asked.say(State::refused, why);
    if constexpr (std::is_same_v<T, Result<T>>) {
      if (const auto* const kernel = dynamic_cast<CpuVariant<T>*>(variant_.get())) {
        variant_->allocate({}, settings);
        return multiply_here(*kernel, asked);
      }
    }
    multiply_apart(asked, problem, settings);
  }

 private:
  View<Result<T>> matrix(Index place, Index rows, Index cols, const Product& asked) {
    return {reinterpret_cast<Result<T>*>(memory_ + place), rows, cols, cols + asked.pad};
  }

  void multiply_here(const CpuVariant<T>& kernel, Product& asked) {
    const auto [m, n, k] = Shape{asked.m, asked.n, asked.k};
    const View<T> a = matrix(asked.a, m, k, asked), b = matrix(asked.b, k, n, asked),
                  c = matrix(asked.c, m, n, asked), bt = matrix(asked.bt, n, k, asked);
    for (Index i = 0; i < m; ++i)  // its pages, and the caches, are not timed
      for (Index j = 0; j < n; ++j) c(i, j) = *const_cast<volatile T*>(&c(i, j));
    asked.seconds = kernel.call(a, b, c, bt);
    asked.state = State::answered;
  }

  void multiply_apart(Product& asked, const Problem<T>& problem, const Settings& settings) {
    if (asked.again == 0) {
      variant_->release();
      problem_ = problem;
      variant_->allocate(problem_, settings);
    }
    variant_->distribute(), variant_->reset();
    const Times times = variant_->run();
    variant_->fetch();
    double error = variant_->guards_intact() ? 0 : world_.size() - world_.rank();
    world_.max({&error, 1});
    std::string said = variant_->run_error();
    if (error > 0) {
      said = world_.size() > 1 ? "rank " + std::to_string(world_.size() - int(error)) : "it";
      said += " wrote outside its matrix";
    }
    double seconds = times.product.value_or(0);
    world_.max({&seconds, 1});
    const View<const Result<T>> c = variant_->result();
    if (!world_.is_root()) return;
    if (c.rows() == asked.m && c.cols() == asked.n)
      copy<Result<T>>(c, matrix(asked.c, asked.m, asked.n, asked));
    asked.seconds = seconds;
    const Times::Field counts[] = {times.accesses, times.sectors, times.shared_accesses, times.wavefronts};
    for (int i = 0; i < 4; ++i) asked.counts[i] = counts[i].value_or(0);
    asked.say(said.empty() ? State::answered : error > 0 ? State::outside : State::failed, said);
  }

  const World& world_;
  char* memory_;
  std::shared_ptr<Variant<T>> variant_;
  Problem<T> problem_;
};

/// The file, all of it, as memory that is shared with the parent.
char* mapped(const char* path) {
  const int file = open(path, O_RDWR);
  struct stat of = {};
  if (file < 0 || fstat(file, &of) != 0) throw std::runtime_error(std::string(path) + " cannot be opened");
  const auto size = static_cast<std::size_t>(of.st_size);
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED) throw std::runtime_error(std::string(path) + " cannot be mapped");
  return static_cast<char*>(memory);
}

}  // namespace

/// PROGRAM FILE COUNT VARIANT [ORDER [count]]: the first COUNT products of FILE, on the emulator in an ORDER.
int run(int argc, const char* const* argv, const Step& given, const World& world) {
  if (argc < 4) return std::fprintf(stderr, "only `make try` starts this program\n"), 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a crash loses no line
  try {
    const Step step = argc > 4 ? given.emulated(argv[4], argc > 5) : given;
    char* const memory = mapped(argv[1]);
    auto* const products = reinterpret_cast<Product*>(memory);
    const std::function<void(Product&, const Settings&)> of_type[] = {
        Multiplier<bf16>(step.bf16, argv[3], world, memory),
        Multiplier<float>(step.f32, argv[3], world, memory),
        Multiplier<double>(step.f64, argv[3], world, memory),
        Multiplier<std::int32_t>(step.i32, argv[3], world, memory)};
    for (int at = 0; at < std::stoi(argv[2]); ++at) {
      Product asked = products[at];  // each rank its own; rank 0 answers
      Product& answer = world.is_root() ? products[at] : asked;
      const auto first = [](const auto& list, auto none) { return list.empty() ? none : list.front(); };
      Settings settings{
          .threads = int(asked.threads), .tile = asked.tile, .grid = asked.grid, .block = asked.block};
      if (settings.tile == 0) settings.tile = first(step.tiles, Index{0});
      if (settings.grid.x == 0) settings.grid = first(step.grids, Dim2());
      if (settings.block.x == 0) settings.block = first(step.blocks, Dim2());
      if (world.is_root()) answer.state = State::begun, std::printf("\x1e"), std::fflush(stdout);
      try {
        of_type[asked.type](answer, settings);
      } catch (const std::exception& error) {
        if (world.size() > 1) world.abort(error.what(), 1);
        answer.say(State::failed, std::string("it threw: ") + error.what());
      }
    }
    return 0;
  } catch (const Refusal& refusal) {
    return std::fprintf(stderr, "%s\n", refusal.message.c_str()), 2;
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 2;
  }
}

}  // namespace course

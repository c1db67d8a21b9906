// Captures what a call writes to standard output and to standard error.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

struct Captured {
  std::string out, err;
};

inline Captured captured(const std::function<void()>& call) {
  int out[2], err[2];  // to read, to write: two pipes hold more than any test says
  if (pipe(out) != 0 || pipe(err) != 0) std::abort();
  std::fflush(stdout);
  const int kept_out = dup(STDOUT_FILENO), kept_err = dup(STDERR_FILENO);
  dup2(out[1], STDOUT_FILENO), dup2(err[1], STDERR_FILENO);
  call();
  std::fflush(stdout);
  dup2(kept_out, STDOUT_FILENO), dup2(kept_err, STDERR_FILENO);
  const auto all = [](const int(&ends)[2]) {
    std::string text;
    char some[4096];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    for (ssize_t count; (count = read(ends[0], some, sizeof some)) > 0;)
      text.append(some, static_cast<std::size_t>(count));
    return close(ends[0]), close(ends[1]), text;
  };
  close(kept_out), close(kept_err);
  return {all(out), all(err)};
}

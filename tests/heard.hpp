// What a call says on standard output and on standard error; if need be, that is a terminal.
#pragma once

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

struct Heard {
  std::string out, err;
};

/// Whether there is one to be had.
inline bool has_terminals() {
  const int end = posix_openpt(O_RDWR | O_NOCTTY);
  const bool usable = end >= 0 && grantpt(end) == 0 && unlockpt(end) == 0;
  close(end);
  return usable;
}

inline Heard heard(const std::function<void()>& call, bool on_terminal = false) {
  int out[2], err[2];  // to read, to write: two pipes hold more than any test says
  if (pipe(out) != 0 || pipe(err) != 0) std::abort();
  if (on_terminal) {
    close(err[0]), close(err[1]);
    err[0] = posix_openpt(O_RDWR | O_NOCTTY);
    if (grantpt(err[0]) != 0 || unlockpt(err[0]) != 0) std::abort();
    err[1] = open(ptsname(err[0]), O_RDWR | O_NOCTTY);
    termios as_it_is{};
    cfmakeraw(&as_it_is);
    tcsetattr(err[1], TCSANOW, &as_it_is);
  }
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

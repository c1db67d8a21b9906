#!/bin/sh
# Installs what the course needs and this machine lacks. Silent and quick when nothing is missing.
#   ./setup.sh          what `make report` needs
#   ./setup.sh test     what `make test` needs besides
#   ./setup.sh simulate what `make simulate` needs besides: SimGrid
#   ./setup.sh --list   prints the package names and installs nothing
# Where apt is not to be had, or not by you, it prints the names and ends with 1.
set -eu

core="g++ cmake make git python3 python3-jinja2 libcli11-dev libfmt-dev libeigen3-dev doctest-dev gnuplot-nox fonts-dejavu-core binutils libhwloc-dev"
extra="ninja-build libopenmpi-dev openmpi-bin libboost-context-dev" # without them: a slower build, no MPI, no emulator
checks="valgrind ccache shellcheck clang-format clang-14 libclang-rt-14-dev libomp-14-dev qemu-user" # without them some tests are skipped, nothing else
# Without these their rows in 00 are missing. Their names change from release to release: those apt knows are installed.
# So does the offload compiler's, of the compiler's own release; without it step 10 runs on the host only.
rivals="libopenblas0-openmp libblis4-openmp libdnnl2 libdnnl3 libscalapack-openmpi-dev gcc-$(g++ -dumpversion 2>/dev/null || echo 12)-offload-nvptx"

case "${1-}" in
"") ;;
test) extra="$extra $checks" ;;
simulate) extra="$extra libsimgrid-dev" ;;
--list)
  echo "$core $extra $checks $rivals"
  exit 0
  ;;
*)
  echo "setup.sh: '$1' is unknown; give nothing, test, simulate or --list" >&2
  exit 2
  ;;
esac

# A machine without Debian's package list may have the same tools from elsewhere: ask for the tools themselves.
present() {
  if command -v dpkg-query >/dev/null 2>&1; then
    case $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) in installed) return 0 ;; esac
  fi
  case $1 in
  libcli11-dev) header CLI/CLI.hpp ;;
  libfmt-dev) header fmt/core.h ;;
  libhwloc-dev) header hwloc.h ;;
  libboost-context-dev) header boost/context/fiber.hpp ;;
  libopenmpi-dev) command -v mpicxx >/dev/null 2>&1 ;;
  libsimgrid-dev) command -v smpirun >/dev/null 2>&1 && header smpi/smpi.h ;;
  ninja-build) command -v ninja >/dev/null 2>&1 ;;
  openmpi-bin) command -v mpirun >/dev/null 2>&1 ;;
  libopenblas0-openmp) library libopenblas ;;
  libblis4-openmp) library libblis ;;
  libdnnl2 | libdnnl3) library libdnnl ;;
  libscalapack-openmpi-dev) test -e /usr/lib/*/libscalapack-openmpi.so ;;
  libeigen3-dev) header eigen3/Eigen/Dense ;;
  doctest-dev) header doctest/doctest.h ;;
  python3-jinja2) python3 -c 'import jinja2' 2>/dev/null || /usr/bin/python3 -c 'import jinja2' 2>/dev/null ;;
  gnuplot-nox) command -v gnuplot >/dev/null 2>&1 ;;
  fonts-dejavu-core) command -v fc-list >/dev/null 2>&1 && fc-list | grep -q . ;;
  qemu-user) command -v qemu-x86_64 >/dev/null 2>&1 ;;
  gcc-*-offload-nvptx) test -e "$(dirname "$(g++ -print-libgcc-file-name 2>/dev/null)")/accel/nvptx-none/mkoffload" ;;
  binutils) command -v nm >/dev/null 2>&1 ;;
  *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}
library() { PATH=$PATH:/sbin ldconfig -p 2>/dev/null | grep -q "[[:space:]]$1\.so"; }
header() { test -e "/usr/include/$1" || test -e "/usr/local/include/$1"; }

missing=""
needed=""
for package in $core; do
  present "$package" || needed="$needed $package"
done
for package in $extra; do
  present "$package" || missing="$missing $package"
done
missing="$needed$missing"
absent_rivals() {
  for package in $rivals; do
    if ! present "$package" && apt-cache show "$package" >/dev/null 2>&1; then printf ' %s' "$package"; fi
  done
}
[ -n "$missing$(absent_rivals)" ] || exit 0

by_hand() {
  if [ -z "$needed" ]; then
    echo "setup.sh: $1; some tests or rows will be left out without$missing$(absent_rivals)" >&2
    exit 0
  fi
  echo "setup.sh: $1; please install these (Debian's names):$missing" >&2
  exit 1
}
command -v apt-get >/dev/null 2>&1 || by_hand "there is no apt here"
if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root="sudo"
elif command -v sudo >/dev/null 2>&1; then
  by_hand "apt needs root, and sudo asks for a password"
else
  by_hand "apt needs root, and there is no sudo here"
fi
log=$(mktemp)
install() {
  echo "setup.sh: installing$1"
  # shellcheck disable=SC2086 # lists of words
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $1 >>"$log" 2>&1
}
if ! { $as_root apt-get update >"$log" 2>&1 && { [ -z "$missing" ] || install "$missing"; }; }; then
  tail -n 5 "$log" >&2
  by_hand "apt failed (the log is $log)"
fi
for package in $(absent_rivals); do # asked again: before the update apt may have known nothing
  install " $package" || echo "setup.sh: $package cannot be had; its rows are missing" >&2
done
rm -f "$log"

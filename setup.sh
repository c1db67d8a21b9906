#!/bin/sh
# Installs what the course needs and this machine lacks, and says first what. Silent and quick when nothing is missing.
#   sh setup.sh          what `make report` needs
#   sh setup.sh test     what `make test` needs besides
#   sh setup.sh teach    what `make try HANDINS=folder` needs besides: bubblewrap
#   sh setup.sh simulate what `make simulate` needs besides: SimGrid
#   sh setup.sh book     what `make book` needs
#   sh setup.sh browser  what the report's page is looked at with: chromium and selenium (ctest --test-dir build -C browser -L browser)
# Ends with 1 where something of the core is missing and cannot be installed; without the rest the course goes on, and says what is missing.
set -eu

# Debian's packages; behind a colon, a command of theirs that is not called so.
core="g++ cmake make git python3 binutils:nm"
# CMake fetches the sources of what is missing of these (cmake/packages.cmake).
fetched="libcli11-dev libfmt-dev libeigen3-dev"
extra="python3-jinja2 python3-numpy gnuplot-nox:gnuplot fonts-dejavu-core ninja-build:ninja libopenmpi-dev:mpicxx openmpi-bin:mpirun libboost-context-dev libhwloc-dev"
# Without these some tests are skipped.
checks="valgrind ccache shellcheck clang-format black clang libclang-rt-dev llvm:llvm-symbolizer libomp-dev qemu-user:qemu-x86_64 \
  g++-aarch64-linux-gnu:aarch64-linux-gnu-g++ bubblewrap:bwrap libblas-test libblas3 python3-pytest hunspell hunspell-en-gb"
# Without these the rows of these libraries are missing; without the offload compiler step 10 runs on the host only.
libraries="libopenblas0-openmp libblis4-openmp libdnnl2 libdnnl3 libdnnl3.6 libscalapack-openmpi-dev"
offload() { if version=$(g++ -dumpversion 2>/dev/null); then echo "gcc-${version%%.*}-offload-nvptx"; fi; } # nothing before there is a g++

case "${1-}" in
"") more="" ;;
test) fetched="$fetched doctest-dev" more="$checks" ;;
teach) more="bubblewrap:bwrap" ;;
simulate) more="libsimgrid-dev:smpirun" ;;
book) more="python3-myst-parser furo python3-sphinx-copybutton" ;;
browser) more="chromium chromium-driver:chromedriver python3-selenium python3-pytest" ;;
*)
  echo "setup.sh: '$1' is unknown; give nothing, test, teach, simulate, book or browser" >&2
  exit 2
  ;;
esac

# A machine without Debian's package list may have the same from elsewhere: what can be found without dpkg is looked for.
present() { # PACKAGE COMMAND
  if command -v dpkg-query >/dev/null 2>&1; then
    case $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) in installed) return 0 ;; esac
  fi
  case $1 in
  libcli11-dev) header CLI/CLI.hpp ;;
  libfmt-dev) header fmt/core.h ;;
  libhwloc-dev) header hwloc.h ;;
  libboost-context-dev) header boost/context/fiber.hpp ;;
  libeigen3-dev) header eigen3/Eigen/Dense ;;
  doctest-dev) header doctest/doctest.h ;;
  libopenblas0-openmp) library libopenblas ;;
  libblis4-openmp) library libblis ;;
  libdnnl*) library libdnnl ;;
  fonts-dejavu-core) command -v fc-list >/dev/null 2>&1 && fc-list | grep -q . ;;
  gcc-*-offload-nvptx) [ -e "$(dirname "$(g++ -print-libgcc-file-name 2>/dev/null)")/accel/nvptx-none/mkoffload" ] ;;
  python3-*) /usr/bin/python3 -c "import ${1#python3-}" 2>/dev/null || python3 -c "import ${1#python3-}" 2>/dev/null ;;
  g++-aarch64-linux-gnu) [ "$(uname -m)" = aarch64 ] || command -v "$2" >/dev/null 2>&1 ;;
  *) command -v "$2" >/dev/null 2>&1 ;;
  esac
}
library() { PATH=$PATH:/sbin ldconfig -p 2>/dev/null | grep -q "[[:space:]]$1\.so"; }
# The compiler knows of CPATH, conda and the like; CMake also looks below the folders of CMAKE_PREFIX_PATH.
header() {
  IFS=":"
  for folder in ${CMAKE_PREFIX_PATH-} /usr /usr/local; do if [ -e "$folder/include/$1" ]; then unset IFS && return 0; fi; done
  unset IFS
  echo "#include <$1>" | c++ -E -x c++ - >/dev/null 2>&1
}

# What is absent of these packages. Names change from release to release: those that apt does not know are passed over,
# unless it knows nothing yet.
absent() {
  for package in "$@"; do
    command=${package#*:} package=${package%%:*}
    present "$package" "$command" && continue
    if apt-cache show "$package" >/dev/null 2>&1 || ! apt-cache show g++ >/dev/null 2>&1; then printf ' %s' "$package"; fi
  done
}
# shellcheck disable=SC2046,SC2086 # lists of words
needed=$(absent $core) sources=$(absent $fetched) wanted=$(absent $extra $more $libraries $(offload))
[ -n "$needed$sources$wanted" ] || exit 0

by_hand() {
  echo "setup.sh: $1"
  ! command -v brew >/dev/null 2>&1 || echo "setup.sh: brew install gcc libomp cmake ninja cli11 fmt eigen doctest open-mpi boost hwloc gnuplot"
  if [ -n "$needed" ]; then
    echo "setup.sh: please install these (Debian's names):$needed$sources$wanted"
    exit 1
  fi
  [ -z "$sources" ] || echo "setup.sh: CMake fetches the sources of$sources"
  [ -z "$wanted" ] || echo "setup.sh: what needs these is left out:$wanted"
  exit 0
} >&2
command -v apt-get >/dev/null 2>&1 || by_hand "there is no apt here"
as_root=""
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || by_hand "apt needs root, and there is no sudo here, or it asks for a password"
  as_root="sudo"
fi
log=$(mktemp)
install() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >>"$log" 2>&1; }
echo "setup.sh: installing$needed$sources$wanted"
$as_root apt-get update >"$log" 2>&1 || by_hand "apt-get update failed (the log is $log)"
# shellcheck disable=SC2086 # a list of words
[ -z "$needed" ] || install $needed || by_hand "apt failed (the log is $log)"
needed=""
# Each group by itself, and where one fails its packages one by one: what cannot be had must not cost the others.
for group in "$fetched" "$extra" "$more" "$libraries $(offload)"; do
  # shellcheck disable=SC2086 # lists of words
  group=$(absent $group)
  # shellcheck disable=SC2086
  [ -z "$group" ] || install $group && continue
  for package in $group; do
    install "$package" || echo "setup.sh: $package cannot be had; what needs it is left out" >&2
  done
done
rm -f "$log"

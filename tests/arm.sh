#!/usr/bin/env bash
# The course on 64-bit ARM: a cross compiler builds it, qemu-user runs its tests. 77 and a line where something is missing.
#   arm.sh quick   01 and 05 on random shapes and edges, and 05's loops counted: what CI runs
#   arm.sh all     all tests of 00 to 06, of what they stand on and of the emulator. COURSE_ARM_ROOT names a folder with
#                  arm64's MPI, hwloc and Boost; where there is none, debootstrap fills it (as root, from the network)
set -euo pipefail
cd "$(dirname "$0")/.."
lacks() {
  echo "arm.sh: $1"
  exit 77
}
for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v $tool >/dev/null || lacks "there is no $tool (Debian: g++-aarch64-linux-gnu, qemu-user)"
done
case ${1-} in
quick)
  unset COURSE_ARM_ROOT
  options=(-DCMAKE_COMPILE_WARNING_AS_ERROR=ON)
  targets=(01_naive 05_avx2)
  tests=(-R '^0(1_naive|5_avx2)\.(random|edges)$|^05_avx2\..*(_tile|_loop)$')
  ;;
all)
  export COURSE_ARM_ROOT=${COURSE_ARM_ROOT:?names a folder for libraries of arm64}
  grep -qs aarch64 /proc/sys/fs/binfmt_misc/* ||
    lacks "scripts cannot start programs of ARM here (as root: mount -t binfmt_misc none /proc/sys/fs/binfmt_misc; cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register)"
  if [ ! -e "$COURSE_ARM_ROOT/usr/include/hwloc.h" ]; then
    command -v debootstrap >/dev/null || lacks "$COURSE_ARM_ROOT has no libraries, and there is no debootstrap to fetch them"
    # shellcheck source=/dev/null
    debootstrap --foreign --arch=arm64 --variant=minbase --include=libopenmpi-dev,libhwloc-dev,libboost-context-dev \
      "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$COURSE_ARM_ROOT" >&2
    for package in "$COURSE_ARM_ROOT"/var/cache/apt/archives/*.deb; do dpkg -x "$package" "$COURSE_ARM_ROOT"; done
  fi
  options=(-DCOURSE_EVERYTHING=ON)
  targets=({00_machine,01_naive,02_loop_order,03_tiling,04_openmp,05_avx2,06_mpi,07_cuda_global,08_cuda_shared,tests}/all)
  # Valgrind, Python and the BLAS testers of this machine load no code of another; qemu itself needs more than the limit.
  tests=(-L '^(0[0-6]_[a-z0-9_]*|common|runner|emulator)$' -LE '^mechanism$' -E 'as_blas|blas_testers|numpy|starved')
  ;;
*) echo "arm.sh: give quick or all" >&2 && exit 2 ;;
esac
build=build-arm-$1
! command -v ccache >/dev/null || options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake "${options[@]}" >"$build.log"
cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}" >"$build.log" || { tail -n 40 "$build.log" && exit 1; }
echo "commit $(git rev-parse --short HEAD 2>/dev/null), $(aarch64-linux-gnu-g++ --version | head -n 1), $(qemu-aarch64 --version | head -n 1)"
status=0
ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "${tests[@]}" 2>&1 |
  sed -u "s#$PWD/##g; /^ *Start /d; /changing into/d" | tee "$build/tests.txt" || status=1
# Why tests are skipped: the last line that each of them printed.
awk 'NR == FNR {if (/\*\*\*Skipped/) skipped[$4]; next} / Testing: / {name = $3}
  /^<end of output>/ && name in skipped {print "skipped: " name ": " last} {last = $0}' "$build/tests.txt" "$build/Testing/Temporary/LastTest.log"
exit $status

#!/usr/bin/env bash
# The reference's own testers of gemm (Debian: libblas-test) pass on libcourse_blas.so, by each of its kernels. Without AVX2
# (qemu) it chooses plain loops; and nothing is read or written that is not there (valgrind).
#   blas_testers.sh LIBRARY
set -u
library=$1
for folder in /usr/lib/*/blas /usr/lib/blas /usr/lib64/blas; do [ -x "$folder/xblat3s" ] && break; done
[ -x "$folder/xblat3s" ] || { echo "there are no testers here: setup.sh test installs libblas-test"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LD_LIBRARY_PATH=$folder COURSE_BLAS_COUNT=1 OMP_NUM_THREADS=2

# tested KERNEL PASSES TESTER INPUT [COMMAND …]: so many lines tell that gemm has passed, none that anything failed.
tested() {
  LD_PRELOAD=$library COURSE_VARIANT=$1 "${@:5}" "$folder/$3" <"$folder/$4" >out 2>err || {
    grep "this processor lacks" err && return
    cat out err && exit 1
  }
  cat ./*blat3.out >>out 2>/dev/null
  rm -f ./*blat3.out
  if [ "$(grep -ciE 'gemm +PASSED' out)" -ne "$2" ] || grep -E 'FAIL|\*\*\*' out || ! grep -qE "[1-9][0-9]* products, .* by $1\$" err; then
    echo "$3 by $1:" && cat out err
    exit 1
  fi
}
for kernel in avx512 tuned plain; do
  for type in s d; do
    tested $kernel 2 xblat3$type ${type}blat3.in
    tested $kernel 3 x${type}cblat3 ${type}in3
  done
done
if command -v qemu-x86_64 >/dev/null; then # a processor without AVX2
  tested plain 2 xblat3s sblat3.in env -u COURSE_VARIANT qemu-x86_64 -cpu Nehalem
fi
if command -v valgrind >/dev/null; then
  tested tuned 2 xblat3d dblat3.in valgrind -q --error-exitcode=1
fi

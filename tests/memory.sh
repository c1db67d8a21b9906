#!/usr/bin/env bash
# Under a limit of memory no program is killed: it refuses (2), or there is enough (0). Looked for is the least limit that is
# not refused, for there what was forgotten in the estimate would show.
#   memory.sh BUILD           each program
#   memory.sh BUILD MPIRUN    several ranks in one group
set -u
build=$1 mpirun=${2-}
group=/sys/fs/cgroup/course.$$ limit=memory.max
if [ ! -e /sys/fs/cgroup/cgroup.controllers ] || ! mkdir $group 2>/dev/null; then
  echo "no memory group of version 2 can be made here"
  exit 77
fi
mkdir $group/inner
trap 'rmdir $group/inner $group' EXIT
where=$group
[ -w $group/$limit ] || { echo "groups have no limit of memory here"; exit 77; }
failures=0
within() { # MB COMMAND…
  echo $(($1 << 20)) >$group/$limit || return 1
  (
    echo "$BASHPID" >$where/cgroup.procs
    exec "${@:2}" --repeat 1 --warmup 0 --type f32
  ) >/dev/null 2>&1
}
# least LOW COMMAND…: with LOW MB it is refused, or MPI itself finds no room.
least() {
  local low=$1 high=400 more status # MB: refused with the one, not with the other
  shift
  while [ $((high - low)) -gt 1 ]; do
    middle=$(((low + high) / 2))
    within $middle "$@"
    if [ $? -eq 2 ]; then low=$middle; else high=$middle; fi
  done
  for more in 0 2 8 40; do
    within $((high + more)) "$@"
    status=$?
    [ $status -eq 2 ] && [ $more -lt 40 ] && continue # what is free is never quite the same
    [ $status -eq 0 ] || [ $status -eq 77 ] || { echo "FAILED: with $((high + more)) MB: exit $status: $*"; failures=$((failures + 1)); }
  done
  echo "$high MB: $*"
}
if [ -z "$mpirun" ]; then
  least 1 "$build/01_naive/01_naive" --variant rows_of_rows --shape 30x3000x4000 --verify auto
  where=$group/inner # a job's or a container's limit is that of a group above
  least 1 "$build/02_loop_order/02_loop_order" --variant transposed --shape 100x2000x2000 --verify full
  where=$group
  least 1 "$build/05_avx2/05_avx2" --variant tuned,avx512 --size 2100 --verify none
  least 1 "$build/05_avx2/05_avx2" --variant tuned_threads,avx512_threads --threads 4 --shape 3000x200x2000 --verify full
else
  least 60 "$mpirun" -n 2 "$build/06_mpi/06_mpi" --variant rows_blocking,rows_immediate --size 1800 --verify full
  least 60 "$mpirun" -n 4 "$build/06_mpi/06_mpi" --variant summa,summa_ring,block_cyclic --size 1500 --verify none
fi
exit $((failures > 0))

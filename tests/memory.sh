#!/usr/bin/env bash
# Under a limit of memory no program is killed: it refuses (2), or there is enough (0). Looked for is the least limit that is
# not refused, for there what was forgotten in the estimate would show.
#   memory.sh BUILD
set -u
build=$1
group=/sys/fs/cgroup/memory/course.$$ limit=memory.limit_in_bytes # version 1
if ! mkdir $group 2>/dev/null; then
  group=/sys/fs/cgroup/course.$$ limit=memory.max
  mkdir $group 2>/dev/null || { echo "no memory group can be made here"; exit 77; }
fi
trap 'rmdir $group' EXIT
[ -w $group/$limit ] || { echo "groups have no limit of memory here"; exit 77; }
failures=0
within() { # MB PROGRAM ARGUMENT…
  echo $(($1 << 20)) >$group/$limit || return 1
  (
    echo "$BASHPID" >$group/cgroup.procs
    exec "${@:2}" --repeat 1 --warmup 0 --type f32
  ) >/dev/null 2>&1
}
for call in "01_naive/01_naive --variant rows_of_rows --shape 30x3000x4000 --verify auto" \
  "02_loop_order/02_loop_order --variant transposed --shape 100x2000x2000 --verify full" \
  "05_avx2/05_avx2 --variant tuned,avx512 --size 2100 --verify none" \
  "05_avx2/05_avx2 --variant tuned_threads,avx512_threads --threads 4 --shape 3000x200x2000 --verify full"; do
  read -ra words <<<"$call"
  low=1 high=300 # MB: refused with the one, not with the other
  while [ $((high - low)) -gt 1 ]; do
    middle=$(((low + high) / 2))
    within $middle "$build/${words[0]}" "${words[@]:1}"
    if [ $? -eq 2 ]; then low=$middle; else high=$middle; fi
  done
  for more in 0 2 8; do
    within $((high + more)) "$build/${words[0]}" "${words[@]:1}"
    status=$?
    [ $status -eq 0 ] || [ $status -eq 77 ] || { echo "FAILED: with $((high + more)) MB: exit $status: $call"; failures=$((failures + 1)); }
  done
  echo "$high MB: $call"
done
exit $((failures > 0))

#!/usr/bin/env bash
# Three real ranks: what goes wrong on rank 1 is everybody's, with one message of ours and the right status; nothing
# hangs. (mpirun adds lines of its own when a rank ends with something else than 0.)
#   ranks.sh MPIRUN PROGRAM
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
mpirun=$1 program=$2 file=rows.csv
[ -x "$mpirun" ] || { echo "no mpirun here"; exit 77; }
# As root, with more ranks than cores, and none pinned to one: what tests on two cores need of Open MPI.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm_rsh_agent=false
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none # Open MPI 5
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_odls_base_sigkill_timeout=0 # else mpirun waits a second for ranks that have ended
# shellcheck source=/dev/null
. "$(dirname "$0")/program.sh"

# ranks STATUS ARGUMENT…: three of them; a hang is ended after a minute and is no status of ours.
ranks() {
  local wanted=$1 status
  shift
  timeout 60 "$mpirun" -n 3 "$program" --repeat 2 "$@" >out 2>err </dev/null
  status=$?
  [ $status -eq "$wanted" ] || fail "$*: exit $status, not $wanted: $(cat err)"
}
# says STATUS MESSAGE ARGUMENT…: and this is the one line of ours.
says() {
  local wanted=$1 message=$2
  shift 2
  ranks "$wanted" "$@"
  [ "$(grep -c '^ranks: ' err)" -eq 1 ] || fail "$*: not one line of ours: $(cat err)"
  grep -qF "ranks: $message" err || fail "$*: '$message' is not in: $(cat err)"
}

ranks 0 --variant right --shape 10x7x5,1x4x3,2x0x3,5x5x0 --csv rows.csv
grep -q '^ranks: ' err && fail "right, and yet: $(cat err)"
# One launcher with another MPI's program would run three times one rank.
[ "$(tail -n +2 rows.csv | cut -d, -f10 | sort -u)" = 3 ] || fail "not three ranks: $(cat rows.csv)"
[ "$(tail -n +2 rows.csv | wc -l)" -eq 12 ] || fail "not a row for each shape and type: $(cat rows.csv)"
[ "$(grep -c ',right,' rows.csv)" -eq 12 ] || fail "not all right: $(cat rows.csv)"
# The slowest rank gives each phase's time; words are those received.
found=$(cells rows.csv median_s alloc_s distribute_s)
[ "$found" = 0.004,2.5,3 ] || fail "median, alloc, distribute: $found"
ranks 0 --variant right --shape 2050x3x5 --type f64 --csv large.csv
grep -q right out || fail "samples and Freivalds on three ranks: $(cat out err)"
[ "$(cells large.csv words_received verify)" = 15,samples+freivalds ] || fail "words received, verify: $(cat large.csv)"
# Their share of the peak is of the threads of all: 16,000 operations in 4 ms.
printf '%s\n' name,type,vector,threads,level,value,unit,note peak,f32,sse2,1,,0.004,GFLOP/s, peak,f32,sse2,3,,0.01,GFLOP/s, >machine.csv
ranks 0 --variant right --size 20 --type f32 --machine machine.csv
grep -q ' 0.004    40% ' out || fail "share of the peak: $(cat out)"

rm -f rows.csv
says 1 "wrong: 1 elements differ, the worst is C(7, 4)" --variant nan_element --size 9 --type f64 --csv rows.csv
[ "$(cells rows.csv error_share)" = nan ] || fail "the largest error of all ranks lost NaN: $(cat rows.csv)"
says 1 "wrong: Freivalds: C and A·B differ in 1 rows, the first is 2047" --variant wrong_element --shape 2050x200x5 --type f32
says 1 "wrong: the result is not m x n" --variant small_result --size 9 --type f32
says 1 "wrong: rank 1 wrote outside its matrix" --variant broken_guard --size 9 --type f32
says 1 "rank 1: it threw: no answer" --variant throw_in_refuses --size 9 --type f32
says 1 "rank 1: it threw: it broke" --variant throw_in_run --size 9 --type f32
says 2 "rank 1: out of memory; give a smaller size" --variant no_memory --size 9 --type f32
says 2 "rank 1: out of memory; give a smaller size" --variant no_memory_in_run --size 9 --type f32
# Of all three together: A, B and C twice on rank 0, a third of that and B on each other; the verifier's panels on rank 0.
says 2 "1000000x1000000x1000000: f32 needs 43.66 TiB of memory" --variant right --size 9,1000000 --type f32

says 0 "slow f32 400x200x200 left out: one run takes about 2000 s, over " --variant slow --shape 200x200x200,400x200x200 --budget 1 --type f32
says 77 "refusal skipped: rank 0 will not" --variant refusal --size 9 --type f32

# A rank that breaks down leaves what was finished on disk.
rm -f rows.csv
ranks 1 --variant right,throw_in_run --size 9 --type f32 --csv rows.csv
[ "$(tail -n +2 rows.csv | wc -l)" -eq 1 ] || fail "the finished row is lost: $(cat rows.csv)"
exit $((failures > 0))

#!/usr/bin/env bash
# What several ranks must not do: hang, or speak with several voices.
#   test.sh refusals|compare|starved|killed MPIRUN PROGRAM
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
check=$1 mpirun=$2 program=$3 file=rows.csv quick="--size 8"
# shellcheck source=/dev/null
. "$(dirname "$0")/../program.sh"

# ranks COUNT STATUS ARGUMENT…: so many of them; a hang is ended after a minute and is no status of ours.
ranks() { launch="timeout 60 $mpirun -n $1" quick='' runs "${@:2}"; }
# refused MESSAGE ARGUMENT…: by one line of ours, before anything was printed or written.
refused() {
  local message=$1
  shift
  rm -f rows.csv
  ranks 3 2 --csv rows.csv "$@"
  [ "$(grep -c '^06_mpi: ' err)" -eq 1 ] || fail "$*: not one line of ours: $(cat err)"
  grep -qF -- "06_mpi: $message" err || fail "$*: '$message' is not in: $(cat err)"
  [ ! -s out ] && [ ! -e rows.csv ] || fail "$*: printed or wrote something"
}

case $check in
refusals)
  # All three ranks end, and rank 0 alone says why.
  refused "--grid: '2x2' is a grid of 4, and 3 run here" --grid 2x2
  refused "--ranks: '2' were started, and MPI knows of 3" --ranks 2
  refused "--variant: 'suma' is unknown; this step has rows_blocking" --variant suma
  refused "1000000x1000000x1000000: f64 needs " --variant rows_blocking --type f64 --size 1000000
  ranks 3 0 --variant summa --type f32 --size 9 --repeat 1 --grid 3x1 --block 2x2 --csv rows.csv
  [ "$(tail -n 1 rows.csv | cut -d, -f10-12)" = 3,3x1,2x2 ] || fail "ranks, grid and block: $(cat rows.csv)"
  # A disk that is full, which rank 0 alone sees; more ranks than rows, and many more than cores.
  ranks 3 2 --type f32 --size 9 --repeat 1 --csv /dev/full
  [ "$(grep -c '^06_mpi: --csv: cannot write' err)" -eq 1 ] || fail "a full disk: $(cat err)"
  ranks 8 0 --type f32 --size 1,2 --repeat 1
  ranks 13 0 --variant summa --type f32 --size 40 --repeat 1
  # What is misspelt, without mpirun: one rank.
  refuses "--grid: '3' is not written like 2x3" --grid 3
  # Another MPI's mpirun, which starts two worlds of one; an allocation of Slurm's starts nothing.
  PMI_SIZE=2 refuses "--ranks: '2' were started, and MPI knows of 1"
  PMI_SIZE=2 PMI_RANK=1 runs 2
  [ ! -s err ] || fail "and all of them speak: $(cat err)"
  PMI_SIZE=2 OMPI_COMM_WORLD_SIZE=1 SLURM_NTASKS=2 runs 0 --type f32 --variant summa
  runs 77 --expect-wrong
  grep -qF "06_mpi: rest_lost skipped: needs 2 ranks" err || fail "broken on one rank: $(cat err)"
  ;;
compare)
  ranks 2 0 --shape 300x200x100 --grid 2x1 --block 64x32 --type f64 --repeat 3 --csv rows.csv
  [ "$(cells rows.csv type m n k ranks threads grid block variant against repeat verdict)" = "f64,300,200,100,2,1,2x1,64x32,summa,p?gemm,3,right" ] || fail "the row: $(cat rows.csv)"
  rm -f rows.csv && runs 0 --repeat 2 --csv rows.csv --type f32 # on one rank their kernels, too
  [ "$(grep -cE ',p[?]gemm,.*,BLAS,|,summa,.*,(05_avx2|p[?]gemm),' rows.csv)" -eq 3 ] && [ "$(grep -c ',right,' rows.csv)" -eq 3 ] || fail "one rank: $(cat out)"
  refuses "--type: i32 not in {f32,f64}" --type i32
  refuses "--against: 'summa' is unknown; give p?gemm, summa_blocking" --against summa
  # OpenBLAS, if that is the BLAS, says which kernel it takes each time that it is loaded: the last is ours.
  said=$(env -u OPENBLAS_CORETYPE OPENBLAS_VERBOSE=2 "$program" --help 2>&1 >/dev/null | sed -n 's/^Core: //p' | tail -n 1)
  [ "$(grep -m 1 '^flags' /proc/cpuinfo | grep -ow 'avx512\(f\|dq\|bw\|vl\)' | wc -l)" -eq 4 ] && best=SkylakeX || best=Haswell
  [ "${said:-$best}" = "$best" ] || fail "OpenBLAS's kernel: $said, not $best"
  ;;
starved)
  # One of two ranks gets no memory: both end, with one message.
  few="--variant rows_blocking --type f32 --size 7000 --repeat 1 --verify none"
  # By the rank: Open MPI 5.0.7 dies of two programs with a colon between them.
  # shellcheck disable=SC2016,SC2086 # the ranks' bash expands it; a list of words
  timeout 60 "$mpirun" -n 2 bash -c '[ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" = 0 ] || ulimit -v 500000; exec "$0" "$@"' "$program" $few >out 2>err </dev/null
  [ $? -eq 2 ] && [ "$(grep -c '^06_mpi: rank 1: out of memory' err)" -eq 1 ] || fail "one rank without memory: $(cat err)"
  ;;
killed)
  # A rank that dies while others wait for it: the job ends, what was finished is on disk, nobody is left behind.
  for variant in rows_blocking summa; do
    rm -f rows.csv
    timeout 60 "$mpirun" -n 3 "$program" --type f32 --verify none --warmup 0 --csv rows.csv --variant $variant --size 40,1500 --repeat 500 \
      --budget 600 >out 2>err </dev/null &
    running=$!
    for _ in $(seq 3000); do
      [ -e rows.csv ] && [ "$(wc -l <rows.csv)" -ge 2 ] && break
      sleep 0.01
    done
    processes=() # those that work in our folder
    for process in $(pgrep -x "$(basename "$program")"); do
      [ "$(readlink "/proc/$process/cwd")" = "$folder" ] && processes+=("$process")
    done
    [ ${#processes[@]} -eq 3 ] && kill -KILL "${processes[1]}" || fail "$variant: not three ranks: ${processes[*]}"
    wait $running
    status=$?
    [ $status -ne 0 ] && [ $status -ne 124 ] || fail "$variant: a rank was killed and the job ended with $status"
    sleep 0.2
    for process in "${processes[@]}"; do
      grep -qs '^State:.[^ZX]' "/proc/$process/status" && fail "$variant: rank $process was left behind"
    done
    [ "$(wc -l <rows.csv)" -eq 2 ] && is_whole rows.csv || fail "$variant: the finished row: $(cat rows.csv)"
  done
  ;;
esac
exit $((failures > 0))

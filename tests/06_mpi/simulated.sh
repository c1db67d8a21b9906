#!/usr/bin/env bash
# The simulation counts the words of the formula, on 256 ranks, too; and what it refuses.
#   simulated.sh PYTHON FOLDER (of 06_mpi_simulate); 77 without SimGrid
set -u
python=$1 folder=$2 cluster=$(cd "$(dirname "$0")/../../06_mpi/cluster" && pwd)
[ -x "$folder/06_mpi_simulate" ] || { echo "no SimGrid here: sh setup.sh simulate"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -B "$cluster/simulate.py" --platform fast "$work" || exit 1
# run RANKS STATUS ARGUMENT…
run() {
  local ranks=$1 wanted=$2
  shift 2
  smpirun -np "$ranks" -platform "$work/fast.xml" -hostfile "$work/hosts" --log=root.thres:error \
    --cfg=smpi/simulate-computation:no --cfg=smpi/test:0 "$folder/06_mpi_simulate" "$@" >"$work/out" 2>"$work/err"
  [ $? -eq "$wanted" ] || { echo "$*: not exit $wanted: $(cat "$work/out" "$work/err")"; exit 1; }
}
run 4 2 summa 1000 64 3 2
grep -q "06_mpi_simulate: 3x2 is not the number of ranks" "$work/err" || { cat "$work/err"; exit 1; }
for variant in summa_blocking summa summa_unaided summa_ring_dealt summa_ring; do
  run 6 0 $variant 1000 64 2 3 # its words are counted, and are those of the formula
  run 256 0 $variant 1000 11 16 16
done

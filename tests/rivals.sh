#!/usr/bin/env bash
# The rivals: what is written, what is refused, and libraries that go wrong. No time is looked at.
#   rivals.sh CHECK PROGRAM FOLDER     (FOLDER holds libfake_*.so)
# shellcheck disable=SC2015,SC2034,SC2154 # fail() after && and || is meant for either; program.sh reads and sets
set -u
check=$1 program=$2 libraries=$3 here=$(cd "$(dirname "$0")" && pwd)
quick="--pairs 3 --budget 1e-9 --size 40" file=rivals.csv
# shellcheck source=/dev/null
. "$(dirname "$0")/program.sh"
grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo || { echo "no AVX2 here"; exit 77; }
wide=tuned
"$program" --list | grep -qE '^  avx512 .*setting$' && wide=avx512

# meets STATUS ARGUMENT…: what is measured goes to rivals.csv.
meets() { runs "$1" --csv rivals.csv "${@:2}"; }
# fakes STATUS NAME ARGUMENT…: against a fake library alone.
fakes() {
  local wanted=$1 fake=$2
  shift 2
  meets "$wanted" --blas "$libraries/libfake_$fake.so" --rival blas "$@"
}
rows() { awk -F, 'NR == 1 { columns = NF } NR > 1 && NF == columns' "${1:-rivals.csv}" | wc -l; } # without what a crash tore
header=type,m,n,k,threads,variant,rival,pairs,ratio,ratio_low,ratio_high,ours_gflops,rival_gflops,device,flags,compiler,host,commit,started

case $check in
rows)
  fakes 0 right --variant "tuned,$wide" --shape 33x20x50 --threads 1
  [ "$(head -1 rivals.csv)" = $header ] || fail "header: $(head -1 rivals.csv)"
  [ "$(awk -F, '{print NF}' rivals.csv | sort -u)" = 19 ] || fail "a row is not of 19 cells"
  awk -F, 'NR > 1 && !($9 > 0 && $10 <= $9 && $9 <= $11 && $12 > 0 && $13 > 0) {print; bad = 1} END {exit bad}' rivals.csv ||
    fail "a ratio is not between its quartiles, or a rate not above 0"
  # The fake has no dgemm: rows of f32 alone, the cheap shape first.
  for variant in tuned $wide; do
    for shape in 33,20,50 40,40,40; do has "^f32,$shape,1,$variant,libfake_right.so,3,[0-9.e+-]+,"; done
  done
  [ "$(sed -n 2p rivals.csv | cut -d, -f2-4)" = 33,20,50 ] || fail "the cheap shape is not the first"
  [ "$(cut -d, -f1,5 rivals.csv | sort -u | wc -l)" -eq 2 ] || fail "rows of another type or number of threads"
  grep -qE "^f32, 1 thread, tuned against every library: geometric mean [0-9.]+; worst [0-9.]+ at [0-9×]+, libfake_right.so; [0-2] of 2 cells below 0.98$" out ||
    fail "no summary: $(cat out)"
  # Three plain loops are no match: a ratio upside down would be below 1.
  awk -F, 'NR > 1 && $9 < 1 {bad = 1} END {exit bad}' rivals.csv || fail "three loops won: $(cat rivals.csv)"
  awk -F, 'NR > 1 && $12 < $13 {bad = 1} END {exit bad}' rivals.csv || fail "the rates are changed over: $(cat rivals.csv)"
  # Each type that is asked for.
  rm rivals.csv && meets 0 --rival eigen --type i32,f64 --threads 1 --variant tuned
  [ "$(tail -n +2 rivals.csv | cut -d, -f1,7 | xargs)" = "f64,Eigen i32,Eigen" ] || fail "types: $(cat rivals.csv)"
  # Several threads call the rung's sister.
  [ "$(nproc)" -lt 2 ] || { fakes 0 right --variant tuned --threads 2 && has '^f32,40,40,40,2,tuned_threads,libfake_right.so,'; }
  ;;
pairs)
  # What is made of the pairs, worked out anew; a process of its own with what rivals.py would give it.
  COURSE_RUNG=packed "$(dirname "$program")/meet" duel "$(dirname "$(dirname "$program")")/05_avx2/libcourse_blas.so" "$libraries/libfake_right.so" Plain \
    --shape 33x20x50 --type f32 --pairs 12 --budget 1e-9 --csv rivals.csv --pairs-csv pairs.csv >out 2>err || fail "exit $?: $(cat err)"
  python3 -B - <<'EOF' || fail "not what its pairs say: $(cat out rivals.csv pairs.csv)"
import csv, statistics
(row,), pairs = (list(csv.DictReader(open(name, newline=""))) for name in ("rivals.csv", "pairs.csv"))
assert [pair.pop("pair") for pair in pairs] == [str(number) for number in range(12)]
ours, theirs = ([float(pair.pop(name)) for pair in pairs] for name in ("ours_s", "rival_s"))
assert all(pair == {name: row[name] for name in "type m n k threads variant rival device host commit".split()} for pair in pairs)
low, ratio, high = statistics.quantiles([their / our for our, their in zip(ours, theirs)], n=4, method="inclusive")
rates = [2e-9 * 33 * 20 * 50 / statistics.median(times) for times in (ours, theirs)]
for name, value in zip("pairs ratio ratio_low ratio_high ours_gflops rival_gflops".split(), (12, ratio, low, high, *rates)):
    assert abs(float(row[name]) - value) <= 1e-5 * value, (name, value)
said = open("out").read().split("\n")
assert said == [f"  f32  33x20x50       1 thread  tuned          {ratio:6.3f} ({low:.3f} to {high:.3f}) x Plain                "
                f"{rates[0]:6.1f} against {rates[1]:6.1f} GFLOP/s, 12 pairs", ""], said
EOF
  # Who is called how often. A slow one: once to verify it, once to warm it up, once for its pair; and what is asked for beyond.
  # slow CONDITION ARGUMENT…: of calls and pairs
  slow() {
    rm -f slow.csv
    "$(dirname "$program")/meet" duel "$libraries/libfake_right.so" "$libraries/libfake_slow.so" Slow --shape 3x4x5 --type f32 --pairs 1 --csv slow.csv "${@:2}" >out 2>err
    calls=$(grep -cx called err) pairs=$(tail -1 slow.csv | cut -d, -f8)
    (($1)) || fail "${*:2}, not $1: $calls calls, $pairs pairs: $(cat out)"
  }
  slow "calls == 3 && pairs == 1" --budget 1e-9
  slow "calls > 3 && pairs == 1" --budget 1e-9 --unheeded 2
  slow "pairs > 1" --budget 2
  ;;
libraries)
  # What a library says of itself, and how it is called.
  meet=$(dirname "$program")/meet
  # told NAME LINE…
  told() {
    local fake=$1
    shift
    [ "$("$meet" check "$libraries/libfake_$fake.so" | tail -n +4 | sed 's/\t */: /')" = "$(printf '%s\n' "$@")" ] ||
      fail "$fake: $("$meet" check "$libraries/libfake_$fake.so")"
  }
  none="kernels: " asks="needs: " plain="openmp: "
  told right "types: f32 " "kernel: " "$none" "$asks" "$plain" "about: 3; libfake_right.so"
  told openblas "types: f32 " "kernel: Nehalem" "$none" "$asks" "$plain" "about: 0.3.99; NO_LAPACKE  MAX_THREADS=8; libfake_openblas.so"
  told blis "types: f32 " "kernel: a1" "kernels: a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 " "$asks" "$plain" "about: 1.99; a1; libfake_blis.so"
  told dnnl "types: f32 " "kernel: " "$none" "$asks" "$plain" "about: 2.6.3; libfake_dnnl.so"
  told mkl "types: f32 " "kernel: " "$none" "$asks" "$plain" "about: $(printf 'm%.0s' {1..256}); libfake_mkl.so"
  "$meet" check "$(dirname "$program")/libcourse_eigen.so" >out
  for line in 'types f32 f64 i32' 'needs [a-z0-9,]*' 'openmp yes' 'about [0-9.]+; g\+\+ [^;]*; libcourse_eigen.so'; do
    tr '\t' ' ' <out | grep -qE "^$line$" || fail "Eigen: no '$line' in $(cat out)"
  done
  # It is measured at its best: as wide as this processor is.
  objdump -d --no-show-raw-insn "$(dirname "$program")/libcourse_eigen.so" | grep -cE 'vfmadd[0-9]+p[sd] .*%[yz]mm' >fused
  [ "$(cat fused)" -gt 0 ] || fail "Eigen multiplies without AVX2's registers and multiply-adds"
  COURSE_RUNG=tuned "$meet" check "$(dirname "$(dirname "$program")")/05_avx2/libcourse_blas.so" | grep -q "^kernel.tuned$" || fail "our rung is not named"
  "$meet" check >out && [ "$(cut -f1 out | xargs)" = "processor features cpus" ] || fail "without a library: $(cat out)"
  # One without cblas_sgemm is called in its own way, and may fail.
  for fake in dnnl right; do
    "$meet" alone "$libraries/libfake_$fake.so" label --shape 5x7x3,67x45x129 --type f32 --repeat 1 --warmup 0 --verify full --csv alone.csv >out 2>err ||
      fail "$fake alone: exit $?: $(cat out err)"
  done
  [ "$(grep -c '^[^,]*,label,f32,.*,right,' alone.csv)" -eq 4 ] || fail "alone: $(cat alone.csv)"
  # says STATUS TEXT ARGUMENT…: of meet
  says() {
    local wanted=$1 text=$2
    shift 2
    "$meet" "$@" >out 2>err
    status=$?
    [ $status -eq "$wanted" ] && grep -qF -- "$text" out err || fail "meet $*: exit $status: $(cat out err)"
  }
  says 2 "the library reports a failure" alone "$libraries/libfake_dnnl.so" label --shape 5x7x13 --type f32
  ours=$(dirname "$(dirname "$program")")/05_avx2/libcourse_blas.so fake=$libraries/libfake_right.so
  "$meet" duel "$ours" "$fake" label --shape 5x6x7 --type f64 >out 2>err
  [ $? -eq 77 ] || fail "a type that is not there: $(cat out err)"
  for words in "" "alone" "alone $fake" "alone $fake a b" "duel $ours $fake" "duel $ours $fake a b" "other $ours $fake a"; do
    # shellcheck disable=SC2086 # a list of words
    says 2 "meet is for rivals.py; call that" $words
  done
  says 0 "--pairs" check --help
  says 0 "--pairs" duel "$ours" "$fake" label --help
  says 0 "--shape" alone "$fake" label --help
  ;;
resume)
  fakes 0 right --threads 1
  cp rivals.csv before.csv
  fakes 0 right --threads 1 --resume
  cmp before.csv rivals.csv || fail "--resume added something"
  grep -qF "rivals: $(rows) rows were in rivals.csv already" out || fail "it does not say so: $(cat out)"
  grep -qE "of 1 cells below" out || fail "rows of before are not in the summary: $(cat out)"
  printf 'f32,50,5' >>rivals.csv
  fakes 0 right --threads 1 --resume --shape 50x50x50
  [ "$(rows)" -eq $(($(tail -n +2 before.csv | wc -l) * 2)) ] || fail "rows missing or too many after a torn line"
  # The summary takes the library that did best beside ours, not the one of the highest rate or the last.
  rm rivals.csv
  two="$libraries/libfake_right.so,$libraries/libfake_square.so"
  set -- --blas "$two" --rival blas --threads 1 --variant tuned --shape 33x20x50
  quick="--pairs 3 --budget 1e-9" meets 0 "$@"
  awk -F, -v OFS=, '/_right/ {$9 = 0.5; $13 = 0.001} {print}' rivals.csv >new.csv && mv new.csv rivals.csv
  quick="" meets 0 "$@" --resume
  grep -qF "geometric mean 0.500; worst 0.500 at 33×20×50, libfake_right.so; 1 of 1 cells below 0.98" out || fail "not against the best: $(cat out)"
  rm rivals.csv && fakes 0 right --threads 1
  # A library's best setting is looked for once.
  if "$program" --list | grep -q '  OpenBLAS$'; then
    meets 0 --rival openblas --threads 1 --type f32 --variant $wide
    grep -q '^library OpenBLAS, ' out || fail "no setting was looked for: $(cat out)"
    meets 0 --rival openblas --threads 1 --type f32 --variant $wide --resume --shape 33x20x50
    grep -q '^library ' out && fail "it was looked for again: $(cat out)"
  fi
  # Rows of another build are others.
  sed -Ei 's/,(g|clang)\+\+[^,]*,/,g++ 1,/' rivals.csv
  fakes 0 right --threads 1 --resume
  [ "$(grep -c '^f32,40,40,40.*libfake' rivals.csv)" -eq $(($(tail -n +2 before.csv | wc -l) * 2)) ] || fail "another compiler's row was taken for ours"
  ;;
settings)
  "$program" --list | grep -q '  OpenBLAS$' || { echo "no OpenBLAS here"; exit 77; }
  setting=Haswell expected=1
  [ $wide = tuned ] || setting=SkylakeX expected=2
  {
    echo name,type,vector,threads,level,value,unit,note
    echo "processor,,,,,2,threads,$("$program" --rival blas 2>/dev/null | sed -n 's/.*; on //p')"
    echo "library,f32,OpenBLAS,1,512x512x512,1,GFLOP/s,as chosen; 0"
    echo "library,f32,OpenBLAS $setting,1,512x512x512,1,GFLOP/s,best; 0"
  } >machine.csv
  meets 0 --rival openblas --type f32 --threads 1 --machine machine.csv
  has "^f32,40,40,40,1,$wide,OpenBLAS $setting,"
  has "^f32,40,40,40,1,tuned,OpenBLAS Haswell,"
  [ "$(rows)" -eq $expected ] || fail "other rows: $(cat rivals.csv)"
  grep -q '^library ' out && fail "settings that machine.csv knows were tried"
  [ $wide = tuned ] || grep -q "tuned against libraries kept to AVX2" out || fail "no summary of AVX2: $(cat out)"
  # Another machine's file says nothing of this one.
  sed -i '/^processor/s/,[^,]*$/,another processor/' machine.csv
  meets 0 --rival openblas --type f32 --threads 1 --machine machine.csv
  grep -q "machine.csv is of another machine, another processor" err && grep -q '^library OpenBLAS, ' out || fail "another machine's settings: $(cat out err)"
  ;;
wrong)
  fakes 1 transposed --threads 1
  grep -qE "^rivals: libfake_transposed.so f32 is wrong: 67x45x129: " err && [ "$(grep -vc ' skipped: ' err)" -eq 1 ] || fail "transposed: $(cat err)"
  [ "$(rows)" -eq 0 ] || fail "a wrong rival has a row"
  fakes 1 square --threads 1
  grep -qE "^rivals: libfake_square.so f32 is wrong: 40x40x40: " err || fail "wrong at the shape that is timed: $(cat err)"
  fakes 1 outside --threads 1
  grep -qF "wrote outside its matrix" err || fail "outside: $(cat err)"
  # Ours is verified like theirs; and neither may write beside what it was given.
  # meets_wrong OURS THEIRS SHAPE WORDS
  meets_wrong() {
    "$(dirname "$program")/meet" duel "$libraries/libfake_$1.so" "$libraries/libfake_$2.so" theirs --shape "$3" --type f32 --pairs 1 --budget 1e-9 --csv duel.csv >out 2>err
    status=$?
    [ $status -eq 1 ] && grep -qE "^rivals: $4" err && [ "$(rows duel.csv)" -eq 0 ] || fail "$1 against $2: exit $status: $(cat out err)"
  }
  meets_wrong transposed right 33x20x50 " f32 is wrong: 33x20x50: [0-9]+ elements differ"
  meets_wrong right transposed 33x20x50 "theirs f32 is wrong: 33x20x50: [0-9]+ elements differ"
  for shape in 20x33x50 33x20x50; do  # beside A, beside B
    meets_wrong beside right $shape " f32 is wrong: $shape: it wrote outside its matrix"
    meets_wrong right beside $shape "theirs f32 is wrong: $shape: it wrote outside its matrix"
  done
  ;;
failing)
  # One that crashes is named; the rest goes on.
  meets 0 --blas "$libraries/libfake_crash.so,$libraries/libfake_right.so" --rival blas --threads 1 --shape 33x20x50
  grep -qE "^rivals: libfake_crash.so with 1 thread left out: it ended by " err && [ "$(grep -vc ' skipped: ' err)" -eq 1 ] || fail "crash: $(cat err)"
  has 'libfake_right.so'
  fakes 77 hang --threads 1
  grep -qE "^rivals: libfake_hang.so with 1 thread left out: nothing came for " err || fail "hang: $(cat err)"
  meets 77 --rival mkl,blas --blas "$libraries/libfake_crash.so" --threads 1
  ;;
defaults)
  # All shapes where none is given, and no others where some are.
  shapes() { # ARGUMENT…
    python3 -B -c 'import sys; sys.path.insert(0, sys.argv.pop(1)); import rivals; print(*rivals.asked().shapes)' \
      "$here/../rivals" --build "$(dirname "$(dirname "$program")")" "$@"
  }
  [ "$(shapes | tr ' ' '\n' | sort -u | wc -l)" -eq 18 ] || fail "by default: $(shapes)"
  [ "$(shapes --alone | wc -w)" -eq 6 ] || fail "alone: $(shapes --alone)"
  [ "$(shapes --size 5)" = 5x5x5 ] && [ "$(shapes --shape 1x2x3,1x2x3)" = 1x2x3 ] || fail "shapes were added"
  [ "$(shapes --size 5,6 --shape 1x2x3)" = "5x5x5 6x6x6 1x2x3" ] || fail "both: $(shapes --size 5,6 --shape 1x2x3)"
  ;;
refusals)
  refuses "--variant: 'avx1024' is unknown; give avx512, tuned" --variant avx1024
  refuses "--rival: 'atlas' is unknown; give eigen, openblas" --rival atlas
  quick="--pairs 0" refuses ": '0' is out of range"
  refuses "--type: 'f16' is unknown; give f32, f64, i32" --type f16
  refuses "--threads: '4096' is more than the" --threads 4096
  refuses "--blas: 'nosuch.so' cannot be used: " --blas nosuch.so
  refuses "--blas: '' names no file" --blas ''
  refuses "it has neither cblas_sgemm nor dnnl_sgemm" --blas "$libraries/libfake_empty.so"
  printf 'not a library' >text.so
  refuses "--blas: 'text.so' cannot be used: " --blas text.so
  refuses "--nosuch" --nosuch
  "$program" --resume >out 2>err </dev/null
  [ $? -eq 2 ] && grep -qF -- "--resume: needs --csv FILE" err || fail "--resume without --csv: $(cat err)"
  refuses "0x5x5: an empty product" --shape 0x5x5
  # In f64: A, B, C and three copies of it; 184 bytes of the verifier for each row and column.
  refuses "2147483647x200x1: needs 12.88 TiB of memory, " --shape 2147483647x200x1
  refuses "cannot read nosuch.csv" --machine nosuch.csv
  printf 'a,b\n' >other.csv
  refuses "other.csv has other columns than " --machine other.csv
  refuses "--repeat" --repeat 3
  "$program" --csv other.csv >out 2>err </dev/null
  [ $? -eq 2 ] && grep -qF "has other columns" err || fail "other columns: $(cat err)"
;;
alone)
  # Each library by itself, rows of machine.csv: as it chooses, and one setting that is best.
  quick="--alone --budget 0.002 --pairs 1 --size 48" file=machine.csv cpus=$(nproc)
  runs 0 --csv machine.csv --type f32,i32
  [ "$(head -1 machine.csv)" = name,type,vector,threads,level,value,unit,note ] || fail "header: $(head -1 machine.csv)"
  for type in f32 i32; do has "^library,$type,Eigen,$cpus,48x48x48,[0-9.e+-]+,GFLOP/s,as chosen and best; 3"; done
  for name in OpenBLAS BLIS; do
    grep -q "^library,f32,$name" machine.csv || continue
    for threads in 1 "$cpus"; do
      [ "$(grep -cE "^library,f32,$name(| [A-Za-z0-9]+),$threads,.*,(|as chosen and )best; " machine.csv)" -eq 1 ] || fail "$name, $threads threads: not one best"
      [ "$(grep -cE "^library,f32,$name,$threads,.*,as chosen(| and best); " machine.csv)" -eq 1 ] || fail "$name, $threads threads: not one as chosen"
    done
  done
  # Its version, how it was built in its own words, where it lies.
  ! grep -q '^library,f32,OpenBLAS,' machine.csv || has '^library,f32,OpenBLAS,1,.*; [0-9.]+; [^;]*MAX_THREADS=[0-9]+; /'
  cp machine.csv before.csv
  runs 0 --csv machine.csv --type f32,i32 --resume
  cmp before.csv machine.csv || fail "--resume added something"
  grep -q '^library ' out && fail "a best setting was looked for again"
  # What a crash tore is cut off before the next row.
  printf 'library,f32,Eig' >>machine.csv
  runs 0 --csv machine.csv --type i32 --rival eigen --shape 20x21x22 --resume
  has '^library,i32,Eigen,1,20x21x22,'
  [ "$(awk -F, '{print NF}' machine.csv | sort -u)" = 8 ] || fail "a torn line was kept: $(cat machine.csv)"
  # Another machine's file is left as it was.
  echo "processor,,,,,2,threads,another processor" >>machine.csv
  cp machine.csv before.csv
  runs 2 --csv machine.csv --resume
  grep -qF "tells of another processor" err && [ "$(wc -l <err)" -eq 1 ] || fail "another processor: $(cat err)"
  cmp before.csv machine.csv || fail "another processor's file was changed"
  # A right one, a wrong one, one that crashes: the rest goes on.
  rm machine.csv
  quick="$quick --rival blas --threads 1"
  runs 1 --csv machine.csv --blas "$libraries/libfake_transposed.so,$libraries/libfake_crash.so,$libraries/libfake_right.so"
  grep -qE "^rivals: libfake_transposed.so f32 is wrong: 67x45x129: " err && grep -qE "^rivals: libfake_crash.so with 1 thread left out: it ended by " err &&
    [ "$(wc -l <err)" -eq 2 ] || fail "said: $(cat err)"
  has '^library,f32,libfake_right.so,1,48x48x48,[0-9.e+-]+,GFLOP/s,as chosen and best; '
  [ "$(rows machine.csv)" -eq 1 ] || fail "a wrong library has a row: $(cat machine.csv)"
  ;;
cublas)
  # A GPU's library: of its ways to multiply the better one; tf32 and bf16 are types of their own.
  quick="--alone --rival cublas" file=machine.csv built=$(dirname "$(dirname "$program")")
  mkdir -p fake/rivals
  ln -s "$built/rivals/meet" fake/rivals/meet
  cat >fake/rivals/meet_gpu <<'EOF'
#!/usr/bin/env python3
import os, sys
sys.path.insert(0, os.environ["TOOLS"])
from measured import COLUMNS, append
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
if "--list" in sys.argv:
    print("rivals: cuBLAS 1.2.3\n  default          f32")
    sys.exit()
if given["--type"] == "f64" and "--verify" not in given:
    sys.exit("rivals: wrong: it is; again by: rivals --variant default --type f64 --shape 67x45x129")
for place, variant in enumerate(given["--variant"].split(",") if "--csv" in given else ()):
    for shape in given["--shape"].split(","):
        cells = dict(zip("mnk", shape.split("x"))) | {"variant": variant, "gflops": 1000 - 100 * place, "verdict": "unverified"}
        append(given["--csv"], COLUMNS, [cells.get(name, "") for name in COLUMNS])
EOF
  chmod +x fake/rivals/meet_gpu
  export TOOLS="$here/../tools"
  runs 1 --build fake --csv machine.csv --size 40,50
  for n in 40 50; do
    has "^library,f32,cuBLAS,,${n}x${n}x$n,1000,GFLOP/s,default is the better; cuBLAS 1.2.3$"
    has "^library,tf32,cuBLAS,,${n}x${n}x$n,1000,GFLOP/s,sustained; within .*; cuBLAS 1.2.3$"
    has "^library,bf16,cuBLAS,,${n}x${n}x$n,1000,GFLOP/s,sustained; BF16 to BF16; "
  done
  grep -qF "rivals: cuBLAS f64 f64 is wrong: 67x45x129: it is" err && [ "$(wc -l <err)" -eq 1 ] || fail "a wrong type: $(cat err)"
  [ "$(rows machine.csv)" -eq 6 ] || fail "not six rows: $(cat machine.csv)"
  cp machine.csv before.csv
  runs 0 --build fake --csv machine.csv --size 40,50 --type f32 --resume
  cmp before.csv machine.csv || fail "--resume added something"
  runs 0 --build fake --csv default.csv --type f32
  [ "$(rows default.csv)" -eq 21 ] && grep -q '^library,f32,cuBLAS,,8192x8192x128,' default.csv || fail "by default: $(cat default.csv)"
  # Without a GPU, or without nvcc: a line.
  CUDA_VISIBLE_DEVICES="" runs 77 --csv none.csv
  grep -q '^rivals: cuBLAS skipped: [nb]' err && [ "$(wc -l <err)" -eq 2 ] && [ ! -e none.csv ] || fail "nothing that says why: $(cat err)"
  # On a GPU: below the roof.
  [ -x "$built/rivals/meet_gpu" ] && ! "$built/rivals/meet_gpu" --list | grep -q 'not here' || exit $((failures > 0))
  file=real.csv
  "$built/00_machine/00_machine" --variant gpu --type f32 --csv real.csv >/dev/null
  runs 0 --csv real.csv --size 300,2048
  for type in f32 f64 tf32 bf16; do has "^library,$type,cuBLAS,,2048x2048x2048,[0-9.]+,GFLOP/s,"; done
  awk -F, '$1 == "peak" {roof = $6} $1 == "library" && $2 == "f32" && !($6 < roof) {print; bad = 1} END {exit bad}' real.csv || fail "above the peak"
  ;;
gpu)
  # meet_gpu, where a processor plays the GPU.
  meet=$libraries/fake_meet_gpu
  # gpu STATUS ARGUMENT…
  gpu() {
    local wanted=$1 status
    shift
    "$meet" "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq "$wanted" ] || fail "meet_gpu $*: exit $status, not $wanted: $(cat out err)"
  }
  duel="duel $libraries/libfake_gpu.so --shape 33x20x50 --type f32,f64 --pairs 2 --budget 1e-9"
  # shellcheck disable=SC2086 # a list of words
  {
    gpu 0 $duel --csv rivals.csv
    [ "$(tail -n +2 rivals.csv | cut -d, -f1-8 | xargs)" = "f32,33,20,50,1,best,cuBLAS default,2 f32,33,20,50,1,best,cuBLAS pedantic,2" ] || fail "rows: $(cat rivals.csv)"
    WRONG=default gpu 1 $duel
    grep -qF "rivals: cuBLAS default f32 is wrong: 33x20x50: " err && grep -q " x cuBLAS pedantic " out || fail "one that is wrong: $(cat out err)"
    LACKS="no GPU" gpu 77 $duel
    [ "$(cat out err)" = "rivals: cuBLAS skipped: no GPU" ] || fail "without a GPU: $(cat out err)"
    gpu 0 $duel --help
  }
  for file in nosuch.so "$libraries/libfake_right.so"; do
    gpu 2 duel "$file" --shape 8x8x8
    grep -qE "^rivals: duel: '$file' cannot be used: .+" err || fail "$file: $(cat err)"
  done
  gpu 2 duel
  NVIDIA_TF32_OVERRIDE=1 gpu 0 --list
  [ "$(xargs <out)" = "rivals: cuBLAS 1.2 default pedantic tf32" ] || fail "the list: $(cat out)"
  gpu 0 --variant pedantic,default --shape 5x6x7 --repeat 1 --warmup 0 --csv alone.csv
  [ "$(cut -d, -f2,3 alone.csv | sort | xargs)" = "default,f32 default,f64 pedantic,f32 variant,type" ] || fail "alone: $(cat alone.csv)"
  COURSE_STARTER=1 gpu 1 --list
  ;;
environment)
  # What a library's process is given: its setting, so many threads, and nothing of whoever binds ours. A process that
  # notes it stands before the real one.
  "$program" --list | grep -q '  OpenBLAS$' || { echo "no OpenBLAS here"; exit 77; }
  built=$(dirname "$(dirname "$program")")
  mkdir -p noting/rivals noting/05_avx2
  ln -s "$built/05_avx2/libcourse_blas.so" noting/05_avx2/
  # shellcheck disable=SC2016 # the inner shell's own
  printf '#!/bin/sh\necho "$1 $(env | grep -E "^([A-Z]*OMP|OPENBLAS|COURSE)_" | sort | xargs)" >>"%s"\nexec "%s" "$@"\n' \
    "$folder/given" "$built/rivals/meet" >noting/rivals/meet
  chmod +x noting/rivals/meet
  OMP_PROC_BIND=true OMP_THREAD_LIMIT=1 GOMP_CPU_AFFINITY=0 meets 0 --build noting --rival openblas --type f32 --variant tuned --threads 1
  grep -qE '^duel COURSE_RUNG=packed .*OMP_NUM_THREADS=1 .*OPENBLAS_CORETYPE=Haswell' given || fail "not so set: $(cat given)"
  grep -qE '^check .*OPENBLAS_CORETYPE=Haswell' given || fail "nobody asked whether the setting is known"
  ! grep -E 'OMP_THREAD_LIMIT|GOMP_CPU_AFFINITY|PROC_BIND=true' given || fail "bound as we are"
  ;;
interrupt)
  command -v pgrep >/dev/null || { echo "no pgrep here"; exit 77; }
  # Ctrl-C, and kill -9, in the middle of a library: its process ends, too.
  for signal in INT KILL; do
    env --default-signal=INT "$program" --pairs 3 --blas "$libraries/libfake_hang.so" --rival blas --threads 1 >out 2>err &
    running=$!
    for _ in $(seq 1000); do
      child=$(pgrep -P $running 2>/dev/null | head -1)
      [ -n "$child" ] && grep -q alone "/proc/$child/cmdline" 2>/dev/null && break
      sleep 0.01
    done
    grep -q alone "/proc/$child/cmdline" 2>/dev/null || fail "$signal: no process of a library was seen"
    grep -qE '^Max core file size +0 +0 ' "/proc/$child/limits" || fail "$signal: a core would be left: $(cat "/proc/$child/limits")"
    kill -$signal $running
    wait $running 2>/dev/null
    status=$?
    [ $status -gt 128 ] && ! grep -q Traceback err || fail "$signal: exit $status, not the signal's: $(cat err)"
    for _ in $(seq 200); do
      grep -q alone "/proc/$child/cmdline" 2>/dev/null || break
      sleep 0.01
    done
    grep -q alone "/proc/$child/cmdline" 2>/dev/null && fail "$signal: process $child lives on" && kill -9 "$child"
  done
  # One whose starter died before it was up.
  meet=$(dirname "$(dirname "$program")")/rivals/meet
  COURSE_STARTER=1 timeout 20 "$meet" alone "$libraries/libfake_hang.so" late --size 40 >out 2>&1
  status=$?
  [ $status -eq 1 ] || fail "an orphan: exit $status: $(cat out)"
  ;;
*) fail "no check $check" ;;
esac
exit $((failures > 0))

#!/usr/bin/env bash
# Runs ScaLAPACK programs that know nothing of redblue with our library before ScaLAPACK, by LD_PRELOAD and by link
# order, on up to 9 processes however few processors there are. Usage: scalapack.sh openmpi|mpich LIBRARY
set -uo pipefail
implementation=$1
library=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck source=../../redblue-dist/tests/launch.sh
source "$here/../../redblue-dist/tests/launch.sh" "$implementation" "$folder"

runs="1:40 2:40 3:30 4:40 5:20 6:40 7:20 8:20 9:30"
tables="6 9"
# One thread per process, as the products of this library have.
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

failures=0
limit=240

fail() {
    echo "scalapack.sh: $implementation: $*"
    failures=$((failures + 1))
}

# run PRELOADED RANKS PROGRAM ARGUMENT...: the exit status; what was printed is in $folder/log.
run() {
    local preloaded=$1 ranks=$2 start=$SECONDS status
    shift 2
    timeout --kill-after=10 "$limit" "${launch[@]}" -n "$ranks" env LD_PRELOAD="$yielding:$preloaded" \
        "$@" >"$folder/log" 2>&1
    status=$?
    [ $((SECONDS - start)) -lt "$limit" ] || echo "HANGS" >>"$folder/log"
    return $status
}

# expect_fine PRELOADED RANKS PROGRAM ARGUMENT...
expect_fine() {
    if ! run "$@" || ! grep -q "^$2 processes: fine" "$folder/log"; then
        fail "$2 ranks, ${*:4}, preloaded '${1##*/}'"
        cat "$folder/log"
    fi
}

compile() {
    "mpicc.$implementation" -O1 -Wall "$@" || exit 1
}
scalapack="-lscalapack-$implementation -lm -ldl"
# shellcheck disable=SC2086
compile -o "$folder/plain" "$here/scalapack.c" $scalapack
ln -s "$library" "$folder/libredblue_capi.so"
# shellcheck disable=SC2086
compile -o "$folder/linked" "$here/scalapack.c" -L"$folder" -Wl,-rpath,"$folder" -Wl,--no-as-needed -lredblue_capi $scalapack
# shellcheck disable=SC2086
compile -I"$here/../include" -o "$folder/example" "$here/../examples/pdgemm.c" -L"$folder" -Wl,-rpath,"$folder" \
    -lredblue_capi $scalapack
compile -shared -fPIC -o "$folder/volume.so" "$here/volume.c"

# The header, the example, and the names that the library exports.
if ! run "" 4 "$folder/example" || ! grep -q "all elements as expected" "$folder/log"; then
    fail "the example"
    cat "$folder/log"
fi
for letter in s d c z; do
    upper=${letter^^}
    for name in "p${letter}gemm" "p${letter}gemm_" "p${letter}gemm__" "P${upper}GEMM" "P${upper}GEMM_"; do
        nm -D --defined-only "$library" | grep -q " T $name\$" || fail "$name is not exported"
    done
    for name in "redblue_p${letter}gemm" "redblue_p${letter}gemm_"; do
        nm -D --defined-only "$library" | grep -q " T $name\$" || fail "$name is not exported"
    done
done
! ldd "$library" | grep -q -E "libisl|libscalapack" || fail "the library links isl or ScaLAPACK"

# The same results as three loops: the program alone, preloaded and linked; every way by force.
expect_fine "" 4 "$folder/plain" random 1 10
for run in $runs; do
    ranks=${run%:*} count=${run#*:}
    expect_fine "$library" "$ranks" "$folder/plain" random "$ranks" "$count"
done
expect_fine "" 4 "$folder/linked" random 21 20
REDBLUE_WAY=stay expect_fine "$library" 6 "$folder/plain" random 22 20
REDBLUE_WAY=native expect_fine "$library" 6 "$folder/plain" random 23 20
REDBLUE_WAY=next expect_fine "$library" 2 "$folder/plain" random 24 5
# Little memory is enough, too little is refused with the bytes that are missing.
REDBLUE_MEMORY=12000 expect_fine "$library" 4 "$folder/plain" random 25 20
if REDBLUE_MEMORY=64 run "$library" 4 "$folder/plain" random 25 20 ||
    ! grep -q "bytes more than REDBLUE_MEMORY=64 allows" "$folder/log" || grep -q HANGS "$folder/log"; then
    fail "too little memory is not reported"
    cat "$folder/log"
fi
# Routines of ScaLAPACK that call products get ours, too: sub-matrices of one array.
expect_fine "$library" 4 "$folder/plain" lu
REDBLUE_VERBOSE=1 run "$library" 4 "$folder/plain" lu
grep -q "^redblue: PDGEMM " "$folder/log" || fail "a factorisation does not use our products"

# Never more words than ScaLAPACK moves for the same descriptors.
for ranks in $tables; do
    expect_fine "$folder/volume.so" "$ranks" "$folder/plain" table
    grep '^volume' "$folder/log" | sort >"$folder/theirs"
    expect_fine "$folder/volume.so:$library" "$ranks" "$folder/plain" table
    grep '^volume' "$folder/log" | sort >"$folder/ours"
    if [ "$(cut -d: -f1 "$folder/theirs")" != "$(cut -d: -f1 "$folder/ours")" ] || [ ! -s "$folder/ours" ]; then
        fail "$ranks ranks: different tables"
    fi
    more=$(join -t: "$folder/ours" "$folder/theirs" | awk -F: '$2 > $3')
    # The recorded volumes, with which plans are compared on many more grids, are those of the real one.
    if [ "$implementation" = openmpi ] && grep -vxFf "$here/scalapack-volumes.txt" "$folder/theirs"; then
        fail "$ranks ranks: other volumes of ScaLAPACK than recorded"
    fi
    if [ -n "$more" ]; then
        fail "$ranks ranks: more words than ScaLAPACK (ours: theirs)"
        echo "$more"
    fi
done

# Errors are reported by every process, with the argument's number, and end the program as PBLAS does unless told
# otherwise.
for error in trans:1 size:3 corner:13 lead:1009 block:1905 differs:5 alpha:6 type:1401; do
    which=${error%:*} number=${error#*:}
    REDBLUE_ON_ERROR=return run "$library" 3 "$folder/plain" error "$which"
    status=$?
    # Lines of several processes may be mixed.
    reports=$(grep -o "On entry to PDGEMM parameter number *$number had an illegal value" "$folder/log" | wc -l)
    if [ "$status" != 0 ] || [ "$reports" != 3 ] || ! grep -q "3 processes: fine" "$folder/log"; then
        fail "error $which: status $status, $reports reports of parameter $number"
        cat "$folder/log"
    fi
done
for which in trans context; do
    if run "$library" 3 "$folder/plain" error "$which" || ! grep -q "On entry to PDGEMM" "$folder/log" ||
        grep -q -E "returned|HANGS" "$folder/log"; then
        fail "error $which does not end the program"
        cat "$folder/log"
    fi
done

if [ "$failures" != 0 ]; then
    echo "scalapack.sh: $implementation: $failures runs FAILED"
    exit 1
fi
echo "scalapack.sh: $implementation: all runs as expected"

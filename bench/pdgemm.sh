#!/usr/bin/env bash
# The same ScaLAPACK program (scalapack.c) with and without our library before ScaLAPACK's, in turns, on the most square
# grid of the ranks: times of the slowest process, the median of all runs of each.
#
#     bench/pdgemm.sh LIBRARY [ROUNDS]        with RANKS="2 4", SHAPES="MxNxK ...", RAW=file
#
# LIBRARY is libredblue_capi.so, built with --release --features mpi for Open MPI. Prints one line per shape with the
# ratio of medians (below 1: ours is faster) and OpenBLAS's kernels. Exit code 1 if one exceeds 1.05.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
library=$(realpath "$1")
rounds=${2:-3}
ranks=${RANKS:-2 4}
shapes=${SHAPES:-1024x1024x1024 2048x2048x2048 256x256x65536 65536x256x256 4096x4096x256}
raw=${RAW:-/dev/null}
runs=${RUNS:-5}

if grep -q avx512vl /proc/cpuinfo; then
    export OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-SKYLAKEX}
fi
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mpicc.openmpi -O2 -Wall -o "$folder/driver" "$here/scalapack.c" -lscalapack-openmpi -lopenblas -lm
echo "# $(grep -m1 'model name' /proc/cpuinfo | sed 's/.*: //'), $(getconf _NPROCESSORS_ONLN) processors, load $(cut -d' ' -f1-3 /proc/loadavg)" >"$raw"

median() { sort -g "$1" | awk '{ all[NR] = $1 } END { print (all[int((NR + 1) / 2)] + all[int(NR / 2) + 1]) / 2 }'; }

printf '%-16s %5s %6s %10s %10s %7s  %s\n' shape ranks grid redblue ScaLAPACK medians kernel
status=0
for p in $ranks; do
    yield=$([ "$p" -gt "$(getconf _NPROCESSORS_ONLN)" ] && echo 1 || echo 0)
    rows=1
    for side in $(seq "$p"); do
        if [ $((p % side)) = 0 ] && [ $((side * side)) -le "$p" ]; then rows=$side; fi
    done
    for shape in $shapes; do
        IFS=x read -r m n k <<<"$shape"
        rm -f "$folder/ours" "$folder/theirs"
        for _ in $(seq "$rounds"); do
            for who in ours theirs; do
                preload=$([ "$who" = ours ] && echo "$library" || true)
                line=$(mpirun.openmpi --oversubscribe --bind-to none --mca mpi_yield_when_idle "$yield" -n "$p" \
                    env LD_PRELOAD="$preload" "$folder/driver" "$m" "$n" "$k" "$rows" $((p / rows)) 64 1 "$runs")
                echo "$who $line" >>"$raw"
                sed 's/^scalapack [0-9]* [0-9]* [0-9]* [0-9]* [0-9]* [0-9]*//; s/ kernel.*//' <<<"$line" |
                    tr ' ' '\n' | sed '/^$/d' >>"$folder/$who"
                kernel=$(sed 's/.*kernel //' <<<"$line")
            done
        done
        ours=$(median "$folder/ours") theirs=$(median "$folder/theirs")
        ratio=$(awk "BEGIN { printf \"%.3f\", $ours / $theirs }")
        printf '%-16s %5s %6s %10.4f %10.4f %7s  %s\n' "$shape" "$p" "${rows}x$((p / rows))" "$ours" "$theirs" "$ratio" "$kernel"
        if awk "BEGIN { exit !($ratio > 1.05) }"; then status=1; fi
    done
done
exit $status

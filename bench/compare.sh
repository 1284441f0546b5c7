#!/usr/bin/env bash
# redblue against ScaLAPACK's pdgemm, in one run: times of the slowest process, the best run of each.
#
#     bench/compare.sh [ROUNDS]        with RANKS="2 4", SHAPES="MxNxK ...", REDBLUE=path/to/redblue, RAW=file
#
# Needs Debian's libscalapack-openmpi-dev and libopenblas-dev, and a redblue built with --features mpi for Open MPI (built
# here if REDBLUE is not set). The two take turns, so that a busy machine is busy for both; ScaLAPACK has every process
# grid of the ranks, and its best one counts. One thread per rank. Prints one line per shape with the ratio of times
# (below 1: redblue is faster) and the kernels in use; all times go to RAW. Exit code 1 if a ratio exceeds 1.05.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rounds=${1:-3}
ranks=${RANKS:-2 4}
shapes=${SHAPES:-1024x1024x1024 2048x2048x2048 256x256x65536 65536x256x256 4096x4096x256}
raw=${RAW:-/dev/null}
runs=${RUNS:-5}
block=${BLOCK:-64}

# OpenBLAS 0.3.21 takes newer processors with AVX-512 for something old. Others it recognises by itself.
if grep -q avx512vl /proc/cpuinfo; then
    export OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-SKYLAKEX}
fi
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Waiting processes give way: with more ranks than processors, or on a busy machine, spinning would slow both.
launch=(mpirun.openmpi --oversubscribe --bind-to none --mca mpi_yield_when_idle 1)

if [ -z "${REDBLUE:-}" ]; then
    (cd "$here/.." && MPICC=mpicc.openmpi CARGO_TARGET_DIR=target/openmpi cargo build --quiet --release -p redblue --features mpi)
    REDBLUE=$here/../target/openmpi/release/redblue
fi
driver=$(mktemp)
trap 'rm -f "$driver"' EXIT
mpicc.openmpi -O2 -Wall -o "$driver" "$here/scalapack.c" -lscalapack-openmpi -lopenblas -lm

{
    echo "# $(grep -m1 'model name' /proc/cpuinfo | sed 's/.*: //'), $(getconf _NPROCESSORS_ONLN) processors, load $(cut -d' ' -f1-3 /proc/loadavg)"
    echo "# ScaLAPACK $(dpkg-query -W -f='${Version}' libscalapack-openmpi-dev), OpenBLAS $(dpkg-query -W -f='${Version}' libopenblas-dev), Open MPI $(dpkg-query -W -f='${Version}' libopenmpi-dev)"
} >"$raw"

least() { tr ' ' '\n' | awk 'NF && (!found || $1 < best) { best = $1; found = 1 } END { print found ? best : "inf" }'; }

printf '%-16s %5s %10s %10s %6s  %s\n' shape ranks redblue ScaLAPACK ratio 'plan; grid and kernel'
status=0
for p in $ranks; do
    for shape in $shapes; do
        IFS=x read -r m n k <<<"$shape"
        ours=inf theirs=inf plan="" grid=""
        for _ in $(seq "$rounds"); do
            line=$("${launch[@]}" -n "$p" "$REDBLUE" bench matmul -m "$m" -n "$n" -k "$k" --runs "$runs" --verify --format json |
                sed -n 's/^ *"\(plan\|backend\|min\|median\|max\|verified\)": "\{0,1\}\([^",]*\).*/\1=\2/p' | tr '\n' ' ')
            echo "redblue $shape $p $line" >>"$raw"
            plan=$(sed 's/.*plan=\([^ ]*\).*/\1/' <<<"$line")
            ours=$(printf '%s %s' "$ours" "$(sed 's/.*min=\([^ ]*\).*/\1/' <<<"$line")" | sed 's/inf//' | least)
            for rows in $(seq "$p"); do
                [ $((p % rows)) = 0 ] || continue
                line=$("${launch[@]}" -n "$p" "$driver" "$m" "$n" "$k" "$rows" $((p / rows)) "$block" 1 "$runs")
                echo "$line" >>"$raw"
                best=$(sed 's/^scalapack [0-9]* [0-9]* [0-9]* [0-9]* [0-9]* [0-9]*//; s/ kernel.*//' <<<"$line" | least)
                if [ "$theirs" = inf ] || awk "BEGIN { exit !($best < $theirs) }"; then
                    theirs=$best
                    grid="${rows}x$((p / rows)), $(sed 's/.*kernel //' <<<"$line")"
                fi
            done
        done
        ratio=$(awk "BEGIN { printf \"%.3f\", $ours / $theirs }")
        printf '%-16s %5s %10.4f %10.4f %6s  %s; %s\n' "$shape" "$p" "$ours" "$theirs" "$ratio" "$plan" "$grid"
        if awk "BEGIN { exit !($ratio > 1.05) }"; then status=1; fi
    done
done
exit $status

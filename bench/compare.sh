#!/usr/bin/env bash
# redblue against ScaLAPACK's pdgemm, in one run: times of the slowest process, the median of all runs of each.
#
#     bench/compare.sh [ROUNDS]        with RANKS="2 4", SHAPES="MxNxK ...", REDBLUE=path/to/redblue, RAW=file
#
# Needs Debian's libscalapack-openmpi-dev and libopenblas-dev, and a redblue built with --features mpi for Open MPI (built
# here if REDBLUE is not set). The two take turns, so that a busy machine is busy for both; ScaLAPACK has every process
# grid of the ranks, and the one with the least median counts. One thread per rank. Prints one line per shape with the
# ratios of medians and of best runs (below 1: redblue is faster) and the kernels in use; all times go to RAW. Exit code 1
# if a ratio of medians exceeds 1.05.
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
launch=(mpirun.openmpi --oversubscribe --bind-to none)

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

# The median and the least of numbers, one a line.
summary() { sort -g | awk '{ all[NR] = $1 } END { print (all[int((NR + 1) / 2)] + all[int(NR / 2) + 1]) / 2, all[1] }'; }

printf '%-16s %5s %10s %10s %7s %7s  %s\n' shape ranks redblue ScaLAPACK medians best 'plan; grid and kernel'
status=0
times=$(mktemp -d)
trap 'rm -rf "$driver" "$times"' EXIT
for p in $ranks; do
    # With more ranks than processors those that wait must give way; otherwise that only slows frequent messages.
    yield=$([ "$p" -gt "$(getconf _NPROCESSORS_ONLN)" ] && echo 1 || echo 0)
    for shape in $shapes; do
        IFS=x read -r m n k <<<"$shape"
        rm -f "$times"/*
        plan="" kernel=""
        for _ in $(seq "$rounds"); do
            line=$("${launch[@]}" --mca mpi_yield_when_idle "$yield" -n "$p" "$REDBLUE" bench matmul -m "$m" -n "$n" -k "$k" \
                --runs "$runs" --verify --format json |
                sed -n 's/^ *"\(plan\|backend\|min\|median\|max\|verified\)": "\{0,1\}\([^",]*\).*/\1=\2/p' | tr '\n' ' ')
            echo "redblue $shape $p $line" >>"$raw"
            plan=$(sed 's/.*plan=\([^ ]*\).*/\1/' <<<"$line")
            sed 's/.*median=\([^ ]*\).*/\1/' <<<"$line" >>"$times/redblue"
            sed 's/.*min=\([^ ]*\).*/\1/' <<<"$line" >>"$times/redblue-best"
            for rows in $(seq "$p"); do
                [ $((p % rows)) = 0 ] || continue
                line=$("${launch[@]}" --mca mpi_yield_when_idle "$yield" -n "$p" "$driver" \
                    "$m" "$n" "$k" "$rows" $((p / rows)) "$block" 1 "$runs")
                echo "$line" >>"$raw"
                sed 's/^scalapack [0-9]* [0-9]* [0-9]* [0-9]* [0-9]* [0-9]*//; s/ kernel.*//' <<<"$line" |
                    tr ' ' '\n' | sed '/^$/d' >>"$times/grid-${rows}x$((p / rows))"
                kernel=$(sed 's/.*kernel //' <<<"$line")
            done
        done
        ours=$(summary <"$times/redblue" | cut -d' ' -f1)
        ours_best=$(summary <"$times/redblue-best" | cut -d' ' -f2)
        read -r theirs theirs_best grid < <(for file in "$times"/grid-*; do
            echo "$(summary <"$file") ${file##*grid-}"
        done | sort -g | head -1)
        read -r ratio ratio_best < <(awk "BEGIN { printf \"%.3f %.3f\\n\", $ours / $theirs, $ours_best / $theirs_best }")
        printf '%-16s %5s %10.4f %10.4f %7s %7s  %s; %s, %s\n' \
            "$shape" "$p" "$ours" "$theirs" "$ratio" "$ratio_best" "$plan" "$grid" "$kernel"
        if awk "BEGIN { exit !($ratio > 1.05) }"; then status=1; fi
    done
done
exit $status

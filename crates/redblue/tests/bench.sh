#!/usr/bin/env bash
# Runs `redblue bench matmul` under a launcher: verified products, and a wrong one. Usage: bench.sh openmpi|mpich REDBLUE,
# where the program was built for that MPI.
set -uo pipefail
implementation=$1
redblue=$2

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck source=../../redblue-dist/tests/launch.sh
source "$(dirname "$0")/../../redblue-dist/tests/launch.sh" "$implementation" "$folder"
failures=0

fail() {
    echo "bench.sh: $implementation: $*"
    cat "$folder/out" "$folder/err"
    failures=$((failures + 1))
}

# run RANKS ARGUMENT...: the exit status; what was printed is in $folder.
run() {
    local ranks=$1
    shift
    timeout --kill-after=10 120 "${launch[@]}" -n "$ranks" env LD_PRELOAD="$yielding" \
        "$redblue" bench matmul "$@" >"$folder/out" 2>"$folder/err"
}

# The value of a field of the document.
field() { sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" "$folder/out"; }

for shape in "1 24 17 30" "3 64 48 80" "5 40 100 33"; do
    read -r ranks m n k <<<"$shape"
    if ! run "$ranks" -m "$m" -n "$n" -k "$k" --runs 2 --verify --format json; then
        fail "$ranks ranks: status is not 0"
    elif [ "$(field ranks)" != "$ranks" ] || [ "$(field verified)" != true ] ||
        [ "$(field as_predicted)" != true ] || [ "$(field communicator)" != '"mpi"' ]; then
        fail "$ranks ranks: not what was asked for"
    fi
done

# A time limit: the processes agree on a plan and on when to end.
if ! run 3 -m 64 -n 48 -k 80 --runs 1000000 --time-limit 300ms --verify --format json; then
    fail "a time limit: status is not 0"
elif [ "$(field stop)" != '"time-limit"' ] || [ "$(field verified)" != true ]; then
    fail "a time limit: not what was asked for"
fi

# A BLAS that multiplies wrongly: the program says so and ends with 1.
cat >"$folder/wrong.c" <<'C'
void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc)
{
    (void)ta, (void)tb, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb, (void)beta;
    for (int j = 0; j < *n; j++)
        for (int i = 0; i < *m; i++)
            c[(long)j * *ldc + i] = 1;
}
void sgemm_(void) {}
void cgemm_(void) {}
void zgemm_(void) {}
C
"mpicc.$implementation" -shared -fPIC -o "$folder/wrong.so" "$folder/wrong.c" || exit 1
run 3 -m 64 -n 48 -k 80 --runs 1 --blas "$folder/wrong.so" --verify --format json
status=$?
[ "$status" = 1 ] && [ "$(field verified)" = false ] || fail "a wrong product: status $status"
# Not as many ranks as there are processes: refused by all, with a code.
run 2 -m 8 -n 8 -k 8 -p 3
status=$?
[ "$status" = 2 ] && grep -q 'RB[0-9]' "$folder/err" || fail "other ranks: status $status"

if [ "$failures" != 0 ]; then
    echo "bench.sh: $implementation: $failures runs FAILED"
    exit 1
fi
echo "bench.sh: $implementation: all runs as expected"

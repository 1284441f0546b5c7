#!/usr/bin/env bash
# Runs the MPI tests under a launcher, on up to 9 processes however few processors there are, and the cases in
# which a rank fails. Usage: mpi.sh openmpi|mpich CRATE BINARY, where the binary is the test `mpi` of the crate.
set -uo pipefail
implementation=$1
crate=$2
binary=$3

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck source=launch.sh
source "$(dirname "$0")/launch.sh" "$implementation" "$folder"

failures=0
counts="1 2 3 4 5 6 7 8 9"
products=100
# No case waits for anything longer than a few seconds.
limit=120

# expect good|bad RANKS CASE PRELOADED
expect() {
    local start=$SECONDS
    timeout --kill-after=10 "$limit" "${launch[@]}" -n "$2" env LD_PRELOAD="$yielding:$4" \
        "$binary" "$3" "$products" >"$log" 2>&1
    local status=$?
    if [ $((SECONDS - start)) -ge "$limit" ]; then
        echo "mpi.sh: $implementation, $2 ranks, ${3:-everything}: HANGS"
    elif { [ "$1" = good ] && [ "$status" = 0 ]; } || { [ "$1" = bad ] && [ "$status" != 0 ]; }; then
        return
    else
        echo "mpi.sh: $implementation, $2 ranks, ${3:-everything}: ended with $status"
    fi
    cat "$log"
    failures=$((failures + 1))
}

log=$folder/log
counter=$folder/pmpi.so

# count RANKS CASE: what the wrapper counts is what MPI is asked to move.
"mpicc.$implementation" -O1 -Wall -shared -fPIC -o "$counter" "$(dirname "$0")/pmpi.c" || exit 1
count() {
    expect good "$1" "$2" "$counter"
    if [ "$(grep -c '^pmpi' "$log")" != "$1" ] ||
        [ "$(sed -n 's/^tally //p' "$log" | sort)" != "$(sed -n 's/^pmpi //p' "$log" | sort)" ]; then
        echo "mpi.sh: $implementation, $1 ranks: counts differ"
        cat "$log"
        failures=$((failures + 1))
    fi
}

case $crate in
redblue-dist)
    ends_well="error panic inconsistent mismatch" ends_badly="kill stop large"
    for ranks in $counts; do
        expect good "$ranks" "" ""
    done
    for ranks in 1 2 6; do
        count "$ranks" count
    done
    ;;
*)
    ends_well="" ends_badly="kill"
    for ranks in $counts; do
        count "$ranks" ""
    done
    ;;
esac
for ranks in 2 4; do
    for fault in $ends_well; do
        expect good "$ranks" "$fault" ""
    done
    for fault in $ends_badly; do
        expect bad "$ranks" "$fault" ""
    done
done
if [ "$failures" != 0 ]; then
    echo "mpi.sh: $implementation, $crate: $failures runs FAILED"
    exit 1
fi
echo "mpi.sh: $implementation, $crate: all runs as expected"

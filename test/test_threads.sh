#!/usr/bin/env bash
# The program where the system gives it fewer threads than it asks for: the same answer, and no word about it.
# Usage: test_threads.sh PATH_TO_TOI
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 PATH_TO_TOI" >&2; exit 1; }
. "$(dirname "$0")/outside.sh"

scene=(ccd --scene cloth-ball --size 20000 --begin 0.7 --all)
row() { awk -v name="$1" '$1 == name { print $2 }' stdout; }

# limited COMMAND... -- ARGUMENT...: the program, started by a command that takes something away from it.
limited() {
    local command=()
    while [ "$1" != -- ]; do command+=("$1"); shift; done
    shift
    code=0
    "${command[@]}" "$toi" "$@" >stdout 2>stderr </dev/null || code=$?
}

run "${scene[@]}" --threads 1
expected=$(row hash)
check "a scene on one thread" [ "$code" -eq 0 ]

# goes_on NAME THREADS COMMAND...: skipped where even one thread cannot work under that command.
goes_on() {
    local name=$1 threads=$2; shift 2
    limited "$@" -- "${scene[@]}" --threads 1
    if [ "$code" -ne 0 ]; then skip "$name: $* does not run the program here"; return; fi
    limited "$@" -- "${scene[@]}" --threads "$threads"
    if [ "$code" -eq 0 ] && [ ! -s stderr ]; then same "$name" "$(row hash)" "$expected"
    else fail "$name" "exit code $code"; fi
}

# Two stacks of 1 GiB fit, and leave room for the scene.
goes_on "fewer threads where there is no memory for their stacks" 8 prlimit --stack=1073741824 --as=2500000000

# A limit on processes does not bind root.
other=()
[ "$(id -u)" -ne 0 ] || other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
for most in 1 2 3; do
    goes_on "at most $most processes" 4 ${other[@]+"${other[@]}"} prlimit --nproc=$most
done

# How many are asked for is what OpenMP would ask for.
threads_of() { limited env "$@" -- ccd --scene cloth-ball --size 100; sed -n 's/^methods .* \([0-9]*\) threads$/\1/p' stdout; }
same "OMP_NUM_THREADS is heard" "$(threads_of OMP_NUM_THREADS=3)" 3
same "OMP_THREAD_LIMIT is heard" "$(threads_of OMP_NUM_THREADS=3 OMP_THREAD_LIMIT=2)" 2
finish

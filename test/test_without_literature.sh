#!/usr/bin/env bash
# A build without the methods of the literature: the same answers with what is left, the others are named as missing,
# benchmarks run what there is. Builds the program again, in SCRATCH, so only where TOI_LONG is set.
# Usage: test_without_literature.sh PATH_TO_TOI SCRATCH
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: $0 PATH_TO_TOI SCRATCH" >&2; exit 1; }
if [ -z "${TOI_LONG:-}" ]; then
    echo "skipped: a build without the methods of the literature; make test-long makes one"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
whole=$(realpath "$1")
cmake -S "$(dirname "$0")/.." -B "$2" -DCMAKE_BUILD_TYPE=Release -DTOI_LITERATURE=OFF >/dev/null
cmake --build "$2" --target toi_cli -j "$(nproc)" >/dev/null
set -- "$2/bin/toi"
. "$(dirname "$0")/outside.sh"

hash_of() { "$1" ccd --scene cloth-ball --size 5000 --begin 0.7 --all --threads 2 | awk '$1 == "hash" { print $2 }'; }
same "impacts" "$(hash_of "$toi")" "$(hash_of "$whole")"
run info
check "methods that are there" grep -q '^broad *auto, brute, lbvh, interval-tree$' stdout
check "no others" [ "$(grep -cE 'stq|additive' stdout)" -eq 0 ]
refuses "a broad phase that is not there" 1 "there are auto, brute, lbvh, interval-tree" \
    ccd --scene cloth-ball --size 100 --broad stq
refuses "a narrow phase that is not there" 1 "there are exact, inclusion" \
    ccd --scene cloth-ball --size 100 --narrow fast
for bench in broad narrow ccd; do
    run bench $bench --scene cloth-ball --size 500 --threads 1
    check "bench $bench" [ "$code" -eq 0 ]
done
run bench sdf --scenes triangle-torus --count 2 --repeat 1
check "bench sdf" [ "$code" -eq 0 ]
check "only what there is" [ "$(grep -cE '^(fw|discrete)' stdout)" -eq 0 ]
run bench track --scenes cloth-ball --sizes 500 --frames 3 --cuts none
check "bench track" [ "$code" -eq 0 ]
check "without the published methods" [ "$(grep -cE '^(front|phc|serial|rebuild) ' stdout)" -eq 0 ]
refuses "a method that is not there" 3 "TOI_LITERATURE=ON" track --scene cloth-ball --size 100 --method front
refuses "a study without those it compares with" 3 "TOI_LITERATURE=ON" bench sdf --study --count 1
refuses "a solver that is not there" 1 "there are certified" sdf ccd mesh.ply --field sphere:1 --solver fw
finish

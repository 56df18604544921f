#!/usr/bin/env bash
# Packs what the fuzzers of the core know after fuzz/run.sh, build/fuzz/corpus, into test/fuzz_seeds/NAME.tar, which the
# tests replay: of inputs that reach the same code only the smallest. The readers' seeds are test/io_cases, by hand.
# Usage: fuzz/pack.sh [NAME...], for example fuzz/pack.sh exact
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- broad ccd exact field overlap sdf solve truth
export OMP_NUM_THREADS=2
for name in "$@"; do
    corpus=build/fuzz/corpus/fuzz_$name merged=build/fuzz/merged/$name
    rm -rf "$merged"
    mkdir -p "$merged"
    build/fuzz/bin/fuzz_"$name" -merge=1 "$merged" "$corpus" >"build/logs/fuzz_$name-merge.log" 2>&1
    # The same files give the same archive.
    tar --format=ustar --owner=0 --group=0 --numeric-owner --mode=644 --mtime=@0 \
        -cf "test/fuzz_seeds/$name.tar" -C "$merged" -T <(LC_ALL=C ls "$merged")
    echo "$name: $(ls "$corpus" | wc -l) inputs, $(ls "$merged" | wc -l) kept"
done

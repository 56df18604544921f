#!/usr/bin/env bash
# Builds the fuzzers and runs each for the given number of seconds. They begin with test/io_cases, with what
# test/fuzz_seeds/NAME.tar holds, and with what they learned before; that stays in build/fuzz/corpus (fuzz/pack.sh
# packs it for the repository). A finding is left in build/fuzz/findings and ends the run.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
command -v clang >/dev/null || { echo "the fuzzers need clang (Debian: clang libclang-rt-14-dev)" >&2; exit 1; }
mkdir -p build/logs build/fuzz/findings
cmake --preset fuzz >build/logs/fuzz-build.log 2>&1 && cmake --build --preset fuzz >>build/logs/fuzz-build.log 2>&1 ||
    { tail -n 30 build/logs/fuzz-build.log; exit 1; }
export OMP_NUM_THREADS=2
for name in fuzz_broad fuzz_ccd fuzz_exact fuzz_field fuzz_mesh fuzz_overlap fuzz_queries fuzz_sdf fuzz_solve fuzz_truth; do
    corpus=build/fuzz/corpus/$name
    seeds=test/fuzz_seeds/${name#fuzz_}.tar
    mkdir -p "$corpus"
    if [ -f "$seeds" ]; then tar -xf "$seeds" -C "$corpus"; fi
    echo "== $name, $seconds s"
    build/fuzz/bin/$name -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -print_final_stats=1 \
        -artifact_prefix=build/fuzz/findings/ "$corpus" test/io_cases 2>&1 | tee "build/logs/$name.log" |
        grep -E 'ERROR|SUMMARY|^Done|stat::(number_of_executed_units|new_units_added)'
done

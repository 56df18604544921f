#!/usr/bin/env bash
# Runs every test of the release build, then those with the labels asan and tsan (test/CMakeLists.txt) again under
# sanitizers, adds up what the programs counted, and names the slowest. TOI_LONG=1: ten times the random cases.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
mkdir -p build/logs
rm -f build/logs/*.log
failed_runs=0

run_tree() { # run_tree NAME DIRECTORY CTEST-ARGUMENTS...
    local name=$1 directory=$2
    shift 2
    echo "== $name"
    # A shell that is no terminal's has INT and QUIT ignored in what it starts with &; tests send them.
    if ! env --default-signal=INT,QUIT ctest --test-dir "$directory" -j "$(nproc)" "$@" 2>/dev/null | grep -E 'Test +#|tests passed'; then
        failed_runs=$((failed_runs + 1))
        echo "-- $name failed: the whole output is in build/logs/$name.log"
    fi
    cp "$directory/Testing/Temporary/LastTest.log" "build/logs/$name.log"
    grep -hE '^\[  (ERROR|FAILED)|^FAILED|differs without|no .*: set TOI_DATA|^skipped|ERROR: |WARNING: Thread' \
        "build/logs/$name.log" | sort -u | head -n 30
}

build() { # build PRESET TARGETS...: less urgent than the tests that run meanwhile
    cmake --preset "$1" && nice cmake --build --preset "$1" --target "${@:2}"
}

sanitized() { # sanitized PRESET STATUS LABELS: the tests that have the labels, if the build ended well
    if [ "$2" -eq 0 ]; then
        TOI_SANITIZED=1 run_tree "$1" "build/$1" -L "^($3)$"
    else
        tail -n 30 "build/logs/$1-build.log"
        : >"build/logs/$1.log"
        failed_runs=$((failed_runs + 1))
    fi
}

# Both cores are always busy: what has sanitizers is built while the tests before it run.
build asan asan_tests ${TOI_LONG:+asan_long_tests} >build/logs/asan-build.log 2>&1 &
asan=$!
run_tree release build
wait $asan
asan=$?
build tsan tsan_tests ${TOI_LONG:+tsan_long_tests} >build/logs/tsan-build.log 2>&1 &
tsan=$!
sanitized asan $asan "asan${TOI_LONG:+|asan_long}"
wait $tsan
sanitized tsan $? "tsan${TOI_LONG:+|tsan_long}"

echo "== the slowest"
for name in release asan tsan; do
    awk -v run=$name '/ Testing: / { test = $3 } /^Test time = / { printf "%6.1f s  %s %s\n", $4, run, test }' \
        build/logs/$name.log
done | sort -rn | head -n 10

# cmocka's closing lines, and the plain ones of the shell tests.
awk -v runs="$failed_runs" '
    /^\[  PASSED  \] [0-9]+ test/  { passed += $4 }
    /^\[  FAILED  \] [0-9]+ test/  { failed += $4 }
    /^\[  SKIPPED \] [0-9]+ test/  { skipped += $4 }
    /^[0-9]+ passed, [0-9]+ failed/ { passed += $1; failed += $3; skipped += $5 }
    END {
        if (runs > 0 && failed == 0) failed = runs
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0 || passed == 0
    }' build/logs/release.log build/logs/asan.log build/logs/tsan.log

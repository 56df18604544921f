#!/usr/bin/env bash
# Runs every test of the release build, then the quick ones again under sanitizers, and adds up what the programs
# counted. TOI_LONG=1: ten times the random cases.
set -uo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/logs
rm -f build/logs/*.log
failed_runs=0

run_tree() { # run_tree NAME DIRECTORY CTEST-ARGUMENTS...
    local name=$1 directory=$2
    shift 2
    echo "== $name"
    if ! ctest --test-dir "$directory" -j "$(nproc)" "$@" 2>/dev/null | grep -E 'Test +#|tests passed'; then
        failed_runs=$((failed_runs + 1))
        echo "-- $name failed: the whole output is in build/logs/$name.log"
    fi
    cp "$directory/Testing/Temporary/LastTest.log" "build/logs/$name.log"
    grep -hE '^\[  (ERROR|FAILED)|^FAILED|differs without|no .*: set TOI_DATA|^skipped|ERROR: |WARNING: Thread' \
        "build/logs/$name.log" | sort -u | head -n 30
}

sanitized() { # sanitized PRESET TESTS [TARGETS...]: the programs that finish quickly and touch everything
    local log=build/logs/$1-build.log
    if cmake --preset "$1" >"$log" 2>&1 && cmake --build --preset "$1" --target "${@:3}" >>"$log" 2>&1; then
        TOI_SANITIZED=1 run_tree "$1" "build/$1" -R "^($2)$"
    else
        tail -n 30 "$log"
        failed_runs=$((failed_runs + 1))
    fi
}

run_tree release build
sanitized asan 'additive|arguments|base|baselines|broad|broad_limits|broad_memory|broad_mesh|cases|cases_methods|ccd|cli|contract|contract_files|contract_inputs|contract_options|distance|exact|exact_bounds|exact_decide|exact_filters|exact_stages|exact_time|files|inclusion|inclusion_options|inclusion_queue|inclusion_side|io|limits|mesh|modes|numbers|obj_stl|output|ply|queries|replay_broad|replay_ccd|replay_exact|replay_solve|replay_truth|report|scenes|stack|team|threads|truth|truth_command|truth_file'"${TOI_LONG:+|bench}" all
# What shares most between threads.
sanitized tsan 'base|broad|broad_memory|broad_mesh|ccd|contract_files|contract_inputs|mesh|team' test_base test_broad test_broad_memory test_broad_mesh test_ccd test_contract_files test_contract_inputs test_mesh test_team

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

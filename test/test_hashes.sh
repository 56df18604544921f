#!/usr/bin/env bash
# Two builds of the same sources, with and without optimisation, must print the same fingerprints, for scenes of 100
# faces, or with TOI_LONG 700. The first also compares numbers of workers; the second, which is slow, has one.
set -euo pipefail
passed=0 failed=0

size=100
[ -z "${TOI_LONG:-}" ] || size=700
optimised=$("$1" "$size") && unoptimised=$("$2" "$size" brief) || { echo "a build disagrees with itself"; failed=1; }
if [ $failed -eq 0 ]; then
    echo "$optimised"
    while IFS= read -r line; do
        if grep -qxF -- "$line" <<<"$unoptimised"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "differs without optimisation: $line"
        fi
    done <<<"$optimised"
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]

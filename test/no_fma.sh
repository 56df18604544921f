#!/usr/bin/env bash
# Fused multiply-add would change the answers' bits between instruction sets: none may be in the library's objects,
# given by name, but in those of sources that ask for it (src/simd/fused.h). There, too, sums that alternate are none of
# ours: compilers make them where nobody asked.
set -euo pipefail
src=$(dirname "$0")/../src
passed=0 failed=0
asked=" $(cd "$src" && grep -rl 'include "simd/fused.h"' --include='*.c' . | sed 's|^\./||' | tr '\n' ' ') "
command -v objdump >/dev/null || { echo "0 passed, 0 failed, 1 skipped"; exit 0; }
for object in "$@"; do
    source=${object#*.dir/}
    source=${source#./} source=${source%.o}
    fused='\bvfn?m(add|sub)'
    [[ $asked == *" $source "* ]] && fused='\bvfm(addsub|subadd)'
    found=$(objdump -d --no-show-raw-insn "$object" 2>/dev/null | grep -cE "$fused" || true)
    if [ "$found" -ne 0 ]; then
        echo "FAIL: $found fused instructions in $object"
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]

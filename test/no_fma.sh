#!/usr/bin/env bash
# Fused multiply-add would change the answers' bits between instruction sets: none may be in the library.
set -euo pipefail
if ! objdump -d "$1" >/dev/null 2>&1; then
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
found=$(objdump -d --no-show-raw-insn "$1" | grep -cE '\bvfn?m(add|sub)' || true)
if [ "$found" -ne 0 ]; then
    echo "FAIL: $found fused instructions in $1"
    echo "0 passed, 1 failed"
    exit 1
fi
echo "1 passed, 0 failed"

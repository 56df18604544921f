#!/usr/bin/env bash
# A name of the library means one thing: no type is defined in two headers, so that any two can be included together,
# and no function type reads like a function. (kernel/lanes.h and simd/vector_lanes.h are the same thing twice, for one
# number and for vectors; a program includes one of them.)
set -uo pipefail
cd "$(dirname "$0")/.."
headers=$(git ls-files 'include/*.h' 'src/*.h' 2>/dev/null || find include src -name '*.h')
[ -n "$headers" ] || headers=$(find include src -name '*.h')
passed=0 failed=0

verdict() { # verdict NAME LINES: there must be none
    if [ -z "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED   %s:\n%s\n' "$1" "$2"
    fi
}

types() { # types FILE...: the names of structs, enums, unions and functions' types, once a file
    local file
    for file in "$@"; do
        sed -nE -e 's/^\} (toi_[a-z0-9_]+);.*/\1/p' -e 's/^typedef [a-z0-9_ ]+ \**(toi_[a-z0-9_]+)\(.*/\1/p' "$file" |
            sort -u
    done
}

functions() { # functions FILE...: the names of functions that are declared or defined there
    sed -nE '/^(typedef|#)/!s/^[A-Za-z][A-Za-z0-9_ ]* \**(toi_[a-z0-9_]+)\(.*/\1/p' "$@" | sort -u
}

count=$(types $headers | wc -l)
verdict "types that are defined in two headers" "$(types $headers | sort | uniq -d)"
verdict "types that are functions too" "$(comm -12 <(types $headers | sort -u) <(functions $headers))"
verdict "function types that do not end in _fn" \
    "$(sed -nE 's/^typedef [a-z0-9_ ]+ \**(toi_[a-z0-9_]+)\(.*/\1/p' $headers | grep -v '_fn$')"
[ "$count" -gt 100 ] || verdict "too few types were found" "$count"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

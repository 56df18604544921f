#!/usr/bin/env bash
# Installs the build to a fresh prefix and builds examples/ against it, by find_package and by pkg-config.
set -euo pipefail
build=$1 compiler=$2
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0

ok() { passed=$((passed + 1)); echo "ok: $1"; }

cmake --install "$build" --prefix "$work/prefix" >"$work/log"
ok "installed"
[ -x "$work/prefix/bin/toi" ] && "$work/prefix/bin/toi" --version
ok "the program runs from its prefix"

cmake -S "$source/examples" -B "$work/examples" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_C_COMPILER="$compiler" ${TOI_EXAMPLE_FLAGS:+-DCMAKE_C_FLAGS="$TOI_EXAMPLE_FLAGS"} >>"$work/log"
cmake --build "$work/examples" >>"$work/log"
"$work/examples/hello" | tee "$work/hello.txt"
grep -q 'impact' "$work/hello.txt"
ok "find_package(toi) builds and runs examples/hello.c"

libdir=$(dirname "$(find "$work/prefix" -name toi.pc | head -n 1)")
export PKG_CONFIG_PATH=$libdir
# shellcheck disable=SC2046
"$compiler" -std=c17 -Wall -Wextra -Wpedantic -Werror ${TOI_EXAMPLE_FLAGS:-} "$source/examples/hello.c" \
    $(pkg-config --cflags --libs toi) -Wl,-rpath,"$(dirname "$libdir")" -o "$work/hello"
"$work/hello" | diff - "$work/hello.txt"
ok "pkg-config toi builds the same program"

lines=$(wc -l <"$source/examples/hello.c")
[ "$lines" -lt 60 ]
ok "examples/hello.c has $lines lines"
# The README shows the example as it is.
awk '/```c/{inside=1;next} /```/{inside=0} inside' "$source/README.md" >"$work/readme.c"
diff <(sed -e '/^$/d' "$work/readme.c") <(sed -e '/^$/d' "$source/examples/hello.c")
ok "the README shows examples/hello.c"

exported=$(nm -D --defined-only "$work"/prefix/lib*/libtoi.so "$work"/prefix/lib/*/libtoi.so 2>/dev/null |
    awk '$2 ~ /[TDB]/ {print $3}' | grep -cv '^toi_' || true)
[ "$exported" -eq 0 ]
ok "the shared library exports only toi_ symbols"
echo "$passed passed, 0 failed"

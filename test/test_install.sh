#!/usr/bin/env bash
# Installs the build to a fresh prefix and builds examples/ against it, by find_package and by pkg-config. Every program
# must start as it is, without LD_LIBRARY_PATH.
set -euo pipefail
unset LD_LIBRARY_PATH
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
"$work/examples/stepping" | tee "$work/stepping.txt"
grep -q 'separated, 0 vertices inside' "$work/stepping.txt"
"$work/examples/field" | tee "$work/field.txt"
grep -q 'touches' "$work/field.txt"
ok "find_package(toi) builds and runs examples/hello.c, examples/stepping.c and examples/field.c"

libdir=$(dirname "$(find "$work/prefix" -name toi.pc | head -n 1)")
export PKG_CONFIG_PATH=$libdir
# shellcheck disable=SC2046
"$compiler" -std=c17 -Wall -Wextra -Wpedantic -Werror ${TOI_EXAMPLE_FLAGS:-} "$source/examples/hello.c" \
    $(pkg-config --cflags --libs toi) -o "$work/hello"
"$work/hello" | diff - "$work/hello.txt"
# shellcheck disable=SC2046
"$compiler" -std=c17 -Wall -Wextra -Wpedantic -Werror ${TOI_EXAMPLE_FLAGS:-} "$source/examples/stepping.c" \
    $(pkg-config --cflags --libs toi) -lm -o "$work/stepping"
"$work/stepping" | diff - "$work/stepping.txt"
ok "pkg-config toi builds the same programs"
# shellcheck disable=SC2046
"$compiler" ${TOI_EXAMPLE_FLAGS:-} "$source/examples/hello.c" $(pkg-config --cflags toi_io) \
    "$(dirname "$libdir")/libtoi_io.a" "$(dirname "$libdir")/libtoi.a" \
    $(pkg-config --static --libs-only-l --libs-only-other toi_io | sed 's/-ltoi\(_io\)\?\>//g') -o "$work/hello_static"
"$work/hello_static" | diff - "$work/hello.txt"
ok "pkg-config --static names what the static libraries need"
printf '#include <toi/io.h>\nint main(void) { toi_mesh_file file; return toi_read_mesh("", &file) == TOI_OK; }\n' \
    >"$work/reader.c"
# shellcheck disable=SC2046
"$compiler" ${TOI_EXAMPLE_FLAGS:-} "$work/reader.c" $(pkg-config --cflags --libs toi_io) -Wl,--as-needed -o "$work/reader"
"$work/reader"
ok "pkg-config toi_io builds a program that starts"
uses_openmp=$(sed -n 's/^TOI_OPENMP:BOOL=//p' "$build/CMakeCache.txt")
if [ "$uses_openmp" = ON ]; then expected=1; else expected=0; fi
[ "$(pkg-config --static --libs toi | grep -c openmp || true)" -eq $expected ]
[ "$(readelf -d "$(dirname "$libdir")/libtoi.so" | grep -cE 'NEEDED.*lib(gomp|omp)' || true)" -eq $expected ]
ok "OpenMP is linked where it is used, and there alone"

# Every target that the package promises, linked by a project of its own.
mkdir "$work/targets"
cat >"$work/targets/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.16)
project(targets LANGUAGES C)
find_package(toi REQUIRED)
foreach(target toi toi_static toi_io toi_io_static)
    add_executable(with_\${target} "$source/examples/hello.c")
    target_link_libraries(with_\${target} PRIVATE toi::\${target})
endforeach()
CMAKE
cmake -S "$work/targets" -B "$work/targets/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$compiler" \
    ${TOI_EXAMPLE_FLAGS:+-DCMAKE_C_FLAGS="$TOI_EXAMPLE_FLAGS"} >>"$work/log"
cmake --build "$work/targets/build" >>"$work/log"
for target in toi toi_static toi_io toi_io_static; do
    "$work/targets/build/with_$target" | diff - "$work/hello.txt"
done
ok "every target of the package links and runs"

# A build that leaves the tests out, and what a machine without GMP is told.
cmake -S "$source" -B "$work/lean" -DTOI_TESTS=OFF -DCMAKE_C_COMPILER="$compiler" >>"$work/log"
cmake --build "$work/lean" --target help >"$work/targets.txt"
grep -q toi_installed "$work/targets.txt"
if grep -qE 'test_base|replay_' "$work/targets.txt"; then exit 1; fi
ok "without TOI_TESTS there are no tests"
if cmake -S "$source" -B "$work/no_gmp" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON \
    -DCMAKE_FIND_ROOT_PATH="$work/nothing" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY >"$work/no_gmp.txt" 2>&1; then exit 1; fi
tr -s ' \n' ' ' <"$work/no_gmp.txt" | grep -q 'its library libgmp is missing. On Debian: apt-get install libgmp-dev'
ok "a machine without GMP is told what to install"

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

library=$(find "$work/prefix" -name libtoi.so)
others=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -vcE '^(libc|libm|libg?omp|libgmp|ld-linux[^.]*|lib[at]san)\.so' || true)
[ "$others" -eq 0 ]
ok "the core needs libc, libm, OpenMP and GMP alone"

# Other programs in the place of Debian's: one says what is installed, one writes down what it is asked for.
mkdir "$work/debian"
# shellcheck disable=SC2016
printf '#!/bin/sh\ncase " $INSTALLED " in *" ${3:-$2} "*|" all ") echo "install ok installed";; *) exit 1;; esac\n' \
    >"$work/debian/dpkg-query"
printf '#!/bin/sh\necho "$@" >>"%s"\n' "$work/asked" >"$work/debian/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$work/debian/sudo"
chmod +x "$work"/debian/*
: >"$work/asked"
INSTALLED=all PATH=$work/debian:$PATH "$source/scripts/install-deps" >/dev/null
[ ! -s "$work/asked" ]
INSTALLED="gcc g++ make" PATH=$work/debian:$PATH "$source/scripts/install-deps" >/dev/null
asked=$(sed -n 's/^install -y -qq //p' "$work/asked")
for package in cmake ninja-build pkg-config libgmp-dev libxxhash-dev libjansson-dev; do
    [[ " $asked " = *" $package "* ]]
done
[[ " $asked " != *" gcc "* && " $asked " != *" make "* && " $asked " != *" libcmocka-dev "* ]]
INSTALLED="gcc g++ make" PATH=$work/debian:$PATH "$source/scripts/install-deps" --test >/dev/null
grep -q 'install .*libcmocka-dev' "$work/asked"
ok "deps asks for every package that is missing and for none that is there"
echo "$passed passed, 0 failed"

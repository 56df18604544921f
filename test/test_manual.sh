#!/usr/bin/env bash
# The manual is true: examples/stepping.c does what it says, every program of docs/tutorial.md compiles without a warning and
# prints what stands below it, its other pieces of C stand in examples/stepping.c as they are, and the pieces of docs/guide.md
# compile together. Pages that are linked exist.
set -euo pipefail
build=$1 compiler=$2 stepping=$3
source=$(cd "$(dirname "$0")/.." && pwd)
page=$source/docs/tutorial.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0

ok() { passed=$((passed + 1)); echo "ok: $1"; }

"$stepping" >"$work/stepping.txt"
tail -n 1 "$work/stepping.txt" | tee "$work/last.txt"
grep -qE '^60 steps, [1-9][0-9]* shortened, [1-9][0-9]{3,} impacts: separated, 0 vertices inside$' "$work/last.txt"
ok "examples/stepping.c stops short of every contact"
lines=$(grep -c 'toi_' "$source/examples/stepping.c")
[ "$lines" -lt 30 ]
ok "it has $lines lines that name toi"

# Blocks of the page: 1.c, 2.text and so on.
awk -v work="$work" '/^```/ { if (file) { close(file); file = "" } else { file = work "/" ++n "." substr($0, 4); printf "" >file } next }
    file { print >file }' "$page"
programs=0 pieces=0
for ((i = 1; ; ++i)); do
    file=$work/$i.c
    ls "$work/$i".* >/dev/null 2>&1 || break
    [ -f "$file" ] || continue
    if grep -q 'int main' "$file"; then
        "$compiler" -std=c17 -Wall -Wextra -Wpedantic -Werror -I "$source/include" -I "$build/include" "$file" \
            -L "$build/src" -Wl,-rpath,"$build/src" -ltoi -lm -o "$work/program"
        "$work/program" | diff - "$work/$((i + 1)).text"
        programs=$((programs + 1))
    else # as it is, line by line
        piece=$(cat "$file")
        [[ $(cat "$source/examples/stepping.c") == *"$piece"* ]] || { echo "not in examples/stepping.c:"; echo "$piece"; exit 1; }
        pieces=$((pieces + 1))
    fi
done
[ $programs -ge 5 ] && [ $pieces -ge 5 ]
ok "$programs programs and $pieces pieces of docs/tutorial.md are true"
grep -lxFf "$work/last.txt" "$work"/*.text >"$work/shown.txt"
diff "$work/stepping.txt" "$(cat "$work/shown.txt")"
ok "docs/tutorial.md shows what examples/stepping.c prints"

awk '/^```/ { inside = $0 == "```c"; next } inside' "$source/docs/guide.md" >"$work/guide.c"
"$compiler" -std=c17 -Wall -Wextra -Wpedantic -Werror -Wno-unused-function -I "$source/include" -I "$build/include" \
    -c "$work/guide.c" -o "$work/guide.o"
grep -q 'toi_scene_find_earliest' "$work/guide.c"
ok "the pieces of docs/guide.md compile"

# Links from page to page, and to pictures.
for file in "$source"/README.md "$source"/docs/*.md; do
    sed -n 's/](/\n](/gp' "$file" | sed -n 's/^](\([^)#: ]*\).*/\1/p' | while read -r link; do
        [[ $link == http* ]] || [ -e "$(dirname "$file")/$link" ] || { echo "${file#"$source"/}: no $link"; exit 1; }
    done
done
ok "every link between the pages leads somewhere"
echo "$passed passed, 0 failed"

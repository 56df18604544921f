#!/usr/bin/env bash
# The manual is true: examples/stepping.c does what it says, every program of the tutorial and of the pages on methods compiles
# without a warning, it and every command print what stands below, other pieces of C stand in examples as they are,
# and those of docs/guide.md compile together. Pages that are linked exist.
set -euo pipefail
build=$1 compiler=$2 stepping=$3
source=$(cd "$(dirname "$0")/.." && pwd)
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

# Blocks of the pages, as 1.c, 2.text and so on. A program, and a command that begins with toi, print the text that follows. Other
# pieces of C are the examples'.
cd "$source"
programs=0 commands=0 pieces=0
for page in docs/tutorial.md docs/boxes.md docs/exact.md docs/separation.md docs/inclusion.md docs/additive.md \
    docs/fast.md docs/sdf.md; do
    blocks=$work/$(basename "$page" .md)
    mkdir "$blocks"
    awk -v to="$blocks" '/^```/ { if (file) { close(file); file = "" } else { file = to "/" ++n "." substr($0, 4); printf "" >file } next }
        file { print >file }' "$page"
    for ((i = 1; ; ++i)); do
        file=$(ls "$blocks/$i".* 2>/dev/null) || break
        expected=$blocks/$((i + 1)).text
        if [[ $file == *.c ]] && grep -q 'int main' "$file"; then
            "$compiler" -std=c17 -Wall -Wextra -Wpedantic -Werror -I include -I "$build/include" "$file" \
                -L "$build/src" -Wl,-rpath,"$build/src" -ltoi -lm -o "$work/program"
            "$work/program" | diff - "$expected" || { echo "$page, block $i"; exit 1; }
            programs=$((programs + 1))
        elif [[ $file == *.c ]]; then # as it is, line by line
            piece=$(cat "$file")
            [[ $(cat examples/*.c) == *"$piece"* ]] || { echo "not in examples:"; echo "$piece"; exit 1; }
            pieces=$((pieces + 1))
        elif [[ $file == *.sh ]] && grep -q '^toi ' "$file"; then
            PATH=$(dirname "$stepping"):$PATH bash "$file" | diff - "$expected" || { echo "$page, block $i"; exit 1; }
            commands=$((commands + 1))
        fi
    done
done
[ $programs -ge 6 ] && [ $commands -ge 6 ] && [ $pieces -ge 5 ]
ok "$programs programs, $commands commands and $pieces pieces in docs are true"
grep -lxFf "$work/last.txt" "$work"/tutorial/*.text >"$work/shown.txt"
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

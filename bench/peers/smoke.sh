#!/usr/bin/env bash
# Does the program that 'make peers' builds work? Usage: smoke.sh [PATH_TO_PEERS [PATH_TO_TOI]]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
peers=$(realpath "${1:-$root/build/peers/bin/peers}")
toi=$(realpath -m "${2:-$root/build/bin/toi}")
[ -x "$peers" ] || { echo "$peers is not there: run 'make peers' first" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

failed=0
check() { # NAME COMMAND...: the command must succeed
    local name=$1
    shift
    if "$@"; then echo "ok       $name"; else echo "FAILED   $name"; failed=$((failed + 1)); fi
}
skip() { echo "skipped  $1"; }

# rows FILE PROGRAM: an awk program over the rows, whose columns have names: at("hits"). It must end with exit 0.
rows() {
    awk -F, 'function at(name) { return $column[name] }
        NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; columns = NF; next }
        NF != columns { print "line " NR " of " FILENAME " has " NF " columns, not " columns; exit 1 }
        '"$2" "$1"
}

# Broad phases: at least the pairs of toi, whatever the library, and every true impact among them.
"$peers" --scene cloth-ball --size 5000 --begin 0.8 --threads 1,2 >broad.csv 2>broad.txt
check "broad phases ran" rows broad.csv 'END { exit NR < 2 }'
check "broad phases have the pairs of toi" bash -c '! grep -v "the pairs of toi" broad.txt'
check "broad phases miss no impact" rows broad.csv \
    'at("hits") == 0 || at("false_negatives") != 0 { bad = 1; print } END { exit bad }'

# Narrow phases: random queries, which are far from every tolerance. Points given in the wrong order would miss most.
narrow() { "$peers" --narrow "$@" >narrow.txt 2>&1 || { cat narrow.txt >&2; return 1; }; }
if ! narrow --random 10 && grep -q 'were not found' narrow.txt; then
    skip "narrow phases: built without FCL and libccd"
else
    for kind in vf ee; do
        narrow --random 20000 --kind $kind --csv $kind.csv
        narrow --random 20000 --kind $kind --threads 2 --csv $kind-2.csv
        check "$kind: narrow phases find what is there" rows $kind.csv \
            '{ found = at("hits") - at("false_positives") }
             found < 1000 || at("false_negatives") > found / 1000 { bad = 1; print } END { exit bad || NR < 2 }'
        check "$kind: fcl reports little else" rows $kind.csv \
            'at("method") ~ /^fcl/ && at("false_positives") > at("hits") / 20 { bad = 1; print } END { exit bad }'
        check "$kind: every time is in the histogram" rows $kind.csv \
            'at("times") > 0 { sum = 0; for (name in column) if (name ~ /^error_/) sum += at(name)
                               if (sum != at("times")) { bad = 1; print } } END { exit bad }'
        hashes() { rows "$1" '{ print at("method"), at("hash") }'; }
        check "$kind: two threads give the same answers" test "$(hashes $kind.csv)" = "$(hashes $kind-2.csv)"
    done
    narrow --scene cloth-ball --size 2000 --begin 0.8 --csv frames.csv
    check "narrow phases take the candidates of frames" rows frames.csv \
        'at("queries") == 0 { bad = 1; print } END { exit bad || NR < 4 }'
    if [ -x "$toi" ]; then
        "$toi" bench narrow --random 10 --methods exact --csv toi.csv >toi.txt
        check "narrow rows have the columns of toi bench narrow" test "$(head -n 1 vf.csv)" = "$(head -n 1 toi.csv)"
    else
        skip "columns of toi bench narrow: $toi is not there"
    fi
fi

# Intersecting faces: toi is right everywhere, and where CGAL has a place for all faces the two agree.
"$peers" --overlap --scene cloth-ball --size 3000 --repeat 1 --csv overlap.csv >overlap.txt
check "intersecting faces: there are some" rows overlap.csv 'at("pairs") == 0 { bad = 1; print } END { exit bad || NR < 2 }'
check "intersecting faces: toi and cgal agree" rows overlap.csv \
    'at("method") ~ /^(toi|cgal)/ && at("wrong") > 0 { bad = 1; print } END { exit bad }'
"$peers" --overlap --cases --csv cases.csv >cases.txt
"$peers" --overlap --soups 20 --csv soups.csv >soups.txt
for set in cases soups; do
    check "intersecting faces, $set: toi is right" rows $set.csv \
        'at("method") ~ /^toi/ && at("wrong") > 0 { bad = 1; print } END { exit bad }'
    check "intersecting faces, $set: cgal is right where it has a place" rows $set.csv \
        'at("method") == "cgal" && at("missed") + at("invented") > 0 { bad = 1; print } END { exit bad }'
done
[ $failed -eq 0 ] || { echo "$failed failed"; exit 1; }

#!/usr/bin/env bash
# 'toi truth' from outside: what it makes checks clean, goes on after a stop with the same bytes,
# and planted errors of every kind are found and named.
# Usage: test_truth.sh PATH_TO_TOI PATH_TO_FALSE_TRUTH
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: $0 PATH_TO_TOI PATH_TO_FALSE_TRUTH" >&2; exit 1; }
data=${TOI_DATA:-$(cd "$(dirname "$0")/../.." && pwd)/shared/data}
liar=$(realpath "$2")
. "$(dirname "$0")/outside.sh"
subcommand=(truth)

# clean NAME PATH OPTION...: nothing is found, and that is said.
clean() {
    local name=$1; shift
    run --check "$@"
    if [ $code -eq 0 ] && grep -q "^disagreements  none$" stdout && [ ! -s stderr ]; then
        pass "$name"
    else fail "$name" "exit code $code"; fi
}

# finds NAME COUNT PATTERN PATH OPTION...: so many disagreements, one with a line like that.
finds() {
    local name=$1 count=$2 pattern=$3; shift 3
    run --check "$@"
    if [ $code -ne 2 ]; then fail "$name" "exit code $code, not 2"
    elif ! grep -qE -- "$pattern" stdout; then fail "$name" "no line like '$pattern'"
    elif ! grep -qE "^disagreements  $count\$" stdout; then fail "$name" "not $count of them"
    elif ! grep -q "disagreement" stderr; then fail "$name" "no word on standard error"
    else pass "$name"; fi
}

# value NAME EXPRESSION ARGUMENT...: the expression about the object `o` is true.
value() {
    local name=$1 expression=$2; shift 2
    run "$@" --json
    if [ -z "$python" ]; then skip "$name: needs python3"; return; fi
    if "$python" -c "import json; o = json.load(open('stdout')); exit(not ($expression))" 2>>stderr
    then pass "$name"; else fail "$name" "$expression"; fi
}

# A fresh copy of a dataset to plant an error in.
plant() { rm -rf planted; cp -r "$1" planted; }

pairs_of() { sed 's/\],\[/\n/g' "$1" | tr -d '[]'; } # a line a pair of a json file
booleans_of() { tr -d '[]' <"$1" | tr ',' '\n'; }

# --- Bad usage ------------------------------------------------------------------------------------
succeeds "toi truth --help" --help
check "it has an example" grep -qE "^  toi truth --check" stdout
check "it fits a terminal" [ "$(awk '{ if (length > n) n = length } END { print n }' stdout)" -le 80 ]
refuses "nowhere to go" 1 "--out DIR" --scene plane
refuses "one file" 1 "START and END" start.ply --out made
refuses "file and scene" 1 "either" start.ply --scene plane --out made
refuses "unknown format" 1 "binary, boxes, booleans, queries, times" --scene plane --out made --formats text
refuses "unknown list" 1 "hits, candidates" --scene plane --out made --list all
refuses "making and checking" 1 "--check" --check made --out made
refuses "checking and files" 1 "a.ply" --check made a.ply b.ply
refuses "a missing file" 2 "nowhere.ply" nowhere.ply nowhere.ply --out made
check "nothing was made" [ ! -e made ]
refuses "nothing to check" 2 "nowhere" --check nowhere
mkdir empty
refuses "nothing in it to check" 2 "there is no truth" --check empty
refuses "a limit too small" 3 "limit" --scene n-body --size 5000 --begin 0.7 --out small --memory-limit 10K

# --- Making and checking --------------------------------------------------------------------------
scene=(--scene cloth-ball --size 1500 --seed 3 --begin 0.95 --frames 3)
succeeds "truth of a scene" "${scene[@]}" --out made --name 40
check "it tells of both steps" [ "$(grep -c '^step 4[01]: cloth-ball' stdout)" -eq 2 ]
check "and of the earliest time" grep -qE '^earliest +0x1\.[0-9a-f]+p-[0-9]+ \(0\.[0-9]+\)$' stdout
same "its files" "$(cd made && find . -type f | sort | xargs)" "$(echo ./boxes/4{0,1}{ee,vf}.json \
    ./frames/4{0,1,2}.ply ./mma_bool/4{0,1}{ee,vf}_mma_bool.json ./queries/4{0,1}{ee,vf}.csv \
    ./times/4{0,1}{ee,vf}.csv ./truth/4{0,1}.truth)"
clean "it checks" made
check "with all its files" grep -q "in 18 files" stdout
clean "against every pair of boxes" made --broad brute
clean "one file of it" made/truth/41.truth
"$toi" ccd made/frames/40.ply made/frames/41.ply --all --impacts impacts.csv >stdout
sed -i 1d impacts.csv # the titles
check "there are hits of both kinds" [ "$(cut -d, -f1 impacts.csv | sort -u | xargs)" = "ee vf" ]
read -ra mesh < <(awk '$1 == "mesh" { gsub(",", ""); print $2, $4 }' stdout) # vertices, edges
for kind in vf ee; do
    first=$([ $kind = vf ] && echo 0 || echo "${mesh[0]}")
    second=$([ $kind = vf ] && echo $((mesh[0] + mesh[1])) || echo "${mesh[0]}")
    same "the hits are those of toi ccd, $kind" "$(pairs_of made/boxes/40$kind.json | md5sum)" \
        "$(awk -F, -v k=$kind -v a="$first" -v b="$second" '$1 == k { print $2 + a "," $3 + b }' \
            impacts.csv | md5sum)"
    same "and so are the times, $kind" "$(cut -d, -f2 made/times/40$kind.csv | md5sum)" \
        "$(awk -F, -v k=$kind '$1 == k { print $4 }' impacts.csv | md5sum)"
    code=0; "$toi" queries made/queries/40$kind.csv --kind $kind >stdout 2>stderr || code=$?
    check "the queries answer themselves, $kind" grep -q "0 false positives, 0 false negatives" stdout
done
cp -r made/frames frames
steps=(frames/40.ply frames/41.ply frames/42.ply)
value "the same as an object" "[s['step'] for s in o['steps']] == [0, 1] and o['list'] == 'hits' and all(
s['listed'] == s['hits'] and s['hits']['vf'] > 0 and s['hits']['ee'] > 0 and len(s['hash']) == 16 and
s['candidates']['ee'] > s['hits']['ee'] and sum(s['degrees']) == sum(s['hits'].values()) and
float.fromhex(s['earliest_hex']) == s['earliest'] and not s['there_already'] for s in o['steps'])" \
    "${steps[@]}" --out object
for threads in 1 2 5; do
    run "${steps[@]}" --out "threads$threads" --name 40 --threads $threads
    check "the same bytes with $threads threads" diff -r made "threads$threads"
done
run "${steps[@]}" --out limited --name 40 --memory-limit 16M --broad stq
check "the same bytes with little memory and another broad phase" diff -r made limited
succeeds "all candidates" "${steps[@]}" --out all --list candidates
clean "check" all
value "more than hits" "all(s['listed'] == s['candidates'] and s['listed']['vf'] > s['hits']['vf'] and
s['there_already'] for s in o['steps'])" "${steps[@]}" --out all --list candidates
for format in binary boxes queries; do
    run "${steps[@]}" --out "only_$format" --formats $format
    same "only $format" "$(cd "only_$format" && echo *)" \
        "$(case $format in binary) echo frames truth ;; boxes) echo boxes frames ;; *) echo frames queries ;; esac)"
    clean "checks" "only_$format"
done
run --scene cloth-ball --size 1000 --out free
check "a step without impacts" grep -q "^earliest    none" stdout
clean "checks" free
run --scene rod-twist --size 1000 --begin 0.8 --out rope
clean "loose edges and vertices" rope

# --- Work that was stopped ------------------------------------------------------------------------
before=$(cd made && find . -type f -printf '%p %T@ %i\n' | sort)
run "${steps[@]}" --out made --name 40
same "finished steps are recognised" "$(grep -c 'there already' stdout)" 2
same "and not touched" "$(cd made && find . -type f -printf '%p %T@ %i\n' | sort)" "$before"
size=$(stat -c %s made/truth/40.truth)
for cut in 1 1000 $((size / 2)) $((size * 3 / 4)) $((size - 200)) $((size - 1)); do
    plant made
    rm planted/truth/40.truth planted/mma_bool/40vf_mma_bool.json
    head -c "$cut" made/truth/40.truth >planted/truth/40.truth.part
    run "${steps[@]}" --out planted --name 40
    check "the same bytes after a stop at $cut of $size" diff -r made planted
done
check "the last of them went on" grep -q "^resumed" stdout
plant made
rm planted/times/41ee.csv
run "${steps[@]}" --out planted --name 40
check "a missing list is made again" diff -r made planted
refuses "the truth of other frames is not overwritten" 2 "--restart" frames/42.ply frames/41.ply --out made --name 40
refuses "nor a longer list by a shorter" 2 "--restart" "${steps[@]}" --out all
printf 'x' | dd of=planted/truth/40.truth bs=1 seek=5000 conv=notrunc status=none
refuses "nor is a damaged one" 2 "--restart" "${steps[@]}" --out planted --name 40
run "${steps[@]}" --out planted --name 40 --restart
check "unless that is asked for" diff -r made planted

# As many certificates as take a while; whether the signal comes before or amid them, the next run
# ends with the same files.
many=20000
[ -z "${TOI_SANITIZED:-}" ] || many=5000
"$toi" scene plane --size $many --begin 0.95 --out plane >stdout
long=(plane/frame_0000.ply plane/frame_0001.ply --formats "binary,times" --threads 1)
run "${long[@]}" --out whole
stopped=0
for delay in 0.1 0.2 0.4; do
    rm -rf partial
    "$toi" truth "${long[@]}" --out partial >stdout 2>stderr </dev/null &
    worker=$!
    sleep $delay
    kill -INT $worker 2>/dev/null || true
    code=0; wait $worker || code=$?
    if [ $code -ne 0 ]; then
        stopped=$((stopped + 1))
        check "stopped after $delay s: exit code 3" [ $code -eq 3 ]
        check "and a word how to go on" grep -q "goes on" stderr
        same "no temporary file is left" "$(find partial -name '*.tmp' -o -name '*.block' 2>/dev/null | wc -l)" 0
    fi
    run "${long[@]}" --out partial
    check "gone on after $delay s: the same bytes" diff -r whole partial
done
check "at least one was stopped" [ $stopped -gt 0 ]

# --- Planted errors: the public lists -------------------------------------------------------------
plant made
sed -i '0,/true/s//false/' planted/mma_bool/40vf_mma_bool.json
pair=$(pairs_of made/boxes/40vf.json | head -n 1 | tr ',' ' ')
time=$(head -n 1 made/times/40vf.csv | cut -d, -f2)
finds "a flipped boolean" 1 "40vf_mma_bool.json vf $pair: says false, collides at $time \(0\." planted
plant all
sed -i '0,/false/s//true/' planted/mma_bool/1ee_mma_bool.json
finds "a boolean flipped the other way" 1 "1ee_mma_bool.json ee [0-9 ]+: says true, does not collide" planted
sed -i '0,/,0$/s//,1/' planted/queries/1ee.csv
run --check planted
check "a query that answers twice is refused" grep -q "1ee.csv" stdout
if [ -n "$python" ]; then
    for direction in inf -inf; do
        plant made
        "$python" - "$direction" <<'PYTHON'
import math, sys
lines = open("planted/times/41ee.csv").read().split("\n")
lines[2] = "1," + math.nextafter(float.fromhex(lines[2][2:]), float(sys.argv[1])).hex()
open("planted/times/41ee.csv", "w").write("\n".join(lines))
PYTHON
        finds "a time shifted by one unit towards $direction" 1 \
            "41ee.csv ee [0-9 ]+: says 0x[^ ]+ \([^)]+\), collides at 0x" planted
    done
else
    skip "a time shifted by one unit: needs python3"
fi
plant made
sed -i '3s/.*/0,/' planted/times/40ee.csv
finds "a time that is none" 1 "times/40ee.csv ee [0-9 ]+: says false, collides at" planted

# A pair less: everywhere it is, or only in the list of pairs.
plant made
rm planted/truth/40.truth
sed -i -E 's/^\[\[[0-9]+,[0-9]+\],/[/' planted/boxes/40vf.json
sed -i 's/^\[true,/[/' planted/mma_bool/40vf_mma_bool.json
sed -i 1d planted/times/40vf.csv
sed -i 1,8d planted/queries/40vf.csv
finds "a missing pair" 1 "boxes/40vf.json vf $pair: is not listed, collides at $time" planted
cp made/mma_bool/40vf_mma_bool.json planted/mma_bool/
finds "lists of different lengths" 2 "40vf_mma_bool.json: has [0-9]+ entries for [0-9]+ pairs" planted
# A pair more. The last list has only pairs.
last() { rm -f planted/truth/40.truth planted/*/40"$1"_mma_bool.json planted/{times,queries}/40"$1".csv; }
add() { sed -i "s/^\[/[[$2],/" "planted/boxes/40$1.json"; }
plant made; last vf; add vf "${pair/ /,}"
finds "a duplicate" 1 "40vf.json vf $pair: is listed 2 times" planted
plant made; last vf; add vf "${pair#* },${pair% *}"
finds "a duplicate the other way round" 1 "40vf.json vf $pair: is listed 2 times" planted
faces=$((mesh[0] + mesh[1]))
plant made; last vf; add vf "0,$((faces - 1))"
finds "a vertex and an edge" 1 "vf 0 $((faces - 1)): is no pair of a vertex and a face" planted
plant made; last vf; add vf "0,99999999999"
finds "a box that does not exist" 1 "vf 0 99999999999: is no pair" planted
plant made; last ee; add ee "0,$((mesh[0] + 1))"
finds "a vertex among edges" 1 "ee 0 $((mesh[0] + 1)): is no pair of two edges" planted
plant made; last ee; add ee "$((mesh[0] + 1)),$((mesh[0] + 1))"
finds "an edge and itself" 1 "is no pair of two edges" planted
plant made; last ee; add ee "$((mesh[0])),$((mesh[0] + 1))"
finds "neighbours" 1 "ee ${mesh[0]} $((mesh[0] + 1)): the two share a vertex" planted
plant made; last vf
pairs_of made/boxes/40vf.json | tac | awk -F, 'BEGIN { printf "[" } { printf "%s[%d, %d]", n++ ? " ,\n" : "", $2, $1 }
    END { print "]" }' >planted/boxes/40vf.json
clean "any order and any spaces are fine" planted
plant made; last vf; add vf "0,$((faces + 40))"
clean "a pair that does not collide may be listed" planted

plant made
sed -i '2s/^[^,]*,[^,]*/1,2/' planted/queries/40ee.csv
finds "a coordinate of a query" 1 "queries/40ee.csv ee [0-9 ]+: query 0 is not the query of this pair" planted
plant only_queries
sed -i '1,8s/,1$/,0/' planted/queries/0vf.csv
finds "a wrong answer of queries alone" 1 "0vf.csv vf: query 0 says false, collides" planted

# --- Planted errors: the binary -------------------------------------------------------------------
lie() { plant "$1"; rm planted/truth/1.truth
    ASAN_OPTIONS=detect_leaks=0 "$liar" "$1/truth/1.truth" planted/truth/1.truth "$2"; }
run "${steps[@]}" --out object
lie object missing
finds "a pair missing in the binary" 1 "1.truth ee [0-9]+ [0-9]+: is not listed, collides at 0x" planted
lie all separated
finds "a hit that is denied" 1 "1.truth ee [0-9]+ [0-9]+: says false, collides at 0x" planted
lie all collides
finds "a hit that is invented" 1 "1.truth vf [0-9]+ [0-9]+: says true, does not collide" planted
lie all no-candidate
finds "a candidate missing in the binary" 2 "1.truth vf [0-9]+ [0-9]+: is not listed, its boxes overlap" planted
lie object swapped
finds "times and certificates swapped" 4 "1.truth vf [0-9]+ [0-9]+: the certificate is of a time (before|after)" \
    planted
check "the times are named too" grep -qE "1.truth vf [0-9]+ [0-9]+: says 0x[^ ]+ .*, collides at" stdout
lie object same-floor
finds "another number of the same floor" 1 "1.truth ee [0-9]+ [0-9]+: the certificate is of a time" planted
lie object count
finds "a wrong number of candidates" 1 "1.truth ee: says [0-9]+ candidates, there are" planted
lie object mesh
finds "a mesh other than the frames'" 1 "1.truth: its mesh is not that of the frames" planted
lie object neighbours
finds "neighbours in the binary" 2 "1.truth vf [0-9]+ 0: the two share a vertex" planted
size=$(stat -c %s made/truth/40.truth)
for at in 3 100 2000 $((size / 2)) $((size - 3000)) $((size - 20)); do
    plant made
    byte=$(od -An -tu1 -j "$at" -N 1 made/truth/40.truth)
    # shellcheck disable=SC2059
    printf "\\x$(printf %x $((byte ^ 4)))" | dd of=planted/truth/40.truth bs=1 seek="$at" conv=notrunc status=none
    finds "a bit of the binary at $at" 1 "truth/40.truth: " planted
done

# --- Files that are none --------------------------------------------------------------------------
for file in boxes/40vf.json mma_bool/40ee_mma_bool.json queries/41vf.csv times/41ee.csv truth/40.truth \
    frames/41.ply; do
    for keep in 0 50; do
        plant made
        size=$(stat -c %s "made/$file")
        head -c $((size * keep / 100 - (keep > 0))) "made/$file" >"planted/$file"
        run --check planted
        if [ $code -eq 2 ] && grep -qF "$file" stdout; then pass "$file cut at $keep %"
        else fail "$file cut at $keep %" "exit code $code"; fi
    done
done
for bad in '{"a": 1}' '[[1,2],[3]]' '[[1,2,3]]' '[[1.5,2]]' '[["a",2]]' '[[-1,2]]' '[[1,2]' '[[1,2],]' \
    '[[1,2]] [' '[[1,99999999999999999999]]' 'nonsense'; do
    plant made
    echo "$bad" >planted/boxes/40vf.json
    run --check planted
    check "bad list of pairs: $bad" grep -qE "40vf.json: entry [0-9]+ \(byte [0-9]+\): " stdout
done
for bad in '[1,0]' '[true,flase]' '[true' '["true"]' 'true'; do
    plant made
    echo "$bad" >planted/mma_bool/40ee_mma_bool.json
    run --check planted
    check "bad booleans: $bad" grep -qE "40ee_mma_bool.json: entry [0-9]+ " stdout
done
for bad in '2,' '1,' '0,0x1p-1' '1,nan' '1, 0x1p-1' '1;0x1p-1'; do
    plant made
    sed -i "2s/.*/$bad/" planted/times/40vf.csv
    run --check planted
    check "a bad time: $bad" grep -qE "40vf.csv: entry 1 " stdout
done
plant made
rm planted/frames/42.ply
finds "a frame that is missing" 1 "no frame 41 or later after it" planted
plant made
rm planted/boxes/40vf.json
finds "answers without pairs" 2 "mma_bool/40vf_mma_bool.json: there is no list of the pairs" planted
plant all
sed -i 's/true/false/g' planted/mma_bool/0ee_mma_bool.json
finds "many disagreements" '[0-9,]+' "^and [0-9]+ more$" planted --most 5
same "no more than asked for" "$(grep -c 'says false' stdout)" 5
value "disagreements as an object" "o['disagreements'] > 5 and len(o['lines']) == 5 and
all('says false, collides at 0x' in line for line in o['lines'])" --check planted --most 5
check "and the exit code" [ $code -eq 2 ]
value "a clean check as an object" "o['disagreements'] == 0 and o['lines'] == [] and o['steps'] == 2 and
o['certificates'] == sum(o['hits'].values()) > 0 and o['files'] == 18 and o['broad'] == 'sweep'" --check made

# --- Other layouts --------------------------------------------------------------------------------
rm -rf public; mkdir public; cp -r made/frames made/boxes made/mma_bool public
(cd public/frames && mv 40.ply cloth2_ball_40.ply && mv 41.ply cloth10_ball_041.ply && mv 42.ply z42.ply)
clean "frames by the last number of their names" public
check "and all their lists" grep -q "in 8 files" stdout
(cd public/frames && mv cloth2_ball_40.ply a9.ply && mv cloth10_ball_041.ply b9.ply && mv z42.ply b10_9.ply)
(cd public/boxes && mv 40vf.json 0vf.json && mv 40ee.json 0ee.json && mv 41vf.json 1vf.json && mv 41ee.json 1ee.json)
rm -r public/mma_bool
clean "else counted in natural order" public
mkdir flat
cp made/frames/40.ply flat/start.ply
cp made/frames/41.ply flat/end.ply
for kind in vf ee; do
    cp made/boxes/40$kind.json flat/pairs_$kind.json
    cp made/mma_bool/40${kind}_mma_bool.json flat/truth_$kind.json
    cp made/times/40$kind.csv flat/times_$kind.csv
done
clean "a flat folder" flat
sed -i '0,/true/s//false/' flat/truth_vf.json
finds "with an error" 1 "flat/truth_vf.json vf $pair: says false, collides" flat
rm flat/*_vf.*
finds "with one kind only" 1 "flat/pairs_ee.json: has no list of vf pairs beside it, of which [0-9]+ collide" flat

# --- Published scenes -----------------------------------------------------------------------------
# reproduces SCENE: our list has exactly the published pairs that collide, and their times.
reproduces() {
    local folder=$data/scenes/$1 kind
    run "$folder/start.ply" "$folder/end.ply" --out "$1" --formats binary,boxes,booleans,times
    tail -n 2 stdout | head -n 1
    for kind in vf ee; do
        paste -d, <(pairs_of "$folder/pairs_$kind.json") <(booleans_of "$folder/truth_$kind.json") \
            "$folder/times_$kind.csv" | tr -d '\r' | awk -F, '$3 == "true" { print $1 "," $2 "," $5 }' |
            sort >expected
        paste -d, <(pairs_of "$1/boxes/0$kind.json") <(cut -d, -f2 "$1/times/0$kind.csv") | sort >found
        check "$1: there are $(wc -l <expected) published $kind hits" [ -s expected ]
        check "$1: exactly those, at those times" cmp -s expected found
    done
    clean "$1: what we made checks" "$1"
}
for name in cloth-funnel thick-cloth cloth-ball n-body; do
    if [ ! -f "$data/scenes/$name/start.ply" ]; then
        skip "published scene $name: set TOI_DATA"
        continue
    fi
    if [ -n "${TOI_SANITIZED:-}" ] && [[ $name == cloth-ball || $name == n-body ]]; then
        skip "published scene $name: too slow under sanitizers"
        continue
    fi
    clean "published $name" "$data/scenes/$name"
    if [ -f "$data/scenes/$name/pairs_vf.json" ]; then reproduces "$name"; fi
done

finish

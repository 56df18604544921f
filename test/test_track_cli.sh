#!/usr/bin/env bash
# Steps with memory on the command line: toi track on files and scenes, every method against fresh calls, what it
# writes, what it refuses. Usage: test_track_cli.sh PATH_TO_TOI
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 PATH_TO_TOI" >&2; exit 1; }
rumba=$(realpath -m "$(dirname "$0")/../../shared/data/sequences/rumba")
. "$(dirname "$0")/outside.sh"
methods="auto stateless order budgets front phc serial rebuild"
published="front phc serial rebuild"

# steps NAME EXPRESSION ARGUMENT...: the expression about the objects `o`, one a line, is true.
steps() {
    local name=$1 expression=$2; shift 2
    run "$@" --json
    if [ $code -ne 0 ]; then fail "$name" "exit code $code"; return; fi
    if [ -z "$python" ]; then skip "$name: needs python3"; return; fi
    if "$python" -c "import json; o = [json.loads(line) for line in open('stdout')]; exit(not ($expression))" 2>>stderr
    then pass "$name"; else fail "$name" "$expression"; fi
}

# hash_of ARGUMENT...: the last line of the summary that tells it.
hash_of() { "$toi" track "$@" 2>/dev/null </dev/null | awk '$1 == "hash" { print $2 }'; }

# --- Help ---------------------------------------------------------------------------------------
succeeds "toi --help" --help
check "it names track" grep -q "^  track " stdout
succeeds "toi bench --help" bench --help
check "it names track, too" grep -q "^  track " stdout
for command in track "bench track"; do
    # shellcheck disable=SC2086
    succeeds "toi $command --help" $command --help
    check "it fits a terminal" [ "$(awk 'length > 80' stdout | wc -l)" -eq 0 ]
    check "it has an example" grep -qE "^  toi $command" stdout
done

# --- Frames -------------------------------------------------------------------------------------
"$toi" scene cloth-ball --size 800 --begin 0.8 --frames 6 --out cloth >/dev/null
"$toi" scene n-body --size 800 --begin 0.8 --frames 2 --out balls >/dev/null
subcommand=(track)
cloth=(cloth/frame_000{0,1,2,3,4,5}.ply)
scene=(--scene cloth-ball --size 800 --begin 0.8 --frames 6)
refuses "no frames" 1 "two files are needed at least"
refuses "one frame" 1 "two files are needed at least" cloth/frame_0000.ply
refuses "a scene beside files" 1 "either --scene or files" "${cloth[@]}" --scene n-body
refuses "frames of files" 1 "need --scene" "${cloth[@]}" --frames 3
refuses "a scene that is not there" 1 "did you mean n-body?" --scene n-boyd
refuses "a frame that is not there" 2 "none.ply" none.ply "${cloth[@]}"
refuses "a method that is not there" 1 "auto, stateless, order, budgets, front, phc, serial, rebuild" \
    "${cloth[@]}" --method fronts
refuses "a volume that is not there" 1 "box, dop18" "${cloth[@]}" --volume sphere
refuses "a growth below 1" 1 "at least 1" "${cloth[@]}" --most-growth 0.5
refuses "a limit that is none" 1 "64M or 1G" "${cloth[@]}" --memory-limit much
run "${cloth[0]}" "${cloth[1]}" balls/frame_0000.ply
same "another mesh in the middle" $code 2
check "it is named, and the one before" grep -qE "balls/frame_0000.ply: has .*cloth/frame_0001.ply" stderr
printf 'ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty double z\n' >head
for corners in "0 1 2" "0 2 1"; do
    { cat head; printf 'element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 %s\n' "$corners"; } \
        >"face ${corners// /}.ply"
done
refuses "other faces" 2 "all frames must be the same mesh" "face 012.ply" "face 021.ply"
steps "nothing moves" "len(o) == 1 and o[0]['motion'] == 0 and o[0]['earliest_hex'] is None and \
    o[0]['hits'] == {'vf': 0, 'ee': 0}" "face 012.ply" "face 012.ply"

# --- Objects ------------------------------------------------------------------------------------
keys="['adjacent', 'bv_tests', 'earliest', 'earliest_hex', 'elementary_tests', 'front', 'hash', 'hits', 'kept_bytes', \
    'method', 'motion', 'phantom', 'q1', 'q2', 'rebuilt', 'reordered', 'seconds', 'sprouted', 'step', 'threads', 'undecided']"
steps "a line a step" "[x['step'] for x in o] == [0, 1, 2, 3, 4] and all(sorted(x) == $keys for x in o)" "${scene[@]}"
steps "stages" "all(sorted(x['seconds']) == ['front', 'refit', 'solve', 'total'] and x['seconds']['total'] > 0 for x in o)" \
    "${scene[@]}"
steps "times are exact" "all(float.fromhex(x['earliest_hex']) == x['earliest'] for x in o) and \
    sum(x['hits']['ee'] for x in o) > 0" "${scene[@]}"
steps "a front" "all(x['method'] == 'front' and x['front'] > 0 and x['bv_tests'] > 0 and x['kept_bytes'] > 0 for x in o) \
    and o[0]['rebuilt'] and not any(x['rebuilt'] for x in o[1:]) and o[1]['bv_tests'] < o[0]['bv_tests'] and \
    o[1]['sprouted'] > 0 and 0 < o[1]['q1'] < 1" "${scene[@]}" --method front --most-sprouted 9 --most-phantom 9
steps "made anew whenever it has grown" "all(x['rebuilt'] or y['rebuilt'] for x, y in zip(o, o[1:]))" \
    "${scene[@]}" --method front --most-sprouted 0 --most-phantom 0
steps "orphan sets" "all(x['adjacent'] < 1000 for x in o)" "${scene[@]}" --method front
steps "and none" "all(x['adjacent'] > 1000 for x in o)" "${scene[@]}" --method front --no-orphans

# --- The same impacts ---------------------------------------------------------------------------
expected=$(hash_of "${scene[@]}" --method stateless)
same "files have the frames of the scene" "$(hash_of "${cloth[@]}" --method stateless)" "$expected"
for method in $methods; do
    succeeds "$method, checked" "${cloth[@]}" --method "$method" --check
    check "it says so" grep -q "^checked     every step" stdout
    same "the hash of $method" "$(awk '$1 == "hash" { print $2 }' stdout)" "$expected"
    same "with three threads" "$(hash_of "${scene[@]}" --method "$method" --threads 3)" "$expected"
    same "twice" "$(hash_of "${scene[@]}" --method "$method" --repeat 2)" "$expected"
done
for method in $published; do
    same "$method, boxes" "$(hash_of "${scene[@]}" --method "$method" --volume box)" "$expected"
    same "$method without orphan sets" "$(hash_of "${scene[@]}" --method "$method" --no-orphans)" "$expected"
done
for limit in 1 64K 1M; do
    for method in front budgets auto; do
        same "$method within $limit" "$(hash_of "${scene[@]}" --method "$method" --memory-limit $limit)" "$expected"
    done
done
same "a front that is always made anew" "$(hash_of "${scene[@]}" --method front --most-sprouted 0 --most-growth 1)" "$expected"
succeeds "with a separation" "${scene[@]}" --method front --min-separation 0.001 --check
succeeds "by another narrow phase" "${scene[@]}" --method front --narrow additive --check
for name in triangles fracture rod-twist; do
    succeeds "$name, checked" --scene $name --size 600 --begin 0.8 --frames 5 --method front --check
done

# --- Tables and files ---------------------------------------------------------------------------
succeeds "a table" "${scene[@]}" --method front
check "that fits 100 columns" awk 'length > 100 { exit 1 }' stdout
same "a line a step" "$(grep -cE '^ +[0-9]+ front ' stdout)" 5
for words in "^time        mean .* worst .* total" "^stages      bounds .* search .* solve" "^impacts " "^kept "; do
    check "the summary has '$words'" grep -qE "$words" stdout
done
succeeds "files of impacts" "${scene[@]}" --impacts deep/impacts
same "one a step" "$(cd deep/impacts && echo *)" "$(echo step_0000{0,1,2,3,4}.csv)"
"$toi" ccd cloth/frame_0003.ply cloth/frame_0004.ply --impacts one.csv >/dev/null
check "as toi ccd writes them" cmp -s one.csv deep/impacts/step_00003.csv
check "with impacts" [ "$(wc -l <one.csv)" -gt 2 ]
touch taken
refuses "no folder" 2 "taken" "${scene[@]}" --impacts taken/impacts

# --- A recorded sequence ------------------------------------------------------------------------
if [ -e "$rumba/frame_059.ply" ]; then
    recorded=("$rumba"/frame_00{0,1,2,3,4,5,6,7}.ply)
    for method in $methods; do
        succeeds "rumba, $method, checked" "${recorded[@]}" --method "$method" --check
    done
else
    skip "rumba: its frames are not there"
fi

finish

#!/usr/bin/env bash
# What the program does with files when things go wrong: no room, signals, other programs.
# Usage: test_files.sh PATH_TO_TOI
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 PATH_TO_TOI" >&2; exit 1; }
results=$(realpath "$(dirname "$0")/report_data")
. "$(dirname "$0")/outside.sh"

point() { printf '%s\n' ply 'format ascii 1.0' 'element vertex 4' 'property double x' 'property double y' \
    'property double z' "$2" "property list uchar int vertex_indices" end_header '0 0 0' '1 0 0' '0 1 0' \
    "0.25 0.25 $1" "$3"; }
point 1 'element face 1' '3 0 1 2' >start.ply
point -1 'element face 1' '3 0 1 2' >end.ply
for place in 1 0 0 0 -1 0 0 0; do echo "0,1,0,1,$place,1,1"; done >queries.csv
"$toi" scene plane --size 300 --begin 0.95 --out frames >stdout 2>stderr
frames=(frames/frame_0000.ply frames/frame_0001.ply)

# --- No room: 3 -----------------------------------------------------------------------------------
# Every subcommand that writes, and what it writes: the file must not be there afterwards, nor part of it.
writers=("ccd start.ply end.ply --all --impacts room/a.csv"
    "ccd start.ply end.ply --safe-steps room/a.csv"
    "ccd start.ply end.ply --all --picture room/a.svg"
    "ccd start.ply end.ply --safe-radii room/a.csv"
    "pairs start.ply end.ply --out room/a.csv"
    "close start.ply --radius 9 --out room/a.csv"
    "intersect start.ply --out room/a.csv"
    "intersect start.ply --figures room/a.csv"
    "intersect start.ply --flags room/a.csv"
    "intersect start.ply --picture room/a.png"
    "kfree start.ply --out room/a.csv"
    "kfree start.ply --picture room/a.svg"
    "check start.ply --picture room/a.png"
    "queries queries.csv --kind vf --out room/a.csv"
    "scene plane --size 100 --out room"
    "truth ${frames[*]} --out room --formats binary"
    "truth ${frames[*]} --out room --formats boxes"
    "truth ${frames[*]} --out room --formats queries"
    "bench narrow --random 100 --repeat 1 --methods exact --csv room/a.csv"
    "bench ccd start.ply end.ply --repeat 1 --threads 1 --csv room/a.csv"
    "bench broad start.ply end.ply --repeat 1 --threads 1 --csv room/a.csv"
    "bench broad start.ply end.ply --repeat 1 --threads 1 --picture room/a.svg"
    "report $results --out room/a.html")

# Whatever is written goes through pipes: files have no room. Leaves `said` and $code behind.
without_room() { code=0; (ulimit -f 0; exec "$toi" "$@" 2>&1) </dev/null | cat >said || code=$?; }

expect_no_room() { # NAME
    if [ $code -ne 3 ]; then fail "$1" "exit code $code, not 3: $(cat said)"
    elif ! grep -qE "room/.*: cannot (write|create): " said; then fail "$1" "no such message: $(cat said)"
    elif [ -n "$(find room -type f)" ]; then fail "$1" "left behind: $(find room -type f)"
    else pass "$1"; fi
}
for writer in "${writers[@]}"; do
    read -ra words <<<"$writer"
    rm -rf room; mkdir room
    without_room "${words[@]}"
    expect_no_room "no room for ${words[0]} ${words[*]: -2}"
done

# An older file stays as it was.
mkdir -p room; echo old >room/a.csv
without_room pairs start.ply end.ply --out room/a.csv
same "no room: an older file stays" "$(cat room/a.csv)$code" old3

# A real file system that is full of bytes, of files: in a name space of its own, where that is allowed.
on_full_disk() { # OPTIONS COMMAND...: leaves `said` and $code behind.
    local options=$1; shift
    code=0
    unshare -rm bash -c 'mount -t tmpfs -o "$1" none room && shift && "$@"; code=$?; find room -type f >left; exit $code' \
        - "$options" "$toi" "$@" >said 2>&1 </dev/null || code=$?
}
rm -rf room; mkdir room
if unshare -rm mount -t tmpfs none room 2>/dev/null; then
    for writer in "${writers[@]}"; do
        read -ra words <<<"$writer"
        for limit in size=4k,nr_inodes=20 size=1m,nr_inodes=1; do
            case "$limit ${words[0]}" in size=4k*ccd | size=4k*pairs | size=4k*close | size=4k*intersect | size=4k*kfree | \
                size=4k*queries | size=4k*bench) continue ;;
            esac # their files are smaller
            on_full_disk $limit "${words[@]}"
            name="$limit: ${words[0]} ${words[*]: -2}"
            if [ $code -ne 3 ] || ! grep -q "No space left on device" said; then fail "$name" "exit code $code: $(cat said)"
            elif grep -E '\.tmp$|\.block$' left; then fail "$name" "left behind"
            else pass "$name"; fi
        done
    done
else
    skip "full file systems: needs the right to mount"
fi
if [ -w /dev/full ]; then
    for command in --help --version info "scene --list" "ccd start.ply end.ply" "pairs start.ply end.ply --json" \
        "intersect start.ply" "kfree start.ply" "check start.ply" "check start.ply end.ply --json" \
        "queries queries.csv --kind vf" "truth ${frames[*]} --out made" "report $results --out report.html" \
        "bench broad start.ply end.ply --repeat 1"; do
        read -ra words <<<"$command"
        code=0; "$toi" "${words[@]}" >/dev/full 2>said || code=$?
        same "full disk behind the standard output of $command" $code 3
        check "and it says so" grep -q "cannot write to standard output" said
    done
    for option in --impacts --safe-steps --safe-radii --picture; do
        refuses "full device behind $option" 3 "/dev/full: cannot write: No space" ccd start.ply end.ply --all $option /dev/full
    done
else
    skip "full disk: needs /dev/full"
fi
refuses "no right, no folder: bad input" 2 "cannot write" pairs start.ply end.ply --out none/a.csv

# --- Bad input is not a lack of resources ---------------------------------------------------------
{ head -c 100001 /dev/zero | tr '\0' 1; echo ",1,0,1,0,1,1"; tail -n 7 queries.csv; } >long.csv
refuses "an integer beyond 100,000 digits" 2 "long.csv:1: an integer of more than 100000 digits" queries long.csv --kind vf
{ echo "1$(head -c 99999 /dev/zero | tr '\0' 0),1$(head -c 99999 /dev/zero | tr '\0' 0),0,1,0,1,1"
    tail -n 7 queries.csv; } >longest.csv
succeeds "one of 100,000 is read" queries longest.csv --kind vf
point 1 'element tristrips 1' '4 0 1 2 -1' >strip_start.ply
point -1 'element tristrips 1' '4 0 1 2 -1' >strip_end.ply
run ccd start.ply end.ply --all; faces=$(grep -v -e '^start.ply' -e '^time' -e '^memory' stdout)
run ccd strip_start.ply strip_end.ply --all
same "strips give what faces give" "$(grep -v -e '^strip_start.ply' -e '^time' -e '^memory' stdout)" "$faces"
point 1 'element tristrips 1' '2 0 1' >short.ply
refuses "a strip without a triangle" 2 "short.ply:14: a strip of 2 vertices" ccd short.ply short.ply

# --- Signals --------------------------------------------------------------------------------------
# start PATTERN ARGUMENT...: starts the program and halts it while a file like that exists. Sets $worker.
set -m # so that the program does not inherit that INT is ignored
start() {
    local pattern=$1 try files; shift
    for try in 1 2 3 4 5; do # a file may come and go unseen
        "$toi" "$@" >stdout 2>stderr </dev/null &
        worker=$!
        while kill -0 $worker 2>/dev/null; do
            # shellcheck disable=SC2206 # the pattern is to be expanded
            files=($pattern)
            [ -s "${files[0]}" ] || continue # a file that is empty may not be locked yet
            kill -STOP $worker 2>/dev/null || break
            sleep 0.02
            if [ -s "${files[0]}" ] && kill -0 $worker 2>/dev/null; then return; fi
            kill -CONT $worker 2>/dev/null || break
        done
    done
    fail "$* was not caught in the act in $try runs"
}
# finish_worker SIGNAL...: sends them, lets the program go on, sets $code.
finish_worker() {
    local signal
    for signal; do kill "-$signal" $worker; done
    kill -CONT $worker 2>/dev/null || true # a killed one may be gone already
    code=$halted
    while [ $code -eq $halted ]; do code=0; wait $worker 2>/dev/null || code=$?; done
}
halted=$((128 + $(kill -l STOP))) # what a shell with job control waits for too
left() { find "$1" -name '*.tmp' -o -name '*.block' | wc -l; }

size=50000
[ -z "${TOI_SANITIZED:-}" ] || size=15000 # slower there, so it is caught in the act as easily
scene=(scene n-body --size $size --frames 40 --out many)
list=(pairs --scene n-body --size 100000 --begin 0.8 --out many/pairs.csv)
lists=(truth --scene cloth-ball --size 5000 --begin 0.8 --formats queries --list candidates --out many)
for signal in HUP INT TERM QUIT XCPU; do
    number=$(kill -l $signal)
    for kind in scene list; do
        rm -rf many; mkdir many
        declare -n command=$kind
        start "many/*.tmp" "${command[@]}"
        finish_worker $signal
        same "$signal ends ${command[0]}" $code $((128 + number))
        same "and leaves no temporary file" "$(left many)" 0
    done
done
check "nor part of one" [ ! -e many/pairs.csv ]
rm -rf many
start "many/queries/*.tmp" "${lists[@]}"
finish_worker TERM INT
check "the second signal ends truth" [ $code -eq 130 -o $code -eq 143 ]
same "and leaves no temporary file" "$(left many)" 0
for signal in HUP INT TERM; do
    rm -rf many
    start "many/queries/*.tmp" "${lists[@]}"
    finish_worker $signal
    same "the first $signal stops truth" $code 3
    check "in peace" grep -q "goes on" stderr
    same "and leaves no temporary file" "$(left many)" 0
done
rm -rf many
(trap '' HUP; start "many/*.tmp" "${scene[@]}"; finish_worker HUP; exit "$code") && code=0 || code=$?
same "HUP is nothing under nohup" $code 0
same "all frames are there" "$(find many -name 'frame_*.ply' | wc -l)" 40
cp -r many whole

# --- Programs that were killed, and others that live ----------------------------------------------
rm -rf many
start "many/*.tmp" "${scene[@]}"
left_over=$(echo many/*.tmp)
finish_worker KILL
same "KILL leaves a file" "$(left many)" 1
run "${scene[@]}"
check "the next run removes it" [ $code -eq 0 -a ! -e "$left_over" ]
check "and all is as without" diff -r many whole
rm -rf many
start "many/*.tmp" "${scene[@]}"
its=$(echo many/*.tmp)
first=$worker
run "${scene[@]}"
check "two at once: the other ends well" diff -r --exclude='*.tmp' many whole
check "without touching the first one's file" [ -e "$its" ]
worker=$first
finish_worker
same "the first ends well too" $code 0
check "and all is as with one" diff -r many whole
if command -v flock >/dev/null; then
    echo theirs >pairs.csv.toi-0.tmp
    flock pairs.csv.toi-0.tmp "$toi" pairs start.ply end.ply --out pairs.csv >stdout 2>stderr
    same "a locked file is not touched" "$(cat pairs.csv.toi-0.tmp)" theirs
    run pairs start.ply end.ply --out pairs.csv
    check "an unlocked one is removed" [ ! -e pairs.csv.toi-0.tmp -a -s pairs.csv ]
else
    skip "a locked file: needs flock"
fi
finish

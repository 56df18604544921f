#!/usr/bin/env bash
# A memory limit changes no answer, and the resident memory of the whole program stays within the limit, the
# meshes and 64 MB. On the real n-body scene where it is found, on a generated one always. Pairs that are too many for
# a list are counted, hashed and written all the same.
set -euo pipefail
toi=$1
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 skipped=0

number() { # number KEY: of the JSON on standard input
    sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" | head -n 1
}

check() { # check NAME START END
    local free tight limit=$((64 << 20)) meshes resident
    free=$("$toi" ccd "$2" "$3" --all --json)
    tight=$("$toi" ccd "$2" "$3" --all --memory-limit 64M --json)
    [ "$(number hash <<<"$free")" = "$(number hash <<<"$tight")" ]
    [ "$(number earliest_hex <<<"$free")" = "$(number earliest_hex <<<"$tight")" ]
    # Two frames of doubles and faces, and the edges.
    meshes=$(($(number vertices <<<"$tight") * 48 + $(number faces <<<"$tight") * 24 + $(number edges <<<"$tight") * 8))
    resident=$(number peak_rss_bytes <<<"$tight")
    [ "$(number peak_bytes <<<"$tight")" -le $limit ]
    [ "$resident" -le $((limit + meshes + (64 << 20))) ]
    echo "ok: $1: the same answer within 64M, $((resident >> 20)) MiB resident"
    passed=$((passed + 2))
}

"$toi" scene n-body --size 100000 --begin 0.8 --frames 2 --out "$work/frames" >/dev/null
check generated "$work/frames/frame_0000.ply" "$work/frames/frame_0001.ply"
real=${TOI_DATA:-$source/../shared/data}/scenes/n-body
if [ -r "$real/start.ply" ]; then
    check n-body "$real/start.ply" "$real/end.ply"
else
    echo "skipped: no scenes/n-body: set TOI_DATA to the folder of real data"
    skipped=1
fi

# Boxes so wide that all of them meet: 59 million pairs, which took 1.1 GB to count.
crowd=(--scene n-body --size 6000 --min-separation 100 --threads 2)
unlimited=$(ulimit -v 900000 && "$toi" pairs "${crowd[@]}" --json)
[ "$(number vf <<<"$unlimited")" -eq 18342000 ]
[ "$(number ee <<<"$unlimited")" -eq 40451220 ]
[ "$(number peak_bytes <<<"$unlimited")" -le $((512 << 20)) ]
tight=$(ulimit -v 350000 && "$toi" pairs "${crowd[@]}" --memory-limit 64M --json)
[ "$(number peak_bytes <<<"$tight")" -le $((64 << 20)) ]
[ "$(number hash <<<"$unlimited")" = "$(number hash <<<"$tight")" ]
[ "$(number hash <<<"$tight")" = 488df53babad9ec2 ] # as the list itself has it
echo "ok: pairs without a list: $((18342000 + 40451220)) in 512 MiB and in 64 MiB"

# The file too is the same, in either order, whether the list is held or found in pieces.
crowd=(--scene n-body --size 800 --min-separation 100 --threads 2)
for order in canonical own; do
    "$toi" pairs "${crowd[@]}" --out "$work/whole.csv" --order $order --json >"$work/whole.json"
    "$toi" pairs "${crowd[@]}" --out "$work/pieces.csv" --order $order --memory-limit 4M --json >"$work/pieces.json"
    cmp "$work/whole.csv" "$work/pieces.csv"
    [ "$(number hash <"$work/whole.json")" = "$(number hash <"$work/pieces.json")" ]
    [ "$(number peak_bytes <"$work/whole.json")" -gt $((4 << 20)) ]
    [ "$(number peak_bytes <"$work/pieces.json")" -le $((4 << 20)) ]
done
echo "ok: the file of pairs, in pieces"
passed=$((passed + 2))
echo "$passed passed, 0 failed, $skipped skipped"

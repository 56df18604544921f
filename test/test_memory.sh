#!/usr/bin/env bash
# A memory limit changes no answer, and the resident memory of the whole program stays within the limit, the
# meshes and 64 MB. On the real n-body scene where it is found, on a generated one always.
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
echo "$passed passed, 0 failed, $skipped skipped"

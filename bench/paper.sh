#!/usr/bin/env bash
# Measures what Belgrod et al., "Time of Impact Dataset for Continuous Collision Detection and a Scalable Conservative
# Algorithm", measure in sections 5 to 7, on generated scenes and on the real ones that are found, and draws a page of
# it. Each measurement is a csv:
#   broad-made, broad-SCENE      figure 3: every broad phase, time, memory, false positives and negatives
#   broad-scaling                growing numbers of boxes
#   narrow-random-KIND, narrow-queries, narrow-made, narrow-SCENE
#                                every narrow phase, time and errors; figure 7: the errors of its times
#   narrow-peers-...             the same queries with other libraries, as broad-... has their broad phases
#   ccd-queries                  figure 5: the whole pipeline on random parts of a scene
#   ccd-threads                  figure 6: with more and more threads
#   ccd-stages                   figure 9: where the time goes, for every scene and narrow phase
#   ccd-memory                   figure 10: within less and less memory
# Usage: bench/paper.sh [--quick | --smoke] [--toi PROGRAM] [--peers PROGRAM] [--out FOLDER] [--report FILE.html]
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n 's/^# Usage: //p' "$0"; }
effort=full
toi=build/bin/toi
peers=
out=
page=
while [ $# -gt 0 ]; do
    case $1 in
    --quick | --smoke) effort=${1#--} ;;
    --toi | --peers | --out | --report)
        [ $# -gt 1 ] || { echo "$0: $1 needs a value" >&2; exit 1; }
        case $1 in --toi) toi=$2 ;; --peers) peers=$2 ;; --out) out=$2 ;; --report) page=$2 ;; esac
        shift
        ;;
    --help) usage; exit 0 ;;
    *) echo "$0: there is no option '$1'" >&2; usage >&2; exit 1 ;;
    esac
    shift
done
[ -x "$toi" ] || { echo "$0: there is no program $toi: 'make build' makes it" >&2; exit 1; }

# What there is to do. Numbers of threads double up to all cores.
cores=$(nproc)
doubling=1
for ((n = 2; n < cores; n *= 2)); do doubling+=,$n; done
[ "$cores" -eq 1 ] || doubling+=,$cores
most_bytes=1000000000000 # of a real scene
limited=()
case $effort in
full)
    size=50000 large=300000 random=1000000 repeat=3 sample=50000 real=yes
    least_boxes=10000 boxes=1000000 most_boxes=10000000
    fractions=1/64,1/32,1/16,1/8,1/4,1/2,1
    limits=1M,2M,4M,8M,16M,32M,64M,128M,256M,512M,1G,none
    ;;
quick)
    # What takes long in full: real scenes of many million candidates, and methods that are slow on a scene.
    size=10000 large=50000 random=200000 repeat=1 sample=5000 real=yes most_bytes=1000000
    limited=(--time-limit 2)
    least_boxes=10000 boxes=100000 most_boxes=1000000
    fractions=1/64,1/16,1/4,1
    limits=1M,4M,16M,64M,256M,none
    ;;
smoke)
    size=200 large=400 random=500 repeat=2 sample=1000 real=no
    least_boxes=100 boxes=1000 most_boxes=3000
    fractions=1/4,1
    limits=1K,2M,none
    doubling=1,2
    ;;
esac
build=$(dirname "$(dirname "$toi")")
machine=$("$toi" info | sed -n 's/^machine *//p' | tr -cs 'A-Za-z0-9' '-' | sed 's/-*$//')
if [ -z "$out" ]; then
    # Only full results are kept: those of the others would take their place.
    [ "$effort" = full ] && out=bench/results/$machine || out=$build/bench-$effort/$machine
fi
page=${page:-$build/report.html}
peers=${peers:-$build/peers/bin/peers}
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tables=$(dirname "$page")/bench-tables.txt
: >"$tables"

# step WORDS COMMAND...: says what it does, how long that took and how many combinations it has skipped. What fails
# says why, and ends all.
step() {
    local words=$1 before=$EPOCHREALTIME code=0 skipped
    shift
    printf '%-50s ' "$words"
    "$@" >>"$tables" 2>"$scratch/messages" || code=$?
    if [ $code -ne 0 ]; then
        echo "failed"
        cat "$scratch/messages" >&2
        echo "$0: '$words' failed, exit code $code: $*" >&2
        exit 1
    fi
    cat "$scratch/messages" >>"$tables"
    skipped=$(grep -c ': skipped ' "$scratch/messages" || true)
    awk -v a="$before" -v b="$EPOCHREALTIME" -v n="$skipped" \
        'BEGIN { printf "%7.1f s%s\n", b - a, (n > 0 ? "   " n " combinations skipped" : "") }'
}

# join TARGET FILE...: the rows of files with the same columns in one.
join() {
    local target=$1
    shift
    { head -n 1 "$1"; tail -q -n +2 "$@"; } >"$target.part"
    mv "$target.part" "$target"
}

# broad NAME METHODS ARGUMENT...: rows to broad-NAME.csv, those of other libraries among them. METHODS may be empty.
broad() {
    local rows=$out/broad-$1.csv methods=() add=()
    [ -z "$2" ] || methods=(--broad "$2")
    shift 2
    set -- "$@" --threads "1,$cores"
    if [ -x "$peers" ]; then
        "$peers" "$@" --repeat "$repeat" >"$scratch/peers.csv" || return
        add=(--add "$scratch/peers.csv")
    fi
    # Runs of some milliseconds, on machines that are not quiet: the least of many, in turns.
    "$toi" bench broad "$@" --repeat $((3 * repeat)) "${methods[@]}" "${add[@]}" --csv "$rows"
}

# scaling: all sizes with the default method, and those that the others do not take too long for.
scaling() {
    broad scaling stq,grid-sweep,lbvh,kdtree,interval-tree --scaling --from "$least_boxes" --to "$boxes" || return
    "$toi" bench broad --scaling --from "$least_boxes" --to "$most_boxes" --threads "1,$cores" --repeat "$repeat" \
        --csv "$scratch/auto.csv" || return
    mv "$out/broad-scaling.csv" "$scratch/others.csv"
    join "$out/broad-scaling.csv" "$scratch/auto.csv" "$scratch/others.csv"
}

# narrow NAME REPEAT ARGUMENT...: rows to narrow-NAME.csv, those of other libraries to narrow-peers-NAME.csv.
narrow() {
    local name=$1
    set -- --repeat "$2" "${@:3}" --slow-limit "$sample"
    "$toi" bench narrow "$@" --csv "$out/narrow-$name.csv" || return
    [ ! -x "$peers" ] || "$peers" --narrow "$@" --csv "$out/narrow-peers-$name.csv"
}

narrow_made() {
    local parts=() name
    for name in "${made[@]}"; do
        parts+=("$scratch/narrow-$name.csv")
        "$toi" bench narrow --scene "$name" --size "$size" --begin 0.8 --repeat "$repeat" --slow-limit "$sample" \
            --csv "${parts[-1]}" || return
    done
    join "$out/narrow-made.csv" "${parts[@]}"
}

# ccd NAME ARGUMENT... [-- SCENE...]...: one run for each scene, given by its arguments; all rows to ccd-NAME.csv.
ccd() {
    local name=$1 part=0 common=() scene=() parts=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do common+=("$1"); shift; done
    while [ $# -gt 0 ]; do
        shift
        scene=()
        while [ $# -gt 0 ] && [ "$1" != -- ]; do scene+=("$1"); shift; done
        part=$((part + 1))
        parts+=("$scratch/$name-$part.csv")
        "$toi" bench ccd "${scene[@]}" "${common[@]}" ${limited[@]+"${limited[@]}"} --repeat "$repeat" \
            --csv "${parts[-1]}" || return
    done
    join "$out/ccd-$name.csv" "${parts[@]}"
}

# draw NAME FILE...: the rows of these files as broad-NAME.svg, figure 3 at a glance.
draw() {
    local picture=$out/broad-$1.svg
    shift
    "$toi" bench broad --add "$(IFS=,; echo "$*")" --picture "$picture"
}

# The generated scenes, by their names and as arguments of ccd.
made=()
made_scenes=()
while read -r name; do
    [ "$effort" != smoke ] || [ ${#made[@]} -lt 2 ] || continue
    made+=("$name")
    made_scenes+=(-- --scene "$name" --size "$size" --begin 0.8)
done < <("$toi" info | sed -n 's/^scenes *//p' | tr -d ' ' | tr ',' '\n')

began=$EPOCHREALTIME
echo "$effort measurements on $machine, to $out"
data=${TOI_DATA:-../shared/data}
scenes=() # names of the real ones
real_scenes=() # the same as arguments of ccd
if [ "$real" = yes ]; then
    large_scenes=()
    for folder in "$data"/scenes/*/; do
        if [ ! -f "$folder/start.ply" ] || [ ! -f "$folder/end.ply" ]; then continue; fi
        name=$(basename "$folder")
        if [ "$(stat -L -c %s "$folder/start.ply")" -gt "$most_bytes" ]; then large_scenes+=("$name"); continue; fi
        scenes+=("$name")
        real_scenes+=(-- "${folder%/}/start.ply" "${folder%/}/end.ply")
    done
    [ ${#large_scenes[@]} -eq 0 ] || echo "too large for this, make bench-paper measures them: ${large_scenes[*]}"
    [ $((${#scenes[@]} + ${#large_scenes[@]})) -gt 0 ] ||
        echo "no real scenes: set TOI_DATA to a folder that has scenes/*/start.ply"
fi
[ -x "$peers" ] || echo "no other libraries: 'make peers' builds the program that runs them"

step "broad phases, generated scenes" broad made "" --all-scenes --size "$size"
real_rows=()
for scene in ${scenes[@]+"${scenes[@]}"}; do
    step "broad phases, $scene" broad "$scene" "" "$data/scenes/$scene/start.ply" "$data/scenes/$scene/end.ply"
    real_rows+=("$out/broad-$scene.csv")
done
step "broad phases, growing numbers of boxes" scaling

for kind in vf ee; do
    step "narrow phases, random $kind queries" narrow random-$kind "$repeat" --random "$random" --kind $kind
done
step "narrow phases, generated scenes" narrow_made
for scene in ${scenes[@]+"${scenes[@]}"}; do
    # Many millions of queries: their mean needs no repeats.
    step "narrow phases, $scene" narrow "$scene" 1 "$data/scenes/$scene/start.ply" "$data/scenes/$scene/end.ply"
done
if [ "$real" = yes ] && [ -d "$data/queries" ]; then
    step "narrow phases, the queries of $data" narrow queries "$repeat" --queries "$data/queries"
fi

largest=(-- --scene rod-twist --size "$large" --begin 0.8 -- --scene n-body --size "$large" --begin 0.8)
step "the whole pipeline, every scene" ccd stages --threads "1,$cores" \
    "${made_scenes[@]}" ${real_scenes[@]+"${real_scenes[@]}"}
step "the whole pipeline, more and more threads" ccd threads --threads "$doubling" --narrow exact,inclusion \
    "${largest[@]}" ${real_scenes[@]+"${real_scenes[@]}"}
step "the whole pipeline, parts of a scene" ccd queries --fractions "$fractions" --broad auto,stq,lbvh \
    --narrow exact,inclusion --modes all --threads "1,$cores" "${largest[@]}"
step "the whole pipeline, less and less memory" ccd memory --memory-limits "$limits" --narrow exact,inclusion \
    --threads "$cores" "${largest[@]}" ${real_scenes[@]+"${real_scenes[@]}"}

step "pictures of the broad phases" draw made "$out/broad-made.csv"
step "and of their growth" draw scaling "$out/broad-scaling.csv"
[ ${#scenes[@]} -eq 0 ] || step "and of the real scenes" draw real "${real_rows[@]}"
step "the page" "$toi" report "$out" --out "$page"
awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%-50s %7.1f s\n", "in all", b - a }'
echo "rows: $out   tables: $tables   page: $page"

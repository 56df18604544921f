#!/usr/bin/env bash
# Runs the benchmark and keeps its csv in bench/results/<machine>, named after the CPU and its cores.
set -euo pipefail
cd "$(dirname "$0")/.."
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1 | tr -cs 'A-Za-z0-9' '-' | sed 's/-*$//')
repeats=${1:-5}
threads=${2:-$(nproc)}
directory=bench/results/${cpu:-unknown}-$(nproc)-cores
mkdir -p "$directory"
build/bin/bench "$repeats" "$threads" | tee "$directory/stages.csv"
# Every narrow phase side by side: random queries, and the candidates of the real scenes where they are found.
for kind in vf ee; do
    build/bin/toi bench narrow --random 1000000 --kind $kind --repeat 3 --csv "$directory/narrow-random-$kind.csv"
done
for scene in cloth-ball n-body cloth-funnel; do
    frames=${TOI_DATA:-../shared/data}/scenes/$scene
    [ -f "$frames/start.ply" ] || continue
    build/bin/toi bench narrow "$frames/start.ply" "$frames/end.ply" --csv "$directory/narrow-$scene.csv"
done
# Every broad phase side by side, and those of other libraries where 'make peers' has built them.
broad() { # NAME METHODS ARGUMENT...: rows go to broad-NAME.csv; METHODS may be empty, for all
    local rows=$directory/broad-$1.csv methods=(${2:+--broad "$2"}) add=()
    shift 2
    set -- "$@" --threads "1,$threads" --repeat "$repeats"
    if [ -x build/peers/bin/peers ]; then
        build/peers/bin/peers "$@" >build/peers/rows.csv
        add=(--add build/peers/rows.csv)
    fi
    build/bin/toi bench broad "$@" "${methods[@]}" "${add[@]}" --csv "$rows"
}
draw() { # NAME CSV...: the rows of these files as broad-NAME.svg
    local picture=$directory/broad-$1.svg
    shift
    build/bin/toi bench broad --add "$(IFS=,; echo "$*")" --picture "$picture" >build/drawn.txt
}
real=()
for scene in cloth-ball n-body cloth-funnel; do
    frames=${TOI_DATA:-../shared/data}/scenes/$scene
    [ -f "$frames/start.ply" ] || continue
    broad $scene "" "$frames/start.ply" "$frames/end.ply"
    real+=("$directory/broad-$scene.csv")
done
broad made "" --all-scenes --size 50000
broad scaling auto,stq,grid-sweep,lbvh,kdtree,interval-tree --scaling --to 1000000
build/bin/toi bench broad --scaling --csv "$directory/broad-scaling-auto.csv"
[ ${#real[@]} -eq 0 ] || draw real "${real[@]}"
draw made "$directory/broad-made.csv"
draw scaling "$directory/broad-scaling.csv"
{ echo "toi $(build/bin/toi --version | awk '{print $NF}')"; git rev-parse --short HEAD; gcc --version | head -n 1; } \
    >"$directory/environment.txt"
echo "written: $directory/stages.csv"

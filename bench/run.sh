#!/usr/bin/env bash
# Runs the benchmark and keeps its csv in bench/results/<machine>, named after the CPU and its cores.
set -euo pipefail
cd "$(dirname "$0")/.."
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1 | tr -cs 'A-Za-z0-9' '-' | sed 's/-*$//')
directory=bench/results/${cpu:-unknown}-$(nproc)-cores
mkdir -p "$directory"
build/bin/bench "${1:-5}" "${2:-$(nproc)}" | tee "$directory/stages.csv"
# Every narrow phase side by side: random queries, and the candidates of the real scenes where they are found.
for kind in vf ee; do
    build/bin/toi bench narrow --random 1000000 --kind $kind --repeat 3 --csv "$directory/narrow-random-$kind.csv"
done
for scene in cloth-ball n-body cloth-funnel; do
    frames=${TOI_DATA:-../shared/data}/scenes/$scene
    [ -f "$frames/start.ply" ] || continue
    build/bin/toi bench narrow "$frames/start.ply" "$frames/end.ply" --csv "$directory/narrow-$scene.csv"
done
{ echo "toi $(build/bin/toi --version | awk '{print $NF}')"; git rev-parse --short HEAD; gcc --version | head -n 1; } \
    >"$directory/environment.txt"
echo "written: $directory/stages.csv"

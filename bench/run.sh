#!/usr/bin/env bash
# Runs the benchmark and keeps its csv in bench/results/<machine>, named after the CPU and its cores.
set -euo pipefail
cd "$(dirname "$0")/.."
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1 | tr -cs 'A-Za-z0-9' '-' | sed 's/-*$//')
directory=bench/results/${cpu:-unknown}-$(nproc)-cores
mkdir -p "$directory"
build/bin/bench "${1:-5}" "${2:-$(nproc)}" | tee "$directory/stages.csv"
{ echo "toi $(build/bin/toi --version | awk '{print $NF}')"; git rev-parse --short HEAD; gcc --version | head -n 1; } \
    >"$directory/environment.txt"
echo "written: $directory/stages.csv"

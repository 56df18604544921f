#!/usr/bin/env bash
# --device on the command line, with a backend that needs no card: the same hashes, what is said, what is refused.
# Usage: test_device_cli.sh PATH_TO_TOI PATH_TO_BACKEND
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: $0 PATH_TO_TOI PATH_TO_BACKEND" >&2; exit 1; }
backend=$(realpath "$2")
. "$(dirname "$0")/outside.sh"
device=(--device cuda --backend "$backend")

hash_of() { "$toi" "$@" 2>/dev/null </dev/null | awk '$1 == "hash" { print $2 }'; }

"$toi" scene cloth-ball --size 800 --begin 0.8 --frames 4 --out cloth >/dev/null
frames=(cloth/*.ply)

# --- ccd ----------------------------------------------------------------------------------------
for scene in cloth-ball rod-twist n-body; do
    question=(ccd --scene $scene --size 500 --begin 0.8 --all)
    same "impacts of $scene" "$(hash_of "${question[@]}" "${device[@]}")" "$(hash_of "${question[@]}")"
done
succeeds "the earliest" ccd "${frames[@]:0:2}" "${device[@]}"
check "it names the device" grep -q '^device *fake' stdout
check "candidates are not counted" [ "$(grep -c '^candidates' stdout)" -eq 0 ]
succeeds "as JSON" ccd "${frames[@]:0:2}" "${device[@]}" --json
check "its device" grep -q '"device": "cuda"' stdout
check "no candidates" grep -q '"candidates": null' stdout
succeeds "files" ccd "${frames[@]:0:2}" "${device[@]}" --impacts a.csv --safe-steps a_steps.csv
succeeds "the processor's" ccd "${frames[@]:0:2}" --impacts b.csv --safe-steps b_steps.csv
check "the same impacts" cmp a.csv b.csv
check "the same safe steps" cmp a_steps.csv b_steps.csv
refuses "another narrow phase" 3 "narrow phases other than exact and inclusion-queue" ccd "${frames[@]:0:2}" "${device[@]}" --narrow inclusion
refuses "a backend that is none" 3 "--device cpu gives the same answer" \
    ccd "${frames[@]:0:2}" --device cuda --backend ./nothing.so

for scene in cloth-ball rod-twist n-body; do
    question=(ccd --scene $scene --size 300 --begin 0.8 --all --narrow inclusion-queue --min-separation 0.001)
    same "inclusion-queue in $scene" "$(hash_of "${question[@]}" "${device[@]}" --broad stq)" "$(hash_of "${question[@]}")"
done

# --- close --------------------------------------------------------------------------------------
question=(close --scene cloth-ball --size 500 --begin 0.8 --radius 0.01)
same "close pairs" "$(hash_of "${question[@]}" "${device[@]}")" "$(hash_of "${question[@]}")"

# --- pairs --------------------------------------------------------------------------------------
for scene in cloth-ball rod-twist n-body; do
    question=(pairs --scene $scene --size 500 --begin 0.8)
    for method in auto stq sweep grid lbvh; do
        same "pairs of $scene" "$(hash_of "${question[@]}" "${device[@]}" --broad $method)" "$(hash_of "${question[@]}")"
    done
done
succeeds "pairs" pairs "${frames[@]:0:2}" "${device[@]}" --min-separation 0.01 --float-boxes --out a_pairs.csv
check "it names the device" grep -q '^device *fake' stdout
succeeds "the processor's" pairs "${frames[@]:0:2}" --min-separation 0.01 --float-boxes --out b_pairs.csv
check "the same pairs" cmp a_pairs.csv b_pairs.csv
succeeds "pairs as JSON" pairs "${frames[@]:0:2}" "${device[@]}" --json
check "its device" grep -q '"device": "cuda"' stdout
refuses "a method that it does not have" 3 "use auto, stq" pairs "${frames[@]:0:2}" "${device[@]}" --broad kdtree
succeeds "bench broad" bench broad "${frames[@]:0:2}" "${device[@]}" --broad auto,stq,kdtree --repeat 2 --csv broad.csv
check "a row for each on the device" [ "$(grep -c +cuda broad.csv)" -eq 2 ]

# --- queries ------------------------------------------------------------------------------------
awk 'BEGIN { srand(1); for (i = 0; i < 8 * 300; ++i) { for (k = 0; k < 3; ++k)
    printf "%s%d,%d", k ? "," : "", int(201 * rand()) - 100, 2 ^ int(8 * rand()); print "" } }' >queries.csv
for kind in vf ee pe pp; do
    question=(queries queries.csv --kind $kind)
    same "answers of $kind" "$(hash_of "${question[@]}" "${device[@]}")" "$(hash_of "${question[@]}")"
done
succeeds "queries as JSON" queries queries.csv --kind vf "${device[@]}" --json
check "their device" grep -q '"device": "cuda"' stdout
refuses "queries by another method" 3 "exact and inclusion-queue" \
    queries queries.csv --kind vf "${device[@]}" --narrow inclusion

# --- track --------------------------------------------------------------------------------------
same "steps" "$(hash_of track "${frames[@]}" "${device[@]}" --check)" "$(hash_of track "${frames[@]}")"

# --- bench --------------------------------------------------------------------------------------
succeeds "bench ccd" bench ccd "${frames[@]:0:2}" "${device[@]}" --repeat 3 --csv bench.csv
check "stages" grep -q 'timed one by one' stdout
check "the ceiling of a stage" grep -q ' 10.0 % of memory' stdout
check "what the ceilings allow" grep -q 'the ceilings allow 5.0 us, 10.0 % of it' stdout
check "and in the file" grep -q ',5e-06,0.100,"all 5e-05 memory 0.100"' bench.csv
check "four rows and their titles" [ "$(wc -l <bench.csv)" -eq 5 ]
succeeds "bench ccd with loose points" bench ccd --scene rod-twist --size 300 --begin 0.8 "${device[@]}" --repeat 2
check "both ends travel" grep -q 'both page-locked' stdout
succeeds "bench ccd as JSON" bench ccd "${frames[@]:0:2}" "${device[@]}" --repeat 2 --json
check "its hashes" grep -q '"cpu_hash"' stdout
succeeds "bench ccd with separations" bench ccd "${frames[@]:0:2}" "${device[@]}" --repeat 2 \
    --separations none,edge/200,relative --csv separations.csv
check "four rows for each, and their titles" [ "$(wc -l <separations.csv)" -eq 13 ]
check "what is kept" grep -q ',earliest,relative,' separations.csv
refuses "lists of methods" 1 "--repeat and --separations alone" bench ccd "${frames[@]:0:2}" "${device[@]}" --narrow exact,inclusion
same "overlaps" "$(hash_of intersect --scene cloth-ball --size 2000 --begin 0.95 "${device[@]}")" \
    "$(hash_of intersect --scene cloth-ball --size 2000 --begin 0.95)"
refuses "every pair on a device" 3 "does not do the overlap method brute" \
    intersect --scene cloth-ball --size 500 "${device[@]}" --method brute
succeeds "bench overlap" bench overlap --scene cloth-ball --size 2000 "${device[@]}" --repeat 3 --csv overlaps.csv
check "two rows and their titles" [ "$(wc -l <overlaps.csv)" -eq 3 ]
check "they count pairs" grep -q 'repeats,pairs,' overlaps.csv
refuses "methods of bench overlap" 1 "--methods" bench overlap --scene cloth-ball "${device[@]}" --methods auto
for command in ccd pairs close track intersect "bench ccd" "bench broad" "bench overlap"; do
    # shellcheck disable=SC2086
    succeeds "toi $command --help" $command --help
    check "it has an example with a device" grep -qE "^  toi $command .*--device cuda" stdout
done

# --- info ---------------------------------------------------------------------------------------
succeeds "info" info
check "it says whether there is a card" grep -qE '^cuda +(none: .*|.*compute capability.*)' stdout
cp "$toi" alone
check "a program without a backend says where it looked" \
    bash -c './alone info | grep -q "^cuda *none: .*libtoi_cuda" || ./alone info | grep -q "compute capability"'
finish

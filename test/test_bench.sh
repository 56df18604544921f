#!/usr/bin/env bash
# The benchmarks from outside: the rows they write, what those say of each other, and the script that makes all of
# them. Usage: test_bench.sh PATH_TO_TOI
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 PATH_TO_TOI" >&2; exit 1; }
paper=$(realpath "$(dirname "$0")/../bench/paper.sh")
. "$(dirname "$0")/outside.sh"

# In awk programs of the following, v("hits") is the cell of that column in the row at hand, and errors() the sum of
# the histogram of errors.
# shellcheck disable=SC2016 # the dollars are those of awk
by_name='function v(name) { if (!(name in at)) { print "no column " name; exit 1 } return $at[name] }
         function errors(e, sum) {
             sum = v("error_0")
             for (e = -17; e <= 0; ++e) sum += v(sprintf("error_1e%+d", e))
             return sum + 0
         }
         NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }'

# every NAME FILE EXPRESSION: it is true of every row, and there are rows.
every() {
    local wrong
    wrong=$(awk -F, "$by_name"' !('"$3"') { print "row " NR ": " $0; exit } END { if (NR < 2) print "no rows" }' "$2")
    if [ -z "$wrong" ]; then pass "$1"; else fail "$1" "$wrong"; fi
}

# some NAME FILE EXPRESSION: it is true of a row, so that a check of such rows is one.
some() {
    if [ -n "$(awk -F, "$by_name"' '"$3"' { print NR; exit }' "$2")" ]; then pass "$1"
    else fail "$1" "no row of $2 with $3"; fi
}

# one NAME FILE KEY VALUE: rows with the same key have the same value, and some have.
one() {
    local wrong
    wrong=$(awk -F, "$by_name"' { key = '"$3"'; value = '"$4"'; again += key in seen }
        key in seen && seen[key] != value { print key ": " value " is not " seen[key]; exit }
        { seen[key] = value } END { if (!again) print "every key is there once" }' "$2")
    if [ -z "$wrong" ]; then pass "$1"; else fail "$1" "$wrong"; fi
}

columns() { # NAME FILE EXPECTED: its columns, and as many cells in every row
    same "$1: columns" "$(head -n 1 "$2")" "$3"
    same "$1: cells" "$(awk -F, '{ print NF }' "$2" | sort -u)" "$(tr ',' '\n' <<<"$3" | wc -l)"
}

made=machine,compiler,commit
broad_columns=scene,method,simd,threads,seconds,pairs,peak_bytes,hash,boxes,hits,false_positives,false_negatives
broad_columns+=,median_seconds,repeats,$made
narrow_columns=scene,stage,kind,method,guarantee,tolerance,threads,queries,seconds,ns_per_query,hits,undecided
narrow_columns+=,false_positives,false_negatives,file_false_positives,file_false_negatives,odd,even,times,late
narrow_columns+=,largest_late,largest_early,mean_error
narrow_columns+=,rung_axis,rung_direction,rung_plane,rung_root,rung_integer,rung_turn
narrow_columns+=,error_0$(printf ',error_1e%+d' {-17..0}),hash,median_seconds,repeats,simd,$made
ccd_columns=scene,broad,narrow,mode,fraction,separation,min_separation,memory_limit,threads,calls,load
ccd_columns+=,vertices,edges,faces,candidates_vf,candidates_ee,tested_vf,tested_ee,hits_vf,hits_ee,undecided,inside,earliest
ccd_columns+=,false_positives,false_negatives,late
ccd_columns+=,seconds_prepare,seconds_broad,seconds_narrow,seconds,median_seconds,mean_seconds,repeats,peak_bytes,hash
ccd_columns+=,simd,$made
overlap_columns=scene,vertices,faces,method,calls,threads,pairs,crossing,coplanar,segment,point,vertex,edge,same
overlap_columns+=,candidates,exact,stars,seconds_prepare,seconds_search,seconds,median_seconds,mean_seconds,repeats
overlap_columns+=,peak_bytes,hash,simd,$made

# ---------------------------------------------------------------------------------------------
# The script, and what it leaves

code=0
"$paper" --smoke --peers none --toi "$toi" --out "$work/rows" --report "$work/page.html" >stdout 2>stderr || code=$?
check "the script runs through" [ $code -eq 0 ]
check "it tells the time of its steps" grep -qE "^broad phases, generated scenes +[0-9.]+ s$" stdout
check "and of all" grep -qE "^in all +[0-9.]+ s$" stdout
check "it says what it skipped" grep -qE "^the whole pipeline, less and less memory .* [0-9]+ combinations skipped$" stdout
check "there is a page" [ -s page.html ]
for file in made scaling; do columns "broad-$file" "rows/broad-$file.csv" "$broad_columns"; done
for file in made random-vf random-ee; do columns "narrow-$file" "rows/narrow-$file.csv" "$narrow_columns"; done
for file in stages threads queries memory; do columns "ccd-$file" "rows/ccd-$file.csv" "$ccd_columns"; done

machine=$("$toi" info | sed -n 's/^machine *//p')
commit=$("$toi" info | sed -n 's/^commit *//p')
for file in rows/*.csv; do
    every "$file: where it was made" "$file" "v(\"machine\") == \"$machine\" && v(\"commit\") == \"$commit\" && \
        v(\"compiler\") ~ /[0-9]/ && v(\"simd\") != \"\""
    every "$file: times" "$file" 'v("seconds") > 0 && v("median_seconds") >= v("seconds") && v("repeats") >= 1'
    every "$file: hashes" "$file" 'v("hash") ~ /^[0-9a-f]+$/ && length(v("hash")) == 16'
done

file=rows/broad-made.csv
some "meshes among the broad rows" $file 'v("hits") > 0'
some "sets of boxes among them" $file 'v("hits") == "" && v("scene") ~ /^uniform/'
every "every pair collides or does not" $file 'v("hits") == "" || v("hits") + v("false_positives") == v("pairs")'
every "no broad phase misses" $file 'v("hits") == "" || v("false_negatives") == "0"'
one "all find what collides" $file 'v("scene")' 'v("hits") " " v("hash")'

for file in rows/narrow-*.csv; do
    every "$file: every time has an error" "$file" 'errors() == v("times") + 0'
    every "$file: exact is exact" "$file" 'v("method") != "exact" || v("stage") != "queries" ||
        (v("error_0") == v("times") && v("false_positives") == 0 && v("false_negatives") == 0)'
    some "$file: others are not" "$file" 'v("method") == "inclusion" && v("times") > v("error_0")'
    every "$file: guaranteed methods neither miss nor are late" "$file" 'v("guarantee") == "none" ||
        (v("false_negatives") + 0 == 0 && v("late") + 0 == 0)'
done

question='v("scene") " " v("fraction") " " v("mode") " " v("narrow") " " v("separation")'
for file in rows/ccd-*.csv; do
    one "$file: the same answer by every method" "$file" "$question" 'v("hash") " " v("earliest")'
    every "$file: exact is exact" "$file" 'v("narrow") != "exact" || (v("late") == 0 &&
        (v("mode") == "all" ? v("false_positives") == "0" && v("false_negatives") == "0" : v("false_positives") == ""))'
    every "$file: a guaranteed method neither misses nor is late" "$file" \
        'v("narrow") !~ /^(inclusion|additive-certified)/ || (v("false_negatives") + 0 == 0 && v("late") == 0)'
    every "$file: parts of the time" "$file" 'v("seconds_prepare") + v("seconds_broad") + v("seconds_narrow") > 0'
done
some "both modes" rows/ccd-stages.csv 'v("mode") == "earliest" && v("hits_vf") == "" && v("earliest") ~ /^0x/'
some "with impacts" rows/ccd-stages.csv 'v("mode") == "all" && v("hits_vf") + v("hits_ee") > 0'
some "several threads" rows/ccd-threads.csv 'v("threads") == 2'
some "a limit" rows/ccd-memory.csv 'v("memory_limit") == 2097152'
every "and it is kept" rows/ccd-memory.csv 'v("memory_limit") == 0 || v("peak_bytes") <= v("memory_limit")'
some "a part of the faces" rows/ccd-queries.csv 'v("fraction") == 0.25 && v("faces") > 50 && v("faces") < 150'
one "one part for all" rows/ccd-queries.csv 'v("scene") " " v("fraction")' 'v("vertices") " " v("edges") " " v("faces")'

# A step that fails ends the script with its message.
cat >broken <<SCRIPT
#!/bin/sh
[ "\$2" != narrow ] || { echo "toi bench narrow: the disk is full" >&2; exit 2; }
exec "$toi" "\$@"
SCRIPT
chmod +x broken
mkdir -p bin
mv broken bin/toi
code=0
"$paper" --smoke --peers none --toi "$work/bin/toi" --out "$work/less" --report "$work/less.html" >stdout 2>stderr || code=$?
check "a step that fails ends the script" [ $code -eq 1 ]
check "with its message" grep -q "the disk is full" stderr
check "and its name" grep -q "'narrow phases, random vf queries' failed, exit code 2" stderr
check "nothing is run after it" [ ! -e less/ccd-stages.csv ]

# What it would run: a program that only writes down its arguments, and real scenes of which one is large.
mkdir -p noted/bin data/scenes/little data/scenes/huge
for frame in start end; do
    "$toi" scene plane --size 10 --out data/scenes/little >stdout
    mv data/scenes/little/frame_0000.ply data/scenes/little/$frame.ply
    truncate -s 1500000 data/scenes/huge/$frame.ply
done
cat >noted/bin/toi <<SCRIPT
#!/bin/bash
[ "\$1" != info ] || exec "$toi" info
echo "\$*" >>"$work/notes"
while [ \$# -gt 1 ]; do [ "\$1" != --csv ] || echo scene >"\$2"; shift; done
SCRIPT
chmod +x noted/bin/toi
for effort in --quick ""; do
    rm -f notes
    code=0
    # shellcheck disable=SC2086
    TOI_DATA=$work/data "$paper" $effort --peers none --toi "$work/noted/bin/toi" --out "$work/noted/rows" \
        --report "$work/noted/page.html" >stdout 2>stderr || code=$?
    check "every step of ${effort:-all}" [ $code -eq 0 ]
    mv notes "noted/all$effort"
    cp stdout "noted/said$effort"
done
# Full measurements leave nothing out. Quick ones take minutes, not a quarter of an hour.
check "all: large scenes too" grep -q "bench ccd .*/huge/start.ply" noted/all
check "all: however long it takes" [ "$(grep -c -- "--time-limit" noted/all)" -eq 0 ]
check "--quick: small scenes" grep -q "bench ccd .*/little/start.ply" noted/all--quick
check "--quick: no large ones" [ "$(grep -c "/huge/" noted/all--quick)" -eq 0 ]
same "--quick: no slow method on the whole pipeline" "$(grep -c "^bench ccd .*--time-limit 2" noted/all--quick)" \
    "$(grep -c "^bench ccd" noted/all--quick)"
check "--quick: what it leaves out is said" grep -q "make bench-paper measures them: huge" noted/said--quick

code=0
"$paper" --fast >stdout 2>stderr || code=$?
check "an option that the script does not have" [ $code -eq 1 ]

# ---------------------------------------------------------------------------------------------
# bench ccd

scene=(--scene cloth-ball --size 1000 --begin 0.8)
ccd=(bench ccd "${scene[@]}")
succeeds "toi bench ccd --help" bench ccd --help
check "toi bench ccd --help fits a terminal" awk 'length > 80 { exit 1 }' stdout
succeeds "the whole pipeline is compared" "${ccd[@]}" --broad brute,stq,auto --threads 1,2,3 --memory-limits 64M,none \
    --repeat 3 --csv ccd.csv
check "the tables fit 100 columns" awk 'length > 100 { exit 1 }' stdout
check "all is the same" [ "$(grep -c ' same$' stdout)" -eq 12 ]
columns "ccd" ccd.csv "$ccd_columns"
same "as many rows as combinations" "$(tail -n +2 ccd.csv | wc -l)" $((3 * 3 * 2 * 6 * 2))
one "the same answers" ccd.csv "$question" 'v("hash")'
every "three runs are counted" ccd.csv 'v("repeats") == 3'
run ccd "${scene[@]}" --all
same "the hash of toi ccd" "$(awk -F, "$by_name"' v("narrow") == "exact" && v("mode") == "all" { print v("hash") }' \
    ccd.csv | sort -u)" "$(awk '$1 == "hash" { print $2 }' stdout)"
run "${ccd[@]}" --narrow fast,safe,cubic,parity --threads 1 --csv other.csv
check "methods without a promise" [ $code -eq 0 ]
every "parity has no times" other.csv 'v("narrow") != "parity" ||
    (v("mode") == "all" && v("earliest") == "" && v("late") == "" && v("hits_ee") > 0)'
run "${ccd[@]}" --fractions 1/16,0.25,1 --narrow exact --modes all --threads 1 --csv parts.csv
check "parts grow" awk -F, "$by_name"' v("faces") <= before { exit 1 } { before = v("faces") }' parts.csv
run "${ccd[@]}" --fractions 1/16,0.25,1 --narrow exact --modes all --threads 2 --csv again.csv
same "the same parts again" "$(awk -F, "$by_name"' { print v("hash") }' parts.csv | xargs)" \
    "$(awk -F, "$by_name"' { print v("hash") }' again.csv | xargs)"
run "${ccd[@]}" --memory-limits 1K,none --narrow exact --threads 1 --csv limits.csv
check "a limit that is too small is skipped" [ $code -eq 0 ]
check "with a word" grep -q "skipped cloth-ball-1000, all, exact after auto, 1 thread: the memory limit" stderr
same "and the others are not" "$(tail -n +2 limits.csv | wc -l)" 2
run "${ccd[@]}" --scene sheets --size 30000 --time-limit 1e-6 --threads 1 --narrow exact
check "what takes too long is skipped" grep -qE "skipped .*: about .* s, more than --time-limit 1e-06" stderr
check "and where nothing is left it is an error" grep -q "nothing was measured" stderr
same "with the code for limits" $code 3

# Scenes kept between calls. A table has a line for each pair of rows that it compares, and its ratio at the end.
ratios() { grep -cE "^(exact|inclusion) .* (us|ms|s) +[0-9.]+ (us|ms|s) +[0-9]+\.[0-9]{2}$" stdout || true; }
succeeds "a scene kept" "${ccd[@]}" --narrow exact,inclusion --threads 1,2 --calls stateless,kept --repeat 2 \
    --csv kept.csv
check "the tables of a scene kept fit 100 columns" awk 'length > 100 { exit 1 }' stdout
columns "kept" kept.csv "$ccd_columns"
same "half of the rows are of a scene kept" "$(awk -F, "$by_name"' { ++rows[v("calls")] }
    END { print rows["stateless"], rows["kept"] }' kept.csv)" "8 8"
one "the answers of a scene kept" kept.csv "$question" 'v("hash") " " v("earliest") " " v("candidates_ee")'
same "a ratio for each of its rows" "$(ratios)" 8
every "means" kept.csv 'v("mean_seconds") >= v("seconds") && v("load") == "idle"'
every "without a word of it calls are stateless" ccd.csv 'v("calls") == "stateless" && v("load") == "idle"'

# Separations beside each other: the answers of each are the same, and those of toi ccd.
succeeds "separations" "${ccd[@]}" --separations none,edge/20,relative,edge/2,none --narrow exact --broad brute,auto \
    --threads 1,2 --calls stateless,kept --repeat 2 --csv separations.csv
check "the tables of separations fit 100 columns" awk 'length > 100 { exit 1 }' stdout
columns "separations" separations.csv "$ccd_columns"
same "as many rows of each" "$(awk -F, "$by_name"' { ++rows[v("separation")] }
    END { print rows["none"], rows["edge/20"], rows["edge/2"], rows["relative"] }' separations.csv)" "16 16 16 16"
one "the answers of a separation" separations.csv "$question" 'v("hash") " " v("earliest") " " v("candidates_ee")'
same "each has its own" "$(awk -F, "$by_name"' { print v("mode"), v("hash") }' separations.csv | sort -u | wc -l)" 8
every "two runs of it are counted" separations.csv 'v("repeats") == 2'
every "what is true is known of contacts alone" separations.csv '(v("separation") == "none" && v("late") == "0") ||
    (v("separation") != "none" && v("late") v("false_positives") v("false_negatives") == "")'
every "only a share of the edge is a number" separations.csv '(v("separation") ~ /^edge/) == (v("min_separation") > 0)'
# separation_cell SEPARATION COLUMN: of its first row of all impacts.
separation_cell() {
    awk -F, -v separation="$1" -v name="$2" "$by_name"' v("mode") == "all" && v("separation") == separation {
        print v(name); exit }' separations.csv
}
small=$(separation_cell edge/20 min_separation)
large=$(separation_cell edge/2 min_separation)
check "and ten times as much for a tenth of its parts" \
    awk "BEGIN { exit !(10 * $small > 0.999999 * $large && 10 * $small < 1.000001 * $large) }"
run ccd "${scene[@]}" --all --min-separation "$small"
same "the answer of toi ccd" "$(awk '$1 == "hash" { print $2 }' stdout)" "$(separation_cell edge/20 hash)"
run ccd "${scene[@]}" --all --solver
same "and of toi ccd --solver" "$(awk '$1 == "hash" { print $2 }' stdout)" "$(separation_cell relative hash)"
run "${ccd[@]}" --separations none,edge/20,relative --narrow exact,fast --threads 1 --modes all --repeat 2
beside() { # NARROW SEPARATION PATTERN: how many lines of the table of separations end like this
    grep -cE "^$1 +all +$2 +[0-9.]+ (us|ms|s) +$3\$" stdout || true
}
same "the line of none" "$(beside exact none '1\.00 +[0-9,]+ +[0-9,]+ +[0-9.]+ +-')" 1
same "the line of a separation" "$(beside exact edge/20 '[0-9]+\.[0-9]{2} +[0-9,]+ +[0-9,]+ +[0-9.]+ +-?[0-9]+')" 1
same "a method that keeps no separation has one line" "$(beside fast '[a-z/0-9]+' '[0-9]+\..*')" 1
check "and the others are skipped with a word" \
    grep -q "skipped .*, all, fast after auto, 1 thread, separation edge/20: the method keeps no separation" stderr
run "${ccd[@]}" --separations relative --narrow exact --threads 1 --modes earliest --json
check "a separation as JSON" grep -q '"separation": "relative"' stdout
check "of which no truth is known" grep -q '"late": null' stdout
printf '%s\n' ply "format ascii 1.0" "element vertex 1" "property double x" "property double y" "property double z" \
    end_header "0 0 0" >dot.ply
refuses "a share of no edge" 2 "no edge has a length" bench ccd dot.ply dot.ply --separations edge/2 --narrow exact
for bad in edge edge/ edge/0 edge/-1 edge/inf half 1/2 ""; do
    refuses "a separation of '$bad'" 1 "--separations has '$bad'; use none, relative" "${ccd[@]}" \
        --separations "none,$bad"
done

# Under a load of its own. How fast that is depends on what else the machine does: no ratio is checked.
succeeds "a busy machine" "${ccd[@]}" --busy --threads 1,2 --repeat 5 --csv busy.csv
check "its tables fit 100 columns" awk 'length > 100 { exit 1 }' stdout
columns "busy" busy.csv "$ccd_columns"
same "every row idle and busy" "$(awk -F, "$by_name"' { ++rows[v("load") " " v("threads") " " v("mode")] }
    END { for (key in rows) if (rows[key] == 1) ++single; print NR - 1, single }' busy.csv)" "8 8"
every "it is a solver that is measured" busy.csv 'v("calls") == "kept" && v("narrow") == "exact" && v("repeats") == 5'
one "the answers of a busy machine" busy.csv "$question" 'v("hash") " " v("earliest")'
same "those of an idle one" "$(awk -F, "$by_name"' { print v("mode"), v("hash") }' busy.csv | sort -u)" \
    "$(awk -F, "$by_name"' v("narrow") == "exact" { print v("mode"), v("hash") }' ccd.csv | sort -u)"
same "one thread beside all, idle and busy" "$(ratios)" 4
run "${ccd[@]}" --busy --threads 1 --modes earliest --repeat 1 --json
same "the rows as JSON" "$(grep -oE '"(calls|load)": *"[a-z]+"' stdout | tr -d ' "' | xargs)" \
    "calls:kept load:idle calls:kept load:busy"

# The load is there while it measures: one thread for each core beside the one that computes. A signal ends them all.
if [ -r /proc/self/status ]; then
    "$toi" bench ccd "${scene[@]}" --busy --threads 1 --repeat 1000 --modes earliest >stdout 2>stderr &
    child=$!
    threads=0
    expected=$((1 + $(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)))
    while [ "$threads" -lt $expected ] && kill -0 $child 2>ignored; do
        threads=$(awk '$1 == "Threads:" { print $2 }' /proc/$child/status 2>ignored || echo 0)
        threads=${threads:-0}
    done
    check "the load is there" [ "$threads" -ge "$expected" ]
    kill -TERM $child 2>ignored || true
    code=0
    wait $child 2>ignored || code=$?
    same "and a signal ends it" $code 143
else
    skip "the load's threads: needs /proc"
fi

# Intersecting faces: every method finds the same pairs, in one shot and kept, with any number of threads.
overlap=(bench overlap --scene cloth-ball --size 2000)
succeeds "overlaps" "${overlap[@]}" --threads 1,2 --repeat 2 --csv overlap.csv
columns "overlaps" overlap.csv "$overlap_columns"
one "the pairs of overlaps" overlap.csv 'v("scene")' 'v("hash") " " v("pairs") " " v("crossing") " " v("vertex")'
every "there are overlaps" overlap.csv 'v("pairs") > 0 && v("faces") > 1900 && v("vertices") > 900'
classes='v("crossing") + v("coplanar") + v("segment") + v("point") + v("vertex") + v("edge") + v("same")'
every "classes add up" overlap.csv 'v("pairs") == '"$classes"
every "two runs of overlaps" overlap.csv 'v("repeats") == 2 && v("seconds") > 0 && v("median_seconds") >= v("seconds")'
some "and kdet with another hash" overlap.csv 'v("method") == "kdet-morton"'
some "brute is among them" overlap.csv 'v("method") == "brute" && v("calls") == "kept"'
same "as many rows kept as in one shot" "$(awk -F, "$by_name"' { ++rows[v("calls")] }
    END { print rows["kept"] - rows["one-shot"] }' overlap.csv)" 0
succeeds "without brute where there are many faces" "${overlap[@]}" --brute-limit 1000 --repeat 1 --csv few.csv
every "the limit" few.csv 'v("method") != "brute"'
"$toi" scene chazelle --size 300 --begin 0.9 --out notches >ignored
succeeds "overlaps of files" bench overlap notches/frame_0000.ply notches/frame_0001.ply --repeat 1 --csv files.csv
same "named by folder and file" "$(awk -F, "$by_name"' { print v("scene") }' files.csv | sort -u | xargs)" \
    "notches/frame_0000 notches/frame_0001"
one "their pairs" files.csv 'v("scene")' 'v("hash")'
succeeds "overlaps in growing meshes" bench overlap --scaling --from 200 --to 2000 --methods auto --calls kept \
    --repeat 1 --picture growth.svg --csv growth.csv
same "two sizes a power of ten" "$(tail -n +2 growth.csv | wc -l)" 3
check "in words" grep -qE "^auto, kept, 1 thread: .* times as much, (not )?less than 1.5$" stdout
check "and drawn" grep -q "Intersecting faces: time a face" growth.svg
run "${overlap[@]}" --methods auto --repeat 1 --json
check "overlaps as JSON" grep -qE '"method": ?"auto"' stdout
same "with the hash of the rows" "$(grep -oE '"hash": ?"[0-9a-f]+"' stdout | grep -oE '[0-9a-f]{16}' | sort -u)" \
    "$(awk -F, "$by_name"' { print v("hash") }' overlap.csv | sort -u)"
refuses "overlaps of nothing" 1 "a mesh is needed" bench overlap
refuses "two sources of meshes" 1 "only one source" bench overlap --all-scenes --scaling
refuses "a range without --scaling" 1 "--from and --to need --scaling" "${overlap[@]}" --from 100
refuses "a range upside down" 1 "is above" bench overlap --scaling --from 1000 --to 100
refuses "a size beside --scaling" 1 "use --from and --to" bench overlap --scaling --size 100
refuses "options of a scene for files" 1 "need --scene NAME" bench overlap notches/frame_0000.ply --size 100
refuses "an unknown method of overlaps" 1 "there are auto" "${overlap[@]}" --methods tree
refuses "an unknown scene of overlaps" 1 "there is no scene" bench overlap --scene teapot
refuses "nothing but brute, and too many faces" 3 "nothing was measured" "${overlap[@]}" --methods brute --brute-limit 10

# No table is wider than a terminal of 100 columns: what does not fit beside goes below.
fits() { # NAME ARGUMENT...
    local name=$1
    shift
    succeeds "$name" "$@"
    check "$name: fits 100 columns" awk 'length > 100 { exit 1 }' stdout
}
fits "broad, all scenes" bench broad --all-scenes --size 200 --broad auto,sweep-incremental,lbvh
fits "broad, many threads" bench broad "${scene[@]}" --broad auto,stq --threads 1,2,3,4,5,6,7,8
for threads in 1 8; do check "with $threads of them" grep -qE "^method.* $threads thread" stdout; done
same "in two parts, of which each line has its name" "$(grep -cE '^(method|auto|stq) ' stdout)" 6
check "with the hash in one of them" [ "$(grep -cE '^stq .* [0-9a-f]{16} +same$' stdout)" -eq 1 ]
fits "broad, growing" bench broad --scaling --from 100 --to 1000 --broad auto,sweep-incremental,interval-tree
fits "narrow, random" bench narrow --random 2000
fits "narrow, edges" bench narrow --random 500 --kind ee --threads 2 --repeat 2
fits "narrow, a scene" bench narrow "${scene[@]}"
fits "ccd, every scene" bench ccd --all-scenes --size 200 --begin 0.8 --narrow exact,additive-certified,fast
fits "overlap, every scene" bench overlap --all-scenes --size 200 --threads 1,2 --repeat 1
fits "ccd, parts and limits" bench ccd "${scene[@]}" --fractions 1/4,1 --memory-limits 64M,none --broad auto,grid-sweep
fits "ccd, all methods" bench ccd "${scene[@]}" --threads 1 --modes all \
    --narrow exact,inclusion,inclusion-queue,additive,additive-certified,fast,parity,safe,cubic

refuses "no mesh" 1 "--all-scenes" bench ccd
refuses "boxes without a mesh" 1 "no scene with a mesh named 'uniform'" bench ccd --scene uniform
refuses "two meshes" 1 "only one" bench ccd --all-scenes --scene plane
refuses "parity has no earliest impact" 1 "use --modes all" "${ccd[@]}" --narrow parity --modes earliest
refuses "an unknown mode" 1 "there are earliest, all" "${ccd[@]}" --modes last
refuses "unknown calls" 1 "there are stateless, kept" "${ccd[@]}" --calls cached
refuses "an unknown narrow phase" 1 "no 'none'; there are exact" "${ccd[@]}" --narrow none
refuses "a limit that is none" 1 "--memory-limits has 'much'; use none, or" "${ccd[@]}" --memory-limits much
for bad in 0 2 1/0 1/ -1 half; do
    refuses "a fraction of $bad" 1 "--fractions has '$bad'; use numbers above 0" "${ccd[@]}" --fractions 1,$bad
done
refuses "a part with nothing in it" 2 "has no faces" "${ccd[@]}" --fractions 1e-9
refuses "too many repeats" 1 "from 1 to 1000" "${ccd[@]}" --repeat 1001
refuses "a label for what has a name" 1 "--label" bench narrow --random 10 --label a
refuses "no folder for the rows" 2 "none/rows.csv" "${ccd[@]}" --csv none/rows.csv

# ---------------------------------------------------------------------------------------------
# One step after the other

track_columns=scene,vertices,edges,faces,cut,steps,motion,method,volume,orphans,threads,first_seconds,mean_seconds
track_columns+=,median_seconds,worst_seconds,seconds_refit,seconds_front,seconds_solve,bv_tests,elementary_tests,adjacent
track_columns+=,front,sprouted,phantom,rebuilt,reordered,kept_bytes,hits_vf,hits_ee,repeats,hash,simd,$made
track=(bench track --scenes cloth-ball --sizes 800,1200 --frames 4 --cuts 1,100 --cut-steps 4)
fits "track, two sizes" "${track[@]}" --threads 1,2,3 --csv track.csv --picture track.svg
for words in "figure 7" "figure 9" "figures 4 and 13" "figure 12" "table 2" "motion, edges"; do
    check "it has $words" grep -q "$words" stdout
done
columns "track" track.csv "$track_columns"
# Seven methods by three numbers of threads, serial, and a front without orphan sets; of each cut every method once.
same "track: rows" "$(wc -l <track.csv)" $((1 + 2 * (7 * 3 + 2 + 2 * 8)))
one "track: the same impacts by every method" track.csv 'v("scene") " " v("cut")' 'v("hash") " " v("hits_vf") " " v("hits_ee")'
some "track: impacts" track.csv 'v("hits_vf") + v("hits_ee") > 0'
every "track: times" track.csv 'v("mean_seconds") > 0 && v("median_seconds") <= v("worst_seconds") &&
    v("mean_seconds") <= v("worst_seconds") * 1.000001 && v("first_seconds") > 0'
every "track: parts move less" track.csv 'v("cut") != 100 || (v("motion") < 0.02 && v("steps") == 4)'
every "track: what a published method counts" track.csv 'v("method") !~ /^(front|phc|serial|rebuild)$/ ||
    (v("bv_tests") > 0 && v("front") > 0 && v("volume") == "dop18")'
one "track: the counts do not depend on threads" track.csv 'v("scene") " " v("cut") " " v("method") " " v("orphans")' \
    'v("elementary_tests") " " v("front") " " v("adjacent")'
check "track: curves" grep -q "motion of a step, edges" track.svg
check "track: speedups" grep -q ">threads<" track.svg
same "track: panels" "$(grep -c "class='head'" track.svg)" 4
fits "track, some methods" bench track --scenes n-body --sizes 500 --frames 3 --methods stateless,budgets --cuts none
check "no other" [ "$(grep -cE '^(front|phc|auto) ' stdout)" -eq 0 ]
fits "track, both volumes" bench track --scenes n-body --sizes 500 --frames 3 --methods front,serial --volumes box,dop18 --cuts none
check "boxes have a row" grep -qE "^serial box" stdout
"$toi" scene cloth-ball --size 500 --begin 0.8 --frames 3 --out moving >/dev/null
succeeds "track, files" bench track moving/*.ply --cuts 10 --cut-steps 3 --csv moved.csv
every "track: files are named by their folder" moved.csv 'v("scene") == "moving" && (v("cut") == 10 ? v("steps") == 3 : v("steps") == 2)'
refuses "a cut that is none" 1 "--cuts has '0'" bench track --cuts 0
refuses "a size that is none" 1 "--sizes has '4k'" bench track --sizes 4k
refuses "one frame is no step" 1 "two files" bench track moving/frame_0000.ply
refuses "no such method to track by" 1 "did you mean front?" bench track --methods fornt
refuses "a label without files" 1 "--label" bench track --label a

# ---------------------------------------------------------------------------------------------
# Rows of older versions

cat >old.csv <<'ROWS'
scene,method,simd,threads,seconds,pairs,peak_bytes,hash,boxes
old,auto,avx2,1,0.5,10,1000,00000000000000aa,30
old,stq,avx2,1,0.7,10,1000,00000000000000aa,30
ROWS
succeeds "rows without the new columns are read" bench broad --add old.csv --csv new.csv
columns "and written with them" new.csv "$broad_columns"
every "what is not known is empty" new.csv 'v("hits") == "" && v("median_seconds") == "" && v("machine") == ""'
awk -F, -v OFS=, '{ print $9, $1, $8, $2, $7, $3, $6, $4, $5, NR == 1 ? "extra" : "x" }' old.csv >moved.csv
succeeds "columns in another order" bench broad --add moved.csv --csv moved-new.csv
check "are the same rows" cmp -s new.csv moved-new.csv
cut -d, -f1-8 old.csv >fewer.csv
refuses "a column that must be there" 2 "no column 'boxes'" bench broad --add fewer.csv

finish

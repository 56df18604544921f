#!/usr/bin/env bash
# Intersections on the command line: toi intersect, toi kfree, toi check, and the warning of toi ccd.
# Usage: test_overlap_cli.sh PATH_TO_TOI
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 PATH_TO_TOI" >&2; exit 1; }
data=$(realpath -m "${TOI_DATA:-$(dirname "$0")/../../shared/data}")
. "$(dirname "$0")/outside.sh"

# Every line of a file, and at least one, looks like that.
lines_match() { [ -s "$1" ] && ! grep -qvE "$2" "$1"; }

row() { awk -v name="$1" '$1 == name { print $2 }' stdout; } # a value of the summary
hash_of() { run "$@"; row hash; }

# value NAME EXPRESSION ARGUMENT...: the expression about the object `o` is true, whatever the exit code.
value() {
    local name=$1 expression=$2; shift 2
    run "$@" --json
    if [ -z "$python" ]; then skip "$name: needs python3"; return; fi
    if "$python" -c "import json; o = json.load(open('stdout')); exit(not ($expression))" 2>>stderr
    then pass "$name"; else fail "$name" "$expression: $(tr -d '\n' <stdout)"; fi
}

# keys NAME EXPECTED ARGUMENT...: the keys of the JSON object, in alphabetical order.
keys() {
    local name=$1 expected=$2; shift 2
    run "$@" --json
    if [ -z "$python" ]; then skip "$name: needs python3"; return; fi
    same "$name" "$("$python" -c "import json; print(*sorted(json.load(open('stdout'))))" 2>>stderr || true)" "$expected"
}

# exits NAME CODE WORDS ARGUMENT...: that exit code, and those words on stdout.
exits() {
    local name=$1 expected=$2 words=$3; shift 3
    run "$@"
    if [ $code -ne "$expected" ]; then fail "$name" "exit code $code, not $expected"
    elif ! grep -qF -- "$words" stdout; then fail "$name" "no '$words' in the answer"
    else pass "$name"; fi
}

write_ply() { # FILE "VERTICES" "FACES": a line each
    local vertices faces
    vertices=$(wc -l <<<"$2") faces=$(wc -l <<<"$3")
    printf '%s\n' ply "format ascii 1.0" "element vertex $vertices" "property double x" "property double y" \
        "property double z" "element face $faces" "property list uchar int vertex_indices" end_header "$2" "$3" >"$1"
}

tetrahedron=$'0 0 0\n4 0 0\n0 4 0\n0 0 4' faces=$'3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3'
moved=$'1 1 1\n5 1 1\n1 5 1\n1 1 5' more=$'3 4 6 5\n3 4 5 7\n3 4 7 6\n3 5 6 7'
far=$'9 1 1\n13 1 1\n9 5 1\n9 1 5'
write_ply one.ply "$tetrahedron" "$faces"
write_ply other.ply "$moved" "$faces"
write_ply far.ply "$far" "$faces"
write_ply crossing.ply "$tetrahedron"$'\n'"$moved" "$faces"$'\n'"$more"
write_ply apart.ply "$tetrahedron"$'\n'"$far" "$faces"$'\n'"$more"
beyond=$'-9 1 1\n-5 1 1\n-9 5 1\n-9 1 5'
write_ply beyond.ply "$tetrahedron"$'\n'"$beyond" "$faces"$'\n'"$more"
write_ply sheet.ply $'0 0 0\n1 0 0\n0 1 0\n1 1 0' $'3 0 1 2\n3 1 3 2'
write_ply flipped.ply $'0 0 0\n1 0 0\n0 1 0\n1 1 0' $'3 0 1 2\n3 1 2 3'
write_ply folded.ply $'0 0 0\n4 0 0\n0 4 0\n1 1 0' $'3 0 1 2\n3 2 1 3'
write_ply book.ply $'0 0 0\n1 0 0\n0 1 0\n0 -1 0\n0 0 1' $'3 0 1 2\n3 1 0 3\n3 0 1 4'
write_ply bow.ply $'0 0 0\n1 0 0\n0 1 0\n-1 0 0\n0 -1 0' $'3 0 1 2\n3 0 3 4'
write_ply flat.ply $'0 0 0\n1 0 0\n0 1 0\n2 0 0\n5 5 5' $'3 0 1 2\n3 0 1 3'
write_ply twins.ply $'0 0 0\n1 0 0\n0 1 0\n9 9 9\n1 0 0\n2 0 1\n2 1 0' $'3 0 1 2\n3 4 5 6'
write_ply copies.ply $'0 0 0\n1 0 0\n0 1 0' $'3 0 1 2\n3 1 2 0'
write_ply empty.ply $'0 0 0' "" && sed -i '/^$/d; s/^element face 1/element face 0/' empty.ply

# --- Help and bad usage -------------------------------------------------------------------------
for command in intersect kfree check; do
    succeeds "toi $command --help" $command --help
    check "it fits a terminal" [ "$(awk 'length > 80' stdout | wc -l)" -eq 0 ]
    check "it has an example" grep -qE "^  toi $command" stdout
    refuses "$command: no mesh" 1 "MESH" $command
    refuses "$command: no such mesh" 2 "none.ply" $command none.ply
    refuses "$command: a scene's options alone" 1 "--scene" $command one.ply --size 100
    refuses "$command: a file beside a scene" 1 "not 'one.ply'" $command one.ply --scene cloth-ball
    refuses "$command: a picture of another kind" 1 ".svg" $command one.ply --picture a.jpg
    refuses "$command: no folder for it" 2 "none/a.png" $command one.ply --picture none/a.png
    printf 'ply\nnot one\n' >broken.ply
    refuses "$command: a broken file" 2 "broken.ply" $command broken.ply
done
refuses "three meshes" 1 "one.ply" intersect one.ply one.ply one.ply
refuses "an unknown method" 1 "auto, kdet, brute" intersect one.ply --method fast
refuses "a hash for another method" 1 "auto does not honour it" intersect one.ply --hash morton
refuses "an unknown class" 1 "did you mean crossing?" intersect one.ply --classes crosing
refuses "a limit of zero" 1 "at least 1" intersect one.ply --limit 0
refuses "a count has no list" 1 "--count" intersect one.ply --count --out a.csv
refuses "a frame that is not there" 1 "the last of 3 frames is 2" intersect --scene cloth-ball --size 100 --frames 3 --frame 3
refuses "a memory limit too small" 3 "limit" intersect --scene cloth-ball --size 5000 --begin 0.95 --memory-limit 1K
refuses "counts of several" 1 "one mesh" kfree one.ply other.ply --out a.csv
refuses "frames that differ" 2 "sheet.ply" check one.ply sheet.ply

# --- Intersect ----------------------------------------------------------------------------------
keys "keys" "candidates classes complete device exact faces first hash method pairs peak_bytes seconds stars threads vertices" \
    intersect crossing.ply
value "what they say" "o['faces'] == 8 and o['pairs'] == 3 and o['complete'] and o['classes']['crossing'] == 3 and \
    sorted(o['seconds']) == ['prepare', 'search', 'total'] and len(o['hash']) == 16 and \
    o['first']['a'] == 3 and o['first']['b'] == 4 and o['first']['class'] == 'crossing'" intersect crossing.ply
value "apart" "o['pairs'] == 0 and o['first'] is None" intersect apart.ply
value "a mesh without faces" "o['pairs'] == 0 and o['faces'] == 0" intersect empty.ply
value "neighbours in one plane are none" "o['pairs'] == 0" intersect sheet.ply
value "unless they overlap" "o['classes']['edge'] == 1 and o['pairs'] == 1" intersect folded.ply
value "the same three vertices" "o['classes']['same'] == 1" intersect copies.ply
value "vertices in one place touch" "o['classes']['point'] == 1" intersect twins.ply
run intersect crossing.ply --out pairs.csv
same "the list has titles" "$(head -n 1 pairs.csv)" "a,b,class"
tail -n +2 pairs.csv >rows.csv
check "and pairs" lines_match rows.csv '^[0-9]+,[0-9]+,crossing$'
same "as many as it says" "$(tail -n +2 pairs.csv | wc -l)" "$(row pairs | tr -d :)"
check "sorted" cmp -s <(tail -n +2 pairs.csv) <(tail -n +2 pairs.csv | sort -t, -k1,1n -k2,2n)
for method in kdet brute; do
    run intersect crossing.ply --out $method.csv --method $method
    check "the same by $method" cmp -s pairs.csv $method.csv
done
run intersect one.ply other.ply --out two.csv
same "two meshes: the second's own numbers" "$(cat two.csv)" "$(awk -F, 'NR > 1 { $2 -= 4 } { print }' OFS=, pairs.csv)"
value "and what they are" "o['faces'] == 8 and o['pairs'] == 3 and [m['faces'] for m in o['meshes']] == [4, 4]" \
    intersect one.ply other.ply
value "only pairs between them" "o['pairs'] == 0" intersect copies.ply far.ply
value "a limit" "o['pairs'] == 2 and not o['complete']" intersect crossing.ply --limit 2 --out limit.csv
check "the first ones" cmp -s limit.csv <(head -n 3 pairs.csv)
value "a count" "o['pairs'] == 3 and 'hash' not in o and 'first' not in o" intersect crossing.ply --count
value "classes" "o['pairs'] == 0" intersect crossing.ply --classes coplanar,point
run intersect crossing.ply --figures figures.csv --flags flags.csv
same "figures have titles" "$(head -n 1 figures.csv)" "a,b,class,corner,x,y,z"
same "two ends each" "$(tail -n +2 figures.csv | wc -l)" 6
# Face 3 lies in x + y + z = 4, face 4 in z = 1: they have (1, 2, 1) to (2, 1, 1) in common.
same "where they are" "$(grep '^3,4,' figures.csv | cut -d, -f5-7 | sort)" $'1,2,1\n2,1,1'
same "flags have titles" "$(head -n 1 flags.csv)" "mesh,face,intersects"
same "and a line for each face" "$(tail -n +2 flags.csv | wc -l)" 8
check "the faces of the list" cmp -s <(tail -n +2 pairs.csv | cut -d, -f1-2 | tr , '\n' | sort -nu) \
    <(awk -F, '$3 == 1 { print $2 }' flags.csv)
run intersect one.ply other.ply --flags flags.csv
same "of both meshes" "$(tail -n +2 flags.csv | cut -d, -f1 | sort | uniq -c | xargs)" "4 1 4 2"

scene=(--scene cloth-ball --size 3000 --begin 0.95)
hash=$(hash_of intersect "${scene[@]}")
check "a scene has pairs" [ "$(row pairs)" != none ]
for options in "--threads 1" "--threads 3" "--repeat 3" "--repeat 3 --stateless" "--method kdet" \
    "--method kdet --hash djb2" "--method kdet --hash morton" "--method brute" \
    "--simd baseline" "--frame 1"; do
    # shellcheck disable=SC2086
    same "the same hash: $options" "$(hash_of intersect "${scene[@]}" $options)" "$hash"
done
run scene cloth-ball --size 3000 --begin 0.95 --out frames
same "the last frame of a scene" "$(hash_of intersect frames/frame_0001.ply)" "$hash"
same "and the first" "$(hash_of intersect frames/frame_0000.ply)" "$(hash_of intersect "${scene[@]}" --frame 0)"
check "which is another" [ "$(row hash)" != "$hash" ]
for file in a.svg a.png; do
    succeeds "a picture: $file" intersect crossing.ply --picture $file
done
check "an SVG" grep -q "intersecting" a.svg
check "that names what it shows" grep -q "what they have in common" a.svg
same "a PNG" "$(head -c 4 a.png | tail -c 3)" PNG
succeeds "a large one" intersect "${scene[@]}" --size 60000 --picture large.svg
check "that stays small" [ "$(wc -c <large.svg)" -lt 4000000 ]

# --- K-free -------------------------------------------------------------------------------------
keys "keys" "bound deviation faces greatest_size height k k_near least_size levels mean mesh neighbours pairs peak_bytes $(
    )proven_bound quadratic_possible seconds self_bound vertices worst" kfree crossing.ply
value "what they say" "o['faces'] == 8 and o['pairs'] == 3 and o['pairs'] <= o['bound'] <= o['proven_bound'] and o['height'] >= 0 and \
    o['neighbours'] <= o['mean'] <= o['k'] - 1 and o['k'] <= o['k_near'] and len(o['worst']) == 5 and \
    o['worst'][0]['count'] == o['k'] - 1 and o['pairs'] <= o['self_bound']" kfree crossing.ply
run kfree crossing.ply --out counts.csv
same "counts have titles" "$(head -n 1 counts.csv)" "face,count"
same "and a line for each face" "$(wc -l <counts.csv)" 9
same "the greatest is k - 1" "$(tail -n +2 counts.csv | cut -d, -f2 | sort -n | tail -n 1)" "$(($(row k | tr -d :) - 1))"
check "a histogram" grep -qE '^ +[0-9]+( to [0-9]+)? +[0-9,]+ +#+$' stdout
check "the worst faces" grep -q "^worst faces" stdout
check "no warning of a small mesh" [ "$(grep -c quadratic stdout)" -eq 0 ]
run kfree one.ply sheet.ply crossing.ply
check "a table" grep -qE '^crossing.ply +8 ' stdout
run kfree frames/frame_0000.ply frames/frame_0001.ply
check "named by their paths" grep -qE '^frames/frame_0001.ply +[0-9],[0-9]{3} ' stdout
check "with means" grep -q '^mean of all' stdout
check "and medians" grep -q "^median of all" stdout
value "an object for all" "[m['faces'] for m in o['meshes']] == [4, 2, 8]" kfree one.ply sheet.ply crossing.ply
value "a scene" "o['k'] > 1" kfree "${scene[@]}"
value "the same with one thread" "o['k'] > 1" kfree "${scene[@]}" --threads 1
succeeds "a mesh without faces" kfree empty.ply
for file in k.svg k.png; do
    succeeds "a picture: $file" kfree crossing.ply --picture $file
done
succeeds "a picture without faces" kfree empty.ply --picture k.png
# Many long faces through one place: k is nearly n.
"${python:-false}" - >fan.obj <<'PYTHON' || true
import math
n = 400
for i in range(n):
    a = math.pi * i / n
    c, s = math.cos(a), math.sin(a)
    print("v %r %r -0.01\nv %r %r -0.01\nv %r %r 0.01" % (c, s, -c, -s, -c, -s))
for i in range(n):
    print("f %d %d %d" % (3 * i + 1, 3 * i + 2, 3 * i + 3))
PYTHON
if [ -s fan.obj ]; then
    run kfree fan.obj
    check "a quadratic number is possible" grep -q "a quadratic number of intersections is possible" stdout
    value "which programs see" "o['quadratic_possible'] and o['k'] > 64" kfree fan.obj
    run kfree one.ply fan.obj
    check "in a table, too" grep -q "^fan.obj: k is .* quadratic" stdout
fi

# --- Check --------------------------------------------------------------------------------------
surface="border_edges clean closed crowded_edges crowded_vertices degenerate_faces duplicate_faces duplicate_vertices edges"
keys "keys" "$surface errors faces findings flipped_edges intersecting_parts manifold mesh oriented part_list parts seconds $(
    )self_intersections unused_vertices vertices" check one.ply
exits "a clean mesh" 0 "clean       yes" check one.ply
value "closed, manifold, oriented" "o['clean'] and o['closed'] and o['manifold'] and o['oriented'] and o['edges'] == 6 \
    and o['findings'] == [] and o['parts'] == 1" check one.ply
exits "two that cross" 2 "3 pairs of faces intersect: 3 crossing" check crossing.ply
check "named by their parts" grep -q "part 0 and part 1, 3 pairs, the first: face 3 and face 4, crossing" stdout
value "as an object" "not o['clean'] and o['self_intersections'] == 3 and o['parts'] == 2 and o['manifold'] and \
    o['findings'][0]['name'] == 'self_intersections' and o['findings'][0]['places'][0]['ids'] == [3, 4] and \
    o['intersecting_parts'] == [{'parts': [0, 1], 'count': 3}] and \
    o['part_list'] == [{'faces': 4, 'first_vertex': 0}, {'faces': 4, 'first_vertex': 4}]" check crossing.ply
exits "an open sheet" 0 "note        4 edges have one face only" check sheet.ply
exits "is not closed" 2 "error       4 edges have one face only" check sheet.ply --closed
exits "flipped neighbours" 0 "oriented    no" check flipped.ply
check "are named" grep -q "the edge from vertex 1 to vertex 2" stdout
exits "three faces at an edge" 2 "1 edge has three or more faces" check book.ply
check "which" grep -q "the edge from vertex 0 to vertex 1" stdout
exits "a vertex with two fans" 2 "1 vertex joins several fans" check bow.ply
value "is not manifold" "not o['manifold'] and o['crowded_vertices'] == 1" check bow.ply
exits "a face without area" 2 "1 face has no area" check flat.ply
value "which" "o['degenerate_faces'] == 1 and o['unused_vertices'] == 1 and \
    [f['places'][0]['ids'] for f in o['findings'] if f['name'] == 'degenerate_faces'] == [[1]]" check flat.ply
exits "vertices in one place" 2 "1 vertex is in the same place as an earlier one" check twins.ply
value "which" "o['duplicate_vertices'] == 1 and o['self_intersections'] == 1 and \
    [f['places'][0]['ids'] for f in o['findings'] if f['name'] == 'duplicate_vertices'] == [[4]]" check twins.ply
exits "a face twice" 2 "1 face has the same vertices as an earlier one" check copies.ply
check "every finding says what to do" grep -q "delete the copies" stdout
exits "a step" 0 "step        free" check apart.ply apart.ply
value "through each other" "o['impacts'] > 0 and o['impact_parts'][0]['parts'] == [0, 1] and \
    0 < o['impact_parts'][0]['earliest'] < 1 and o['self_intersections'] == 0 == o['end_self_intersections'] and \
    not o['clean'] and o['findings'][-1]['name'] == 'impacts'" check apart.ply beyond.ply
same "is not clean" "$code" 2
exits "in words" 2 "part 0 and part 1, " check apart.ply beyond.ply
exits "an end that is broken" 2 "3 pairs of faces intersect at the end" check apart.ply crossing.ply
exits "a start that is" 2 "3 pairs of faces intersect at the start" check crossing.ply apart.ply
exits "a scene" 0 "clean       yes" check --scene cloth-ball --size 500
exits "later" 2 "part 0 and part 1" check "${scene[@]}"
for file in c.svg c.png; do
    exits "a picture: $file" 2 "picture     $file" check crossing.ply --picture $file
done
exits "an open one" 0 "picture" check sheet.ply --picture sheet.svg
check "its border is drawn" grep -q ">border<" sheet.svg

# --- Ccd ----------------------------------------------------------------------------------------
run ccd crossing.ply apart.ply --check-start
check "a start in intersection is no failure" [ $code -eq 0 ]
check "but a warning" grep -q "^toi ccd: the step starts in intersection: 3 pairs of faces, the first is 3,4 (crossing)" stderr
value "and a key" "o['start_intersections'] == {'pairs': 3, 'first': {'a': 3, 'b': 4, 'class': 'crossing'}}" \
    ccd crossing.ply apart.ply --check-start
succeeds "no warning without reason" ccd apart.ply crossing.ply --check-start
value "nor pairs" "o['start_intersections'] == {'pairs': 0, 'first': None}" ccd apart.ply crossing.ply --check-start
value "only when asked for" "'start_intersections' not in o" ccd crossing.ply apart.ply

# --- Real meshes --------------------------------------------------------------------------------
if [ -d "$data/meshes" ]; then
    value "two cubes that intersect" "o['pairs'] == 96 and o['classes']['crossing'] == 96" \
        intersect "$data/meshes/two-cubes-intersecting.ply"
    for name in two-cubes-close two-cubes-far bunny; do
        value "$name has no intersection" "o['pairs'] == 0" intersect "$data/meshes/$name.ply"
    done
    value "nut and bolt touch" "o['pairs'] > 0 and o['classes']['coplanar'] > 0" \
        intersect "$data/meshes/nut_m16.obj" "$data/meshes/bolt_m16.obj"
    hash=$(hash_of intersect "$data/meshes/bolt_m16.obj" --threads 1)
    same "the bolt, by kdet" "$(hash_of intersect "$data/meshes/bolt_m16.obj" --method kdet)" "$hash"
    exits "the bunny is clean" 0 "clean       yes" check "$data/meshes/bunny.ply"
    exits "the cubes are not" 2 "96 pairs of faces intersect" check "$data/meshes/two-cubes-intersecting.ply"
    value "the bunny's k" "o['faces'] == 5002 and 10 < o['k'] < 40 and 5 < o['neighbours'] < 8" \
        kfree "$data/meshes/bunny.ply"
else
    skip "real meshes: $data is not there"
fi

finish

#!/usr/bin/env bash
# Distance fields on the command line: how fields are written, values, baking, first contacts, the benchmark and its
# study. Usage: test_sdf_cli.sh PATH_TO_TOI
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 PATH_TO_TOI" >&2; exit 1; }
. "$(dirname "$0")/outside.sh"
subcommand=(sdf)

# keys NAME EXPECTED ARGUMENT...: the keys of the JSON object, in alphabetical order.
keys() {
    local name=$1 expected=$2; shift 2
    run "$@" --json
    if [ $code -ne 0 ]; then fail "$name" "exit code $code"; return; fi
    if [ -z "$python" ]; then skip "$name: needs python3"; return; fi
    same "$name" "$("$python" -c "import json; print(*sorted(json.load(open('stdout'))))" 2>>stderr || true)" "$expected"
}

# value NAME EXPRESSION ARGUMENT...: the expression about the object `o` is true.
value() {
    local name=$1 expression=$2; shift 2
    run "$@" --json
    if [ $code -ne 0 ]; then fail "$name" "exit code $code"; return; fi
    if [ -z "$python" ]; then skip "$name: needs python3"; return; fi
    if "$python" -c "import json; o = json.load(open('stdout')); exit(not ($expression))" 2>>stderr
    then pass "$name"; else fail "$name" "$expression: $(tr -d '\n' <stdout)"; fi
}

# at NAME FIELD POINT VALUE: the field's value there, to 1e-12.
at() {
    echo "$3" >point.csv
    run query "$2" --points point.csv
    if [ $code -eq 0 ] && awk -F, -v value="$4" '{ d = $1 - value; exit !(d < 1e-12 && d > -1e-12) }' stdout
    then pass "$1"; else fail "$1" "$2 at $3 is not $4"; fi
}

write_ply() { # FILE "VERTICES" "FACES": a line each
    local vertices faces
    vertices=$(wc -l <<<"$2") faces=$(wc -l <<<"$3")
    printf '%s\n' ply "format ascii 1.0" "element vertex $vertices" "property double x" "property double y" \
        "property double z" "element face $faces" "property list uchar int vertex_indices" end_header "$2" "$3" >"$1"
}
write_ply triangle.ply $'-1 -1 0\n1 -1 0\n0 1 0' "3 0 1 2"
write_ply lower.ply $'-1 -1 -2\n1 -1 -2\n0 1 -2' "3 0 1 2"
write_ply side.ply $'-1 -1 0\n1 -1 0\n0 -1 0' "3 0 1 2"
write_ply tetrahedron.ply $'0 0 0\n1 0 0\n0 1 0\n0 0 1' $'3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3'
write_ply open.ply $'0 0 0\n1 0 0\n0 1 0\n0 0 1' $'3 0 2 1\n3 0 1 3\n3 0 3 2'
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >tetrahedron.obj
cp tetrahedron.ply "part+1-of-2@home.ply"
printf '0,0,0\n0.25,0.25,0.25\n3,0,0\n' >points.csv

# --- Help ---------------------------------------------------------------------------------------
subcommand=()
for command in sdf "sdf ccd" "sdf query" "sdf bake" "bench sdf"; do
    # shellcheck disable=SC2086
    succeeds "toi $command --help" $command --help
    check "it fits a terminal" [ "$(awk 'length > 80' stdout | wc -l)" -eq 0 ]
    check "it has an example" grep -qE "^  toi $command" stdout
done
refuses "no command" 1 "ccd, query, bake" sdf
refuses "a slip" 1 "did you mean query?" sdf qurey
subcommand=(sdf)

# --- Fields as text -----------------------------------------------------------------------------
at "a sphere" sphere:1 3,0,0 2
at "a box" box:1,2,3 3,0,0 2
at "a rounded box" rounded-box:1,1,1,0.5 3,0,0 2
at "a torus" torus:2,0.5 0,0,0 1.5
at "a capsule" capsule:1,2 0,0,5 2
at "a cylinder" cylinder:1,2 0,0,5 3
at "a cone" cone:1,2 0,0,5 3
at "a plane" plane:0,0,2,1 0,0,5 4
at "moved" sphere:1@1,2,3 1,2,5 1
at "grown" sphere:1+0.5 3,0,0 1.5
at "shrunk" sphere:1-0.5 3,0,0 2.5
at "moved and grown" sphere:1@1,0,0+0.5 3,0,0 0.5
at "grown and moved" sphere:1+0.5@1,0,0 3,0,0 0.5
at "scaled" 'sphere:1*2' 3,0,0 1
at "moved, then scaled" 'sphere:1@1,0,0*2' 4,0,0 0
at "scaled, then moved" 'sphere:1*2@1,0,0' 4,0,0 1
at "turned" 'box:1,2,3~0,0,1.5707963267948966' 3,0,0 1
at "exponents before signs" sphere:1e-1+1e-1 3,0,0 2.8
at "a union" 'sphere:1|box:0.1,0.1,2' 0,0,3 1
at "an intersection" 'sphere:1&plane:1,0,0,0' 1,0,0 1
at "a difference" 'sphere:1\sphere:0.5' 0,0,0 0.5
at "from left to right" 'sphere:2\sphere:1|sphere:0.5' 0,0,0 -0.5
at "parentheses" 'sphere:2\(sphere:1|sphere:0.5)' 0,0,0 1
at "a group is placed" '(sphere:1|sphere:1@2,0,0)@0,0,1+0.5' 2,0,4 1.5
at "spaces" ' sphere:1 | box:0.1,0.1,2 ' 0,0,3 1
at "a mesh" tetrahedron.ply 3,0,0 2
at "another format" tetrahedron.obj 3,0,0 2
at "inside a mesh" tetrahedron.ply 0.1,0.2,0.3 -0.1
at "a mesh, moved" tetrahedron.ply@1,0,0 3,0,0 1
at "meshes and shapes" 'tetrahedron.ply|sphere:1@5,0,0' 3,0,0 1
at "signs in a file's name" part+1-of-2@home.ply@1,0,0 3,0,0 1

wrong() { refuses "$1" 1 "$3" query "$2" --points points.csv; } # NAME FIELD WORDS
wrong "no such shape" shere:1 "character 1: there is no shape 'shere'; did you mean sphere?"
wrong "a number too few" 'box:1,2' "character 8: box takes 3 numbers, hx,hy,hz; here are 2"
wrong "a number too many" 'sphere:1,2' "character 8: sphere takes 1 number, r; here are more"
wrong "no number" 'torus:1,x' "character 9: a number is missing"
wrong "no finite number" 'sphere:1e999' "character 8: this number is not finite"
wrong "infinity" 'sphere:inf' "character 8: a number is missing"
wrong "a radius of zero" 'box:1,1,1|sphere:0' "character 11: "
wrong "half a place" 'sphere:1@1,2' "character 13: @ takes 3 numbers, x,y,z; here are 2"
wrong "nothing behind a sign" 'sphere:1+' "character 9: a number is missing"
wrong "a scale of zero" 'sphere:1*0' "scale"
wrong "nothing behind |" 'sphere:1|' "character 10: a shape or a file is missing here"
wrong "nothing before &" '&sphere:1' "character 1: a shape or a file is missing here"
wrong "an open parenthesis" 'box:1,1,1|(sphere:1' "character 11: this parenthesis is never closed"
wrong "a closed one" 'sphere:1)' "character 9: no parenthesis is open"
wrong "two parts, no sign" 'sphere:1 sphere:2' "character 10: 'sphere:2' is neither a placement"
wrong "an unknown ending" mesh.txt "'mesh.txt' is neither SHAPE:NUMBERS nor a file"
wrong "an empty field" ' ' "character 2: a shape or a file is missing here"
wrong "too deep" "$(printf '(%.0s' {1..40})sphere:1" "within each other"
refuses "a mesh that is not there" 2 "none.ply: cannot open" query none.ply --points points.csv
refuses "a baked field that is not there" 2 "none.sdf" query none.sdf --points points.csv
printf 'not a field, but long enough to be read as one: %0200d\n' 0 >fake.sdf
refuses "a file that is no field" 2 "fake.sdf" query fake.sdf --points points.csv
run query open.ply --points points.csv
check "an open mesh is told" grep -q "note: open.ply is open: 3 sides" stderr
check "and used" [ $code -eq 0 ]

# --- Query --------------------------------------------------------------------------------------
refuses "no field" 1 "FIELD" query
refuses "no points" 1 "--points" query sphere:1
refuses "no such points" 2 "none.csv: cannot open" query sphere:1 --points none.csv
printf '0,0,0\n1,2\n' >short.csv
refuses "a short line" 2 "short.csv:2: '1,2' is not x,y,z" query sphere:1 --points short.csv
printf '0,0,nan\n' >nan.csv
refuses "not a number" 2 "nan.csv:1:" query sphere:1 --points nan.csv
refuses "a wrong ending" 1 "csv" query sphere:1 --points points.csv --out values.svg
keys "keys of a query" "error hash inside kind least lipschitz points seconds threads" \
    query sphere:1 --points points.csv
value "what they say" "o['kind'] == 'sphere' and o['points'] == 3 and o['inside'] == 2 and o['lipschitz'] == 1.0 \
    and o['least'] == {'point': 0, 'value': -1.0}" query sphere:1 --points points.csv
run query sphere:1 --points points.csv --out values.csv
check "a summary when a file is written" grep -q "^points  3, 2 of them inside" stdout
run query sphere:1 --points points.csv
check "the same lines without" cmp -s stdout values.csv
same "value and gradient" "$(tail -n 1 values.csv)" "2,1,0,0"
{ echo x,y,z; cat points.csv; } >titled.csv
run query sphere:1 --points titled.csv
same "names are answered by names" "$(head -n 1 stdout)" "value,gx,gy,gz"
check "and nothing else changes" cmp -s <(tail -n +2 stdout) values.csv
for threads in 1 2 3; do
    run query 'gyroid:1,0.1' --points points.csv --threads $threads
    cp stdout "gyroid-$threads"
done
same "values for all" "$(wc -l <gyroid-1)" 3
check "the same for any number of threads" cmp -s gyroid-1 gyroid-2
check "and more" cmp -s gyroid-1 gyroid-3

# --- Bake ---------------------------------------------------------------------------------------
refuses "no mesh to bake" 1 "MESH" bake --out x.sdf
refuses "no file to write" 1 "--out" bake tetrahedron.ply
refuses "a file of another kind" 1 ".sdf" bake tetrahedron.ply --out x.csv
refuses "too few cells" 1 "2 to 2048" bake tetrahedron.ply --out x.sdf --resolution 1
refuses "an unknown interpolation" 1 "trilinear, cubic" bake tetrahedron.ply --out x.sdf --interpolation linear
refuses "no folder" 2 "none/x.sdf" bake tetrahedron.ply --out none/x.sdf
refuses "no such mesh" 2 "none.ply" bake none.ply --out x.sdf
keys "keys of a bake" \
    "bytes cell_size cells error faces hash interpolation lipschitz mesh resolution seconds threads vertices" \
    bake tetrahedron.ply --resolution 16 --out t.sdf
value "what they say" "o['cells'] >= 16 and 0 < o['error'] < o['cell_size'] and o['lipschitz'] >= 1 and \
    o['mesh']['open_edges'] == 0 and o['bytes'] > 0" bake tetrahedron.ply --resolution 16 --out t.sdf
value "an open mesh is told" "o['mesh']['open_edges'] == 3" bake open.ply --resolution 8 --out o.sdf
run bake tetrahedron.ply --resolution 16 --out again.sdf --threads 1
check "the same bytes again, with one thread" cmp -s t.sdf again.sdf
check "a summary" grep -q "^error   at most" stdout
run bake tetrahedron.ply --resolution 16 --out cubic.sdf --interpolation cubic
check "cubic cells" [ $code -eq 0 ]
value "a baked field is read" "o['kind'] == 'grid' and o['error'] > 0 and o['inside'] >= 1" \
    query t.sdf --points points.csv
printf '0,0,0\n0.25,0.25,0.25\n0.5,0.1,0.1\n1.05,0,0\n' >near.csv
run query t.sdf --points near.csv; cp stdout baked
run query tetrahedron.ply --points near.csv
# shellcheck disable=SC2016 # the dollars are those of awk
check "its values are the mesh's, within the error" \
    awk -F, 'FNR == NR { a[NR] = $1; next } { d = a[FNR] - $1; wrong += d > 0.06 || d < -0.06 }
    END { exit wrong || FNR != 4 || NR != 8 }' baked stdout
head -c 100 t.sdf >cut.sdf
refuses "a truncated field" 2 "cut.sdf" query cut.sdf --points points.csv

# --- Ccd ----------------------------------------------------------------------------------------
fall=(ccd triangle.ply --field "sphere:1@0,0,-2" --velocity "0,0,-1")
refuses "no mesh" 1 "MESH" ccd --field sphere:1
refuses "no field" 1 "--field" ccd triangle.ply
refuses "a bad vector" 1 "--velocity is '1,2'; use three numbers, x,y,z" ccd triangle.ply --field sphere:1 --velocity 1,2
refuses "another" 1 "--spin" ccd triangle.ply --field sphere:1 --spin 1,2,x
refuses "two motions" 1 "either --end or --velocity" ccd triangle.ply --field sphere:1 --end lower.ply --spin 1,2,3
refuses "an unknown solver" 1 "certified, fwgss, fw, discrete" ccd triangle.ply --field sphere:1 --solver fast
refuses "a duration below zero" 1 "at least 0" ccd triangle.ply --field sphere:1 --duration -1
refuses "a tolerance of zero" 1 "above 0" ccd triangle.ply --field sphere:1 --tolerance 0
refuses "no such end" 2 "none.ply" ccd triangle.ply --field sphere:1 --end none.ply
refuses "other faces at the end" 2 "" ccd triangle.ply --field sphere:1 --end tetrahedron.ply
refuses "a wrong field" 1 "character 8" ccd triangle.ply --field sphere:x
all="distance duration error evaluations faces field hash kind margin nodes normal point seconds seconds_prepare solver"
all+=" state t_high t_high_hex t_low t_low_hex threads tolerance touch travel triangle u v vertices"
keys "keys of a contact" "$all" "${fall[@]}" --duration 2
keys "and without one" "$all" "${fall[@]}" --duration 0.5
value "a hit" "o['state'] == 'hit' and o['t_low'] <= 1 <= o['t_high'] + 1e-12 and o['t_high'] - o['t_low'] <= 1e-9 and \
    o['triangle'] == 0 and abs(o['point'][2] + 1) < 1e-6 and abs(o['normal'][2] - 1) < 1e-6 and \
    float.fromhex(o['t_low_hex']) == o['t_low'] and float.fromhex(o['t_high_hex']) == o['t_high'] and \
    abs(o['travel'] - o['t_low']) < 1e-12 and o['evaluations'] > 0 and o['seconds'] > 0" "${fall[@]}" --duration 2
value "a miss" "o['state'] == 'free' and o['t_low'] == 0.5 and o['t_high'] is None and o['triangle'] is None and \
    o['point'] is None" "${fall[@]}" --duration 0.5
value "a tolerance" "o['t_high'] - o['t_low'] <= 1e-12" "${fall[@]}" --duration 2 --tolerance 1e-12
value "a margin" "o['t_low'] <= 0.5 <= o['t_high'] + 1e-9" "${fall[@]}" --duration 2 --margin 0.5
value "a budget" "o['t_low'] <= 1 and o['nodes'] <= 16 and (o['state'] == 'undecided' or \
    o['state'] == 'hit' and o['t_high'] - o['t_low'] > 1e-9)" "${fall[@]}" --duration 2 --budget 1
run "${fall[@]}" --duration 2 --budget 1
check "that was used up" grep -q "used up" stdout
value "straight lines" "o['state'] == 'hit' and o['t_low'] <= 0.5 <= o['t_high'] + 1e-12" \
    ccd triangle.ply --end lower.ply --field sphere:1@0,0,-2
value "their duration" "o['state'] == 'hit' and o['t_low'] <= 2 <= o['t_high'] + 1e-12" \
    ccd triangle.ply --end lower.ply --field sphere:1@0,0,-2 --duration 4
value "the field may move instead" "o['state'] == 'hit' and o['t_low'] <= 1 <= o['t_high'] + 1e-12" \
    ccd triangle.ply --field sphere:1@0,0,-2 --field-velocity 0,0,1 --duration 2
value "both together do not meet" "o['state'] == 'free'" "${fall[@]}" --field-velocity 0,0,-1 --duration 2
# The corner (1, -1) turns about (-1, -1): 2 sin(t / 2) is its height above y = -1, and the solid begins 1 above.
value "a spin about a centre" "o['t_low'] <= 1.0471975511965976 <= o['t_high'] + 1e-12" \
    ccd side.ply --field plane:0,-1,0,0 --spin 0,0,0.5 --centre -1,-1,0 --duration 4
for solver in certified fwgss fw; do
    value "solver $solver" "o['solver'] == '$solver' and o['state'] == 'hit' and abs(o['t_high'] - 1) < 1e-3" \
        "${fall[@]}" --duration 2 --solver $solver
done
for solver in discrete discrete-projected; do
    value "solver $solver looks at the end alone" "o['state'] == 'free'" "${fall[@]}" --duration 9 --solver $solver
done
for threads in 1 2 3; do
    run "${fall[@]}" --duration 2 --spin 1,2,3 --threads $threads --repeat 2
    awk '$1 == "hash" { print $2 }' stdout >"hash-$threads"
done
same "the same hash for any number of threads" "$(cat hash-1)" "$(cat hash-2)"
same "and more" "$(cat hash-1)" "$(cat hash-3)"
run "${fall[@]}" --duration 2
check "a summary tells when" grep -qE "^hit     between (0\.99999|1)[0-9]* and (0\.99999|1)" stdout
check "and how far the mesh may go" grep -qE "^safe    up to (0\.99999|1)[0-9]*; no vertex has moved more than (0\.9999|1)" stdout
run "${fall[@]}" --duration 2 --contacts contacts.csv
same "contacts" "$(head -n 1 contacts.csv)" "triangle,u,v,x,y,z,nx,ny,nz,distance"
check "at least one" [ "$(wc -l <contacts.csv)" -ge 2 ]
run "${fall[@]}" --duration 0.5 --contacts contacts.csv
same "none without a hit" "$(wc -l <contacts.csv)" 1
value "on a mesh" "o['state'] == 'hit' and o['t_low'] <= 1 <= o['t_high'] + 1e-9" \
    ccd triangle.ply --field tetrahedron.ply@-0.1,-0.1,-2 --velocity 0,0,-1 --duration 2
value "on a baked mesh, within its error" "o['state'] == 'hit' and abs(o['t_high'] - 2) <= o['error'] + 1e-2 and \
    o['t_low'] <= 2" ccd triangle.ply --field t.sdf@-0.1,-0.1,2 --velocity 0,0,1 --duration 3 --tolerance 1e-2

# --- Benchmark ----------------------------------------------------------------------------------
subcommand=(bench sdf)
export TOI_DATA=$work/none # no scans: a body stands in
refuses "no such scene" 1 "triangle-torus" --scenes nothing
refuses "no such solver" 1 "did you mean fwgss?" --solvers fwgs
refuses "the study has its own" 1 "--study" --study --scenes hoop
succeeds "a scene" --scenes triangle-torus --count 8 --repeat 1
check "with every solver" grep -qE "^certified 1e-12 " stdout
value "rows as an object" "len(o['rows']) == 14 and all(r['questions'] == 2 and r['seconds'] > 0 for r in o['rows']) \
    and o['rows'][-1]['solver'] == 'certified' and o['rows'][-1]['gap'] <= 1e-12 and \
    o['rows'][7]['tested']['triangles'] > 0" --scenes spikes-1k,triangle-torus --count 2 --repeat 1 --csv rows.csv
same "a row for each" "$(wc -l <rows.csv)" 15
same "columns" "$(head -n 1 rows.csv | cut -d, -f1-9)" \
    scene,field,triangles,questions,solver,tolerance,threads,seconds,median_seconds
cut -d, -f1,5,6,24 rows.csv >hashes-1
run --scenes spikes-1k,triangle-torus --count 2 --repeat 1 --csv rows.csv --threads 2
check "it runs" [ $code -eq 0 ]
check "the same hashes with two threads" cmp -s hashes-1 <(cut -d, -f1,5,6,24 rows.csv)
succeeds "a generated body" --scenes triangle-mesh --count 1 --repeat 1 --solvers certified
check "is named" grep -q "on bumpy ball mesh" stdout
run --study --count 8 --repeat 1
check "the study runs" [ $code -eq 0 ]
check "table 1.1" grep -q "(table 1.1)" stdout
check "table 1.2" grep -q "(table 1.2)" stdout
value "certified is never late and never wrong" "o['disagree'] == 0 and o['differ'] <= 1e-12 and all(r['late'] == 0 and \
    r['missed'] == 0 and r['invented'] == 0 and r['undecided'] == 0 and r['sets_missing'] == [0, 0] and r['sets_wrong'] == [0, 0] \
    and r['gap'] <= r['tolerance'] for r in o['rows'] if r['solver'] == 'certified') and \
    all(r['hits'] > 0 for r in o['rows'])" --study --count 8 --repeat 1 --csv study.csv
same "a row for each solver and body" "$(wc -l <study.csv)" 19
same "as many cells in each as names" "$(awk -F, '{ print NF }' study.csv rows.csv | sort -u | wc -l)" 2

finish

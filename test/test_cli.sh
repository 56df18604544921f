#!/usr/bin/env bash
# The command line program from outside: exit codes, messages, formats, and the same answers by
# different ways. Usage: test_cli.sh PATH_TO_TOI
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 PATH_TO_TOI" >&2; exit 1; }
. "$(dirname "$0")/outside.sh"

# Every line of a file, and at least one, looks like that.
lines_match() { [ -s "$1" ] && ! grep -qvE "$2" "$1"; }

row() { awk -v name="$1" '$1 == name { print $2 }' stdout; } # a value of the summary
hash_of() { run "$@"; row hash; }

# keys NAME EXPECTED ARGUMENT...: the keys of the JSON object, in alphabetical order.
keys() {
    local name=$1 expected=$2; shift 2
    run "$@" --json
    if [ -z "$python" ]; then skip "$name: needs python3"; return; fi
    local found
    found=$("$python" - <<'PYTHON' || true
import json
def keys(value):
    return " ".join(sorted(key + ("{" + keys(inner) + "}" if isinstance(inner, dict) else "")
                           for key, inner in value.items()))
print(keys(json.load(open("stdout"))))
PYTHON
    )
    same "$name" "$found" "$expected"
}

# value NAME EXPRESSION ARGUMENT...: the expression about the object `o` is true.
value() {
    local name=$1 expression=$2; shift 2
    run "$@" --json
    if [ -z "$python" ]; then skip "$name: needs python3"; return; fi
    if "$python" -c "import json; o = json.load(open('stdout')); exit(not ($expression))" 2>>stderr
    then pass "$name"; else fail "$name" "$expression: $(tr -d '\n' <stdout)"; fi
}

# A point above a triangle at height $2, as an ascii PLY.
write_point() {
    cat >"$1" <<PLY
ply
format ascii 1.0
element vertex 4
property double x
property double y
property double z
element face 1
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
0.25 0.25 $2
3 0 1 2
PLY
}

# Two queries, vertex against face: one falls through, one rises. $2 and $3: what the file calls
# them.
write_queries() {
    local face="0,1,0,1,0,1,$2|1,1,0,1,0,1,$2|0,1,1,1,0,1,$2"
    local other="0,1,0,1,0,1,$3|1,1,0,1,0,1,$3|0,1,1,1,0,1,$3"
    {
        echo "1,4,1,4,1,1,$2"; tr '|' '\n' <<<"$face"; echo "1,4,1,4,-1,1,$2"; tr '|' '\n' <<<"$face"
        echo "1,4,1,4,1,1,$3"; tr '|' '\n' <<<"$other"; echo "1,4,1,4,2,1,$3"; tr '|' '\n' <<<"$other"
    } >"$1"
}

write_point start.ply 1
write_point end.ply -1
write_point stay.ply 2
write_queries truth.csv 1 0
write_queries lies.csv 0 1

# --- Help ---------------------------------------------------------------------------------------
succeeds "toi --help" --help
for command in ccd track pairs close intersect kfree check queries sdf truth bench report scene info; do
    check "toi --help names $command" grep -q "^  $command " stdout
done
for command in ccd track pairs close intersect kfree check queries sdf truth bench report scene info; do
    succeeds "toi $command --help" $command --help
    check "toi $command --help has an example" grep -qE "^  toi $command" stdout
    check "toi $command --help fits a terminal" lines_match stdout '^.{0,80}$'
    for option in --threads --json; do
        [ "$command$option" != report--threads ] || continue # it computes nothing
        check "toi $command --help tells $option" grep -qe "$option" stdout
    done
done
succeeds "help beats other mistakes" ccd --tolerance nonsense --help
check "help shows defaults, not what was given" grep -q "default 1e-06" stdout
"$toi" --help >help.txt
for words in "help" "help help" "help --help"; do
    # shellcheck disable=SC2086
    succeeds "toi $words" $words
    check "is toi --help" cmp -s stdout help.txt
done
check "which names it" grep -q "^  help " help.txt
for command in ccd track pairs close intersect kfree check queries sdf truth bench report scene info "bench broad" \
    "bench narrow" "bench ccd" "bench sdf" "sdf ccd" "sdf query" "sdf bake"; do
    # shellcheck disable=SC2086
    "$toi" $command --help >help.txt
    # shellcheck disable=SC2086
    succeeds "toi help $command" help $command
    check "is toi $command --help" cmp -s stdout help.txt
    # shellcheck disable=SC2086
    succeeds "toi $command help" $command help
    check "is the same" cmp -s stdout help.txt
done
refuses "help for what is not there" 1 "no command 'nothing'" help nothing
succeeds "toi --version" --version
check "the version is a number" grep -qE '^toi [0-9]+\.[0-9]+\.[0-9]+$' stdout

# --- Bad usage: 1 -------------------------------------------------------------------------------
refuses "no command" 1 "ccd, track, pairs, close, intersect, kfree, check, queries, sdf, truth, bench, report, scene, info"
refuses "unknown command" 1 "there are ccd, track, pairs, close, intersect, kfree, check, queries, sdf, truth, bench, $(
    )report, scene, info" collide
refuses "unknown option" 1 "--min-separation" ccd start.ply end.ply --separation 1
refuses "a slip in an option" 1 "no option '--narow'; did you mean --narrow?" ccd start.ply end.ply --narow exact
check "and not all of them" lines_match stderr '^.{0,100}$'
refuses "with a value behind it" 1 "did you mean --min-separation?" ccd start.ply end.ply --min-seperation=1
refuses "with one dash" 1 "did you mean --all?" ccd start.ply end.ply -all
refuses "a slip in help" 1 "did you mean --help?" ccd --hlep
refuses "before any command" 1 "no option '--hlep'; did you mean --help?" --hlep
refuses "a slip in a command" 1 "no command 'cdd'; did you mean ccd? There are ccd, track, pairs" cdd
refuses "two letters swapped" 1 "did you mean bench?" ebnch
refuses "a slip in what help is for" 1 "did you mean queries?" help querys
refuses "a slip in a benchmark" 1 "no benchmark 'narow'; did you mean narrow?" bench narow
refuses "a slip in a broad phase" 1 "no 'sqt'; did you mean stq? There are auto" ccd start.ply end.ply --broad sqt
refuses "a slip in a narrow phase" 1 "did you mean inclusion-queue?" ccd start.ply end.ply --narrow inclusion_queue
refuses "a slip in a list" 1 "--methods: there is no 'exat'; did you mean exact?" bench narrow --random 9 --methods fast,exat
refuses "a slip in a scene" 1 "no scene 'cloth-bal'; did you mean cloth-ball?" ccd --scene cloth-bal
refuses "a slip in a scene to write" 1 "did you mean n-body?" scene nbody
refuses "a slip in a set of boxes" 1 "did you mean uniform?" bench broad --scene unifrom
for far in xyz collide q narrowest-of-all-and-longer-than-any-name-that-there-is-in-the-program; do
    refuses "nothing is like $far" 1 "there are" ccd start.ply end.ply --$far
    check "and nothing is proposed" [ "$(grep -c "did you mean" stderr)" -eq 0 ]
done
refuses "unknown short option" 1 "no option '-x'" ccd start.ply end.ply -x
refuses "unknown broad phase" 1 "auto, brute, sweep" ccd start.ply end.ply --broad none
refuses "unknown narrow phase" 1 "inclusion" ccd start.ply end.ply --narrow none
refuses "unknown device" 1 "cpu, cuda" ccd start.ply end.ply --device tpu
refuses "unknown kind" 1 "vf, ee" queries truth.csv --kind fv
refuses "no kind" 1 "--kind" queries truth.csv
refuses "unknown scene" 1 "cloth-ball" ccd --scene none
refuses "unknown scene to write" 1 "cloth-ball" scene none --out frames
refuses "no frame" 1 "FRAME" close
refuses "a radius below zero" 1 "at least 0" close start.ply --radius -1
refuses "unknown order" 1 "canonical, own" pairs start.ply end.ply --order up
refuses "one file" 1 "START and END" ccd start.ply
refuses "three files" 1 "too many" ccd start.ply end.ply stay.ply
refuses "file and scene" 1 "either" ccd start.ply end.ply --scene plane
refuses "scene options without scene" 1 "need --scene" ccd start.ply end.ply --size 100
refuses "frame past the last" 1 "--frame 2" ccd --scene plane --frames 3 --frame 2
refuses "scene without folder" 1 "--out DIR" scene plane
refuses "missing value" 1 "--tolerance needs a value" ccd start.ply end.ply --tolerance
refuses "forgotten value" 1 "--impacts needs a value" ccd start.ply end.ply --impacts --json
refuses "value for a flag" 1 "takes no value" ccd start.ply end.ply --all=yes
for bad in "--tolerance 0" "--tolerance -1" "--tolerance nan" "--tolerance inf" "--tolerance 1e" \
    "--tolerance 1e999" "--min-separation -1" "--min-separation inf" "--max-iterations 0" \
    "--max-iterations 1.5" "--max-iterations 2147483648" "--max-iterations 99999999999999999999" \
    "--t-max 1.1" "--t-max -0.1" "--threads -1" "--threads 1025" "--threads two" "--repeat 0" \
    "--relative-separation 0.6" "--rescale 1" "--small-time 1.1" "--small-time -1" \
    "--memory-limit 0" "--memory-limit -1M" \
    "--memory-limit 1X" "--memory-limit 9999999999G" "--memory-limit M"; do
    # shellcheck disable=SC2086
    refuses "ccd $bad" 1 "${bad#* }" ccd start.ply end.ply $bad
done
refuses "empty value" 1 "empty" ccd start.ply end.ply --impacts=
# What option, what was given, what there may be.
refuses "below a least number" 1 "--min-separation is '-1'; use a number of at least 0" \
    ccd start.ply end.ply --min-separation -1
refuses "outside of a range" 1 "--size is '-1'; use a whole number from 1 to 2147483647" ccd --scene plane --size -1
refuses "no number at all" 1 "--t-max is 'soon'; use a number from 0 to 1" ccd start.ply end.ply --t-max soon
refuses "no whole number" 1 "--repeat is '1.5'; use a whole number of at least 1" ccd start.ply end.ply --repeat 1.5
refuses "not enough bytes" 1 "--memory-limit is '0'; use 1 byte or more, such as" ccd start.ply end.ply --memory-limit 0
refuses "in a list" 1 "--threads has 'two'; use whole numbers from 0 to 1024" bench broad --scene plane --threads 1,two

# A name that ends as another kind of file.
for name in x.png x.jpg x.pdf x.svg.gz; do
    refuses "a picture named $name" 1 "--picture is '$name', but a .svg file is written; use a name that ends in .svg" \
        ccd start.ply end.ply --picture $name
    check "is not drawn" [ ! -e $name ]
done
refuses "the comparison's picture too" 1 "ends in .svg" bench broad --scene flat --picture x.png
for option in --impacts --safe-steps; do
    refuses "$option named x.json" 1 "ends in .csv" ccd start.ply end.ply $option x.json
done
refuses "pairs named x.ply" 1 "ends in .csv" pairs start.ply end.ply --out x.ply
refuses "answers named x.json" 1 "ends in .csv" queries truth.csv --kind vf --out x.json
refuses "rows named x.html" 1 "ends in .csv" bench narrow --random 10 --csv x.html
for name in x.SVG v1.2/x .x; do
    mkdir -p v1.2
    succeeds "a picture named $name" ccd start.ply end.ply --picture $name
    check "is drawn" grep -q "<svg" $name
done
succeeds "numbers in a text file" ccd start.ply end.ply --impacts x.txt

# --- Bad input: 2 -------------------------------------------------------------------------------
head -n 12 start.ply >truncated.ply
sed 's/^0.25 0.25 1$/0.25 nan 1/' start.ply >nan.ply
sed 's/^3 0 1 2$/3 0 1 4/' start.ply >index.ply
sed -e 's/vertex 4/vertex 3/' -e '/^0.25/d' start.ply >three.ply
sed 's/^3 0 1 2$/3 0 2 1/' start.ply >turned.ply
sed 's/vertex 4/vertex 2000000000/' start.ply >huge.ply
echo "this is no mesh" >words.ply
: >empty.ply
refuses "missing file" 2 "nowhere.ply" ccd nowhere.ply end.ply
refuses "a folder" 2 "$work" ccd "$work" end.ply
refuses "truncated PLY" 2 "truncated.ply" ccd truncated.ply end.ply
refuses "coordinate not a number" 2 "nan.ply:13" ccd nan.ply end.ply
refuses "index out of range" 2 "index.ply" pairs start.ply index.ply
refuses "count beyond the file" 2 "huge.ply" ccd huge.ply end.ply
refuses "not a mesh" 2 "words.ply" ccd words.ply end.ply
refuses "empty file" 2 "empty.ply" ccd empty.ply end.ply
refuses "frames of different sizes" 2 "three.ply" ccd start.ply three.ply
refuses "frames of different faces" 2 "turned.ply" ccd start.ply turned.ply
refuses "bad file of queries" 2 "words.ply" queries words.ply --kind vf
head -n 9 truth.csv >incomplete.csv
refuses "incomplete query" 2 "incomplete.csv" queries incomplete.csv --kind vf
sed '1s/1,4/1,3/' truth.csv >third.csv
refuses "a rational that is no double" 2 "third.csv:1" queries third.csv --kind vf
refuses "no folder for the output" 2 "none/out.csv" pairs start.ply end.ply --out none/out.csv
mkdir folder
refuses "output is a folder" 2 "folder: exists and is not a regular file" ccd start.ply end.ply --impacts folder
refuses "no folder for the picture" 2 "none/a.svg" ccd start.ply end.ply --picture none/a.svg
refuses "frames into a file" 2 "start.ply" scene plane --size 100 --out start.ply
check "messages name program and command" grep -q "^toi scene: " stderr

# --- Out of resources: 3 ------------------------------------------------------------------------
refuses "a backend that is not there" 3 "nowhere.so" ccd start.ply end.ply --device cuda --backend ./nowhere.so
refuses "candidates by a backend that is not there" 3 "nowhere.so" pairs start.ply end.ply --device cuda --backend ./nowhere.so
refuses "memory limit too small" 3 "limit" ccd --scene n-body --size 5000 --memory-limit 10K
refuses "memory limit too small for pairs" 3 "limit" pairs --scene n-body --size 5000 --memory-limit 10K
if [ -w /dev/full ]; then
    code=0; "$toi" info >/dev/full 2>stderr || code=$?
    check "full disk behind standard output" [ $code -eq 3 ]
    check "and it says so" grep -q "standard output" stderr
    refuses "full disk behind a file" 3 "/dev/full" pairs start.ply end.ply --out /dev/full
else
    skip "full disk: needs /dev/full"
fi
code=0; "$toi" ccd start.ply end.ply >&- 2>stderr || code=$?
check "closed standard output" [ $code -eq 3 ]
code=0; "$toi" ccd start.ply end.ply --json >&- 2>stderr || code=$?
check "closed standard output, JSON" [ $code -eq 3 ]

# --- A known answer -----------------------------------------------------------------------------
ccd="broad candidates{ee vf} device earliest earliest_hex edges faces first_inside inside narrow normal pair{a b kind}"
ccd_end="peak_bytes peak_rss_bytes point rescaled seconds{boxes broad narrow prepare total} $(
    )separation{min relative rescale small_time strict} state tested{ee vf} threads u v vertices"
keys "keys of ccd" "$ccd $ccd_end" ccd start.ply end.ply
keys "keys of ccd --all" \
    "${ccd/ inside/ hash hits{ee vf\} inside} ${ccd_end/threads u/threads u undecided}" \
    ccd start.ply end.ply --all
keys "keys of ccd, separated" "${ccd%\{a b kind\}} $ccd_end" ccd start.ply stay.ply
steps_keys=${ccd/ device/ checks device}
keys "keys of ccd --safe-steps" "${steps_keys/ inside/ held_back inside} $ccd_end" \
    ccd start.ply end.ply --safe-steps keys.csv
keys "keys of close pairs" "broad closest{a b distance kind part_a part_b u v} close{ee pe pp vf} $(
    )device distances{line-line point-line point-plane point-point} edges ee faces hash peak_bytes radius seconds{measure prepare search total} $(
    )smallest{a b distance distance_hex kind} threads vertices vf" close start.ply
keys "keys of pairs" "broad device edges ee faces hash peak_bytes seconds{boxes prepare search sort total} threads $(
    )vertices vf" pairs start.ply end.ply
keys "keys of queries" "device false_negatives false_positives hash hits iterations kind narrow ns_per_query $(
    )queries threads undecided" queries truth.csv --kind vf
cut -d, -f1-6 truth.csv >unknown.csv
keys "keys of queries without truth" "device hash hits iterations kind narrow ns_per_query queries threads $(
    )undecided" queries unknown.csv --kind vf
keys "keys of info" "broad commit compiler cuda$(run info --json
    grep -q '"cuda": {' stdout && echo '{cards compute driver memory memory_free multiprocessors name runtime}'
    ) cuda_missing guarantees{$(run info --json
    grep -oE '"[a-z-]+": "(exact|conservative|none)"' stdout | cut -d'"' -f2 | LC_ALL=C sort | xargs
    )} machine narrow scenes simd threads version" info
keys "keys of scene" "edges faces files frames hash length name vertices" \
    scene plane --size 100 --out plane
keys "keys of scene --list" "scenes" scene --list

value "the point falls through at 1/2" "0.499 < o['earliest'] <= 0.5 and o['state'] == 'hit' and \
float.fromhex(o['earliest_hex']) == o['earliest'] and o['pair'] == {'kind': 'vf', 'a': 3, 'b': 0} and \
o['candidates']['vf'] == 1 and o['hits'] == {'vf': 1, 'ee': 0} and o['undecided'] == 0" \
    ccd start.ply end.ply --all
value "at a point, with a normal" "o['u'] == 0.25 and o['v'] == 0.25 and o['point'] == [0.25, 0.25, 0] and \
o['normal'] == [0, 0, 1]" ccd start.ply end.ply
value "without motion towards it, none" "all(o[key] is None for key in ('earliest', 'earliest_hex', 'pair', 'u', \
'v', 'point', 'normal')) and o['state'] == 'separated'" ccd start.ply stay.ply
value "nor any impact to list" "o['hits'] == {'vf': 0, 'ee': 0} and o['earliest'] is None" \
    ccd start.ply stay.ply --all --impacts none.csv
impact_columns=kind,a,b,time_hex,u,v,time,state,x,y,z,nx,ny,nz
same "the list of none has only its titles" "$(cat none.csv)" $impact_columns
run ccd start.ply end.ply --impacts one.csv
same "the list of one" "$(cat one.csv)" "$impact_columns
vf,3,0,0x1p-1,0.25,0.25,0.5,hit,0.25,0.25,0,0,0,1"
run ccd start.ply end.ply --narrow inclusion --max-iterations 1 --impacts open.csv
check "what is undecided is called so" grep -q ",undecided," open.csv
# Two bars of 4 and 2 cross at a quarter of the first and half of the second, at t = 3/4.
write_bars() {
    printf '%s\n' ply "format ascii 1.0" "element vertex 4" "property double x" "property double y" \
        "property double z" "element edge 2" "property int vertex1" "property int vertex2" end_header \
        "-1 0 0" "3 0 0" "0 -1 $2" "0 1 $2" "0 1" "2 3" >"$1"
}
write_bars bars.ply 3
write_bars crossed.ply -1
run ccd bars.ply crossed.ply --impacts bars.csv
check "the point of edges" grep -qE '^ee,0,1,0x1.8p-1,0.25,0.5,0.75,hit,0,0,0,-?0,-?0,-1$' bars.csv

# A particle that passes a rod, then another particle, within the separation.
write_particles() {
    printf 'ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\nproperty double y\nproperty double z\n'
    printf 'element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n'
    printf '0 0.0625 %s\n-1 0 0.5\n1 0 0.5\n0 0 -0.5\n1 2\n' "$1"
}
write_particles 1 >above.ply
write_particles -1 >below.ply
run ccd above.ply below.ply --min-separation 0.125 --all --impacts particles.csv --picture particles.svg
check "loose points are counted" grep -q "^hits .*, 1 point-edge, 1 point-point$" stdout
check "and named" grep -q "vertex 0 against edge 0" stdout
check "and listed" [ "$(cut -d, -f1-3 particles.csv | tail -n 2 | tr '\n' ' ')" = "pe,0,0 pp,0,3 " ]
value "their pairs are counted too" "o['pe'] == 1 and o['pp'] == 1" pairs above.ply below.ply \
    --min-separation 0.125 --out particles.csv
check "and listed too" [ "$(tr '\n' ' ' <particles.csv)" = "pe,0,0 pp,0,3 " ]
value "and the object's" "o['pair']['kind'] == 'ee' and o['u'] == 0.25 and o['v'] == 0.5 and \
o['point'] == [0, 0, 0] and o['normal'] == [0, 0, -1]" ccd bars.ply crossed.ply
# Numbers whose differences are beyond all doubles still have a point.
sed -e 's/^0.25 0.25 1$/2e307 2e307 1.7e308/' -e 's/^\([01]\) \([01]\) 0$/\1e308 \2e308 0/' start.ply >far.ply
sed -e 's/^0.25 0.25 -1$/2e307 2e307 -1.7e308/' -e 's/^\([01]\) \([01]\) 0$/\1e308 \2e308 0/' end.ply >through.ply
value "a point among the largest numbers" "o['point'] == [2e307, 2e307, 0]" ccd far.ply through.ply
value "an impact after t-max does not matter" "o['state'] == 'separated'" \
    ccd start.ply end.ply --t-max 0.25
value "a separation of 1/2 stops earlier" "0.249 < o['earliest'] <= 0.25" \
    ccd start.ply end.ply --min-separation 0.5
value "a relative separation stops earlier" "o['earliest'] < 0.4501" \
    ccd start.ply end.ply --relative-separation 0.1

# The policy: what is asked for, and what became of it. The point starts at 1 above the face.
policy() { # NAME SEPARATION ARGUMENT...
    local name=$1 expected=$2; shift 2
    value "$name" "o['separation'] == dict(zip(('min', 'relative', 'rescale', 'small_time', 'strict'), $expected))" \
        ccd start.ply end.ply "$@"
}
policy "no policy unless given" "(0, 0, 0, 0, False)"
policy "what solvers ask for" "(0, 0.2, 0.8, 1e-6, False)" --solver
policy "with a number of its own, before or after" "(0.1, 0, 0.5, 1e-6, True)" \
    --relative-separation 0 --min-separation 0.1 --solver --rescale 0.5 --strict
policy "each number" "(0, 0.25, 0.5, 0.125, False)" --relative-separation 0.25 --rescale 0.5 --small-time 0.125
value "solvers stop at a fifth of the distance" "o['earliest'] < 0.4001 and o['inside'] == 0 and \
o['first_inside'] is None and o['rescaled'] is None" ccd start.ply end.ply --solver
inside=(ccd start.ply end.ply --min-separation 1.5 --relative-separation 0.2)
value "a pair that starts inside is counted and named" "o['inside'] == 1 and \
o['first_inside'] == {'kind': 'vf', 'a': 3, 'b': 0} and 0.39 < o['earliest'] < 0.4001" "${inside[@]}"
succeeds "and in words" "${inside[@]}"
check "with its name" grep -qxF \
    "            1 pair starts at min-separation or closer; the first: vertex 3, face 0" stdout
check "and the separation" grep -qxF \
    "separation  1.5, and 0.2 of what a pair's distance at the start exceeds it by" stdout
refuses "or it is refused" 2 "start at min_separation" "${inside[@]}" --strict
value "a small time is solved again" "o['rescaled'] == 1 and 0.24 < o['earliest'] <= 0.25" \
    ccd start.ply end.ply --all --relative-separation 0.2 --rescale 0.5 --small-time 0.9
succeeds "and in words" \
    ccd start.ply end.ply --all --min-separation 0.5 --rescale 0.5 --small-time 0.9
check "how" grep -qxF "            times up to 0.9 are solved again for 0.5 alone and multiplied by 0.5" stdout
check "how many" grep -qxF "            1 pair was solved again" stdout
succeeds "the separation of a plain question" ccd start.ply end.ply
check "is not spoken of" [ "$(grep -c separation stdout)" -eq 0 ]
value "a budget of one leaves it undecided" "o['state'] == 'undecided' and o['earliest'] <= 0.5" \
    ccd start.ply end.ply --narrow inclusion --max-iterations 1
value "queries agree with the truth" "o['queries'] == 2 and o['hits'] == 1 and o['undecided'] == 0 \
and o['false_positives'] == 0 and o['false_negatives'] == 0" queries truth.csv --kind vf
value "lies are counted" "o['false_positives'] == 1 and o['false_negatives'] == 1" \
    queries lies.csv --kind vf
value "undecided counts as reported" "o['undecided'] == 1 and o['false_negatives'] == 0" \
    queries truth.csv --kind vf --narrow inclusion --max-iterations 1
value "threads are what was asked for" "o['threads'] == 1" ccd start.ply end.ply --threads 1
refuses "an option that the method ignores" 1 "min_separation: the narrow phase cubic does not honour it" \
    ccd start.ply end.ply --narrow cubic --min-separation 0.1
refuses "a tolerance of exact" 1 "use one of: inclusion" ccd start.ply end.ply --tolerance 1e-8
refuses "a share of the distance" 1 "relative_separation: the narrow phase safe" \
    ccd start.ply end.ply --narrow safe --relative-separation 0.1
value "who decided is named" "o['narrow'] == 'inclusion'" ccd start.ply end.ply --narrow inclusion
run bench narrow --random 50 --methods exact,inclusion --tolerance 1e-3
check "benchmarks drop what a method ignores" grep -q "exact runs without --tolerance" stderr
check "of no other" [ "$(wc -l <stderr)" -eq 1 ]
succeeds "a readable summary" ccd start.ply end.ply
check "it names the pair" grep -q "vertex 3 against face 0" stdout
check "and the point" grep -q "at (0.25, 0.25, " stdout
succeeds "options before files, and with =" ccd --t-max=0.9 --threads=1 start.ply end.ply
succeeds "a file after --" ccd -- start.ply end.ply
run ccd start.ply end.ply --safe-radii radii.csv
check "how far each may move, whatever the way" [ "$(wc -l <radii.csv)" -eq 4 ]
check "less than half of the distance, which is 1" lines_match radii.csv '^[0-3],0x1\.f{9}[0-9a-f]*p-2$'
run ccd start.ply end.ply --t-max 0.25 --safe-steps steps.csv
check "a part of the step is not called the whole" grep -q "none up to t = 0.25" stdout
check "and no step is longer" lines_match steps.csv "^[0-9]+,0x1p-2\$"
check "nor held back" grep -q "safe steps .* 0 vertices" stdout

# --- Files --------------------------------------------------------------------------------------
hex='-?0x[01](\.[0-9a-f]+)?p[+-][0-9]+'
number='-?[0-9.]+(e[+-][0-9]+)?'
size=2000
[ -z "${TOI_SANITIZED:-}" ] || size=600
scene=(--scene cloth-ball --size $size --seed 3 --begin 0.7)
run ccd "${scene[@]}" --all --impacts impacts.csv --safe-steps steps.csv --picture impacts.svg
check "impacts are written" [ $code -eq 0 ]
hits=$(awk '$1 == "hits" { gsub(",", ""); print $2 + $4 }' stdout)
vertices=$(awk '$1 == "mesh" { gsub(",", ""); print $2 }' stdout)
check "the scene has hits" [ "$hits" -gt 0 ]
same "titles of impacts" "$(head -n 1 impacts.csv)" $impact_columns
sed -i 1d impacts.csv
check "form of impacts" lines_match impacts.csv \
    "^(vf|ee),[0-9]+,[0-9]+,$hex,$number,$number,$number,(hit|undecided)(,$number){6}\$"
same "one line for each hit" "$(wc -l <impacts.csv)" "$hits"
check "sorted by kind, a, b" cmp -s impacts.csv <(sort -t, -k1,1r -k2,2n -k3,3n impacts.csv)
check "both forms of a time are the same" [ -z "$(cut -d, -f4,7 impacts.csv | while IFS=, read -r bits time; do
    [ "$(printf '%.17g' "$bits")" = "$time" ] || echo "$bits"; done)" ]
check "normals have length 1" awk -F, '{ n = $12 * $12 + $13 * $13 + $14 * $14 } n < 0.999999 || n > 1.000001 { exit 1 }' \
    impacts.csv
check "form of safe steps" lines_match steps.csv "^[0-9]+,$hex\$"
same "a step a vertex" "$(wc -l <steps.csv)" "$vertices"
check "some vertices are held back" grep -qv "0x1p+0" steps.csv
check "and that is checked" \
    grep -qE "^safe steps  steps.csv: [1-9][0-9]* vertices held back, [1-9][0-9]* shortened motions? checked\$" stdout
check "the picture is an SVG" grep -q "<svg" <(head -c 500 impacts.svg)
check "and ends as one" grep -q "</svg>" <(tail -c 20 impacts.svg)
hash=$(row hash)

# --- Pictures -----------------------------------------------------------------------------------
# Of two points that fall on a floor the second is hit long after the time that is drawn, and moves sideways until then.
write_fall() {
    printf '%s\n' ply "format ascii 1.0" "element vertex 5" "property double x" "property double y" \
        "property double z" "element face 1" "property list uchar int vertex_indices" end_header \
        "0 0 0" "10 0 0" "0 10 0" "1 1 $2" "$3" "3 0 1 2" >"$1"
}
write_fall falling.ply 1 "1 1 3"
write_fall fallen.ply -3 "5 1 -1"
run ccd falling.ply fallen.ply --all --up z --picture fall.svg
check "two points fall" grep -q "^hits *2 " stdout
# Everything but the legend, and the legend.
drawn() { sed -e "/id='legend'/,\$d" "$1"; }
legend() { sed -n "/id='legend'/,\$p" "$1"; }
drawn fall.svg | grep -oE "class='s' cx='[0-9.]+' cy='[0-9.]+'" | cut -d' ' -f2- >marks
check "the later impact has a mark" [ -s marks ]
same "on its vertex, not where that will be" "$(while read -r mark; do
    grep -c "<circle class='l' $mark " <(drawn fall.svg); done <marks | sort -u)" 1
check "and the legend says so" grep -q "A mark sits on the spot of the mesh that is hit" <(legend fall.svg)

# explained FILE NAME PATTERN WORDS: the words are in the legend if and only if such a thing is drawn.
explained() {
    local in_picture=no in_legend=no
    if grep -qE -- "$3" <(drawn "$1"); then in_picture=yes; fi
    if grep -qF -- "$4" <(legend "$1"); then in_legend=yes; fi
    same "$2: '$4' where it is drawn" $in_legend $in_picture
    seen+="$4: $in_picture "
}
colours() { grep -oE "<$1 class='[a-g][0-9]" | grep -oE "[a-g].\$" | cut -c1 | sort -u | xargs; }
seen=
while read -r name arguments; do
    # shellcheck disable=SC2086
    run ccd $arguments --picture "$name.svg"
    explained "$name.svg" "$name" "r='10'" "earliest impact"
    explained "$name.svg" "$name" "marker-end" "its normal"
    explained "$name.svg" "$name" "stroke-dasharray" "gap at the earliest impact"
    explained "$name.svg" "$name" "class='s'" "time of impact"
    explained "$name.svg" "$name" "class='s'" "other impact, in sight"
    explained "$name.svg" "$name" "class='h'" "other, behind a surface"
    explained "$name.svg" "$name" "stroke-width:1.2" ">normal<"
    explained "$name.svg" "$name" "<path class='l'" "edge of no face"
    explained "$name.svg" "$name" "<circle class='l'" "loose vertex"
    explained "$name.svg" "$name" "class='[a-f][0-9]" "moving"
    explained "$name.svg" "$name" "class='g[0-9]" "at rest"
    same "$name: every colour" "$(legend "$name.svg" | colours rect)" "$(drawn "$name.svg" | colours path)"
    check "$name: all on the page" awk -F"'" '/<text/ { size = /font-size/ ? $6 : 14; at = $2; gsub(/<[^>]*>/, "")
        if (at + 0.52 * size * length > 1160) exit 1 }' <(legend "$name.svg")
done <<'PICTURES'
drape --scene cloth-ball --size 2000 --seed 3 --begin 0.7 --all
first --scene cloth-ball --size 2000 --seed 3 --begin 0.7
balls --scene n-body --size 2000 --begin 0.8 --all
free --scene n-body --size 500 --all
apart falling.ply fallen.ply --all --up z --min-separation 0.5
rope --scene rod-twist --size 1000 --begin 0.8 --all
heap --scene fracture --size 2000 --begin 0.8 --all
soup --scene triangles --size 300 --begin 0.3 --all
still start.ply start.ply --all
PICTURES
for words in "earliest impact" "its normal" "gap at the earliest impact" "time of impact" "other, behind a surface" \
    ">normal<" "edge of no face" "loose vertex" "moving" "at rest"; do
    check "some have and some lack: $words" grep -q "$words: yes.*$words: no\|$words: no.*$words: yes" <<<"$seen"
done

run pairs "${scene[@]}" --out pairs.csv
check "form of pairs" lines_match pairs.csv "^(vf|ee),[0-9]+,[0-9]+\$"
same "as many as pairs" "$(wc -l <pairs.csv)" \
    "$(awk '$1 == "pairs" { gsub(",", ""); print $2 + $4 }' stdout)"
check "canonical order" cmp -s pairs.csv <(sort -t, -k1,1r -k2,2n -k3,3n pairs.csv)
run pairs "${scene[@]}" --out own.csv --order own
check "own order has the same pairs" cmp -s pairs.csv <(sort -t, -k1,1r -k2,2n -k3,3n own.csv)
run close "${scene[@]}" --radius 0.05 --out close.csv
check "form of close pairs" lines_match close.csv \
    "^(vf|ee|pe|pp),[0-9]+,[0-9]+,0x[0-9a-f.p+-]+,[.e0-9-]+,[.e0-9-]+,[-+.e0-9]+,(corner|inside)[0-9]?,$(
    )(corner|side|inside)[0-9]*\$"
same "as many as close pairs" "$(wc -l <close.csv)" \
    "$(awk '$1 == "close" { gsub(",", ""); print $2 + $4 }' stdout)"
same "the closest pair" "$(sort -t, -k7,7g -s close.csv | head -n 1 | cut -d, -f1-3 | tr , ' ')" \
    "$(awk '$1 == "closest" { print $2, $3, $4 }' stdout)"
cut -d, -f1-3 impacts.csv >hit_pairs.csv
same "every impact is among the pairs" "$(sort pairs.csv | comm -13 - <(sort hit_pairs.csv) | wc -l)" 0

run queries truth.csv --kind vf --out answers.csv
check "form of answers" lines_match answers.csv "^(separated,|(hit|undecided),$hex)\$"
same "an answer a query" "$(wc -l <answers.csv)" 2

ln -s answers.csv link.csv
run queries truth.csv --kind vf --out link.csv
check "a link stays a link" [ -L link.csv ]
run queries truth.csv --kind vf --out /dev/null
check "a device stays a device" [ -c /dev/null ]
echo old >kept.csv
refuses "a failure keeps the old file" 2 "words.ply" queries words.ply --kind vf --out kept.csv
same "as it was" "$(cat kept.csv)" old
same "no temporary file is left" "$(find . -name '*.tmp' -o -name '*.part' | wc -l)" 0

# --- The same answer in every way ---------------------------------------------------------------
run scene cloth-ball --size $size --seed 3 --begin 0.7 --frames 3 --out a/b/frames
same "frames are written" "$(cd a/b/frames && echo *)" \
    "frame_0000.ply frame_0001.ply frame_0002.ply"
same "files and memory: first pair" \
    "$(hash_of ccd a/b/frames/frame_0000.ply a/b/frames/frame_0001.ply --all)" "$hash"
same "files and memory: last pair" \
    "$(hash_of ccd a/b/frames/frame_0001.ply a/b/frames/frame_0002.ply --all)" \
    "$(hash_of ccd "${scene[@]}" --frames 3 --all)"
same "frame by number" "$(hash_of ccd "${scene[@]}" --frames 3 --frame 0 --all)" "$hash"
rope=(--scene rod-twist --size 1000 --begin 0.8) # has loose edges and vertices
run scene "${rope[@]:1:1}" "${rope[@]:2}" --out rope
same "loose edges survive the files" \
    "$(hash_of ccd rope/frame_0000.ply rope/frame_0001.ply --all)" "$(hash_of ccd "${rope[@]}" --all)"
for threads in 1 2 5; do
    same "impacts with $threads threads" "$(hash_of ccd "${scene[@]}" --all --threads $threads)" "$hash"
done
for options in "--memory-limit 8M" "--broad brute" "--broad stq" "--float-boxes" "--repeat 2"; do
    # shellcheck disable=SC2086
    same "impacts with $options" "$(hash_of ccd "${scene[@]}" --all $options)" "$hash"
done
pairs=$(hash_of pairs "${scene[@]}")
for options in "--threads 1" "--threads 2" "--broad brute" "--broad stq" "--order own" "--repeat 3"; do
    # shellcheck disable=SC2086
    same "pairs with $options" "$(hash_of pairs "${scene[@]}" $options)" "$pairs"
done
answers=$(hash_of queries truth.csv --kind vf)
for options in "--threads 1" "--threads 2" "--repeat 3"; do
    # shellcheck disable=SC2086
    same "queries with $options" "$(hash_of queries truth.csv --kind vf $options)" "$answers"
done
run ccd "${scene[@]}" --all
same "the earliest is the least of all" "$(row earliest && grep -o 't = .*' stdout)" \
    "$(run ccd "${scene[@]}" && row earliest && grep -o 't = .*' stdout)"
same "and the least of the file" \
    "$(grep -oE '0x[^)]*' stdout | head -n 1)" \
    "$(cut -d, -f4 impacts.csv | while read -r time; do printf '%.17g %s\n' "$time" "$time"; done |
        sort -g | awk 'NR == 1 { print $2 }')"
for name in $("$toi" scene | awk '{ print $1 }'); do
    succeeds "scene $name" ccd --scene "$name" --size 500 --begin 0.7
done

# --- Kinds of lower dimension, and all contacts --------------------------------------------------
# A point falls through the middle of an edge, then one through its end. The last point of the four
# is not used.
{
    for x in 1,2 0,1; do
        for z in 1 -1; do
            printf '%s\n' "$x,0,1,$z,1" 0,1,0,1,0,1 1,1,0,1,0,1 0,1,0,1,1,4
        done
    done
} >lower.csv
value "a point meets an edge twice" "o['hits'] == 2" queries lower.csv --kind pe
value "and its end once" "o['hits'] == 1" queries lower.csv --kind pp
keys "keys of queries --all-roots" "contacts device even_hits hash hits iterations kind narrow ns_per_query $(
    )queries threads undecided" queries lower.csv --kind pe --all-roots
# A face swings so that a vertex at rest meets it at t = 1/4, and again at t = 3/4.
printf '%s\n' 0,1,0,1,0,1 -1,1,-8,1,1,1 -1,1,8,1,1,1 1,1,0,1,-7,4 \
    0,1,0,1,0,1 -1,1,-8,1,-1,1 -1,1,8,1,-1,1 3,1,0,1,9,4 >twice.csv
value "two contacts are counted" "o['hits'] == 1 and o['contacts'] == 2 and o['even_hits'] == 1" \
    queries twice.csv --kind vf --all-roots
value "only where asked for" "'contacts' not in o" queries twice.csv --kind vf
run queries twice.csv --kind vf --all-roots --out contacts.csv
check "contacts are written" lines_match contacts.csv "^hit,0x1p-2,2\$"

# --- Benchmarks ---------------------------------------------------------------------------------
succeeds "toi bench narrow --help" bench narrow --help
check "toi bench narrow --help has an example" grep -qE "^  toi bench narrow --random" stdout
check "toi bench narrow --help fits a terminal" lines_match stdout '^.{0,80}$'
refuses "no benchmark" 1 "narrow" bench
refuses "unknown benchmark" 1 "there are broad, narrow" bench wide
refuses "no queries" 1 "--random N" bench narrow
refuses "two sources" 1 "only one" bench narrow --random 10 --queries truth.csv
refuses "two sources, files" 1 "only one" bench narrow --random 10 start.ply end.ply
refuses "unknown method" 1 "no 'none'; there are exact, inclusion" \
    bench narrow --random 10 --methods exact,none
refuses "a kind that pairs do not have" 1 "there are vf, ee" bench narrow --random 10 --kind pe
refuses "no kind of a file" 1 "--kind" bench narrow --queries truth.csv
refuses "scene options without scene" 1 "need a scene" bench narrow --random 10 --size 100
refuses "nothing is random in a file" 1 "--seed" bench narrow --queries truth.csv --kind vf --seed 2
for bad in "--random 0" "--random 1e3" "--slow-limit -1" "--tolerance 0" "--repeat 0"; do
    # shellcheck disable=SC2086
    refuses "bench narrow $bad" 1 "${bad#* }" bench narrow $bad
done
refuses "bad folder for the rows" 2 "none/rows.csv" bench narrow --random 10 --csv none/rows.csv
refuses "no file of queries" 2 "nowhere.csv" bench narrow --queries nowhere.csv --kind vf
mkdir -p set/empty set/falling
refuses "a folder without queries" 2 "vf.csv" bench narrow --queries set
refuses "no candidates" 2 "no queries" bench narrow start.ply stay.ply

random=(bench narrow --random 4000)
run "${random[@]}" --csv rows.csv
check "random queries are compared" [ $code -eq 0 ]
for method in $("$toi" info --json | grep -oE '"[a-z-]+": "(exact|conservative|none)"' | cut -d'"' -f2)
do
    check "the table has $method" grep -qE "^$method +(-|1e-06) +4,000 " stdout
done
check "the tables fit 100 columns" lines_match stdout '^.{0,100}$'
same "columns of the rows" "$(head -n 1 rows.csv)" "scene,stage,kind,method,guarantee,tolerance,threads,$(
    )queries,seconds,ns_per_query,hits,undecided,false_positives,false_negatives,$(
    )file_false_positives,file_false_negatives,odd,even,times,late,largest_late,largest_early,$(
    )mean_error,rung_axis,rung_direction,rung_plane,rung_root,rung_integer,rung_turn,error_0,$(
    printf 'error_1e%+d,' {-17..0})hash,median_seconds,repeats,simd,machine,compiler,commit"
same "as many in each row" "$(awk -F, '{ print NF }' rows.csv | sort -u)" 55
same "eight tolerances of fast" "$(grep -c ',fast,' rows.csv)" 8
value "no guaranteed method misses, none is late" "all(r['false_negatives'] == 0 and r['late'] == 0 \
and r['times'] > 200 for r in o['rows'] if r['guarantee'] != 'none')" "${random[@]}"
value "contacts as often as published: 7.50 % odd, 0.23 % even" "all(abs(r['odd'] - 1500) < 150 and \
abs(r['even'] - 46) < 30 for r in o['rows'] if r['method'] == 'exact')" bench narrow --random 20000 --methods exact
hashes() { run "$@"; grep -oE '\b[0-9a-f]{16}$' stdout | tr '\n' ' '; }
same "the same answers twice" "$(hashes "${random[@]}")" "$(hashes "${random[@]}" --repeat 2)"
same "and with two threads" "$(hashes "${random[@]}")" "$(hashes "${random[@]}" --threads 2)"
check "other answers for another seed" \
    [ "$(hashes "${random[@]}" --methods exact)" != "$(hashes "${random[@]}" --methods exact --seed 2)" ]
value "slow methods get a sample, the others all" "all(r['queries'] in (100, 4000) for r in o['rows'])" \
    "${random[@]}" --slow-limit 100
value "unless all is asked for" "all(r['queries'] == 4000 for r in o['rows'])" \
    "${random[@]}" --slow-limit 0 --methods exact,inclusion
value "edges too" "o['queries'] == {'vf': 0, 'ee': 500}" bench narrow --random 500 --kind ee
value "the file's truth is compared" "o['file_answers'] == 2 and o['file_differences'] == 0 and \
o['rows'][0]['file_false_positives'] == 0" bench narrow --queries truth.csv --kind vf
value "and its lies are found" "o['file_differences'] == 2 and o['rows'][0]['method'] == 'exact' and \
o['rows'][0]['file_false_positives'] == 1 and o['rows'][0]['file_false_negatives'] == 1 and \
o['rows'][0]['false_positives'] == 0" bench narrow --queries lies.csv --kind vf
cp truth.csv set/falling/vf.csv
cp truth.csv set/vf.csv
value "folders are searched" "o['queries'] == {'vf': 4, 'ee': 0}" bench narrow --queries set
value "candidates of a scene, and the pipeline" "o['rows'][-1]['kind'] == 'both' and \
o['queries']['vf'] > 0 and o['queries']['ee'] > 0 and all(p['hits'] == r['hits'] and r['hits'] > 0 \
and p['candidates'] == r['queries'] for p in o['pipelines'] for r in o['rows'] \
if r['kind'] == 'both' and r['method'] == p['method']) and len(o['pipelines']) == 2" \
    bench narrow "${scene[@]}"

succeeds "toi bench broad --help" bench broad --help
check "toi bench broad --help has an example" grep -qE "^  toi bench broad --scene" stdout
check "toi bench broad --help fits a terminal" lines_match stdout '^.{0,80}$'
refuses "no boxes" 1 "--all-scenes" bench broad
refuses "two sources of boxes" 1 "only one" bench broad --scene plane --scaling
refuses "unknown boxes" 1 "uniform, flat, outliers, giants" bench broad --scene none
refuses "unknown broad phase to compare" 1 "no 'none'; there are auto, brute" \
    bench broad --scene plane --broad stq,none
refuses "threads that are no list" 1 "'two'" bench broad --scene plane --threads 1,two
refuses "sizes without scaling" 1 "need --scaling" bench broad --scene plane --from 10
refuses "sizes that shrink" 1 "above" bench broad --scaling --from 100 --to 10
refuses "a label for what has a name" 1 "--label" bench broad --scene plane --label a
refuses "scene options for files" 1 "--all-scenes" bench broad start.ply end.ply --size 100
refuses "no file of boxes" 2 "nowhere.ply" bench broad nowhere.ply end.ply
refuses "bad folder for the comparison" 2 "none/a.svg" bench broad --scene flat --picture none/a.svg
refuses "rows that are none" 2 "truth.csv" bench broad --add truth.csv

broad=(bench broad "${scene[@]}" --memory-kept)
run "${broad[@]}" --csv broad.csv --picture broad.svg
check "broad phases are compared" [ $code -eq 0 ]
for method in $("$toi" info --json | "${python:-true}" -c "import json, sys; print(*json.load(sys.stdin)['broad'])")
do
    check "the table has $method" grep -qE "^$method +[0-9.]+ .* $pairs +same$" stdout
done
check "none has other pairs" [ "$(grep -c ' DIFFERENT$' stdout)" -eq 0 ]
check "the comparison fits 100 columns" lines_match stdout '^.{0,100}$'
same "columns of the comparison" "$(head -n 1 broad.csv)" \
    "scene,method,simd,threads,seconds,pairs,peak_bytes,hash,boxes,hits,false_positives,$(
    )false_negatives,median_seconds,repeats,machine,compiler,commit"
same "the scene's name" "$(tail -n +2 broad.csv | cut -d, -f1 | sort -u)" cloth-ball-$size
same "both numbers of threads" "$(tail -n +2 broad.csv | cut -d, -f4 | sort -u | xargs)" "1 2"
check "with memory kept" grep -q "^cloth-ball-$size,stq+kept," broad.csv
check "the comparison's picture is an SVG" grep -q "</svg>" <(tail -c 20 broad.svg)
keys "keys of bench broad" "repeat rows same" bench broad "${scene[@]}" --broad stq --threads 1
value "rows of bench broad" "o['same'] and [r['method'] for r in o['rows']] == ['brute', 'stq'] and \
all(r['hash'] == '$pairs' and r['boxes'] > 0 and r['peak_bytes'] > 0 and r['seconds'] > 0 \
for r in o['rows'])" bench broad "${scene[@]}" --broad stq,brute --threads 2
for set in uniform flat outliers giants; do
    value "boxes: $set" "o['same'] and all(r['boxes'] == 3000 and r['pairs'] > 10000 for r in o['rows'])" \
        bench broad --scene $set --size 1000
done
succeeds "files are called by their folder" bench broad rope/frame_0000.ply rope/frame_0001.ply --threads 1
check "as it is" grep -q "^rope, " stdout
value "every scene and set" "o['same'] and len({r['scene'] for r in o['rows']}) == $(
    "$toi" scene | wc -l) + 4" bench broad --all-scenes --size 200 --broad brute,auto --threads 1
run bench broad --scaling --from 100 --to 1000 --broad auto,stq --threads 1 --picture scaling.svg
check "growing numbers of boxes" [ $code -eq 0 ]
same "two sizes a power of ten" "$(awk '$1 == "stq" { print $2 }' stdout | xargs)" "100 316 1,000"
check "and their picture" grep -q "time a box" scaling.svg
sed 's/,stq,/,cgal,/' broad.csv >peers.csv
succeeds "rows of others join" bench broad --add peers.csv --picture again.svg
check "beside our own" grep -qE "^cgal .* same$" stdout
sed -E 's/(,cgal,.*,)[0-9a-f]{16}(,[0-9]+,)/\1000000000000000a\2/' peers.csv >others.csv
succeeds "others may have other pairs" bench broad --add others.csv
check "and the table says so" grep -qE "^cgal .* other$" stdout
sed -E 's/(,sweep,.*,)[0-9a-f]{16}(,[0-9]+,)/\1000000000000000a\2/' broad.csv >wrong.csv
run bench broad --add wrong.csv
check "our own may not" [ $code -eq 3 ]
check "and the line is marked" grep -qE "^sweep .* DIFFERENT$" stdout
sed '2s/,/;/' broad.csv >bad.csv
refuses "a bad row" 2 "bad.csv:2" bench broad --add bad.csv

# Instruction sets
for simd in auto baseline; do
    succeeds "with --simd $simd" ccd --scene cloth-ball --size 2000 --begin 0.8 --all --simd $simd
    grep '^hash' stdout >"$simd.hash"
done
check "the same answer with other instructions" cmp -s auto.hash baseline.hash
refuses "an unknown instruction set" 1 "there is no 'sse9'" ccd --scene cloth-ball --simd sse9

finish

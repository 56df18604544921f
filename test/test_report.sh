#!/usr/bin/env bash
# toi report from outside: what it reads and refuses, that every row has its mark, and how the page looks in a browser.
# Usage: test_report.sh PATH_TO_TOI
set -euo pipefail
shopt -s lastpipe # checks at the end of a pipe count, too

[ $# -eq 1 ] || { echo "usage: $0 PATH_TO_TOI" >&2; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
data=$here/report_data
. "$here/outside.sh"
subcommand=(report)

absent() { ! grep -qiF -- "$1" "$2"; }

# ---------------------------------------------------------------------------------------------
# What it says and refuses

run "$data" --out page.html
check "a folder becomes a page" test "$code" -eq 0 -a -s stdout -a ! -s stderr
check "the page ends" grep -q "</html>" <(tail -c 20 page.html)
run "$data" --out again.html
check "the same page from the same files" cmp -s page.html again.html

mkdir default
cp "$data"/broad.csv default/
run default
check "the page goes to the folder" test "$code" -eq 0 -a -s default/report.html
check "what is not there is said, with the command" grep -q "data-missing='stages'.*toi bench ccd" default/report.html
run default --title "A & B <i>"
check "a title of one's own" grep -q "<title>A &#38; B &#60;i&#62;</title>" default/report.html

run "$data" --out page.html --json
check "json" grep -q '"marks"' stdout
if [ -n "$python" ]; then check "json is json" "$python" -c "import json,sys; json.load(sys.stdin)['sections']" <stdout
else skip "json is json: no python3"; fi

mkdir empty
refuses "no folder" 2 "none: there is no such folder" none --out refused.html
for name in none none/deeper; do
    refuses "no folder, and no page in it: $name" 2 "toi report: $name: there is no such folder" $name
    check "of which nothing is said" absent report.html stderr
done
refuses "a file instead of a folder" 2 "toi report: page.html: is no folder" page.html
refuses "an empty folder, and no page in it" 2 "toi report: empty: no csv files" empty
refuses "no folder is named" 1 "which folder" --out refused.html
refuses "an empty folder" 2 "no csv files" empty --out refused.html
refuses "no page" 1 "--out is 'x.pdf', but a .html file is written; use a name that ends in .html" "$data" --out x.pdf
refuses "no place for the page" 2 "none/refused.html" "$data" --out none/refused.html

# broken NAME WORDS: a folder with what comes on standard input beside a good file.
broken() {
    rm -rf broken
    mkdir broken
    cp "$data"/broad.csv broken/good.csv
    cat >broken/bad.csv
    refuses "$1" 2 "$2" broken --out refused.html
}

titles=scene,method,simd,threads,seconds,pairs,peak_bytes,hash,boxes
broken "an empty file" "bad.csv: empty" </dev/null
broken "no names" "bad.csv:1: no names" <<<",,,"
broken "a name twice" "bad.csv:1: two columns are named 'scene'" <<<"scene,scene"
printf '%s\na,b,c,1,1,1,1,1,1\n\na,b\n' $titles | broken "a short row, by its line" "bad.csv:4: 2 cells, but 9 columns"
printf '%s\na,b,c,1,1,1,1,1,1,1\n' $titles | broken "a long row" "bad.csv:2: 10 cells"
printf '%s\na,b,c,one,1,1,1,1,1\n' $titles | broken "words for a number" "bad.csv:2: threads is 'one'"
printf '%s\na,b,c,1,nan,1,1,1,1\n' $titles | broken "no number" "bad.csv:2: seconds is 'nan'"
printf '%s\na,b,c,1,-1,1,1,1,1\n' $titles | broken "a negative time" "bad.csv:2: seconds is '-1'"
printf '%s\na,b,c,1,,1,1,1,1\n' $titles | broken "no time" "bad.csv:2: no seconds"
printf '%s\na,b\0c,c,1,1,1,1,1,1\n' $titles | broken "a zero byte" "bad.csv:2: a zero byte"
sed '2s/,1000,auto/,,auto/' "$data"/overlap.csv | broken "a mesh without faces" "bad.csv:2: no faces"
sed '2s/,auto,,,1,/,auto,,,,/' "$data"/track.csv | broken "steps by no thread" "bad.csv:2: no seconds or no threads"
sed '2s/,earliest,/,latest,/' "$data"/ccd-stages.csv | broken "an unknown mode" "bad.csv:2: the mode"

mkdir unknown
printf 'colour,weight\nred,3\n' >unknown/weights.csv
refuses "nothing but unknown columns" 2 "no measurements" unknown --out refused.html
cp "$data"/narrow.csv unknown/
run unknown --out page.html
check "unknown columns are named as left out" test "$code" -eq 0 -a -n "$(grep 'left out.*weights.csv' stdout)"
check "on the page too" grep -q "weights.csv: left out" page.html

# Rows of scenes kept between calls, of a busy machine and of separations are not those of the figures, however fast
# they are.
mkdir loads
awk -F, -v OFS=, 'NR == 1 { print $0, "calls", "load", "separation"; next } { print $0, "stateless", "idle", "none" }' \
    "$data"/ccd-stages.csv >loads/ccd.csv
run loads --out idle.html
cp loads/ccd.csv rows.csv
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "seconds") at = i; next }
    { $at = 1e-6; $(NF - 2) = "kept"; print; $(NF - 2) = "stateless"; $(NF - 1) = "busy"; print
      $(NF - 1) = "idle"; $NF = "relative"; print }' rows.csv >>loads/ccd.csv
touch -r rows.csv loads/ccd.csv
run loads --out busy.html
sed -i 's/: [0-9]* rows of toi/: rows of toi/' idle.html busy.html
check "rows kept, busy or apart are not drawn" cmp -s idle.html busy.html
sed -i -e '1!{/,none$/{/,stateless,idle,/d;};}' loads/ccd.csv
refuses "nothing but such rows" 2 "kept or busy, or keep a separation" loads --out refused.html

# Older files: fewer columns, the scene in the file's name, lines as other systems end them.
mkdir -p old/first old/second
cut -d, -f1-9 "$data"/broad.csv >old/first/broad.csv
cut -d, -f2-28 "$data"/narrow.csv | sed 's/$/\r/' >old/second/narrow-some-scene.csv
run old --out page.html
check "files with fewer columns, one folder a machine" test "$code" -eq 0
check "their scene" grep -q ">some-scene" page.html
check "their machines" grep -q "<b>second</b>" page.html
check "no section without its columns" absent "<section id='errors'>" page.html

# ---------------------------------------------------------------------------------------------
# Every row has its mark: counted from the files

# count FILE CONDITION: rows for which an expression of awk over v["column"] holds.
count() {
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; ++i) name[i] = $i; next }
        { for (i = 1; i <= NF; ++i) v[name[i]] = $i }
        '"$2"' { ++count } END { print count + 0 }' "$data/$1"
}
# points FIGURE: what the figures of that name promise to show.
points() {
    grep -o "data-figure=\"$1\" data-points=\"[0-9]*\"" page.html | grep -o '"[0-9]*"' | tr -d '"' |
        awk '{ sum += $1 } END { print sum + 0 }'
}

run "$data" --out page.html
same "times of broad phases" "$(points broad-time)" "$(count broad.csv 'v["seconds"] > 0')"
same "their memory" "$(points broad-memory)" "$(count broad.csv 'v["peak_bytes"] > 0')"
same "their growth" "$(points boxes-time)" "$(count broad-scaling.csv 'v["seconds"] > 0')"
same "its memory" "$(points boxes-memory)" "$(count broad-scaling.csv 'v["peak_bytes"] > 0')"
same "times of narrow phases" "$(points narrow-time)" \
    "$(count narrow.csv 'v["stage"] == "queries" && v["kind"] != "both"')"
same "bars of errors" "$(points time-error)" "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) { name[i] = $i; at[$i] = i } next }
    $at["times"] > 0 { for (i in name) if (name[i] ~ /^error_/ && $i > 0)
        bars[$at["scene"], $at["method"], $at["tolerance"], i] = 1 }
    END { for (bar in bars) ++count; print count }' "$data"/narrow.csv)"
# Curves of the whole, of both phases and of the preparation, whose column has an older name in all files but one.
same "time over queries" "$(points queries)" "$((4 * $(count ccd-queries.csv 'v["seconds"] > 0')))"
same "speed-up over threads" "$(points threads)" "$((4 * $(count ccd-threads.csv 'v["seconds"] > 0')))"
same "that of broad phases" "$(points broad-threads)" \
    "$(count broad.csv 'v["method"] != "cgal" && v["method"] != "auto+kept"')"
same "time over limits" "$(points memory-time)" "$(count ccd-memory.csv 'v["seconds"] > 0')"
same "memory over limits" "$(points memory-peak)" "$(count ccd-memory.csv 'v["peak_bytes"] > 0')"
# Meshes of one size are in the table alone.
same "intersecting faces in growing meshes" "$(points overlap-time)" \
    "$(count overlap.csv 'v["scene"] ~ /^cloth-ball-/ && v["seconds"] > 0')"
same "and all of them as a table" "$(sed -n "/<section id='overlap'>/,/<.section>/p" page.html | grep -c "<tr>")" \
    "$(wc -l <"$data"/overlap.csv)"
same "time over the motion of a step" "$(points track-motion)" "$(count track.csv 'v["cut"] > 0')"
same "speed-up of steps over threads" "$(points track-threads)" \
    "$(count track.csv 'v["cut"] == 0 && v["method"] != "serial" && v["orphans"] != "off"')"
same "and steps as a table" "$(sed -n "/<section id='track'>/,/<.section>/p" page.html | grep -c "<tr>")" \
    "$(wc -l <"$data"/track.csv)"
same "shares of stages" "$(points stages)" "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    $at["threads"] == 1 {
        split("seconds_boxes seconds_broad seconds_narrow", parts, " ")
        rest = $at["seconds"]
        for (i in parts) { count += $at[parts[i]] > 0; rest -= $at[parts[i]] }
        count += rest > 0.002 * $at["seconds"]
    } END { print count }' "$data"/ccd-stages.csv)"
run "$data" --out page.html --json
number() { grep -o "\"$1\": [0-9]*" stdout | grep -o '[0-9]*'; }
same "marks that were drawn" "$(number marks)" "$(grep -o "class='mark" page.html | wc -l)"
same "are those that the figures promise" "$(number marks)" "$(number points)"

# ---------------------------------------------------------------------------------------------
# Names that mean harm

mkdir hostile
{
    echo $titles
    long=$(printf 'long-%.0s' {1..80})
    for scene in '<script>alert(1)</script>' "' onload='alert(1)" '&lt;b&gt;' $'bad\xff\xfebytes' "$long" 'a</title></svg>'; do
        for method in '<img src=x onerror=alert(1)>' "$long" 'bvh' '"><b>'; do
            echo "$scene,$method,x,1,0.5,10,1000,0,20"
            echo "$scene,$method,x,2,0.3,10,1000,0,20"
        done
    done
} >hostile/broad.csv
sed 's/rod-twist/<script>alert(2)<\/script>/' "$data"/ccd-threads.csv >hostile/ccd.csv
sed "s/n-body/<\/svg><img src=y>/; s/,fcl,/,<i onclick=alert(3)>,/; s/Example CPU/<u>CPU/" "$data"/narrow.csv >hostile/narrow.csv
sed "s/cloth-ball/<script>alert(5)<\/script>/; s/,kdet,/,<i onclick=alert(6)>,/" "$data"/overlap.csv >hostile/overlap.csv
sed "s/cloth-ball/<script>alert(7)<\/script>/; s/,order,/,<i onclick=alert(8)>,/" "$data"/track.csv >hostile/track.csv
run hostile --out hostile.html --title '</title><script>alert(4)</script>'
check "hostile names are text" test "$code" -eq 0
for tag in '<script' '<img' '<i ' '<u>' '<b>bvh' 'svg><img'; do check "no $tag" absent "$tag" hostile.html; done

# ---------------------------------------------------------------------------------------------
# In a browser

browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v $name || true)
done

# look PAGE: leaves what report_check.html finds in `found`, and the browser's own words in `console`.
look() {
    mkdir -p look
    cp "$1" look/report.html
    cp "$here"/report_check.html look/
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --allow-file-access-from-files \
        --enable-logging=stderr --user-data-dir="$work/profile" --dump-dom "file://$work/look/report_check.html" \
        2>console >dumped || true
    sed -n '/id="result"/,/<\/pre>/p' dumped | grep -E '^(PASS|FAIL|END)' >found || true
}

# looks_right NAME PAGE: every check of the page passes, and there is an end to them.
looks_right() {
    look "$2"
    if ! grep -q '^END' found; then fail "$1" "no word from the browser"; tail -n 3 console; return; fi
    while read -r verdict words; do
        if [ "$verdict" = PASS ]; then pass "$1, $words"
        elif [ "$verdict" = FAIL ]; then fail "$1, $words"; fi
    done <found
    check "$1: no errors in the console" absent CONSOLE console
}

if [ -z "$browser" ]; then
    skip "the page in a browser: no chromium"
else
    looks_right "browser" page.html
    for section in glance broad narrow errors queries threads memory stages overlap track files; do
        check "the page has the section $section" grep -q "PASS phone: sections.*\b$section\b" found
    done
    looks_right "hostile names" hostile.html
    run old --out old.html
    looks_right "older files" old.html

    # The check itself must be able to fail: a mark less, a mark of no size, a word on another, a word too small, a wide
    # table, a script.
    awk -v quote="'" '/class=.mark/ && ++n == 5 { next }
        n == 20 { sub(/ r=.[0-9.]*./, " r=" quote "0" quote) }
        /<text / && ++t == 3 { print }
        t == 40 { sub(/<text /, "<text style=" quote "font-size:6px" quote " ") }
        { sub(/class=.scroll./, "class=" quote "wide-open" quote) }
        /<\/main>/ { print "<script>console.error(1)</script>" } { print }' page.html >faulty.html
    look faulty.html
    for words in "phone: no sideways scrolling" "desk: every figure shows its data" "phone: words are large enough" \
        "desk: no word on another" "self-contained"; do
        check "the check finds it: $words" grep -q "^FAIL $words" found
    done
    check "and errors in the console" grep -q CONSOLE console
fi

check "no page is left by what was refused" test -z "$(compgen -G "refused.html*")"
finish

#!/usr/bin/env bash
# docs/promises.md keeps its word: every sentence it quotes stands in the file it names, every test it names exists and is
# run, every exported function is in some row, and so is every sentence of the two lists of promises. Then the same
# page with one mistake of each sort, which must be found.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# complaints PAGE: a line for everything that is wrong with it.
complaints() {
    awk -v source="$source" '
    # Text as it is read: without comment marks, emphasis, brackets and the targets of links, blanks folded.
    function fold(text) {
        gsub(/\/\/\/<?/, " ", text)
        gsub(/\]\([^)]*\)/, "", text)
        gsub(/[][*`]/, "", text)
        gsub(/[ \t\r\n]+/, " ", text)
        sub(/^ /, "", text); sub(/ $/, "", text)
        return text
    }
    function read(path,   line, text) {
        while ((getline line < path) > 0) text = text line "\n"
        close(path)
        return text
    }
    # The files whose contents are looked for, each read once.
    function folded(path) {
        if (!(path in texts)) texts[path] = fold(read(source "/" path))
        return texts[path]
    }
    function raw(path) {
        if (!(path in raws)) raws[path] = read(source "/" path)
        return raws[path]
    }
    function complain(what) { print FNR ": " what }

    # Every piece between the two marks; returns how many.
    function pieces(text, open, shut, found,   n, at, end) {
        n = 0
        while ((at = index(text, open)) > 0) {
            text = substr(text, at + length(open))
            if ((end = index(text, shut)) == 0) break
            found[++n] = substr(text, 1, end - 1)
            text = substr(text, end + length(shut))
        }
        return n
    }

    function check_quotes(cell, path,   n, i, found, quote) {
        n = pieces(cell, "“", "”", found)
        if (n == 0) complain("no sentence is quoted")
        for (i = 1; i <= n; ++i) {
            quote = fold(found[i])
            quotes[path, ++quoted[path]] = quote
            if (index(folded(path), quote) == 0) complain("not in " path ": " quote)
        }
    }

    # `test_x`: `name`, `name`; `script.sh`: “words”: programs and scripts are run by test/CMakeLists.txt, cmocka lists
    # the names, the words stand in the script.
    function check_tests(cell,   n, i, found, program, script, words, lists) {
        lists = raw("test/CMakeLists.txt")
        words = cell
        while (match(words, /`[^`]*`|“[^”]*”/)) {
            name = substr(words, RSTART, RLENGTH)
            words = substr(words, RSTART + RLENGTH)
            if (name ~ /^`/) {
                name = substr(name, 2, length(name) - 2)
                if (name ~ /\.sh$/) {
                    script = "test/" name; program = ""; ++n
                    if (raw(script) == "" || index(lists, name) == 0) complain("no script " name)
                } else if (name ~ /^test_/ && raw("test/" name ".c") != "") {
                    program = "test/" name ".c"; script = ""; ++n
                    if (lists !~ "[( ]" substr(name, 6) "[ )\n]") complain(name " is not run")
                } else if (name ~ /^replay_/ && raw("fuzz/fuzz_" substr(name, 8) ".c") != "") {
                    program = script = ""; ++n
                } else if (name == "test_headers" && index(lists, name) > 0) {
                    program = script = ""; ++n
                } else if (program == "" || raw(program) !~ ("cmocka_unit_test[a-z_]*[(]" name "[,)]")) {
                    complain("no test " name (program == "" ? "" : " in " program))
                }
            } else {
                gsub(/“|”/, "", name)
                if (script == "" || index(raw(script), name) == 0) complain("no check \"" name "\" in " script)
            }
        }
        if (n == 0) complain("no test is named")
    }

    # The sentences between a heading and the next: without what is quoted no word of them is left.
    function check_section(path, heading,   text, n, i, k, sentences, rest, at) {
        text = raw(path)
        at = index(text, "\n## " heading "\n")
        text = substr(text, at + length(heading) + 5)
        if ((at = index(text, "\n## ")) > 0) text = substr(text, 1, at - 1)
        gsub(/\*\*[^*]*\.\*\*/, " ", text) # a catchword is no sentence
        gsub(/\n *([0-9]+\.|\*) /, "\n", text)
        n = split(fold(text), sentences, /\. |\.$/)
        for (i = 1; i <= n; ++i) {
            if (sentences[i] !~ /[a-z]/) continue
            rest = sentences[i]
            for (k = 1; k <= quoted[path]; ++k)
                if (index(quotes[path, k], rest)) rest = ""
                else if (at = index(rest, quotes[path, k]))
                    rest = substr(rest, 1, at - 1) " " substr(rest, at + length(quotes[path, k]))
            gsub(/[a-z_\/]+\.md/, "", rest)
            if (rest ~ /[A-Za-z][a-z][a-z]/) complain("in no row: " path ": " rest)
        }
        if (n < 5) complain("no sentences in " path ", " heading)
    }

    # Everything that is exported, from the headers.
    function check_functions(   command, line, text, n, i, parts, name) {
        command = "cat " source "/include/toi/*.h"
        while ((command | getline line) > 0) text = text " " line
        close(command)
        n = split(text, parts, /TOI_API /)
        for (i = 2; i <= n; ++i)
            if (match(parts[i], /toi_[a-z0-9_]+\(/)) {
                name = substr(parts[i], RSTART, RLENGTH - 1)
                ++functions
                if (index(page, "`" name "`") == 0) complain("in no row: " name)
            }
        if (functions < 50) complain("only " functions " functions in include/toi")
    }

    /^\|/ && !/^\| *(Promise|-+) *\|/ {
        n = split($0, cells, /\|/)
        if (n != 7) { complain(n - 2 " columns instead of 5"); next }
        for (i = 2; i <= 6; ++i) if (cells[i] !~ /[^ ]/) complain("column " i - 1 " is empty")
        path = fold(cells[3])
        check_quotes(cells[2], path)
        check_tests(cells[4])
        page = page $0 "\n"
        ++rows
    }
    END {
        check_section("README.md", "What it promises")
        check_section("docs/design.md", "The promises")
        check_functions()
        if (rows < 100) complain("only " rows " rows")
    }' "$1"
}

expect() { # expect NAME PAGE NUMBER: so many complaints
    complaints "$2" >"$work/found"
    local found
    found=$(wc -l <"$work/found")
    if [ "$found" -eq "$3" ]; then
        passed=$((passed + 1)); echo "ok       $1"
    else
        failed=$((failed + 1)); echo "FAILED   $1: $found complaints, not $3"; sed 's/^/         | /' "$work/found"
    fi
}

page=$source/docs/promises.md
expect "docs/promises.md is true" "$page" 0

# One mistake each.
sed '/leaves its outputs empty/s/leaves its outputs empty/leaves its outputs full/' "$page" >"$work/quote.md"
expect "a sentence that is not there is found" "$work/quote.md" 1
sed '0,/`radix_sort_agrees_with_qsort`/s//`radix_sort_agrees`/' "$page" >"$work/test.md"
expect "a test that does not exist is found" "$work/test.md" 1
sed '0,/“full disk behind a file”/s//“a disk that is full”/' "$page" >"$work/check.md"
expect "a check that does not exist is found" "$work/check.md" 1
sed 's/`toi_hash`/the hash/' "$page" >"$work/function.md"
expect "a function without a row is found" "$work/function.md" 1
grep -v "Lists come in one canonical order" "$page" >"$work/design.md"
expect "a promise of the design without a row is found" "$work/design.md" 1
grep -v "truncated files: a status" "$page" >"$work/readme.md"
expect "a promise of the README without a row is found" "$work/readme.md" 1

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

# shellcheck shell=bash
# What tests of the program from outside share. To be sourced with the program's path in $1: sets $toi, goes to a fresh
# folder, which is removed at the end, and counts. `finish` says the counts and is the last command.
toi=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

passed=0
failed=0
skipped=0
subcommand=() # stands before the arguments of every run
# Where python3 is a script that chooses among several it takes longer than what is asked of it: the one it chooses, or none.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || true)

pass() { passed=$((passed + 1)); echo "ok       $1"; }
skip() { skipped=$((skipped + 1)); echo "skipped  $1"; }
fail() {
    failed=$((failed + 1))
    echo "FAILED   $1${2:+: $2}"
    if [ -f stdout ]; then head -qn 20 stdout stderr | sed 's/^/         | /'; fi
}
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ] && [ $passed -gt 0 ]
}

# run ARGUMENT...: leaves stdout, stderr and $code behind.
run() { code=0; "$toi" ${subcommand[@]+"${subcommand[@]}"} "$@" >stdout 2>stderr </dev/null || code=$?; }

# check NAME COMMAND...: the command must succeed.
check() { local name=$1; shift; if "$@"; then pass "$name"; else fail "$name" "$*"; fi; }

same() { # NAME A B
    if [ -n "$2" ] && [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "'$2' is not '$3'"; fi
}

# succeeds NAME ARGUMENT...: exit 0, something on stdout, nothing on stderr.
succeeds() {
    local name=$1; shift
    run "$@"
    if [ $code -eq 0 ] && [ -s stdout ] && [ ! -s stderr ]; then pass "$name"
    else fail "$name" "exit code $code"; fi
}

# refuses NAME CODE WORDS ARGUMENT...: that exit code, those words on stderr, nothing on stdout; where the command line
# is wrong, how to get help.
refuses() {
    local name=$1 expected=$2 words=$3; shift 3
    run "$@"
    if [ $code -ne "$expected" ]; then fail "$name" "exit code $code, not $expected"
    elif ! grep -qF -- "$words" stderr; then fail "$name" "no '$words' in the message"
    elif [ -s stdout ]; then fail "$name" "something on standard output"
    elif [ "$expected" -eq 1 ] && ! grep -q -- "--help" stderr; then fail "$name" "no word on help"
    else pass "$name"; fi
}

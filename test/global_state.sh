#!/usr/bin/env bash
# The libraries keep nothing between calls but the hooks, the instruction set and idle threads (and toi_io the names of
# its temporary files): no other variable that is written may be in them. Nor does the core open files. Usage:
# global_state.sh LIBTOI LIBTOI_IO
set -euo pipefail
if ! objdump -t "$1" >/dev/null 2>&1; then
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi

# variables FILE: names in the sections of what is written, without the compiler's own; each thread's own do not count.
variables() { objdump -t "$1" | awk 'NF > 3 && $(NF-2) ~ /^\.(data|bss)$/ && / O / && $NF !~ /^(__|completed\.)/ { sub(/\.[0-9]+$/, "", $NF); print $NF }' | sort | xargs; }

failed=0
same() { # same NAME FOUND EXPECTED
    if [ "$2" = "$3" ]; then echo "ok: $1: $2"; else echo "FAIL: $1: found '$2', not '$3'"; failed=$((failed + 1)); fi
}
same "global variables of the core" "$(variables "$1")" "cores helpers level lost_at once pool toi_active_hooks"
same "global variables of toi_io" "$(variables "$2")" "ending locked names"
same "functions for files in the core" \
    "$(objdump -T "$1" | awk '/UND/ { print $NF }' | grep -E '^(f?open(64|at|at64)?|freopen|creat|fread|f?gets|mmap(64)?|popen|unlink|rename)$' | xargs)" ""
echo "$((3 - failed)) passed, $failed failed"
[ $failed -eq 0 ]

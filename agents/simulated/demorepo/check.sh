#!/bin/sh
# The project's check: syntax of every script, no marks of unfinished work,
# well-formed data, and every test. Exits 1 if anything is wrong.
cd "$(dirname "$0")" || exit 1
faults=0
fault() { echo "FAIL $*"; faults=$((faults + 1)); }

for file in api check.sh lib/*.sh tests/*.sh; do
    [ -f "$file" ] || continue
    sh -n "$file" || fault "$file: syntax"
    [ "$file" = check.sh ] && continue
    if grep -n BROKEN "$file"; then fault "$file: marked as broken"; fi
done

if [ -f data/users.txt ]; then
    awk '!/^#/ && NF != 4 { print "data/users.txt:" NR ": wants 4 fields, has " NF; bad = 1 } END { exit bad }' \
        data/users.txt || fault "data/users.txt: malformed"
fi

for test in tests/*.test.sh; do
    [ -f "$test" ] || continue
    if sh "$test"; then echo "ok   $test"; else fault "$test"; fi
done

if [ "$faults" -gt 0 ]; then
    echo "$faults failed"
    exit 1
fi
echo "all good"

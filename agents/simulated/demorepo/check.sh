#!/bin/sh
# The project's check: the syntax of every script, no marks of unfinished work,
# well-formed data, and every test. Exits 1 if anything is wrong.
case $0 in */*) cd "${0%/*}" || exit 1 ;; esac
faults=0
fault() { echo "FAIL $*"; faults=$((faults + 1)); }

for file in api lib/*.sh; do # a test's syntax is seen when it runs
    sh -n "$file" || fault "$file: syntax"
done
if grep -n BROKEN api lib/*.sh tests/*.sh; then fault "marked as broken"; fi

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

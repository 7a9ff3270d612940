#!/bin/sh
# Pinned down: tools/check-rooms passes rooms that lead one way, and names those of a circle with the files that tie it.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/tools" "$root/src/net/below" "$root/src/net/above"
cp "$(cd "$(dirname "$0")/../.." && pwd)/tools/check-rooms" "$root/tools/"
failed=0

# expect CODE TEXT FOLDER...: the tool, by includes alone, ends with CODE and its output holds TEXT
expect() {
    code=$1 text=$2
    shift 2
    out=$("$root/tools/check-rooms" - "$@" 2>&1)
    got=$?
    if [ "$got" -ne "$code" ] || ! printf '%s\n' "$out" | grep -qF -- "$text"; then
        printf 'wanted exit %s and "%s", got exit %s and:\n%s\n' "$code" "$text" "$got" "$out"
        failed=1
    fi
}

: >"$root/src/net/below/a.h"
echo '#include "net/below/a.h"' >"$root/src/net/above/b.h"
expect 0 'net/above: net/below'
echo '#include "net/above/b.h"' >"$root/src/net/below/c.c"
expect 1 'circle of 2 rooms: net/above net/below'
expect 1 'src/net/below/c.c includes net/above/b.h' net
expect 0 'net/below: net/above' engine
exit $failed

#!/usr/bin/env bash
# test-ten-as.sh PROGRAM TOPOLOGY: by weir's table, ns-3's nix-vectors and its global routing, every sink gets 9 packets,
# 900 bytes, and every receiver its packet over TCP; paths have the same number of hops, and are the same wherever one
# shortest path is all there is.
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
for method in weir nix global; do
    "$1" "$2" "$method" --paths >"$room/$method"
    head -1 "$room/$method"
    grep -qx '9 packets, 900 bytes a sink' "$room/$method"
    [ "$(grep -c '^[0-9]* [0-9]* \(one\|several\):' "$room/$method")" = 90 ]
    printf '3 50\n7 90\n91 2\n' >"$room/pairs"
    "$1" "$2" "$method" --pairs "$room/pairs" | grep 'every receiver got its packet'
done
for method in nix global; do
    awk -v method="$method" '
        !/^[0-9]+ [0-9]+ (one|several):/ { next }
        { pair = $1 " " $2; alone = $3 == "one:" }
        FNR == NR { hops[pair] = NF; way[pair] = $0; next }
        NF != hops[pair] { print "weir: " way[pair]; print method ": " $0; bad = 1 }
        alone { ones++; if ($0 != way[pair]) { print "weir: " way[pair]; print method ": " $0; bad = 1 } }
        END { print method ": " ones " pairs with one shortest path, all the same; as many hops for all"; exit bad || !ones }
    ' "$room/weir" "$room/$method"
done
# Links that lead one way are none of ns-3's point-to-point links.
printf '%s\n' '<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/><node id="c"/>' \
    '<edge source="a" target="b"/><edge source="b" target="c"/><edge source="c" target="a"/></graph></graphml>' >"$room/ring.graphml"
code=0
"$1" "$room/ring.graphml" 2>"$room/said" || code=$?
[ $code -eq 2 ]
grep -q '3 links lead one way' "$room/said"

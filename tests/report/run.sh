#!/usr/bin/env bash
# run.sh BUILD: reports of small runs, of a study, of hostile names and of a million flows, in a headless Chromium.
# Exits with 77 where the build has no reports, or there is no Chromium (tools/install-deps --test).
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
weir=$build/src/cli/weir
chromium=$(command -v chromium || command -v chromium-browser || true)
[ -n "$chromium" ] || { echo 'SKIPPED: no chromium'; exit 77; }
"$weir" info | grep -q '^ *in *weir report' || { echo 'SKIPPED: this build has no reports (nodejs, npm)'; exit 77; }
[ -d "$build/report/tests/node_modules/puppeteer-core" ] || { echo 'SKIPPED: puppeteer-core is not installed (configure with -DBUILD_TESTING=ON)'; exit 77; }
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
quiet=(--no-progress -q)
"$weir" run "$source/examples/abilene/abilene.yaml" -o run --duration 6s --report "${quiet[@]}"
[ -s run/report.html ] && grep -q report.html run/manifest.json
"$weir" run "$source/examples/abilene/abilene.yaml" -o run --duration 6s --report --force "${quiet[@]}" # it may be replaced
"$weir" run "$source/examples/abilene/abilene.yaml" -o other --duration 6s --seed 2 "${quiet[@]}"
"$weir" run "$source/examples/interconnect/jobs.yaml" -o interconnect "${quiet[@]}"
"$weir" run "$source/examples/kademlia/kademlia.yaml" -o kademlia --duration 60s "${quiet[@]}"
"$weir" study "$source/examples/red-grid/red-grid.yaml" -o study --duration 6s --replications 2 "${quiet[@]}"
"$weir" run "$here/data/surrogate.yaml" -o surrogate "${quiet[@]}"
"$weir" run "$here/data/hostile.yaml" -o hostile "${quiet[@]}"
cp -r run million
node "$here/million.mjs" million/flows.csv
"$weir" report run -o run.html
"$weir" report run -o again.html && cmp run.html again.html
"$weir" report run other -o runs.html
"$weir" report interconnect -o interconnect.html
"$weir" report surrogate -o surrogate.html
"$weir" report kademlia -o kademlia.html
"$weir" report study run -o study.html
"$weir" report hostile -o hostile.html
start=$(date +%s%N)
"$weir" report million -o million.html
echo "a report of a million flows: $(($(date +%s%N) / 1000000 - start / 1000000)) ms, $(stat -c %s million.html) bytes"
[ "$(stat -c %s million.html)" -lt 15000000 ]
# What is no run is refused, and nothing is left behind.
mkdir nothing
if "$weir" report nothing -o bad.html 2>said; then exit 1; fi
grep -q 'neither a run nor a study' said && [ ! -e bad.html ]
if "$weir" report run -o no/such/folder/x.html 2>said; then exit 1; fi
# A run whose files are damaged still gives a report, with a warning for each.
cp -r run damaged
head -c 100 run/series.h5 >damaged/series.h5
printf 'a,"b\n' >damaged/flows.csv
rm damaged/scenario.yaml
"$weir" report damaged -o damaged.html 2>said
grep -q 'flows.csv' said && grep -q 'series.h5' said
CHROMIUM=$chromium SHOTS=${SHOTS:-} node "$here/browser.mjs" "$build/report/tests" "$room"

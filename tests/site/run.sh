#!/bin/sh
# The documentation: links in its pages lead somewhere, and the check finds one that does not; scenarios on the pages for users of other
# simulators are good; the site is made, its links lead somewhere, nothing in it is fetched from elsewhere, its reference has
# every public function, and its search finds words of all kinds of pages.
#   tests/site/run.sh BUILD
# Exit 0: all good; 77: without mkdocs, and good as far as that goes.
set -eu
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "site: $1" >&2
    exit 1
}

"$root/tools/check-links" || fail "links of docs/ lead nowhere"

# What the check is good for: a file and a heading that are not there, and code that is no link.
mkdir -p "$scratch/tree/tools" "$scratch/tree/docs"
cp "$root/tools/check-links" "$scratch/tree/tools/"
printf '# A page\n\n[good](docs/a.md#a-b---c) [bad](docs/none.md)\n\n    [code](nowhere)\n' >"$scratch/tree/README.md"
printf '# A b: `- c`\n[bad](../README.md#none)\n' >"$scratch/tree/docs/a.md"
: >"$scratch/tree/CONTRIBUTING.md"
"$scratch/tree/tools/check-links" >"$scratch/said" && fail "check-links overlooks what leads nowhere"
grep -q "^README.md:3: 'docs/none.md': there is no such file" "$scratch/said" || fail "check-links: $(cat "$scratch/said")"
grep -q "^docs/a.md:2: '../README.md#none': no heading" "$scratch/said" || fail "check-links: $(cat "$scratch/said")"
grep -q "3 links, 2 lead nowhere" "$scratch/said" || fail "check-links: $(cat "$scratch/said")"

n=0
ln -s "$root/examples" "$scratch/examples"
for page in "$root"/docs/from-*.md; do
    sed -n '/^```yaml$/,/^```$/p' "$page" | grep -v '^```' >"$scratch/scenario.yaml"
    "$build/src/cli/weir" check "$scratch/scenario.yaml" >/dev/null || fail "$page: its scenario is not good"
    n=$((n + 1))
done
[ $n -ge 4 ] || fail "pages for users of other simulators are missing"

if ! command -v mkdocs >/dev/null; then
    echo 'SKIPPED: there is no mkdocs here'
    exit 77
fi
"$root/tools/make-site" --weir "$build/src/cli/weir" --out "$scratch/site" || fail "it cannot be made"
"$root/tools/check-links" "$scratch/site/html" || fail "its links lead nowhere, or it fetches something"
for name in $(sed -n 's/^WEIR_API.*[ *]\(weir_[a-z0-9_]*\)(.*/\1/p' "$root"/include/weir/*.h); do
    grep -q "id=\"$name\"" "$scratch"/site/html/c-api/*.html || fail "the reference of C lacks $name"
done
for word in 'weir_session_open' 'weir.Session' 'FlowMonitor' 'slowdown_p99' 'checkpoint-at'; do
    grep -qF "$word" "$scratch/site/html/search/search_index.json" || fail "its search does not know $word"
done

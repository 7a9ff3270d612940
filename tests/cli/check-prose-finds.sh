#!/bin/sh
# Pinned down: tools/check-prose passes sentences of 30 words, and names a longer one and a word to avoid with page and line.
# Code, tables, headings and formulas are no prose.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/tools" "$root/docs/deeper"
cp "$(cd "$(dirname "$0")/../.." && pwd)/tools/check-prose" "$root/tools/"
printf '# House\n\n**Words to avoid.** `simply`,\n`in order to`\n' >"$root/CONTRIBUTING.md"
failed=0
page=$root/docs/deeper/page.md
ten='one two three four five six seven eight nine ten'

# expect CODE TEXT: the tool ends with CODE and its output holds TEXT
expect() {
    out=$("$root/tools/check-prose" 2>&1)
    got=$?
    if [ "$got" -ne "$1" ] || ! printf '%s\n' "$out" | grep -qF -- "$2"; then
        printf 'wanted exit %s and "%s", got exit %s and:\n%s\n' "$1" "$2" "$got" "$out"
        failed=1
    fi
}

echo 'A front page.' >"$root/README.md"
echo 'What changed.' >"$root/CHANGELOG.md"
printf '%s\n' "$ten $ten" "$ten. $ten." >"$page"
expect 0 'check-prose: 4 pages, 0 findings'
printf '%s\n' 'Short.' '' "- $ten $ten" "  $ten [eleven](https://a.b/c)." >"$page"
expect 1 'docs/deeper/page.md:3: 31 words: one two'
printf '%s\n' "$ten $ten $ten, e.g. 10 Mb/s." >"$page"
expect 1 '32 words'
printf '%s\n' '# Head' '' "    $ten $ten $ten $ten" '' '```' "$ten $ten $ten simply $ten" '```' '' "| $ten $ten $ten $ten |" '' \
    "$ten $ten \`a b c d\` \$$ten\$ seven." >"$page"
expect 0 ' 0 findings'
printf '%s\n' 'It runs' 'Simply so, in' 'order to end.' >"$page"
expect 1 "docs/deeper/page.md:1: 'simply'"
expect 1 "docs/deeper/page.md:1: 'in order to'"
exit $failed

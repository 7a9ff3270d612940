#!/bin/sh
# Pinned down: tools/check-dead names what no program reaches, tests' helpers and chains of dead functions among it, and
# nothing that a table, a macro that pastes names, a public header or a fuzzer needs.
set -u
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/tools" "$root/src/net" "$root/include/weir" "$root/tests/net"
cp "$(cd "$(dirname "$0")/../.." && pwd)/tools/check-dead" "$root/tools/"
failed=0

# expect CODE TEXT: the tool ends with CODE and its output holds TEXT
expect() {
    out=$("$root/tools/check-dead" 2>&1)
    got=$?
    if [ "$got" -ne "$1" ] || ! printf '%s\n' "$out" | grep -qF -- "$2"; then
        printf 'wanted exit %s and "%s", got exit %s and:\n%s\n' "$1" "$2" "$got" "$out"
        failed=1
    fi
}

cat >"$root/src/net/a.c" <<'EOF'
int wi_public_helper(void);
#define MAKE(name) {#name, make_##name}
static int make_red(int x)
{
    return x + 1;
}
static const struct entry table[] = {MAKE(red)};
int weir_answer(void)
{
    return wi_public_helper() + table[0].n;
}
int wi_public_helper(void)
{
    return 1;
}
int main(void)
{
    return weir_answer();
}
EOF
echo 'int weir_answer(void);' >"$root/include/weir/a.h"
expect 0 'check-dead: 0 of 5 names'
cat >"$root/src/net/b.c" <<'EOF'
/* wi_unused() in a comment is no use of it. */
int wi_below(void)
{
    return 2;
}
int wi_unused(void)
{
    return wi_below();
}
EOF
echo 'int test(void) { return wi_unused(); }' >"$root/tests/net/test_b.c"
expect 1 'src/net/b.c:6: wi_unused is needed by no program'
expect 1 'src/net/b.c:2: wi_below is needed by no program'
mv "$root/tests/net/test_b.c" "$root/tests/net/fuzz_b.c"
expect 0 'check-dead: 0 of 7 names'
exit $failed

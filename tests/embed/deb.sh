#!/usr/bin/env bash
# deb.sh BUILD: the Debian package of BUILD, unpacked into a root of its own: what belongs into it is there, the command runs from it,
# runs an example of its own to the digest of the build's command, and a program is built against it.
set -euo pipefail
build=$(cd "$1" && pwd)
command -v dpkg-deb >/dev/null || { echo 'SKIPPED: there is no dpkg-deb here'; exit 77; }
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
(cd "$build" && cpack -B "$room/packed" >"$room/log" 2>&1) || { cat "$room/log"; exit 1; }
deb=$(ls "$room"/packed/weir_*.deb)
dpkg-deb -x "$deb" "$room/root"
dpkg-deb -f "$deb" Package Version Architecture Depends
dpkg-deb -f "$deb" Depends | grep -q 'libc6 .*libhdf5'
[ "$(dpkg-deb -f "$deb" Package)" = weir ]
root=$room/root/usr
lib=$(dirname "$(find "$root" -name 'libweir.so')")
for file in bin/weir include/weir/session.h share/man/man1/weir.1.gz share/bash-completion/completions/weir \
    share/zsh/vendor-completions/_weir share/fish/vendor_completions.d/weir.fish share/doc/weir/copyright \
    share/doc/weir/changelog.gz share/doc/weir/examples/abilene/abilene.yaml share/doc/weir/docs/scenario.md; do
    [ -s "$root/$file" ] || { echo "the package lacks $file"; exit 1; }
done
# Nobody's private paths, nothing that others may write, no debugging symbols.
! grep -rlF "$build" "$room/root" || { echo 'paths of the build are in the package'; exit 1; }
[ -z "$(find "$room/root" -perm /022 ! -type l)" ] || { echo 'files that others may write'; exit 1; }
! readelf -S "$root/bin/weir" | grep -q '\.debug_info' || { echo 'the command has debugging symbols'; exit 1; }
example=$root/share/doc/weir/examples/jackson/jackson.yaml
digest() { grep -o '"state_digest": "0x[0-9a-f]*"' "$1/summary.json"; }
"$root/bin/weir" run "$example" --duration 20ms --set output.warmup=5ms -o "$room/of-package" -q
"$build/src/cli/weir" run "$example" --duration 20ms --set output.warmup=5ms -o "$room/of-build" -q
[ "$(digest "$room/of-package")" = "$(digest "$room/of-build")" ]
export PKG_CONFIG_PATH=$lib/pkgconfig
cc -std=c17 "$root/share/doc/weir/examples/embed/routes.c" -o "$room/routes" $(pkg-config --cflags --libs weir)
LD_LIBRARY_PATH=$lib "$room/routes" >/dev/null
echo "$(basename "$deb"): $(dpkg-deb -f "$deb" Installed-Size) kB installed"

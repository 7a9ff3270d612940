#!/usr/bin/env bash
# run.sh BUILD [CUDA]: install BUILD (with a GPU engine where CUDA is ON) into a folder of its own, and build programs against it with pkg-config and with CMake. The
# library must export weir_* alone, and every public header must compile by itself, as C and as C++.
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
example=$here/../../examples/embed/routes.c
session=$here/../../examples/embed/session.c
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cmake --install "$build" --prefix "$room/usr" >"$room/log" || { cat "$room/log"; exit 1; }
lib=$(dirname "$(find "$room/usr" -name libweir.so)")
foreign=$(nm -D --defined-only --with-symbol-versions "$lib/libweir.so" | awk '{print $3}' | grep -v '^weir_.*@@WEIR_[0-9.]*$' | grep -v '^WEIR_[0-9.]*$' || true)
[ -z "$foreign" ] || { echo "libweir.so exports: $foreign"; exit 1; }
export PKG_CONFIG_PATH=$lib/pkgconfig
flags=$(pkg-config --cflags --libs weir)
strict="-Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags weir)"
for header in "$room"/usr/include/weir/*.h; do
    echo "#include \"weir/$(basename "$header")\"" | tee "$room/one.c" >>"$room/all.c"
    cc -std=c17 $strict "$room/one.c"
    [ -z "${WEIR_NIGHTLY:-}" ] || g++ -std=c++17 $strict -x c++ "$room/one.c"
done
g++ -std=c++17 $strict -x c++ "$room/all.c" # by day all at once: what a header lacks, C has said
cc -std=c17 "$example" -o "$room/routes" $flags
LD_LIBRARY_PATH=$lib "$room/routes"
cc -std=c17 "$session" -o "$room/session" $flags
LD_LIBRARY_PATH=$lib "$room/session" | grep -q 'goodput so far'
# A library folder that is deeper than lib, as Debian's is with the prefix /usr: the file finds the headers from there, too.
cmake -S "$here/../.." -B "$room/deep" -DBUILD_TESTING=OFF -DWEIR_CUDA=OFF -DWEIR_MPI=OFF -DCMAKE_INSTALL_LIBDIR=lib/deep >"$room/log" 2>&1
mkdir -p "$room/usr/lib/deep/pkgconfig"
cp "$room/deep/weir.pc" "$room/usr/lib/deep/pkgconfig"
[ "$(PKG_CONFIG_PATH=$room/usr/lib/deep/pkgconfig pkg-config --variable=includedir weir | xargs realpath)" = "$room/usr/include" ]
mkdir "$room/project"
cat >"$room/project/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(weir 1.0 REQUIRED)
add_executable(routes ${SOURCE})
target_link_libraries(routes weir::weir)
C
cmake -S "$room/project" -B "$room/project/build" -DSOURCE="$example" -DCMAKE_PREFIX_PATH="$room/usr" >"$room/log"
cmake --build "$room/project/build" >"$room/log"
"$room/project/build/routes" >/dev/null
# A model of somebody else's: on the host everywhere, and its device code compiled and linked where the library has a GPU engine.
cmake -S "$here/../../examples/model" -B "$room/model" -DCMAKE_PREFIX_PATH="$room/usr" -DRUMOUR_GPU="${2:-OFF}" >"$room/log"
cmake --build "$room/model" >"$room/log" || { cat "$room/log"; exit 1; }
digests=$("$room/model/rumour" 2000 | tee /dev/stderr | sed 's/.*digest //' | sort -u | wc -l)
[ "$digests" -eq 1 ]

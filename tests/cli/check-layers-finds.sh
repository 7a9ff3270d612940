#!/bin/sh
# Pinned down: tools/check-layers passes what the design allows and names, with file and line, what it does not.
set -u
tool=$(cd "$(dirname "$0")/../.." && pwd)/tools/check-layers
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
failed=0

# expect CODE TEXT: the tool ends with CODE and its output holds TEXT
expect() {
    out=$("$tool" "$root" 2>&1)
    code=$?
    if [ "$code" -ne "$1" ] || ! printf '%s\n' "$out" | grep -qF -- "$2"; then
        printf 'wanted exit %s and "%s", got exit %s and:\n%s\n' "$1" "$2" "$code" "$out"
        failed=1
    fi
}

# put FILE LINE...: a source file of these lines
put() {
    file=$root/$1
    shift
    mkdir -p "$(dirname "$file")"
    printf '%s\n' "$@" >"$file"
}

expect 1 'is this the source tree?'
put include/weir/graph.h '#include "weir/status.h"'
put src/topology/a.c '#include <libxml/parser.h>' '#include "topology/b.h"' '#include "base/c.h"' '#include <stdio.h>'
put src/cli/run.c '#include "weir/graph.h"' '#include "scenario/x.h"'
put src/models/phold/m.c '#include "models/phold/m.h"' '#include "weir/engine.h"'
expect 0 '0 includes that the design does not allow'

put src/base/up.c '/* base knows nobody */' '#include "topology/b.h"'
expect 1 'src/base/up.c:2: "topology/b.h": base may use nothing of weir, not topology'
rm "$root/src/base/up.c"

put src/engine/packets.cu '#  include  "net/packet/packet.h"'
expect 1 'src/engine/packets.cu:1: "net/packet/packet.h": engine may use base device ranks pending, not net'
rm "$root/src/engine/packets.cu"

put src/net/file.c '#include <hdf5.h>'
expect 1 'src/net/file.c:1: <hdf5.h>: only output report may include this library, not net'
rm "$root/src/net/file.c"

put src/output/graph.c '#include "weir/graph.h"'
expect 1 'output may use base, not topology'
rm "$root/src/output/graph.c"

put src/cli/deep.c '#include "net/packet/world.h"'
expect 1 'cli may use base jobs output subject scenario study report, not net'
rm "$root/src/cli/deep.c"

put include/weir/status.h '#include "weir/engine.h"'
expect 1 'include/weir/status.h:1: "weir/engine.h": base may use nothing of weir, not engine'
rm "$root/include/weir/status.h"

put src/net/near.c '#include "near.h"' '#include "../base/x.h"'
expect 1 'src/net/near.c:1: "near.h": write it as "FOLDER/near.h"'
expect 1 'src/net/near.c:2: "../base/x.h": write it as'
rm "$root/src/net/near.c"

put src/newfolder/a.c ''
expect 1 'src/newfolder/a.c:0: the table in tools/check-layers does not say'
exit $failed

"""Each structure that the package mirrors has the size and the offsets that a C compiler gives it."""
import ctypes
import subprocess

from weir import _abi


def test_structures_are_those_of_the_headers(tmp_path, headers):
    lines = []
    for name, mirror in _abi.STRUCTURES.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'printf("{name}.{f[0]} %zu %zu\\n", offsetof({name}, {f[0]}), sizeof((({name} *)0)->{f[0]}));'
                  for f in mirror._fields_]
    source = tmp_path / "layout.c"
    names = ("analyze", "graph", "routes", "run", "scenario", "session", "status", "study", "topology", "version")
    source.write_text("#include <stdio.h>\n#include <stddef.h>\n" + "".join(f'#include "weir/{n}.h"\n' for n in names) +
                      "int main(void) {" + "\n".join(lines) + "}\n")
    subprocess.run(["cc", "-std=c17", f"-I{headers}", str(source), "-o", str(tmp_path / "layout")], check=True)
    said = subprocess.run([str(tmp_path / "layout")], capture_output=True, text=True, check=True).stdout.splitlines()
    ours = []
    for name, mirror in _abi.STRUCTURES.items():
        ours.append(f"{name} {ctypes.sizeof(mirror)}")
        ours += [f"{name}.{f[0]} {getattr(mirror, f[0]).offset} {getattr(mirror, f[0]).size}" for f in mirror._fields_]
    assert ours == said


def test_constants_are_those_of_the_headers(tmp_path, headers):
    source = tmp_path / "constants.c"
    source.write_text('#include <stdio.h>\n#include "weir/routes.h"\n#include "weir/topology.h"\nint main(void) {'
                      'printf("%u %u %lu %lu %d %d %d %d", WEIR_UNREACHABLE, WEIR_NO_PORT, WEIR_COST_DOWN, WEIR_COST_NONE,'
                      "WEIR_E_INTERRUPTED, WEIR_E_DEVICE, WEIR_METRIC_INVERSE_RATE, WEIR_ROUTE_FLOYD_PAPER); }\n")
    subprocess.run(["cc", "-std=c17", f"-I{headers}", str(source), "-o", str(tmp_path / "constants")], check=True)
    said = subprocess.run([str(tmp_path / "constants")], capture_output=True, text=True, check=True).stdout
    assert said == f"{_abi.UNREACHABLE} {_abi.NO_PORT} {_abi.COST_DOWN} {_abi.COST_NONE} 9 10 3 5"

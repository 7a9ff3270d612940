#!/usr/bin/env bash
# run.sh BUILD WHAT [NAME]: install the package from a copy of python/ into a fresh virtual environment, offline, and test it there.
#   WHAT   abi: the layout of structures alone, in place; tests: tests/python; notebooks: examples/notebooks, cell by cell
# Exits with 77 where packages are missing that tools/install-deps --test installs.
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3
[ -x $python ] || python=python3
if ! $python -c 'import numpy, pandas, h5py, scipy, networkx, pytest, jsonschema, setuptools, wheel, venv, ensurepip' 2>/dev/null; then
    echo 'SKIPPED: python3 lacks numpy, pandas, h5py, scipy, networkx, pytest, jsonschema, setuptools, wheel or venv'
    exit 77
fi
export WEIR_LIBRARY=$build/libweir.so WEIR_COMMAND=$build/src/cli/weir PYTHONDONTWRITEBYTECODE=1
if [ "$2" = abi ]; then # from the source, without an installation
    PYTHONPATH=$here/../../python exec $python -m pytest -q -p no:cacheprovider "$here/test_abi.py"
fi
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cp -r "$here/../../python" "$room/source"
$python -m venv --system-site-packages "$room/venv"
# No index and no build isolation: what Debian has must do.
"$room/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-build-isolation "$room/source"
cd "$room"
case $2 in
tests) "$room/venv/bin/python" -m pytest -q -p no:cacheprovider "$here" ;;
notebooks) "$room/venv/bin/python" "$here/notebooks.py" "$here"/../../examples/notebooks/*.ipynb ;;
esac

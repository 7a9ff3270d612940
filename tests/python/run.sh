#!/usr/bin/env bash
# run.sh BUILD WHAT: the Python package.
#   tests      installed from a copy of python/ into a fresh virtual environment, offline: tests/python
#   abi        from its source: the layout of structures alone
#   notebooks  from its source: examples/notebooks, cell by cell
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
from_source() { PYTHONPATH=$here/../../python exec $python "$@"; }
case $2 in
abi) from_source -m pytest -q -p no:cacheprovider "$here/test_abi.py" ;;
notebooks) from_source "$here/notebooks.py" "$here"/../../examples/notebooks/*.ipynb ;;
esac
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cp -r "$here/../../python" "$room/source"
$python -m venv --system-site-packages "$room/venv"
# No index and no build isolation: what Debian has must do.
"$room/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-build-isolation "$room/source"
cd "$room"
"$room/venv/bin/python" -m pytest -q -p no:cacheprovider "$here"

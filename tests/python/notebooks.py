"""Runs the code cells of notebooks in order, each notebook in a namespace of its own: what `jupyter execute` does, without a
kernel, so that no more than Python and matplotlib is needed. An expression at the end of a cell is shown. Any exception fails."""
import ast
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ["MPLBACKEND"] = "Agg"
for path in map(Path, sys.argv[1:]):
    book = json.loads(path.read_text(encoding="utf-8"))
    assert book["nbformat"] == 4 and all(not c.get("outputs") for c in book["cells"]), f"{path}: want version 4, without outputs"
    names = {"__name__": "__main__", "display": print}
    os.chdir(path.parent)
    with tempfile.TemporaryDirectory() as room:
        os.environ["WEIR_NOTEBOOK_OUTPUT"] = room
        for n, cell in enumerate(c for c in book["cells"] if c["cell_type"] == "code"):
            tree = ast.parse("".join(cell["source"]), f"{path.name}[{n + 1}]")
            last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, f"{path.name}[{n + 1}]", "exec"), names)
            if last is not None and (value := eval(compile(last, f"{path.name}[{n + 1}]", "eval"), names)) is not None:
                print(value)
    print(f"{path.name}: {n + 1} cells run")

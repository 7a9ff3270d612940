"""Mutates scenarios, one place each, and says what the JSON Schema thinks of them.

  mutate_scenarios.py SCHEMA COUNT SCENARIO...

Prints a line each: valid or invalid, a tab, the schema's reason, a tab, the scenario as JSON (which is YAML). Exit 77: no
jsonschema or yaml for this Python.
"""
import copy
import json
import os
import random
import sys

try:
    import jsonschema
    import yaml
except ImportError as e:
    print(e)
    sys.exit(77)

VALUES = [None, [], {}, "", "x", "all", "rest", "auto", -1, 0, 1, 2, 1.5, 7.0, 1e30, 70000, True, False, "5ms", "10Mbps", "64KiB",
          "30%", "101%", "0.25", "-5s", "0s", "-0s", "+3s", "1e3", "1_0", "_1", "1__0", ".5s", "5.ms", "5 ms ", "m", "3/s", "5 / ms",
          "1e3B", "0.0MB", "2PB", "A->B", "A--B", "*", "->", ["a"], [["a", "b"]], [["a"]], ["1s", "2s"], {"a": 1}, [None], [[]]]


def places(node, path=()):
    """Paths of all nodes below this one."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in items:
        yield path + (key,)
        yield from places(child, path + (key,))


def at(doc, path):
    for key in path:
        doc = doc[key]
    return doc


def mutate(rng, doc, every):
    doc = copy.deepcopy(doc)
    path = rng.choice(every)
    parent, key = at(doc, path[:-1]), path[-1]
    what = rng.choice(["value"] * 6 + ["drop", "drop", "rename", "add", "wrap", "borrow", "borrow"])
    if what == "value":
        parent[key] = rng.choice(VALUES)
    elif what == "drop":
        del parent[key]
    elif what == "rename" and isinstance(parent, dict):
        parent[str(key) + rng.choice("xs")] = parent.pop(key)
    elif what == "add" and isinstance(parent[key], dict):
        parent[key]["unheard"] = rng.choice(VALUES)
    elif what == "wrap":
        parent[key] = [parent[key]]
    elif what == "borrow" and isinstance(parent, dict):
        # a key of another section of the same name, or of another item of the list
        name = path[-2] if len(path) > 1 and isinstance(path[-2], str) else path[-3] if len(path) > 2 else None
        others = [p for p in every if len(p) > 1 and isinstance(at(doc, p[:-1]), dict) and
                  name == (p[-2] if isinstance(p[-2], str) else p[-3] if len(p) > 2 else None)]
        if others:
            other = rng.choice(others)
            parent[other[-1]] = copy.deepcopy(at(doc, other))
    return doc


def main():
    schema = json.load(open(sys.argv[1]))
    jsonschema.Draft202012Validator.check_schema(schema)
    judge = jsonschema.Draft202012Validator(schema)
    rng = random.Random(int(os.environ.get("SEED", "1")))
    scenarios = [yaml.safe_load(open(path)) for path in sys.argv[3:]]
    lists = [list(places(s)) for s in scenarios]
    for i in range(int(sys.argv[2]) + len(scenarios)):
        k = i % len(scenarios)
        doc = scenarios[k] if i < len(scenarios) else mutate(rng, scenarios[k], lists[k])
        error = next(judge.iter_errors(doc), None)
        why = f"{list(error.absolute_path)}: {error.message}" if error else "-"
        print("invalid" if error else "valid", why.replace("\t", " ").replace("\n", " ")[:300], json.dumps(doc), sep="\t")


if __name__ == "__main__":
    main()

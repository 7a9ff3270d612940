"""The examples run, docs/python.md shows what they print, and every public function is documented and tested."""
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import weir


@pytest.mark.parametrize("name", ["study", "session", "network"])
def test_an_example(source, name):
    said = subprocess.run([sys.executable, f"examples/python/{name}.py"], cwd=source, capture_output=True, text=True)
    assert said.returncode == 0 and said.stdout, said.stderr
    if name == "study":
        assert said.stdout in (source / "docs/python.md").read_text(encoding="utf-8")


def public_members():
    for name in weir.__all__:
        member = getattr(weir, name)
        if name.startswith("_"):
            continue
        yield name, member
        if inspect.isclass(member) and not issubclass(member, BaseException):
            yield from ((f"{name}.{k}", v) for k, v in vars(member).items()
                        if not k.startswith("_") and (callable(v) or isinstance(v, property)))


@pytest.mark.parametrize("name,member", public_members())
def test_is_documented_typed_and_tested(name, member):
    assert (member.__doc__ or "").strip(), "no docstring"
    function = member.fget if isinstance(member, property) else member
    if inspect.isfunction(function):
        assert "return" in function.__annotations__, "no type of what it returns"
        missing = [p for p in inspect.signature(function).parameters if p != "self" and p not in function.__annotations__]
        assert not missing
    if not inspect.isclass(member):  # classes are tested as what functions give
        tests = "".join(p.read_text(encoding="utf-8") for p in Path(__file__).parent.glob("test_*.py"))
        last = name.split(".")[-1]
        assert f".{last}" in tests or f'"{last}"' in tests, "no test"


def test_the_installed_package_is_typed():
    version = (Path(__file__).parents[2] / "VERSION").read_text().strip()
    assert (Path(weir.__file__).parent / "py.typed").exists() and weir.__version__ == version

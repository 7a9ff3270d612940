"""Whatever a public call gives back as a number or numbers says its unit: in its name, or in its docstring."""
import inspect
import re

import pytest

import weir

NUMERIC = re.compile(r"\b(float|int|ndarray|dict\[str, np\.ndarray\]|DataFrame|Samples|csr_matrix|tuple\[np\.ndarray)\b")
UNIT = re.compile(r"_s\b|_ps\b|_bps\b|_bytes\b|second|bits?\b|[Bb]ytes?\b|\bunits?\b|[Nn]umber|[Cc]ount|[Ss]hare|0 to 1|degrees|weight|whether|"
                  r"edge|cost|column|\[n_", re.S)


def members():
    for name in weir.__all__:
        thing = getattr(weir, name)
        if inspect.isfunction(thing):
            yield name, thing
        if not inspect.isclass(thing) or issubclass(thing, BaseException):
            continue
        for key, member in vars(thing).items():
            function = member.fget if isinstance(member, property) else member
            if not key.startswith("_") and inspect.isfunction(function):
                yield f"{name}.{key}", function


def numeric():
    return [(name, f) for name, f in members() if NUMERIC.search(str(f.__annotations__.get("return", "")))]


def test_there_are_some():
    assert len(numeric()) > 30


@pytest.mark.parametrize("name, function", numeric(), ids=lambda x: x if isinstance(x, str) else "")
def test_the_unit_is_said(name, function):
    assert UNIT.search(name) or UNIT.search(inspect.getdoc(function) or ""), f"{name} says no unit"


@pytest.mark.parametrize("kind", [weir.Estimate, weir.RunProgress, weir.StudyProgress, weir.Samples])
def test_fields_say_their_unit(kind):
    source = inspect.getsource(kind)
    for field in kind._fields:
        line = re.search(rf"^    {field}: .*$", source, re.M).group()
        texts = not re.search(r": (int|float|np)", line)
        assert texts or UNIT.search(field) or "#:" in line, f"{kind.__name__}.{field} says no unit"

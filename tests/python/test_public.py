"""Nothing public goes untested: every function, method and property of the package is used by a test, and every status of the
library is an exception of its own."""
import inspect
import re
from pathlib import Path

import pytest

import weir
from weir import _errors

KINDS = [weir.ArgumentError, weir.OutOfMemory, weir.FileError, weir.FormatError, weir.ScenarioError, weir.Unsupported,
         weir.ModelError, weir.CheckError, weir.DeviceError, weir.DeadlockError]


def members():
    """Functions, and what classes have; a class itself is what functions return."""
    for name in weir.__all__:
        thing = getattr(weir, name)
        if not inspect.isclass(thing):
            yield name
        elif not issubclass(thing, (BaseException, tuple)):
            for member, what in vars(thing).items():
                if not member.startswith("_") and (callable(what) or isinstance(what, (property, classmethod, staticmethod))):
                    yield f"{name}.{member}"


def test_every_public_name_is_tested():
    here = Path(__file__)
    tests = "".join(p.read_text() for p in here.parent.glob("test_*.py") if p != here)
    untested = [m for m in members() if not re.search(rf"\b{re.escape(m.split('.')[-1])}\b", tests)]
    assert len(list(members())) > 50 and untested == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_status_is_an_exception(kind):
    assert kind in _errors._KINDS.values() and issubclass(kind, weir.Error) and kind.__doc__


def test_public_exceptions_are_these():
    public = {t for t in (getattr(weir, n) for n in weir.__all__) if inspect.isclass(t) and issubclass(t, weir.Error)}
    assert public == {weir.Error, *KINDS}

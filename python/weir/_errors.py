"""What goes wrong, as exceptions that say where."""
from __future__ import annotations

import re
import sys
import warnings
from typing import Any, Mapping, NamedTuple, Optional, Sequence

from ._abi import c_void_p, lib


class Message(NamedTuple):
    """One message of the library."""

    severity: str  #: "note", "warning" or "error"
    status: str  #: such as "WEIR_E_SCENARIO"; "WEIR_OK" of notes and warnings
    file: Optional[str]  #: None where it belongs to no file
    line: int  #: from 1; 0: none
    column: int  #: from 1; 0: none
    text: str

    def __str__(self) -> str:
        place = f"{self.file}:" if self.file else ""
        if self.file and self.line:
            place += f"{self.line}:" + (f"{self.column}:" if self.column else "")
        return f"{place} {self.text}" if place else self.text


class Error(Exception):
    """What every failure of weir is a kind of. `file`, `line` and `column` are those of the first error."""

    def __init__(self, status: str, messages: Sequence[Message] = ()) -> None:
        self.status = status  #: such as "WEIR_E_SCENARIO"
        self.messages = [m for m in messages if m.severity == "error"]  #: all that was wrong
        first = next((m for m in self.messages if m.line), self.messages[0] if self.messages else None)
        self.file = first.file if first else None
        self.line = first.line if first else 0
        self.column = first.column if first else 0
        super().__init__("\n".join(map(str, self.messages)) or status)


class ArgumentError(Error, ValueError):
    """A value that a call cannot take (WEIR_E_ARG)."""


class OutOfMemory(Error, MemoryError):
    """Memory could not be had; the message says how much was wanted (WEIR_E_NOMEM)."""


class FileError(Error, OSError):
    """A file or folder could not be read or written (WEIR_E_IO)."""


class FormatError(Error, ValueError):
    """A file's content is not what its format allows (WEIR_E_FORMAT)."""


class ScenarioError(Error, ValueError):
    """A scenario asks for what does not exist or does not go together (WEIR_E_SCENARIO)."""


class Unsupported(Error, NotImplementedError):
    """This build of weir, or this machine, lacks what was asked for (WEIR_E_UNSUPPORTED)."""


class ModelError(Error):
    """A model broke its contract (WEIR_E_MODEL)."""


class CheckError(Error):
    """A law that every run must keep is broken: a bug in weir (WEIR_E_CHECK)."""


class DeviceError(Error):
    """The accelerator failed (WEIR_E_DEVICE)."""


class DeadlockError(Error):
    """Programs of an interconnect wait for each other and can never go on (WEIR_E_DEADLOCK). The messages name the ranks;
    `result` is the run, whose results are whole."""

    result: object = None


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, after weir has stopped at a consistent point. `result` is what there is: a `Run` that is partial, a
    `Study` without the runs that are missing; None where nothing was begun."""

    def __init__(self, result: object = None) -> None:
        self.result = result
        super().__init__("weir was stopped")


class WeirWarning(UserWarning):
    """A warning of the library, given through `warnings`."""


_KINDS = {1: ArgumentError, 2: OutOfMemory, 3: FileError, 4: FormatError, 5: ScenarioError, 6: Unsupported,
          7: ModelError, 8: CheckError, 10: DeviceError, 11: DeadlockError}
INTERRUPTED = 9
_SEVERITIES = ("note", "warning", "error")


def _text(value: Optional[bytes]) -> str:
    return value.decode("utf-8", "replace") if value is not None else ""


# The library words its remedies as options of the command; here they are arguments of calls.
_OPTIONS = [(re.compile(rf"(?<![\w'-]){pattern}"), python) for pattern, python in (
    (r"--(force|yes|retry)\b", r"\1=True"),
    (r"-o DIR\b", "output=DIR"),
    (r"--run-timeout\b", "run_timeout"),
    (r"--(device|algorithm) (?!wants)([\w:]+)", r'\1="\2"'),
    (r"--engine (\w+)", r'set={"engine.type": "\1"}'),
    (r"--(?:from|format) ([a-z][\w-]*)", r'format="\1"'),
    (r"--(?:from NAME|format)\b", "format"),
    (r"--set ([\w.+-]+)=([^;]*)", r'set={"\1": \2}'),
    (r"--list-metrics lists", "weir.metrics() lists"), (r"weir_graph_fill", "Topology.fill"),
    (r"--(device)\b", r"\1"))]


def in_python(text: str) -> str:
    """A message of the library as Python would say it: `force=True`, not `--force`."""
    for pattern, python in _OPTIONS:
        text = pattern.sub(python, text)
    return text


class Owner:
    """What has an object of libweir's, and frees it: there cannot be two."""

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: make it anew from what it was made of")


def _caller() -> int:
    """How far up the stack the code is that called the package, as `warnings.warn` of a function of this module counts."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    return level


class Diag(Owner):
    """The collector of messages that calls are given. For one thread at a time. `names` is what some files are called in
    messages."""

    def __init__(self, names: Mapping[str, str] = {}) -> None:
        self.handle = c_void_p(lib.weir_diag_new())
        if not self.handle:
            raise MemoryError("no memory for messages")
        self._names = names

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            lib.weir_diag_free(self.handle)

    def _place(self, file: Optional[bytes]) -> Optional[str]:
        """A file; of a value that was set, the value as Python sets it."""
        text = _text(file)
        return None if file is None else self._names.get(text) or in_python(text)

    def messages(self) -> list[Message]:
        """All messages since the last look."""
        found = []
        for i in range(lib.weir_diag_count(self.handle)):
            m = lib.weir_diag_get(self.handle, i).contents
            found.append(Message(_SEVERITIES[m.severity], _text(lib.weir_status_name(m.status)), self._place(m.file), m.line,
                                 m.column, in_python(_text(m.text))))
        lib.weir_diag_clear(self.handle)  # it keeps a thousand, and a session's lasts
        return found

    def check(self, status: int) -> None:
        """Nothing where the status is good, but for warnings; else an exception."""
        found = self.messages()
        for m in found:
            if m.severity == "warning":
                warnings.warn(WeirWarning(str(m)), stacklevel=_caller())
        if status == INTERRUPTED:
            raise Interrupted()
        if status:
            raise _KINDS.get(status, Error)(_text(lib.weir_status_name(status)), found)

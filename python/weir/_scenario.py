"""Scenarios: load, set values, see what is in force."""
from __future__ import annotations

import ctypes
import json
import os
import re
from pathlib import Path
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Union

from . import _abi
from ._abi import c_int64, c_size_t, c_void_p, lib, libc
from ._call import Stop, call
from ._errors import ArgumentError, Diag, FileError, Message

PathLike = Union[str, "os.PathLike[str]"]
Time = Union[str, int, float]
PS_PER_S = 10**12


def picoseconds(time: Time) -> int:
    """A time as weir has it, from a text with a unit ("5ms") or a number of seconds."""
    if isinstance(time, str):
        out, why = c_int64(), ctypes.create_string_buffer(300)
        if not lib.weir_parse_time(time.encode(), out, why, len(why)):
            raise _argument(why.value.decode("utf-8", "replace"))
        return out.value
    if not float(time) >= 0 or float(time) * PS_PER_S >= 2**63:
        raise _argument(f"{time} s: want a time from 0 on, of up to 106 days")
    return round(float(time) * PS_PER_S)


def _argument(text: str) -> ArgumentError:
    return ArgumentError("WEIR_E_ARG", [Message("error", "WEIR_E_ARG", None, 0, 0, text)])


def count(name: str, value: int, most: int = 2**32 - 1) -> int:
    """A number that C has no sign for: ctypes would take it modulo its size."""
    if not 0 <= value <= most:
        raise _argument(f"{name} is {value}; want 0 to {most}")
    return value


def absolute(path: PathLike) -> str:
    """A path that leads to the same place when the current folder is another; an empty one stays so."""
    text = os.fsdecode(path)
    return str(Path(text).absolute()) if text else text


_RANGE = re.compile(r"[-+.\w ]*\w\.\.[-+.\w ]+")


def yaml_of(value: Any, indent: Optional[int] = None, key: str = "") -> str:
    """A value as YAML: as JSON, which is YAML, but for ranges of `values`, which are ranges where they are not quoted."""
    if hasattr(value, "tolist"):  # numpy
        value = value.tolist()
    if hasattr(value, "nodes") and hasattr(value, "is_directed") or hasattr(value, "n_links"):  # a graph
        from ._graph import file_of
        value = file_of(value)
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        return value if key == "values" and _RANGE.fullmatch(value) else json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, (bool, int, float)):
        return json.dumps(value)
    deeper = None if indent is None else indent + 1
    space = "" if deeper is None else "\n" + " " * deeper
    comma = ", " if deeper is None else ","
    if isinstance(value, Mapping):
        items = [f"{space}{json.dumps(str(k), ensure_ascii=False)}: {yaml_of(v, deeper, str(k))}" for k, v in value.items()]
        return "{" + comma.join(items) + "}"
    if isinstance(value, Iterable):
        return "[" + comma.join(space + yaml_of(v, deeper, key) for v in value) + "]"
    raise _argument(f"{value!r} is no value that a scenario can hold")


class Estimate(NamedTuple):
    """What running would take, from the scenario alone: what `weir check` prints. Counts, but for bytes and seconds."""

    nodes: int  #: of the graph
    links: int  #: both directions as one
    hosts: int  #: count
    ports: int  #: of routers
    entities: int  #: of the simulation
    flows: int  #: that the scenario starts, fluid ones too
    fluid_flows: int  #: of these, those that travel as fluid
    arrivals: float  #: flows that come by themselves, expected
    packet_hops: float  #: packets times hops over the whole duration, without loss
    packet_hops_most: float  #: a bound of them
    memory_bytes: int  #: state, routes, pending events
    fluid_steps: float  #: of the solver; 0: no fluid
    fluid_s: float  #: of a processor, good to a factor of two
    fluid_as_packet_hops: float  #: of the same flows, if they were packets
    fluid_as_packets_s: float  #: of a processor, likewise


class Scenario:
    """A checked scenario. It does not change: `set` gives another one.

    source    the path of a YAML file, which is read once; or a dict (lists, texts, numbers) that holds what such a file would, in which case
              relative names of files are relative to `base_dir`, by default the current folder. A `Topology` or a networkx
              graph may stand where such a file names one: {"topology": {"file": graph}}.
    set       values that replace those of the source, by path: {"traffic.bulk.tcp.sessions": 5}, as `--set` takes them. A
              path that ends in ".+" adds an item to a list.
    """

    def __init__(self, source: Union[PathLike, Mapping[str, Any], "Scenario"], *, set: Optional[Mapping[str, Any]] = None,
                 base_dir: Optional[PathLike] = None) -> None:
        sets: list[str] = []
        if isinstance(source, Scenario):
            self._file, self._text, self._base, sets = source._file, source._text, source._base, source._sets
        elif isinstance(source, Mapping):
            self._file, self._text, self._base = "<dict>", yaml_of(source, 0).encode(), absolute(base_dir or ".")
        else:
            self._file = os.fsdecode(source)
            self._text, self._base = _read(self._file), os.path.dirname(absolute(source))
        self._load(sets + [f"{path}={yaml_of(value)}" for path, value in (set or {}).items()])

    def _load(self, sets: list[str]) -> None:
        self._sets, self._handle, diag = sets, c_void_p(), Diag()
        diag.check(lib.weir_scenario_parse(diag.handle, os.fsencode(self._file), self._text, len(self._text), os.fsencode(self._base),
                                           _c_texts(sets), len(sets), ctypes.byref(self._handle)))

    def __reduce__(self) -> Any:
        return _again, (self._file, self._text, self._base, self._sets)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            lib.weir_scenario_free(self._handle)

    def set(self, values: Mapping[str, Any]) -> "Scenario":
        """This scenario with other values, by path: `s.set({"seed": 3, "traffic.bulk.tcp.sessions": 5})`."""
        return Scenario(self, set=values)

    @property
    def text(self) -> str:
        """The resolved scenario as YAML: every value in force, defaults included."""
        buffer, size = c_void_p(), c_size_t()
        file = libc.open_memstream(ctypes.byref(buffer), ctypes.byref(size))
        if not file:
            raise MemoryError("no memory for a text")
        diag = Diag()
        status = lib.weir_scenario_write(diag.handle, self._handle, file)
        libc.fclose(file)
        text = ctypes.string_at(buffer.value or 0, size.value).decode() if buffer else ""
        libc.free(buffer)
        diag.check(status)
        return text

    @property
    def name(self) -> str:
        """The scenario's name, of which results are called by default."""
        line = next(line for line in self.text.splitlines() if line.startswith("name: "))
        name = line[len("name: "):]
        return json.loads(name) if name.startswith('"') else name

    def estimate(self) -> Estimate:
        """Sizes, packet hops and memory that a run would take, without running."""
        found, stop, diag = _abi.Estimate(), Stop(), Diag()
        lib.weir_diag_set_stop(diag.handle, stop.word)
        diag.check(call(lambda: lib.weir_estimate_scenario(diag.handle, self._handle, found), stop))
        return Estimate(*(getattr(found, name) for name in Estimate._fields))

    def __repr__(self) -> str:
        return f"<weir.Scenario {self.name!r}>"


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read((16 << 20) + 1)  # what is longer libweir refuses
    except OSError as e:
        raise FileError("WEIR_E_IO", [Message("error", "WEIR_E_IO", path, 0, 0, os.strerror(e.errno or 0))]) from None


def _again(file: str, text: bytes, base: str, sets: list[str]) -> Scenario:
    """A scenario that was pickled or copied."""
    found = Scenario.__new__(Scenario)
    found._file, found._text, found._base = file, text, base
    found._load(sets)
    return found


def _c_texts(texts: list[str]) -> Any:
    return (ctypes.c_char_p * len(texts))(*(t.encode() for t in texts)) if texts else None


def load(source: Union[PathLike, Mapping[str, Any]], *, set: Optional[Mapping[str, Any]] = None,
         base_dir: Optional[PathLike] = None) -> Scenario:
    """Load and check a scenario from a file or a dict: see `Scenario`.

    Raises ScenarioError, FormatError or FileError, whose `messages` hold all that is wrong, each with its file, line and
    column (of a dict: those of it as JSON, each value on a line).
    """
    return Scenario(source, set=set, base_dir=base_dir)


def _json(address: Any) -> Any:
    if not address:
        raise MemoryError("no memory for a text")
    text = ctypes.string_at(address)
    libc.free(address)
    return json.loads(text)


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of scenarios."""
    return _json(lib.weir_scenario_json_schema())


def columns() -> list[dict[str, Any]]:
    """Every table that runs write: a list of dicts with "model", "file", "table", and "columns": name, type, units, meaning."""
    return _json(lib.weir_results_json())

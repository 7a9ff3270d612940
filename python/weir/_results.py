"""A run's results: what stands in its folder, as plain values, numpy arrays and pandas frames."""
from __future__ import annotations

import csv
import json
import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import AbstractSet, TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ._plot import Plots
from ._scenario import PathLike, columns

if TYPE_CHECKING:
    import pandas


def _need(module: str, for_what: str) -> Any:
    try:
        return __import__(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ImportError(f"{for_what} needs {package}: install python3-{package} or `pip install {package}`") from None


class Temporary:
    """A folder that goes with this object, in the process that made both: one that was forked leaves it alone."""

    def __init__(self, prefix: str) -> None:
        self.name = tempfile.mkdtemp(prefix=prefix)
        self._end = weakref.finalize(self, _remove, self.name, os.getpid())


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def read_arrays(path: Path, texts: AbstractSet[str]) -> dict[str, np.ndarray]:
    """A CSV table as one array a column: `texts` are texts, whatever they look like; of the others numbers where all of it are
    (an empty field is NaN), else texts."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        names = next(rows)
        columns = list(zip(*rows)) or [()] * len(names)
    return {name: np.array(column, dtype=object) if name in texts else _numbers(column)
            for name, column in zip(names, columns)}


def read_frame(path: Path, texts: AbstractSet[str]) -> "pandas.DataFrame":
    """The same as a frame: a class called "null" or "7" is a name, and an empty field alone has no value. Of no rows, columns
    that are no texts are numbers."""
    frame = _need("pandas", "a frame").read_csv(path, dtype={name: str for name in texts}, keep_default_na=False, na_values=[""],
                                                float_precision="round_trip")
    return frame if len(frame) else frame.astype({name: float for name in frame.columns if name not in texts})


def _numbers(column: tuple) -> np.ndarray:
    if not any(column):
        return np.full(len(column), np.nan)
    try:
        return np.array(column, dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    try:
        return np.array([field or "nan" for field in column], dtype=np.float64)
    except ValueError:
        return np.array(column, dtype=object)


class Series:
    """One table of series.h5: samples of several columns for several rows (ports, flows), over time."""

    def __init__(self, path: Path, table: str) -> None:
        h5py = _need("h5py", "reading series.h5")
        with h5py.File(path, "r") as file:
            if table not in file:
                raise KeyError(f"{path} has no table {table!r}; it has {', '.join(file) or 'none'}")
            group = file[table]
            self.table = table
            self.time_s: np.ndarray = group["time_s"][...]  #: [samples]
            self.rows: list[str] = [n.decode("utf-8", "replace") for n in group["name"][...]] if "name" in group else [""]
            columns = [c for c in group if c not in ("time_s", "name")]
            #: column: its unit, such as "bytes"
            self.units: dict[str, str] = {c: _unit(group[c].attrs.get("units", "")) for c in columns}
            self._values = {c: group[c][...] for c in columns}  # chunks are compressed: each is read once, into its array
        self.columns = columns

    def __getitem__(self, column: str) -> np.ndarray:
        """All samples of a column, [samples][rows], in `units[column]`; NaN: no value."""
        if column not in self._values:
            raise KeyError(f"{self.table} has no column {column!r}; it has {', '.join(self.columns)}")
        return self._values[column]

    def frame(self, column: str) -> "pandas.DataFrame":
        """A column as a frame: an index of seconds, and one column a row of the table, in `units[column]`."""
        pandas = _need("pandas", "a frame")
        return pandas.DataFrame(self[column].reshape(len(self.time_s), len(self.rows)), columns=self.rows,
                                index=pandas.Index(self.time_s, name="time_s"))

    def __repr__(self) -> str:
        return f"<weir.Series {self.table!r}: {len(self.time_s)} samples of {len(self.rows)} rows, {', '.join(self.columns)}>"


def _unit(value: Union[str, bytes]) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


class Run:
    """A run's results: of a folder that `weir run` or `weir.run` has written, or of a run that wrote none.

    docs/results.md says what the files and columns hold.
    """

    def __init__(self, path: Optional[PathLike], *, summary: Optional[dict[str, Any]] = None,
                 keep: Optional[Temporary] = None) -> None:
        self.path: Optional[Path] = Path(path).absolute() if path is not None else None  #: the folder; None where none was written
        self._keep = keep  # goes with this object
        self._summary = summary
        self._cache: dict[str, Any] = {}
        if summary is None:
            self._file("summary.json")

    def _file(self, name: str) -> Path:
        if self.path is None:
            raise FileNotFoundError(f"{name}: this run wrote no files; run it with an output folder")
        if not (self.path / name).exists():
            have = sorted(p.name for p in self.path.iterdir()) if self.path.is_dir() else []
            raise FileNotFoundError(f"{self.path} has no {name}" + (f"; it has {', '.join(have)}" if have else ""))
        return self.path / name

    @property
    def summary(self) -> dict[str, Any]:
        """summary.json: counts, digests, classes, wall time, engine."""
        if self._summary is None:
            self._summary = json.loads(self._file("summary.json").read_text(encoding="utf-8"))
        return self._summary

    def metric(self, path: str) -> float:
        """A figure of the summary by its path, in the unit that its name ends with: "classes.bulk.goodput_bps" in bits per
        second, "classes.0.delay.p99_s" in seconds; NaN: no value."""
        here: Any = self.summary
        at = path
        while at:
            here, at = _step(here, at, path)
        if here is None:
            return float("nan")
        if isinstance(here, (bool, int, float)):
            return float(here)
        raise KeyError(f"{path} is no number")

    @property
    def partial(self) -> bool:
        """Stopped before its end."""
        return bool(self.summary.get("partial"))

    @property
    def tables(self) -> list[str]:
        """Names of the CSV tables that the run wrote: flows, ports, ..."""
        return sorted(p.stem for p in self.path.glob("*.csv")) if self.path else []

    def arrays(self, table: str) -> dict[str, np.ndarray]:
        """A CSV table as one numpy array a column, in the unit that `units` says; an empty field is NaN."""
        return read_arrays(self._file(f"{table}.csv"), self._texts(table))

    def table(self, table: str) -> "pandas.DataFrame":
        """A CSV table as a frame; its `attrs["units"]` has the unit of each column."""
        if table not in self._cache:
            frame = read_frame(self._file(f"{table}.csv"), self._texts(table))
            frame.attrs["units"] = self.units(table)
            self._cache[table] = frame
        return self._cache[table]

    def _columns(self, table: str) -> list[dict[str, Any]]:
        model = self.summary.get("model", "network")
        return [c for t in columns() if t["model"] == model and t["file"] == f"{table}.csv" for c in t["columns"]]

    def _texts(self, table: str) -> AbstractSet[str]:
        return {c["name"] for c in self._columns(table) if c["type"] == "text"}

    def units(self, table: str) -> dict[str, str]:
        """The unit of each column of a CSV table, such as "bit/s"; "" where it has none."""
        return {c["name"]: c["units"] for c in self._columns(table)}

    @property
    def plot(self) -> "Plots":
        """The run's figures by matplotlib: `run.plot.queue()`, `run.plot(name)`, `run.plot.names`."""
        if "plot" not in self._cache:
            self._cache["plot"] = Plots(self._file("summary.json").parent)
        return self._cache["plot"]

    @property
    def flows(self) -> "pandas.DataFrame":
        """flows.csv: one row a flow; `attrs["units"]` has the unit of each column, which its name ends with."""
        return self.table("flows")

    @property
    def ports(self) -> "pandas.DataFrame":
        """ports.csv: one row a port; `attrs["units"]` has the unit of each column, which its name ends with."""
        return self.table("ports")

    def series(self, table: str = "ports") -> Series:
        """A table of series.h5: "ports" (of output.ports) or "flows" (of output.cwnd)."""
        if ("series", table) not in self._cache:
            self._cache["series", table] = Series(self._file("series.h5"), table)
        return self._cache["series", table]

    @property
    def scenario_text(self) -> str:
        """The resolved scenario, which reproduces the run."""
        return self._file("scenario.yaml").read_text(encoding="utf-8")

    def __repr__(self) -> str:
        s = self.summary
        where = f" in {self.path}" if self.path and not self._keep else ""
        return f"<weir.Run {s.get('name')!r}: {s.get('reached_s'):g} s simulated, {s.get('events')} events{where}>"


def _step(here: Any, rest: str, path: str) -> tuple[Any, str]:
    """One step of a path: the longest key first, since keys may hold dots (p99.9_s)."""
    parts = rest.split(".")
    for n in range(len(parts), 0, -1):
        key, left = ".".join(parts[:n]), ".".join(parts[n:])
        if isinstance(here, dict) and key in here:
            return here[key], left
        if isinstance(here, list):
            for item in here:
                if isinstance(item, dict) and item.get("name") == key:
                    return item, left
            if key.isdecimal() and int(key) < len(here):
                return here[int(key)], left
    have = list(here) if isinstance(here, dict) else []
    if isinstance(here, list):
        have = [item.get("name", str(i)) if isinstance(item, dict) else str(i) for i, item in enumerate(here)]
    raise KeyError(f"{path}: there is no {parts[0]!r} there" + (f"; there is {', '.join(map(str, have))}" if have else ""))


def open_run(path: PathLike) -> Run:
    """The results in a folder that an earlier run has written."""
    return Run(os.fspath(path))

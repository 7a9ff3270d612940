"""Parameter studies."""
from __future__ import annotations

import ctypes
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._abi import c_void_p, lib
from ._call import Progress, Stop, call
from ._errors import INTERRUPTED, Diag, Interrupted
from ._results import open_run, read_arrays, read_frame, Run, Temporary
from ._run import Source
from ._scenario import PathLike, Scenario, _argument, _c_texts, _json, absolute, count, yaml_of

if TYPE_CHECKING:
    import pandas


#: of a study's tables; the type of a parameter's values is told by them
_TEXTS = frozenset(["metric", "unit", "effect", "aliases", "status", "event_digest", "state_digest", "error"])


class StudyProgress(NamedTuple):
    """How far a study is."""

    done: int  #: runs
    total: int  #: may grow with until-precision
    failed: int  #: runs
    wall_s: float  #: real time so far
    left_s: float  #: expected; NaN while nothing is known

    def __str__(self) -> str:
        left = f"  {self.left_s:.3g} s left" if self.left_s == self.left_s else ""
        failed = f"  {self.failed} failed" if self.failed else ""
        return f"weir: {self.done} of {self.total} runs{failed}{left}"


class Study:
    """A study's results: the tables in its folder (docs/studies.md)."""

    def __init__(self, path: PathLike, counts: Optional[_abi.StudyResult] = None,
                 keep: Optional[Temporary] = None) -> None:
        self.path = Path(path).absolute()
        self._keep = keep
        self._cache: dict[str, Any] = {}
        if not (self.path / "runs.csv").exists():
            raise FileNotFoundError(f"{self.path} is no study: it has no runs.csv")
        #: runs that failed, that are not over, and that an earlier call had finished; None of a study only opened
        self.failed = counts.failed if counts else None
        self.missing = counts.missing if counts else None
        self.reused = counts.reused if counts else None

    def _table(self, name: str) -> "pandas.DataFrame":
        if name not in self._cache:
            self._cache[name] = read_frame(self.path / f"{name}.csv", _TEXTS)
        return self._cache[name]

    @property
    def aggregate(self) -> "pandas.DataFrame":
        """aggregate.csv: one row a parameter set and metric, with mean, sd, interval, quantiles, all in the metric's unit, which
        its name ends with."""
        return self._table("aggregate")

    @property
    def runs(self) -> "pandas.DataFrame":
        """runs.csv: one row a run, with its parameters, digests and metrics, these in the unit that their names end with."""
        return self._table("runs")

    @property
    def differences(self) -> "pandas.DataFrame":
        """differences.csv: paired differences from the baseline, where there is one, in the metric's unit."""
        if not (self.path / "differences.csv").exists():
            raise FileNotFoundError(f"{self.path} has no differences.csv, which is of a study with a baseline")
        return self._table("differences")

    def arrays(self, table: str = "aggregate") -> dict[str, np.ndarray]:
        """A table as one numpy array a column, in the metric's unit; an empty field is NaN."""
        return read_arrays(self.path / f"{table}.csv", _TEXTS)

    @property
    def plots(self) -> list[Path]:
        """The pictures that the study has drawn."""
        return sorted(self.path.glob("plot-*.svg"))

    @property
    def kept_runs(self) -> list[Run]:
        """The runs that were kept (`keep_runs`)."""
        return [open_run(p.parent) for p in sorted(self.path.glob("runs/*/summary.json"))]

    def __repr__(self) -> str:
        return f"<weir.Study in {self.path}>"


def open_study(path: PathLike) -> Study:
    """The tables in the folder of an earlier study."""
    return Study(os.fspath(path))


Values = Union[str, Sequence[Any]]


def study(source: Source, vary: Union[Mapping[str, Values], Iterable[Mapping[str, Any]], None] = None, *,
          replications: Optional[int] = None, metrics: Optional[Sequence[str]] = None, baseline: Optional[str] = None,
          set: Optional[Mapping[str, Any]] = None, output: Optional[PathLike] = None, force: bool = False,
          jobs: int = 0, keep_runs: bool = False, yes: bool = False, run_timeout: float = 0.0, retry: bool = False,
          progress: Progress = None) -> Study:
    """Run a scenario for every combination of values and for several replications; means with their intervals.

    source         as `weir.load` takes it, a Scenario, or the folder of a study, with which it goes on. Its own section
                   `study` counts; what is given here comes on top.
    vary           {path: values}: a list, or a text such as "10kB..50kB step 10kB". Or items of `study.vary` as they stand
                   in a file: [{"path": ..., "name": ..., "values": [...]}].
    replications   runs a parameter set, with seeds of their own.
    metrics        such as "loss = classes.bulk.loss", "p99(flows.completion_s where class = mice)".
    baseline       such as "type=droptail": compare with that value, run by run.
    output         the study's folder: given once more, the study goes on where it was stopped. None: a temporary one.
    jobs           runs at once; 0: one a core.
    yes            more than a million runs are meant.
    run_timeout    seconds after which a run fails; 0: none.
    retry          try runs again that died or took too long.

    The tables are those that `weir study` writes, byte for byte. Runs that fail are counted and named, and the others go
    on. Ctrl-C raises Interrupted, whose `result` is the study so far.
    """
    if not run_timeout >= 0:
        raise _argument(f"run_timeout is {run_timeout}; want seconds, 0 for none")
    temporary = Temporary("weir-study-") if output is None else None
    folder = os.path.join(temporary.name, "study") if temporary else absolute(output)  # type: ignore[arg-type]
    with _file_of(Scenario(source) if isinstance(source, Mapping) else source, set) as (path, texts, diag):
        texts += [f"study.vary.+={yaml_of(item)}" for item in _items(vary)]
        for key, value in (("replications", replications), ("metrics", metrics), ("baseline", baseline)):
            if value is not None:
                texts.append(f"study.{key}={yaml_of(value)}")
        return _work(path, texts, diag, folder, temporary, force, count("jobs", jobs), keep_runs, yes, run_timeout, retry, progress)


def metrics(source: Source, *, set: Optional[Mapping[str, Any]] = None) -> list[dict[str, str]]:
    """What runs of a scenario can be measured by, for the `metrics` of `study`: a list of dicts with "metric", its "units", and
    its "meaning". Columns of tables and series stand under mean(); any other statistic will do."""
    handle, text = c_void_p(), _abi._TEXT()
    with _file_of(Scenario(source) if isinstance(source, Mapping) else source, set) as (path, texts, diag):
        try:
            diag.check(lib.weir_study_open(diag.handle, os.fsencode(path), _c_texts(texts), len(texts), None, ctypes.byref(handle)))
            diag.check(lib.weir_study_metrics(handle, ctypes.byref(text)))
            return _json(text.value)
        finally:
            lib.weir_study_free(handle)


def _items(vary: Any) -> list[dict[str, Any]]:
    if vary is None:
        return []
    if isinstance(vary, Mapping):
        return [{"path": path, "values": list(values) if isinstance(values, Iterable) and not isinstance(values, str) else values}
                for path, values in vary.items()]
    return [dict(item) for item in vary]


@contextmanager
def _file_of(source: Union[PathLike, Scenario], set: Optional[Mapping[str, Any]]) -> Iterator[tuple[str, list[str], Diag]]:
    """The file to open, what is set in it, and where its messages go: libweir's studies are made of files. Of a scenario that
    no file holds, or none any more, one that goes afterwards, and is called in messages what the scenario is."""
    texts = [f"{key}={yaml_of(value)}" for key, value in (set or {}).items()]
    if not isinstance(source, Scenario):
        yield os.fsdecode(source), texts, Diag()
        return
    name, texts = os.path.basename(source._file), source._sets + texts
    path = os.path.join(source._base, name)
    if _holds(path, source._text):
        yield path, texts, Diag({path: source._file})
        return
    with tempfile.TemporaryDirectory(prefix="weir-") as folder:
        path = os.path.join(folder, name)
        Path(path).write_bytes(source._text)
        yield path, [f"study.base={yaml_of(source._base)}"] + texts, Diag({path: source._file})


def _holds(path: str, text: bytes) -> bool:
    try:
        return Path(path).read_bytes() == text
    except OSError:
        return False


def _work(path: str, texts: list[str], diag: Diag, folder: str, temporary: Any, force: bool, jobs: int, keep_runs: bool, yes: bool,
          run_timeout: float, retry: bool, progress: Progress) -> Study:
    stop, handle, result = Stop(), c_void_p(), _abi.StudyResult()
    last: list[StudyProgress] = []

    def hear(_user: Any, told: Any) -> None:
        p = told.contents
        last[:] = [StudyProgress(p.done, p.total, p.failed, p.wall_s, p.left_s)]

    options = _abi.StudyOptions()
    lib.weir_study_options_init(options)
    options.output_dir, options.force, options.yes, options.keep_runs = os.fsencode(folder), force, yes, keep_runs
    options.run_timeout_s, options.retry = run_timeout, retry
    options.jobs, options.stop = jobs, ctypes.pointer(stop.word)
    options.progress = told = _abi.STUDY_PROGRESS(hear)
    lib.weir_diag_set_stop(diag.handle, stop.word)
    try:
        diag.check(lib.weir_study_open(diag.handle, os.fsencode(path), _c_texts(texts), len(texts), options,
                                       ctypes.byref(handle)))
        status = call(lambda: lib.weir_study_run(handle, options, result), stop, progress,
                      lambda: last.pop() if last else None)
        del told
        if status == INTERRUPTED:
            there = result.output_dir and os.path.exists(os.path.join(folder, "runs.csv"))
            raise Interrupted(Study(folder, result, temporary) if there else None)
        diag.check(status)
        return Study(folder, result, temporary)
    finally:
        lib.weir_study_result_free(result)
        lib.weir_study_free(handle)

"""Running: a scenario straight through, or in steps."""
from __future__ import annotations

import ctypes
import json
import os
import threading
from contextlib import contextmanager
from typing import Any, Iterator, Literal, Mapping, NamedTuple, Optional, Union

import numpy as np

from . import _abi
from ._abi import c_double, c_void_p, lib
from ._call import Progress, Stop, call
from ._errors import INTERRUPTED, DeadlockError, Diag, Interrupted, Owner
from ._results import Run, Temporary
from ._scenario import PS_PER_S, PathLike, Scenario, Time, absolute, picoseconds

Output = Union[PathLike, None, Literal[False]]
Source = Union[PathLike, Mapping[str, Any], Scenario]


class RunProgress(NamedTuple):
    """How far a run is."""

    now_s: float  #: simulated
    end_s: float  #: simulated, when the run ends
    events: int  #: handled
    wall_s: float  #: real time since the first event
    phase: str  #: "routes", "simulate", "write"

    @property
    def share(self) -> float:
        """0 to 1."""
        return self.now_s / self.end_s if self.end_s else 0.0

    def __str__(self) -> str:
        speed = self.events / self.wall_s / 1e6 if self.wall_s > 0 else 0.0
        return (f"weir: {self.phase} {100 * self.share:3.0f} %  {self.now_s:.6g} of {self.end_s:.6g} s  "
                f"{speed:.3g} M events/s")


class Samples(NamedTuple):
    """One time series of a session: the samples taken so far."""

    time_s: np.ndarray  #: simulated
    value: np.ndarray  #: in `units`; NaN: no value
    units: str  #: such as "bytes"


class Session(Owner):
    """A scenario on its way from its first event to its results, to be looked at in between.

    source, set    as `weir.load` takes them, or a Scenario.
    output         where results go when it finishes: a folder's path; None: a temporary folder that goes with the Run;
                   False: nowhere.
    force          replace results that stand there.
    keep_series    keep the time series in memory, for `series`.

    Where it stops on the way changes no result. Closed without `finish`, it leaves nothing behind. Use it in a `with`.
    A session is for one thread at a time: a call while another thread is in one, or out of its progress function, raises
    RuntimeError, and leaves the session as it is.
    """

    def __init__(self, source: Source, *, set: Optional[Mapping[str, Any]] = None, output: Output = None,
                 force: bool = False, keep_series: bool = True, progress: Progress = False) -> None:
        self.scenario = source if isinstance(source, Scenario) and not set else Scenario(source, set=set)
        self._busy = threading.Lock()
        self._diag, self._stop, self._handle = Diag(), Stop(), c_void_p()
        self._progress, self._last = progress, None  # type: Progress, Optional[RunProgress]
        self._temporary: Optional[Temporary] = None
        self._process = os.getpid()
        self._run: Optional[Run] = None
        self._options = self._make_options(output, force, keep_series)
        try:
            self._check(self._call(lambda: lib.weir_session_open(self._diag.handle, self.scenario._handle, self._options,
                                                                ctypes.byref(self._handle))))
        except BaseException:
            self._free()
            raise

    def _make_options(self, output: Output, force: bool, keep_series: bool) -> _abi.RunOptions:
        options = _abi.RunOptions()
        lib.weir_run_options_init(options)
        if output is None:
            self._temporary = Temporary("weir-")
            options.output_dir = os.fsencode(os.path.join(self._temporary.name, "run"))
        elif output is False:
            options.no_output = True
        else:
            options.output_dir = os.fsencode(absolute(output))
        options.force, options.keep_series = force, keep_series
        options.command = b"python"
        options.stop = ctypes.pointer(self._stop.word)
        if self._progress is not False:
            options.progress = self._told = _abi.RUN_PROGRESS(self._hear)  # kept: C calls it
        return options

    def _hear(self, _user: Any, told: Any) -> None:
        p = told.contents
        self._last = RunProgress(p.now_ps / PS_PER_S, p.end_ps / PS_PER_S, p.events, p.wall_s, (p.phase or b"").decode())

    def _news(self) -> Optional[RunProgress]:
        last, self._last = self._last, None
        return last

    def _call(self, work: Any) -> int:
        self._stop.word.value = 0
        return call(work, self._stop, self._progress, self._news)

    def _check(self, status: int) -> None:
        if status not in (0, INTERRUPTED):
            try:
                self._diag.check(status)
            finally:
                self._free()
        self._diag.check(status)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """The session is this thread's meanwhile: libweir has no lock of its own."""
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("the session is in use: a call of another thread, or the one whose progress is told, is not over. "
                               "A session is for one thread at a time")
        try:
            yield
        finally:
            self._busy.release()

    @contextmanager
    def _open(self) -> Iterator[c_void_p]:
        with self._alone():
            if not self._handle:
                raise ValueError("it is closed: open the scenario again")
            yield self._handle

    def advance(self, until: Optional[Time] = None) -> float:
        """Simulate up to a time ("5s", or seconds), by default to the end; gives the simulated time reached, in seconds.

        Ctrl-C stops at a consistent point and raises Interrupted: the session can be read, advanced again, or finished.
        """
        with self._open() as handle:
            to = lib.weir_session_end(handle) if until is None else picoseconds(until)
            self._check(self._call(lambda: lib.weir_session_advance(handle, to)))
            return lib.weir_session_now(handle) / PS_PER_S

    @property
    def now(self) -> float:
        """Simulated time reached, in seconds."""
        with self._open() as handle:
            return lib.weir_session_now(handle) / PS_PER_S

    @property
    def end(self) -> float:
        """The scenario's duration, in simulated seconds; of one that runs until all is done, its bound, and then when it was."""
        with self._open() as handle:
            return lib.weir_session_end(handle) / PS_PER_S

    @property
    def events(self) -> int:
        """Events handled so far, a count."""
        with self._open() as handle:
            return lib.weir_session_events(handle)

    def metric(self, path: str) -> float:
        """A figure of summary.json as it stands now, in the unit that its name ends with: "classes.bulk.goodput_bps" in bits
        per second, "..._s" in seconds, shares from 0 to 1; NaN: no value yet."""
        value = c_double()
        with self._open() as handle:
            self._diag.check(lib.weir_session_metric(handle, path.encode(), value))
        return value.value

    def series(self, table: str, column: str, row: Optional[str] = None) -> Samples:
        """A time series so far, by table, column and row of series.h5: ("ports", "queue_bytes", "left->right"). Times are
        seconds, and values in `units`."""
        found = _abi.Samples()
        with self._open() as handle:
            self._diag.check(lib.weir_session_series(handle, table.encode(), column.encode(),
                                                     row.encode() if row is not None else None, found))
            n = found.n
            return Samples(*(np.ctypeslib.as_array(a, (n,)).copy() if n else np.empty(0) for a in (found.time_s, found.value)),
                           units=(found.units or b"").decode())

    def finish(self) -> Run:
        """Check what every run must keep, write the results, and close. Before the end: a partial run. Programs that can never
        go on raise DeadlockError, whose `result` is the run."""
        if self._run is not None:
            return self._run
        with self._open() as handle:
            result = _abi.RunResult()
            status = call(lambda: lib.weir_session_finish(handle, result), self._stop, self._progress, self._news)
            try:
                if result.summary_json:
                    self._run = self._result(result)
                self._diag.check(0 if status == INTERRUPTED else status)
            except DeadlockError as error:
                error.result = self._run
                raise
            finally:
                lib.weir_run_result_free(result)
                self._free()
            return self._run

    def _result(self, result: _abi.RunResult) -> Run:
        summary = json.loads(result.summary_json) if result.summary_json else None
        path = os.fsdecode(result.output_dir) if result.output_dir else None
        return Run(path, summary=summary, keep=self._temporary)

    def close(self) -> None:
        """Free; without `finish` before it, nothing is left behind."""
        with self._alone():
            self._free()

    def _free(self) -> None:
        handle, self._handle = self._handle, c_void_p()
        if handle and self._process == os.getpid():  # one that was forked would remove what its parent writes
            lib.weir_session_close(handle)
        self._told = self._options = None  # the callback holds self

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._free()


def session(source: Source, *, set: Optional[Mapping[str, Any]] = None, output: Output = None, force: bool = False,
            keep_series: bool = True, progress: Progress = False) -> Session:
    """A session that stands before its first event: see `Session`."""
    return Session(source, set=set, output=output, force=force, keep_series=keep_series, progress=progress)


def run(source: Source, *, set: Optional[Mapping[str, Any]] = None, output: Output = None, force: bool = False,
        progress: Progress = None) -> Run:
    """Run a scenario from start to end, and give its results.

    source, set    as `weir.load` takes them, or a Scenario.
    output         a folder's path; None: a temporary folder that goes with the Run; False: none, only the summary.
    force          replace results that stand there.
    progress       a function of a RunProgress; True: a line that is written over; None: such a line on a terminal and in a
                   notebook.

    Other Python threads run on meanwhile. Ctrl-C stops at the next consistent point and raises Interrupted, whose `result`
    is the run so far, marked as partial. What a progress function raises stops the run, and nothing is written.
    """
    with Session(source, set=set, output=output, force=force, keep_series=False, progress=progress) as s:
        try:
            s.advance()
        except Interrupted:
            raise Interrupted(s.finish()) from None
        return s.finish()

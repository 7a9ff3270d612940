"""Long calls: in a thread of their own, so that Ctrl-C and progress reach the caller's."""
from __future__ import annotations

import sys
import threading
import time
from typing import Any, Callable, Optional, Union

from ._abi import c_int

#: Whether and how progress is told: True on a line of its own, False not; None: where there is a terminal or a notebook.
Progress = Union[bool, None, Callable[[Any], None]]


class Stop:
    """The word that asks the library to stop."""

    def __init__(self) -> None:
        self.word = c_int(0)

    def set(self) -> None:
        self.word.value = 1


def _in_notebook() -> bool:
    get = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)
    return get() is not None and "IPKernelApp" in getattr(get(), "config", {})


class _Line:
    """Progress on one line that is written over: on a terminal and in a notebook's cell alike."""

    def __init__(self) -> None:
        self.width = 0

    def __call__(self, told: Any) -> None:
        text = str(told)
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def end(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


def _teller(progress: Progress) -> Optional[Callable[[Any], None]]:
    if callable(progress):
        return progress
    if progress is None and sys.stderr is not None:
        progress = sys.stderr.isatty() or _in_notebook()
    return _Line() if progress and sys.stderr is not None else None


def call(work: Callable[[], int], stop: Stop, progress: Progress = False, news: Optional[Callable[[], Any]] = None) -> int:
    """`work()`, a call of the library without the interpreter's lock; its status.

    `news()` gives what there is to tell since it was last asked, or None; it is told by the calling thread, so that
    what the caller's function raises stops the run and is raised here. After Ctrl-C, the library stops at its next
    consistent point, and the status says so.
    """
    tell = _teller(progress)
    if threading.current_thread() is not threading.main_thread() and tell is None:
        return work()
    status: list[int] = []
    failure: list[BaseException] = []
    over = threading.Event()  # Thread.join takes an interrupt for the thread's end (CPython 3.11)

    def body() -> None:
        try:
            status.append(work())
        except BaseException as e:  # a mistake of this package's
            failure.append(e)
        over.set()

    worker = threading.Thread(target=body, name="weir", daemon=True)
    raised: Optional[BaseException] = None
    worker.start()
    told_at = 0.0
    while not over.is_set():
        try:
            over.wait(0.05)
            if tell and news and raised is None and time.monotonic() - told_at > 0.2:
                told = news()
                if told is not None:
                    tell(told)
                    told_at = time.monotonic()
        except KeyboardInterrupt:
            stop.set()
        except BaseException as e:
            raised = e
            stop.set()
    if tell and news and raised is None and not stop.word.value:
        told = news()
        if told is not None:
            tell(told)
    if isinstance(tell, _Line):
        tell.end()
    if failure:
        raise failure[0]
    if raised is not None:
        raise raised
    return status[0]

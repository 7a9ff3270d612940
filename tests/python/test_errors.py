"""Failures speak Python: remedies are arguments of calls, values that were set are named as they were; and a session that two
threads use raises, and goes on."""
import copy
import pickle
import threading
import warnings

import numpy as np
import pytest

import weir
from weir._errors import in_python

NET = {"weir": 1, "name": "net", "duration": "2s", "topology": {"generate": {"model": "dumbbell", "left": 2}},
       "traffic": [{"name": "bulk", "from": "l0", "to": "r0", "tcp": {"sessions": 2}, "start": {"uniform": ["0s", "100ms"]}}]}


@pytest.mark.parametrize("said, wanted", [
    ("exists already; choose another folder for the results, or replace it with --force",
     "exists already; choose another folder for the results, or replace it with force=True"),
    ("--force begins anew, -o DIR puts the new one elsewhere", "force=True begins anew, output=DIR puts the new one elsewhere"),
    ("more than a million are meant, say --yes", "more than a million are meant, say yes=True"),
    ("took longer than the 3 s of --run-timeout; --retry tries it again", "took longer than the 3 s of run_timeout; retry=True tries it again"),
    ("route on the CPU (--device cpu)", 'route on the CPU (device="cpu")'),
    ("use --engine conservative, fewer entities", 'use set={"engine.type": "conservative"}, fewer entities'),
    ("by --from inet or --from edges", 'by format="inet" or format="edges"'),
    ("--set topology.queue.limit=3", 'set={"topology.queue.limit": 3}'),
    ("no link between 'l0' and 'r0' (did you mean 'l0--left'?)", "no link between 'l0' and 'r0' (did you mean 'l0--left'?)"),
    ("fill it in (weir_graph_fill) or route by hops", "fill it in (Topology.fill) or route by hops"),
    ("a link h0--force of a strange name", "a link h0--force of a strange name")])
def test_options_become_arguments(said, wanted):
    assert in_python(said) == wanted


def test_no_option_of_the_command_is_left(tmp_path):
    weir.run(NET, output=tmp_path / "run")
    with pytest.raises(weir.FileError, match="force=True") as caught:
        weir.run(NET, output=tmp_path / "run")
    assert "--" not in str(caught.value)
    with pytest.raises(weir.ScenarioError) as caught:
        weir.load(NET, set={"topology.queue.limit": 3})
    assert str(caught.value).startswith('set={"topology.queue.limit": 3}: limit: ')
    weir.study(NET, vary={"seed": [1, 2]}, output=tmp_path / "study")
    with pytest.raises(weir.ArgumentError, match="force=True replaces them.*output=DIR") as caught:
        weir.study(NET, vary={"seed": [1]}, output=tmp_path / "study")
    assert "--" not in str(caught.value)
    assert weir.study(NET, vary={"seed": [1]}, output=tmp_path / "study", force=True).reused == 1


def test_warnings_are_of_the_line_that_called(tmp_path):
    late = dict(NET, traffic=[*NET["traffic"], {"name": "late", "from": "l0", "to": "r0", "tcp": {}, "start": "1h"}])
    calls = [lambda: weir.load(late), lambda: weir.Scenario(late), lambda: weir.run(late, output=False),
             lambda: weir.session(late, output=False), lambda: weir.study(late, {"seed": [1, 2, 3]}), lambda: weir.metrics(late)]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", weir.WeirWarning)
            call()
        told = [w for w in caught if w.category is weir.WeirWarning]
        assert told and {w.filename for w in told} == {__file__}
        assert all(str(w.message).startswith("<dict>:") for w in told) and len(told) <= 3


@pytest.mark.parametrize("make", [lambda: weir.topology("star"), lambda: weir.routes(weir.topology("star")),
                                  lambda: weir.session(NET, output=False)])
def test_what_libweir_holds_is_not_copied(make):
    """A copy would free it a second time."""
    for twice in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            twice(make())


@pytest.mark.parametrize("call, wanted", [
    (lambda: weir.study(NET, jobs=-1), "jobs is -1"), (lambda: weir.study(NET, run_timeout=float("nan")), "run_timeout is nan"),
    (lambda: weir.topology("waxman", seed=-1), "seed is -1"), (lambda: weir.topology("waxman", seed=2**64), "seed is 18446744073709551616"),
    (lambda: weir.routes(weir.topology("star"), threads=-1), "threads is -1"),
    (lambda: weir.routes(np.array([[0, 1], [1, 0]]), cost=[1.5, 1]), "a cost of 1.5"),
    (lambda: weir.routes(np.array([[0, 1], [1, 0]]), cost=np.array([-1, 1])), "a cost of -1")])
def test_numbers_are_not_bent(call, wanted):
    """ctypes takes them modulo the size of the field, and numpy cuts them."""
    with pytest.raises(weir.ArgumentError, match=wanted):
        call()


def test_a_session_of_two_threads_raises():
    session = weir.session(NET, set={"duration": "200s"}, output=False)
    inside, failed = threading.Event(), []

    def run():
        try:
            while session.now < session.end:
                session.advance(session.now + 2)
                inside.set()
        except RuntimeError as e:  # this thread was the second one
            failed.append(e)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failed and all("one thread at a time" in str(e) for e in failed)
    assert session.advance() == 200.0  # none of it has done it harm
    whole = weir.run(NET, set={"duration": "200s"}, output=False)
    assert session.finish().summary["state_digest"] == whole.summary["state_digest"]


def test_each_call_is_refused_while_another_is_under_way():
    session = weir.session(NET, output=False)
    calls = [session.advance, lambda: session.now, lambda: session.end, lambda: session.events, session.finish, session.close,
             lambda: session.metric("events"), lambda: session.series("ports", "queue_bytes")]
    with session._alone():
        for call in calls:
            with pytest.raises(RuntimeError, match="in use"):
                call()
    assert session.now == 0.0
    session.close()


def test_one_thread_after_another_is_good():
    session = weir.session(NET, output=False)
    for until in (0.5, 1.0):
        thread = threading.Thread(target=session.advance, args=(until,))
        thread.start()
        thread.join()
    assert session.now == 1.0
    session.finish()

import json
import os
import signal
import subprocess
import sys
import threading
import time

import networkx
import numpy as np
import pandas
import pytest

import weir

ENDLESS = "8600000s"  # simulated; days


def test_a_run_is_the_commands(first, tmp_path, command):
    run = weir.run(first, output=tmp_path / "mine")
    subprocess.run([command, "run", first, "-o", str(tmp_path / "its"), "--no-progress"], check=True, capture_output=True)
    for name in ("flows.csv", "ports.csv", "series.h5", "scenario.yaml"):
        assert (tmp_path / "mine" / name).read_bytes() == (tmp_path / "its" / name).read_bytes(), name
    its = weir.open_run(tmp_path / "its")
    assert its.summary["event_digest"] == run.summary["event_digest"] and run.path == tmp_path / "mine"
    assert not run.partial and run.scenario_text == its.scenario_text


def test_frames_and_arrays(small):
    run = weir.run(small)
    assert run.tables == ["flows", "ports"]
    assert list(run.flows["class"]) == ["call", "bulk", "bulk"] and run.flows is run.table("flows")
    assert run.ports["utilisation"].between(0, 1).all()
    assert run.ports.attrs["units"]["queue_mean_bytes"] == "bytes" and set(run.units("flows")) == set(run.flows.columns)
    arrays = run.arrays("flows")
    assert arrays["received_bytes"].dtype == np.int64 and np.isnan(arrays["end_s"]).all() and arrays["from"][0] == "l0"
    for table in run.tables:  # to the bit: pandas' own reader of numbers is off by one in the last place
        for name, column in run.arrays(table).items():
            assert column.dtype == object or np.array_equal(run.table(table)[name], column, equal_nan=True), name
    with pytest.raises(FileNotFoundError, match="flows.csv"):
        run.table("jobs")


def test_series(small):
    run = weir.run(small)
    s = run.series()
    assert s.rows == ["left->right"] and s.units["queue_bytes"] == "bytes" and "queue_bytes" in s.columns
    assert s["queue_bytes"].shape == (len(s.time_s), 1) and s.time_s[0] == pytest.approx(0.05)
    frame = s.frame("queue_bytes")
    assert frame.index.name == "time_s" and list(frame.columns) == ["left->right"] and frame.to_numpy().max() > 0
    assert run.series("flows")["cwnd_bytes"].shape[1] == 2 and "ports" in repr(s)
    with pytest.raises(KeyError, match="queue_bytes"):
        s["queue"]
    with pytest.raises(KeyError, match="flows, ports"):
        run.series("port")


def test_what_is_empty_has_its_types(small):
    """No flow came, no sample was taken: frames are as those of other runs but for rows."""
    late = {"name": "late", "tcp": {"size": "10kB", "arrivals": {"poisson": "0.0001/s"}}, "from": "l0", "to": "r0"}
    run = weir.run(dict(small, duration="10ms", traffic=[late], output={"ports": ["left->right"], "interval": "50ms"}))
    full = weir.run(small).flows
    assert len(run.flows) == 0 and run.flows["goodput_bps"].dtype == float and np.isnan(run.flows["goodput_bps"].mean())
    assert (pandas.concat([run.flows, full]).dtypes == "object").tolist() == (full.dtypes == "object").tolist()
    assert run.series().frame("queue_bytes").shape == (0, 1)


def test_results_stay_where_they_are(small, tmp_path, monkeypatch):
    """Relative names are of the folder where the call was made, whatever the current folder is afterwards."""
    (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    run, session = weir.run(small, output="run"), weir.session(small, output="session")
    study = weir.study(small, {"seed": [1]}, output="study")
    monkeypatch.chdir(tmp_path / "b")
    assert len(run.flows) == 3 and len(study.runs) == 1
    session.advance("1s")
    assert len(session.finish().flows) == 3
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == ["run", "session", "study"]
    assert list((tmp_path / "b").iterdir()) == []


def test_a_fork_leaves_alone_what_is_its_parents(small, tmp_path):
    code = f"""
import os, sys, weir
run, session = weir.run({small!r}), weir.session({small!r}, output={str(tmp_path / "r")!r})
session.advance(1)
child = os.fork()
if not child:
    sys.exit()
os.waitpid(child, 0)
print(len(run.flows), len(session.finish().flows))
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert said.stdout == "3 3\n", said.stderr


def test_without_a_package_it_is_named(small):
    code = f"""
import sys
sys.modules.update(dict.fromkeys(["pandas", "h5py", "networkx", "scipy", "scipy.sparse", "matplotlib"]))
import weir
run, network = weir.run({small!r}), weir.topology("star")
for call in (lambda: run.flows, run.series, network.to_networkx, network.to_scipy, run.plot.queue):
    try:
        call()
    except ImportError as e:
        print(str(e).split("pip install ")[1])
print(run.arrays("flows")["class"][0])
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert said.stdout.split() == ["pandas`", "h5py`", "networkx`", "scipy`", "matplotlib`", "call"], said.stderr


def test_metrics_of_a_summary(small):
    run = weir.run(small, output=False)
    assert run.metric("classes.bulk.goodput_bps") == run.summary["classes"][1]["goodput_bps"] == run.metric("classes.1.goodput_bps")
    assert run.metric("classes.call.delay.p99.9_s") > 0 and run.metric("partial") == 0
    with pytest.raises(KeyError, match="call, bulk"):
        run.metric("classes.mice.goodput_bps")
    with pytest.raises(KeyError, match="no number"):
        run.metric("name")
    with pytest.raises(KeyError, match="no '²'"):
        run.metric("classes.²")
    with pytest.raises(FileNotFoundError, match="wrote no files"):
        run.flows
    assert "small" in repr(run) and run.tables == []


def test_temporary_results_go_with_the_run(small):
    run = weir.run(small)
    there = run.path
    assert there.exists()
    del run
    assert not there.exists()


def test_results_are_replaced_by_force_only(small, tmp_path):
    weir.run(small, output=tmp_path / "r")
    with pytest.raises(weir.Error, match="force|exists"):
        weir.run(small, output=tmp_path / "r")
    weir.run(small, output=tmp_path / "r", force=True)


def test_progress(small):
    told = []
    weir.run(dict(small, duration="200s"), output=False, progress=told.append)
    assert told and all(isinstance(t, weir.RunProgress) and 0 <= t.share <= 1 for t in told) and "M events/s" in str(told[-1])


def test_what_progress_raises_stops_the_run(small, tmp_path):
    def stop(told):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        weir.run(dict(small, duration=ENDLESS), output=tmp_path / "r", progress=stop)
    assert not (tmp_path / "r").exists() and list(tmp_path.iterdir()) == []


def test_a_progress_line(small, capsys):
    weir.run(dict(small, duration="100s"), output=False, progress=True)
    assert "\rweir: simulate" in capsys.readouterr().err


def test_a_progress_line_without_a_place(small, monkeypatch):
    monkeypatch.setattr("sys.stderr", None)  # of a service
    assert weir.run(dict(small, duration="100s"), output=False, progress=True).metric("reached_s") == 100


def interrupt_when(under_way, then=lambda: None):
    """Ctrl-C for the main thread, from another one, as soon as the run is under way: a state, not a time."""

    def wait():
        while not under_way():
            time.sleep(0.001)
        then()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=wait, daemon=True).start()


def test_other_threads_run_on(small, tmp_path):
    """The run ends only because another thread gets on while it lasts."""
    ticks = []

    def tick():
        for _ in range(20):
            ticks.append(any(tmp_path.iterdir()))
            time.sleep(0.001)

    interrupt_when(lambda: list(tmp_path.glob("*/status.json")), tick)
    with pytest.raises(KeyboardInterrupt):
        weir.run(dict(small, duration=ENDLESS), output=tmp_path / "r")
    assert len(ticks) == 20 and all(ticks)


def test_runs_side_by_side(small):
    digests = {}

    def work(i):
        digests[i] = weir.run(small, output=False).summary["event_digest"]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(set(digests.values())) == 1 and len(digests) == 4


def test_ctrl_c(small, tmp_path):
    code = f"""
import os, pathlib, signal, threading, time, weir
def press():
    while not list(pathlib.Path({str(tmp_path)!r}).glob("*/status.json")):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press, daemon=True).start()
try:
    weir.run({json.dumps(dict(small, duration=ENDLESS))}, output={str(tmp_path / "r")!r})
except KeyboardInterrupt as e:
    print(type(e).__name__, e.result.partial, e.result.summary["reached_s"] > 0, e.result.tables)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert said.stdout.strip() == "Interrupted True True ['flows', 'ports']", said.stderr


def test_a_session_stops_and_looks(small):
    whole = weir.run(small, output=False)
    with weir.session(small) as s:
        assert s.now == 0 and s.end == 4 and s.scenario.name == "small"
        assert s.advance("1s") == 1 and s.advance(1.5) == 1.5
        early = s.events
        assert early > 0 and s.metric("events") == early
        queue = s.series("ports", "queue_bytes", "left->right")
        assert queue.units == "bytes" and len(queue.value) == len(queue.time_s) > 20
        with pytest.raises(weir.ArgumentError, match="classes"):
            s.metric("clases.bulk.goodput_bps")
        s.advance()
        run = s.finish()
        assert s.finish() is run
    assert run.summary["event_digest"] == whole.summary["event_digest"] and run.summary["events"] > early
    with pytest.raises(ValueError, match="closed"):
        s.now


def test_a_session_says_why_each_time(small):
    """The library keeps a thousand messages; a session that polls for what is not there yet has more."""
    with weir.session(small, output=False) as s:
        for _ in range(1001):
            with pytest.raises(weir.ArgumentError, match="no 'flow'"):
                s.metric("flow")


def test_a_session_that_is_closed_leaves_nothing(small, tmp_path):
    with weir.Session(small, output=tmp_path / "r") as s:
        s.advance(1)
    assert list(tmp_path.iterdir()) == []


def test_finished_early_it_is_partial(small):
    s = weir.session(small, output=False)
    s.advance("500ms")
    assert s.finish().partial
    s.close()
    s.close()


def test_times(small):
    with weir.session(small, output=False) as s:
        for bad in ("5", "soon", -1, float("nan"), 1e9):
            with pytest.raises(weir.ArgumentError):
                s.advance(bad)
        assert s.advance("2 s") == 2


def test_a_scenario_that_cannot_be_built(small):
    bad = dict(small, traffic=[{"name": "b", "udp": {"rate": "1kbps"}, "from": "l0", "to": "nobody"}], output={})
    with pytest.raises(weir.ScenarioError) as e:
        weir.run(bad)
    assert e.value.file == "<dict>" and e.value.line > 1 and "nobody" in str(e.value)


def test_a_deadlock_has_its_results(tmp_path):
    trace = tmp_path / "t.txt"
    trace.write_text("0 recv 1 0\n1 recv 0 0\n0 send 1 0 8\n1 send 0 0 8\n")
    source = {"weir": 1, "duration": "1ms", "model": {"interconnect": {"jobs": [{"trace": str(trace)}]}}}
    with pytest.raises(weir.DeadlockError, match="rank 0 waits in 'recv' for rank 1 to send") as e:
        weir.run(source)
    assert (e.value.file, e.value.line) == (str(trace), 1)
    assert list(e.value.result.table("ranks")["state"]) == ["deadlock"] * 2


def test_warnings_are_warnings(small, tmp_path):
    weir.load(small)  # none
    graph = tmp_path / "g.edges"
    graph.write_text("a b\nb c\nd e\n")
    with pytest.warns(weir.WeirWarning, match="component"):
        weir.topology(graph).info()


def test_finding_the_library(tmp_path):
    bad = dict(os.environ, WEIR_LIBRARY=str(tmp_path / "nothing.so"))
    said = subprocess.run([sys.executable, "-c", "import weir"], env=bad, capture_output=True, text=True)
    assert said.returncode != 0 and "WEIR_LIBRARY names" in said.stderr
    bad["WEIR_LIBRARY"] = "/lib/x86_64-linux-gnu/libc.so.6"
    said = subprocess.run([sys.executable, "-c", "import weir"], env=bad, capture_output=True, text=True)
    assert said.returncode != 0 and ("has no weir_version" in said.stderr or "does not exist" in said.stderr)


def test_names_are_texts_whatever_they_look_like():
    names = ["NA", "null", "01", "7"]
    network = networkx.path_graph(4)
    networkx.relabel_nodes(network, dict(enumerate(names)), copy=False)
    networkx.set_edge_attributes(network, 10**7, "rate_bps")
    networkx.set_edge_attributes(network, 0.001, "delay_s")
    run = weir.run({"weir": 1, "duration": "5ms", "topology": {"file": network},
                    "traffic": [{"name": "nan", "udp": {"rate": "1Mbps"}, "from": "NA", "to": names[1:]},
                                {"name": "7", "udp": {"rate": "1Mbps"}, "from": "null", "to": "01"}]})
    assert run.flows["class"].tolist() == run.arrays("flows")["class"].tolist() == ["nan"] * 3 + ["7"]
    assert run.flows["to"].tolist() == run.arrays("flows")["to"].tolist() == ["null", "01", "7", "01"]
    assert run.flows["end_s"].isna().all() and run.flows["packets_sent"].dtype == "int64"

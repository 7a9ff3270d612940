import subprocess

import numpy as np
import pytest

import weir

LIMITS = ["20kB", "40kB", "80kB"]
METRICS = ["loss = classes.download.loss", "goodput = classes.call.goodput_bps"]


def test_a_study_gives_the_commands_tables(first, tmp_path, command):
    s = weir.study(first, {"topology.queue.limit": LIMITS}, replications=4, metrics=METRICS, set={"duration": "8s"},
                   output=tmp_path / "mine", jobs=2)
    subprocess.run([command, "study", first, "--vary", "topology.queue.limit=" + ",".join(LIMITS), "--replications", "4",
                    "--set", "duration=8s", "--set", "study.metrics=[" + ",".join(f'"{m}"' for m in METRICS) + "]",
                    "-o", str(tmp_path / "its"), "--no-progress"], check=True, capture_output=True)
    for name in ("aggregate.csv", "runs.csv"):
        assert (tmp_path / "mine" / name).read_bytes() == (tmp_path / "its" / name).read_bytes(), name
    assert s.failed == 0 and s.missing == 0 and len(s.runs) == 12 and len(s.aggregate) == 6
    its = weir.open_study(tmp_path / "its")
    assert its.aggregate.equals(s.aggregate) and its.failed is None and "its" in repr(its)
    assert np.allclose(s.arrays()["mean"], s.aggregate["mean"])
    assert s.arrays("runs")["run"].dtype == np.int64
    row = s.runs.iloc[-1]  # a run of a study is that run alone, to the text of its digests
    alone = weir.run(first, output=False, set={"duration": "8s", "topology.queue.limit": row["topology.queue.limit"], "run": int(row["run"])})
    assert alone.summary["state_digest"] == row["state_digest"] and alone.summary["event_digest"] == row["event_digest"]


def test_what_is_listed_can_be_measured(tmp_path):
    source = {"weir": 1, "duration": "1s", "topology": {"generate": {"model": "star"}},
              "traffic": [{"name": "a", "from": "h0", "to": "h1", "tcp": {"size": "10kB"}}]}
    listed = weir.metrics(source, set={"output.ports": "all"})
    units = {m["metric"]: m["units"] for m in listed}
    assert units["classes.a.completion.p99_s"] == "s" and units["mean(series.ports.queue_bytes)"] == "bytes"
    names = ["classes.a.completion.p99_s", "max(series.ports.queue_bytes)", "classes.a.slowdown.p99.9"]
    found = weir.study(source, metrics=[f"m{i} = {m}" for i, m in enumerate(names)], set={"output.ports": "all"}).arrays("runs")
    assert found["m0"][0] > 0 and found["m1"][0] >= 0 and found["m2"][0] >= 1
    with pytest.raises(weir.ScenarioError, match=r"weir\.metrics\(\) lists"):
        weir.study(source, metrics=["classes.a.complete.p99_s"])


def test_of_a_dict_with_names_and_a_baseline(small, tmp_path):
    told = []
    there = dict(small, study={"vary": [{"name": "flows", "path": "traffic.bulk.tcp.sessions", "values": "1..2"}]}, duration="40s")
    s = weir.study(there, replications=3, baseline="flows=1", progress=told.append, keep_runs=True, output=tmp_path / "s")
    assert list(s.aggregate["flows"].unique()) == [1, 2] and len(s.differences) > 0 and len(s.kept_runs) == 6
    assert all(run.summary["name"] == "small" for run in s.kept_runs)
    assert told and isinstance(told[-1], weir.StudyProgress) and "runs" in str(told[-1])
    assert all(p.suffix == ".svg" for p in s.plots)
    again = weir.study(there, replications=3, baseline="flows=1", keep_runs=True, output=tmp_path / "s")
    assert again.reused == 6
    assert weir.study(tmp_path / "s", output=tmp_path / "s").reused == 6  # a folder goes on


def test_of_a_scenario_in_a_temporary_folder(small):
    s = weir.study(weir.load(small, set={"duration": "1s"}), {"seed": "1..3", "topology.queue.limit": ["10kB..20kB step 10kB", "50kB"]})
    there = s.path
    assert len(s.runs) == 9
    with pytest.raises(FileNotFoundError, match="which is of a study with a baseline"):
        s.differences
    del s
    assert not there.exists()


def test_mistakes_are_exceptions(small, tmp_path):
    with pytest.raises(weir.ScenarioError, match="sesions"):
        weir.study(small, {"traffic.bulk.tcp.sesions": [1, 2]})
    with pytest.raises(weir.Error):
        weir.study(small, {"traffic.bulk.tcp.sessions": ["5ms"]})
    with pytest.raises(FileNotFoundError, match="no study"):
        weir.open_study(tmp_path)

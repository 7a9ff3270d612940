import pickle

import jsonschema
import numpy as np
import pytest

import weir


def test_a_file_and_what_is_set_in_it(first):
    s = weir.load(first, set={"duration": "10s", "seed": 3, "output.histograms": False})
    assert s.name == "first" and "duration: 10s\n" in s.text and "seed: 3\n" in s.text and "histograms: false" in s.text


def test_a_dict_is_the_same_as_a_file(small, tmp_path):
    s = weir.load(small)
    (tmp_path / "again.yaml").write_text(s.text)
    assert weir.load(tmp_path / "again.yaml").text == s.text
    assert weir.Scenario(s).text == s.text


def test_set_gives_another_scenario(small):
    s = weir.load(small)
    t = s.set({"traffic.bulk.tcp.sessions": np.int64(7), "traffic.+": {"name": "x", "udp": {"rate": "1kbps"}, "from": "l0", "to": "r1"}})
    assert "sessions: 2" in s.text and "sessions: 7" in t.text and "name: x" in t.text and "name: x" not in s.text


def test_files_that_a_dict_names_lie_in_base_dir(source, small):
    there = dict(small, topology={"file": "abilene.graphml"}, output={})
    there["traffic"] = [dict(small["traffic"][0], to="Denver", **{"from": "Seattle"})]
    assert "abilene.graphml" in weir.load(there, base_dir=source / "examples/abilene").text
    with pytest.raises(weir.Error, match="abilene.graphml"):
        weir.load(there)


def test_errors_say_where(tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text("weir: 1\nduration: 5\ntopology:\n  generate: {model: dumbbell, left: 2}\ntrafic: []\n")
    with pytest.raises(weir.ScenarioError) as e:
        weir.load(bad)
    assert (e.value.file, e.value.line) == (str(bad), 2) and e.value.column > 0 and e.value.status == "WEIR_E_SCENARIO"
    last = e.value.messages[-1]
    assert last.line == 5 and last.column == 1 and "did you mean 'traffic'" in last.text and last.severity == "error"
    assert str(e.value).startswith(f"{bad}:2:") and isinstance(e.value, ValueError)
    assert str(last) in str(e.value)


def test_kinds_of_errors(tmp_path, small):
    with pytest.raises(weir.FileError):
        weir.load(tmp_path / "none.yaml")
    (tmp_path / "x.yaml").write_text("weir: [1\n")
    with pytest.raises(weir.FormatError):
        weir.load(tmp_path / "x.yaml")
    with pytest.raises(weir.ArgumentError, match="no value"):
        weir.load(small, set={"seed": object()})
    with pytest.raises(weir.ScenarioError, match="seed"):
        weir.load(small, set={"seed": "much"})


def test_texts_are_texts(small):
    name = 'a "quoted" name: [it], {is} #one, é'
    s = weir.load(dict(small, traffic=[dict(small["traffic"][0], name=name)], output={}))
    run = weir.run(s, output=False)
    assert run.summary["classes"][0]["name"] == name


@pytest.mark.parametrize("name", ["it's", '"q"', "'", "é x", "null", " a"])
def test_its_name_is_the_one_given(small, name):
    assert weir.load(dict(small, name=name)).name == name


def test_a_scenario_does_not_change(small, tmp_path, monkeypatch):
    """What becomes of its file, or where Python stands, is nothing to it; and it goes to other processes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.yaml").write_text(weir.load(small).text)
    s = weir.load("net.yaml", set={"seed": 5})
    (tmp_path / "net.yaml").write_text(weir.load(small, set={"duration": "1s"}).text)
    monkeypatch.chdir("/")
    for same in (s.set({"run": 0}), weir.Scenario(s), pickle.loads(pickle.dumps(s))):
        assert same.text == s.text and "duration: 4s\n" in same.text and "seed: 5\n" in same.text
    study = weir.study(s, {"seed": [5]}, keep_runs=True)
    assert study.kept_runs[0].metric("reached_s") == 4 and study.kept_runs[0].summary["name"] == "small"


def test_estimate(small):
    e = weir.load(small).estimate()
    assert e.flows == 3 and e.nodes == 6 and e.packet_hops > 0 and e.memory_bytes > 0


def test_schema(small):
    jsonschema.Draft202012Validator(weir.schema()).validate(small)


def test_columns_have_units_and_meanings():
    flows = next(t for t in weir.columns() if (t["model"], t["file"]) == ("network", "flows.csv"))
    goodput = next(c for c in flows["columns"] if c["name"] == "goodput_bps")
    assert goodput["units"] == "bit/s" and goodput["type"] == "real" and "received_bytes" in goodput["meaning"]
    assert {"kademlia", "interconnect", "mgk"} <= {t["model"] for t in weir.columns()}


def test_repr(small):
    assert repr(weir.load(small)) == "<weir.Scenario 'small'>"

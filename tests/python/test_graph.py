import gc

import networkx as nx
import numpy as np
import pandas
import pytest
import scipy.sparse
import scipy.sparse.csgraph as csgraph

import weir


def same(a, b):
    assert a.names == b.names
    for field in ("first", "target", "reverse", "link", "rate_bps", "delay_ps", "weight", "exists", "is_host"):
        assert np.array_equal(getattr(a, field), getattr(b, field)), field
    assert np.array_equal(a.xy, b.xy, equal_nan=True) and a.geographic == b.geographic


def test_generated(tmp_path):
    g = weir.topology("barabasi-albert", nodes=200, m=2, seed=7)
    assert g.n_nodes == 200 and g.n_edges == 2 * g.n_links and len(g.names) == 200 and "200 nodes" in repr(g)
    assert g.info()["components"] == 1 and sum(g.info()["nodes_of_degree"]) == 200
    same(g, weir.topology("barabasi-albert", nodes=200, m=2, seed=7))
    assert np.array_equal(g.target[g.reverse], g.source) and np.array_equal(g.link[g.reverse], g.link)
    with pytest.raises(weir.ScenarioError, match="nods"):
        weir.topology("barabasi-albert", nods=200)
    g.write(tmp_path / "g.graphml")
    same(g, weir.topology(tmp_path / "g.graphml"))
    g.plot(tmp_path / "g.svg")
    assert (tmp_path / "g.svg").read_text().startswith("<")


def test_generators():
    found = {g.name: g for g in weir.generators()}
    assert "dumbbell" in found and any(p.name == "left" and p.default for p in found["dumbbell"].parameters)


def test_a_file(source):
    g = weir.topology(source / "examples/abilene/abilene.graphml")
    assert g.geographic and g.node("Seattle") == g.node(g.node("Seattle")) and not g.is_host.any()
    assert -180 <= g.xy[:, 0].min() < g.xy[:, 0].max() < 0
    assert (g.fill(rate="1Gbps").delay_ps > 0).all() and (g.rate_bps > 0).all()
    for bad in ("Nowhere", 10**6):
        with pytest.raises(KeyError):
            g.node(bad)
    with pytest.raises(weir.FileError):
        weir.topology("no/such/file.graphml")
    with pytest.raises(weir.ArgumentError, match="generators"):
        weir.topology(nx.path_graph(2), nodes=3)


def test_fill():
    g = weir.topology(nx.path_graph(3)).fill(rate="5Mbps", delay="3ms")
    assert (g.rate_bps == 5_000_000).all() and (g.delay_ps == 3 * 10**9).all()
    assert (weir.topology(nx.path_graph(3)).fill(rate=5e6).rate_bps == 5_000_000).all()
    with pytest.raises(weir.ArgumentError, match="Mbsp"):
        g.fill(rate="5Mbsp")


def test_arrays_outlive_their_topology():
    weight = weir.topology("barabasi-albert", nodes=100, m=2).weight
    gc.collect()
    assert weight.sum() == len(weight) and not weight.flags.writeable


def test_weights_of_fractions(tmp_path):
    (tmp_path / "x.txt").write_text("a b 0.5\nb c 2\n")
    g = weir.topology(tmp_path / "x.txt")
    assert g.weight_scale == 2 and g.weight.tolist() == [1, 1, 4, 4]


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph])
def test_to_networkx_and_back(kind):
    rng = np.random.default_rng(5)
    graph = kind()
    for i in range(30):
        graph.add_node(f"n{i}", role="host" if i % 5 == 0 else "router", x=float(i), y=float(i * i % 7))
    for _ in range(90):
        a, b = rng.choice(30, 2, replace=False)
        graph.add_edge(f"n{a}", f"n{b}", rate_bps=int(rng.integers(1, 10**9)), delay_s=int(rng.integers(0, 10**6)) / 1e6,
                       weight=int(rng.integers(1, 100)))
    g = weir.topology(graph)
    back = g.to_networkx()
    assert sorted(back.nodes) == sorted(graph.nodes)

    def edges(of):
        found = []
        for a, b, d in of.edges(data=True):
            pairs = [(a, b)] if of.is_directed() else [(a, b), (b, a)]
            found += [(*p, d["rate_bps"], round(d["delay_s"] * 1e6), d["weight"]) for p in pairs]
        return sorted(found)

    assert edges(back) == edges(graph)
    assert all(back.nodes[n]["role"] == graph.nodes[n]["role"] and back.nodes[n]["x"] == graph.nodes[n]["x"] for n in graph)
    same(g, weir.topology(back)) if not graph.is_directed() else None


def test_a_generated_graph_goes_there_and_back():
    g = weir.topology("dumbbell", left=3)
    same(g, weir.topology(g.to_networkx()))


@pytest.mark.parametrize("seed", range(5))
def test_to_scipy_and_back(seed):
    matrix = scipy.sparse.random(40, 40, 0.1, random_state=seed, format="lil")
    matrix.setdiag(0)
    matrix = matrix.tocsr()
    matrix.data = np.ceil(matrix.data * 50)
    matrix.eliminate_zeros()
    g = weir.topology(matrix)
    assert (g.to_scipy() != matrix).nnz == 0
    assert (weir.topology(matrix.toarray()).to_scipy() != matrix).nnz == 0
    assert g.to_scipy("hops").sum() == matrix.nnz == g.exists.sum()
    assert (g.to_scipy(g.weight * 2.0) != 2 * matrix).nnz == 0


def test_parallel_links_in_a_matrix():
    graph = nx.MultiGraph()
    graph.add_edge("a", "b", rate_bps=10, delay_s=2e-3, weight=5)
    graph.add_edge("a", "b", rate_bps=30, delay_s=1e-3, weight=9)
    g = weir.topology(graph)
    assert g.to_scipy()[0, 1] == 5 and g.to_scipy("rate_bps")[0, 1] == 40 and g.to_scipy("delay_s")[1, 0] == 1e-3


def test_what_cannot_be_a_topology():
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=0.5)
    with pytest.raises(weir.ArgumentError, match="whole"):
        weir.topology(graph)
    with pytest.raises(weir.ArgumentError, match="square"):
        weir.topology(np.ones((2, 3)))
    with pytest.raises(weir.ArgumentError, match="want weight"):
        weir.topology(nx.path_graph(2)).to_scipy("cost")


def random_weighted(seed, n=60):
    graph = nx.gnm_random_graph(n, 2 * n, seed=seed, directed=seed % 2 == 1)
    rng = np.random.default_rng(seed)
    for _, _, d in graph.edges(data=True):
        d["weight"] = int(rng.integers(1, 20))
    return graph


@pytest.mark.parametrize("seed", range(6))
def test_routes_against_networkx_and_scipy(seed):
    graph = random_weighted(seed)
    r = weir.routes(graph, "weight")
    names = r.topology.names
    expected = dict(nx.all_pairs_dijkstra_path_length(graph))
    for i in graph:
        for j in graph:
            want = expected[i].get(j, float("inf"))
            assert r.distance(str(i), str(j)) == want
            path = r.path(str(i), str(j))
            assert (path is None) == np.isinf(want)
            if path:
                assert path[0] == str(i) and path[-1] == str(j)
                assert sum(graph[int(a)][int(b)]["weight"] for a, b in zip(path, path[1:])) == want
                assert r.next_hop(str(i), str(j)) == (path[1] if i != j else None)
                assert i == j or path[1] in r.equal_hops(str(i), str(j))
    distance, before = r.to_scipy()
    want, _ = csgraph.shortest_path(r.topology.to_scipy(), return_predecessors=True)
    assert np.array_equal(distance, want) and np.array_equal(distance, r.distances())
    assert np.array_equal(r.distances(names[3]), distance[:, 3])
    hops = r.next_hops()
    for i in range(len(names)):
        for j in range(len(names)):
            path = r.path(i, j)
            if i == j or path is None:
                assert before[i, j] == -9999 and hops[i, j] == -1
            else:
                assert names[before[i, j]] == path[-2] and names[hops[i, j]] == path[1]


@pytest.mark.parametrize("seed", range(4))
def test_routes_by_delay_against_networkx(seed):
    graph = nx.gnm_random_graph(40, 100, seed=seed)
    rng = np.random.default_rng(seed)
    for _, _, d in graph.edges(data=True):
        d["ns"] = int(10 ** rng.uniform(0, 10))  # 1 ns to 10 s
        d["delay_s"] = d["ns"] * 1e-9
    r = weir.routes(graph, "delay")
    distance = r.distances()
    for i, expected in nx.all_pairs_dijkstra_path_length(graph, weight="ns"):
        for j in graph:
            want = expected.get(j, float("inf"))
            assert r.distance(str(i), str(j)) == pytest.approx(want * 1e-9, rel=1e-12)
            assert distance[r.topology.node(str(i)), r.topology.node(str(j))] == pytest.approx(want * 1e-9, rel=1e-12)
            path = r.path(str(i), str(j)) or []
            assert not path or sum(graph[int(a)][int(b)]["ns"] for a, b in zip(path, path[1:])) == want


def test_routes_as_networkx():
    graph = nx.relabel_nodes(nx.random_tree(40, seed=3), str)
    r = weir.routes(graph)
    assert r.paths() == {a: dict(b) for a, b in nx.all_pairs_shortest_path(graph)}
    assert r.paths("5") == nx.single_source_shortest_path(graph, "5")
    tree = r.to_networkx("5")
    assert tree.number_of_edges() == 39 and nx.is_arborescence(tree.reverse())
    assert r.n_bytes > 0 and r.how in repr(r)


def test_routes_of_other_metrics_and_algorithms():
    g = weir.topology("barabasi-albert", nodes=80, m=2, seed=2)
    tables = [weir.routes(g, "delay", algorithm=a, threads=t).next_hops() for a in ("auto", "trees", "floyd") for t in (1, 2)]
    assert all(np.array_equal(t, tables[0]) for t in tables)
    costs = np.where(np.arange(g.n_edges) % 3 == 0, 5, 1).astype(np.uint32)
    r = weir.routes(g, cost=costs, progress=lambda told: None)
    assert np.array_equal(r.cost, costs)
    with pytest.raises(weir.ArgumentError, match="metric 'hop': want hops"):
        weir.routes(g, "hop")
    with pytest.raises(weir.ArgumentError, match="shape"):
        weir.routes(g, cost=[1, 2])
    with pytest.raises(weir.ArgumentError):
        weir.routes(g, cost=np.zeros(g.n_edges))


def test_no_way_through_a_host():
    graph = nx.path_graph(3)
    graph.nodes[1]["role"] = "host"
    r = weir.routes(graph)
    assert r.path("0", "2") is None and r.path("0", "1") == ["0", "1"] and r.distance("0", "2") == float("inf")
    graph.nodes[1]["role"] = "hosts"
    with pytest.raises(weir.ArgumentError, match="node '1': role 'hosts': want host or router"):
        weir.topology(graph)


def test_a_graph_goes_into_a_scenario(tmp_path, monkeypatch):
    """As an object it is the same network as its file, by name in a place that does not change."""
    networkx = pytest.importorskip("networkx")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    ring = networkx.cycle_graph(5)
    networkx.set_edge_attributes(ring, 10_000_000, "rate_bps")
    networkx.set_edge_attributes(ring, 0.001, "delay_s")
    scenario = {"weir": 1, "duration": "500ms", "topology": {"file": ring},
                "traffic": [{"name": "bulk", "tcp": {}, "from": "0", "to": "2"}]}
    run = weir.run(scenario, output=tmp_path / "a")
    weir.topology(ring).write(tmp_path / "ring.graphml")
    from_file = weir.run({**scenario, "topology": {"file": tmp_path / "ring.graphml"}}, output=False)
    as_topology = weir.run({**scenario, "topology": {"file": weir.topology(ring)}}, output=False)
    digests = {r.summary["state_digest"] for r in (run, from_file, as_topology)}
    assert len(digests) == 1
    assert len(list((tmp_path / "cache" / "weir").iterdir())) == 1
    assert weir.run(tmp_path / "a" / "scenario.yaml", output=False).summary["state_digest"] in digests
    with pytest.raises(weir.ScenarioError):
        weir.load({**scenario, "topology": ring})


@pytest.mark.parametrize("edge", [{"rate_bps": "10Mbps"}, {"rate_bps": None}, {"rate_bps": 0.5}, {"delay_s": "1ms"}, {"delay_s": -1},
                                  {"weight": None}, {"weight": "a"}])
def test_edges_of_what_is_no_number(edge):
    graph = nx.Graph()
    graph.add_edge("a", "b", **edge)
    with pytest.raises(weir.ArgumentError, match=f"{next(iter(edge))} .*: want"):
        weir.topology(graph)


def test_a_frame_is_a_matrix():
    frame = pandas.DataFrame([[0, 3], [3, 0]], index=["a", "b"], columns=["a", "b"])
    assert weir.topology(frame).weight.tolist() == [3, 3]


def test_delays_that_are_not_given_are_no_weights():
    g = weir.topology(nx.path_graph(3))
    with pytest.raises(weir.ArgumentError, match="no delay"):
        g.to_scipy("delay_s")
    assert g.fill(delay="2ms").to_scipy("delay_s")[0, 1] == 2e-3


def test_a_weight_that_is_no_number_is_named():
    with pytest.raises(weir.ArgumentError, match="weight nan: want a whole number"):
        weir.topology(np.array([[0, np.nan], [1, 0]]))

"""A network of one's own: a ring from networkx, its routes, and a run over it. docs/python.md"""
import networkx as nx
import weir

ring = nx.cycle_graph(8)
nx.set_edge_attributes(ring, 100_000_000, "rate_bps")
nx.set_edge_attributes(ring, 0.002, "delay_s")
ring.add_edge(0, 4, rate_bps=20_000_000, delay_s=0.001)  # a shortcut

network = weir.topology(ring)
print(weir.routes(network, "delay").path("1", "5"))

run = weir.run({
    "weir": 1, "name": "ring", "duration": "5s",
    "topology": {"file": network},
    "traffic": [{"name": "bulk", "tcp": {"sessions": 2}, "pairs": [["1", "5"], ["7", "3"]]}],
})
print(run.ports.nlargest(3, "utilisation")[["port", "utilisation", "queue_mean_bytes"]].to_string(index=False))

"""Routes: next hops, paths and distances, as libweir's tables have them."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _abi
from ._abi import POINTER, c_uint16, c_uint32, c_uint64, c_void_p, lib, libc
from ._call import Progress, Stop, call
from ._errors import Diag, Owner
from ._graph import Topology, topology
from ._results import _need
from ._scenario import _argument, count

if TYPE_CHECKING:
    import networkx

_METRICS = {"hops": 0, "delay": 1, "weight": 2, "inverse-rate": 3}
_ALGORITHMS = {"auto": 0, "trees": 1, "bit-parallel": 2, "batched": 3, "floyd": 4, "floyd-paper": 5}
_DEVICES = {"cpu": 0, "cuda": 1, "auto": 2}
Node = Union[str, int]


def _word(name: str, words: dict[str, int], what: str) -> int:
    if name not in words:
        raise _argument(f"{what} '{name}': want {', '.join(words)}")
    return words[name]


def _c_array(values: np.ndarray, kind: Any) -> Any:
    return values.ctypes.data_as(POINTER(kind))


class Routes(Owner):
    """All-pairs routes of a topology: canonical next ports, the same for any algorithm and device (docs/routing.md).

    Hosts send and receive, and no path leads through one. Nodes are given by name or number. Distances are seconds
    by "delay", else sums of costs.
    """

    def __init__(self, graph: Topology, cost: np.ndarray, handle: c_void_p, unit: Optional[_abi.DelayUnit] = None) -> None:
        self.topology, self._cost, self._handle, self._unit = graph, cost, handle, unit
        self._names = graph.names

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            lib.weir_routes_free(self._handle)

    @property
    def how(self) -> str:
        """What was picked to compute the table, and why."""
        return lib.weir_routes_how(self._handle).decode()

    @property
    def n_bytes(self) -> int:
        """Bytes that the table takes."""
        return lib.weir_routes_bytes(self._handle)

    @property
    def cost(self) -> np.ndarray:
        """[n_edges]: the cost of each edge of the topology; by "delay" in units that divide all delays."""
        return self._cost

    def _edges(self, source: Node, target: Node) -> Optional[list[int]]:
        a, b = self.topology.node(source), self.topology.node(target)
        room = 64
        while True:
            edges = (c_uint32 * room)()
            n = lib.weir_routes_path(self._handle, self.topology._handle, a, b, edges, room)
            if n == _abi.UNREACHABLE:
                return None
            if n <= room:
                return list(edges[:n])
            room = n

    def path(self, source: Node, target: Node) -> Optional[list[str]]:
        """The nodes on the way, both ends included; None where there is none."""
        edges = self._edges(source, target)
        if edges is None:
            return None
        return [self._names[self.topology.node(source)]] + [self._names[self.topology.target[e]] for e in edges]

    def next_hop(self, source: Node, target: Node) -> Optional[str]:
        """The neighbour to go to first; None at the target, and where there is no way."""
        a, b = self.topology.node(source), self.topology.node(target)
        port = lib.weir_routes_port(self._handle, a, b)
        return None if port == _abi.NO_PORT else self._names[self.topology.target[self.topology.first[a] + port]]

    def distance(self, source: Node, target: Node) -> float:
        """How far it is: seconds by "delay", else the sum of costs on the way; infinite where there is none."""
        edges = self._edges(source, target)
        return float("inf") if edges is None else float(self._measure(self._cost[edges].sum(dtype=np.uint64)))

    def _measure(self, dist: Any) -> np.ndarray:
        if self._unit is not None:
            far = np.asarray(dist // np.uint64(self._unit.per), dtype=np.longdouble) * self._unit.ps / 10**12
        else:
            far = np.asarray(dist)
        return np.where(dist == np.uint64(_abi.NO_WAY), np.inf, far.astype(float))

    def equal_hops(self, source: Node, target: Node) -> list[str]:
        """All neighbours on ways of the least cost: what ECMP chooses among."""
        a, b = self.topology.node(source), self.topology.node(target)
        dist, _ = self._tree(b)
        ports = (c_uint16 * 0xFFFF)()
        n = lib.weir_route_equal_ports(self.topology._handle, _c_array(self._cost, c_uint64), _c_array(dist, c_uint64), a,
                                       ports, len(ports))
        return [self._names[self.topology.target[self.topology.first[a] + p]] for p in ports[:n]]

    def _tree(self, target: int, space: Optional[c_void_p] = None) -> tuple[np.ndarray, np.ndarray]:
        n = self.topology.n_nodes
        dist, port = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint16)
        own = space is None
        room = c_void_p(lib.weir_route_space_new(self.topology._handle)) if space is None else space
        if not room:
            raise MemoryError("no memory for a tree of routes")
        diag = Diag()
        try:
            diag.check(lib.weir_route_tree(diag.handle, self.topology._handle, _c_array(self._cost, c_uint64), target,
                                           room, _c_array(dist, c_uint64), _c_array(port, c_uint16)))
        finally:
            if own:
                lib.weir_route_space_free(room)
        return dist, port

    def distances(self, target: Optional[Node] = None) -> np.ndarray:
        """[n_nodes]: how far from each node to the target, as `distance` has it; without one, [n_nodes][n_nodes], from
        row to column."""
        if target is not None:
            return self._measure(self._tree(self.topology.node(target))[0])
        return self._all()[0]

    def next_hops(self) -> np.ndarray:
        """[n_nodes][n_nodes]: number of the node to go to first from row to column; -1: none."""
        return self._all()[1]

    def _all(self) -> tuple[np.ndarray, np.ndarray]:
        n = self.topology.n_nodes
        distance = np.empty((n, n))
        hop = np.full((n, n), -1, dtype=np.int64)
        first, target = self.topology.first[:-1].astype(np.int64), self.topology.target
        space = c_void_p(lib.weir_route_space_new(self.topology._handle))
        try:
            for j in range(n):
                dist, port = self._tree(j, space)
                there = port != _abi.NO_PORT
                distance[:, j] = self._measure(dist)
                hop[there, j] = target[first[there] + port[there]]
        finally:
            lib.weir_route_space_free(space)
        return distance, hop

    def to_scipy(self) -> tuple[np.ndarray, np.ndarray]:
        """Distances and predecessors [n_nodes][n_nodes], as scipy.sparse.csgraph.shortest_path gives them."""
        distance, hop = self._all()
        n = self.topology.n_nodes
        before = np.full((n, n), -9999, dtype=np.int32)
        rows = np.arange(n)
        for j in range(n):
            there = hop[:, j] >= 0
            at = np.where(there & (hop[:, j] != j), hop[:, j], rows)  # a node whose next hop is j stays
            while not np.array_equal(at, at[at]):
                at = at[at]
            before[there, j] = at[there]
        return distance, before

    def paths(self, source: Optional[Node] = None) -> dict[str, Any]:
        """{target: nodes on the way} from one node, or {source: {target: nodes}} of all: as networkx's
        single_source_shortest_path and all_pairs_shortest_path have them."""
        if source is None:
            return {name: self.paths(i) for i, name in enumerate(self._names)}
        found = {name: self.path(source, j) for j, name in enumerate(self._names)}
        return {name: path for name, path in found.items() if path is not None}

    def to_networkx(self, target: Node) -> "networkx.DiGraph":
        """The tree of ways to one target: an edge from each node to its next hop, with its `cost`."""
        nx = _need("networkx", "a networkx graph")
        b = self.topology.node(target)
        _, port = self._tree(b)
        made = nx.DiGraph()
        made.add_nodes_from(self._names)
        for i in np.flatnonzero(port != _abi.NO_PORT):
            e = int(self.topology.first[i]) + int(port[i])
            made.add_edge(self._names[i], self._names[self.topology.target[e]], cost=int(self._cost[e]))
        return made

    def __repr__(self) -> str:
        return f"<weir.Routes of {self.topology.n_nodes} nodes: {self.how}>"


def routes(graph: Any, metric: str = "hops", *, cost: Optional[np.ndarray] = None, algorithm: str = "auto",
           device: str = "cpu", threads: int = 0, progress: Progress = False) -> Routes:
    """Routes between all nodes.

    graph      a Topology, or what `topology` takes: a path, a networkx graph, a matrix of weights.
    metric     "hops", "delay", "weight" or "inverse-rate".
    cost       instead: [n_edges] of a Topology, whole numbers from 1 to 2^56.
    algorithm  "auto", "trees", "bit-parallel", "batched", "floyd"; the table is the same.
    device     "cpu", "cuda", "auto".
    threads    0: one a core.
    """
    g = graph if isinstance(graph, Topology) else topology(graph)
    options, diag, stop, handle = _abi.RoutesOptions(), Diag(), Stop(), c_void_p()
    lib.weir_routes_options_init(options)
    options.metric = _word(metric, _METRICS, "metric")
    options.algorithm = _word(algorithm, _ALGORITHMS, "algorithm")
    options.device = _word(device, _DEVICES, "device")
    options.threads, options.stop = count("threads", threads, 2**31 - 1), ctypes.pointer(stop.word)
    costs = _costs(g, options.metric) if cost is None else _whole(np.asarray(cost))
    if costs.shape != (g.n_edges,):
        raise _argument(f"costs of shape {costs.shape}: want one of each of {g.n_edges} edges")
    options.cost = _c_array(costs, c_uint64)
    last: list[Any] = []
    if progress is not False:
        options.progress = told = _abi.ROUTES_PROGRESS(lambda _u, d, t: last.__setitem__(slice(None), [(d, t)]))
    status = call(lambda: lib.weir_routes_compute(diag.handle, g._handle, options, ctypes.byref(handle)), stop, progress,
                  lambda: "weir: routes to {} of {} nodes".format(*last.pop()) if last else None)
    diag.check(status)
    by_delay = cost is None and options.metric == _METRICS["delay"]
    return Routes(g, costs, handle, lib.weir_route_delay_unit(g._handle) if by_delay else None)


def _whole(cost: np.ndarray) -> np.ndarray:
    wrong = ~((cost >= 1) & (cost % 1 == 0))
    if wrong.any():
        raise _argument(f"a cost of {cost[wrong].flat[0]}: want whole numbers from 1 to 2^56")
    return cost.astype(np.uint64)


def _costs(graph: Topology, metric: int) -> np.ndarray:
    diag, out = Diag(), POINTER(c_uint64)()
    diag.check(lib.weir_route_costs(diag.handle, graph._handle, metric, ctypes.byref(out)))
    found = np.ctypeslib.as_array(out, (graph.n_edges,)).copy() if graph.n_edges else np.zeros(0, dtype=np.uint64)
    libc.free(ctypes.cast(out, c_void_p))
    return found

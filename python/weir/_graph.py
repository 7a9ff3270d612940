"""Topologies: read, generated, or made from networkx graphs and matrices; and back."""
from __future__ import annotations

import ctypes
import hashlib
import math
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping, NamedTuple, Optional, Union

import numpy as np

from . import _abi
from ._abi import POINTER, c_int64, c_size_t, c_uint64, lib
from ._call import Stop, call
from ._errors import Diag, Owner
from ._results import _need
from ._scenario import PathLike, PS_PER_S, Time, _argument, count, picoseconds

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

WEIGHT_MAX = 2**32 - 1


class Parameter(NamedTuple):
    """A generator's parameter."""

    name: str
    default: str  #: as one would write it
    doc: str


class GeneratorInfo(NamedTuple):
    """A model of topologies that `topology` can generate."""

    name: str
    doc: str
    parameters: list[Parameter]


def _decode(text: Optional[bytes]) -> str:
    return text.decode("utf-8", "replace") if text else ""


def generators() -> list[GeneratorInfo]:
    """All models of topologies, with their parameters."""
    n = c_size_t()
    found = lib.weir_generators(ctypes.byref(n))
    return [GeneratorInfo(_decode(g.name), _decode(g.doc),
                          [Parameter(_decode(p.name), _decode(p.default_text), _decode(p.doc))
                           for p in (g.params[k] for k in range(g.n_params))])
            for g in (found[i].contents for i in range(n.value))]


class Topology(Owner):
    """A network graph. Nodes are numbered from 0 and have unique names; a link is two directed edges.

    Edge e of node i is one of first[i] .. first[i + 1] - 1, in the order of the node's ports. Arrays are libweir's own,
    read-only and without copies. Time-like values are picoseconds, as in libweir; delays below 0 and rates of 0 are not
    given (`fill` sets them).
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self._names: Optional[list[str]] = None

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            lib.weir_graph_free(self._handle)

    def _array(self, field: str, n: int, kind: Any) -> np.ndarray:
        address = ctypes.cast(getattr(self._handle.contents, field), ctypes.c_void_p).value
        if not n or not address:
            return np.zeros(0, dtype=kind)
        block = (kind * n).from_address(address)
        block.owner = self  # the array keeps the block, and the block keeps the graph
        found = np.frombuffer(block, dtype=kind)
        found.flags.writeable = False
        return found

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self._handle.contents.n_nodes

    @property
    def n_links(self) -> int:
        """Number of links: half of the directed edges."""
        return self._handle.contents.n_edges // 2

    @property
    def n_edges(self) -> int:
        """Number of directed edges, those that one-way links lack included (`exists`)."""
        return self._handle.contents.n_edges

    @property
    def names(self) -> list[str]:
        """The nodes' names."""
        if self._names is None:
            name = self._handle.contents.name
            self._names = [_decode(name[i]) for i in range(self.n_nodes)]
        return self._names

    def node(self, name: Union[str, int]) -> int:
        """Number of the node of that name; a number that is one is given back."""
        if isinstance(name, (int, np.integer)):
            if not 0 <= name < self.n_nodes:
                raise KeyError(f"there is no node {name}: they are 0 to {self.n_nodes - 1}")
            return int(name)
        found = lib.weir_graph_find(self._handle, str(name).encode())
        if found == _abi.UNREACHABLE:
            raise KeyError(f"there is no node {name!r}")
        return found

    @property
    def first(self) -> np.ndarray:
        """[n_nodes + 1]: where each node's edges begin."""
        return self._array("first", self.n_nodes + 1, ctypes.c_uint32)

    @property
    def target(self) -> np.ndarray:
        """[n_edges]: the node at the far end."""
        return self._array("target", self.n_edges, ctypes.c_uint32)

    @property
    def source(self) -> np.ndarray:
        """[n_edges]: the node at the near end (a copy)."""
        return np.repeat(np.arange(self.n_nodes, dtype=np.uint32), np.diff(self.first))

    @property
    def reverse(self) -> np.ndarray:
        """[n_edges]: the same link's edge in the other direction."""
        return self._array("reverse", self.n_edges, ctypes.c_uint32)

    @property
    def link(self) -> np.ndarray:
        """[n_edges]: number of the link."""
        return self._array("link", self.n_edges, ctypes.c_uint32)

    @property
    def rate_bps(self) -> np.ndarray:
        """[n_edges]: bits per second; 0: not given."""
        return self._array("rate_bps", self.n_edges, ctypes.c_uint64)

    @property
    def delay_ps(self) -> np.ndarray:
        """[n_edges]: picoseconds; below 0: not given."""
        return self._array("delay_ps", self.n_edges, ctypes.c_int64)

    @property
    def weight(self) -> np.ndarray:
        """[n_edges]: routing weight, a whole number: `weight_scale` times what the file says."""
        return self._array("weight", self.n_edges, ctypes.c_uint32)

    @property
    def weight_scale(self) -> int:
        """How many times the file's weights `weight` is: more than 1 where those have fractions."""
        return int(self._handle.contents.weight_scale)

    @property
    def exists(self) -> np.ndarray:
        """[n_edges]: False for the direction that a one-way link lacks (a copy)."""
        if not self._handle.contents.missing:
            return np.ones(self.n_edges, dtype=bool)
        return self._array("missing", self.n_edges, ctypes.c_uint8) == 0

    @property
    def is_host(self) -> np.ndarray:
        """[n_nodes]: hosts send and receive, and never forward (a copy)."""
        return self._array("role", self.n_nodes, ctypes.c_uint8) == 1

    @property
    def xy(self) -> np.ndarray:
        """[n_nodes][2]: longitude and latitude in degrees (`geographic`), else plane kilometres; NaN: none (a copy)."""
        return np.column_stack([self._array(c, self.n_nodes, ctypes.c_double) for c in "xy"])

    @property
    def geographic(self) -> bool:
        """Coordinates are degrees."""
        return self._handle.contents.geographic

    def fill(self, *, rate: Union[str, float, None] = None, delay: Optional[Time] = None) -> "Topology":
        """Set the rates and delays that are not given: delays by coordinates where there are some. Changes this topology.

        rate    such as "1Gbps", or bits per second; by default 10 Gb/s.
        delay   such as "5ms", or seconds, where there are no coordinates; by default 1 ms.
        """
        defaults, diag = _abi.LinkDefaults(), Diag()
        lib.weir_link_defaults_init(defaults)
        if rate is not None:
            out, why = c_uint64(), ctypes.create_string_buffer(300)
            text = rate if isinstance(rate, str) else f"{rate}bps"
            if not lib.weir_parse_rate(text.encode(), out, why, len(why)):
                raise _argument(_decode(why.value))
            defaults.rate_bps = out.value
        if delay is not None:
            defaults.delay_ps = picoseconds(delay)
        diag.check(lib.weir_graph_fill(diag.handle, self._handle, defaults, None))
        return self

    def info(self) -> dict[str, Any]:
        """What `weir topology info` measures: degrees, components, diameter, clustering, what would trip a simulation."""
        stats, diag = _abi.TopologyStats(), Diag()
        diag.check(call(lambda: lib.weir_topology_info(diag.handle, self._handle, stats), Stop()))
        found = {name: getattr(stats, name) for name, kind in stats._fields_ if kind is not POINTER(ctypes.c_uint32)}
        found["nodes_of_degree"] = [stats.nodes_of_degree[d] for d in range(stats.degree_max + 1)] if self.n_nodes else []
        lib.weir_topology_stats_free(stats)
        return found

    def write(self, path: PathLike, format: Optional[str] = None) -> None:
        """Write a file: graphml (all that a topology holds), brite, dot, edges, csv; by default by the path's ending."""
        diag = Diag()
        diag.check(lib.weir_topology_write(diag.handle, self._handle, format.encode() if format else None,
                                           os.fsencode(path)))

    def plot(self, path: PathLike) -> None:
        """Draw the graph and its degrees as SVG."""
        diag = Diag()
        diag.check(lib.weir_topology_plot(diag.handle, self._handle, os.fsencode(path)))

    def to_networkx(self) -> "networkx.Graph":
        """As a networkx graph whose nodes are names.

        A Graph where both directions of each link are alike, else a DiGraph; Multi where links are parallel. Nodes have
        `role`, `x`, `y`, `as_number`; edges `rate_bps`, `delay_s`, `weight`, `link`, where given.
        """
        nx = _need("networkx", "a networkx graph")
        back = self.reverse
        alike = all(np.array_equal(a, a[back]) for a in (self.rate_bps, self.delay_ps, self.weight, self.exists))
        parallel = self._handle.contents.n_parallel > 0
        made = {(True, False): nx.Graph, (True, True): nx.MultiGraph, (False, False): nx.DiGraph,
                (False, True): nx.MultiDiGraph}[alike, parallel]()
        made.graph["geographic"] = self.geographic
        hosts, xy, number = self.is_host, self.xy, self._array("as_number", self.n_nodes, ctypes.c_uint32)
        for i, name in enumerate(self.names):
            made.add_node(name, role="host" if hosts[i] else "router")
            if not np.isnan(xy[i]).any():
                made.nodes[name].update(x=float(xy[i][0]), y=float(xy[i][1]))
            if number[i]:
                made.nodes[name]["as_number"] = int(number[i])
        edges = np.argsort(self.link, kind="stable")  # in the order in which links were added
        edges = edges[self.exists[edges] & (not alike or edges < back[edges])]
        columns = (a[edges].tolist() for a in (self.source, self.target, self.link, self.weight, self.rate_bps, self.delay_ps))
        for a, b, link, weight, rate, delay in zip(*columns):
            found: dict[str, Any] = {"link": link, "weight": weight}
            if rate:
                found["rate_bps"] = rate
            if delay >= 0:
                found["delay_s"] = delay / PS_PER_S
            made.add_edge(self.names[a], self.names[b], **found)
        return made

    def to_scipy(self, value: Union[str, np.ndarray] = "weight") -> "scipy.sparse.csr_matrix":
        """As a sparse matrix [n_nodes][n_nodes], as scipy.sparse.csgraph takes it.

        value   "weight", "delay_s", "rate_bps", "hops", or an array [n_edges]. Of parallel links, the least counts; of
                rates, their sum.
        """
        sparse = _need("scipy.sparse", "a sparse matrix").sparse
        exists = self.exists
        named = {"weight": lambda: self.weight, "delay_s": lambda: self.delay_ps / PS_PER_S,
                 "rate_bps": lambda: self.rate_bps, "hops": lambda: np.ones(self.n_edges)}
        if isinstance(value, str) and value not in named:
            raise _argument(f"'{value}': want weight, delay_s, rate_bps, hops, or an array of {self.n_edges} values")
        if isinstance(value, str) and value == "delay_s" and (self.delay_ps[exists] < 0).any():
            raise _argument("some links have no delay: fill() sets it")
        data = np.asarray(named[value]() if isinstance(value, str) else value, dtype=float)[exists]
        source, target = self.source[exists], self.target[exists]
        n = self.n_nodes
        if not (isinstance(value, str) and value == "rate_bps"):
            order = np.lexsort((data, target, source))
            source, target, data = source[order], target[order], data[order]
            keep = np.ones(len(data), dtype=bool)
            keep[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
            source, target, data = source[keep], target[keep], data[keep]
        return sparse.csr_matrix((data, (source.astype(np.int64), target.astype(np.int64))), shape=(n, n))

    def __repr__(self) -> str:
        return f"<weir.Topology: {self.n_nodes} nodes, {self.n_links} links>"


class _Builder(Owner):
    def __init__(self) -> None:
        self.handle = ctypes.c_void_p(lib.weir_graph_builder_new())
        if not self.handle:
            raise MemoryError("no memory for a graph")

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            lib.weir_graph_builder_free(self.handle)

    def link(self, a: int, b: int, there: Mapping[str, Any], back: Optional[Mapping[str, Any]]) -> None:
        """One link; `back` None: it leads one way."""
        link = _abi.Link(a=a, b=b, delay_ps=-1, delay_back_ps=-1, one_way=back is None)
        link.rate_bps, link.delay_ps, link.weight = _values(there)
        if back is not None:
            link.rate_back_bps, link.delay_back_ps, link.weight_back = _values(back)
        lib.weir_graph_add_link(self.handle, link)

    def build(self) -> Topology:
        diag, out = Diag(), POINTER(_abi.Graph)()
        diag.check(lib.weir_graph_build(diag.handle, self.handle, ctypes.byref(out)))
        return Topology(out)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def _values(edge: Mapping[str, Any]) -> tuple[int, int, int]:
    rate, delay, weight = edge.get("rate_bps", 0), edge.get("delay_s"), edge.get("weight", 0)
    if not (_number(rate) == 0 or 1 <= _number(rate) < 2**64):
        raise _argument(f"rate_bps {rate!r}: want bits per second")
    if delay is not None and not _number(delay) >= 0:
        raise _argument(f"delay_s {delay!r}: want seconds")
    if not 0 <= _number(weight) <= WEIGHT_MAX or _number(weight) % 1:
        raise _argument(f"weight {weight!r}: want a whole number (scale the weights first)")
    return int(float(rate)), -1 if delay is None else picoseconds(float(delay)), int(float(weight))


def _from_networkx(graph: Any) -> Topology:
    builder = _Builder()
    number = {}
    lib.weir_graph_set_geographic(builder.handle, bool(graph.graph.get("geographic", _has_degrees(graph))))
    for node, attributes in graph.nodes(data=True):
        role = attributes.get("role")
        if role not in (None, "host", "router", 0, 1):
            raise _argument(f"node '{node}': role {role!r}: want host or router")
        host = role in ("host", 1)
        number[node] = i = lib.weir_graph_add_node(builder.handle, str(node).encode(), 1 if host else 0)
        x = attributes.get("x", attributes.get("Longitude"))
        y = attributes.get("y", attributes.get("Latitude"))
        if "pos" in attributes and x is None:
            x, y = attributes["pos"][:2]
        if x is not None and y is not None:
            lib.weir_graph_set_xy(builder.handle, i, float(x), float(y))
        if attributes.get("as_number"):
            lib.weir_graph_set_as(builder.handle, i, int(attributes["as_number"]))
    edges = [(number[a], number[b], data) for a, b, data in graph.edges(data=True)]
    edges.sort(key=lambda e: e[2].get("link", 0))  # as they were, where they came from a Topology
    if not graph.is_directed():
        for a, b, data in edges:
            builder.link(a, b, data, data)
        return builder.build()
    _join_directions(builder, edges)
    return builder.build()


def _has_degrees(graph: Any) -> bool:
    return any("Longitude" in a for _, a in graph.nodes(data=True))


def _join_directions(builder: _Builder, edges: Iterable[tuple[int, int, Any]]) -> None:
    """An edge and the next one that leads back make one link of two directions; what is left leads one way."""
    waiting: dict[tuple[int, int], list[int]] = {}
    joined: list[list[Any]] = []
    for a, b, data in edges:
        mates = waiting.get((b, a))
        if mates and a != b:
            joined[mates.pop(0)][3] = data
        else:
            waiting.setdefault((a, b), []).append(len(joined))
            joined.append([a, b, data, None])
    for a, b, there, back in joined:
        builder.link(a, b, there, back)


def _from_matrix(matrix: Any) -> Topology:
    if not hasattr(matrix, "tocoo"):
        matrix = np.asarray(matrix)  # of a frame, or numpy's own matrix
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise _argument(f"a matrix of shape {tuple(matrix.shape)}: want a square one")
    builder = _Builder()
    for _ in range(matrix.shape[0]):
        lib.weir_graph_add_node(builder.handle, None, 0)
    if hasattr(matrix, "tocoo"):
        entries = matrix.tocoo()
        rows, columns, data = entries.row, entries.col, entries.data
    else:
        rows, columns = np.nonzero(matrix)
        data = matrix[rows, columns]
    order = np.lexsort((columns, rows))
    _join_directions(builder, ((int(rows[k]), int(columns[k]), {"weight": data[k].item()}) for k in order if data[k]))
    return builder.build()


def topology(source: Any, *, seed: int = 1, format: Optional[str] = None, **parameters: Any) -> Topology:
    """A topology from a file, a generator, a networkx graph or a matrix.

    source      the path of a file (GraphML, BRITE, Rocketfuel, CAIDA, SNDlib, edge lists: docs/topologies.md); the name of
                a generator, with its `parameters` (`generators()` lists them): topology("barabasi-albert", nodes=1000,
                m=2, seed=7); a networkx graph, with nodes' `role`, `x` and `y` (or `pos`, `Longitude` and `Latitude`) and
                edges' `rate_bps`, `delay_s` and `weight` where they have them; or a square numpy or scipy matrix of weights.
    seed        of generators that draw.
    format      of a file, where its name and content do not tell.
    """
    if hasattr(source, "is_directed") and hasattr(source, "nodes"):
        _refuse(parameters)
        return _from_networkx(source)
    if hasattr(source, "shape"):
        _refuse(parameters)
        return _from_matrix(source)
    diag, out = Diag(), POINTER(_abi.Graph)()
    count("seed", seed, 2**63 - 1)
    if isinstance(source, str) and (parameters or source in (g.name for g in generators())):
        args = (_abi.GeneratorArg * max(len(parameters), 1))()
        for i, (name, value) in enumerate(parameters.items()):
            args[i] = _abi.GeneratorArg(name.encode(), str(value).encode(), None, 0, 0)
        diag.check(call(lambda: lib.weir_topology_generate(diag.handle, source.encode(), args, len(parameters), seed,
                                                           ctypes.byref(out)), Stop()))
        return Topology(out)
    _refuse(parameters)
    options = _abi.TopologyOptions()
    lib.weir_topology_options_init(options)
    options.format, options.seed = format.encode() if format else None, seed
    diag.check(call(lambda: lib.weir_topology_load(diag.handle, os.fsencode(source), options, ctypes.byref(out)), Stop()))
    return Topology(out)


def file_of(graph: Any) -> Path:
    """A topology or networkx graph as a file that scenarios can name: GraphML, called after its content, in the user's cache
    ($XDG_CACHE_HOME/weir), where it stays, so that a results folder can be run again."""
    found = graph if isinstance(graph, Topology) else topology(graph)
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weir"
    folder.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=folder, suffix=".graphml")
    os.close(number)
    try:
        found.write(name, "graphml")
        path = folder / (hashlib.sha256(Path(name).read_bytes()).hexdigest()[:24] + ".graphml")
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    return path


def _refuse(parameters: Mapping[str, Any]) -> None:
    if parameters:
        raise _argument(f"'{next(iter(parameters))}': only generators take parameters")

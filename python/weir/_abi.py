"""libweir's C API as ctypes: the structures and prototypes of include/weir that this package calls.

tests/python/test_abi.py compares each structure, field by field, with what a C compiler makes of the headers.
"""
from __future__ import annotations

import ctypes
import ctypes.util
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint8,
                    c_uint16, c_uint32, c_uint64, c_void_p)
from pathlib import Path

VERSION = "1.0.0"  # of weir whose headers these are
SONAME = "libweir.so." + VERSION.split(".")[0]
UNREACHABLE = 0xFFFFFFFF
NO_PORT = 0xFFFF
NO_WAY = COST_DOWN = 0xFFFFFFFFFFFFFFFF
COST_NONE = 0xFFFFFFFFFFFFFFFE


class Message(Structure):
    _fields_ = [("severity", c_int), ("status", c_int), ("file", c_char_p), ("line", c_int), ("column", c_int),
                ("text", c_char_p)]


class Progress(Structure):
    _fields_ = [("now_ps", c_int64), ("end_ps", c_int64), ("events", c_uint64), ("wall_s", c_double),
                ("phase", c_char_p)]


RUN_PROGRESS = CFUNCTYPE(None, c_void_p, POINTER(Progress))


class RunOptions(Structure):
    _fields_ = [("output_dir", c_char_p), ("no_output", c_bool), ("force", c_bool), ("keep_series", c_bool),
                ("command", c_char_p), ("progress", RUN_PROGRESS), ("user", c_void_p), ("stop", POINTER(c_int)),
                ("checkpoint_every_s", c_double), ("checkpoint_at_ps", c_int64), ("checkpoint", c_char_p), ("cores", c_uint32), ("cpu_only", c_bool)]


class RunResult(Structure):
    _fields_ = [("event_digest", c_uint64), ("state_digest", c_uint64), ("events", c_uint64), ("packet_hops", c_uint64),
                ("wall_s", c_double), ("reached_ps", c_int64), ("partial", c_bool), ("output_dir", c_char_p),
                ("checkpoint", c_char_p), ("summary_json", c_char_p)]


class Estimate(Structure):
    _fields_ = [(name, c_uint64) for name in ("nodes", "links", "hosts", "ports", "entities", "flows", "fluid_flows")] + [
        ("arrivals", c_double), ("packet_hops", c_double), ("packet_hops_most", c_double), ("memory_bytes", c_uint64),
        ("fluid_steps", c_double), ("fluid_s", c_double), ("fluid_as_packet_hops", c_double),
        ("fluid_as_packets_s", c_double)]


class Samples(Structure):
    _fields_ = [("n", c_size_t), ("time_s", POINTER(c_double)), ("value", POINTER(c_double)), ("units", c_char_p)]


class StudyProgress(Structure):
    _fields_ = [("done", c_uint64), ("total", c_uint64), ("failed", c_uint64), ("wall_s", c_double),
                ("left_s", c_double)]


STUDY_PROGRESS = CFUNCTYPE(None, c_void_p, POINTER(StudyProgress))


class StudyOptions(Structure):
    _fields_ = [("output_dir", c_char_p), ("force", c_bool), ("yes", c_bool), ("keep_runs", c_bool),
                ("retry", c_bool), ("jobs", c_uint32), ("run_timeout_s", c_double),
                ("device", c_char_p), ("shard", c_uint32), ("shards", c_uint32), ("progress", STUDY_PROGRESS),
                ("say", c_void_p), ("user", c_void_p),
                ("stop", POINTER(c_int))]


class StudyResult(Structure):
    _fields_ = [("points", c_uint64), ("runs", c_uint64), ("failed", c_uint64), ("reused", c_uint64),
                ("missing", c_uint64), ("shared_made", c_uint64), ("shared_found", c_uint64),
                ("shared_most", c_uint64), ("wall_s", c_double), ("output_dir", c_char_p)]


class Graph(Structure):
    _fields_ = [("n_nodes", c_uint32), ("n_edges", c_uint32), ("first", POINTER(c_uint32)), ("end", POINTER(c_uint32)),
                ("target", POINTER(c_uint32)), ("reverse", POINTER(c_uint32)), ("link", POINTER(c_uint32)),
                ("rate_bps", POINTER(c_uint64)), ("delay_ps", POINTER(c_int64)), ("weight", POINTER(c_uint32)),
                ("role", POINTER(c_uint8)), ("node_class", POINTER(c_uint8)), ("as_number", POINTER(c_uint32)),
                ("x", POINTER(c_double)), ("y", POINTER(c_double)), ("name", POINTER(c_char_p)),
                ("missing", POINTER(c_uint8)), ("n_one_way", c_uint32), ("geographic", c_bool), ("weighted", c_bool),
                ("n_self_loops", c_uint32), ("n_parallel", c_uint32), ("weight_scale", c_uint32)]


class Link(Structure):
    _fields_ = [("a", c_uint32), ("b", c_uint32), ("rate_bps", c_uint64), ("rate_back_bps", c_uint64),
                ("delay_ps", c_int64), ("weight", c_uint32), ("weight_back", c_uint32), ("delay_back_ps", c_int64),
                ("one_way", c_bool)]


class LinkDefaults(Structure):
    _fields_ = [("rate_bps", c_uint64), ("delay_ps", c_int64), ("km_per_s", c_double), ("delay_from_xy", c_bool),
                ("override_rate", c_bool), ("override_delay", c_bool)]


class FillReport(Structure):
    _fields_ = [("rates_filled", c_uint32), ("delays_from_xy", c_uint32), ("delays_filled", c_uint32)]


class TopologyKeys(Structure):
    _fields_ = [("rate", c_char_p), ("delay", c_char_p), ("weight", c_char_p), ("rate_unit_bps", c_uint64),
                ("delay_unit_ps", c_int64), ("name", c_char_p)]


class TopologyOptions(Structure):
    _fields_ = [("format", c_char_p), ("duplicates", c_int), ("third_column", c_int), ("weight_scale", c_uint32),
                ("max_bytes", c_uint64), ("seed", c_uint64), ("brite_engine", c_int), ("brite_codes", c_int),
                ("keys", TopologyKeys), ("modules", c_int)]


class GeneratorArg(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p), ("file", c_char_p), ("line", c_int), ("column", c_int)]


class GeneratorParam(Structure):
    _fields_ = [("name", c_char_p), ("dimension", c_int), ("default_text", c_char_p), ("min", c_uint64),
                ("max", c_uint64), ("multiple_of", c_uint64), ("doc", c_char_p), ("also", c_char_p), ("low", c_double),
                ("high", c_double), ("words", c_char_p)]


class Generator(Structure):
    _fields_ = [("name", c_char_p), ("doc", c_char_p), ("params", POINTER(GeneratorParam)), ("n_params", c_size_t),
                ("names", c_char_p)]


class TopologyStats(Structure):
    _fields_ = [("nodes", c_uint32), ("links", c_uint32), ("hosts", c_uint32), ("routers", c_uint32),
                ("degree_min", c_uint32), ("degree_max", c_uint32), ("degree_mean", c_double),
                ("nodes_of_degree", POINTER(c_uint32)), ("leaves", c_uint32), ("isolated", c_uint32),
                ("components", c_uint32), ("largest_component", c_uint32), ("one_way", c_uint32),
                ("strong_components", c_uint32), ("largest_strong", c_uint32), ("diameter", c_uint32),
                ("diameter_exact", c_bool), ("mean_path", c_double), ("path_sources", c_uint32),
                ("mean_path_exact", c_bool), ("clustering", c_double), ("transitivity", c_double),
                ("self_loops", c_uint32), ("parallel", c_uint32), ("links_without_rate", c_uint32),
                ("links_without_delay", c_uint32), ("rate_min_bps", c_uint64), ("rate_max_bps", c_uint64),
                ("delay_min_ps", c_int64), ("delay_max_ps", c_int64), ("nodes_without_xy", c_uint32),
                ("nodes_at_zero", c_uint32)]


ROUTES_PROGRESS = CFUNCTYPE(None, c_void_p, c_uint64, c_uint64)


class RoutesOptions(Structure):
    _fields_ = [("metric", c_int), ("cost", POINTER(c_uint64)), ("algorithm", c_int), ("device", c_int),
                ("cuda_device", c_int), ("threads", c_int), ("memory_limit_bytes", c_uint64),
                ("progress", ROUTES_PROGRESS), ("user", c_void_p), ("stop", POINTER(c_int))]


class DelayUnit(Structure):
    _fields_ = [("ps", c_uint64), ("per", c_uint64)]


#: The structures by their names in C: what the test of the layout goes through.
STRUCTURES = {
    "weir_message": Message, "weir_progress": Progress, "weir_run_options": RunOptions, "weir_run_result": RunResult,
    "weir_estimate": Estimate, "weir_session_samples": Samples, "weir_study_progress": StudyProgress,
    "weir_study_options": StudyOptions, "weir_study_result": StudyResult, "weir_graph": Graph, "weir_link": Link,
    "weir_link_defaults": LinkDefaults, "weir_fill_report": FillReport, "weir_topology_options": TopologyOptions,
    "weir_topology_keys": TopologyKeys,
    "weir_generator_arg": GeneratorArg, "weir_generator_param": GeneratorParam, "weir_generator": Generator,
    "weir_topology_stats": TopologyStats, "weir_routes_options": RoutesOptions, "weir_delay_unit": DelayUnit,
}

_P = c_void_p  # an object of libweir's, of which only libweir knows the inside
_TEXT = c_void_p  # a text that is ours to free: c_char_p would lose its address
_SETS = POINTER(c_char_p)

#: name: (what it returns, what it takes)
PROTOTYPES = {
    "weir_version": (c_char_p, []),
    "weir_status_name": (c_char_p, [c_int]),
    "weir_diag_new": (_P, []),
    "weir_diag_free": (None, [_P]),
    "weir_diag_clear": (None, [_P]),
    "weir_diag_set_stop": (None, [_P, POINTER(c_int)]),
    "weir_diag_count": (c_size_t, [_P]),
    "weir_diag_get": (POINTER(Message), [_P, c_size_t]),
    "weir_parse_time": (c_bool, [c_char_p, POINTER(c_int64), c_char_p, c_size_t]),
    "weir_parse_rate": (c_bool, [c_char_p, POINTER(c_uint64), c_char_p, c_size_t]),
    "weir_scenario_load": (c_int, [_P, c_char_p, _SETS, c_size_t, POINTER(_P)]),
    "weir_scenario_parse": (c_int, [_P, c_char_p, c_char_p, c_size_t, c_char_p, _SETS, c_size_t, POINTER(_P)]),
    "weir_scenario_free": (None, [_P]),
    "weir_scenario_write": (c_int, [_P, _P, _P]),
    "weir_scenario_json_schema": (_TEXT, []),
    "weir_results_json": (_TEXT, []),
    "weir_estimate_scenario": (c_int, [_P, _P, POINTER(Estimate)]),
    "weir_run_options_init": (None, [POINTER(RunOptions)]),
    "weir_run_result_free": (None, [POINTER(RunResult)]),
    "weir_run": (c_int, [_P, _P, POINTER(RunOptions), POINTER(RunResult)]),
    "weir_session_open": (c_int, [_P, _P, POINTER(RunOptions), POINTER(_P)]),
    "weir_session_advance": (c_int, [_P, c_int64]),
    "weir_session_now": (c_int64, [_P]),
    "weir_session_end": (c_int64, [_P]),
    "weir_session_events": (c_uint64, [_P]),
    "weir_session_metric": (c_int, [_P, c_char_p, POINTER(c_double)]),
    "weir_session_series": (c_int, [_P, c_char_p, c_char_p, c_char_p, POINTER(Samples)]),
    "weir_session_finish": (c_int, [_P, POINTER(RunResult)]),
    "weir_session_close": (None, [_P]),
    "weir_report_figures": (c_int, [_P, c_char_p, POINTER(_TEXT)]),
    "weir_study_options_init": (None, [POINTER(StudyOptions)]),
    "weir_study_result_free": (None, [POINTER(StudyResult)]),
    "weir_study_open": (c_int, [_P, c_char_p, _SETS, c_size_t, POINTER(StudyOptions), POINTER(_P)]),
    "weir_study_free": (None, [_P]),
    "weir_study_metrics": (c_int, [_P, POINTER(_TEXT)]),
    "weir_study_run": (c_int, [_P, POINTER(StudyOptions), POINTER(StudyResult)]),
    "weir_graph_builder_new": (_P, []),
    "weir_graph_builder_free": (None, [_P]),
    "weir_graph_add_node": (c_uint32, [_P, c_char_p, c_int]),
    "weir_graph_set_xy": (None, [_P, c_uint32, c_double, c_double]),
    "weir_graph_set_as": (None, [_P, c_uint32, c_uint32]),
    "weir_graph_set_geographic": (None, [_P, c_bool]),
    "weir_graph_add_link": (None, [_P, Link]),
    "weir_graph_build": (c_int, [_P, _P, POINTER(POINTER(Graph))]),
    "weir_graph_free": (None, [POINTER(Graph)]),
    "weir_graph_find": (c_uint32, [POINTER(Graph), c_char_p]),
    "weir_graph_fill": (c_int, [_P, POINTER(Graph), POINTER(LinkDefaults), POINTER(FillReport)]),
    "weir_link_defaults_init": (None, [POINTER(LinkDefaults)]),
    "weir_topology_options_init": (None, [POINTER(TopologyOptions)]),
    "weir_topology_load": (c_int, [_P, c_char_p, POINTER(TopologyOptions), POINTER(POINTER(Graph))]),
    "weir_topology_write": (c_int, [_P, POINTER(Graph), c_char_p, c_char_p]),
    "weir_topology_plot": (c_int, [_P, POINTER(Graph), c_char_p]),
    "weir_topology_generate": (c_int, [_P, c_char_p, POINTER(GeneratorArg), c_size_t, c_uint64, POINTER(POINTER(Graph))]),
    "weir_generators": (POINTER(POINTER(Generator)), [POINTER(c_size_t)]),
    "weir_topology_info": (c_int, [_P, POINTER(Graph), POINTER(TopologyStats)]),
    "weir_topology_stats_free": (None, [POINTER(TopologyStats)]),
    "weir_route_costs": (c_int, [_P, POINTER(Graph), c_int, POINTER(POINTER(c_uint64))]),
    "weir_route_delay_unit": (DelayUnit, [POINTER(Graph)]),
    "weir_route_space_new": (_P, [POINTER(Graph)]),
    "weir_route_space_free": (None, [_P]),
    "weir_route_tree": (c_int, [_P, POINTER(Graph), POINTER(c_uint64), c_uint32, _P, POINTER(c_uint64), POINTER(c_uint16)]),
    "weir_routes_options_init": (None, [POINTER(RoutesOptions)]),
    "weir_routes_compute": (c_int, [_P, POINTER(Graph), POINTER(RoutesOptions), POINTER(_P)]),
    "weir_routes_free": (None, [_P]),
    "weir_routes_port": (c_uint16, [_P, c_uint32, c_uint32]),
    "weir_routes_how": (c_char_p, [_P]),
    "weir_routes_bytes": (c_uint64, [_P]),
    "weir_routes_path": (c_uint32, [_P, POINTER(Graph), c_uint32, c_uint32, POINTER(c_uint32), c_uint32]),
    "weir_route_equal_ports": (c_uint32, [POINTER(Graph), POINTER(c_uint64), POINTER(c_uint64), c_uint32,
                                          POINTER(c_uint16), c_uint32]),
}

libc = ctypes.CDLL(None)
libc.free.argtypes = [c_void_p]
libc.free.restype = None
libc.open_memstream.restype = c_void_p
libc.open_memstream.argtypes = [POINTER(c_void_p), POINTER(c_size_t)]
libc.fclose.argtypes = [c_void_p]


def _find() -> str:
    named = os.environ.get("WEIR_LIBRARY")
    if named:
        if not Path(named).exists():
            raise ImportError(f"WEIR_LIBRARY names {named}, which does not exist")
        return named
    here = Path(__file__).resolve().parent
    for beside in (here / SONAME, here / "libweir.so"):
        if beside.exists():
            return str(beside)
    return SONAME


def _load() -> ctypes.CDLL:
    path = _find()
    try:
        found = ctypes.CDLL(path)
    except OSError as e:
        raise ImportError(f"libweir cannot be loaded ({e}): install it (make install, then ldconfig), put {SONAME} "
                          "beside the package, or name it in the environment variable WEIR_LIBRARY") from None
    for name, (result, arguments) in PROTOTYPES.items():
        try:
            function = getattr(found, name)
        except AttributeError:
            raise ImportError(f"{path} has no {name}: it is not of weir {VERSION}, as this package is") from None
        function.restype, function.argtypes = result, arguments
    of = found.weir_version().decode()
    (major, minor), (ours, least) = ([int(n) for n in text.split(".")[:2]] for text in (of, VERSION))
    if major != ours or minor < least:  # docs/versions.md: what is added comes with a minor version
        raise ImportError(f"{path} is of weir {of}, and this package of {VERSION}: install the two together")
    return found


#: The library. A call releases the interpreter's lock until it returns.
lib = _load()

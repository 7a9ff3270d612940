"""weir, a simulator for large networks, from Python.

    import weir

    run = weir.run("examples/first/first.yaml", set={"duration": "10s"})
    print(run.metric("classes.download.goodput_bps"), run.ports)

Scenarios: `load`, `Scenario`, `schema`. Runs: `run`, `session`, `open_run`, `columns`. Studies: `study`, `metrics`, `open_study`. Networks:
`topology`, `generators`, `routes`. Failures are kinds of `Error`, with file, line and column; warnings of the library come
as `WeirWarning`. docs/python.md shows it all at work.
"""
from ._abi import VERSION as __version__
from ._errors import (ArgumentError, CheckError, DeadlockError, DeviceError, Error, FileError, FormatError, Interrupted,
                      Message, ModelError, OutOfMemory, ScenarioError, Unsupported, WeirWarning)
from ._graph import Topology, generators, topology
from ._results import Run, Series, open_run
from ._routes import Routes, routes
from ._run import RunProgress, Samples, Session, run, session
from ._scenario import Estimate, Scenario, columns, load, schema
from ._study import Study, StudyProgress, metrics, open_study, study

__all__ = [
    "ArgumentError", "CheckError", "DeadlockError", "DeviceError", "Error", "Estimate", "FileError", "FormatError",
    "Interrupted", "Message", "ModelError", "OutOfMemory", "Routes", "Run", "RunProgress", "Samples", "Scenario", "ScenarioError",
    "Series", "Session", "Study", "StudyProgress", "Topology", "Unsupported", "WeirWarning", "__version__", "columns",
    "generators", "load", "metrics", "open_run", "open_study", "routes", "run", "schema", "session", "study", "topology",
]

import os
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2]


@pytest.fixture
def source():
    return SOURCE


@pytest.fixture
def headers():
    return SOURCE / "include"


@pytest.fixture
def command():
    """The `weir` command of the same build, to compare with."""
    return os.environ["WEIR_COMMAND"]


@pytest.fixture
def first():
    return str(SOURCE / "examples/first/first.yaml")


SMALL = {
    "weir": 1,
    "name": "small",
    "duration": "4s",
    "topology": {"generate": {"model": "dumbbell", "left": 2, "bottleneck_rate": "10Mbps", "bottleneck_delay": "10ms"}},
    "traffic": [
        {"name": "call", "udp": {"rate": "100kbps", "packet": "200B"}, "from": "l0", "to": "r0"},
        {"name": "bulk", "tcp": {"sessions": 2}, "from": "l1", "to": "r1", "start": "0.5s"},
    ],
    "output": {"ports": ["left->right"], "cwnd": "bulk", "interval": "50ms"},
}


@pytest.fixture
def small():
    return SMALL

"""What the contenders of a synthetic bundle cost: figures that are plausible and mean nothing."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wirelab.bundle import ContenderRecord
from wirelab.study import load_study

ROOT = Path(__file__).parents[3]
STUDY = ROOT / "studies" / "kaminski-2022"


@dataclass(frozen=True, slots=True)
class Model:
    """How a contender behaves: latency (µs) and bytes by workload, in the order of WORKLOADS."""

    title: str
    protocol: str
    packages: Mapping[str, str]
    latency_us: Sequence[float]
    payload: Sequence[int]
    overhead: int
    setup: int
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def record(self) -> ContenderRecord:
        """What a bundle says of it."""
        return ContenderRecord(
            title=self.title,
            protocol=self.protocol,
            stack="python",
            settings=dict(self.settings),
            versions={"native": dict(self.packages)},
        )


WORKLOADS = ("control", "insert_one", "fetch_one", "fetch_hundred")
_BEHAVIOUR = {
    "rest": Model(
        "REST, Flask under gunicorn", "rest", {"flask": "3.1.2", "gunicorn": "23.0.0"},
        (780, 1720, 1460, 9900), (20, 5900, 2950, 291_000), 420, 640, {"workers": 1, "threads": 4},
    ),
    "graphql": Model(
        "GraphQL, Graphene under Flask", "graphql", {"graphene": "3.4.3", "flask": "3.1.2"},
        (1490, 4100, 4800, 16_100), (60, 6900, 3900, 293_000), 520, 640,
        {"workers": 1, "threads": 4},
    ),
    "grpc": Model(
        "gRPC, grpcio", "grpc", {"grpcio": "1.85.1", "protobuf": "7.36.2"},
        (410, 1310, 1010, 4700), (4, 5500, 2760, 276_000), 160, 1450, {"threads": 4},
    ),
    "websocket": Model(
        "WebSocket, flask-sock", "websocket", {"flask-sock": "0.7.0", "simple-websocket": "1.1.0"},
        (395, 1330, 1385, 10_080), (30, 5950, 2990, 291_400), 34, 1010, {"threads": 4},
    ),
    "soap": Model(
        "SOAP, lxml against the WSDL", "soap", {"lxml": "6.1.3", "flask": "3.1.2"},
        (1120, 2640, 2420, 24_300), (420, 8100, 4700, 452_000), 480, 640,
        {"workers": 1, "threads": 4},
    ),
}  # fmt: skip
MODELS = {
    name: _BEHAVIOUR[name.split("-")[0]]
    for name in load_study(STUDY).designs["lab"].contenders or ()
}
"""The contenders of design lab: whatever they are called, their names begin with the protocol."""

SIZES = defaultdict(
    lambda: 2,
    {name: size for size, name in enumerate(WORKLOADS)} | {"insert": 1, "large": 3},
)
"""Workloads of this study and of others, by their place in a model's figures."""


def models_of(*contenders: str) -> dict[str, Model]:
    """Model contenders of other studies whose names begin with the protocol, too."""
    return {name: _BEHAVIOUR[name.split("-")[0]] for name in contenders}

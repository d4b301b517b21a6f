"""Verify contenders of the notes domain, which `note_servers` serve."""

from dataclasses import dataclass, field, replace
from typing import Any

from wirelab import protocol
from wirelab.domain import Dataset
from wirelab.protocol.clients.client import connect
from wirelab.verify import Finding, Verification, verify

PROTOCOLS = ("rest", "graphql", "grpc", "websocket", "soap")


@dataclass(frozen=True)
class Workload:
    operation: str
    parameter_sets: int = 2
    parameters: dict[str, object] = field(default_factory=dict)
    instances: bool = False
    instances_from: str = ""
    inline: bool = False


WORKLOADS = {
    "fetch_one": Workload("read", 3),
    "fetch_all": Workload("list", 1, {"limit": 8}),
    "insert": Workload("create"),
    "control": Workload("ping", 1),
}


def verified(
    name: str, dataset: Dataset, address: str, workloads: dict[str, Workload] | None = None
) -> Verification:
    codec = protocol.get(name).bind(dataset.domain, "/")
    with connect(codec.transport, address, codec.path, timeout_s=10.0) as client:
        return verify(f"{name}-test", codec, client, dataset, workloads or {}, seed=1)


def errors(verification: Verification) -> list[Finding]:
    return [finding for finding in verification.findings if finding.severity == "error"]


def changed(dataset: Dataset, operation: str, **changes: Any) -> Dataset:
    """Return the data set of a domain with another operation."""
    operations = dict(dataset.domain.operations)
    operations[operation] = replace(operations[operation], **changes)
    return replace(dataset, domain=replace(dataset.domain, operations=operations))

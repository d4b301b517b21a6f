"""What verification finds, and what it leaves for planning."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from wirelab.protocol.message import Expectation, WireRequest

Severity = Literal["error", "warning"]

LONGEST_VALUE = 300
"""How many characters of a value a finding shows."""


class Workload(Protocol):
    """What a study wants of an operation: how many parameter sets, and which values are fixed."""

    @property
    def operation(self) -> str:
        """The name of the operation."""

    @property
    def parameter_sets(self) -> int:
        """How many sets of parameters are drawn."""

    @property
    def parameters(self) -> Mapping[str, object]:
        """The parameters that are not drawn, with their values."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it must be ("error": the contender is refused) or should be.

    `path` is a JSON pointer into the answer; "" where the whole of it is meant.
    """

    severity: Severity
    contender: str
    operation: str
    path: str
    reason: str
    expected: object = None
    got: object = None

    def __str__(self) -> str:
        """Render as one line: who, what, where, why, and both values."""
        place = " ".join(part for part in (self.contender, self.operation, self.path) if part)
        return f"{place}: {self.reason}; expected {self.expected!r}, got {self.got!r}"


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A finished request, and what the engine must find in every reply to it."""

    request: WireRequest
    expectation: Expectation


@dataclass(frozen=True, slots=True)
class Plan:
    """A transaction of a workload, as the engine will send it: rounds of finished requests."""

    workload: str
    operation: str
    parameter_set: int
    rounds: tuple[tuple[PlannedRequest, ...], ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found, and the plans of those transactions that were answered rightly."""

    findings: tuple[Finding, ...]
    plans: tuple[Plan, ...]

    @property
    def refused(self) -> bool:
        """Whether the contender must not be measured."""
        return any(finding.severity == "error" for finding in self.findings)


def brief(value: object) -> object:
    """Return a value for a message: as it is, or as the beginning of a text where it is long."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", errors="replace")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return value if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "…"

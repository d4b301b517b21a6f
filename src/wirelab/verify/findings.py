"""The findings of verification, and the plans that it makes."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from wirelab.protocol.message import Expectation, WireRequest
from wirelab.terminal import words
from wirelab.verify.known import KnownAnswer

Severity = Literal["error", "warning", "note"]

LONGEST_PARAMETER = 60
"""Number of characters of a parameter's value in the line of a finding."""
LONGEST_VALUE = 300
"""Number of characters of a value that a finding shows; a quarter of them before a difference."""


class Workload(Protocol):
    """How a study uses an operation: how many parameter sets, and which values are fixed."""

    @property
    def operation(self) -> str:
        """The name of the operation."""

    @property
    def parameter_sets(self) -> int:
        """How many parameter sets to draw."""

    @property
    def parameters(self) -> Mapping[str, object]:
        """The parameters that are not drawn, with their values."""

    @property
    def instances(self) -> bool:
        """Whether the domain's query generator creates the parameters."""

    @property
    def instances_from(self) -> str:
        """The state whose rows the generator uses; "" for that of the store."""

    @property
    def inline(self) -> bool:
        """Whether the parameters are literals in the document, if the protocol has documents."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A violated requirement ("error": the contender is refused) or recommendation ("warning").

    A "note" is about something that was not requested from a contender, and so does not concern any
    measurement.

    `path` is a JSON pointer into the answer; "" for the whole answer. `workload` is set if the
    finding concerns one workload: the contender is refused for that one only. `symptom` is the
    name of a known problem of servers, "" for other findings. `request` is the method and the path
    of a request over HTTP. `log` quotes the end of the log of a server that failed or did not
    reply.

    Calls that differ alike are one finding, with the values of the first: `times` is their number,
    `calls` that of all calls of the operation (0 if not counted), `parameters` what the first sent.
    `steps` names those of the calls that are steps of sequences. `also` are pointers to what else
    differs in the object at `path`.
    """

    severity: Severity
    contender: str
    operation: str
    path: str
    reason: str
    expected: object = None
    got: object = None
    workload: str = ""
    symptom: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    times: int = 1
    calls: int = 0
    steps: tuple[str, ...] = ()
    request: str = field(default="", compare=False)
    also: tuple[str, ...] = field(default=(), compare=False)
    log: str = field(default="", compare=False)

    def __str__(self) -> str:
        """Render as one line: place, reason, parameters and both values; then the log."""
        request = f"({self.request})" if self.request else ""
        parts = (self.contender, self.operation, request, self.path)
        place = " ".join(part for part in parts if part)
        where = f"{place}: " if place else ""
        often = f" in {self.times} of {self.calls} calls" if self.times > 1 else ""
        values = [
            f"{name} = {_cut(repr(value), 0, LONGEST_PARAMETER)}"
            for name, value in self.parameters.items()
        ]
        if self.expected is not None or self.got is not None:
            values.append(f"expected {_shown(self.expected)}, got {_shown(self.got)}")
        first = "first: " if often else ""
        shown = f"; {first}{', '.join(values)}" if values else ""
        if self.also:
            shown += f"; also different: {words.first_few(self.also)}"
        return f"{where}{self.why(often)}{shown}{self.log and f'; {self.log}'}"

    def why(self, often: str = "") -> str:
        """Return the reason with the steps of sequences; `often` says in how many calls."""
        steps = words.listed(self.steps)
        if self.steps and self.times == len(self.steps):
            return f"{steps}: {self.reason}{often}"
        return f"{self.reason}{often}{steps and f', also {steps}'}"


def grouped(findings: Iterable[Finding], calls: Mapping[str, int]) -> list[Finding]:
    """Merge the findings of calls that differ alike: for the same reason, at the same path.

    Paths that differ only in the indices of items are the same, with `*` as the index. Steps of
    sequences are merged with other calls, but not with each other: the steps before them may be
    the cause. `calls` is the number of calls of each operation.
    """
    alike: dict[tuple[str, ...], list[Finding]] = {}
    for each in findings:
        path = _starred(each.path)
        key = each.severity, each.contender, each.operation, path, each.reason, each.workload
        alike.setdefault(key, []).append(each)
    return [
        _merged(same, calls.get(same[0].operation, 0))
        for each in alike.values()
        for same in _apart_from_steps(each)
    ]


def _merged(alike: Sequence[Finding], calls: int) -> Finding:
    """Return one finding for calls that differ alike, with the values of the first."""
    first = alike[0]
    is_same_path = len({each.path for each in alike}) == 1
    also = [it if is_same_path else _starred(it) for each in alike for it in each.also]
    return replace(
        first,
        path=first.path if is_same_path else _starred(first.path),
        times=len(alike),
        calls=calls,
        steps=tuple(step for each in alike for step in each.steps),
        also=tuple(dict.fromkeys(also)),
        log=next((each.log for each in alike if each.log), ""),
    )


def _starred(path: str) -> str:
    """Return a path with `*` for the indices of items."""
    return re.sub(r"/\d+(?=/|$)", "/*", path)


def _apart_from_steps(alike: Sequence[Finding]) -> list[list[Finding]]:
    """Return findings as one list that begins outside sequences; if all are steps, each alone."""
    ordered = sorted(alike, key=lambda each: bool(each.steps))
    return [[each] for each in ordered] if ordered[0].steps else [ordered]


def remarks_by_reason(findings: Iterable[Finding]) -> list[str]:
    """Render findings that refuse no contender: a line per reason, with contenders and operations.

    A finding that is the only one with its reason is rendered with its values.
    """
    by_reason: dict[str, list[Finding]] = {}
    for each in findings:
        if each.severity != "error":
            by_reason.setdefault(each.reason, []).append(each)
    return [
        str(alike[0]) if len(alike) == 1 else f"{reason}: {'; '.join(_whom(alike))}"
        for reason, alike in by_reason.items()
    ]


def _whom(findings: Sequence[Finding]) -> Iterator[str]:
    """Name contenders with their operations, grouping those with the same operations."""
    operations: dict[str, list[str]] = {}
    for each in findings:
        of_contender = operations.setdefault(each.contender, [])
        place = f"{each.operation} {each.path}".strip()
        if place and place not in of_contender:
            of_contender.append(place)
    alike: dict[tuple[str, ...], list[str]] = {}
    for contender, names in operations.items():
        alike.setdefault(tuple(names), []).append(contender)
    for shared, contenders in alike.items():
        yield f"{words.listed(contenders)} ({words.listed(shared)})".removesuffix(" ()")


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A finished request, and what the engine must find in every reply to it.

    `known` is the meaning that a reply must have if correct replies differ in their bytes: the
    engine keeps a sample of them, which is compared with it afterwards.
    """

    request: WireRequest
    expectation: Expectation
    known: KnownAnswer | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A transaction of a workload, as the engine will send it: rounds of finished requests.

    `leaves` is the size of the correct answer (see the module `leaves`); `alone_us` is how long it
    took with no other request in flight.
    """

    workload: str
    operation: str
    parameter_set: int
    rounds: tuple[tuple[PlannedRequest, ...], ...]
    leaves: int = 0
    alone_us: float = 0.0


@dataclass(slots=True)
class Sent:
    """How much a contender was sent to compare it with the reference."""

    operations: int = 0
    declared_errors: int = 0
    inexpressible_errors: int = 0
    """Number of declared errors that were not sent, since the protocol's types exclude them."""
    sequences: int = 0
    """Number of sequences that were sent to their end."""
    malformed_requests: int = 0


@dataclass(frozen=True, slots=True)
class Verification:
    """The findings, and the plans of the transactions that were answered correctly."""

    findings: tuple[Finding, ...]
    plans: tuple[Plan, ...]
    sent: Sent = field(default_factory=Sent)
    """Empty if the contender was not compared with a reference."""


def brief(expected: object, got: object) -> tuple[object, object]:
    """Return two values for a message, as JSON-like values.

    If one is long, both are cut to the part around the first character that differs.
    """
    values = _plain(expected), _plain(got)
    texts = [
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for value in values
    ]
    if max(map(len, texts)) <= LONGEST_VALUE:
        return values
    pairs = enumerate(zip(*texts, strict=False))
    differ = next((place for place, (one, other) in pairs if one != other), 0)
    start = max(0, differ - LONGEST_VALUE // 4)
    return _cut(texts[0], start), _cut(texts[1], start)


def brief_parameters(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters of a call as JSON-like values; long values are cut."""
    return {name: brief(value, None)[0] for name, value in parameters.items()}


def _shown(value: object) -> str:
    """Render a value of an answer; a missing one and null are equal."""
    return "no value" if value is None else repr(value)


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    plain: object = json.loads(json.dumps(value, ensure_ascii=False, default=str))
    return plain


def _cut(text: str, start: int, length: int = LONGEST_VALUE) -> str:
    end = start + length
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")

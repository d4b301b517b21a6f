"""The findings of verification: where, of which kind, and both values."""

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import Field, SerializeAsAny

from wirelab.errors import Log
from wirelab.lab.credentials import redact_values
from wirelab.record import Record
from wirelab.terminal import words
from wirelab.terminal.untrusted import visible_in
from wirelab.verify.findings.finding_reasons import Ended, FindingReason, Symptomatic
from wirelab.verify.servers.symptoms import Symptom

Severity = Literal["error", "warning", "note"]

LONGEST_PARAMETER = 60
"""Number of characters of a parameter's value in the line of a finding."""
LONGEST_VALUE = 300
"""Number of characters of a value that a finding shows; a quarter of them before a difference."""


class Moment(Record):
    """When services of a contender fail: `is_over` is after that."""

    state: Literal["working", "slow", "silent", "late", "stopped", "restarted"]
    services: tuple[str, ...] = ()
    is_over: bool = False

    def __str__(self) -> str:
        """Say when, such as "while accounts is silent"."""
        names = words.listed(self.services)
        during, after = {
            "working": ("while all services work", ""),
            "slow": (f"while answers of {names} are slow", ""),
            "silent": (f"while {names} is silent", f"after {names} was silent"),
            "late": (f"while {names} answers too late", f"after {names} answered too late"),
            "stopped": (f"while {names} does not run", ""),
            "restarted": ("", "after all services were restarted"),
        }[self.state]
        return after if self.is_over else during


class Finding(Record):
    """One row of verify.json: a violated requirement or recommendation, and where.

    An "error" is a violated requirement: the contender is refused. A "warning" is a violated
    recommendation, and a "note" limits what was verified: a value that is not compared, or
    something that was not requested from a contender. What does not apply is empty.

    Calls that differ alike are one finding, with the values of the first.
    """

    severity: Severity
    reason: SerializeAsAny[FindingReason]
    contender: str = ""
    operation: str = ""
    path: str = ""
    """A JSON pointer into the answer; "" for the whole answer."""
    expected: Any = None
    got: Any = None
    """The values that differ."""
    workload: str = ""
    """Set if it concerns one workload: the contender is refused for that one only."""
    machine: str = ""
    """The machine of a cluster on which it was found, if not on all."""
    parameters: Mapping[str, Any] = Field(default_factory=dict)
    """What the first call sent."""
    times: int = 1
    """How many calls differ like this."""
    calls: int = 0
    """The number of all calls of the operation; 0 if not counted."""
    steps: tuple[str, ...] = ()
    """Those of the calls that are steps of sequences."""
    when: Moment | None = None
    """The moment, if services of the contender were made to fail."""
    request: str = ""
    """The method and the path of a request over HTTP."""
    also: tuple[str, ...] = ()
    """Pointers to what else differs in the object at `path`."""
    log: Log | None = None
    """The end of the log of a server that failed or did not reply."""

    def __eq__(self, other: object) -> bool:
        """Return whether another finding is the same, whatever request and log show it."""
        return isinstance(other, Finding) and self._compared == other._compared

    __hash__ = None  # type: ignore[assignment]  # its values may be rows

    @property
    def _compared(self) -> Mapping[str, object]:
        return {key: value for key, value in self if key not in ("request", "also", "log")}

    @property
    def symptom(self) -> Symptom | None:
        """The known problem of servers that it shows, if any."""
        return self.reason.sign.symptom if isinstance(self.reason, Symptomatic) else None

    @property
    def where(self) -> str:
        """Where it was found, in words."""
        parts = (self.contender, self.operation, self.path, self.machine and f"on {self.machine}")
        return " ".join(filter(None, parts))

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
        end = f"; {self.log}" if self.log else ""
        if isinstance(self.reason, Ended) and self.reason.remedy:
            end += f"\nhint: {self.reason.remedy}"
        return f"{where}{self.why(often)}{shown}{end}"

    def why(self, often: str = "") -> str:
        """Return the reason with the steps of sequences; `often` says in how many calls."""
        steps, reason = words.listed(self.steps), str(self.reason)
        if self.when:
            reason = f"{self.when}: {reason}"
        if self.steps and self.times == len(self.steps):
            return f"{steps}: {reason}{often}"
        return f"{reason}{often}{steps and f', also {steps}'}"

    def moved(self, folder: Path | str, to: Path | str) -> "Finding":
        """Return it as it is after the folder of its log has been moved."""
        if self.log is None:
            return self
        return self.model_copy(update={"log": self.log.moved(folder, to)})

    def without_secrets(self) -> "Finding":
        """Return it with credentials hidden in everything that a server may have sent."""
        sent = {"reason", "expected", "got", "log"}
        redacted = redact_values(self.model_dump(mode="json", include=sent))
        return Finding.model_validate({**dict(self), **cast(dict[str, Any], redacted)})


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
    plain: object = json.loads(json.dumps(value, default=_in_words))
    return visible_in(plain)


def _in_words(value: object) -> str:
    return f"{value} (a number)" if isinstance(value, Decimal) else str(value)


def _cut(text: str, start: int, length: int = LONGEST_VALUE) -> str:
    end = start + length
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")

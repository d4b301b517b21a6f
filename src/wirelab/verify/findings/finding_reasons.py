"""The kinds of findings, with their facts, and what each says in words.

A sentence with these words has the contender, the operation and the path before them, and the
values that differ behind them: see `Finding`.
"""

from typing import Literal

from wirelab.record import Kind
from wirelab.terminal.words import listed, plural
from wirelab.verify.servers.obstacles import Obstacle
from wirelab.verify.servers.symptoms import Sign


class FindingReason(Kind):
    """What was found. Each subclass is a kind; as text, it says what its facts are."""


# -- a server that gives no answer ---------------------------------------------------------------


class NotEncoded(FindingReason):
    """The types of the protocol exclude the parameters."""

    detail: str = ""

    def _words(self) -> str:
        return f"cannot be encoded{self.detail and f': {self.detail}'}"


class NoReply(FindingReason):
    """A request had no reply; `to` is a request that no binding contains."""

    detail: str = ""
    to: str = ""

    def _words(self) -> str:
        to = f" to {self.to}" if self.to else ""
        return f"no reply{to}{self.detail and f': {self.detail}'}"


class GivenUp(FindingReason):
    """Too many requests had no reply."""

    requests: int
    says = "stopped after {requests} requests without a reply"


class Ended(FindingReason):
    """A process of the server ended; `service` is "" if the server has only one."""

    service: str
    exit: str
    """The exit code with its cause."""
    remedy: str = ""

    def _words(self) -> str:
        return f"{self.service} ended with {self.exit}".lstrip()


class Obstructed(FindingReason):
    """A limit, a redirection or missing credentials prevent the answer."""

    obstacle: Obstacle

    def _words(self) -> str:
        return str(self.obstacle)


class Fails(FindingReason):
    """The server reports that it failed."""

    detail: str
    says = "it fails: {detail}"


class NotBound(FindingReason):
    """The domain does not bind the operation to the contender's protocol."""

    protocol: str
    says = "not bound to {protocol}"


class NotOffered(FindingReason):
    """A contender that is compared without a reference does not offer an operation."""

    protocol: str
    says = "not offered over {protocol}: left out"


# -- answers that the reference gives otherwise --------------------------------------------------


class WronglyRefused(FindingReason):
    """The contender refuses a call that the reference answers, or refuses otherwise."""

    refusal: str

    def _words(self) -> str:
        if self.refusal == "unreadable":
            return "the response is neither an answer nor a refusal"
        return f"refused as {self.refusal}"


class WronglyAnswered(FindingReason):
    """The contender answers a call that it must refuse."""

    says = "answered, but must refuse"


class Differs(FindingReason):
    """The answer differs from the reference; `in_order`: only in the order of its items."""

    in_order: bool = False

    def _words(self) -> str:
        if self.in_order:
            return "the answer has the same items as the reference in another order"
        return "the answer differs from the reference"


class NoValue(FindingReason):
    """The response has nothing where the binding says that the answer is."""

    pointer: str
    says = "the response has no value at {pointer}"


class WrongPointer(FindingReason):
    """The binding's `answer` leads to no part of the response; `problem` says what there is."""

    problem: str

    def _words(self) -> str:
        return self.problem


class UnusualRefusal(FindingReason):
    """A refusal has an unusual form."""

    remark: str

    def _words(self) -> str:
        return self.remark


class WrongParameters(FindingReason):
    """The reference refuses the parameters that a workload uses."""

    workload: str
    refusal: str
    records: int

    def _words(self) -> str:
        return (
            f"the reference refuses parameters of the workload {self.workload} as {self.refusal}:"
            f" the state has {plural(self.records, 'record')}"
        )


class NoRows(FindingReason):
    """There are no rows to draw the parameters of a workload from."""

    problem: str

    def _words(self) -> str:
        return self.problem


class MishandledMalformed(FindingReason):
    """A malformed request was accepted (`refusal` is ""), or refused for another reason."""

    what: str
    refusal: str = ""

    def _words(self) -> str:
        if not self.refusal:
            return f"{self.what} was accepted"
        if self.refusal == "unreadable":
            return f"{self.what} was answered with something that is no refusal"
        return f"{self.what} was refused as {self.refusal}"


class OtherRequests(FindingReason):
    """A repeated call needs other requests than the first one."""

    says = "needs other requests when it is repeated"


class BytesVary(FindingReason):
    """Equal answers differ in their bytes."""

    checked: Literal["status", "length"]
    """What the engine checks instead of a hash."""
    is_sampled: bool
    """Whether some answers are decoded and compared afterwards."""

    def _words(self) -> str:
        later = (
            "a sample of the answers is compared afterwards"
            if self.is_sampled
            else "no sample is compared afterwards: the answer is a stream or too long"
        )
        return (
            f"the bytes of equal answers vary: only the {self.checked} is checked under load, and"
            f" {later}"
        )


class SeedIgnored(FindingReason):
    """A generator writes the same rows for every seed."""

    says = (
        "the generator writes the same rows for every --seed, so another seed of a study"
        " measures the same data: derive rows from --seed or, if the data are fixed, set"
        " data_seed in study.toml"
    )


class LeftOutOfMix(FindingReason):
    """The writes of a mix change the correct answers of some of its reads."""

    mix: str
    workload: str
    removed: int
    planned: int
    says = (
        "{removed} of {planned} parameter sets of {workload} are left out of"
        " {mix}: its own writes change their correct answers"
    )


# -- while a service fails -----------------------------------------------------------------------


class Answered(FindingReason):
    """The contender answers although a service that it needs fails."""

    says = "answered"


class TooSlow(FindingReason):
    """A refusal came after the deadline."""

    says = "too slow"


class NoService(FindingReason):
    """The contender has no service of this name."""

    says = "no such service"


# -- the contender itself ------------------------------------------------------------------------


class Exposed(FindingReason):
    """A server can do, or can be reached from, more than a measurement needs."""

    services: tuple[str, ...]
    exposure: str

    def _words(self) -> str:
        return f"{_who(self.services)} {self.exposure}"


class IgnoresSigterm(FindingReason):
    """A server had to be killed."""

    services: tuple[str, ...]
    waited_s: float

    def _words(self) -> str:
        several = len(self.services) > 1
        who = f"the service{'s' if several else ''} {listed(self.services)}"
        was, it = ("were", "them") if several else ("was", "it")
        return (
            f"{who if self.services else 'the server'} still ran {self.waited_s:g} s after SIGTERM"
            f" and {was} killed, which lengthens every block: make {it} end on SIGTERM"
        )


class Symptomatic(FindingReason):
    """A server is not configured as in production."""

    sign: Sign

    def _words(self) -> str:
        return self.sign.evidence


def _who(services: tuple[str, ...]) -> str:
    if not services:
        return "the server"
    return f"{'service' if len(services) == 1 else 'each of the services'} {listed(services)}"

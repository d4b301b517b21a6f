"""Why a run does not count, or contenders of a block ran one after the other: kinds and facts."""

from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import SerializeAsAny

from wirelab.engine.result import AnswerMismatch
from wirelab.errors import Failure, StatedError
from wirelab.lab.errors import SilentError
from wirelab.record import Kind
from wirelab.statistics import BrokenRule
from wirelab.terminal import words
from wirelab.verify.findings.finding import Finding
from wirelab.verify.servers.obstacles import Obstacle


class RunReason(Kind):
    """Why a run does not count. Each subclass is a kind; as text, it says what its facts are."""

    @property
    def brief(self) -> str:
        """The reason in one line."""
        return str(self)

    @property
    def alike(self) -> Hashable:
        """What it has in common with reasons that differ only in figures and examples."""
        return self.kind

    def moved(self, folder: Path | str, to: Path | str) -> Self:  # noqa: ARG002
        """Return it as it is after the folder of a log that it quotes has been moved."""
        return self


AnyReason = SerializeAsAny[RunReason]
"""The type of a field with a reason of any kind."""


def in_words(reasons: Iterable[RunReason]) -> str:
    """Return reasons as one text."""
    return "; ".join(map(str, reasons))


class Failed(RunReason):
    """A server, store, network or engine failed; `error` is the class of the error."""

    error: str
    failure: Failure

    @classmethod
    def from_error(cls, error: StatedError) -> "Failed":
        """Return the reason for an error."""
        kind = StoppedAnswering if isinstance(error, SilentError) else cls
        return kind(error=type(error).__name__, failure=error.failure)

    @property
    def brief(self) -> str:
        """What failed, with the last line of its log."""
        return self.failure.brief

    @property
    def alike(self) -> Hashable:
        """Failures of the same class are alike, since texts contain ports and exit codes."""
        return self.kind, self.error

    def moved(self, folder: Path | str, to: Path | str) -> Self:
        """See `RunReason.moved`."""
        return self.model_copy(update={"failure": self.failure.moved(folder, to)})

    def _words(self) -> str:
        return str(self.failure)


class StoppedAnswering(Failed):
    """A server that wirelab did not start does not answer when a block is to begin."""


class NotVerified(RunReason):
    """Verification refused the contender, or the workload."""

    finding: Finding

    @property
    def brief(self) -> str:
        """Only that: the finding is stated elsewhere."""
        return "verification failed"

    def moved(self, folder: Path | str, to: Path | str) -> Self:
        """See `RunReason.moved`."""
        return self.model_copy(update={"finding": self.finding.moved(folder, to)})

    def _words(self) -> str:
        return f"verification failed: {self.finding}"


class Unavailable(RunReason):
    """The contender, or its environment, proxy or network, is not available on this machine."""

    what: str
    says = "{what}"

    @property
    def alike(self) -> Hashable:
        """See `RunReason.alike`."""
        return self.kind, self.what


class NotReachable(RunReason):
    """An emulated network does not lead to this server."""

    says = "an emulated network needs a native server that wirelab starts itself"


class DoesNotOffer(RunReason):
    """The contender does not offer the operation."""

    contender: str
    title: str
    says = "{contender} does not offer “{title}”"


class NoneToCompare(RunReason):
    """No other contender is left (`of` is "contender"), or no comparison that a question makes."""

    of: Literal["contender", "question"]

    def _words(self) -> str:
        if self.of == "contender":
            return "no contender is left to compare it with"
        return "no question has a remaining comparison"


class Unplanned(RunReason):
    """A mix cannot be planned: its writes change the answers to all of its reads."""

    finding: Finding

    def _words(self) -> str:
        return str(self.finding.reason)


class Wrong(RunReason):
    """The base of wrong answers under load: the contender did other work than was verified."""

    obstacle: Obstacle | None = None
    """What explains them, with its remedy."""

    def _words(self) -> str:
        wrong = f"wrong answers under load: {self._count()}"
        return f"under load {self.obstacle}; {wrong}" if self.obstacle else wrong

    @property
    def alike(self) -> Hashable:
        """See `RunReason.alike`."""
        return self.kind, self.obstacle

    def _count(self) -> str:
        raise NotImplementedError


class WrongAnswers(Wrong):
    """The engine received answers that differ from the verified ones."""

    wrong: int
    transactions: int
    first: AnswerMismatch | None = None

    def _count(self) -> str:
        if self.first is None:
            return f"{self.wrong} of {self.transactions}"
        found = self.first
        return (
            f"{self.wrong} of {self.transactions}; the first: {found.operation}, {found.reason}:"
            f" expected {found.expected}, got {found.got}: {found.excerpt[:80]!r}"
        )


class WrongSamples(Wrong):
    """Some answers whose bytes vary mean something else than the verified ones."""

    wrong: int
    compared: int
    seen: int
    operation: str
    """That of the first wrong answer."""
    number: int
    why: str

    def _count(self) -> str:
        return (
            f"{self.wrong} of {self.compared} sampled among {self.seen}; the first:"
            f" {self.operation}, answer {self.number}, {self.why}"
        )


class TransactionsFailed(RunReason):
    """Too many transactions of a warm-up or a slice failed."""

    during: Literal["warm-up", "slice"]
    failed: int
    transactions: int
    errors: Mapping[str, int]
    """The number of failures by class."""
    status: str = ""
    """The first status that was not expected, with its name."""
    obstacle: Obstacle | None = None

    @property
    def alike(self) -> Hashable:
        """See `RunReason.alike`."""
        return self.kind, self.during, self.status, self.obstacle, tuple(self.errors)

    def _words(self) -> str:
        several = len(self.errors) > 1
        classes = ", ".join(
            f"{count} {name}" if several else name for name, count in self.errors.items()
        )
        where = "its warm-up" if self.during == "warm-up" else "a slice"
        first = f", the first of them with status {self.status}" if self.status else ""
        failed = f"{self.failed} of {self.transactions} transactions of {where} failed ({classes})"
        before = f"under load {self.obstacle}; " if self.obstacle else ""
        return f"{before}{failed}{first}"


class TimedOut(RunReason):
    """No request of a slice was answered in time."""

    limit_s: float
    says = "no request was answered within {limit_s:g} s in a slice"


class RuleBroken(RunReason):
    """The run breaks a rule that was fixed before it ran."""

    broken: BrokenRule

    @property
    def alike(self) -> Hashable:
        """See `RunReason.alike`."""
        return self.kind, self.broken.rule

    def _words(self) -> str:
        return str(self.broken)


class NetworkNotKept(RunReason):
    """The emulator of a network dropped packets itself."""

    network: str
    way: Literal["down", "up"]
    dropped: int
    packets: int
    says = (
        "the emulator of the network {network} did not keep up: it dropped {dropped} of {packets}"
        " packets {way}, in addition to the declared loss; lower the network's rate or the load"
    )

    @property
    def alike(self) -> Hashable:
        """See `RunReason.alike`."""
        return self.kind, self.network


class NoCapacity(RunReason):
    """A search found no capacity, and no further block would show one."""

    of: Literal["no rate", "slow"]

    def _words(self) -> str:
        if self.of == "no rate":
            return (
                "it meets the objective at no rate that a trial can judge: give a looser objective,"
                " or longer trials (--trial)"
            )
        return (
            "a trial would take too long to judge the objective, as the server answers too slowly:"
            " give one that fewer requests can judge, such as p50, or --trial"
        )


class NoTransition(RunReason):
    """The trials of a block do not show the rate at which half of them meet the objective."""

    trials: int
    kept: int
    """The number of trials that met the objective."""
    lowest_per_s: float
    highest_per_s: float

    @property
    def alike(self) -> Hashable:
        """See `RunReason.alike`."""
        return self.kind, self.kept == 0, self.kept == self.trials

    def _words(self) -> str:
        count = words.plural(self.trials, "trial")
        if 0 < self.kept < self.trials:
            return (
                f"no rate separates those of its {count} that met the objective from the others:"
                " longer ones (--trial), or a looser objective, may"
            )
        what, where = ("met", "above") if self.kept else ("missed", "below")
        ends = [words.significant(end) for end in (self.lowest_per_s, self.highest_per_s)]
        return (
            f"all {count} {what} the objective, at {' to '.join(ends)}/s, so its capacity is"
            f" {where} these rates"
        )


# -- not all contenders of a block at the same time ----------------------------------------------


class ApartReason(Kind):
    """Why not all contenders of a block ran at the same time. Each subclass is a kind."""

    @property
    def brief(self) -> str:
        """The reason in sentences."""
        return str(self)

    @property
    def alike(self) -> Hashable:
        """What it has in common with reasons that differ only in figures."""
        return self.kind


class TooLittleMemory(ApartReason):
    """They do not fit into memory. Each of the `groups` contains `together`."""

    together: tuple[str, ...]
    """The baseline, and its twin."""
    contenders: int
    groups: int
    """0 if the baseline does not even fit together with one more contender."""
    left_out: tuple[str, ...] = ()
    """Contenders that fit into no group."""
    needed_bytes: int
    """What all need together; without groups, the baseline and the smallest other contender."""
    available_bytes: int

    @property
    def alike(self) -> Hashable:
        """See `ApartReason.alike`."""
        return self.kind, self.together, self.groups, self.left_out

    def _words(self) -> str:
        together, available = words.listed(self.together), _gb(self.available_bytes)
        if not self.groups:
            return (
                f"{together} and one more contender need at least {_gb(self.needed_bytes)} of"
                f" memory, and {available} are available. So contenders cannot take turns, and are"
                " measured in separate runs"
            )
        parts = [
            f"All {self.contenders} contenders together need {_gb(self.needed_bytes)} of memory,"
            f" and {available} are available"
        ]
        if self.groups > 1:
            parts.append(
                f"So each block is measured in {self.groups} overlapping groups, which all contain"
                f" {together}"
            )
        if self.left_out:
            parts.append(
                f"{words.listed(self.left_out)} {'does' if len(self.left_out) == 1 else 'do'} not"
                f" fit into memory together with {together}, and can only be measured in separate"
                " runs"
            )
        return ". ".join(parts)


class TooLittleDisk(ApartReason):
    """A store cannot have a copy of the data for each of them."""

    why: str

    def _words(self) -> str:
        return self.why


AnyApartReason = SerializeAsAny[ApartReason]


def _gb(size: int) -> str:
    return f"{size / 1e9:.1f} GB"

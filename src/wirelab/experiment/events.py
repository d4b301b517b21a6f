"""The events of a running study, and its observers: the terminal, the live page, a test."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from wirelab.bundle import BlockRecord
from wirelab.bundle.records import BundleStatus
from wirelab.engine.events import SliceRow
from wirelab.planning.schedule import Block, Run
from wirelab.study import Cell
from wirelab.terminal.words import plural


@dataclass(frozen=True, slots=True)
class BundleOpened:
    """The bundle of a study was created, or opened again.

    `expected_s`: the expected duration of the measurement; if `at_least`, a lower bound, since
    measuring will show how long it takes. `titles`: those of workloads whose ids the user has not
    written.
    """

    path: Path
    expected_s: float
    at_least: bool = False
    titles: Mapping[str, str] = field(default_factory=dict)
    kind: Literal["bundle opened"] = "bundle opened"


@dataclass(frozen=True, slots=True)
class StageStarted:
    """A stage with a number of steps begins."""

    title: str
    steps: int
    kind: Literal["stage started"] = "stage started"


@dataclass(frozen=True, slots=True)
class StepStarted:
    """The next step of a stage begins, or its last one is done.

    `expected_s`: how long the only step of a stage will take, if known.
    """

    text: str
    expected_s: float | None = None
    kind: Literal["step started"] = "step started"


@dataclass(frozen=True, slots=True)
class BlockStarted:
    """A block begins."""

    block: Block
    attempt: int
    kind: Literal["block started"] = "block started"


@dataclass(frozen=True, slots=True)
class BlockEstimated:
    """How long the current block will still take.

    `once_s` of its time so far is for what no later block has.
    """

    seconds: float
    once_s: float
    kind: Literal["block estimated"] = "block estimated"


@dataclass(frozen=True, slots=True)
class ActivityStarted:
    """Something begins within a block, while no request is in flight.

    `is_long`: it may last much longer than anything else, and reports nothing meanwhile.
    """

    text: str
    is_long: bool = False
    kind: Literal["activity started"] = "activity started"


@dataclass(frozen=True, slots=True)
class TurnsFinished:
    """Slices that were rehearsed or recorded, or trials; no request is in flight."""

    turns: tuple[tuple[Run, SliceRow], ...]
    kind: Literal["turns finished"] = "turns finished"


@dataclass(frozen=True, slots=True)
class RoleMemory:
    """The memory of one role of a contender; `contender` is its registration."""

    contender: str
    role: str
    bytes: int


@dataclass(frozen=True, slots=True)
class MemoryRead:
    """The memory of contenders was read."""

    roles: tuple[RoleMemory, ...]
    kind: Literal["memory read"] = "memory read"


@dataclass(frozen=True, slots=True)
class BlockFinished:
    """A block has ended and is in the bundle."""

    record: BlockRecord
    kind: Literal["block finished"] = "block finished"


@dataclass(frozen=True, slots=True)
class ComparisonSoFar:
    """The comparison of A with B in all blocks so far.

    `low` and `high` are the ends of its 95 % interval, None if there is none. `verdict` is final;
    "" as long as there is none. `further_blocks`: how many will probably decide it, None if none
    will. `is_question`: a question of the study makes it, and it can be decided after any block.
    """

    a: Cell
    b: Cell
    blocks: int
    ratio: float | None
    low: float | None
    high: float | None
    verdict: str
    further_blocks: int | None
    is_question: bool


@dataclass(frozen=True, slots=True)
class ComparisonsUpdated:
    """All comparisons, after a block.

    `decided` of the `questions` have a verdict. The comparison that is nearest to one is in the
    setting `nearest`, and will probably need `further_blocks`. `seconds_left`: until all are
    decided, or the budget ends; None if the number of blocks is fixed.
    """

    comparisons: tuple[ComparisonSoFar, ...]
    decided: int = 0
    questions: int = 0
    nearest: str = ""
    further_blocks: int | None = None
    seconds_left: float | None = None
    kind: Literal["comparisons updated"] = "comparisons updated"

    @property
    def text(self) -> str:
        """What is decided, and what is expected; "" if the number of blocks is fixed."""
        if not self.questions:
            return ""
        text = f"{self.decided} of {self.questions} decided"
        if self.further_blocks is None:
            return text
        further = plural(max(1, self.further_blocks), "more block")
        return f"{text}; “{self.nearest}” needs about {further}"


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the user should know."""

    text: str
    kind: Literal["note"] = "note"


@dataclass(frozen=True, slots=True)
class StudyEnded:
    """The study has ended; `report` is the path of its report, if there is one.

    `resume`: the command that continues it, if there is anything to continue.
    """

    status: BundleStatus | Literal["failed"]
    report: Path | None = None
    resume: str = ""
    kind: Literal["study ended"] = "study ended"


Event = Annotated[
    BundleOpened
    | StageStarted
    | StepStarted
    | BlockStarted
    | BlockEstimated
    | ActivityStarted
    | TurnsFinished
    | MemoryRead
    | BlockFinished
    | ComparisonsUpdated
    | Note
    | StudyEnded,
    Field(discriminator="kind"),
]
"""Any event. Its kind tells which one it is, also in JSON."""


class Observer:
    """Receives events as they happen. This class ignores them."""

    def on(self, event: Event) -> None:
        """Take an event."""


class Observers(Observer):
    """Several observers as one; each gets every event, in order."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers

    def on(self, event: Event) -> None:
        """Pass an event on."""
        for observer in self._observers:
            observer.on(event)

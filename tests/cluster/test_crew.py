"""Blocks handed out to many machines: each counts once, whatever becomes of the machines.

In place of stations on machines, recorded results are replayed; all else is as on a cluster.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.bundles.models import models_of
from tests.support.bundles.reasons import IT_DIED
from tests.support.bundles.synthetic import write_bundle
from tests.support.wording import raises_worded
from wirelab.bundle import BlockRecord, Bundle, SessionRecord
from wirelab.bundle.run_reasons import Unavailable
from wirelab.cluster.connection import LostError
from wirelab.cluster.crew import MOST_LOSSES, FleetCrew
from wirelab.cluster.machine import ClusterMachine
from wirelab.cluster.packed_files import pack
from wirelab.cluster.station_messages import Delivery
from wirelab.errors import LabError
from wirelab.experiment.blocks.queue import BlockQueue
from wirelab.experiment.events import BlockFinished, BlockStarted, Event, Observer
from wirelab.planning.plan import PlannedStudy
from wirelab.planning.schedule import Block
from wirelab.statistics import MINIMUM_BLOCKS
from wirelab.study import load_study

THREE = models_of("rest-flask", "graphql-graphene", "grpc-grpcio")
Result = Delivery | LostError


@dataclass
class Replayed:
    """A machine's station that delivers what was recorded of a block, as `becomes` changes it."""

    name: str
    recorded: Bundle
    becomes: Callable[[str, Block, Delivery], Result]

    def run_block(self, block: Block, attempt: int) -> "Ticket":
        """Begin a block."""
        (record,) = self.recorded.block_records(block.id)
        folder = self.recorded.path / "blocks" / record.folder_name
        files = {name: file for name, file in pack(folder).items() if name != "block.json"}
        delivery = changed(Delivery(record, files, (), ()), attempt=attempt)
        return Ticket(self.name, self.becomes(self.name, block, delivery))


@dataclass(eq=False)
class Ticket:
    """A block under way."""

    machine: str
    result: Result


@dataclass
class ReplayedCluster:
    """Ends blocks in random order, as machines of different speeds do."""

    random: np.random.Generator

    def call(self, station: Replayed, method: str, block: Block, attempt: int) -> Ticket:
        """Begin a block."""
        assert method == "run_block"
        return station.run_block(block, attempt)

    def ended(self, tickets: Sequence[Ticket], timeout_s: float | None) -> list[Ticket]:
        """End one of them."""
        assert timeout_s
        return [tickets[int(self.random.integers(len(tickets)))]]

    def result(self, ticket: Ticket) -> Delivery:
        """Return what it brought."""
        if isinstance(ticket.result, LostError):
            raise ticket.result
        return ticket.result


@dataclass
class BlockLog(Observer):
    """Keeps which blocks were begun and ended."""

    begun: list[str] = field(default_factory=list)
    ended: list[BlockRecord] = field(default_factory=list)

    def on(self, event: Event) -> None:
        match event:
            case BlockStarted(block):
                self.begun.append(block.id)
            case BlockFinished(record):
                self.ended.append(record)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Record thirty rounds of two blocks."""
    return write_bundle(
        tmp_path_factory.mktemp("recorded") / "bundle",
        blocks=30,
        requests=20,
        permutations=2,
        workloads=("fetch_one", "control"),
        models=THREE,
    )


@pytest.fixture
def bundle(recorded: Bundle, tmp_path: Path) -> Bundle:
    """Return an empty bundle of the same study."""
    return Bundle.create(
        tmp_path / "bundle",
        info=recorded.info,
        schedule=recorded.schedule,
        contenders=recorded.contenders,
        host=recorded.host,
        study_files={},
        domain_files={},
    )


@dataclass
class Staged:
    """A crew of several machines whose results are replayed."""

    recorded: Bundle
    bundle: Bundle
    machines: int
    becomes: Callable[[str, Block, Delivery], Result] = lambda _name, _block, delivery: delivery
    seed: int = 1

    def __post_init__(self) -> None:
        self.heard = BlockLog()
        self.crew = FleetCrew(
            ReplayedCluster(np.random.default_rng(self.seed)),  # type: ignore[arg-type]
            [
                ClusterMachine(name, Replayed(name, self.recorded, self.becomes))
                for name in (f"m{number:03}" for number in range(self.machines))
            ],
            self.bundle,
            self.heard,
            self.lose,
        )

    def lose(self, machine: ClusterMachine, reason: str) -> None:
        machine.lost = reason

    def run(self, **design: object) -> None:
        """Run all blocks, in a design with changes."""
        study = load_study(self.recorded.study_folder)
        name = self.recorded.schedule.design
        changed = study.designs[name].model_copy(update={"budget_minutes": None, **design})
        study = study.model_copy(update={"designs": {name: changed}})
        schedule = replace(self.recorded.schedule, budget_minutes=changed.budget_minutes)
        plan = PlannedStudy(study, None, {}, schedule)  # type: ignore[arg-type]
        self.crew.run_blocks(BlockQueue(plan, self.bundle, self.heard))


def changed(delivery: Delivery, **update: object) -> Delivery:
    """Return what was delivered, with other facts in its record."""
    return Delivery(delivery.record.model_copy(update=update), delivery.files, (), ())


@pytest.mark.parametrize("machines", [1, 4, 200])
def test_every_block_is_measured_once_and_its_files_arrive(
    recorded: Bundle, bundle: Bundle, machines: int
) -> None:
    staged = Staged(recorded, bundle, machines)

    staged.run()

    arrived = bundle.block_records()
    assert [record.block for record in arrived] == [
        record.block for record in recorded.block_records()
    ]
    assert len({record.machine for record in arrived}) == min(machines, len(arrived))
    ignored = ["machine"]
    assert bundle.slices().equals(recorded.slices())
    assert bundle.metrics().drop(columns=ignored).equals(recorded.metrics().drop(columns=ignored))


def test_few_machines_keep_rounds_together(recorded: Bundle, bundle: Bundle) -> None:
    Staged(recorded, bundle, 3).run()

    by_round: dict[int, set[str]] = {}
    for record in bundle.block_records():
        by_round.setdefault(record.block.number, set()).add(record.machine)
    shared = [number for number, machines in by_round.items() if len(machines) > 1]
    assert len(shared) <= 2  # only at the end do machines help each other


def test_machines_that_are_lost_cost_no_block(recorded: Bundle, bundle: Bundle) -> None:
    random = np.random.default_rng(3)
    lost: list[str] = []

    def is_lost_sometimes(name: str, block: Block, delivery: Delivery) -> Result:
        if len(lost) < 100 and random.random() < 0.4 and block.id not in lost:
            lost.append(block.id)
            return LostError("The node died")
        return delivery

    staged = Staged(recorded, bundle, 200, is_lost_sometimes)

    staged.run()
    assert lost
    records = bundle.block_records()
    assert len(records) == len(recorded.schedule.blocks)
    gone = {machine.name: machine.lost for machine in staged.crew.machines if machine.lost}
    assert len(gone) == len(lost)
    assert all(reason.startswith("The node died") for reason in gone.values())
    assert not gone.keys() & {record.machine for record in records}


def test_a_block_that_repeatedly_loses_machines_ends_the_study(
    recorded: Bundle, bundle: Bundle
) -> None:
    poisonous = recorded.schedule.blocks[0].id

    def kills(name: str, block: Block, delivery: Delivery) -> Result:
        return LostError("out of memory") if block.id == poisonous else delivery

    staged = Staged(recorded, bundle, 10, kills)

    with raises_worded(LabError):
        staged.run()
    assert sum(bool(machine.lost) for machine in staged.crew.machines) == MOST_LOSSES


def test_without_a_machine_the_study_ends(recorded: Bundle, bundle: Bundle) -> None:
    staged = Staged(recorded, bundle, 2, lambda *_: LostError("The node died"))

    with raises_worded(LabError):
        staged.run()


def test_a_block_that_broke_off_is_repeated_on_another_machine(
    recorded: Bundle, bundle: Bundle
) -> None:
    weak, failed = "m001", deque[str]()

    def fails_there(name: str, block: Block, delivery: Delivery) -> Result:
        if name != weak:
            return delivery
        failed.append(block.id)
        return changed(delivery, failures=(IT_DIED,))

    Staged(recorded, bundle, 3, fails_there).run()

    assert failed
    last = {record.block.id: record for record in bundle.last_attempts()}
    for block in failed:
        assert last[block].attempt == 2
        assert last[block].machine != weak
        assert not last[block].failures


def test_a_block_that_fails_twice_ends_the_study(recorded: Bundle, bundle: Bundle) -> None:
    with raises_worded(LabError):
        Staged(recorded, bundle, 3, lambda *it: changed(it[-1], failures=(IT_DIED,))).run()


def test_a_failure_after_stolen_time_does_not_count_twice(recorded: Bundle, bundle: Bundle) -> None:
    first = recorded.schedule.blocks[0].id
    stolen = SessionRecord(too_stolen=True)
    script = deque[dict[str, object]]([{"sessions": (stolen,)}, {"failures": (IT_DIED,)}])

    def follow(name: str, block: Block, delivery: Delivery) -> Result:
        return changed(delivery, **(script.popleft() if block.id == first and script else {}))

    Staged(recorded, bundle, 3, follow).run()

    last = {record.block.id: record for record in bundle.last_attempts()}
    assert (last[first].attempt, last[first].failures) == (3, ())


def test_blocks_beyond_the_budget_are_left_out_and_the_rest_is_finished(
    recorded: Bundle, bundle: Bundle
) -> None:
    staged = Staged(recorded, bundle, 4)

    staged.run(budget_minutes=0.01)

    done = Counter(record.block.number for record in bundle.block_records())
    assert done
    assert max(done) <= MINIMUM_BLOCKS
    assert len(staged.heard.ended) == len(staged.heard.begun)  # nothing is left under way
    assert len(bundle.schedule.blocks) == done.total()


def test_a_machine_that_lacks_a_contender_gets_no_block_with_it(
    recorded: Bundle, bundle: Bundle
) -> None:
    staged = Staged(recorded, bundle, 3)
    poor, *_ = staged.crew.machines
    lacking = [cell for cell in recorded.schedule.cells if cell.contender == "grpc-grpcio"]
    poor.unusable = dict.fromkeys(lacking, Unavailable(what="it needs Go"))

    staged.run()

    assert {record.machine for record in bundle.block_records()} == {"m001", "m002"}

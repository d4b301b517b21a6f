"""The crew of a cluster: every machine runs one block at a time."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from wirelab.bundle import BlockRecord, Bundle
from wirelab.cluster.connection import Cluster, LostError, Ticket
from wirelab.cluster.dispatch import choose
from wirelab.cluster.machine import Machine
from wirelab.cluster.packed_files import unpack
from wirelab.cluster.setup_results import record_events
from wirelab.cluster.station_messages import Delivery
from wirelab.errors import LabError
from wirelab.experiment import Observer
from wirelab.experiment.blocks.crew import must_repeat
from wirelab.planning.schedule import Block

MOST_LOSSES = 3
"""A block during which this many machines were lost is not assigned again."""
TICK_S = 1.0
"""The interval of checks for signals while all machines are busy."""


@dataclass
class FleetCrew:
    """Assigns blocks to free machines. `lose` removes a machine, with the reason."""

    cluster: Cluster
    machines: Sequence[Machine]
    bundle: Bundle
    observer: Observer
    lose: Callable[[Machine, str], None]
    under_way: dict[Ticket, tuple[Machine, Block]] = field(default_factory=dict)
    rounds: dict[int, str] = field(default_factory=dict)
    """The machine that began a round, by the number of its blocks."""
    attempts: dict[str, list[BlockRecord]] = field(default_factory=dict)
    """The machine of a running block, by its id."""
    losses: Counter[str] = field(default_factory=Counter)
    failed_on: dict[str, Machine] = field(default_factory=dict)
    """The machine on which a block broke off, by the block's id."""

    def carry_out(self, blocks: Sequence[Block], may_begin: Callable[[Block], bool]) -> bool:
        """Run blocks, each on one machine; see `Crew`."""
        pending, was_stopped = list(blocks), False
        while pending or self.under_way:
            for machine in self._free():
                may = partial(self._may, machine)
                block = choose(pending, self.rounds, machine.name, may)
                if block is None:
                    continue
                if block.id not in self.attempts and not may_begin(block):
                    pending, was_stopped = [it for it in pending if it.id in self.attempts], True
                    continue
                pending.remove(block)
                self._begin(machine, block)
            if self.under_way:
                pending[:0] = self._finish_some()
            elif pending:
                raise LabError(
                    "no machine of the cluster is left",
                    "the messages above say why; then resume with `wirelab run --resume`",
                )
        return not was_stopped

    def _free(self) -> list[Machine]:
        busy = [machine for machine, _ in self.under_way.values()]
        return [it for it in self.machines if not it.lost and it not in busy]

    def _may(self, machine: Machine, block: Block) -> bool:
        """Return whether no other machine can measure more of a block, or should run it."""
        left = [each for each in self.machines if not each.lost]
        most = max(each.usable(block) for each in left)
        able = [each for each in left if each.usable(block) == most]
        if len(able) > 1 and self.failed_on.get(block.id) is machine:
            return False
        return machine in able

    def _begin(self, machine: Machine, block: Block) -> None:
        self.rounds.setdefault(block.number, machine.name)
        self.attempts.setdefault(block.id, [])
        attempt = self.bundle.next_attempt(block.id)
        self.observer.block_started(block, attempt)
        self.bundle.append_event("block given", block=block.id, machine=machine.name)
        ticket = self.cluster.call(machine.station, "carry_out", block, attempt)
        self.under_way[ticket] = machine, block

    def _finish_some(self) -> list[Block]:
        """Wait for a block, record it, and return the blocks to be repeated."""
        again = []
        for ticket in self.cluster.ended(list(self.under_way), TICK_S):
            machine, block = self.under_way.pop(ticket)
            try:
                delivery: Delivery = self.cluster.result(ticket)
            except LostError as lost:
                self.lose(machine, f"{lost}, while it measured {block.id}")
                self._count_loss(block)
                again.append(block)
                continue
            record = self._record(machine, delivery)
            self.attempts[block.id].append(record)
            if must_repeat(self.attempts[block.id]):
                if record.failures:
                    self.failed_on[block.id] = machine
                again.append(block)
        return again

    def _count_loss(self, block: Block) -> None:
        """Let a block be repeated, unless too many machines were lost during it."""
        self.losses[block.id] += 1
        if self.losses[block.id] >= MOST_LOSSES:
            raise LabError(
                f"{MOST_LOSSES} machines were lost while they measured {block.id}",
                "the messages above say why; then resume with `wirelab run --resume`",
            )

    def _record(self, machine: Machine, delivery: Delivery) -> BlockRecord:
        record = machine.moved(delivery.record, self.bundle.path)
        record = record.model_copy(update={"machine": machine.name})
        unpack(delivery.files, self.bundle.partial_block(record.block.id))
        self.bundle.record_block(record)
        for note in delivery.notes:
            self.observer.note(f"{machine.name}: {machine.relocate(note, self.bundle.path)}")
        record_events(self.bundle, machine, delivery.events)
        self.observer.block_finished(record)
        return record

"""The crew of a cluster: every machine runs one block at a time."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from wirelab.bundle import BlockRecord, Bundle
from wirelab.cluster.connection import TICK_S, Cluster, LostError, Ticket
from wirelab.cluster.machine import ClusterMachine
from wirelab.cluster.packed_files import unpack
from wirelab.cluster.setup_results import record_events
from wirelab.cluster.station_messages import Delivery
from wirelab.errors import LabError
from wirelab.experiment.blocks.block import must_repeat
from wirelab.experiment.blocks.queue import BlockQueue
from wirelab.experiment.events import BlockFinished, BlockStarted, Note, Observer
from wirelab.planning.schedule import Block

MOST_LOSSES = 3
"""A block during which this many machines were lost is not assigned again."""


@dataclass
class FleetCrew:
    """Assigns blocks to free machines. `lose` removes a machine, with the reason."""

    cluster: Cluster
    machines: Sequence[ClusterMachine]
    bundle: Bundle
    observer: Observer
    lose: Callable[[ClusterMachine, str], None]
    under_way: dict[Ticket, tuple[ClusterMachine, Block]] = field(default_factory=dict)
    rounds: dict[int, str] = field(default_factory=dict)
    """The machine that began a round, by the number of its blocks."""
    attempts: dict[str, list[BlockRecord]] = field(default_factory=dict)
    """The machine of a running block, by its id."""
    losses: Counter[str] = field(default_factory=Counter)
    failed_on: dict[str, ClusterMachine] = field(default_factory=dict)
    """The machine on which a block broke off, by the block's id."""

    def run_blocks(self, queue: BlockQueue) -> None:
        """Run blocks, each on one machine, until none is left.

        Raises `LabError` for a block that broke off twice, and if no machine is left.
        """
        while not queue.has_ended():
            for machine in self._free():
                block = queue.take(partial(self._choose, machine))
                if block is not None:
                    self._begin(machine, block)
            if self.under_way:
                self._finish_some(queue)
            else:
                raise LabError(
                    "no machine of the cluster is left",
                    "the messages above say why; then resume with `wirelab run --resume`",
                )

    def _choose(self, machine: ClusterMachine, pending: Sequence[Block]) -> Block | None:
        return choose(pending, self.rounds, machine.name, partial(self._may, machine))

    def _free(self) -> list[ClusterMachine]:
        busy = [machine for machine, _ in self.under_way.values()]
        return [each for each in self.machines if not each.lost and each not in busy]

    def _may(self, machine: ClusterMachine, block: Block) -> bool:
        """Return whether no other machine can measure more of a block, or should run it."""
        left = [each for each in self.machines if not each.lost]
        most = max(each.usable(block) for each in left)
        able = [each for each in left if each.usable(block) == most]
        if len(able) > 1 and self.failed_on.get(block.id) is machine:
            return False
        return machine in able

    def _begin(self, machine: ClusterMachine, block: Block) -> None:
        self.rounds.setdefault(block.number, machine.name)
        self.attempts.setdefault(block.id, [])
        attempt = self.bundle.next_attempt(block.id)
        self.observer.on(BlockStarted(block, attempt))
        self.bundle.append_event("block given", block=block.id, machine=machine.name)
        ticket = self.cluster.call(machine.station, "run_block", block, attempt)
        self.under_way[ticket] = machine, block

    def _finish_some(self, queue: BlockQueue) -> None:
        """Wait for a block, and record it; put it back if it must be repeated."""
        for ticket in self.cluster.ended(list(self.under_way), TICK_S):
            machine, block = self.under_way.pop(ticket)
            try:
                delivery: Delivery = self.cluster.result(ticket)
            except LostError as lost:
                self.lose(machine, f"{lost}, while it measured {block.id}")
                self._count_loss(block)
                queue.put_back(block)
                continue
            record = self._record(machine, delivery)
            self.attempts[block.id].append(record)
            if must_repeat(self.attempts[block.id]):
                if record.failures:
                    self.failed_on[block.id] = machine
                queue.put_back(block)
            else:
                queue.finish(block)

    def _count_loss(self, block: Block) -> None:
        """Let a block be repeated, unless too many machines were lost during it."""
        self.losses[block.id] += 1
        if self.losses[block.id] >= MOST_LOSSES:
            raise LabError(
                f"{MOST_LOSSES} machines were lost while they measured {block.id}",
                "the messages above say why; then resume with `wirelab run --resume`",
            )

    def _record(self, machine: ClusterMachine, delivery: Delivery) -> BlockRecord:
        record = machine.moved(delivery.record, self.bundle.path)
        record = record.model_copy(update={"machine": machine.name})
        unpack(delivery.files, self.bundle.partial_block(record.block.id))
        self.bundle.record_block(record)
        for text in delivery.notes:
            relocated = machine.relocate(text, self.bundle.path)
            self.observer.on(Note(f"{machine.name}: {relocated}"))
        record_events(self.bundle, machine, delivery.events)
        self.observer.on(BlockFinished(record))
        return record


def choose(
    pending: Sequence[Block],
    rounds: Mapping[int, str],
    machine: str,
    may: Callable[[Block], bool],
) -> Block | None:
    """Choose the next block for a machine, of those that it may run; None for none of them.

    `rounds` gives the machine that began a round, the blocks of one number. Cells of one round are
    compared even across blocks, if one machine measured them: so a machine first continues its own
    rounds, then begins one, and finally helps others.
    """
    own = (block for block in pending if rounds.get(block.number) == machine and may(block))
    new = (block for block in pending if block.number not in rounds and may(block))
    return next(own, None) or next(new, None) or next(filter(may, pending), None)

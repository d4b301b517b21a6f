"""The records of what precedes the blocks: contenders, verification, bytes, calls, capacities."""

from collections.abc import Mapping
from typing import Any, Literal

from wirelab.record import Record
from wirelab.study import Cell


class ContenderRecord(Record):
    """One entry of contenders.json: a contender and its versions."""

    title: str
    protocol: str
    stack: str
    address: str = ""
    """The address of a server that wirelab did not start."""
    not_controlled: tuple[Literal["fresh_start", "restored_store", "processes"], ...] = ()
    """What wirelab does not control: whether each block starts the contender afresh, whether its
    store has the same state each time, whether its CPU time and memory are known."""
    settings: Mapping[str, Any] = {}
    versions: Mapping[str, Mapping[str, str]] = {}
    """Packages and their versions, by environment."""

    @property
    def version_lines(self) -> list[str]:
        """Each package with its version, or one version per environment if they differ."""
        lines = []
        for package in dict.fromkeys(name for found in self.versions.values() for name in found):
            by_place = {place: found.get(package, "") for place, found in self.versions.items()}
            if len(set(by_place.values())) == 1:
                lines.append(f"{package} {next(iter(by_place.values()))}")
            else:
                places = ", ".join(f"{place} {version}" for place, version in by_place.items())
                lines.append(f"{package} ({places})")
        return lines


class WireRecord(Record):
    """One row of wire.json: bytes of a fresh connection that carried some transactions.

    `sent` and `received` count all bytes on the sockets over the life of the connection, as seen by
    the client; `payload_*` count message bodies only, and `payload_gzip` those of both directions,
    each compressed by itself; None if that was not done. `statements` are those that the store
    executed for them, transactions' begin and commit included; None if it does not show them.
    `segment_bytes` is the size of each TCP segment's headers on the machine that counted;
    `syn_extra_bytes` is how much larger one side's SYN is.
    """

    contender: str
    workload: str
    transactions: int
    repeat: int
    sent: int
    received: int
    segments_out: int
    segments_in: int
    payload_sent: int
    payload_received: int
    payload_gzip: int | None = None
    statements: int | None = None
    segment_bytes: int = 52
    syn_extra_bytes: int = 8


class CallRecord(Record):
    """One row of calls.json: what one service requests from another for one transaction.

    `calls` are requests on the wire; `sent_bytes` and `received_bytes` are bytes of the TCP streams
    between the two, as seen by the caller. All are means over some transactions on open
    connections.
    """

    contender: str
    workload: str
    caller: str
    service: str
    calls: float
    sent_bytes: float
    received_bytes: float


class PilotRecord(Record):
    """One row of pilot.json: a contender's maximum throughput, measured before the blocks.

    `clients` is the number of clients, which sent as fast as they were answered. An open load that
    is a share of the capacity refers to the smallest `throughput_per_s` of a place's contenders.
    """

    cell: Cell
    clients: int
    transactions: int
    throughput_per_s: float
    latency_mean_us: float


class AnswerRecord(Record):
    """One row of answers.json: a transaction of a workload, and the size of the correct answer.

    `leaves` is the number of objects in the answer that contain no other object.
    """

    workload: str
    operation: str
    parameter_set: int
    leaves: int


class ReadAfterWriteRecord(Record):
    """What contenders of one backend read after a write through one of them, in equality.json.

    `sequence` wrote `writes` times through the contender `written_through`. After each write, all
    `contenders` called the operation `read`. `differing` and `refused` count, over all pairs of
    contenders, the reads whose answers differed, and those that only one of both refused or both
    refused differently.
    """

    sequence: str
    written_through: str
    read: str
    contenders: tuple[str, ...]
    writes: int
    differing: int
    refused: int


class UncomparedRecord(Record):
    """What is not compared of a contender's answers: parts, with the number of their values.

    `only` are parts that no other contender has, `shared` those that others have, too; `total` is
    the number of values in all parts, `declared` that in parts that the domain ignores.
    """

    contender: str
    total: int
    only: dict[str, int]
    shared: dict[str, int]
    declared: int


class EqualityRecord(Record):
    """One row of equality.json: what the answers of a workload prove without a reference.

    All pairs of `contenders` were compared, with `parameter_sets` parameter sets. `answered`,
    `distinct_answers` and `leaves` (non-empty values) are the minimum over the contenders.
    `quarantined` parts differed between two answers of one contender, `ignored` parts are declared
    as such; neither were compared. `left_out` contenders do not offer the operation. `read_after`
    is what sequences read after this operation wrote.
    """

    workload: str
    operation: str
    contenders: tuple[str, ...]
    pairs: int
    parameter_sets: int
    answered: int
    distinct_answers: int
    leaves: int
    quarantined: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    uncompared: tuple[UncomparedRecord, ...] = ()
    left_out: tuple[str, ...] = ()
    read_after: tuple[ReadAfterWriteRecord, ...] = ()

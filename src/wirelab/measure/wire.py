"""Bytes on the wire: how many bytes n transactions on one fresh connection take.

The kernel counts what a TCP connection carried: the bytes of the streams, and the segments. The
rest follows exactly, as long as nothing was retransmitted:

    wire = stream + segments x (IP header 20 + TCP header 20 + time stamps 12) + SYN options 8

Every segment carries the time stamp option (12 bytes with its padding). The SYN of each side has 20
bytes of options instead of those 12: maximum segment size 4, selective acknowledgement 2, time
stamps 10, window scale 3 and 1 of padding. Administrators can disable these options;
`WireFormat.of_this_machine` reads which are enabled. Ethernet adds a frame header of 14 bytes per
segment.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirelab.engine.job import Closed, Connections, Job, JobWarmUp, Stop
from wirelab.engine.result import TargetResult
from wirelab.errors import MeasureError
from wirelab.measure.driver import run_engine

TRANSACTIONS = (1, 2, 10, 100, 1000)
REPEATS = 3
DEADLINE_S = 120.0
ATTEMPTS = 3
"""How often to try in all; a connection on which TCP retransmitted a segment is measured again."""

TCP_HEADER = 20
TIME_STAMPS = 12
MAXIMUM_SEGMENT_SIZE = 4
SELECTIVE_ACKNOWLEDGEMENT = 2
WINDOW_SCALE = 4


@dataclass(frozen=True, slots=True)
class WireRow:
    """The bytes of n transactions, as seen by the client.

    `sent` and `received` are bytes of the TCP streams over the whole life of the connection;
    `payload_*` are bytes of message bodies only.
    """

    transactions: int
    repeat: int
    connections: int
    sent: int
    received: int
    segments_out: int
    segments_in: int
    payload_sent: int
    payload_received: int


@dataclass(frozen=True, slots=True)
class WireFormat:
    """The bytes of a segment besides its payload."""

    ip_header: int = 20
    time_stamps: bool = True
    selective_acknowledgement: bool = True
    window_scale: bool = True

    @classmethod
    def of_this_machine(cls, host: str = "127.0.0.1", proc: Path = Path("/proc")) -> "WireFormat":
        """Read which TCP options connections to a host negotiate."""

        def on(name: str) -> bool:
            return (proc / "sys/net/ipv4" / name).read_text().strip() != "0"

        return cls(
            ip_header=40 if ":" in host else 20,
            time_stamps=on("tcp_timestamps"),
            selective_acknowledgement=on("tcp_sack"),
            window_scale=on("tcp_window_scaling"),
        )

    @property
    def segment_bytes(self) -> int:
        """Bytes of an ordinary segment's headers."""
        return self.ip_header + TCP_HEADER + (TIME_STAMPS if self.time_stamps else 0)

    @property
    def syn_extra_bytes(self) -> int:
        """Bytes that one side's SYN has beyond an ordinary segment."""
        extra = MAXIMUM_SEGMENT_SIZE + (WINDOW_SCALE if self.window_scale else 0)
        # With time stamps, it replaces their padding.
        if self.selective_acknowledgement and not self.time_stamps:
            extra += SELECTIVE_ACKNOWLEDGEMENT + 2
        return extra


def measure_wire(
    job: Job,
    folder: Path,
    *,
    transactions: Sequence[int] = TRANSACTIONS,
    repeats: int = REPEATS,
) -> list[WireRow]:
    """Send n transactions on one fresh connection, for every n, and count the bytes.

    Only the CPUs and the single target of `job` are used; files are written to folders below
    `folder`. A first transaction is not counted: a server may take so long to answer it that TCP
    retransmits. Raises `MeasureError` if a transaction fails, or if TCP retransmits in every
    attempt.
    """
    _sent(job, 1, folder / "first")
    rows = []
    for repeat in range(repeats):
        for count in transactions:
            for attempt in range(1, ATTEMPTS + 1):
                result = _sent(job, count, folder / f"{count}-{repeat}-{attempt}")
                if not result.bytes.lifetime.retransmitted:
                    break
            rows.append(_row(count, repeat, result))
    return rows


def _sent(job: Job, transactions: int, folder: Path) -> TargetResult:
    """Send a number of transactions on one fresh connection."""
    folder.mkdir(parents=True)
    (target,) = job.targets
    timeout_ms = target.connections.request_timeout_ms
    alone = {"connections": Connections(request_timeout_ms=timeout_ms), "pacer": Closed()}
    only = {
        "targets": (target.model_copy(update=alone),),
        "warm_up": JobWarmUp(),
        "stop": Stop(transactions=transactions),
        "slices": None,
        "control": False,
        "samples": False,
        "output": folder,
    }
    return run_engine(job.model_copy(update=only), folder, deadline_s=DEADLINE_S).only


def _row(transactions: int, repeat: int, result: TargetResult) -> WireRow:
    counts, life, window = result.counts, result.bytes.lifetime, result.bytes.window
    if counts.succeeded != transactions:
        raise MeasureError(
            f"cannot count bytes: {counts.failed} of {transactions} transactions failed "
            f"({', '.join(counts.errors) or 'none was sent'})"
        )
    if life.retransmitted:
        raise MeasureError(f"cannot count bytes: {life.retransmitted} segments were retransmitted")
    return WireRow(
        transactions=transactions,
        repeat=repeat,
        connections=life.connections,
        sent=life.sent,
        received=life.received,
        segments_out=life.segments_out,
        segments_in=life.segments_in,
        payload_sent=window.payload_sent,
        payload_received=window.payload_received,
    )

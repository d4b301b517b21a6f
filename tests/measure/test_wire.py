"""Bytes on the wire: what follows from the kernel's counters is what a packet capture sees."""

import itertools
import shutil
import subprocess
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.support.jobs import MakeJob
from tests.support.undisturbed import undisturbed
from wirelab.analysis.figures.wire import packet_bytes
from wirelab.bundle import WireRecord
from wirelab.engine.job import Request
from wirelab.errors import MeasureError
from wirelab.measure.wire import WireFormat, WireRow, measure_wire

DEFAULT = WireFormat()


class Capture:
    """All packets of a port, by tshark."""

    def __init__(self, file: Path, port: int) -> None:
        self._file = file
        self._port = port
        # -B: a buffer that holds all packets even where tshark comes to read them late
        command = ["tshark", "-Q", "-B", "64", "-i", "lo", "-f", f"tcp port {port}"]
        command += ["-w", str(file)]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 10
        while not (file.exists() and file.stat().st_size) and self._process.poll() is None:
            assert time.monotonic() < deadline  # tshark does not begin to capture
            time.sleep(0.05)
        if self._process.poll() is not None:
            assert self._process.stderr is not None
            reason = self._process.stderr.readline().decode().strip()
            pytest.skip(f"capturing is not permitted: {reason}")
        time.sleep(0.5)  # the file is there a little before the capture is

    def end(self) -> tuple[list[int], list[int]]:
        """Return the lengths of the IP packets of the last connection: to the server, and back."""
        time.sleep(0.5)
        self._process.terminate()
        self._process.communicate(timeout=10)
        fields = ["-T", "fields", "-e", "tcp.stream", "-e", "tcp.dstport", "-e", "ip.len"]
        command = ["tshark", "-r", str(self._file), "-o", "ip.check_checksum:FALSE", *fields]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(
            "\n"
        )
        packets = [tuple(map(int, line.split())) for line in lines if line]
        last = max(stream for stream, _, _ in packets)
        there = [length for s, port, length in packets if s == last and port == self._port]
        back = [length for s, port, length in packets if s == last and port != self._port]
        return there, back


@pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark")
@pytest.mark.parametrize(("count", "reply_bytes"), [(1, 20), (50, 3_000), (7, 300_000)])
def test_the_formula_is_exact(
    count: int, reply_bytes: int, port: int, make_job: MakeJob, tmp_path: Path
) -> None:
    request = Request(method="POST", path=f"/{reply_bytes}", body=b"r" * 300)
    job = make_job("fetch", f"127.0.0.1:{port}", requests=[request])
    form = WireFormat.of_this_machine()
    attempts = itertools.count()

    def captured() -> tuple[WireRow, list[int], list[int]]:
        attempt = next(attempts)
        capture = Capture(tmp_path / f"capture-{attempt}.pcapng", port)
        wire = tmp_path / f"wire-{attempt}"
        (row,) = measure_wire(job, wire, transactions=[count], repeats=1)
        return row, *capture.end()

    def is_exact(seen: tuple[WireRow, list[int], list[int]]) -> bool:
        row, there, back = seen
        # A capture on the sending machine sees a packet before the network card, or here the
        # loopback device in its place, would cut it into segments. A network carries the headers
        # of each.
        uncut = row.segments_in - len(back)
        return (
            row.segments_out == len(there)
            and (uncut == 0 or max(back) > 32_768)
            and _packet_bytes(row, form) - uncut * form.segment_bytes == sum(there) + sum(back)
        )

    # If the host stalls, the capture begins too late or ends too early, or the server
    # sends something twice.
    row, there, back = seen = undisturbed(captured, is_exact)

    assert is_exact(seen), (row, len(there), sum(there), len(back), sum(back))
    assert (row.payload_sent, row.payload_received) == (count * 300, count * reply_bytes)


def _packet_bytes(row: WireRow, form: WireFormat) -> int:
    """Return what a report says of a row that was counted on such a machine."""
    counted = asdict(row)
    del counted["connections"]
    return packet_bytes(
        WireRecord(
            contender="c",
            workload="w",
            segment_bytes=form.segment_bytes,
            syn_extra_bytes=form.syn_extra_bytes,
            **counted,
        )
    )


def test_every_count_and_repeat_is_a_fresh_connection(
    port: int, make_job: MakeJob, tmp_path: Path
) -> None:
    request = Request(method="POST", path="/100", body=b"r" * 10)
    job = make_job("fetch", f"127.0.0.1:{port}", requests=[request])

    rows = measure_wire(job, tmp_path / "wire", transactions=[1, 2, 10], repeats=2)

    assert [(row.transactions, row.repeat) for row in rows] == [
        (1, 0),
        (2, 0),
        (10, 0),
        (1, 1),
        (2, 1),
        (10, 1),
    ]
    assert {row.connections for row in rows} == {1}
    one, two, ten = rows[:3]
    marginal = two.sent - one.sent
    assert ten.sent == one.sent + 9 * marginal  # every request costs the same
    assert one.sent == rows[3].sent  # and the same every time


@pytest.mark.parametrize(
    ("form", "one_segment", "with_syn"),
    [
        (DEFAULT, 52, 60),
        (WireFormat(ip_header=40), 72, 80),
        (WireFormat(time_stamps=False), 40, 52),
        (WireFormat(selective_acknowledgement=False), 52, 60),
        (WireFormat(time_stamps=False, selective_acknowledgement=False), 40, 48),
        (
            WireFormat(time_stamps=False, selective_acknowledgement=False, window_scale=False),
            40,
            44,
        ),
    ],
)
def test_headers_by_the_options_that_are_switched_on(
    form: WireFormat, one_segment: int, with_syn: int
) -> None:
    assert form.segment_bytes == one_segment
    assert form.segment_bytes + form.syn_extra_bytes == with_syn


def test_the_options_are_read_from_the_machine(tmp_path: Path) -> None:
    folder = tmp_path / "sys/net/ipv4"
    folder.mkdir(parents=True)
    for name, value in (("tcp_timestamps", 0), ("tcp_sack", 1), ("tcp_window_scaling", 1)):
        (folder / name).write_text(f"{value}\n")

    form = WireFormat.of_this_machine("::1", proc=tmp_path)

    assert form == WireFormat(ip_header=40, time_stamps=False)


@pytest.mark.usefixtures("fake_engine")
@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("fail", r"1 of 10 transactions failed \(status\)"),
        ("retransmit", "2 segments were retransmitted"),
    ],
)
def test_invalid_bytes_are_refused(
    behaviour: str, reason: str, make_job: MakeJob, tmp_path: Path
) -> None:
    with pytest.raises(MeasureError, match=reason):
        measure_wire(make_job(behaviour), tmp_path / "wire", transactions=[10], repeats=1)


@pytest.mark.usefixtures("fake_engine")
def test_a_row_contains_what_the_engine_counted(make_job: MakeJob, tmp_path: Path) -> None:
    rows = measure_wire(make_job(), tmp_path / "wire", transactions=[10], repeats=1)

    assert rows == [
        WireRow(
            transactions=10,
            repeat=0,
            connections=1,
            sent=50,
            received=60,
            segments_out=7,
            segments_in=6,
            payload_sent=1,
            payload_received=2,
        )
    ]


@pytest.mark.usefixtures("fake_engine")
def test_a_connection_with_retransmissions_is_counted_again(
    make_job: MakeJob, tmp_path: Path
) -> None:
    job = make_job("retransmit_once")

    rows = measure_wire(job, tmp_path / "wire", transactions=[10], repeats=2)

    assert [(row.transactions, row.repeat) for row in rows] == [(10, 0), (10, 1)]
    tried = sorted(path.name for path in (tmp_path / "wire").iterdir())
    assert tried == ["10-0-1", "10-0-2", "10-1-1", "10-1-2", "first"]

"""The study's side of the live page: starts it, sends it events, and never waits for it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from wirelab.bundle import BlockRecord
from wirelab.bundle.reasons import in_words
from wirelab.engine.events import SliceRow
from wirelab.experiment.observer import Observer
from wirelab.measure.meter import RoleKey
from wirelab.planning.schedule import Block, Run
from wirelab.web import address_of, bind_loopback

PROGRAM: tuple[str, ...] = ("-m", "wirelab.live")
"""What Python executes to serve the page."""
MOST_WAITING = 4_000_000
"""Maximum number of bytes that wait for a page to read; beyond it, frequent events are dropped."""
FREQUENT = {"doing", "turns"}


class LivePage(Observer):
    """Sends the study's events to a page on loopback.

    `print_note` prints on the terminal. Raises `LoopbackError` if the port is not available; after
    that, a failure of the page is reported once, and does not affect the study.
    """

    def __init__(self, port: int, print_note: Callable[[str], None]) -> None:
        self._print_note = print_note
        self._waiting = bytearray()
        listening = bind_loopback(port, "--live-port")
        self.address = address_of(listening)
        command = [sys.executable, *PROGRAM, str(listening.fileno())]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[listening.fileno()],
                start_new_session=True,  # Ctrl-C is for the study; the page remains.
            )
        finally:
            listening.close()
        assert self._process.stdin is not None
        self._pipe = self._process.stdin.fileno()
        os.set_blocking(self._pipe, False)
        self._is_running = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def stay(self) -> None:
        """Wait until Ctrl-C, or until the page ends by itself."""
        with suppress(KeyboardInterrupt):
            while self._process.poll() is None:
                self._flush()
                time.sleep(0.2)

    def close(self) -> None:
        """End the page by closing its pipe."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    # -- events ---------------------------------------------------------------------------------

    def bundle_opened(
        self,
        path: Path,
        *,
        expected_s: float,
        at_least: bool = False,
        titles: Mapping[str, str] = MappingProxyType({}),  # noqa: ARG002
    ) -> None:
        """Send the path of the bundle, which has everything else about the study."""
        self._send("bundle", path=str(path.resolve()), expected_s=expected_s, at_least=at_least)

    def phase(self, text: str, steps: int) -> None:
        """Send that a stage begins."""
        self._send("phase", text=text, steps=steps)

    def step(self, text: str) -> None:
        """Send the next step of a stage."""
        self._send("step", text=text)

    def block_started(self, block: Block, attempt: int) -> None:
        """Send which block is measured now."""
        self._send("block", id=block.id, number=block.number, group=block.group, attempt=attempt)

    def expecting(self, seconds: float, *, once_s: float) -> None:
        """Send how long the block will still take."""
        self._send("expecting", seconds=seconds, once_s=once_s)

    def doing(self, text: str, *, is_long: bool = False) -> None:  # noqa: ARG002
        """Send the current activity within the block."""
        self._send("doing", text=text)

    def turns_finished(self, turns: Sequence[tuple[Run, SliceRow]]) -> None:
        """Send the figures of turns."""
        self._send("turns", turns=[_turn(run, row) for run, row in turns])

    def memory(self, use: Mapping[RoleKey, int]) -> None:
        """Send the memory of roles."""
        self._send("memory", use=[(*key, found) for key, found in use.items()])

    def block_finished(self, record: BlockRecord) -> None:
        """Send that a block is recorded, and which of its runs do not count."""
        invalid = {run.run.id: in_words(run.reasons) for run in record.runs if run.reasons}
        self._send("block_finished", id=record.block.id, seconds=record.seconds, invalid=invalid)

    def note(self, text: str) -> None:
        """Send a remark."""
        self._send("note", text=text)

    def ended(self, status: str, report: Path | None) -> None:
        """Send how the study ended, and the path of its report."""
        self._send("ended", status=status, report=str(report.resolve()) if report else "")

    # -- sending --------------------------------------------------------------------------------

    def _send(self, event: str, **what: Any) -> None:
        if not self._is_running:
            return
        # A defect here must not end a study that takes hours, so any fault ends only the page.
        try:
            if len(self._waiting) < MOST_WAITING or event not in FREQUENT:
                line = json.dumps({"event": event, "at": time.time(), **what})
                self._waiting += line.encode() + b"\n"
            self._flush()
        except Exception as fault:
            self._is_running = False
            self._print_note(f"the live page has ended ({fault}); the study continues")

    def _flush(self) -> None:
        """Write as much as the pipe accepts now."""
        with suppress(BlockingIOError):
            while self._waiting:
                written = os.write(self._pipe, self._waiting)
                del self._waiting[:written]


def _turn(run: Run, row: SliceRow) -> dict[str, Any]:
    return {
        "who": run.cell.registration,
        "transactions": row.transactions,
        "failed": row.failed,
        "errors": dict(row.errors),
        "seconds": (row.ended_ns - row.started_ns) / 1e9,
        "whole_s": (row.guard_ns + row.ended_ns - row.started_ns + row.drain_ns) / 1e9,
        "mean_us": row.mean_us,
        "p50_us": row.median_us,
        "p90_us": row.p90_us,
        "p99_us": row.p99_us,
        "cpu_us": {**row.cpu_us, "engine": row.engine_cpu_us},
    }

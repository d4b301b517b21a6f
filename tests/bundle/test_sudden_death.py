"""kill -9 at any moment leaves a bundle that can be read and resumed, with no finished block lost.

Writers are forked from a process that has imported everything: what is killed is writing, most of
the time, and not starting.
"""

import random
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.support.bundles import writer
from tests.support.commands import FORKS
from wirelab.bundle import Bundle

BLOCKS = 60
KILLS = 12
MOST_BLOCKS_A_LIFE = 6
LONGEST_DELAY_S = 0.02
"""Longer than a block takes, so that every step of writing one is met."""


def test_a_repeatedly_killed_writer_loses_no_finished_block(tmp_path: Path) -> None:
    folder = tmp_path / "bundle"
    moment = random.Random(20261120)
    promised: set[str] = set()

    for _ in range(KILLS):
        promised |= _write_until_killed(
            folder,
            blocks=moment.randrange(MOST_BLOCKS_A_LIFE),
            delay_s=moment.uniform(0.0, LONGEST_DELAY_S),
        )
        if not folder.exists():
            assert promised == set()
            continue
        bundle = Bundle.open(folder)

        assert promised <= bundle.finished_block_ids()
        assert bundle.info.status in {"planned", "running", "complete"}
        assert all(event["event"] == "block started" for event in bundle.events())
        for record in bundle.block_records():
            for name in writer.FILES:
                path = folder / record.run_folder(record.runs[0]) / name
                assert path.stat().st_size == len(writer.PAYLOAD)

    assert promised  # the writer had time to finish a block
    process, _promises = _start_writer(folder)
    process.join()
    assert process.exitcode == 0

    bundle = Bundle.open(folder)
    assert bundle.finished_block_ids() == {f"block-{number}" for number in range(1, BLOCKS + 1)}
    assert bundle.check() == []
    assert not list(tmp_path.rglob(".partial-block*"))


def test_a_kill_during_creation_leaves_a_whole_bundle_or_none(tmp_path: Path) -> None:
    for attempt in range(6):
        folder = tmp_path / f"bundle-{attempt}"
        begun = (folder, folder.with_name(f".partial-{folder.name}"))
        _write_until_killed(folder, until_there=begun)

        if folder.exists():
            assert len(Bundle.open(folder).schedule.blocks) == BLOCKS


def _write_until_killed(
    folder: Path, *, blocks: int = 0, delay_s: float = 0.0, until_there: Sequence[Path] = ()
) -> set[str]:
    """Let a writer finish blocks, or create one of some folders; return what it reported."""
    process, promises = _start_writer(folder)
    promised: set[str] = set()
    with suppress(EOFError):
        while len(promised) < blocks:
            promised.add(promises.recv())
    while until_there and process.is_alive() and not any(path.exists() for path in until_there):
        pass  # the folder lives for a millisecond: no time to sleep
    time.sleep(delay_s)
    process.kill()
    process.join()
    with suppress(EOFError):
        while True:
            promised.add(promises.recv())
    return promised


def _start_writer(folder: Path) -> tuple[BaseProcess, Connection]:
    promises, writers_end = FORKS.Pipe(duplex=False)
    process = FORKS.Process(target=writer.write, args=(folder, BLOCKS, writers_end))
    process.start()
    writers_end.close()
    return process, promises

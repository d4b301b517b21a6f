"""A program that writes a bundle as fast as it can, to be killed at any moment.

It names a block once the block is recorded; the test holds it to that.
"""

from multiprocessing.connection import Connection
from pathlib import Path

from wirelab.bundle import Bundle

from .samples import create, record_of

PAYLOAD = b"x" * 200_000
FILES = ("result.json", "samples.parquet", "slices.parquet")


def write(folder: Path, blocks: int, promises: Connection) -> None:
    """Create or resume a bundle, and carry out what is missing."""
    bundle = Bundle.resume(folder) if folder.exists() else create(folder, blocks=blocks)
    bundle.set_status("running")
    for block in bundle.schedule.remaining(bundle.finished_block_ids()):
        bundle.append_event("block started", block=block.id)
        session = bundle.partial_block(block.id) / "1"
        session.mkdir()
        for name in FILES:
            (session / name).write_bytes(PAYLOAD)
        bundle.record_block(record_of(block))
        promises.send(block.id)
    bundle.seal()

"""A server with a queue of known capacity."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.compare.running import serving

SERVER = Path(__file__).with_name("queue_server.py")


@contextmanager
def queue(slots: int, service_ms: int, *ways: str) -> Iterator[str]:
    """Serve for as long as the block lasts; yield the address."""
    with serving(str(slots), str(service_ms), *ways, program=str(SERVER)) as address:
        yield f"http://{address}/"

"""Stand up what the tests need by means of the laboratory: a bank in a store, a contender."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bank.clients import open_client
from tests.support.standing import standing
from wirelab.domain_file import load_domain
from wirelab.lab.contenders.contender import load_contenders
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.stores.store import Database

BANK = load_domain("bank")
CONTENDERS = load_contenders(BANK)

MOVEMENTS = 10_000
"""How many there are in the store of most tests; a state is made with that many all the same."""
STATE = "hundred_thousand"
FIRST_INSERTED = 100_000_001
"""The first id that a server gives; those of generated rows are smaller."""


@contextmanager
def running(
    name: str, store: Database, log: Path, port: int | None = None
) -> Iterator[RunningContender]:
    """Run a contender, on a free port if no other is given, for as long as the block lasts."""
    contender = CONTENDERS[name]

    def ready(address: str) -> None:
        with open_client(contender, address) as client:
            assert client.ask("ping") == "ok"

    with standing(contender, ready, store, log, port) as running:
        yield running

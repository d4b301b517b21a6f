"""Stand up what the tests need by means of the laboratory: a shop in a store, a contender."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.standing import standing
from wirelab.domain_file import load_domain
from wirelab.experiment.preparation.codecs import Codecs
from wirelab.lab.contenders.contender import load_contenders
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.stores.store import Database

SHOP = load_domain("shop")
CONTENDERS = load_contenders(SHOP)
CODECS = Codecs(SHOP, CONTENDERS)
OWN = [name for name, contender in CONTENDERS.items() if not contender.variant_of]
"""Without those that differ in a setting."""

ROWS = 1000
STATE = "small"


@contextmanager
def running(
    name: str, store: Database, log: Path, port: int | None = None
) -> Iterator[RunningContender]:
    """Run a contender, on a free port if no other is given, for as long as the block lasts."""

    def ready(address: str) -> None:
        CODECS.check_ready(name, address)

    with standing(CONTENDERS[name], ready, store, log, port) as running:
        yield running


def basket(row: dict[str, Any], **other: Any) -> dict[str, Any]:
    """Return the parameters of a checkout from a generated order, with some of them others."""
    return {
        "token": row["token"],
        "address_id": row["address_id"],
        "lines": row["basket"],
        "card_number": row["card_number"],
    } | other


OVER_REST = [name for name in OWN if CONTENDERS[name].protocol == "rest"]
OVER_GRAPHQL = [name for name in OWN if CONTENDERS[name].protocol == "graphql"]
OVER_GRPC = [name for name in OWN if CONTENDERS[name].protocol == "grpc"]

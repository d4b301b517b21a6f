"""How contenders end: after all other tests, which share them."""

from tests.shop.clients import Client
from tests.support.ending import KILLED
from wirelab.lab.contenders.running import RunningContender


def test_the_server_ends_although_clients_are_connected(
    client: Client, contender: RunningContender
) -> None:
    written = contender.log_path.stat().st_size
    client.ask("list_products", after=600, limit=10)

    assert contender.process.stop() != KILLED

    assert b"Error" not in contender.log_path.read_bytes()[written:]

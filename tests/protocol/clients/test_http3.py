"""The client that verifies over HTTP/3, against aioquic's server."""

from pathlib import Path

from tests.measure.http3_server import http3_server
from wirelab.engine.job import Endpoint
from wirelab.protocol.clients.client import connect_to
from wirelab.protocol.message import WireRequest


def test_requests_are_answered_one_after_the_other_on_a_connection(tmp_path: Path) -> None:
    request = WireRequest(method="POST", path="/echo", body=b"hello")
    with http3_server(tmp_path) as server:
        endpoint = Endpoint(transport="http3", address=server.address, tls=server.tls)
        with connect_to(endpoint, 10.0) as client:
            replies = [client.send(request) for _ in range(3)]

    assert [(reply.status, reply.body) for reply in replies] == 3 * [(200, b"POSThello")]

"""wirelab-load by itself against servers of other people's making: gRPC in JSON, certificates of
clients, and the line on a terminal."""

import json
import os
import pty
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.compare.running import HERE, serving
from tests.measure.conftest import serving as served
from tests.support.certificates import certificate
from tests.support.http_server import QuietHandler
from tests.support.wording import assert_worded

LOAD = Path(sys.executable).with_name("wirelab-load")
PROTO = HERE / "items.proto"
TIMEOUT_S = 60.0


def load(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    return subprocess.run(
        [LOAD, *arguments], capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )


def target(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return what it has printed of its only target."""
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)["targets"][0]
    return result


@pytest.fixture(scope="module")
def items() -> Iterator[str]:
    """A gRPC server with reflection, as host:port."""
    with serving(program="grpc_server.py") as address:
        yield address


@pytest.mark.parametrize("source", [(), ("--proto", PROTO)], ids=["reflection", "proto"])
def test_messages_are_written_in_json(
    items: str, source: tuple[str | Path, ...], tmp_path: Path
) -> None:
    table = tmp_path / "ids.csv"
    table.write_text("id\n0\n7\n300\n")
    url = f"grpc://{items}/items.v1.Items/GetItem"
    data = ("--data", '{"itemId": {id}}', "--csv", table)

    done = load(url, *data, *source, "-c", "1", "-n", "30", "--json")

    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)["targets"][0]
    assert found["statuses"] == {"0": 20, "5": 10}
    # Field 1 of number 0 is not sent, 7 takes two bytes, 300 three.
    assert found["bytes"]["window"]["payload_sent"] == 10 * (0 + 2 + 3)
    summary = load(url, *data, *source, "-c", "1", "-n", "30").stdout
    assert "got 5 NOT_FOUND" in summary
    assert "no such item" in summary.replace("%20", " ")


def test_streams_and_nested_messages_have_their_json(items: str) -> None:
    url = f"grpc://{items}/items.v1.Items/ListItems"

    done = load(url, "--data", '{"pageSize": 3, "pageToken": "x"}', "-n", "10", "--json")

    assert target(done)["counts"]["succeeded"] == 10


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("items.v1.Items/GetItem", '{"id": 7}'),
        ("items.v1.Items/GetItem", "{"),
        ("items.v1.Items/Buy", "{}"),
        ("items.v1.Things/Get", "{}"),
        ("items.v1.Items/WatchItems", "{}"),
    ],
)
def test_a_message_that_cannot_be_encoded_is_reported_before_anything_is_sent(
    items: str, path: str, data: str
) -> None:
    done = load(f"grpc://{items}/{path}", "--data", data, "-n", "1")

    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert_worded(done.stderr)


def test_a_server_without_reflection_leads_to_proto() -> None:
    null = subprocess.Popen(
        [LOAD, "null", "grpc", "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    with null:
        assert null.stdout is not None
        address = null.stdout.readline().strip().split("://")[1].rstrip("/")
        url = f"grpc://{address}/items.v1.Items/GetItem"
        refused = load(url, "--data", "{}", "-n", "1")
        taken = load(url, "--data", '{"itemId": 1}', "--proto", PROTO, "-n", "5", "--json")
        null.terminate()

    assert refused.returncode == 2
    assert "--proto FILE" in refused.stderr
    assert target(taken)["counts"]["succeeded"] == 5


class Answer(QuietHandler):
    """Answers with the name that the client's certificate has."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer."""
        shown = self.connection.getpeercert()
        body = json.dumps(shown["subject"]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def requiring_certificate(server: tuple[Path, Path], trusted: Path) -> Iterator[int]:
    """Serve over TLS to clients that show a certificate; yield the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*server)
    context.load_verify_locations(trusted)
    context.verify_mode = ssl.CERT_REQUIRED
    secured = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    secured.socket = context.wrap_socket(secured.socket, server_side=True)
    secured.handle_error = lambda *_: None  # type: ignore[method-assign]
    with served(secured) as port:
        yield port


def test_a_server_may_require_a_client_certificate(tmp_path: Path) -> None:
    server, client = certificate(tmp_path, "server"), certificate(tmp_path, "client")
    stranger = certificate(tmp_path, "stranger")

    with requiring_certificate(server, client[0]) as port:
        url = f"https://127.0.0.1:{port}/"
        common = (url, "--ca", server[0], "-c", "1", "-n", "5")
        shown = load(*common, "--cert", client[0], "--key", client[1], "--json")
        nothing = load(*common)
        wrong = load(*common, "--cert", stranger[0], "--key", stranger[1])

    assert target(shown)["counts"]["succeeded"] == 5
    assert "--cert" in nothing.stdout + nothing.stderr
    assert "client certificate" in wrong.stdout + wrong.stderr


def test_a_terminal_sees_rate_percentiles_and_bars(items: str) -> None:
    reading, writing = pty.openpty()
    command = [str(LOAD), f"grpc://{items}/items.v1.Items/GetItem", "--data", "{}", "-c", "1"]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    with subprocess.Popen(
        [*command, "-d", "1700ms"], stdout=subprocess.DEVNULL, stderr=writing, env=environment
    ) as running:
        os.close(writing)
        shown = b""
        try:
            while piece := os.read(reading, 4096):
                shown += piece
        except OSError:
            pass  # the other side has ended
        assert running.wait() == 0
    os.close(reading)

    lines = [line for line in shown.decode().split("\r") if "/s" in line]
    assert len(lines) >= 2
    assert all(part in lines[-1] for part in ("p50", "p90", "p99", "failed 0"))
    assert set(lines[-1]) & set("▁▂▃▄▅▆▇█")

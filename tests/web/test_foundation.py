"""What every page that is served has: only our names, strict headers, clear errors, an end."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.support.left import until
from tests.support.plain_http import NO_TLS
from wirelab.web.connection import MOST_CONNECTIONS

PROGRAM = Path(__file__).with_name("program.py")


def start(port: int, *limit: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), str(port), *limit],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def serving(*limit: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Serve for as long as the block lasts; yield the process and its address."""
    process = start(0, *limit)
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    yield process, address
    process.kill()
    process.communicate()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving() as (_, address):
        yield address


def test_pages_may_load_nothing_from_other_hosts(address: str) -> None:
    response = httpx.get(address, verify=NO_TLS)

    assert response.status_code == 200
    assert "&lt;script&gt;" in response.text
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize("path", ["", "metrics", "static/uplot/uPlot.js", "style.css"])
def test_a_rebound_host_name_is_refused(address: str, path: str) -> None:
    port = urlsplit(address).port

    response = httpx.get(address + path, headers={"host": f"rebound.example:{port}"}, verify=NO_TLS)

    assert response.status_code == 400


@pytest.mark.parametrize("host", ["", "localhost.rebound.example", "127.0.0.1.rebound.example"])
def test_a_name_that_only_begins_like_one_of_loopback_is_refused(address: str, host: str) -> None:
    assert httpx.get(address, headers={"host": host}, verify=NO_TLS).status_code == 400


def test_both_names_of_loopback_are_accepted(address: str) -> None:
    port = urlsplit(address).port

    assert httpx.get(f"http://localhost:{port}/style.css", verify=NO_TLS).status_code == 200
    assert httpx.get(f"{address}style.css", verify=NO_TLS).status_code == 200


def test_the_server_listens_on_loopback_only(address: str) -> None:
    port = urlsplit(address).port
    listening = Path("/proc/net/tcp").read_text().splitlines()[1:]
    addresses = [line.split()[1] for line in listening if line.split()[3] == "0A"]

    assert [it for it in addresses if it.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]


def test_a_fault_ends_one_response_and_shows_its_text_as_text(address: str) -> None:
    response = httpx.get(f"{address}faulty", verify=NO_TLS)

    assert response.status_code == 500
    assert "&lt;b&gt;never&lt;/b&gt;" in response.text
    assert "\x1b" not in response.text
    assert "content-security-policy" in response.headers
    assert httpx.get(address, verify=NO_TLS).status_code == 200


def test_a_missing_page_is_reported(address: str) -> None:
    response = httpx.get(f"{address}nowhere/<img>", verify=NO_TLS)

    assert response.status_code == 404
    assert "no such page" in response.text
    assert "<img>" not in response.text


@pytest.mark.parametrize("path", ["/static/../application.py", "/static/%2e%2e/application.py"])
def test_files_beside_the_static_ones_are_not_served(address: str, path: str) -> None:
    parts = urlsplit(address)
    with socket.create_connection((str(parts.hostname), int(parts.port or 0))) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 404")


BEGUN = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.mark.parametrize("sent", [b"", BEGUN, BEGUN.replace(b"/ ", b"/flood ") + b"\r\n"])
def test_connections_that_wait_for_their_client_keep_nobody_out(address: str, sent: bytes) -> None:
    """They send nothing, half a request, or a request whose response they never read."""
    with ExitStack() as ends:
        for _ in range(MOST_CONNECTIONS + 10):
            ends.enter_context(connected(address)).sendall(sent)
        # Until their buffers are full, all responses are on their way: the server is busy.
        until(lambda: httpx.get(address, verify=NO_TLS, timeout=60).status_code == 200)


@pytest.mark.parametrize("sent", [b"", BEGUN, BEGUN + b"\r\n" + BEGUN])
def test_a_request_that_does_not_arrive_in_time_ends_its_connection(sent: bytes) -> None:
    with serving("0.5") as (_, address), connected(address) as connection:
        connection.sendall(sent)
        connection.settimeout(20)
        with suppress(ConnectionResetError):
            while connection.recv(65_536):
                pass
        assert httpx.get(address, verify=NO_TLS).status_code == 200


def connected(address: str) -> socket.socket:
    """Connect, to read little."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((urlsplit(address).hostname, urlsplit(address).port))
    return connection


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_server_ends_although_a_browser_still_listens(number: signal.Signals) -> None:
    with (
        serving() as (process, address),
        httpx.stream("GET", f"{address}stream", verify=NO_TLS) as response,
    ):
        next(response.iter_lines())
        process.send_signal(number)
        output = process.communicate(timeout=20)

    assert output[1] == ""
    assert number is signal.SIGTERM or output[0].strip() == "ended"


def test_a_port_in_use_is_reported_with_a_hint() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        process = start(port)
        output = process.communicate(timeout=60)[1]

    assert process.returncode == 3
    assert f"port {port}" in output

"""Load over a link: HTTP/1.1 over TCP, HTTP/3 over QUIC, and what opening a connection costs."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.link.conftest import PATIENCE_S, StartLink, run_at_client
from tests.measure.http3_server import http3_server
from tests.support.http_server import QuietHandler, http_server
from wirelab.installation.programs import find_program
from wirelab.lab.network.flood import flood
from wirelab.lab.network.link import PROGRAM, Link
from wirelab.lab.network.link_ceiling import LinkCeiling, measure_ceiling
from wirelab.study.network import BUILT_IN, Network, NetworkDirection

DELAY_MS = 15
ROUND_TRIP_US = 2 * 1000 * DELAY_MS
SAME = NetworkDirection(delay_ms=DELAY_MS)


class Handler(QuietHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")


def load(link: Link, url: str, *options: str) -> dict[str, Any]:
    """Put load on a server from the client's end; return the engine's result."""
    command = [str(find_program("wirelab-load")), url, "-c", "1", "-n", "20", "--output", "json"]
    target: dict[str, Any] = run_at_client(link, *command, *options)["targets"][0]
    return target


def test_http_1_takes_one_round_trip_on_a_kept_connection(start_link: StartLink) -> None:
    link = start_link(SAME, SAME)
    with http_server(Handler, link.ready.server) as address:
        result = load(link, f"http://{address}/")

    assert result["counts"]["succeeded"] == 20
    assert result["latency_us"]["response"]["min"] >= ROUND_TRIP_US
    assert result["latency_us"]["response"]["p50"] < 2 * ROUND_TRIP_US


def test_http_3_crosses_the_same_link(start_link: StartLink, tmp_path: Path) -> None:
    link = start_link(SAME, SAME)
    with http3_server(tmp_path / "server", host=link.ready.server) as server:
        ca = str(server.tls.ca)
        result = load(link, f"https://{server.address}/100", "--http3", "--ca", ca)

    assert result["counts"]["succeeded"] == 20
    assert result["latency_us"]["response"]["min"] >= ROUND_TRIP_US
    found = link.counters()
    assert found["up"]["packets"] >= 20
    assert found["down"]["delivered_packets"] >= 20


def test_wirelab_load_runs_as_the_command_of_a_link() -> None:
    # As in docs/guides/network-conditions.md: the server listens on all addresses.
    with http_server(Handler, "0.0.0.0") as address:
        url = f"http://$WIRELAB_SERVER:{address.rpartition(':')[2]}/"
        script = f"exec wirelab-load {url} -n 5 -c 1 --output json"
        done = subprocess.run(
            [str(find_program(PROGRAM)), "--network", "wifi", "--", "sh", "-c", script],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
            env={"PATH": f"{find_program(PROGRAM).parent}:/usr/bin:/bin"},
        )

    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)["targets"][0]
    assert result["counts"]["succeeded"] == 5
    assert result["latency_us"]["response"]["min"] >= 2000


def test_the_ceiling_is_the_rate_that_was_forwarded(tmp_path: Path) -> None:
    found = measure_ceiling(tmp_path, seconds=0.2, packet_bytes=500)

    assert found.packets_per_s > 0
    assert found.mbit_per_s == pytest.approx(found.packets_per_s * 500 * 8 / 1e6)
    assert found.cpu_us_per_packet > 0
    assert 0 <= found.dropped_share < 1


def test_a_network_beyond_the_ceiling_is_reported() -> None:
    slow = LinkCeiling(
        packets_per_s=10_000, bytes_per_packet=1500, cpu_us_per_packet=1.0, dropped_share=0.0
    )

    assert slow.why_too_fast(BUILT_IN["far"]).startswith("100 Mbit/s down")
    assert "120 Mbit/s" in slow.why_too_fast(BUILT_IN["far"])
    assert slow.why_too_fast(BUILT_IN["mobile"]) == ""
    unlimited = Network(source="a test", down=NetworkDirection(), up=NetworkDirection())
    assert slow.why_too_fast(unlimited) == ""


def test_a_flood_counts_sent_packets() -> None:
    assert flood("127.0.0.1", 9, 0.01, 100) > 0

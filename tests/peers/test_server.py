"""When a server is ready: once it holds its port, over TCP or, for HTTP/3, over UDP."""

import os
import sys
from pathlib import Path

import pytest

from benches.peers import server
from benches.peers.material import write_material
from benches.peers.server import NotReadyError, serve
from tests.peers.outputs import CASE

BINDS_UDP = """\
#!{python}
import socket, sys, time
assert sys.argv[1] == "http3" and open(sys.argv[3] + "/small").read()
host, port = sys.argv[2].split(":")
time.sleep(0.2)
held = socket.socket(type=socket.SOCK_DGRAM)
held.bind((host, int(port)))
time.sleep(60)
"""
REFUSES = "#!{python}\nimport sys\nsys.exit('no certificate')\n"
SLEEPS = "#!{python}\nimport time\ntime.sleep(60)\n"


def programs(script: str, folder: Path) -> dict[str, str]:
    """Write a script in place of the neutral servers."""
    path = folder / "servers"
    path.write_text(script.format(python=sys.executable))
    path.chmod(0o755)
    return {"wirelab-floor": "unused", "wirelab-peer-servers": str(path)}


def test_a_server_of_http3_is_ready_when_it_holds_its_udp_port(tmp_path: Path) -> None:
    write_material(tmp_path)
    cpus = os.sched_getaffinity(0)
    with serve(
        CASE["http3-1x64"], programs(BINDS_UDP, tmp_path), tmp_path, tmp_path, cpus
    ) as running:
        bound = Path("/proc/net/udp").read_text()
        assert f"0100007F:{running.port:04X}" in bound
        pid = running.pid
    assert not Path(f"/proc/{pid}").exists()
    assert f"0100007F:{running.port:04X}" not in Path("/proc/net/udp").read_text()


@pytest.mark.parametrize(("script", "expected"), [(REFUSES, "no certificate"), (SLEEPS, "")])
@pytest.mark.parametrize("case", ["http3-1x64", "websocket-small"])
def test_a_server_that_holds_no_port_is_not_ready(
    case: str, script: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_material(tmp_path)
    # Whoever ends is not waited for.
    monkeypatch.setattr(server, "PATIENCE_S", 60.0 if expected else 1.0)
    with (
        pytest.raises(NotReadyError, match=f"{case} does not listen: .*{expected}"),
        serve(CASE[case], programs(script, tmp_path), tmp_path, tmp_path, os.sched_getaffinity(0)),
    ):
        pass

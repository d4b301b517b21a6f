"""Load from many machines, as users ask for it: shared, started together, merged, and ended.

Every machine is a Ray node on this one; the server counts what it is asked, and keeps the times.
"""

import json
import os
import selectors
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.commands import Command
from tests.support.ray_machines import (
    RayMachines,
    finished,
    is_gone,
    output_of,
    output_path,
    wait_for,
)
from wirelab.engine.result import EngineResult
from wirelab.terminal.exit_codes import ExitCode

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
RATE, SECONDS = 400, 1.0
ENGINE = "wirelab-load"


class Server:
    """Answers everything, on as many connections as it may have."""

    def __init__(self, connections: int) -> None:
        self.asked_unix_ns: list[int] = []
        self._left = connections
        # With a longer queue, a second client is connected before the listener closes.
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=connections - 1)
        self.port = self._listener.getsockname()[1]
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._is_over = False
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        """End it."""
        self._is_over = True
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()
        self._selector.close()

    def _serve(self) -> None:
        while not self._is_over:
            for key, _ in self._selector.select(0.05):
                assert isinstance(key.fileobj, socket.socket)
                if key.fileobj is self._listener:
                    self._accept()
                else:
                    self._answer(key.fileobj)

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._selector.register(connection, selectors.EVENT_READ)
        self._left -= 1
        if self._left == 0:
            self._selector.unregister(self._listener)
            self._listener.close()

    def _answer(self, connection: socket.socket) -> None:
        try:
            request = connection.recv(65536)
        except ConnectionError:
            request = b""
        if not request:
            self._selector.unregister(connection)
            connection.close()
            return
        self.asked_unix_ns.append(time.time_ns())
        connection.sendall(ANSWER)


@pytest.fixture
def server() -> Iterator[Server]:
    """Start a server that every machine can reach."""
    found = Server(connections=1000)
    yield found
    found.close()


def start(machines: RayMachines, folder: Path, server: Server | None, *arguments: str) -> Command:
    """Start `wirelab load`; what it says goes to a file beside the folder."""
    address = "{server}" if server is None else f"127.0.0.1:{server.port}"
    load = ("load", f"http://{address}/", "--cluster", machines.address)
    file = output_path(folder)
    return Command(*load, "-o", folder, "--agents", *arguments, stdout=file, stderr=file)


def engines(machines: RayMachines) -> list[psutil.Process]:
    """Return the engines that run on all machines."""
    found = []
    for name in machines.nodes:
        for process in machines.running_on(name):
            try:
                if Path(process.exe()).name == ENGINE:
                    found.append(process)
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
    return found


def read(folder: Path) -> dict[str, Any]:
    """Return the merged result."""
    found: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return found


def test_an_agent_that_falls_behind_makes_the_run_invalid_and_is_named(
    machines: RayMachines, server: Server, tmp_path: Path
) -> None:
    folder = tmp_path / "load"
    process = start(machines, folder, server, "2", "-c", "2", "-r", f"{RATE}", "-d", "3s")
    wait_for(lambda: len(server.asked_unix_ns) > 50, process)
    (stopped,) = [it for it in engines(machines) if it in machines.running_on("two")]
    stopped.send_signal(signal.SIGSTOP)
    time.sleep(1.5)
    stopped.send_signal(signal.SIGCONT)

    assert finished(process) == ExitCode.FAULTS, output_of(folder)
    result = read(folder)
    assert any(reason.startswith("agent 1 on two: ") for reason in result["invalid"])
    assert result["agents"][1]["invalid"]
    assert "agent 1 on two" in output_of(folder)


def test_an_agent_that_is_killed_ends_the_load_everywhere(
    machines: RayMachines, server: Server, tmp_path: Path
) -> None:
    folder = tmp_path / "load"
    process = start(machines, folder, server, "2", "-c", "2", "-r", f"{RATE}", "-d", "60s")
    wait_for(lambda: len(server.asked_unix_ns) > 50, process)
    running = engines(machines)
    assert len(running) == 2
    (victim,) = [it for it in running if it in machines.running_on("two")]
    victim.kill()

    assert finished(process) == ExitCode.NOT_READY
    assert "agent 1 on two: " in output_of(folder)
    assert not folder.exists()
    wait_for(lambda: all(map(is_gone, running)))


def test_a_server_that_ends_is_reported(machines: RayMachines, tmp_path: Path) -> None:
    folder = tmp_path / "load"
    process = start(machines, folder, None, "1", "--start", "sh -c 'echo no {port}; exit 3'")
    assert finished(process) == ExitCode.NOT_READY
    assert "the server ended" in output_of(folder)


def test_a_server_that_one_agent_cannot_reach_is_reported(
    machines: RayMachines, tmp_path: Path
) -> None:
    server = Server(connections=1)
    folder = tmp_path / "load"
    try:
        process = start(machines, folder, server, "2", "-c", "2", "-r", f"{RATE}", "-d", "60s")
        assert finished(process) == ExitCode.NOT_READY
        assert not server.asked_unix_ns, "nobody has begun"
    finally:
        server.close()
    reported = output_of(folder)
    assert "agent " in reported
    assert "cannot be reached" in reported
    wait_for(lambda: not engines(machines))


def test_the_head_may_be_killed(machines: RayMachines, server: Server, tmp_path: Path) -> None:
    process = start(machines, tmp_path / "load", server, "2", "-c", "2", "-r", "100", "-d", "60s")
    wait_for(lambda: len(server.asked_unix_ns) > 20, process)
    running = engines(machines)
    assert len(running) == 2
    os.kill(process.pid, signal.SIGKILL)
    finished(process)
    wait_for(lambda: all(map(is_gone, running)))


def test_more_agents_than_cpus_are_refused(
    machines: RayMachines, server: Server, tmp_path: Path
) -> None:
    folder = tmp_path / "load"
    assert finished(start(machines, folder, server, "3", "-c", "9")) == ExitCode.NOT_READY
    assert "3 agents need" in output_of(folder)


@pytest.fixture(scope="module")
def wide(machines: RayMachines) -> Iterator[RayMachines]:
    """Yield a cluster with a third machine, which has two CPUs: each takes part in each load."""
    machines.add("wide", cpus=2)
    yield machines
    machines.remove("wide")


def test_agents_share_one_load_and_begin_together(
    wide: RayMachines, server: Server, tmp_path: Path
) -> None:
    folder = tmp_path / "load"
    load = ("4", "-c", "6", "-r", f"{RATE}", "-d", f"{SECONDS}s")
    code = finished(start(wide, folder, server, *load, "--json"))

    assert code in (ExitCode.OK, ExitCode.FAULTS), output_of(folder)
    result = read(folder)
    agents, (target,) = result["agents"], result["targets"]
    for step in (
        f"Cluster 1/1: connecting to {wide.address}",
        "Agents 1/2: comparing machines and versions",
        "Agents 2/2: opening connections",
        "Load 1/1: measuring for 1 s (0:02 left)",
    ):
        assert step in output_of(folder)
    assert '"agents"' in output_of(folder)
    assert [it["machine"] for it in agents] == ["one", "two", "wide", "wide"]
    assert (code == ExitCode.FAULTS) == bool(result["invalid"])
    counts = target["counts"]
    assert sum(it["transactions"] for it in agents) == counts["transactions"]
    # A request that was due just before the window counts if its agent was late to send it.
    assert all(
        0 <= it["transactions"] + it["never_sent"] - RATE * SECONDS / 4 <= 5 for it in agents
    )
    assert target["bytes"]["lifetime"]["connections"] == 6
    assert len({it["clock_offset_us"] for it in agents}) == 1  # one machine, one clock
    assert all(0 <= it["clock_error_us"] <= 5000 for it in agents)

    # Nobody began before the time that was agreed upon, of which load before the window is a part.
    guard_ns, precision_ns = 20_000_000, 1_000_000
    assert (
        min(server.asked_unix_ns) >= target["window"]["started_unix_ns"] - guard_ns - precision_ns
    )
    starts = []
    for agent in agents:
        own = folder / f"agent-{agent['number']}-{agent['machine']}"
        assert (own / "samples.parquet").exists()
        one = EngineResult.read(own / "result.json").only
        assert one.counts.transactions == agent["transactions"]
        assert one.window.started_unix_ns is not None
        starts.append(one.window.started_unix_ns)
    assert max(starts) - min(starts) <= precision_ns
    wait_for(lambda: not engines(wide))


def test_clients_are_divided_and_a_server_is_counted_on_its_own_machine(
    wide: RayMachines, tmp_path: Path
) -> None:
    folder = tmp_path / "load"
    command = f"{sys.executable} -m http.server --protocol HTTP/1.1 --directory {tmp_path} {{port}}"
    own = ("--start", command, "--on", "two")
    process = start(wide, folder, None, "2", *own, "-c", "3", "--think", "20ms", "-d", "2s")
    assert finished(process) in (ExitCode.OK, ExitCode.FAULTS), output_of(folder)
    result = read(folder)
    assert [it["machine"] for it in result["agents"]] == ["one", "wide"]  # none beside the server
    assert all(it["transactions"] > 0 for it in result["agents"])
    assert result["targets"][0]["bytes"]["lifetime"]["connections"] == 3
    used = result["server"]
    assert used["machine"] == "two"
    assert 0 < used["cpu_us"] < 2e6
    counted = result["targets"][0]["counts"]["transactions"]
    assert used["cpu_us_per_transaction"] == pytest.approx(used["cpu_us"] / counted)
    assert used["memory_bytes"] > 0
    assert "server, on two: " in output_of(folder)
    wait_for(lambda: not engines(wide))

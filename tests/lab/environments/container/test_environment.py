"""Contenders in containers: reached, recognised, counted, and kept apart from others."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.lab.environments.container.counting import cpu_us
from tests.support.left import until
from tests.support.running import FAR_AWAY, NO_DATABASE, expecting
from wirelab.errors import LabError
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.running import RunningContender, Starting, wait_for
from wirelab.lab.environments.environment import Environment, InContainer
from wirelab.lab.environments.kinds import ENVIRONMENTS
from wirelab.lab.errors import ContenderError
from wirelab.lab.network.ports import free_port
from wirelab.lab.processes.cgroup import Cgroup
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.lab.processes.process_table import ProcessTable
from wirelab.measure.meter import Meter
from wirelab.study.limits import UNLIMITED, ResourceLimits

MakeContender = Callable[..., Contender]
Run = Callable[..., AbstractContextManager[RunningContender]]

SERVER = """
print("at", os.environ["AT"], "of", os.environ["WIRELAB_STORE_URL"], flush=True)
listener = socket.create_server((host, port))
while True:
    connection, _ = listener.accept()
    with connection:
        connection.sendall(b"ok")
        end = time.process_time() + float(connection.recv(100) or 0)
        while time.process_time() < end:
            pass
        connection.sendall(b"done")
"""


@pytest.fixture(params=["container", "container-host"])
def environment(request: pytest.FixtureRequest, base: str) -> Environment:
    return ENVIRONMENTS[request.param]


@pytest.fixture
def run(
    nothing_left: Callable[[], list[str]], make_contender: MakeContender, tmp_path: Path
) -> Run:
    @contextmanager
    def run(
        environment: Environment,
        program: str = SERVER,
        *,
        deadline_s: float = 60.0,
        port: int | None = None,
        limits: ResourceLimits = UNLIMITED,
    ) -> Iterator[RunningContender]:
        built = environment.build(make_contender(program), tmp_path / "build")
        running = wait_for(
            Starting(
                built,
                environment,
                database=FAR_AWAY,
                ready=expecting(b"ok"),
                log_path=tmp_path / "log",
                cpus=plan_cpus().system,
                deadline_s=deadline_s,
                port=port,
                limits=limits,
            )
        )
        try:
            yield running
        finally:
            running.stop()

    return run


def work(address: str, seconds: float) -> None:
    host, _, port = address.partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        assert connection.recv(2) == b"ok"
        connection.sendall(str(seconds).encode())
        assert connection.recv(4) == b"done"


def test_the_contender_is_reached_and_gets_its_settings(
    run: Run, environment: Environment, tmp_path: Path
) -> None:
    with run(environment) as running:
        assert running.host == "127.0.0.1"
        assert running.why_ended() is None
        work(running.address, 0)

    host = {"container": "0.0.0.0", "container-host": "127.0.0.1"}[environment.name]
    assert f"at {host}:{running.port} of {FAR_AWAY.url}" in (tmp_path / "log").read_text()


def test_its_resources_are_counted_by_its_control_group(run: Run, environment: Environment) -> None:
    with run(environment) as running:
        counted = running.counted["contender"]
        assert isinstance(counted, InContainer)
        group = Cgroup(counted.pid)
        meter = Meter({("made-up", "contender"): counted}, plan_cpus())
        meter.begin()
        before_us = cpu_us(group)
        work(running.address, 0.3)
        used_us = cpu_us(group) - before_us
        _, memory = meter.end()

    # The container's CPU time, which the program burns whatever else the machine does.
    assert 290_000 <= used_us < 400_000
    assert memory["made-up", "contender"].peak_bytes > 4 << 20


def test_the_published_port_has_a_forwarder_that_counts_as_itself(run: Run, base: str) -> None:
    with run(ENVIRONMENTS["container"]) as running:
        if "forwarder" not in running.counted:
            pytest.skip("this engine leaves forwarding to the kernel")
        forwarder = running.counted["forwarder"]
        assert isinstance(forwarder, int)
        if os.geteuid() == 0:
            assert os.sched_getaffinity(forwarder) == set(plan_cpus().system)
        table = ProcessTable()
        before_us = table.usage_of([forwarder]).cpu_us
        for _ in range(50):
            work(running.address, 0)
        used_us = table.usage_of([forwarder]).cpu_us - before_us

    assert 0 < used_us < 1_000_000


NEEDY = """
listener = socket.create_server((host, port))
while True:
    connection, _ = listener.accept()
    with connection:
        connection.sendall(b"ok")
        if connection.recv(100):
            wanted = b"x" * (256 << 20)
            connection.sendall(b"done")
"""


def test_a_contender_that_reaches_its_memory_limit_is_reported(
    run: Run, environment: Environment
) -> None:
    with run(environment, NEEDY, limits=ResourceLimits(memory_mb=64)) as running:
        assert running.why_ended() is None
        with pytest.raises((AssertionError, ConnectionError)):
            work(running.address, 1)
        reason = until(running.why_ended)

    assert all(part in str(reason) for part in ("exit code 137", "64 MiB", "raise memory_mb"))


def test_the_error_of_a_contender_that_exits_at_once_has_the_reason(
    run: Run, environment: Environment
) -> None:
    with (
        pytest.raises(ContenderError) as raised,
        run(environment, "raise SystemExit('no configuration')"),
    ):
        pass

    assert "with exit code 1" in str(raised.value)
    assert "  | no configuration" in str(raised.value)


def test_a_contender_that_never_listens_is_not_ready(run: Run, environment: Environment) -> None:
    """The engine's forwarder accepts connections before the contender does."""
    with (
        pytest.raises(ContenderError, match="nothing listens on"),
        run(environment, "time.sleep(300)", deadline_s=4.0),
    ):
        pass


def test_a_requested_port_in_use_is_reported(run: Run, environment: Environment) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with (
            pytest.raises(ContenderError, match=f"cannot listen on 127.0.0.1:{port}"),
            run(environment, port=port),
        ):
            pass


def test_a_store_on_the_loopback_is_out_of_reach_from_the_bridge(
    make_contender: MakeContender, base: str, tmp_path: Path
) -> None:
    place = ENVIRONMENTS["container"]
    built = place.build(make_contender(SERVER), tmp_path / "build")

    with pytest.raises(LabError, match=r"127\.0\.0\.1.*\n.*listen on"):
        Starting(
            built,
            place,
            database=NO_DATABASE,
            ready=expecting(b"ok"),
            log_path=tmp_path / "log",
            port=free_port(),
        )

"""A contender of several services: when each starts, what it gets, and how they end."""

import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from pydantic import TypeAdapter, ValidationError

from tests.lab.conftest import is_alive, server
from tests.support.left import until
from tests.support.running import NAMED, NO_DATABASE, SHOP, expecting
from tests.support.wording import raises_worded
from wirelab.lab.contenders.build import BuiltContender
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.exposure import exposures
from wirelab.lab.contenders.running import RunningContender, wait_for
from wirelab.lab.contenders.service import Service, Services, start_order
from wirelab.lab.contenders.services import StartingServices
from wirelab.lab.environments.environment import Native
from wirelab.lab.errors import ContenderError

MakeContender = Callable[..., Contender]


def start(
    contender: Contender, folder: Path, services: Mapping[str, Service] = SHOP
) -> StartingServices:
    whole = replace(contender, services=TypeAdapter(Services).validate_python(services))
    return StartingServices(
        BuiltContender(whole, folder, {}),
        Native(),
        database=NO_DATABASE,
        ready=expecting(b"ok"),
        log_path=folder / "log",
        deadline_s=60.0,
    )


def run(contender: Contender, folder: Path) -> RunningContender:
    return wait_for(start(contender, folder))


def test_each_service_starts_when_those_it_calls_listen_and_gets_their_addresses(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    answers = server("connection.sendall(b'ok' if name == 'orders' else b'no')")
    running = run(make_contender(NAMED + answers), tmp_path)

    logs = [(tmp_path / name).read_text() for name in ("log", "log-price-list", "log-users")]
    assert [text.splitlines()[0] for text in logs] == [
        "orders ['WIRELAB_PEER_PRICE_LIST', 'WIRELAB_PEER_USERS']",
        "price-list ['WIRELAB_PEER_USERS']",
        "users []",
    ]
    assert running.contender.id == "rest-made-up"
    assert running.counted.keys() == {"contender-users", "contender-price-list", "contender-orders"}
    assert len({service.port for service in running.services}) == 3
    assert running.port == running.services[-1].port  # clients ask the one that no other calls
    assert running.start_s >= max(service.start_s for service in running.services)
    assert running.why_ended() is None
    pids = [service.pid for service in running.services]
    running.stop()
    assert not any(is_alive(pid) for pid in pids)


def test_a_service_that_exits_ends_the_contender_and_is_named(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    running = run(make_contender(NAMED + server("connection.sendall(b'ok')")), tmp_path)
    users = running.services[0]
    assert users.process.root_pid is not None

    os.kill(users.process.root_pid, signal.SIGKILL)
    reason = until(running.why_ended)

    assert "users" in reason.what
    assert reason.log is not None
    assert "users []" in reason.log.tail  # the end of its own log
    assert running.process.poll() == 137
    others = [service.pid for service in running.services[1:]]
    assert all(is_alive(pid) for pid in others)
    running.stop()
    assert not any(is_alive(pid) for pid in others)


@pytest.mark.parametrize("who", ["users", "orders"])
def test_a_service_that_does_not_start_prevents_all_others_and_is_named(
    make_contender: MakeContender, tmp_path: Path, who: str
) -> None:
    fails = f"if name == {who!r}: sys.exit('no good')\n"
    before = set(psutil.pids())

    with pytest.raises(ContenderError, match=f"the service {who} of .* exit code 1") as wrong:
        run(make_contender(NAMED + fails + server("connection.sendall(b'ok')")), tmp_path)

    assert "no good" in str(wrong.value)
    left = [pid for pid in set(psutil.pids()) - before if _is_server(pid, tmp_path)]
    assert left == []


def _is_server(pid: int, folder: Path) -> bool:
    """Tell whether a process is a server of a contender below a folder; other tests run beside."""
    try:
        process = psutil.Process(pid)
        return "server.py" in process.cmdline() and folder in Path(process.cwd()).parents
    except psutil.Error:
        return False


def test_a_service_that_is_exposed_is_named(make_contender: MakeContender, tmp_path: Path) -> None:
    everywhere = "host = '0.0.0.0' if name == 'users' else host\n"
    running = run(
        make_contender(NAMED + everywhere + server("connection.sendall(b'ok')")), tmp_path
    )

    beyond = [services for services, found in exposures(running) if "listens beyond" in found]

    running.stop()
    assert beyond == [("users",)]


def test_services_are_sorted_in_the_order_in_which_they_start() -> None:
    assert start_order(SHOP) == ("users", "price-list", "orders")


@pytest.mark.parametrize(
    "services",
    [
        {"a": Service(calls=("b",))},
        {"shop": Service(calls=("users", "stok")), "stock": Service(), "users": Service()},
        {"a": Service(calls=("b",)), "b": Service(calls=("c",)), "c": Service(calls=("a",))},
        {"a": Service(calls=("a",)), "b": Service()},
        {"a": Service(), "b": Service()},
    ],
)
def test_calls_without_a_service_are_refused(services: dict[str, Service]) -> None:
    with raises_worded(ValidationError):
        TypeAdapter(Services).validate_python(services)

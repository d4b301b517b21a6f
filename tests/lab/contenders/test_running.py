"""A contender is ready when it answers rightly, and what keeps it from that is said."""

import socket
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.lab.conftest import is_alive, server
from tests.support.left import until
from tests.support.running import MakeContender, answer_ok, expecting, run
from tests.support.wording import assert_worded, raises_worded
from wirelab.lab.contenders import running
from wirelab.lab.contenders.build import BuiltContender
from wirelab.lab.contenders.running import NotReadyError, Ready
from wirelab.lab.environments.environment import Launch, Launched, Native
from wirelab.lab.errors import ContenderError
from wirelab.lab.network.ports import free_port

OK = server("connection.sendall(b'ok')")
WARM_UP = 50
"""How often a contender that warms up is asked."""


def pass_time(monkeypatch: pytest.MonkeyPatch, polls: list[str], seconds: float) -> None:
    """Let so much time pass with each poll, however long this machine takes."""
    clock = SimpleNamespace(
        monotonic=lambda: time.monotonic() + seconds * len(polls), sleep=time.sleep
    )
    monkeypatch.setattr(running, "time", clock)


def wrong(polls: list[str], *remedies: str) -> Ready:
    """Answer wrongly at each poll, with these remedies in turn; then the last one remains."""

    def ready(address: str) -> None:
        polls.append(address)
        remedy = remedies[min(len(polls), len(remedies)) - 1]
        raise NotReadyError("refused", "answers 404 to GET /ping", remedy)

    return ready


def test_it_is_ready_when_it_answers_correctly(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    warming_up = "connection.sendall(b'wait' if requests.pop() else b'ok')"
    contender = make_contender(f"requests = list(range({WARM_UP}))\n" + server(warming_up))

    running_contender = run(contender, tmp_path)

    own_s = running_contender.start_s - running_contender.launch_s
    assert own_s >= WARM_UP * running.POLL_S / 2  # of its start, what is the contender's own
    assert running_contender.launch_s > 0
    assert running_contender.why_ended() is None
    assert "serving" in (tmp_path / "log").read_text()
    assert "postgresql" in (tmp_path / "log").read_text()  # it is told which store it has
    running_contender.stop()
    assert not is_alive(running_contender.pid)


def test_its_environment_is_small_and_its_own(
    make_contender: MakeContender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOMETHING_OF_THE_USER", "x")
    show = "print(sorted(os.environ), os.environ['AT'], flush=True)\n"
    contender = make_contender(show + OK, environment={"AT": "http://{host}:{port}"})

    running_contender = run(contender, tmp_path)
    running_contender.stop()

    log = (tmp_path / "log").read_text()
    assert "SOMETHING_OF_THE_USER" not in log
    assert f"http://{running_contender.address}" in log
    assert "WIRELAB_STORE_URL" in log


def test_the_error_of_a_contender_that_is_never_ready_quotes_the_log(
    make_contender: MakeContender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contender = make_contender(
        "print('loading', flush=True)\n" + server("connection.sendall(b'no')")
    )
    answers: list[str] = []

    def ready(address: str) -> None:
        try:
            expecting(b"ok")(address)
        finally:
            answers.append(address)

    pass_time(monkeypatch, answers, 100)  # It is over once the contender has answered.

    with raises_worded(ContenderError):
        run(contender, tmp_path, deadline_s=90.0, ready=ready)


@pytest.mark.parametrize(
    "program",
    [
        "time.sleep(300)",
        "listener = socket.create_server((host, 0)); time.sleep(300)",
        "raise SystemExit('no configuration')",
        "if os.fork(): os._exit(0)",
    ],
    ids=["hangs", "listens elsewhere", "exits", "detaches"],
)
def test_a_contender_that_does_not_listen_where_it_must(
    make_contender: MakeContender, tmp_path: Path, program: str
) -> None:
    with raises_worded(ContenderError):
        run(make_contender(program), tmp_path, deadline_s=1.5)


def test_a_wrong_answer_is_named_without_the_type_of_the_error(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    def ready(_: str) -> None:
        raise NotReadyError("ping was refused: HTTP 404")

    contender = make_contender(OK)

    with raises_worded(ContenderError):
        run(contender, tmp_path, deadline_s=1.5, ready=ready)


def test_a_wrong_answer_that_remains_the_same_ends_the_start_early(
    make_contender: MakeContender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contender = make_contender(OK)
    polls: list[str] = []
    ready = wrong(polls, "correct path", "", "correct path", "set scheme", "correct path")
    pass_time(monkeypatch, polls, 30)

    with raises_worded(ContenderError) as raised:
        run(contender, tmp_path, deadline_s=300.0, ready=ready)

    assert len(polls) == 7  # the last three are the same for 60 s, longer than 50 s of 300 s
    assert raised.value.hint == "correct path"


def test_no_longer_start_is_advised_if_time_ends_with_wrong_answers(
    make_contender: MakeContender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contender = make_contender(OK)
    polls: list[str] = []
    ready = wrong(polls, "first", "second", "third")
    pass_time(monkeypatch, polls, 30)

    with pytest.raises(ContenderError) as raised:
        run(contender, tmp_path, deadline_s=89.0, ready=ready)

    assert raised.value.hint == "third"
    assert "start_seconds" not in str(raised.value)


def test_a_contender_that_exits_later_is_noticed(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    dying = "connection.sendall(b'ok')\ntime.sleep(0.2)\nprint('out of memory')\nos._exit(9)"
    running_contender = run(make_contender(server(dying)), tmp_path)

    reason = until(running_contender.why_ended)

    assert_worded(reason.what)
    assert reason.log is not None
    assert "out of memory" in reason.log.tail


def test_a_requested_port_in_use_is_reported(make_contender: MakeContender, tmp_path: Path) -> None:
    contender = make_contender(OK)

    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ContenderError, match=f"cannot listen on 127.0.0.1:{port}"):
            run(contender, tmp_path, port=port)


def test_a_second_port_in_use_is_named_by_the_log(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        second = other.getsockname()[1]
        contender = make_contender(f"socket.create_server(('127.0.0.1', {second}))")
        with raises_worded(ContenderError):
            run(contender, tmp_path)


def test_a_port_taken_in_the_meantime_is_replaced(
    make_contender: MakeContender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contender = make_contender(OK)

    with socket.create_server(("127.0.0.1", 0)) as other:
        taken, free = other.getsockname()[1], free_port()
        offers = iter([taken, free])
        monkeypatch.setattr(running, "free_port", lambda _host: next(offers))
        running_contender = run(contender, tmp_path)

    assert running_contender.port == free
    running_contender.stop()


def test_another_server_that_answers_correctly_is_not_mistaken_for_it(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    port = free_port()
    contender = make_contender(f"time.sleep(300)  # has lost {port}")
    impostor = socket.socket()

    class Occupied(Native):
        def launch(self, built: BuiltContender, launch: Launch) -> Launched:
            impostor.bind((launch.host, launch.port))
            impostor.listen()
            threading.Thread(target=answer_ok, args=(impostor,), daemon=True).start()
            return super().launch(built, launch)

    with raises_worded(ContenderError):
        run(contender, tmp_path, Occupied(), port=port, deadline_s=1.0)
    impostor.shutdown(socket.SHUT_RDWR)
    impostor.close()

"""A contender that wirelab does not start: it is reached at its address, and left running."""

import os
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.running import MakeContender, answer_ok, run
from tests.support.wording import raises_worded
from wirelab.errors import MissingProgramError
from wirelab.lab.contenders.build import build
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.running import NotReadyError
from wirelab.lab.errors import ContenderError
from wirelab.lab.network.ports import free_port

VARIABLE = "WIRELAB_TEST_ADDRESS"


@pytest.fixture
def contender(make_contender: MakeContender) -> Contender:
    return replace(make_contender(""), command=(), address=VARIABLE)


@pytest.fixture
def users_port() -> Iterator[int]:
    """A server of the user, which sends ok to every client."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer_ok, args=(listener,))
        thread.start()
        yield int(listener.getsockname()[1])
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_it_is_found_and_left_running(
    contender: Contender, users_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, f"http://127.0.0.1:{users_port}")
    for _ in range(2):
        found = run(contender, tmp_path)

        assert (found.host, found.port) == ("127.0.0.1", users_port)
        assert found.why_ended() is None
        assert found.counted == {"contender": os.getpid()}  # the one who listens there
        found.stop()


def test_a_contender_without_an_address_is_skipped_with_the_reason(
    contender: Contender, own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with raises_worded(MissingProgramError):
        build(contender, tmp_path / "log")

    monkeypatch.setenv(VARIABLE, "http://127.0.0.1:1")
    assert build(contender, tmp_path / "log").contender is contender


@pytest.mark.parametrize(
    "written", ["127.0.0.1:80", "ftp://127.0.0.1:80", "http://:80", "http://h:port", "http://"]
)
def test_an_address_has_a_form(
    contender: Contender, written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, written)
    with pytest.raises(ContenderError, match=f"{VARIABLE} is '{written}'"):
        run(contender, tmp_path)


def test_a_password_in_an_address_is_refused_and_not_shown(
    contender: Contender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "http://user:s3cret@127.0.0.1:80")
    with raises_worded(ContenderError) as raised:
        run(contender, tmp_path)

    assert "s3cret" not in str(raised.value)


def test_an_unreachable_server_is_an_error(
    contender: Contender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, f"http://127.0.0.1:{free_port()}")
    with raises_worded(ContenderError):
        run(contender, tmp_path, deadline_s=0.2)


def test_a_server_that_answers_something_else_is_not_asked_in_quick_succession(
    contender: Contender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def ready(address: str) -> None:
        asked.append(address)
        raise NotReadyError("ping was refused: <html>", "answers 404 to GET /api/ping", "see path")

    monkeypatch.setenv(VARIABLE, "http://127.0.0.1:1")
    with raises_worded(ContenderError) as raised:
        run(contender, tmp_path, deadline_s=0.2, ready=ready)

    assert raised.value.hint == f"check {VARIABLE}; see path"
    assert "html" not in str(raised.value)
    assert asked == ["127.0.0.1:1"]

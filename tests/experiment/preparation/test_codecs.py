"""A contender is ready when it answers the control, and not a moment earlier."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import grpc
import pytest

from tests.domain.fixtures import cache, dataset, notes
from tests.games.standing import CONTENDERS
from tests.support.note_servers import Logic, http, serving
from tests.support.wording import assert_worded
from wirelab import protocol
from wirelab.domain import Dataset
from wirelab.experiment.preparation.codecs import Codecs
from wirelab.lab.contenders.running import NotReadyError

__all__ = ["cache", "dataset", "notes"]


def speaking(name: str, dataset: Dataset, scheme: str | None = None) -> Codecs:
    """Return how one contender is spoken to, by the protocol of that name."""
    path = "" if name == "rest" else "/"
    contender = replace(CONTENDERS["rest-flask"], protocol=name, path=path, scheme=scheme)
    return Codecs(dataset.domain, {name: contender})


@pytest.mark.parametrize("name", protocol.NAMES)
def test_a_server_that_answers_the_control_is_ready(name: str, dataset: Dataset) -> None:
    codecs = speaking(name, dataset)
    with serving(name, Logic(dataset)) as address:
        codecs.check_ready(name, address)
    assert str(refused(codecs, name, address)).startswith("the connection was")


def test_a_slow_server_is_ready_within_the_time_for_a_reply(dataset: Dataset) -> None:
    def answer(method: str, path: str, body: bytes) -> tuple[int, str, bytes]:
        time.sleep(2.2)
        return 200, "application/json", b"{}"

    contenders = {"rest": replace(CONTENDERS["rest-flask"], path="")}
    with http(answer) as address:
        Codecs(dataset.domain, contenders, timeout_s=10).check_ready("rest", address)
        with pytest.raises(NotReadyError, match="after 1 s"):
            Codecs(dataset.domain, contenders, timeout_s=1).check_ready("rest", address)


def refused(codecs: Codecs, name: str, address: str) -> NotReadyError:
    with pytest.raises(NotReadyError) as raised:
        codecs.check_ready(name, address)
    return raised.value


@pytest.mark.parametrize(
    ("name", "scheme", "status"),
    [
        ("rest", None, 404),
        ("rest", None, 200),
        ("graphql", None, 200),
        ("graphql", None, 404),
        ("rest", None, 429),
        ("rest", None, 501),
        ("websocket", None, 404),
        ("rest", "https", 404),
        ("rest", "h2c", 404),
        ("grpc", None, 404),
        ("grpc", "grpcs", 404),
    ],
)
def test_an_answer_that_waiting_does_not_correct_has_a_remedy(
    name: str, scheme: str | None, status: int, dataset: Dataset
) -> None:
    with http(lambda method, path, body: (status, "text/html", b"<h1>It works!</h1>")) as address:
        raised = refused(speaking(name, dataset, scheme), name, address)

    assert raised.remedy
    assert_worded(f"{raised.answer}\n{raised.remedy}")


@pytest.mark.parametrize("status", [500, 502, 503, 504])
@pytest.mark.parametrize("name", ["rest", "websocket"])
def test_a_failure_that_a_starting_server_reports_has_no_remedy(
    name: str, status: int, dataset: Dataset
) -> None:
    with http(lambda method, path, body: (status, "text/html", b"soon")) as address:
        raised = refused(speaking(name, dataset), name, address)

    assert raised.answer.startswith(f"answers {status} to ")
    assert raised.remedy == ""


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_the_remedy_for_a_server_of_the_user_is_in_its_address(
    scheme: str, dataset: Dataset
) -> None:
    with http(lambda method, path, body: (404, "text/html", b"")) as address:
        theirs = replace(CONTENDERS["rest-flask"], address=f"{scheme}://{address}")
        raised = refused(Codecs(dataset.domain, {"x": theirs}), "x", address)

    assert_worded(raised.remedy)


def test_a_method_that_a_grpc_server_lacks_is_to_be_implemented(dataset: Dataset) -> None:
    with ThreadPoolExecutor(1) as pool:
        server = grpc.server(pool)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        raised = refused(speaking("grpc", dataset), "grpc", f"127.0.0.1:{port}")
        server.stop(None).wait()

    assert "UNIMPLEMENTED" in raised.answer
    assert raised.remedy.startswith("implement /")

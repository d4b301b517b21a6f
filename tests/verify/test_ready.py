"""A contender is ready when it answers the control rightly, and not a moment earlier."""

from typing import Any

import pytest

from tests.verify.servers import Logic, http, serving
from wirelab import protocol
from wirelab.domain import Dataset
from wirelab.verify import NotReadyError, readiness


@pytest.mark.parametrize("name", protocol.NAMES)
def test_a_server_that_answers_the_control_is_ready(name: str, dataset: Dataset) -> None:
    check = readiness(f"{name}-test", protocol.get(name).bind(dataset.domain), dataset)
    with serving(name, Logic(dataset)) as address:
        check(address)
    with pytest.raises(NotReadyError, match=f"{name}-test ping: no reply"):
        check(address)


def test_a_wrong_answer_is_not_ready(dataset: Dataset) -> None:
    def tamper(operation: str, answer: Any) -> Any:
        return "starting" if operation == "ping" else answer

    check = readiness("rest-test", protocol.get("rest").bind(dataset.domain), dataset)
    with (
        serving("rest", Logic(dataset, tamper)) as address,
        pytest.raises(NotReadyError, match="expected 'ok', got 'starting'"),
    ):
        check(address)


def test_another_program_on_the_port_is_not_ready(dataset: Dataset) -> None:
    check = readiness("rest-test", protocol.get("rest").bind(dataset.domain), dataset)
    with (
        http(lambda method, path, body: (404, "text/html", b"<h1>It works!</h1>")) as address,
        pytest.raises(NotReadyError, match="refused as not_found"),
    ):
        check(address)

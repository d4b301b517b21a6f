"""A contender is ready when it answers the control, and not a moment earlier."""

from dataclasses import replace

import pytest

from tests.domain.fixtures import cache, dataset, notes
from tests.games.standing import CONTENDERS
from tests.verify.servers import Logic, http, serving
from wirelab import protocol
from wirelab.domain import Dataset
from wirelab.experiment.codecs import Codecs
from wirelab.lab.running import NotReadyError
from wirelab.protocol.client_base import NoReplyError

__all__ = ["cache", "dataset", "notes"]


def speaking(name: str, dataset: Dataset) -> Codecs:
    """Return how one contender is spoken to, by the protocol of that name."""
    contender = replace(CONTENDERS["rest-flask"], protocol=name, path="")
    return Codecs(dataset.domain, {name: contender})


@pytest.mark.parametrize("name", protocol.NAMES)
def test_a_server_that_answers_the_control_is_ready(name: str, dataset: Dataset) -> None:
    codecs = speaking(name, dataset)
    with serving(name, Logic(dataset)) as address:
        codecs.check_ready(name, address)
    with pytest.raises(NoReplyError):
        codecs.check_ready(name, address)


def test_another_program_on_the_port_is_not_ready(dataset: Dataset) -> None:
    with (
        http(lambda method, path, body: (404, "text/html", b"<h1>It works!</h1>")) as address,
        pytest.raises(NotReadyError, match="ping was refused") as raised,
    ):
        speaking("rest", dataset).check_ready("rest", address)
    assert raised.value.answer == "answers 404 to GET /ping"

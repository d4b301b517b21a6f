"""Statuses: their names, which are the load engine's, and what they prevent."""

import re
from pathlib import Path

import pytest

from tests.support.wording import assert_worded
from wirelab.engine.job import Endpoint
from wirelab.lab.network.ports import free_port
from wirelab.protocol.clients.base import Cause, NoReplyError
from wirelab.protocol.clients.no_reply import CLOSED
from wirelab.verify.servers.faults import ServerFaults
from wirelab.verify.servers.obstacles import (
    HINTS,
    Obstacle,
    http_status_names,
    obstacle,
    status_name,
    what_to_do,
)

ENGINE = Path(__file__).parents[3] / "engine" / "src" / "result" / "status.rs"


def test_statuses_of_http_have_the_names_of_the_engine() -> None:
    lines = re.findall(r'^ +(\d{3}) => "(.+)",$', ENGINE.read_text(), re.MULTILINE)
    engine = {int(status): name for status, name in lines}
    own = {status: name for status, name in http_status_names().items() if status in engine}
    assert own == engine
    assert len(engine) > 50


@pytest.mark.parametrize(
    ("status", "of_grpc", "name"),
    [
        (503, False, "503 Service Unavailable"),
        (422, False, "422 Unprocessable Content"),
        (599, False, "599"),
        (14, True, "14 UNAVAILABLE"),
    ],
)
def test_a_status_has_its_number_and_its_name(status: int, *, of_grpc: bool, name: str) -> None:
    assert status_name(status, of_grpc=of_grpc) == name


@pytest.mark.parametrize(
    ("status", "headers", "found", "concerns_everything"),
    [
        (429, {"retry-after": "3"}, Obstacle(429, retry_after="3"), True),
        (8, {}, Obstacle(8), True),
        (401, {"www-authenticate": "Bearer x=1"}, Obstacle(401, scheme="Bearer"), True),
        (302, {"location": "/login"}, Obstacle(302, location="/login"), False),
        (302, {"set-cookie": "id=7; Path=/"}, Obstacle(302, cookie="id"), True),
        (405, {"allow": "GET"}, Obstacle(405, allowed="GET"), False),
        (403, {}, Obstacle(403), False),
        (7, {}, Obstacle(7), False),
    ],
)
def test_an_obstacle_has_what_explains_it(
    status: int, headers: dict[str, str], found: Obstacle, *, concerns_everything: bool
) -> None:
    assert obstacle(status, headers) == found
    assert found.concerns_everything is concerns_everything
    facts = (found.cookie, found.location, found.retry_after, found.scheme, found.allowed)
    assert all(fact in str(found) for fact in facts)


@pytest.mark.parametrize("status", [None, 200, 404, 500])
def test_other_statuses_are_no_obstacles(status: int | None) -> None:
    assert obstacle(status, {"set-cookie": "id=7"}) is None


def test_a_connection_that_is_closed_without_an_answer_comes_with_what_to_do() -> None:
    endpoint = Endpoint(transport="http1", address=f"127.0.0.1:{free_port()}")

    closed = NoReplyError(CLOSED, Cause.CLOSED)
    refused = NoReplyError("nothing listens there", Cause.REFUSED)
    assert what_to_do(closed, endpoint) == HINTS[Cause.CLOSED]
    assert what_to_do(refused, endpoint) == "is it running?"
    assert_worded(ServerFaults().why_silent(closed))
    assert ServerFaults().why_silent(refused) == str(refused)

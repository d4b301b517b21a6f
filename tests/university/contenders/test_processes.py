"""The contenders as processes: how they end, and what they do when they cannot start or serve."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest

from tests.support.ending import (
    KILLED,
    PATIENCE_S,
    assert_a_store_out_of_reach_is_an_error,
    exit_code,
    mislaid,
)
from tests.support.plain_http import NO_TLS, client_of
from tests.support.standing import launch
from tests.university.contenders.standing import (
    CONTENDERS,
    OF_THE_DOMAIN,
    ONE_OF_EACH_STACK,
    UNIVERSITY,
    Standing,
    standing,
    with_environment,
)
from tests.university.contenders.templates import TEMPLATES
from wirelab import protocol
from wirelab.lab.network.ports import free_port
from wirelab.lab.stores.store import Database
from wirelab.protocol.message import Refusal, WireReply

POOLED = list({CONTENDERS[name].stack: name for name in OF_THE_DOMAIN}.values())
"""A stack has one pool."""
BEYOND = 2
"""How many requests more than connections to the store."""
EACH = [
    name
    if name in ONE_OF_EACH_STACK
    else pytest.param(
        name,
        marks=pytest.mark.thorough(reason="it is the executable of a tested one, set otherwise"),
    )
    for name in CONTENDERS
]


@pytest.fixture(params=EACH)
def name(request: pytest.FixtureRequest) -> str:
    contender: str = request.param
    return contender


@contextmanager
def asking(standing: Standing, clients: int) -> Iterator[Callable[[], None]]:
    """Keep a contender busy with QT5 from several threads; errors once it ends are expected.

    The function waits until every client, on average, has been answered once more.
    """
    stop, answered = threading.Event(), threading.Semaphore(0)
    in_dialect = UNIVERSITY.in_dialect(standing.running.contender.dialect)
    codec = protocol.get("graphql").bind(in_dialect, standing.client.path)
    request = codec.encode(in_dialect.operations["qt5"], {"departmentID": 1})

    def ask() -> None:
        with client_of(standing.running.address) as http:
            while not stop.is_set():
                try:
                    http.post(request.path, headers=dict(request.headers), content=request.body)
                except httpx.HTTPError:
                    return
                answered.release()

    def wait() -> None:
        for _ in range(clients):
            assert answered.acquire(timeout=PATIENCE_S)

    threads = [threading.Thread(target=ask) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield wait
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def most_connections(standing: Standing, wait: Callable[[], None], expected: int) -> int:
    """Return how many connections to the store there were, with time for more than expected."""
    deadline = time.monotonic() + PATIENCE_S
    while standing.counter.most_connections < expected and time.monotonic() < deadline:
        wait()
    wait()
    return standing.counter.most_connections


def test_the_server_ends_during_requests(name: str, store: Database, tmp_path: Path) -> None:
    """And its pool is as small as it is set."""
    small = with_environment(name, UNIVERSITY_POOL_SIZE="3")
    with standing(small, store, tmp_path / "log") as running, asking(running, clients=8) as wait:
        assert most_connections(running, wait, 3) == 3
        assert running.running.process.stop() != KILLED


def test_a_store_out_of_reach_is_an_error(name: str, tmp_path: Path) -> None:
    assert_a_store_out_of_reach_is_an_error(CONTENDERS[name], tmp_path / "log")


def test_wrong_settings_are_all_named_at_once(name: str, tmp_path: Path) -> None:
    wrong = with_environment(name, UNIVERSITY_LOADING="magic", UNIVERSITY_POOL_SIZE="none")
    process = launch(wrong, "redis://127.0.0.1/0", tmp_path / "log", free_port())

    assert exit_code(process) not in {None, 0}
    for setting in ("WIRELAB_STORE_URL", *CONTENDERS[name].environment):
        assert setting.startswith(("NODE", "GRAPHILE")) or setting in process.log_tail()


@pytest.mark.parametrize("name", POOLED)
def test_the_pool_is_as_large_as_it_is_set(
    name: str, contender_named: Callable[[str], Standing]
) -> None:
    """It has 10; other sizes are tested with servers that end, and with variants."""
    running = contender_named(name)
    with asking(running, clients=12) as wait:
        assert 4 <= most_connections(running, wait, 4) <= 10


@pytest.mark.parametrize("name", POOLED)
def test_who_gets_no_connection_to_the_store_waits_as_long_as_declared(
    name: str, contender_named: Callable[[str], Standing], store: Database
) -> None:
    running = contender_named(name)
    settings = running.running.contender.settings
    count = int(settings["pool_size"]) + BEYOND
    query = "{ department(nr: 0) { id } }"
    with (
        httpx.Client(trust_env=False, verify=NO_TLS, timeout=60.0) as http,
        psycopg.connect(store.url) as locking,
        ThreadPoolExecutor(count) as threads,
    ):
        locking.execute("LOCK TABLE department IN ACCESS EXCLUSIVE MODE")
        url, began = f"http://{running.running.address}{running.client.path}", time.monotonic()
        sent = [threads.submit(http.post, url, json={"query": query}) for _ in range(count)]
        answers = as_completed(sent)
        refused = [next(answers).result().json()["errors"][0] for _ in range(BEYOND)]
        waited_s = time.monotonic() - began
        locking.rollback()
        served = [answer.result().json() for answer in answers]

    assert {error["extensions"]["code"] for error in refused} == {"SERVICE_UNAVAILABLE"}
    assert settings["pool_wait_s"] == pytest.approx(waited_s, abs=3)
    assert all("errors" not in answer for answer in served)


def test_a_store_that_fails_is_a_server_error_without_details(
    contender: Standing, store: Database
) -> None:
    query = TEMPLATES["QT2"].query({"universityID": 1})
    before = contender.client.data(query)
    with mislaid(store, "publication"):
        response = contender.client.response(query)

    codes = {error["extensions"]["code"] for error in response["errors"]}
    assert codes == {"INTERNAL_SERVER_ERROR"}
    assert "publication" not in str([error["message"] for error in response["errors"]])
    assert contender.client.data(query) == before


@pytest.mark.parametrize(
    "body", ['{"query": "{ ', "{}", '{"query": "{ "}', '{"query": "{ none }"}']
)
def test_a_malformed_request_is_refused_as_graphql_does(contender: Standing, body: str) -> None:
    codec = protocol.get("graphql").bind(UNIVERSITY, contender.client.path)
    operation = UNIVERSITY.control
    assert operation is not None
    headers = {"content-type": "application/json"}
    reply = contender.client.http.post(contender.client.path, content=body, headers=headers)
    refusal = codec.decode(operation, WireReply(reply.status_code, (), reply.content))

    assert 400 <= reply.status_code < 500
    assert isinstance(refusal, Refusal)
    assert (refusal.kind, refusal.remark) == ("invalid", "")


@pytest.mark.thorough(reason="waits six seconds")
def test_an_idle_connection_is_kept(contender: Standing) -> None:
    address, patient = contender.running.address, httpx.Limits(keepalive_expiry=60.0)
    with httpx.Client(
        base_url=f"http://{address}", trust_env=False, limits=patient, verify=NO_TLS
    ) as http:

        def own_port() -> int:
            reply = http.post(contender.client.path, json={"query": "{ __typename }"})
            return int(reply.extensions["network_stream"].get_extra_info("client_addr")[1])

        first = own_port()
        time.sleep(6.0)

        assert own_port() == first

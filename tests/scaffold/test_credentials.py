"""`wirelab init` and credentials on its command line: no message repeats them."""

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from graphql import build_schema, introspection_from_schema
from typer.testing import CliRunner

from wirelab.cli import app
from wirelab.errors import LabError
from wirelab.inputs.problems import ProblemsError
from wirelab.scaffold.access import ALL_SIDES, Access, read_access
from wirelab.scaffold.descriptions.sources import described
from wirelab.verify.servers.obstacles import Obstacle


@pytest.mark.parametrize(
    "header",
    [
        "Authorization=Bearer secret-word",
        "Authorization=Bearer secret-word:part",
        "Authorization Bearer secret-word/part:part",
        "secret-word",
    ],
)
def test_an_invalid_header_is_not_repeated(header: str) -> None:
    with pytest.raises(ProblemsError) as raised:
        read_access([header], None, {})

    (problem,) = raised.value.problems
    assert problem.where == "--header"
    assert "secret-word" not in str(problem)


def test_headers_are_for_all_servers_or_for_one() -> None:
    headers = ["X-A: 1", "rest/x-b : Bearer ${T}", "a.b/X: a=b"]
    access = read_access(headers, None, {})

    assert access.headers == {
        ALL_SIDES: {"x-a": "1"},
        "rest": {"x-b": "Bearer ${T}"},
        "a.b": {"x": "a=b"},
    }


@pytest.mark.parametrize("address", ["https://me:secret-word@host", "reset=me:secret-word@host"])
def test_an_address_without_a_protocol_is_repeated_without_its_password(address: str) -> None:
    done = CliRunner().invoke(app, ["init", "own", "--address", address])

    assert "secret-word" not in str(done.exception)
    assert "expected PROTOCOL=URL" in str(done.exception)


@pytest.mark.parametrize(
    ("url", "address", "is_sent"),
    [
        ("https://own:8443/graphql", "https://own:8443/other", True),
        ("https://own/graphql", "https://own:443", True),
        ("https://own:8443/graphql", "https://own:8444", False),
        ("http://own:8443/graphql", "https://own:8443", False),
        ("https://else/graphql", "https://own", False),
        ("https://own/graphql", "", False),
    ],
)
def test_a_graphql_server_that_is_introspected_receives_headers_if_it_is_the_measured_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, address: str, is_sent: bool
) -> None:
    requests: list[httpx.Request] = []
    schema = introspection_from_schema(build_schema("type Query { a: Int }"))

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        if request.url.path == "/graphql" and not is_sent:
            return httpx.Response(307, headers={"location": "/other"})
        return httpx.Response(200, json={"data": schema})

    answering(answer, monkeypatch)
    interface, _ = described("graphql", url, tmp_path, address, with_token(monkeypatch))

    assert [offer.name for offer in interface.offers] == ["a"]
    assert len(requests) == 2 - is_sent
    sent = "Bearer secret-word" if is_sent else None
    assert {request.headers.get("authorization") for request in requests} == {sent}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (
            httpx.Response(307, headers={"location": "/graphql/"}),
            Obstacle(307, location="/graphql/"),
        ),
        (httpx.Response(401), Obstacle(401)),
        (httpx.Response(200, json={"errors": []}), "introspection"),
        (httpx.Response(200, json=[]), "introspection"),
        (httpx.Response(200, content=b"[" * 100_000), "introspection"),
    ],
)
def test_why_a_graphql_server_returns_no_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: httpx.Response, expected: object
) -> None:
    answering(lambda _: reply, monkeypatch)

    with pytest.raises(LabError) as error:
        described("graphql", "http://own/a", tmp_path, "http://own", with_token(monkeypatch))

    assert str(expected) in str(error.value)


def answering(
    answer: Callable[[httpx.Request], httpx.Response], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answer all requests by a function instead of the network."""

    async def handle(_: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
        return answer(request)

    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", handle)


def with_token(monkeypatch: pytest.MonkeyPatch) -> Access:
    """Return options that send a token from the environment to the measured servers."""
    monkeypatch.setenv("OWN_TOKEN", "secret-word")
    return read_access(["Authorization: Bearer ${OWN_TOKEN}"], None, {})

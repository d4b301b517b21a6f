"""What caches may keep: REST with tags, GraphQL by persisted queries, and nginx before both."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.shop.standing import CONTENDERS, SHOP, STATE
from tests.support.filling import refill
from tests.support.standing import Named
from wirelab import protocol
from wirelab.domain import Dataset
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.network.nginx import CACHE
from wirelab.lab.network.proxy import (
    BehindNginx,
    cache_use,
    open_nginx,
    put_nginx_before,
    why_no_nginx,
)
from wirelab.lab.stores.store import Database
from wirelab.protocol.clients.base import Client
from wirelab.protocol.clients.client import connect
from wirelab.protocol.message import Answer
from wirelab.study import Workload
from wirelab.verify import verify

CACHED = [name for name in CONTENDERS if name.endswith("-cached")]
PERSISTED = [name for name in CONTENDERS if name.endswith("-persisted")]
KEPT = "public, max-age=2"
PRODUCT = "query ($id: Int!) { product(id: $id) { id title stock } }"
NEW = PRODUCT.replace("query", "query New")
"""A document that no other test sends."""
USER = "query ($id: Int!) { user(id: $id) { id name } }"
DELETE = "mutation ($id: Int!) { deleteProduct(id: $id) }"


@pytest.fixture(scope="module", autouse=True)
def left_as_generated(store: Database, dataset: Dataset) -> Iterator[None]:
    """Undo what these tests write to rows that the tests of other modules only read."""
    yield
    refill(store, dataset)


def ask(
    address: str, path: str, method: str = "GET", body: object = None, **headers: str
) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(address, timeout=20)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    content = None if body is None else json.dumps(body)
    connection.request(method, path, content, {"content-type": "application/json", **sent})
    reply = connection.getresponse()
    try:
        return reply, reply.read()
    finally:
        connection.close()


def may_be_kept(reply: HTTPResponse) -> bool:
    """Return whether a shared cache would keep an answer without further directives."""
    policy = reply.getheader("cache-control") or ""
    return "max-age" in policy and "private" not in policy and "no-store" not in policy


@pytest.mark.usefixtures("generated")
@pytest.mark.parametrize("name", CACHED)
def test_an_answer_about_the_catalogue_has_an_age_and_an_entity_tag_that_changes_with_it(
    name: str, contender_named: Named
) -> None:
    server = contender_named(name)
    for path in ("/products?limit=3&include=reviews", "/reviews/1", "/products/1/reviews"):
        first, body = ask(server.address, path)
        tag = first.getheader("etag") or ""
        again, nothing = ask(server.address, path, if_none_match=f'"other", W/{tag}')

        assert (first.status, first.getheader("cache-control")) == (200, KEPT), path
        assert body
        assert (again.status, nothing, again.getheader("etag")) == (304, b"", tag), path

    first, body = ask(server.address, "/products/1")
    tag = first.getheader("etag") or ""
    product = json.loads(body)
    del product["id"]
    changed, _ = ask(server.address, "/products/1", "PUT", {**product, "stock": 7})
    after, text = ask(server.address, "/products/1", if_none_match=tag)

    assert changed.status == 200
    assert after.status == 200  # it has another tag now
    assert json.loads(text)["stock"] == 7
    assert after.getheader("etag") not in {tag, None}


@pytest.mark.parametrize("name", CACHED)
def test_answers_of_one_user_and_errors_are_not_cached(name: str, contender_named: Named) -> None:
    server = contender_named(name)
    for path in ("/ping", "/users/1", "/users/1/orders", "/products/0"):
        reply, _ = ask(server.address, path)

        assert not may_be_kept(reply), path
        assert reply.status == (404 if path == "/products/0" else 200), path


def by_hash(document: str, digest: str = "", **variables: int) -> str:
    digest = digest or sha256(document.encode()).hexdigest()
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": digest}}
    request = {"variables": json.dumps(variables), "extensions": json.dumps(extensions)}
    return f"/graphql?{urlencode(request)}"


def introduce(address: str, document: str, digest: str = "", **variables: int) -> dict[str, object]:
    digest = digest or sha256(document.encode()).hexdigest()
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": digest}}
    body = {"query": document, "variables": variables, "extensions": extensions}
    found: dict[str, object] = json.loads(ask(address, "/graphql", "POST", body)[1])
    return found


@pytest.mark.parametrize("name", PERSISTED)
def test_a_hash_replaces_a_document_that_was_sent_once(name: str, contender_named: Named) -> None:
    server = contender_named(name)
    unknown, text = ask(server.address, by_hash(NEW, id=1))
    assert b"PERSISTED_QUERY_NOT_FOUND" in text
    assert not may_be_kept(unknown)

    right = introduce(server.address, NEW, id=1)
    known, text = ask(server.address, by_hash(NEW, id=1))
    other, another = ask(server.address, by_hash(NEW, id=2))
    tag = known.getheader("etag") or ""
    again, nothing = ask(server.address, by_hash(NEW, id=1), if_none_match=tag)
    missing, _ = ask(server.address, by_hash(NEW, id=0))

    assert json.loads(text) == right
    assert json.loads(another)["data"]["product"]["id"] == 2
    assert may_be_kept(known)
    assert "max-age=2" in (known.getheader("cache-control") or "")
    assert may_be_kept(other)
    assert (again.status, nothing) == (304, b"")
    assert not may_be_kept(missing), "an error"


@pytest.mark.parametrize("name", PERSISTED)
def test_a_hash_neither_changes_anything_nor_caches_data_of_one_user(
    name: str, contender_named: Named
) -> None:
    server = contender_named(name)
    introduce(server.address, USER, id=1)
    user, text = ask(server.address, by_hash(USER, id=1))
    assert json.loads(text)["data"]["user"]["id"] == 1
    assert not may_be_kept(user)

    introduce(server.address, DELETE, id=0)
    refused, text = ask(server.address, by_hash(DELETE, id=3))
    assert refused.status >= 400
    assert json.loads(introduce_product(server.address, 3))["data"]["product"]["id"] == 3

    assert "errors" in introduce(server.address, PRODUCT, digest="0" * 64, id=1)
    _, text = ask(server.address, by_hash(PRODUCT, digest="0" * 64, id=1))
    assert b"PERSISTED_QUERY_NOT_FOUND" in text  # a wrong hash was not remembered


def introduce_product(address: str, product: int) -> bytes:
    introduce(address, PRODUCT, id=product)
    return ask(address, by_hash(PRODUCT, id=product))[1]


def answers(address: str) -> None:
    ask(address, "/")


@contextmanager
def behind_cache(
    server: RunningContender, folder: Path
) -> Iterator[tuple[RunningContender, Client]]:
    if missing := why_no_nginx(CACHE):
        pytest.skip(missing)
    fronted = put_nginx_before(
        server,
        "http1",
        open_nginx(folder / "build.log", CACHE),
        ready=lambda address, _: answers(address),
        log_path=folder / "proxy.log",
    )
    assert isinstance(fronted.process, BehindNginx)
    try:
        with connect("http1", fronted.address, timeout_s=20.0) as client:
            yield fronted, client
    finally:
        fronted.process.proxy.stop()


@pytest.mark.usefixtures("generated")
@pytest.mark.parametrize("name", [*CACHED, *PERSISTED])
def test_nginx_answers_from_its_cache_and_a_change_is_seen_within_the_declared_age(
    name: str, contender_named: Named, dataset: Dataset, tmp_path: Path
) -> None:
    chosen = CONTENDERS[name]
    in_dialect = SHOP.in_dialect(chosen.dialect)
    codec = protocol.get(chosen.protocol).bind(in_dialect, chosen.path)
    read, update = in_dialect.operations["read_product"], in_dialect.operations["update_product"]
    age_s = float(chosen.settings["cache_age_s"])
    changed = {"title": "changed", "description": "d", "price_cents": 5, "stock": 7, "pictures": []}

    with behind_cache(contender_named(name), tmp_path) as (server, client):

        def title() -> object:
            outcome = codec.decode(read, client.send(codec.encode(read, {"id": 5})))
            assert isinstance(outcome, Answer)
            assert isinstance(outcome.value, dict)
            return outcome.value["title"]

        old = {title() for _ in range(20)}
        hits = cache_use(server)["HIT"]
        client.send(codec.encode(update, {"id": 5, "product": changed}))
        deadline = time.monotonic() + age_s
        while title() != "changed" and time.monotonic() < deadline:
            time.sleep(0.05)

        assert len(old) == 1
        assert "changed" not in old
        assert hits >= 15
        assert title() == "changed"
        before = cache_use(server)
        time.sleep(age_s)
        assert title() == "changed"
        after = cache_use(server)
        assert after.get("REVALIDATED", 0) == before.get("REVALIDATED", 0) + 1, "answered 304"


@pytest.mark.usefixtures("generated")
@pytest.mark.parametrize("name", [*CACHED, *PERSISTED])
def test_verification_through_a_cache_finds_nothing_wrong(
    name: str, contender_named: Named, dataset: Dataset, tmp_path: Path
) -> None:
    chosen = CONTENDERS[name]
    in_dialect = SHOP.in_dialect(chosen.dialect)
    codec = protocol.get(chosen.protocol).bind(in_dialect, chosen.path)
    workload = Workload(title="read", operation="read_product", state=STATE, parameter_sets=5)

    with behind_cache(contender_named(name), tmp_path) as (_, client):
        result = verify(
            name,
            codec,
            client,
            replace(dataset, domain=in_dialect),
            {"product": workload},
            age_s=float(chosen.settings["cache_age_s"]),
        )

    assert [str(each) for each in result.findings if each.severity == "error"] == []
    assert len(result.plans) == 5


def test_every_language_has_caching_and_hashes() -> None:
    assert {CONTENDERS[name].stack for name in CACHED} == {"go", "node", "python"}
    assert {CONTENDERS[name].stack for name in PERSISTED} == {"go", "node", "python"}

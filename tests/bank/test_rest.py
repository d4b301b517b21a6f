"""REST as its OpenAPI description says it, and what hostile clients get."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import yaml

from tests.bank.standing import BANK
from tests.support.described import JSON, assert_problem, check_response, openapi
from tests.support.plain_http import client_of
from tests.support.standing import Named

VALID = {
    "accountId": 1,
    "bookedOn": "2024-02-29",
    "kind": "fee",
    "amountCents": -1,
    "reference": "F1",
    "description": "a fee",
}


@pytest.fixture
def http(contender_named: Named) -> Iterator[httpx.Client]:
    with client_of(contender_named("rest-nestjs").address) as client:
        yield client


def check(response: httpx.Response, method: str, path: str) -> Any:
    return check_response(response, BANK.folder, method, path)


def test_no_answer_has_an_etag(http: httpx.Client) -> None:
    assert "etag" not in http.get("/movements?records=5").headers
    assert "etag" not in http.get("/movements/0").headers


def test_a_variant_has_an_etag_as_express_does_by_default(contender_named: Named) -> None:
    with client_of(contender_named("rest-nestjs-etag").address) as client:
        assert client.get("/movements?records=5").headers["etag"].startswith('W/"')


@pytest.mark.parametrize("include", [None, "account", "customer"])
def test_a_list_is_as_described(http: httpx.Client, include: str | None) -> None:
    response = http.get("/movements?records=5" + (f"&include={include}" if include else ""))

    for movement in check(response, "get", "/movements")["movements"]:
        assert ("account" in movement) == (include is not None)
        assert ("customer" in movement.get("account", {})) == (include == "customer")


def test_answers_are_as_described(http: httpx.Client) -> None:
    check(http.get("/ping"), "get", "/ping")
    check(http.get("/movements/1"), "get", "/movements/{id}")
    check(http.get("/movements/0"), "get", "/movements/{id}")
    check(http.post("/movements", json={"movements": [VALID]}), "post", "/movements")


def test_the_description_is_served(http: httpx.Client) -> None:
    response = http.get("/openapi.yaml")

    assert response.headers["content-type"] == "application/yaml"
    assert yaml.safe_load(response.text) == openapi(BANK.folder)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"null", 400),
        (b"[" * 100_000, 400),
        (b"", 422),
        (b"[]", 422),
        (b"[[]]", 422),
        (b"{}", 422),
        (b'{"movements": null}', 422),
        (b'{"movements": "all"}', 422),
        (b'{"movements": [null]}', 422),
        (b'{"movements": [[]]}', 422),
        (b'{"movements": [7]}', 422),
        (b'{"movements": [' + b"[" * 1000 + b"]" * 1000 + b"]}", 422),
        (b'{"movements": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}", 422),
        (json.dumps({"movements": [VALID], "more": 1}).encode(), 422),
        (b'{"movements": "' + b"x" * 33 * 2**20 + b'"}', 413),
    ],
    ids=lambda value: str(value[:24]) if isinstance(value, bytes) else None,
)
def test_a_wrong_body_gets_a_problem(http: httpx.Client, body: bytes, status: int) -> None:
    response = http.post("/movements", content=body, headers=JSON)

    assert response.status_code == status
    assert check(response, "post", "/movements")["detail"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"accountId": "1"},
        {"accountId": 1.5},
        {"accountId": True},
        {"accountId": 2**31},
        {"accountId": None},
        {"amountCents": -(2**31) - 1},
        {"bookedOn": 20240229},
        {"kind": ["fee"]},
        {"kind": {"toString": "fee"}},
        {"reference": 7},
        {"id": 5},
    ],
    ids=str,
)
def test_a_value_of_the_wrong_type_is_invalid(http: httpx.Client, wrong: dict[str, Any]) -> None:
    response = http.post("/movements", json={"movements": [{**VALID, **wrong}]})

    assert response.status_code == 422
    (name,) = wrong
    assert name in check(response, "post", "/movements")["detail"]


def test_half_a_surrogate_pair_is_invalid(http: httpx.Client) -> None:
    body = json.dumps({"movements": [{**VALID, "reference": "\ud800"}]})

    assert http.post("/movements", content=body, headers=JSON).status_code == 422


def test_several_mistakes_are_reported_at_once_but_not_ten_thousand(http: httpx.Client) -> None:
    response = http.post("/movements", json={"movements": [{"kind": "gift"}] * 10_000})

    detail = response.json()["detail"]
    assert all(name in detail for name in ("accountId", "bookedOn", "kind", "amountCents"))
    assert len(detail) < 5_000


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/movements", 422),
        ("/movements?records=many", 422),
        ("/movements?records=1e2", 422),
        ("/movements?records=1&records=2", 422),
        ("/movements?records=1&include=", 422),
        ("/movements?records=1&include=bank", 422),
        ("/movements?records=" + "9" * 50, 422),
        ("/movements/one", 422),
        ("/movements/%00", 422),
        ("/movements?records=1&limit=2", 422),
        ("/movements/1e2", 422),
        ("/movements/%ff", 400),
        ("/movements/99999999999", 404),
        ("/nowhere", 404),
    ],
)
def test_a_wrong_address_gets_a_problem(http: httpx.Client, path: str, status: int) -> None:
    assert_problem(http.get(path), status)

"""Two answers, or two servers, that differ in one thing are never called equal."""

import json
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.verify.equality.reports import write_parameters
from wirelab import protocol
from wirelab.domain.model import Common
from wirelab.domain_file import load_domain
from wirelab.protocol.base import Codec
from wirelab.protocol.clients.base import Client
from wirelab.protocol.descriptions.protobuf import to_value
from wirelab.protocol.message import Answer, WireReply, WireRequest
from wirelab.protocol.rest import RestCodec, RestRequest
from wirelab.protocol.websocket import WebsocketCodec, WebsocketRequest
from wirelab.study import Workload
from wirelab.verify import Equality
from wirelab.verify.equality.common_shape import shape, shape_differences
from wirelab.verify.equality.uncompared import uncompared

EXAMPLES = int(os.environ.get("WIRELAB_EQUALITY_EXAMPLES", "150"))
"""Documents; each is compared with several others."""
TEXTS = ["nan", "inf", "1", "true", "null", "", "[]", "{}", " ", "a", "A", "é", "\ud800", "\udc00x"]
NUMBERS = ["0", "1", "-1", "1.5", "1e400", "1e500", "-1e400", "1e-400", "2e-400", "1e99999999"]
NUMBERS += ["9007199254740992", "9007199254740993", "9007199254740992.5", "0.1", "0.11"]
NUMBERS += ["12345678901234567.89", "12345678901234567.88", "1" * 400, "1" * 399 + "2", "1e22"]
LEAVES = [json.dumps(each) for each in TEXTS] + NUMBERS + ["true", "false", "null"]
KEYS = ["id", "ID", "fooBar", "foo_bar", "FooBar", "a/b", "a~1b", "*", "", "0", "é"]


def documents() -> st.SearchStrategy[Any]:
    """Documents whose leaves are JSON as text."""
    numbers = st.integers().map(str) | st.floats(allow_nan=False, allow_infinity=False).map(repr)
    leaves = st.sampled_from(LEAVES) | numbers | st.text().map(json.dumps)
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, min_size=1, max_size=4)
            | st.dictionaries(st.sampled_from(KEYS), inner, min_size=1, max_size=4)
        ),
        max_leaves=12,
    )


def written(document: Any) -> str:
    """Write a document as JSON."""
    if isinstance(document, dict):
        members = (f"{json.dumps(key)}: {written(value)}" for key, value in document.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(document, list):
        return f"[{', '.join(map(written, document))}]"
    return str(document)


def changed(document: Any, leaf: str) -> Iterator[tuple[Any, str]]:
    """Yield the document with each of its leaves replaced, and the leaf that was there."""
    if isinstance(document, dict):
        for key, value in document.items():
            for each, before in changed(value, leaf):
                yield {**document, key: each}, before
    elif isinstance(document, list):
        for index, value in enumerate(document):
            for each, before in changed(value, leaf):
                yield [*document[:index], each, *document[index + 1 :]], before
    else:
        yield leaf, document


def mean_the_same(one: str, other: str) -> bool:
    """Return whether two leaves mean the same, or may be the same float."""
    if one[0] in "-0123456789" and other[0] in "-0123456789":
        exact = Decimal(one) == Decimal(other)
        floats = float(one), float(other)
        return exact or (floats[0] == floats[1] and isfinite(floats[0]) and floats[0] != 0)
    if '"' in (one[0], other[0]) and one[0] == other[0]:
        return bool(json.loads(one) == json.loads(other))
    return one == other


REST = RestCodec("/", "snake"), RestRequest(method="GET", path="/")
CODECS: dict[str, tuple[Codec[Any], Any]] = {
    "rest": REST,
    "rest in camel case": (RestCodec("/", "camel"), REST[1]),
    "rest of any kind": (REST[0], RestRequest(method="GET", path="/", content="any")),
    "websocket": (WebsocketCodec("/", "snake"), WebsocketRequest(message="", content="any")),
}


@pytest.mark.parametrize("name", CODECS)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(document=documents(), leaf=st.sampled_from(LEAVES))
def test_one_other_leaf_is_seen(name: str, document: Any, leaf: str) -> None:
    codec, request = CODECS[name]
    one = answer(codec, request, written({"v": document}))

    for other, before in changed(document, leaf):
        if not mean_the_same(before, leaf):
            assert differ(one, answer(codec, request, written({"v": other}))), (before, leaf)


def answer(codec: Codec[Any], request: Any, body: str) -> object:
    status = None if codec.protocol == "websocket" else 200
    headers = (("content-type", "application/json"),)
    outcome = codec.decode_reply(request, WireReply(status, headers, body.encode()))
    assert isinstance(outcome, Answer), outcome
    return outcome.value


def differ(one: object, other: object) -> bool:
    first, second = (shape(Common(), "rest", each) for each in (one, other))
    return any(True for _ in shape_differences(Common(), first, second))


FIELDS: dict[str, tuple[int, list[Any]]] = {
    "f64": (1, [0.0, 0.1, 1e300, float("nan"), float("inf"), float("-inf")]),
    "i64": (3, [0, 2**53, 2**53 + 1, -(2**63), 2**63 - 1]),
    "u64": (4, [0, 2**53, 2**53 + 1, 2**64 - 1]),
    "flag": (8, [False, True]),
    "text": (9, ["", "a", "nan", "0", "ü"]),
    "raw": (12, [b"", b"\x00", b"\xff", b"AA=="]),
}
"""Fields of a message: the number of the type, and values that all differ."""


def test_one_other_field_of_a_message_is_seen() -> None:
    file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax="proto3")
    message = file.message_type.add(name="M")
    for number, (name, (kind, _)) in enumerate(FIELDS.items(), 1):
        message.field.add(name=name, number=number, type=kind, label=1)
        message.field.add(name=f"all_{name}", number=number + 50, type=kind, label=3)
    message.field.add(name="inner", number=40, type=11, type_name=".t.M", label=1)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    form: Any = message_factory.GetMessageClass(pool.FindMessageTypeByName("t.M"))

    def build(name: str, value: Any, place: str) -> object:
        if place == "inner":
            return to_value(form(inner=form(**{name: value})))
        if place == "list":
            return to_value(form(**{f"all_{name}": [value, value]}))
        return to_value(form(**{name: value}))

    for name, (_, values) in FIELDS.items():
        for place in ("", "inner", "list"):
            for one in values:
                for other in values:
                    is_same = values.index(one) == values.index(other)
                    pair = build(name, one, place), build(name, other, place)
                    assert differ(*pair) is not is_same, (name, place, one, other)


DOMAIN = """
name = "own"
title = "Own"
summary = "items"
parameters = "parameters.ndjson"

[operation.item]
summary = "an item"
effect = "read"
parameters = ["id"]

[operation.item.rest]
method = "GET"
path = "/items/{id}"
content = "any"
"""
SETS = 200
Alter = Callable[[random.Random, WireReply], WireReply]


def other_leaf(chance: random.Random, reply: WireReply) -> WireReply:
    document = json.loads(reply.body)
    place = chance.choice(["id", "name", "price", "tags", "owner"])
    if place == "owner":
        document["owner"]["age"] = chance.choice([None, 41, "40", True, 40.5])
    elif place == "tags":
        document["tags"] = chance.choice([["a"], ["b", "a"], ["a", "b", "b"], ["a", None], []])
    else:
        document[place] = chance.choice([None, True, [document[place]], f"{document[place]} "])
    return replace(reply, body=json.dumps(document).encode())


def other_header(chance: random.Random, reply: WireReply) -> WireReply:
    name = chance.choice(["content-type", "x-total-count", "link", "content-language"])
    headers = {**dict(reply.headers), name: chance.choice(["text/html", "x/y", "z"])}
    return replace(reply, headers=tuple(headers.items()))


def other_status(chance: random.Random, reply: WireReply) -> WireReply:
    return replace(reply, status=chance.choice([201, 203, 204, 206, 400, 404, 410, 422, 500]))


class Server(Client):
    """Answers with an item; the one at `odd`, or all of them, are altered."""

    def __init__(self, alter: Alter | None = None, odd: int | None = None, seed: int = 0) -> None:
        self.alter, self.odd, self.seed = alter, odd, seed

    def send(self, request: WireRequest) -> WireReply:
        number = int(request.path.rpartition("/")[2])
        owner = {"name": f"owner of {number}", "age": 40}
        item = {"id": number, "name": f"item {number}", "price": number / 7, "tags": ["a", "b"]}
        headers = {
            "content-type": "application/json",
            "x-total-count": "200",
            "link": "</items?page=2>; rel=next",
            "content-language": "en",
        }
        body = json.dumps({**item, "owner": owner}).encode()
        reply = WireReply(200, tuple(headers.items()), body)
        if self.alter is None or self.odd not in (None, number):
            return reply
        return self.alter(random.Random(f"{self.seed}"), reply)

    def close(self) -> None:
        """Nothing is open."""


def test_no_planted_pair_of_servers_is_equal(tmp_path: Path) -> None:
    """One leaf, header or status differs: in all of 200 answers, or in one of them."""
    (tmp_path / "domain.toml").write_text(DOMAIN)
    write_parameters(tmp_path, *(("item", {"id": number}) for number in range(SETS)))
    domain = load_domain(str(tmp_path))
    codec = protocol.get("rest").bind(domain, "/")
    workloads = {"item": Workload(title="item", operation="item", state="")}

    def are_equal(other: Server) -> bool:
        equality = Equality(domain)
        found = [
            each
            for name, server in (("one", Server()), ("other", other))
            for each in equality.verify(name, codec, server, workloads).findings
        ]
        found += uncompared(equality.proofs.values(), ["one", "other"])
        return not any(each.severity == "error" for each in found)

    assert are_equal(Server())
    kinds = (other_leaf, other_header, other_status)
    planted = [
        Server(kinds[number % 3], number if number % 2 else None, number) for number in range(200)
    ]
    missed = [(each.alter, each.odd, each.seed) for each in planted if are_equal(each)]
    assert missed == []

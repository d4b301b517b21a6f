"""What the engine may expect of every reply, from replies that were verified."""

import gzip
from dataclasses import replace
from typing import Any

import pytest
import xxhash

from wirelab.domain import Domain, Operation
from wirelab.protocol import Expectation
from wirelab.protocol.base import Codec

from .exchanges import bound, reply, soap_fault


def test_reads_are_expected_to_the_last_byte(codec: Codec[Any], notes: Domain) -> None:
    body = b'{"data": 1}'
    expected = codec.expectation(notes.operations["read"], reply(200, body), reply(200, body))

    assert expected == Expectation(200, body_xxh3=xxhash.xxh3_64_hexdigest(body))
    assert expected.body_xxh3 is not None
    assert len(expected.body_xxh3) == 16


def test_a_compressed_reply_is_expected_as_the_engine_compares_it(notes: Domain) -> None:
    codec, read, body = bound("rest", notes), notes.operations["read"], b'{"text": "abc"}' * 9
    packed = replace(reply(200, gzip.compress(body, 1)), headers=(("Content-Encoding", "gzip"),))
    otherwise = replace(packed, body=gzip.compress(body, 9))

    expected = codec.expectation(read, packed, otherwise)

    assert expected == Expectation(200, body_xxh3=xxhash.xxh3_64_hexdigest(body))


def test_a_varying_reply_is_expected_by_its_length_or_not_at_all(notes: Domain) -> None:
    codec, read = bound("rest", notes), notes.operations["read"]
    same = codec.expectation(read, reply(200, b"abc"), reply(200, b"abx"))
    other = codec.expectation(read, reply(200, b"abc"), reply(200, b"abxy"))

    assert same == Expectation(200, body_length=3)
    assert other == Expectation(200)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("graphql", '{"data": null, "errors": [{"message": "no"}]}'),
        ("graphql", '{"errors":[{"message":"no"}]}'),
        ("soap", soap_fault("Server")),
        ("soap", "<Envelope><Body><Fault xmlns=''>"),
        ("websocket", '{"error":{"code":"invalid"}}'),
        ("websocket", '{"error": {"code": "invalid"}}'),
        ("jsonrpc", '{"jsonrpc":"2.0","id":1,"error":{"code":-32602}}'),
        ("mcp", '{"jsonrpc":"2.0","id":1,"error": {"code": -32602}}'),
        ("mcp", '{"result":{"content":[],"isError":true}}'),
    ],
)
def test_an_error_in_the_reply_to_a_write_is_noticed(name: str, wrong: str, notes: Domain) -> None:
    create: Operation = notes.operations["create"]
    right = b'{"data": {"text": "\\"errors\\": [ and <Fault, escaped"}}'
    expected = bound(name, notes).expectation(create, reply(200, right))

    assert expected.body_xxh3 is None
    assert expected.body_length is None
    assert any(mark in wrong for mark in expected.must_not_contain)
    assert not any(mark.encode() in right for mark in expected.must_not_contain)


def test_a_marker_that_correct_answers_contain_is_no_marker(notes: Domain) -> None:
    right = reply(200, '{"data": {"report": {"errors": []}}}')
    expected = bound("graphql", notes).expectation(notes.operations["create"], right)

    assert expected.must_not_contain == ('"errors":[',)

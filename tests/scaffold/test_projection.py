"""Projections of everything that the answers of several protocols have in common."""

from collections.abc import Mapping
from typing import Any

import jmespath
import pytest

from wirelab.scaffold.descriptions.offer import Offer, Parameter
from wirelab.scaffold.matching import Match
from wirelab.scaffold.merging import operation_table
from wirelab.scaffold.projection import names_in_common, propose
from wirelab.scaffold.querying.agreeing import Spelling


def offer(protocol: str, *answer: str, lists: bool = False, **more: Any) -> Offer:
    """Return an operation whose answer has values at these paths."""
    given = {"parameters": (), "binding": {}, **more}
    answers = dict.fromkeys(answer, "string")
    return Offer(protocol, "get", "", "read", answer=answers, lists=lists, **given)


@pytest.mark.parametrize(
    ("rest", "graphql", "answers", "shape"),
    [
        pytest.param(
            offer("rest", "header/revision", "kvs/*/key", "kvs/*/lease", "more", "count"),
            offer("graphql", "header/revision", "kvs/*/key", "count", "own"),
            {
                "rest": {"header": {"revision": 1}, "kvs": [{"key": "a", "lease": 2}], "count": 1},
                "graphql": {"header": {"revision": 1}, "kvs": [{"key": "a"}], "count": 1, "own": 0},
            },
            {"header_revision": 1, "kvs": [{"key": "a"}], "count": 1},
            id="objects and lists",
        ),
        pytest.param(
            offer("rest", "items/*/id", "items/*/tags/*", "total", "page", lists=True),
            offer("graphql", "nodes/*/id", "nodes/*/tags/*", "total", lists=True),
            {
                "rest": {"items": [{"id": 1, "tags": ["a"]}, None], "total": 7, "page": 1},
                "graphql": {"nodes": [{"id": 1, "tags": ["a"]}, None], "total": 7},
            },
            {"items": [{"id": 1, "tags": ["a"]}, None], "total": 7},
            id="different envelopes",
        ),
        pytest.param(
            offer("rest", "*/id", "*/owner/name", "*/lines/*/amount", lists=True),
            offer("graphql", "data/*/id", "data/*/owner_name", "data/*/lines/*/amount", lists=True),
            {
                "rest": [{"id": 1, "owner": {"name": "x"}, "lines": [{"amount": 3}]}],
                "graphql": {"data": [{"id": 1, "owner_name": "x", "lines": [{"amount": 3}]}]},
            },
            [{"id": 1, "owner_name": "x", "lines": [{"amount": 3}]}],
            id="lists in lists",
        ),
        pytest.param(
            offer("rest", "data/id", "data/2fa", "meta/at"),
            offer("graphql", "id", "2fa"),
            {"rest": {"data": {"id": 1, "2fa": True}}, "graphql": {"id": 1, "2fa": True}},
            {"id": 1, "2_fa": True},
            id="no identifier",
        ),
    ],
)
def test_everything_in_common_is_projected(
    rest: Offer, graphql: Offer, answers: Mapping[str, object], shape: object
) -> None:
    projections = propose([rest, graphql])

    for protocol, answer in answers.items():
        assert jmespath.search(projections[protocol], answer) == shape, projections[protocol]
    assert set(names_in_common([rest, graphql])) == (
        {key for key, value in shape.items() if not isinstance(value, list)}
        if isinstance(shape, dict)
        else {"id", "owner_name"}
    )


def test_a_missing_list_is_an_empty_one_but_an_object_is_no_list() -> None:
    both = [offer("rest", "kvs/*/key"), offer("grpc", "kvs/*/key")]
    expression = propose(both)["rest"]

    assert jmespath.search(expression, {}) == {"kvs": []}
    with pytest.raises(jmespath.exceptions.JMESPathError):
        jmespath.search(expression, {"kvs": {"key": 1}})


def test_null_is_replaced_where_it_was_found() -> None:
    both = [offer("rest", "kvs/*/key"), offer("grpc", "kvs/*/key")]
    expression = propose(both, {"rest": {"kvs/*/key": "''"}})["rest"]

    answer = {"kvs": [{"key": None}, {"key": False}]}
    assert jmespath.search(expression, answer) == {"kvs": [{"key": ""}, {"key": False}]}


def test_optional_parameters_that_not_all_protocols_have_stay_unset() -> None:
    key, only = Parameter("key", "string"), Parameter("keys_only", "boolean", True, (True, False))
    limit = Parameter("limit", "integer", False, (10,))
    must = Parameter("version", "string", True, ("v1",))
    rest = offer(
        "rest",
        "key",
        parameters=(key, limit, must),
        binding={"method": "GET", "path": "/{key}?limit={limit}&version={version}"},
    )
    grpc = offer(
        "grpc",
        "key",
        parameters=(key, only),
        binding={"method": "KV/Range", "message": {"key": "{key}", "keys_only": "{keys_only}"}},
    )
    match = Match((rest, grpc), {}, ())

    table, merged = operation_table(match, Spelling())

    assert table["rest"]["path"] == "/{key}?version={version}"
    assert table["grpc"]["message"] == {"key": "{key}"}
    assert [each.name for each in merged.parameters] == table["parameters"] == ["key", "version"]

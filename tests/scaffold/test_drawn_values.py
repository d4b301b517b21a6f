"""Values drawn from schemas: they fit, are the same for the same seed, and can be sent."""

import json

import pytest

from wirelab.experiment.events import Observer
from wirelab.protocol.message import CannotEncodeError
from wirelab.protocol.rest import RestCodec, RestRequest
from wirelab.scaffold.descriptions.offer import Offer, Parameter
from wirelab.scaffold.querying.draws import draw


def test_values_are_drawn_from_schemas_and_the_same_for_the_same_seed() -> None:
    enum = {"enum": ["a", "b"]}
    inner = {"type": "object", "properties": {"e": enum}, "required": ["e"]}
    parameters = (
        Parameter("key", "string"),
        Parameter("size", "integer", schema={"type": "integer", "minimum": 3, "maximum": 5}),
        Parameter("part", "object", schema=inner),
        Parameter("parts", "array", schema={"type": "array", "items": enum, "minItems": 1}),
    )
    offer = Offer("rest", "get_it", "", "read", parameters, {})
    writing = Offer("rest", "put_it", "", "write", parameters, {})
    drawn, why_not = draw({"get_it": offer, "put_it": writing}, 1, Observer())

    assert (why_not, list(drawn)) == ("", ["get_it"])
    assert draw({"get_it": offer}, 1, Observer())[0] == drawn
    assert len({json.dumps(each, sort_keys=True) for each in drawn["get_it"]}) > 30
    for each in drawn["get_it"]:
        assert 1 <= len(each["key"]) <= 12
        assert 3 <= each["size"] <= 5
        assert each["part"]["e"] in enum["enum"]
        assert set(each["parts"]) <= set(enum["enum"])
        assert each["parts"]


@pytest.mark.parametrize(
    "limits", [{"minLength": 1}, {"minLength": 40}, {"format": "uuid"}, {"enum": ["a", "ä", "b\n"]}]
)
def test_values_that_no_header_can_hold_are_not_drawn_for_headers(
    limits: dict[str, object],
) -> None:
    parameters = (Parameter("user", "string", schema={"type": "string", **limits}),)
    binding = {"method": "GET", "path": "/a", "headers": {"x-user": "{user}"}}
    offer = Offer("rest", "get_a", "", "read", parameters, binding)
    request = RestRequest.model_validate(binding)
    codec = RestCodec("", "snake")

    drawn, _ = draw({"get_a": offer}, 1, Observer())

    assert drawn["get_a"]
    for each in drawn["get_a"]:
        assert ("x-user", each["user"]) in codec.encode_request(request, each).headers


@pytest.mark.parametrize("value", ["Zoë", "a\nb", " a"])
def test_a_value_that_no_header_can_hold_is_not_sent(value: str) -> None:
    request = RestRequest(method="GET", path="/a", headers={"X-User": "{user}"})

    with pytest.raises(CannotEncodeError, match=r"X-User (con|begins)"):
        RestCodec("", "snake").encode_request(request, {"user": value})


def test_the_name_of_a_request_for_an_empty_path_is_its_method() -> None:
    root = Offer("rest", "get", "", "read", (), {"method": "GET", "path": ""})

    assert root.shown == "GET"

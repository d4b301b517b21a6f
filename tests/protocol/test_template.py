"""Holes in templates are filled with values, and keys are spelled as a protocol spells them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirelab.protocol.key_case import inward, outward, to_camel, to_snake
from wirelab.protocol.styles import fill_url
from wirelab.protocol.template import fill, names


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{id}", 7),
        ("number {id}", "number 7"),
        ("{name} and {name}", "a/b ü and a/b ü"),
        ({"a": ["{row}", "{id}"]}, {"a": [{"x": None}, 7]}),
        ("{{id}}", "{id}"),
        ("{yes}!", "true!"),
        (3, 3),
        (None, None),
    ],
)
def test_fill(template: object, filled: object) -> None:
    parameters = {"id": 7, "name": "a/b ü", "row": {"x": None}, "yes": True}

    assert fill(template, parameters) == filled


def test_values_in_a_path_are_quoted() -> None:
    parameters = {"id": "a/b ü?", "limit": 5, "q": "&="}
    path = fill_url("/notes/{id}?limit={limit}&q={q}", parameters, {})

    assert path == "/notes/a%2Fb%20%C3%BC%3F?limit=5&q=%26%3D"


def test_a_missing_parameter_is_named() -> None:
    with pytest.raises(KeyError, match="nobody"):
        fill({"a": "{nobody}"}, {})


def test_names_of_a_template() -> None:
    assert names({"a": ["{x}", "{y} {{z}}"], "b": 1, "c": {"d": "{w}/{x}"}}) == {"x", "y", "w"}


words = st.text("abcxyz019", min_size=1, max_size=4).map(lambda rest: f"w{rest}")


@settings(deadline=None)
@given(st.lists(words, min_size=1, max_size=4).map("_".join))
def test_camel_and_back(name: str) -> None:
    assert to_snake(to_camel(name)) == name


def test_keys_are_respelled_at_every_depth_and_values_never() -> None:
    inside = {"release_date": [{"full_name": "not_a_key"}], "id": 1}
    outside = {"releaseDate": [{"fullName": "not_a_key"}], "id": 1}

    assert outward(inside, "camel") == outside
    assert inward(outside, "camel") == inside
    assert outward(inside, "snake") == inside
    assert inward(outside, "snake") == outside


def test_acronyms_arrive_in_one_piece() -> None:
    assert to_snake("gameURL") == "game_url"
    assert to_snake("HTTPStatus") == "http_status"

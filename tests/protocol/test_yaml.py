"""YAML 1.2 with the types of JSON, as OpenAPI requires (3.0.3, 4.3): what plain scalars mean."""

import json
import math

import pytest

from wirelab.protocol.rest import load_yaml

TEXTS = ["NO", "No", "no", "yes", "on", "off", "y", "n", "12:30", "1:2:3", "2024-01-02", "="]
TEXTS += ["1_000", "0123", "0o17", "0x1F", "0b1", "+1", "1.", ".5", "1e", "1.2.3"]
OTHERS = {
    "true": True,
    "True": True,
    "FALSE": False,
    "~": None,
    "null": None,
    "0": 0,
    "-12": -12,
    "1.50": 1.5,
    "1e3": 1000.0,
    "-.inf": -math.inf,
}


@pytest.mark.parametrize("written", TEXTS)
def test_texts(written: str) -> None:
    assert load_yaml(f"{{a: {written}, b: [{written}], {written}: 1}}") == {
        "a": written,
        "b": [written],
        written: 1,
    }


@pytest.mark.parametrize(("written", "value"), OTHERS.items())
def test_other_types(written: str, value: object) -> None:
    (read,) = load_yaml(f"- {written}\n")

    assert read == value
    assert type(read) is type(value)


def test_empty_values_merged_tables_and_json() -> None:
    assert load_yaml("a:\nb: &c {x: 1}\nd: {<<: *c, y: 2}\n")["d"] == {"x": 1, "y": 2}
    assert load_yaml("a:\n") == {"a": None}
    assert load_yaml(json.dumps({"a": [1, "NO"]})) == {"a": [1, "NO"]}

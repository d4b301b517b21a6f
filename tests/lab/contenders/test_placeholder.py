"""Names in braces: placeholders of wirelab, and braces of the shell or of awk."""

import pytest

from wirelab.lab.contenders.placeholder import fill, literal, unknown_placeholders

VALUES = {"port": 8080, "host": "127.0.0.1"}


@pytest.mark.parametrize(
    ("written", "filled"),
    [
        ("serve --port {port} --host {host}", "serve --port 8080 --host 127.0.0.1"),
        ("awk '{print}'; ${HOME} {a,b} {}", "awk '{print}'; ${HOME} {a,b} {}"),
        ("echo {{print}} {{{x}}} ${home} {port}", "echo {{print}} {{{x}}} ${home} 8080"),
    ],
)
def test_only_known_names_are_replaced(written: str, filled: str) -> None:
    command = literal(written, VALUES)

    assert fill([command], VALUES) == [filled]
    assert unknown_placeholders([command], VALUES) == []


def test_an_unknown_name_is_found() -> None:
    assert unknown_placeholders(["{port} {prot} {{own}}"], VALUES) == ["prot"]

"""Addresses of servers: their paths, which machine they are on, and how messages repeat them."""

import pytest

from tests.support.wording import raises_worded
from wirelab.lab.network.address import Address, without_credentials


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("http://localhost:8000", ""),
        ("http://localhost:8000/", ""),
        ("http://localhost:8000/a", "/a"),
        ("http://localhost:8000/a?id=1", "/a?id=1"),
        ("http://localhost:8000/?id=1", "/?id=1"),
        ("http://localhost:8000?id=1", "/?id=1"),
    ],
)
def test_the_path_of_an_address_begins_with_a_slash(written: str, path: str) -> None:
    assert Address.parse(written).path == path


@pytest.mark.parametrize("written", ["http://", "http:/localhost", "http://:80", "http:///items"])
def test_an_address_without_a_host_is_refused_with_an_example(written: str) -> None:
    with raises_worded(ValueError):
        Address.parse(written)


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("127.0.0.2", True),
        ("[::1]", True),
        ("0.0.0.0", True),
        ("[::]", True),
        ("[::ffff:127.0.0.1]", True),
        ("[::ffff:192.0.2.1]", False),
        ("192.0.2.1", False),
        ("example.com", False),
    ],
)
def test_an_address_is_on_this_machine_if_requests_to_it_stay_here(host: str, here: bool) -> None:
    assert Address.parse(f"http://{host}:8000").is_loopback == here


@pytest.mark.parametrize(
    "written",
    [
        "https://me:secret-word@host/path",
        "rest=https://me:secret-word@host/path",
        "reset=me:secret-word@host/path",
        "https://host/path?token=secret-word",
    ],
)
def test_an_address_is_repeated_without_credentials(written: str) -> None:
    shown = without_credentials(written)

    assert "secret-word" not in shown
    assert "host/path" in shown

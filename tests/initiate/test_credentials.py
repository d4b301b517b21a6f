"""`wirelab init` and credentials on its command line: no message repeats them."""

import pytest
from typer.testing import CliRunner

from wirelab.cli import app
from wirelab.initiate.access import EVERYBODY, read_access
from wirelab.problems import ProblemsError


@pytest.mark.parametrize(
    "header",
    [
        "Authorization=Bearer secret-word",
        "Authorization=Bearer secret-word:part",
        "Authorization Bearer secret-word/part:part",
        "secret-word",
    ],
)
def test_what_is_no_header_is_not_repeated(header: str) -> None:
    with pytest.raises(ProblemsError) as error:
        read_access([header], None, {}, ["rest"])

    assert "secret-word" not in str(error.value)
    assert "expected NAME: VALUE, or SIDE/NAME: VALUE" in str(error.value)


def test_headers_are_for_all_servers_or_for_one() -> None:
    access = read_access(
        ["X-A: 1", "rest/x-b : Bearer ${T}", "a.b/X: a=b"], None, {}, ["rest", "a.b"]
    )

    assert access.headers == {
        EVERYBODY: {"x-a": "1"},
        "rest": {"x-b": "Bearer ${T}"},
        "a.b": {"x": "a=b"},
    }


@pytest.mark.parametrize("address", ["https://me:secret-word@host", "reset=me:secret-word@host"])
def test_an_address_without_a_protocol_is_repeated_without_its_password(address: str) -> None:
    done = CliRunner().invoke(app, ["init", "own", "--address", address])

    assert done.exit_code == 2
    assert "secret-word" not in done.output
    assert "expected PROTOCOL=URL" in " ".join(done.output.replace("│", " ").split())

"""Headers from the environment or a private file: refused where no header can hold them."""

from pathlib import Path

import pytest

from tests.support.stacks import GOOD, with_stack
from tests.support.wording import assert_worded, raises_worded
from wirelab.domain.model import Domain
from wirelab.inputs.problems import ProblemsError
from wirelab.lab import credentials
from wirelab.lab.contenders.contender import load_contenders
from wirelab.lab.credentials import resolve_headers
from wirelab.lab.errors import ContenderError
from wirelab.protocol.clients.base import NoReplyError

SECRET = "s3cr3t-word"


@pytest.fixture(autouse=True)
def no_secrets_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credentials, "_known_secrets", set())


@pytest.mark.parametrize("value", [f"{SECRET}\r\n", f"{SECRET} ", f"{SECRET}é"])
def test_a_variable_that_no_header_can_hold_is_named_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("SCHEME", "Bearer")
    monkeypatch.setenv("API_TOKEN", value)

    with raises_worded(ContenderError) as refused:
        resolve_headers("a", {"Authorization": "${SCHEME} ${API_TOKEN}"}, None)

    assert SECRET not in str(refused.value)


def test_a_written_value_that_no_header_can_hold_is_named_by_its_header() -> None:
    with raises_worded(ContenderError):
        resolve_headers("a", {"X-User": "Zoë"}, None)


@pytest.mark.parametrize(
    "content",
    [f"Authorization: Bearer {SECRET}\x7f\n".encode(), b"X-User: Zo\xeb\n"],
    ids=["delete", "not UTF-8"],
)
def test_a_value_in_a_file_that_no_header_can_hold_is_not_repeated(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "headers"
    file.write_bytes(content)
    file.chmod(0o600)

    with raises_worded(ContenderError) as refused:
        resolve_headers("a", {}, file)

    assert SECRET not in str(refused.value)


def test_valid_header_values_are_sent_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", SECRET)
    written = {"Authorization": "Bearer ${API_TOKEN}", "X-Empty": "", "X-Tab": "a\tb"}

    assert resolve_headers("a", written, None) == (
        ("authorization", f"Bearer {SECRET}"),
        ("x-empty", ""),
        ("x-tab", "a\tb"),
    )


def test_the_error_for_a_missing_reply_contains_no_credential(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("API_TOKEN", SECRET)
    resolve_headers("a", {"Authorization": "Bearer ${API_TOKEN}"}, None)

    output = str(NoReplyError(f"LocalProtocolError: Illegal header value b'Bearer {SECRET}'"))

    assert_worded(output)


@pytest.mark.parametrize("table", ["headers", "headerz"])
def test_a_credential_is_never_shown(games: Domain, tmp_path: Path, table: str) -> None:
    stack = GOOD + f'{table} = {{ Authorization = "Bearer s3cret-token" }}\n'

    with pytest.raises(ProblemsError) as error:
        load_contenders(with_stack(games, tmp_path, small=stack))

    assert "Authorization" in str(error.value)
    assert "s3cret" not in str(error.value)

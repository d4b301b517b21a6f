"""The password of a store comes from the environment, a private file or a prompt, and is hidden."""

import json
from pathlib import Path

import pytest

from tests.support.wording import raises_worded
from wirelab.lab import credentials
from wirelab.lab.credentials import (
    redact,
    redact_file,
    redact_json,
    resolve_headers,
    resolve_store_url,
)
from wirelab.lab.errors import StoreError

PASSWORD = "p@ss/word:1"
QUOTED = "p%40ss%2Fword%3A1"


@pytest.fixture(autouse=True)
def no_secrets_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credentials, "_known_secrets", set())


def test_a_password_on_the_command_line_is_refused_and_not_repeated() -> None:
    for url in ("postgresql://u:secret@h/d", "postgresql://h/d?user=u&password=secret"):
        with raises_worded(StoreError) as refused:
            resolve_store_url("postgresql", url, None)
        assert "secret" not in str(refused.value)


def test_a_variable_of_the_environment_is_url_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORE_PASSWORD", PASSWORD)

    url = resolve_store_url("postgresql", "postgresql://u:${STORE_PASSWORD}@h/d", None)

    assert url == f"postgresql://u:{QUOTED}@h/d"
    assert redact(f"{PASSWORD}, {QUOTED}") == "(hidden), (hidden)"


def test_a_variable_that_is_not_in_the_environment_is_prompted_for() -> None:
    requests: list[str] = []

    def ask(prompt: str) -> str:
        requests.append(prompt)
        return PASSWORD

    url = resolve_store_url("postgresql", "postgresql://u:${UNSET_PASSWORD}@h/d", ask)

    assert url == f"postgresql://u:{QUOTED}@h/d"
    assert requests == ["UNSET_PASSWORD for postgresql: "]
    with raises_worded(StoreError):
        resolve_store_url("postgresql", "postgresql://u:${UNSET_PASSWORD}@h/d", None)


def test_a_file_with_the_url_must_be_private(tmp_path: Path) -> None:
    file = tmp_path / "my store"
    file.write_text(f"postgresql://u:{QUOTED}@h/d\n")
    file.chmod(0o640)
    with pytest.raises(StoreError, match=f"chmod 600 '{file}'"):
        resolve_store_url("postgresql", f"@{file}", None)

    file.chmod(0o600)

    assert resolve_store_url("postgresql", f"@{file}", None) == f"postgresql://u:{QUOTED}@h/d"
    assert redact(f"password {PASSWORD}") == "password (hidden)"


def test_a_url_without_a_password_is_unchanged() -> None:
    assert resolve_store_url("postgresql", "postgresql://u@h/d", None) == "postgresql://u@h/d"
    assert resolve_store_url("postgresql", "postgresql?cpus=2", None) == "postgresql?cpus=2"


def test_words_that_contain_a_password_are_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORE_PASSWORD", "postgres")
    resolve_store_url("postgresql", "postgresql://u:${STORE_PASSWORD}@h/d", None)

    assert redact("postgresql: postgres") == "postgresql: (hidden)"


@pytest.mark.parametrize(
    "before", [r"\n", r"\t", r"\x0a", r"\u000a", "%3D", "%20", "=", "“"], ids=ascii
)
def test_a_password_after_an_escape_is_hidden(monkeypatch: pytest.MonkeyPatch, before: str) -> None:
    """Logs escape line breaks, and URLs escape most signs; what follows is a separate word."""
    monkeypatch.setattr(credentials, "_known_secrets", {"hunter2"})

    assert redact(f"told{before}hunter2%20") == f"told{before}(hidden)%20"


def test_a_line_of_json_stays_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credentials, "_known_secrets", {"hunter2"})
    events = tmp_path / "events.jsonl"
    events.write_text('{"reason": "a\u2028hunter2"}\n{"torn": "hunter2', encoding="utf-8")

    redact_file(events)

    assert events.read_text(encoding="utf-8").split("\n") == [
        '{"reason": "a\u2028(hidden)"}',
        '{"torn": "(hidden)',
    ]


def test_json_stays_valid_whatever_a_variable_contains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENANT", "1000")
    resolve_headers("a", {"x-tenant": "${TENANT}"}, None)

    text = '{"1000": 1000, "told": "no tenant 1000", "store": "1000"}'

    assert json.loads(redact_json(text, names={"1000"})) == {
        "1000": 1000,
        "told": "no tenant (hidden)",
        "store": "1000",
    }
    assert redact_json('{"cut": "1000') == '{"cut": "(hidden)'


def test_a_file_of_headers_may_contain_some_that_are_no_secret(tmp_path: Path) -> None:
    file = tmp_path / "headers"
    file.write_text("Accept: application/json\nAuthorization: Bearer abcdef\n")
    file.chmod(0o600)
    resolve_headers("a", {}, file)

    assert redact("application/json: abcdef, abcdefg") == "application/json: (hidden), abcdefg"

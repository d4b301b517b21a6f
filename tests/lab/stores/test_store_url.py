"""No password of a store is shown."""

import traceback
from pathlib import Path

import pytest

from wirelab.lab.errors import StoreError
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.store import Database
from wirelab.lab.stores.store_url import recorded_command, redact, without_password


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:secret@h:5432/d", "postgresql://u:***@h:5432/d"),
        ("postgresql://u@h/d", "postgresql://u@h/d"),
        ("postgresql://h:5432/d", "postgresql://h:5432/d"),
        ("postgresql://:secret@h/d", "postgresql://:***@h/d"),
        ("postgresql://u:se%40cret@h/d", "postgresql://u:***@h/d"),
        ("postgresql://u:se@c/re t@h/d", "postgresql://u:***@h/d"),
        ("postgresql://h/d?user=u&password=secret&x=1", "postgresql://h/d?user=u&password=***&x=1"),
        ("postgresql://h/d?sslpassword=secret", "postgresql://h/d?sslpassword=***"),
        ("mongodb://u:secret@h1:1,h2:2/d?w=1", "mongodb://u:***@h1:1,h2:2/d?w=1"),
        ("mongodb+srv://u:secret@h/d", "mongodb+srv://u:***@h/d"),
        (
            "mongodb://h/?authMechanismProperties=AWS_SESSION_TOKEN:secret",
            "mongodb://h/?authMechanismProperties=***",
        ),
        ("postgresql://u:secret@[::1]:x/d", "postgresql://u:***@[::1]:x/d"),
        ("postgresql?cpus=1", "postgresql?cpus=1"),
    ],
)
def test_a_password_is_hidden_and_nothing_else(url: str, shown: str) -> None:
    assert without_password(url) == shown
    assert "secret" not in shown


def test_a_command_is_recorded_without_the_passwords_of_its_arguments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = ["run", "s", "--store", "postgresql=postgresql://u:secret@h/d", "--store=m=x://a:b@c"]
    monkeypatch.setattr("sys.argv", ["/somewhere/wirelab", *command])

    assert recorded_command() == (
        "wirelab",
        "run",
        "s",
        "--store",
        "postgresql=postgresql://u:***@h/d",
        "--store=m=x://a:***@c",
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no postgresql://u:s3cr%C3%A9t@h/d here", "no postgresql://u:***@h/d here"),
        ("another one: mongodb://a:b@c/d", "another one: mongodb://a:***@c/d"),
        ("password s3crét is wrong", "password *** is wrong"),
        ("password=s3cr%C3%A9t;", "password=***;"),
        ("s3cr is another word", "s3cr is another word"),
    ],
)
def test_messages_of_other_programs_are_redacted(text: str, shown: str) -> None:
    assert redact(text, "postgresql://u:s3cr%C3%A9t@h/d") == shown


def test_a_password_of_one_letter_is_not_replaced_within_words() -> None:
    assert redact("two tables: a", "x://u:t@h") == "two tables: a"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:secret@127.0.0.1:port/d",
        "postgresql://u:secret@127.0.0.1:99999/d",
        "postgresql://u:a/secret@127.0.0.1/d",
        "postgresql://u:secret@127.0.0.1:1/d?nonsense=1",
        "mongodb://u:secret@127.0.0.1:port/d",
        "mongodb://u:a@secret@127.0.0.1:1/d",
        "nonsense://u:secret@127.0.0.1:1/d",
    ],
)
def test_a_wrong_url_is_refused_without_its_password(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirelab.lab.stores.mongodb.PATIENCE_MS", 200)

    with pytest.raises(StoreError) as raised:
        open_store(url, log_path=tmp_path / "log")

    assert "secret" not in "".join(traceback.format_exception(raised.value)).replace(url, "")
    assert "secret" not in str(raised.value)


def test_a_database_is_printed_without_its_password() -> None:
    database = Database("postgresql", "postgresql://u:secret@h/d")

    assert "secret" not in repr(database)
    assert database.shown_url == "postgresql://u:***@h/d"

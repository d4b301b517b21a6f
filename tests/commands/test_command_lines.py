"""A command line with a mistake is refused, with a hint, and nothing is started."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.wording import assert_worded
from wirelab.cli import app
from wirelab.terminal.exit_codes import ExitCode

from .conftest import Call

Refused = Callable[[str], list[str]]


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> Refused:
    """Return the errors of a command line that is refused, each with its hint."""
    monkeypatch.chdir(tmp_path)

    def errors(line: str) -> list[str]:
        code, out, err = call(*shlex.split(line))
        assert (code, out) == (ExitCode.BAD_INPUT, "")
        return err.removeprefix("error: ").rstrip("\n").split("\nerror: ")

    return errors


@pytest.mark.parametrize(
    ("line", "named", "hint"),
    [
        ("plan muppaneni --sede 1", "--sede", "--seed"),
        ("plan muppaneni --quiet", "--quiet", "wirelab plan --help"),
        ("plan muppaneni --blocks x", "--blocks", "wirelab plan --help"),
        ("plan", "STUDY", "wirelab plan --help"),
        ("plan muppaneni other", "other", "wirelab plan --help"),
        ("qualify --rounds", "--rounds", "--help"),
        ("browse . --port 99999", "--port", "65535"),
        ("capacity http://localhost:1/", "--objective", "wirelab capacity --help"),
        ("pln", "pln", "plan"),
        ("container bse", "bse", "base"),
        ("list --hlep", "--hlep", "--help"),
    ],
)
def test_the_first_mistake_is_reported_with_a_hint(
    refused: Refused, line: str, named: str, hint: str
) -> None:
    (error,) = refused(line)

    assert named in error
    assert hint in error


@pytest.mark.parametrize(
    ("line", "mistakes"),
    [
        ("run kaminski-2022 --design smok --blocks 0 --only rst", 3),
        ("run", 1),
        ("verify games --environment=ntive --only=rst", 2),
        ("verify games --store=own --store=mine", 2),
        ("compare 'a=serve {port}' --budget soon --clients 0", 3),
        ("init own --openapi nix.yaml --csv nix.csv", 2),
        ("browse nix", 1),
        ("load --cluster auto http://127.0.0.1:1/ --rate 5 --on b", 1),
        ("plan kaminsky --seed -1 --blocks -5", 1),
    ],
)
def test_all_mistakes_that_a_command_finds_itself_are_reported(
    refused: Refused, line: str, mistakes: int
) -> None:
    errors = refused(line)

    assert len(errors) == mistakes
    assert_worded("\n".join(each.partition(";")[0] for each in errors))


def test_no_command_is_called_with_an_unknown_option(refused: Refused) -> None:
    names = [command.name for command in app.registered_commands]
    assert "run" in names
    for name in names:
        if name != "load":  # which passes them on
            assert "--quiet" in refused(f"{name} --quiet")[0]

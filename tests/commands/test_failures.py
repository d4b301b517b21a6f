"""Why a command failed, for programs: --json prints errors, too; and lines that can be read."""

import json
from pathlib import Path

import pytest

from tests.compare.running import wirelab
from wirelab.inputs.close_match import LONGEST_LIST, one_of
from wirelab.terminal.console import LONGEST_LINE, error
from wirelab.terminal.exit_codes import ExitCode


@pytest.mark.parametrize(
    ("arguments", "code", "keys"),
    [
        (["init", "own", "--openapi", "no.yaml"], ExitCode.BAD_INPUT, {"where", "expected"}),
        (["report", "nowhere"], ExitCode.BAD_INPUT, set()),
        (["compare", "http://localhost:1/", "http://localhost:2/"], ExitCode.NOT_READY, set()),
        (["compare", "--nothing"], ExitCode.BAD_INPUT, set()),
    ],
)
def test_errors_are_json_if_that_was_requested(
    tmp_path: Path, arguments: list[str], code: ExitCode, keys: set[str]
) -> None:
    done = wirelab(*arguments, "--json", folder=tmp_path)

    told = json.loads(done.stdout)
    assert done.returncode == told["exit_code"] == code
    for each in told["errors"]:
        assert " ".join(each["message"].split()) in " ".join(done.stderr.split())
        assert each.keys() >= {"message", "hint", *keys}
    assert told["errors"]


def test_long_lines_are_broken_between_words(capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"word{number}" for number in range(500)]

    error(" ".join(words))

    printed = capsys.readouterr().err
    assert max(map(len, printed.splitlines())) <= LONGEST_LINE + len("error: ")
    assert printed.split() == ["error:", *words]


def test_of_many_names_the_first_are_listed_and_the_others_counted() -> None:
    names = [f"operation_{number:03}" for number in range(300)]
    listed = one_of(names)

    *shown, last = listed.removeprefix("one of ").split(", ")
    assert len(listed) < LONGEST_LIST + 40
    assert int(last.split()[2]) == 300 - len(shown) - 1

"""Why a command failed, for programs: --json prints errors, too; and lines that can be read."""

import json
import resource
import subprocess
from functools import partial
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.compare.running import PROGRAM, wirelab
from tests.support.bundles.synthetic import write_bundle
from tests.support.commands import Command
from wirelab.inputs.close_match import LONGEST_LIST, one_of
from wirelab.lab.processes.shortage import FILE_SIZE, REMEDIES
from wirelab.terminal.console import LONGEST_LINE, error
from wirelab.terminal.exit_codes import ExitCode

REFUSED = [
    (["init", "own", "--openapi", "no.yaml"], ExitCode.BAD_INPUT),
    (["report", "nowhere"], ExitCode.BAD_INPUT),
    (["compare", "http://localhost:1/", "http://localhost:2/"], ExitCode.NOT_READY),
    (["compare", "--nothing"], ExitCode.BAD_INPUT),
]


@pytest.mark.parametrize(("arguments", "code"), REFUSED)
def test_errors_are_json_if_that_was_requested(
    tmp_path: Path, arguments: list[str], code: ExitCode
) -> None:
    done = wirelab(*arguments, "--json", folder=tmp_path)

    told = json.loads(done.stdout)
    assert done.returncode == told["exit_code"] == code
    for each in told["errors"]:
        assert " ".join(each["message"].split()) in " ".join(done.stderr.split())
        assert each.keys() >= {"message", "hint"}
        assert ("where" in each) == ("expected" in each) == (arguments[0] == "init")
    assert told["errors"]


@pytest.mark.parametrize(("arguments", "code"), [*REFUSED[1:], (["list"], ExitCode.OK)])
def test_an_error_that_cannot_be_printed_keeps_its_exit_code(
    arguments: list[str], code: ExitCode
) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([PROGRAM, *arguments], stdout=PIPE, stderr=full, check=False)

    assert done.returncode == code


def test_a_report_that_cannot_be_written_says_how_to_continue(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    write_bundle(bundle, blocks=2, requests=50, permutations=4, workloads=("fetch_one",))
    command = Command(
        *("report", bundle),
        stdout=tmp_path / "stdout",
        stderr=tmp_path / "stderr",
        prepare=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )

    assert command.wait(60) == ExitCode.FAILED
    printed = (tmp_path / "stderr").read_text()
    assert f"wirelab report {bundle}" in printed
    assert REMEDIES[FILE_SIZE] in " ".join(printed.split())
    assert "Traceback" not in printed


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

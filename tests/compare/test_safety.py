"""What a comparison does only on request: write, load remote servers, show credentials."""

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.compare.running import (
    OPENAPI,
    QUICK,
    SHORT_BLOCKS,
    TWO_BLOCKS,
    serving,
    wirelab,
)
from tests.support.command_lines import wirelab_watched
from tests.support.commands import Command
from tests.support.requests import comparison_of
from wirelab.compare.options import THINK_TIME_US
from wirelab.inputs.problems import ProblemsError
from wirelab.study.design import FIRST_VERDICT
from wirelab.terminal.exit_codes import ExitCode

MEASURED = 20
"""More than this is written by a block, and not by verification."""
SECRET = "correct-horse-battery-staple"


def test_nothing_is_written_without_permission(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with serving(f"journal={journal}") as one:
        sides = f"a=http://{one}", f"b=http://{one}"
        done = wirelab("compare", *sides, "--openapi", OPENAPI, *QUICK, folder=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "see --allow-writes" in done.stderr
    assert not journal.exists()


def test_writing_needs_a_command_that_restores_data() -> None:
    with pytest.raises(ProblemsError, match="--allow-writes needs --reset"):
        comparison_of("http://localhost:1/", "http://localhost:2/", allow_writes=True)


def creating(
    folder: Path, *options: str, constants: Mapping[str, object] = TWO_BLOCKS
) -> CompletedProcess[str]:
    """Compare a server with itself by a write; what it receives is in a journal."""
    values = folder / "values.csv"
    values.write_text('body\n"{""id"": 1, ""name"": ""new""}"\n')
    with serving(f"journal={folder / 'journal'}") as one:
        return wirelab(
            *("compare", f"a=http://{one}", f"b=http://{one}"),
            *("--openapi", OPENAPI, "--csv", values),
            *("--only", "create_item", "--allow-writes", *options, *QUICK),
            folder=folder,
            constants=constants,
        )


def test_writes_are_announced(tmp_path: Path) -> None:
    done = creating(tmp_path, "--scratch")

    assert done.returncode == 0, done.stderr
    announced = done.stderr.index("will write: create_item (POST /items)")
    assert announced < done.stderr.index("Measuring")
    written = [json.loads(line) for line in (tmp_path / "journal").read_text().splitlines()]
    assert all(each == {"id": 1, "name": "new"} for each in written)
    assert written


def test_the_data_are_restored_before_each_verification_and_each_block(tmp_path: Path) -> None:
    """The command counts what was written since it was carried out last, and forgets that."""
    journal, counts = tmp_path / "journal", tmp_path / "counts"
    journal.touch()
    reset = f"wc -l < {journal} >> {counts}; : > {journal}"
    done = creating(tmp_path, "--reset", reset, constants=SHORT_BLOCKS)
    assert done.returncode == 0, done.stderr
    first, *others = map(int, counts.read_text().split())

    assert "`wc -l" in done.stderr
    assert first == 0
    assert others[0] > 0  # the other side is verified with the data as they were
    measured = [count for count in others if count > MEASURED]
    assert len(measured) >= FIRST_VERDICT - 1  # what the last block wrote remains


def test_a_reset_that_fails_is_one_clear_message(tmp_path: Path) -> None:
    done = creating(tmp_path, "--reset", "echo no database >&2; exit 3")

    assert done.returncode == ExitCode.NOT_READY, done.stderr
    assert "code 3: no database" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "journal").exists()


def test_a_limit_is_of_the_side_that_a_version_in_capital_letters_became() -> None:
    versions = comparison_of("main..HEAD", start="serve {port}", fail_if=["HEAD.p99>20ms"])

    assert [limit.contender for limit in versions.limits] == ["head"]


def test_remote_servers_get_a_low_load() -> None:
    sides = "http://192.0.2.1/", "http://192.0.2.2/"

    assert comparison_of(*sides).terms.think_time_us == THINK_TIME_US
    assert comparison_of(*sides, clients=4).terms.think_time_us == 0
    assert comparison_of(*sides, rate=5.0).terms.think_time_us == 0
    assert comparison_of("http://localhost:1/", "http://127.0.0.1:2/").terms.think_time_us == 0


def test_remote_addresses_are_shown_before_anything_is_sent(tmp_path: Path) -> None:
    """The addresses are those of a network for documentation, without any servers."""
    stderr = tmp_path / "stderr"
    command = Command(
        *("compare", "a=http://192.0.2.1/", "b=http://192.0.2.2/"),
        stdout=tmp_path / "stdout",
        stderr=stderr,
        folder=tmp_path,
    )
    try:
        while not (lines := stderr.read_text().splitlines(keepends=True)):
            assert command.poll() is None
            time.sleep(0.01)
    finally:
        command.kill()

    assert lines[0] == "a is at http://192.0.2.1:80, which is not this machine\n"


@pytest.mark.parametrize("header", [f"Authorization: Bearer {SECRET}", f"X-Api-Key: {SECRET}"])
def test_a_credential_on_the_command_line_is_refused_and_not_repeated(header: str) -> None:
    with pytest.raises(ProblemsError) as error:
        comparison_of("http://localhost:1/", "http://localhost:2/", header=[header])

    assert "${VARIABLE}" in str(error.value)
    assert SECRET not in str(error.value)


@pytest.mark.parametrize(
    "address", [f"http://me:{SECRET}@localhost:1/", f"http://localhost:1/?api_key={SECRET}"]
)
def test_a_credential_in_an_address_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(ProblemsError) as error:
        comparison_of(address, "http://localhost:2/")

    assert SECRET not in str(error.value)


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "headers"
    file.write_text(f"Authorization: Bearer {SECRET}\n")
    file.chmod(0o644)
    with serving() as one:
        sides = f"http://{one}/items/1", f"http://{one}/items/1"
        done = wirelab("compare", *sides, "--headers-file", file, folder=tmp_path)

    assert done.returncode == ExitCode.NOT_READY
    assert f"chmod 600 {file}" in done.stderr
    assert SECRET not in done.stderr


def test_a_credential_that_ends_with_a_line_end_is_refused_and_not_repeated(
    tmp_path: Path,
) -> None:
    done = wirelab(
        *("compare", "a=http://localhost:1/", "b=http://localhost:2/", "--ci"),
        *("--header", "Authorization: Bearer ${API_TOKEN}"),
        folder=tmp_path,
        environment={**os.environ, "API_TOKEN": f"{SECRET}\r"},
    )

    assert done.returncode == ExitCode.NOT_READY
    for message in (done.stdout, done.stderr):
        words = " ".join(message.replace("\\", "").split())
        assert "API_TOKEN contains a" in words
        assert SECRET not in message


@pytest.mark.parametrize("source", ["environment", "file"])
def test_no_credential_is_in_anything_that_is_written(tmp_path: Path, source: str) -> None:
    """The server repeats it in answers and its log, and lets it expire during the measurement."""
    folder = tmp_path / "work"
    folder.mkdir()
    file = tmp_path / "headers"
    file.write_text(f"Authorization: Bearer {SECRET}\n")
    file.chmod(0o600)
    environment = {"TMPDIR": str(folder), "COLUMNS": "80"}
    if source == "environment":
        given = ["--header", "Authorization: Bearer ${API_TOKEN}"]
        environment["API_TOKEN"] = SECRET
    else:
        given = ["--headers-file", str(file)]
    with serving(f"token={SECRET}", "echo", "tell", "expires=150") as one:
        sides = f"a=http://{one}/items/7", f"b=http://{one}/items/7"
        done = wirelab_watched(
            *("compare", *sides, *given, "--output", "bundle", *QUICK),
            folder=folder,
            environment=environment,
            constants=TWO_BLOCKS,
        )

    assert done.returncode not in (0, 1), done.output
    assert "were sent: 401" in done.output
    assert SECRET not in done.output
    assert any("wirelab-load" in line for line in done.command_lines)
    assert not [line for line in done.command_lines if SECRET in line]
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert len(written) > 20
    assert not [path for path in written if SECRET.encode() in path.read_bytes()]

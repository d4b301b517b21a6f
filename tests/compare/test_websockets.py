"""Two WebSockets to a verdict: one message is sent to both, again and again."""

import json
from pathlib import Path

import pytest

from tests.compare.running import (
    BLOCKS,
    FEW_TURNS,
    QUICK,
    SHORT_BLOCKS,
    certificate,
    command_of,
    serving,
    wirelab,
)
from tests.support.requests import comparison_of, problems_of
from wirelab.bundle import Bundle
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify.servers.obstacles import Obstacle

SERVER = "websocket_server.py"
ITEM = '{"item": 7}'
SECRET = "correct-horse-battery-staple"


def test_two_addresses_to_a_verdict(tmp_path: Path) -> None:
    """The message is sent as it is written, and not its JSON in another spelling."""
    journal = tmp_path / "journal"
    with (
        serving(f"journal={journal}", program=SERVER) as fast,
        serving("slow=0.003", program=SERVER) as slow,
    ):
        done = wirelab(
            *("compare", f"old=ws://{fast}/socket", f"new=ws://{slow}/socket"),
            *("--data", ITEM, *QUICK, "--json"),
            folder=tmp_path,
            constants=SHORT_BLOCKS,
        )

    assert done.returncode == ExitCode.OK, done.stderr
    (comparison,) = json.loads(done.stdout)["comparisons"]
    assert {comparison["a"]["contender"], comparison["b"]["contender"]} == {"old", "new"}
    slower = comparison["a"]["contender"] == "new"
    ratio = comparison["comparison"]["ratio"]
    assert (ratio if slower else 1 / ratio) > 2
    assert comparison["verdict"]["outcome"] == ("slower" if slower else "faster")
    assert "sent many times" in done.stderr
    assert set(journal.read_text().splitlines()) == {ITEM}


def test_commands_that_wirelab_starts(tmp_path: Path) -> None:
    command = command_of(program=SERVER)
    done = wirelab(
        *("compare", f"a={command}", f"b={command}", "--path", "/socket", "--data", ITEM, *QUICK),
        folder=tmp_path,
    )

    assert done.returncode == ExitCode.OK, done.stderr
    assert ITEM in done.stdout
    assert f"{BLOCKS} blocks of" in done.stdout


def test_answers_that_differ_are_not_measured(tmp_path: Path) -> None:
    with serving(program=SERVER) as one, serving("wrong", program=SERVER) as other:
        sides = f"a=ws://{one}/socket", f"b=ws://{other}/socket"
        done = wirelab("compare", *sides, "--data", ITEM, *QUICK, folder=tmp_path)

    assert done.returncode == ExitCode.VERIFY_FAILED
    output = " ".join(done.stdout.split())
    assert "'item 7'" in output or '"item 7"' in output
    assert "ITEM 7" in output


@pytest.mark.parametrize(
    ("way", "path", "expected"),
    [
        ("closes", "/socket", "1008 not like this"),
        ("token=abcdef", "/socket", str(Obstacle(401))),
        ("", "/elsewhere", "a WebSocket at"),
        ("refuses", "/socket", 'a refuses the message: {"error": {"code": "not_found"'),
    ],
)
def test_the_cause_of_a_missing_answer_is_named(
    tmp_path: Path, way: str, path: str, expected: str
) -> None:
    with serving(way, program=SERVER) as one:
        sides = f"a=ws://{one}{path}", f"b=ws://{one}{path}"
        done = wirelab("compare", *sides, "--data", ITEM, *QUICK, folder=tmp_path)

    assert done.returncode == ExitCode.NOT_READY, done.stderr
    assert expected in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_credential_goes_into_the_handshake_over_tls(tmp_path: Path) -> None:
    """The message and the answer are no JSON."""
    both = certificate(tmp_path)
    with serving("text", f"token={SECRET}", f"tls={both}", program=SERVER) as one:
        sides = f"a=wss://{one}/socket", f"b=wss://{one}/socket"
        done = wirelab(
            *("compare", *sides, "--data", "{ping}", "--ca", both, *QUICK),
            *("--header", "Authorization: Bearer ${API_TOKEN}", "--output", "bundle"),
            folder=tmp_path,
            environment={"API_TOKEN": SECRET},
        )

    assert done.returncode == ExitCode.OK, done.stderr
    assert "{ping}" in done.stdout
    assert SECRET not in done.stdout + done.stderr
    written = [path for path in (tmp_path / "bundle").rglob("*") if path.is_file()]
    assert written
    assert not [path for path in written if SECRET.encode() in path.read_bytes()]


def test_a_message_that_writes_is_announced_before_it_is_sent(tmp_path: Path) -> None:
    resets, journal = tmp_path / "resets", tmp_path / "journal"
    with serving(f"journal={journal}", program=SERVER) as one:
        sides = f"a=ws://{one}/socket", f"b=ws://{one}/socket"
        reset = f"touch {journal}; test -e {resets} || cp {journal} {resets}"
        done = wirelab(
            *("compare", *sides, "--data", ITEM, "--allow-writes", "--reset", reset, *QUICK),
            folder=tmp_path,
        )

    assert done.returncode in (ExitCode.OK, ExitCode.FAULTS), done.stderr
    assert f"will write: message ({ITEM})" in " ".join(done.stderr.split())
    assert "changes nothing" not in done.stderr
    assert resets.read_text() == ""  # nothing was sent before the data were restored first
    assert set(journal.read_text().splitlines()) == {ITEM}


def test_the_capacity_of_a_websocket_is_searched_for(tmp_path: Path) -> None:
    """A trial judges rates from 10 requests a trial on."""
    with serving("slow=0.01", program=SERVER) as one:
        done = wirelab(
            *("capacity", f"a=ws://{one}/socket", "--data", ITEM, "--objective", "p90<500ms"),
            *("--connections", "4", "--blocks", "1", "--repeats", "1", "--trial", "0.2s"),
            *("--search", "4s", "--output", "bundle"),
            folder=tmp_path,
            constants=FEW_TURNS,
        )
    assert done.returncode in (ExitCode.OK, ExitCode.FAULTS), done.stderr
    (found, *_) = [
        run.capacity
        for block in Bundle.open(tmp_path / "bundle").block_records()
        for run in block.runs
        if run.capacity is not None
    ]

    assert any(trial.judged.good for trial in found.trials)


LIBRARY = ("library", "rest", "graphql")
HIDDEN = "(not shown, since it has a credential)"


@pytest.mark.parametrize(
    ("sides", "options", "place", "value"),
    [
        (("ws://h:1/", "ws://h:2/"), {}, "h-1", "ws://h:1"),
        (("ws://h:1/", "ws://h:2/"), {"data": ""}, "--data", ""),
        (("ws://h:1/", "ws://h:2/"), {"data": "x", "openapi": __file__}, "--data", "x"),
        (LIBRARY, {"data": "x"}, "--data", "x"),
        (LIBRARY, {"data": '{"token": "secret"}'}, "--data", HIDDEN),
    ],
)
def test_conflicting_options_are_reported(
    sides: tuple[str, ...], options: dict[str, str], place: str, value: str
) -> None:
    problems = problems_of(comparison_of, *sides, **options)

    assert (place, value) in [(each.where, each.value) for each in problems]


@pytest.mark.parametrize("sides", [("http://h:1/", "http://h:2/"), ("ws://h:1/", "http://h:2/")])
def test_a_message_needs_websockets(sides: tuple[str, ...]) -> None:
    (problem,) = problems_of(comparison_of, *sides, data="x")

    assert "http" in problem.where
    assert problem.hint


def test_a_credential_in_a_message_is_refused_and_not_repeated() -> None:
    data = json.dumps({"of": [{"api_token": SECRET}]})
    (problem,) = problems_of(comparison_of, "ws://h:1/", "ws://h:2/", data=data)

    assert (problem.where, problem.key) == ("--data", "api_token")
    assert SECRET not in str(problem)

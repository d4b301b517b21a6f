"""All mistakes of a command line are reported at once, and with the command's own."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from wirelab.cli import app, main
from wirelab.terminal.exit_codes import ExitCode

Mistakes = Callable[[str], list[str]]
HELP = "arguments and options"


@pytest.fixture
def mistakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Mistakes:
    """Return the errors of a command line that is refused, each with its hint."""
    monkeypatch.chdir(tmp_path)

    def found(line: str) -> list[str]:
        monkeypatch.setattr("sys.argv", ["wirelab", *shlex.split(line)])
        assert main() == ExitCode.BAD_INPUT
        printed = capsys.readouterr()
        assert printed.out == ""
        return printed.err.removeprefix("error: ").rstrip("\n").split("\nerror: ")

    return found


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "plan muppaneni --sede one --blocks x --quiet",
            [
                "no such option: --sede\nhint: did you mean '--seed'?",
                f"no such option: --quiet\nhint: `wirelab plan --help` shows {HELP}",
                "--seed is 'one'; expected a whole number",
                "--blocks is 'x'; expected a whole number",
            ],
        ),
        (
            "qualify --seconds 0.1 --rounds",
            [
                f"--rounds needs a value\nhint: `wirelab qualify --help` shows {HELP}",
                "--seconds is '0.1'; expected a number of at least 0.2",
            ],
        ),
        (
            "browse nix --port 99999",
            [
                "--port is '99999'; expected a whole number from 0 to 65535",
                "nix is 'no folder'; expected a folder of bundles (hint: give the folder with the"
                " bundles of `wirelab run`: wirelab browse FOLDER)",
            ],
        ),
        (
            "list all of --json=yes",
            [
                "--json is 'yes'; expected no value",
                f"unexpected arguments 'all' and 'of'\nhint: `wirelab list --help` shows {HELP}",
            ],
        ),
        (
            "capacity 'a=serve {port}' --objective p99<50ms --budget 0s --search 0s",
            [
                "no such option: --budget\nhint: `wirelab compare` has it;"
                f" `wirelab capacity --help` shows {HELP}",
                "--search is '0s'; expected a time above 0, such as 500ms, 90s or 2m",
            ],
        ),
        (
            "init own --openapi nix.yaml --csv nix.csv",
            [
                "--openapi is 'nix.yaml'; expected an existing file, or a URL",
                "--csv is 'nix.csv'; expected an existing file",
            ],
        ),
        (
            "compare a=http://localhost:1 b=http://localhost:2 --pid c=999999999",
            [
                "--pid: c is '999999999'; expected the id of a process on this machine",
                "--pid: no side 'c'; sides: a, b",
            ],
        ),
        (
            "--quiet pln",
            [
                f"no such option: --quiet\nhint: `wirelab --help` shows {HELP}",
                "no such command: pln\nhint: did you mean 'plan'?",
            ],
        ),
        (
            "--verison container --quiet base --nmae",
            [
                "no such option: --verison\nhint: did you mean '--version'?",
                f"no such option: --quiet\nhint: `wirelab container --help` shows {HELP}",
                "no such option: --nmae\nhint: did you mean '--name'?",
                f"--name needs a value\nhint: `wirelab container base --help` shows {HELP}",
            ],
        ),
        (
            "load --agents 0 --on b",
            [
                f"missing argument 'URL [OPTION]…'\nhint: `wirelab load --help` shows {HELP}",
                f"missing option '--cluster'\nhint: `wirelab load --help` shows {HELP}",
                "--agents is '0'; expected a whole number of at least 1",
                "--on names the machine for --start; expected --start with a command",
            ],
        ),
        (
            "report nix nox --study here",
            [
                "--study takes a single bundle",
                "cannot read the bundle nix: no such folder\n"
                "hint: give a folder that `wirelab run` or `wirelab compare` wrote",
                "cannot read the bundle nox: no such folder\n"
                "hint: give a folder that `wirelab run` or `wirelab compare` wrote",
            ],
        ),
    ],
)
def test_all_mistakes_are_reported_at_once(
    mistakes: Mistakes, line: str, expected: list[str]
) -> None:
    assert mistakes(line) == expected


@pytest.mark.parametrize(
    ("line", "starts"),
    [
        (
            "run kaminski-2022 --seed one --design smok --blocks 0 --output / --only rst",
            [
                "--seed is 'one'",
                "/ exists already",
                "--blocks is 0",
                "kaminski-2022: design is 'smok'",
                "--only is 'rst'",
            ],
        ),
        ("run kaminsky --blocks 0 --live-port x", ["--live-port is", "study is", "--blocks is"]),
        ("run --seed one", ["--seed is 'one'", "wirelab run: STUDY missing"]),
        (
            "verify games --seed one --environment ntive --store own --only rst",
            ["--seed is 'one'", "--store is 'own'", "--environment is 'ntive'", "--only is 'rst'"],
        ),
        ("verify --seed one", ["missing argument 'DOMAIN'", "--seed is 'one'"]),
        (
            "compare --clients few --clients=none --rate 0 --quiet",
            [
                "no such option: --quiet",
                "missing argument 'A B…'",
                "--clients is 'none'; expected a whole number",
                "--rate is 0.0",
            ],
        ),
        (
            "capacity --blocks x --trial 5",
            ["missing argument 'A…'", "missing option '--objective'", "--blocks is", "--trial is"],
        ),
        ("capacity a --objectiv p99", ["no such option", "--objective is 'p99'", "a is neither"]),
        (
            "compare 'a=serve {port}' --budget soon --clients many --margin 5% --seed 1.5",
            [
                "--clients is 'many'; expected a whole number",
                "--margin is '5%'; expected a number",
                "--seed is '1.5'; expected a whole number",
                "--budget is 'soon'",
                "a comparison takes at least two sides, and the only side is 'a'",
            ],
        ),
        (
            "capacity 'a=serve {port}' --objective p99<50ms --search soon --repeats ''",
            ["--repeats is ''; expected a whole number", "--search is 'soon'"],
        ),
        ("init --seed one", ["missing argument 'NAME'", "--seed is 'one'", "no description of"]),
    ],
)
def test_the_mistakes_that_a_command_finds_itself_are_among_them(
    mistakes: Mistakes, line: str, starts: list[str]
) -> None:
    found = mistakes(line)

    assert [each[: len(start)] for each, start in zip(found, starts, strict=True)] == starts


@pytest.mark.parametrize("line", ["plan --quiet kaminsky", "plan kaminsky --threads 3"])
def test_what_follows_an_unknown_option_is_an_argument_only_if_no_other_is_given(
    mistakes: Mistakes, line: str
) -> None:
    unknown, study = sorted(mistakes(line))

    assert unknown.startswith("no such option: --")
    assert study.startswith("study is 'kaminsky'")


def test_a_misspelt_option_for_help_does_not_hide_that_it_is_unknown(mistakes: Mistakes) -> None:
    assert mistakes("list --hlep") == ["no such option: --hlep\nhint: did you mean '--help'?"]


def test_the_options_of_the_engine_are_passed_on(mistakes: Mistakes) -> None:
    (found,) = mistakes("load --cluster auto http://127.0.0.1:1/ --rate 5 --on b")

    assert found == "--on names the machine for --start; expected --start with a command"


def test_negative_numbers_are_values(mistakes: Mistakes) -> None:
    study, blocks = mistakes("plan kaminsky --seed -1 --blocks -5")

    assert study.startswith("study is 'kaminsky'")
    assert blocks.startswith("--blocks is -5")


def test_no_command_is_called_with_an_unknown_option(mistakes: Mistakes) -> None:
    names = [command.name for command in app.registered_commands]
    assert "run" in names
    for name in names:
        if name != "load":  # which passes them on
            assert mistakes(f"{name} --quiet")[0].startswith("no such option: --quiet")

"""Programs that commands of contender.toml name are checked before anything is built or started."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.wording import raises_worded
from wirelab.inputs.problems import ProblemsError
from wirelab.lab.contenders.build import build, require_programs
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.contender_file import Build
from wirelab.lab.contenders.service import Service
from wirelab.lab.environments.kinds import ENVIRONMENTS
from wirelab.lab.errors import BuildError, ContenderError

MakeContender = Callable[..., Contender]
COPYING = Build(commands=(("cp", "server.py", "{build}/server.py"),))


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> None:
    """Put a folder with one program on PATH, behind a folder that does not exist."""
    folder = tmp_path / "programs"
    folder.mkdir()
    executable(folder / "uvicorn")
    monkeypatch.setenv("PATH", f"{tmp_path}/no-folder:{folder}:/bin:/usr/bin")


def executable(file: Path, first_line: str = "#!/bin/sh") -> None:
    file.write_text(f"{first_line}\n")
    file.chmod(0o755)


def assert_missing(contender: Contender) -> None:
    """Look at the only problem, which names the file."""
    with raises_worded(ProblemsError) as caught:
        require_programs([contender])
    (problem,) = caught.value.problems
    assert problem.where == str(contender.folder / "contender.toml")


def test_a_script_that_does_not_exist_is_a_mistake(make_contender: MakeContender) -> None:
    assert_missing(replace(make_contender(""), command=("{python}", "-u", "sever.py", "{port}")))


@pytest.mark.parametrize("words", [("-m", "server"), ("{build}/made.py",), ("server.py",)])
def test_an_argument_that_need_not_be_a_file_of_the_stack_is_none(
    make_contender: MakeContender, words: tuple[str, ...]
) -> None:
    assert require_programs([replace(make_contender(""), command=("{python}", *words))]) == []


@pytest.mark.parametrize(
    "word",
    [
        "uvicron",
        "qqqqqqqqq",
        "server.py",
        "./sever.py",
        "{folder}/server.py",
        "/usr",
        "{build}/server",
        "./broken",
    ],
)
def test_a_program_that_does_not_exist_is_a_mistake(
    make_contender: MakeContender, word: str
) -> None:
    contender = replace(make_contender(""), command=(word, "--port", "{port}"))
    executable(contender.folder / "broken", "#!/no/python -I")

    assert_missing(contender)


@pytest.mark.parametrize(
    "word", ["{python}", "uvicorn", "./run", "{folder}/run", "/bin/sh", "server-{cores}", "run"]
)
def test_a_program_that_exists_is_none(make_contender: MakeContender, word: str) -> None:
    contender = make_contender("", environment={"PATH": "{folder}:/bin"})
    if word == "uvicorn":
        contender = make_contender("")
    executable(contender.folder / "run")

    assert require_programs([replace(contender, command=(word,))]) == []


def test_the_folder_of_a_relative_program_is_the_working_folder(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    executable(tmp_path / "run")

    contender = replace(make_contender(""), command=("./run",), working_folder=tmp_path)

    assert require_programs([contender]) == []


def test_build_commands_and_services_are_checked_and_each_mistake_is_reported_once(
    make_contender: MakeContender,
) -> None:
    first = make_contender("", build=Build(commands=(("uvv", "venv"),)))
    called = Service(command=("no-such-service",))
    second = replace(make_contender(""), services={"items": called, "entry": Service()})

    with pytest.raises(ProblemsError) as caught:
        require_programs([first, replace(first, id="another"), second])

    assert [(it.key, it.value) for it in caught.value.problems] == [
        ("build.commands.0", "uvv"),
        ("contender.rest-made-up.service.items.command", "no-such-service"),
    ]


def test_contenders_that_will_be_skipped_are_not_checked(make_contender: MakeContender) -> None:
    lacking = replace(make_contender("", requires=("no-such-node",)), command=("no-such-node",))
    external = replace(
        make_contender("", build=Build(commands=(("no-such-node",),))),
        command=(),
        address="NO_SUCH_VARIABLE",
    )

    assert require_programs([lacking, external]) == []


def test_a_program_that_the_build_may_install_is_checked_after_it(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    contender = replace(make_contender("", build=COPYING), command=("uvicron",))

    (warning,) = require_programs([contender])
    with raises_worded(ContenderError) as caught:
        ENVIRONMENTS["native"].build(contender, tmp_path / "log")
    assert warning.startswith(f"{caught.value}, unless ")


def test_a_program_that_the_build_lacks_is_named_after_it_and_before_the_next_start(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    contender = replace(make_contender("", build=COPYING), command=("{build}/sever.py",))
    assert require_programs([contender]) == []

    with raises_worded(ContenderError):
        ENVIRONMENTS["native"].build(contender, tmp_path / "log")
    assert_missing(contender)


def test_a_later_build_command_is_named_when_it_is_its_turn(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    recipe = Build(commands=(*COPYING.commands, ("uvicron", "--version")))
    contender = make_contender("", build=recipe)

    (warning,) = require_programs([contender])
    with raises_worded(BuildError) as caught:
        build(contender, tmp_path / "log")

    assert warning.startswith(str(caught.value))

"""A build is made once, whole, and says what went wrong."""

import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.support.wording import raises_worded
from wirelab.errors import MissingProgramError
from wirelab.installation.build_cache import build_once, content_hash
from wirelab.lab.contenders.build import build
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.contender_file import Build
from wirelab.lab.errors import BuildError

MakeContender = Callable[..., Contender]
pytestmark = pytest.mark.usefixtures("own_cache")


def made_of(
    *shell: str,
    inputs: tuple[str, ...] = (),
    versions: str = "true",
    environment: Mapping[str, str] | None = None,
) -> Build:
    return Build(
        inputs=inputs,
        commands=tuple(("sh", "-c", line) for line in shell),
        versions=("sh", "-c", versions),
        environment=environment or {},
    )


def test_an_input_is_built_once(
    own_cache: Path, make_contender: MakeContender, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    contender = make_contender("", build=made_of("echo made; touch {build}/done"))

    first = build(contender, log)
    second = build(contender, log)

    assert first.folder == second.folder == own_cache / "builds" / first.folder.name
    assert (first.folder / "done").exists()
    assert log.read_text().splitlines().count("made") == 1


def test_a_changed_input_is_built_again(make_contender: MakeContender, tmp_path: Path) -> None:
    recipe = made_of("true", inputs=("server.py",))

    before = build(make_contender("one = 1", build=recipe), tmp_path / "log")
    after = build(make_contender("two = 2", build=recipe), tmp_path / "log")

    assert before.folder != after.folder


def test_commands_and_versions_get_the_environment_of_the_build(
    make_contender: MakeContender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MADE_UP_FLAGS", "inherited")
    monkeypatch.setenv("MADE_UP_OTHER", "inherited, too")
    recipe = made_of(
        "echo $MADE_UP_FLAGS, $MADE_UP_OTHER, $MADE_UP_FOLDER",
        versions="echo flags $MADE_UP_FLAGS",
        environment={"MADE_UP_FLAGS": "declared", "MADE_UP_FOLDER": "{build}/here"},
    )

    built = build(make_contender("", build=recipe), tmp_path / "log")
    other = made_of(*(words[2] for words in recipe.commands), versions="echo flags $MADE_UP_FLAGS")

    (line,) = [it for it in (tmp_path / "log").read_text().splitlines() if it.endswith("/here")]
    assert line.startswith("declared, inherited, too, ")
    assert built.versions == {"flags": "declared"}
    again = build(make_contender("", build=other), tmp_path / "log")
    assert again.folder != built.folder  # another environment is another build
    assert again.versions == {"flags": "inherited"}


def test_a_failing_command_shows_its_last_lines(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    contender = make_contender("", build=made_of("seq 100; echo no compiler >&2; exit 3"))

    with raises_worded(BuildError) as raised:
        build(contender, tmp_path / "log")

    assert "  | no compiler" in str(raised.value)
    assert "  | 81\n" not in str(raised.value)  # only the end of the log belongs in the message


def test_a_failed_build_is_repeated(make_contender: MakeContender, tmp_path: Path) -> None:
    switch = tmp_path / "switch"
    recipe = made_of(f"test ! -e {{build}}/left && touch {{build}}/left && test -e {switch}")
    contender = make_contender("", build=recipe)
    with pytest.raises(BuildError):
        build(contender, tmp_path / "log")

    switch.touch()

    assert (build(contender, tmp_path / "log").folder / "left").exists()


def test_versions_are_read_whatever_the_tool(make_contender: MakeContender, tmp_path: Path) -> None:
    lines = r"printf 'Flask-Sock==0.7.0\nexample.org/chi v5.3.2\nfastify@5.12.8\nno version here\n'"
    contender = make_contender(
        "", build=made_of(versions=lines), packages=("flask_sock", "fastify")
    )

    built = build(contender, tmp_path / "log")

    assert built.versions["example.org/chi"] == "5.3.2"
    assert built.named_versions() == {"flask_sock": "0.7.0", "fastify": "5.12.8"}


@pytest.mark.parametrize("packages", [("fastify", "flask-sokc"), ("express", "koa")])
def test_a_package_that_the_build_does_not_have_is_named_with_its_file(
    make_contender: MakeContender, tmp_path: Path, packages: tuple[str, ...]
) -> None:
    lines = r"printf 'Flask-Sock==0.7.0\nfastify@5.12.8\n'"
    contender = make_contender("", build=made_of(versions=lines), packages=packages)

    with raises_worded(BuildError):
        build(contender, tmp_path / "log").named_versions()


def test_missing_programs_are_named(make_contender: MakeContender, tmp_path: Path) -> None:
    contender = make_contender("", requires=("sh", "no-such-java", "no-such-maven"))

    with raises_worded(MissingProgramError):
        build(contender, tmp_path / "log")


def test_two_laboratories_share_one_build(
    laboratory: Callable[[str], list[str]], tmp_path: Path
) -> None:
    made = tmp_path / "made"
    program = f"""
        from wirelab.installation.build_cache import build_once
        def make(folder):
            with Path({str(made)!r}).open("a") as file:
                file.write("x")
            time.sleep(0.5)
        build_once("shared", "key", make)
    """
    both = [subprocess.Popen(laboratory(program)) for _ in range(2)]

    assert [one.wait(20) for one in both] == [0, 0]
    assert made.read_text() == "x"


def test_the_build_of_a_killed_laboratory_is_repeated(
    own_cache: Path, laboratory: Callable[[str], list[str]]
) -> None:
    program = """
        from wirelab.installation.build_cache import build_once
        def make(folder):
            (folder / "half").touch()
            time.sleep(300)
        build_once("cut", "key", make)
    """
    half = own_cache / "builds" / "cut-key" / "half"
    with subprocess.Popen(laboratory(program)) as killed:
        while not half.exists():
            time.sleep(0.01)
        killed.kill()

    folder = build_once("cut", "key", lambda folder: (folder / "whole").touch())

    assert (folder / "whole").exists()
    assert not half.exists()


def test_the_hash_depends_on_where_one_part_ends(tmp_path: Path) -> None:
    assert content_hash([], "ab", "c") != content_hash([], "a", "bc")

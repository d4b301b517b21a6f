"""How a bundle is resumed: with the data and the stores that it was started with."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path

from wirelab.bundle import Bundle
from wirelab.inputs.problems import ProblemsError, add_problem, collected_problems
from wirelab.terminal import words
from wirelab.terminal.console import note

SOURCES = ("--store", "--data")
"""The options of `run` that determine where answers come from. The bundle does not contain these
data, so the options must be repeated."""


def how_to_resume(bundle: Path) -> str:
    """Return the command that resumes a bundle."""
    typed = [
        word
        for option, value in sources_in(Bundle.open(bundle).info.command)
        for word in (option, value)
    ]
    return words.command("wirelab", "run", "--resume", bundle, *typed)


def after_interruption(bundle: Path, *, can_resume: bool = True) -> str:
    """Say how to continue after an interruption, if that can be."""
    if not can_resume:
        return f"interrupted; the completed measurements are in {bundle}"
    return f"interrupted; continue with: {how_to_resume(bundle)}"


@contextmanager
def saying_how_to_resume(bundle: Path, *, can_resume: bool = True) -> Iterator[None]:
    """Print how to continue if measuring fails, for example because the disk is full."""
    try:
        yield
    except ProblemsError:
        raise
    except Exception:
        if can_resume and (bundle / "bundle.json").is_file():
            command = how_to_resume(bundle)
            note(f"{bundle} contains the completed measurements; continue with: {command}")
        raise


def require_same_sources(bundle: Path, stores: Mapping[str, str], data: Path | None) -> None:
    """Refuse to resume a bundle with other sources of data, which would mix two experiments.

    A store may have moved to another address, and a file to another folder. Raises `ProblemsError`.
    """
    begun = sources_in(Bundle.open(bundle).info.command)
    before = {
        option if option == "--data" else f"--store {_kind(url)}": url for option, url in begun
    }
    now = {f"--store {kind}": kind for kind in stores}
    if data is not None:
        now["--data"] = str(data)
    with collected_problems():
        for option in sorted(before.keys() - now.keys()):
            expected = f"{before[option]}, with which the bundle was started"
            add_problem("wirelab run", option, None, expected)
        for option in sorted(now.keys() - before.keys()):
            expected = "none, since the bundle was started without it"
            add_problem("wirelab run", option, now[option], expected)


def sources_in(command: Sequence[str]) -> list[tuple[str, str]]:
    """Return `SOURCES` of a recorded command with their values, in order."""
    sources = []
    for word, following in zip_longest(command, command[1:], fillvalue=""):
        option, equals, value = word.partition("=")
        if option in SOURCES:
            sources.append((option, value if equals else following))
    return sources


def _kind(written: str) -> str:
    return written.partition("=")[0]

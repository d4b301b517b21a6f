"""A program on PATH, and whether its version suffices."""

from pathlib import Path

import pytest

from tests.support.wording import assert_worded
from wirelab.lab.contenders import requirement


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH, with programs that print versions."""
    requirement._version_text.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    answers = {
        "java": "openjdk 17.0.15 2025-04-15\nOpenJDK Runtime Environment (build 17.0.15+6)",
        "node": "v24.1.0",
        "mute": "",
    }
    for name, answer in answers.items():
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{answer}'\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize(
    ("needed", "met"),
    [
        ("java", True),
        ("java>=17", True),
        ("java>=17.0.2", True),
        ("java>=17.1", False),
        ("java>=21", False),
        ("node>=9", True),
        ("mute", True),
        ("mute>=1", False),
        ("nothing", False),
        ("nothing>=1", False),
    ],
)
def test_versions_are_compared_as_numbers(needed: str, met: bool) -> None:
    assert (requirement.why_unmet(needed) == "") is met


def test_a_program_of_a_lower_version_is_named_with_its_path(programs: Path) -> None:
    assert_worded(requirement.why_unmet("java>=21"))
    assert requirement.remedy("java>=21") == "java 21 or newer"


def test_a_missing_program_is_not_called_too_old(programs: Path) -> None:
    assert_worded(requirement.why_unmet("nothing>=1"))
    assert_worded(requirement.why_unmet("mute>=1"))


@pytest.mark.usefixtures("programs")
def test_a_version_matters_only_where_one_is_required() -> None:
    assert "17.0.15+6" in requirement.version("java>=17")
    assert requirement.version("java") == ""

"""Where our own programs and folders are."""

import sys
from pathlib import Path

import pytest

from tests.support.wording import raises_worded
from wirelab.errors import LabError, MissingProgramError
from wirelab.installation.programs import cache_folder, find_program, project_root


def program(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_programs_beside_the_interpreter_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = program(tmp_path / "scripts", "wirelab-x")
    on_path = program(tmp_path / "elsewhere", "wirelab-x")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "scripts" / "python"))
    monkeypatch.setenv("PATH", str(on_path.parent))

    assert find_program("wirelab-x") == beside
    beside.unlink()
    assert find_program("wirelab-x") == on_path


def test_the_error_for_a_missing_program_states_how_to_get_it() -> None:
    with raises_worded(MissingProgramError) as raised:
        find_program("wirelab-none")

    assert "make setup" in raised.value.hint


def test_this_checkout_is_found() -> None:
    root = project_root()

    assert root is not None
    assert (root / "stores" / "ferretdb" / "go.mod").is_file()


def test_the_cache_folder_can_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIRELAB_CACHE", str(tmp_path / "a" / "b"))

    assert cache_folder() == tmp_path / "a" / "b"
    assert cache_folder().is_dir()


def test_the_error_for_a_cache_that_cannot_be_created_names_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("WIRELAB_CACHE", str(tmp_path / "file" / "cache"))

    with pytest.raises(LabError, match="set WIRELAB_CACHE"):
        cache_folder()

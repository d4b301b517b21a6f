"""Logs stay where a message may name them, and only there."""

from pathlib import Path
from shutil import rmtree

import pytest

from wirelab.commands.logs import log_folder


def test_logs_are_removed_after_success() -> None:
    with log_folder("wirelab-test-") as logs:
        (logs.path / "log").write_text("building\n")
    assert not logs.path.exists()


def test_only_logs_that_a_message_names_stay() -> None:
    with log_folder("wirelab-test-") as logs:
        named, other = logs.path / "named" / "log", logs.path / "other" / "state"
        for file in (named, other):
            file.parent.mkdir()
            file.touch()
        logs.messages.append(f"it ended; the end of {named}:")
    assert [each for each in logs.path.rglob("*") if each.is_file()] == [named]
    assert not other.parent.exists()
    rmtree(logs.path)


def failing() -> None:
    with log_folder("wirelab-test-") as logs:
        (logs.path / "domain").mkdir()
        for name in ("log", "other", "domain/domain.toml"):
            (logs.path / name).touch()
        raise ValueError(f"the end of {logs.path / 'log'}:")


def interrupted(seen: list[Path]) -> None:
    with log_folder("wirelab-test-") as logs:
        seen.append(logs.path)
        raise KeyboardInterrupt


def test_only_logs_that_an_error_names_stay() -> None:
    with pytest.raises(ValueError, match="the end of") as error:
        failing()
    log = Path(str(error.value).removeprefix("the end of ").removesuffix(":"))
    assert list(log.parent.iterdir()) == [log]
    log.unlink()
    log.parent.rmdir()


def test_logs_are_removed_after_an_interruption() -> None:
    seen: list[Path] = []
    with pytest.raises(KeyboardInterrupt):
        interrupted(seen)
    assert not seen[0].exists()

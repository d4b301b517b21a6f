"""Logs stay where a message may quote them, and only there."""

from pathlib import Path
from shutil import rmtree

import pytest

from wirelab.commands.logs import log_folder
from wirelab.errors import LabError, Log


def test_logs_are_removed_after_success() -> None:
    with log_folder("wirelab-test-") as logs:
        (logs.path / "log").write_text("building\n")
    assert not logs.path.exists()


def test_only_logs_that_a_message_quotes_stay() -> None:
    with log_folder("wirelab-test-") as logs:
        quoted, other = logs.path / "quoted" / "log", logs.path / "other" / "state"
        for file in (quoted, other):
            file.parent.mkdir()
            file.touch()
        logs.kept += [None, Log(str(quoted))]
    assert [each for each in logs.path.rglob("*") if each.is_file()] == [quoted]
    assert not other.parent.exists()
    rmtree(logs.path)


def failing(seen: list[Path], error: BaseException | None = None) -> None:
    with log_folder("wirelab-test-") as logs:
        seen.append(logs.path)
        (logs.path / "domain").mkdir()
        for name in ("log", "other", "domain/domain.toml"):
            (logs.path / name).touch()
        raise error or LabError("it ended", log=Log(str(logs.path / "log")))


def test_only_the_log_that_an_error_quotes_stays() -> None:
    seen: list[Path] = []
    with pytest.raises(LabError):
        failing(seen)
    assert list(seen[0].iterdir()) == [seen[0] / "log"]
    rmtree(seen[0])


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("a defect")])
def test_logs_are_removed_after_an_interruption_or_a_defect(error: BaseException) -> None:
    seen: list[Path] = []
    with pytest.raises(type(error)):
        failing(seen, error)
    assert not seen[0].exists()

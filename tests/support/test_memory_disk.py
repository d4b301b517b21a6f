"""Temporary files of tests are in memory only if nobody chose a folder, and there is room."""

import os
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support import memory_disk
from tests.support.memory_disk import use_memory


def chosen(monkeypatch: pytest.MonkeyPatch) -> str | None:
    """Return the folder for temporary files that is chosen if none was."""
    monkeypatch.setattr(tempfile, "tempdir", tempfile.tempdir)
    monkeypatch.setenv("TMPDIR", "")  # so that it is restored
    monkeypatch.delenv("TMPDIR")
    use_memory()
    return os.environ.get("TMPDIR")


def test_a_folder_that_somebody_chose_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/somewhere")

    use_memory()

    assert os.environ["TMPDIR"] == "/somewhere"


def test_too_little_room_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_disk, "LEAST_FREE_BYTES", 1 << 62)

    assert chosen(monkeypatch) is None


def test_a_folder_on_a_disk_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(memory_disk, "MEMORY", tmp_path)

    assert chosen(monkeypatch) is None


@pytest.mark.parametrize(
    ("options", "is_used"),
    [("rw,relatime", True), ("rw,nosuid,nodev,noexec", False), ("ro", False)],
)
def test_memory_with_room_is_used_if_programs_in_it_can_be_executed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: str, is_used: bool
) -> None:
    mounted = SimpleNamespace(mountpoint=str(tmp_path), fstype="tmpfs", opts=options)
    monkeypatch.setattr("psutil.disk_partitions", lambda *, all: [mounted])  # noqa: A006
    monkeypatch.setattr(memory_disk, "MEMORY", tmp_path)
    monkeypatch.setattr(memory_disk, "LEAST_FREE_BYTES", 0)

    assert chosen(monkeypatch) == (str(tmp_path) if is_used else None)

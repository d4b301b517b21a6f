"""Logs stay where a message may name them, and only there."""

from wirelab.commands.logs import log_folder


def test_they_are_gone_when_all_went_well() -> None:
    with log_folder("wirelab-test-") as logs:
        (logs.path / "log").write_text("building\n")
    assert not logs.path.exists()


def test_they_stay_when_a_message_names_them() -> None:
    with log_folder("wirelab-test-") as logs:
        logs.kept = True
    assert logs.path.is_dir()
    logs.path.rmdir()


def test_they_stay_after_an_error() -> None:
    logs = log_folder("wirelab-test-")
    folder = logs.__enter__()
    assert not logs.__exit__(ValueError, ValueError("no such mirror"), None)
    assert folder.path.is_dir()
    folder.path.rmdir()

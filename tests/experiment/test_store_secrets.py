"""The password of a store is in nothing that a study writes, prints, or shows in process lists."""

import stat
from pathlib import Path

import psycopg

from tests.support.command_lines import wirelab_watched
from tests.support.worlds import copy_world
from wirelab.lab.stores.postgresql_server import start_postgresql
from wirelab.terminal.exit_codes import ExitCode

SECRET = "correct-horse-battery-staple"


def test_no_password_of_a_store_is_in_anything_that_is_written(tmp_path: Path) -> None:
    """What is written of contenders that are compared, and of one that fails."""
    work = tmp_path / "work"
    work.mkdir()
    study = copy_world(work)
    with start_postgresql(log_path=tmp_path / "postgresql.log") as server:
        with psycopg.connect(server.server_url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE measurer SUPERUSER LOGIN PASSWORD '{SECRET}'")
        address = server.server_url.rpartition("@")[2]
        url = tmp_path / "url"
        url.write_text(f"postgresql://measurer:{SECRET}@{address}\n")
        url.chmod(0o600)
        done = wirelab_watched(
            *("run", study, "--design", "smoke", "--output", work / "bundle"),
            *("--only", "good,steady,dying", "--store", f"postgresql=@{url}"),
            folder=work,
            environment={"TMPDIR": str(work), "COLUMNS": "80"},
        )

    assert done.returncode == ExitCode.FAULTS, done.output
    assert SECRET not in done.output
    assert any("wirelab-load" in line for line in done.command_lines)
    assert not [line for line in done.command_lines if SECRET in line]
    written = [path for path in work.rglob("*") if path.is_file()]
    assert len(written) > 20
    assert not [path for path in written if SECRET.encode() in path.read_bytes()]
    folder_mode = stat.S_IMODE((work / "bundle").stat().st_mode)
    assert folder_mode == 0o700
    open_to_others = [
        path
        for path in (work / "bundle").rglob("*")
        if path.is_file() and stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    assert open_to_others == []

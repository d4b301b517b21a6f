"""What the CPUs did, and what was taken from them."""

from pathlib import Path

from wirelab.measure.system_time import SystemTime, read_system_time

BEFORE = """\
cpu  999 999 999 999 999 999 999 999 999 999
cpu0 100 10 50 800 20 5 15 0 40 0
cpu1 0 0 0 1000 0 0 0 0 0 0
cpu10 7 7 7 7 7 7 7 7 7 7
intr 1 2 3
"""
AFTER = BEFORE.replace("100 10 50 800 20 5 15 0 40 0", "150 10 60 810 30 5 15 20 60 0")


def test_only_the_named_cpus_count(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text(BEFORE)

    assert read_system_time([0], tmp_path) == SystemTime(
        total_us=10_000_000, busy_us=1_800_000, steal_us=0
    )
    assert read_system_time([0, 1], tmp_path).total_us == 20_000_000


def test_the_share_that_was_stolen(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text(BEFORE)
    before = read_system_time([0], tmp_path)
    (tmp_path / "stat").write_text(AFTER)

    window = read_system_time([0], tmp_path) - before

    assert window == SystemTime(total_us=1_000_000, busy_us=600_000, steal_us=200_000)
    assert window.steal_share == 0.2
    assert SystemTime(0, 0, 0).steal_share == 0.0


def test_this_machine() -> None:
    now = read_system_time([0])

    assert 0 < now.busy_us < now.total_us

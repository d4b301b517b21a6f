"""Small bundles for tests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wirelab.bundle import (
    Bundle,
    BundleInfo,
    ContenderRecord,
    RoleUsage,
    RunRecord,
)
from wirelab.schedule import Run, Schedule
from wirelab.study import Cell


def schedule_of(runs: int) -> Schedule:
    """Return that many runs of one cell, one a block."""
    cell = Cell("rest-flask", "fetch_one", "postgresql", "native", "sequential")
    planned = tuple(Run(f"run-{index}", index + 1, 1, cell, seed=index) for index in range(runs))
    return Schedule("smoke", 1, runs, planned, skipped=(), estimated_seconds=1.0)


def create(folder: Path, runs: int, study_files: Mapping[str, Path] | None = None) -> Bundle:
    """Make a bundle of `runs` planned runs."""
    sources = folder.parent if study_files is None else None
    if sources is not None:
        source = folder.parent / f"{folder.name}-sources"
        source.mkdir(parents=True, exist_ok=True)
        (source / "study.toml").write_text("id = 'sample'\n")
        (source / "contender.toml").write_text("stack = 'python'\n")
        study_files = {"study.toml": source / "study.toml"}
        domain_files = {"contenders/python/contender.toml": source / "contender.toml"}
    else:
        domain_files = {}
    return Bundle.create(
        folder,
        info=BundleInfo(
            id="sample-1",
            study="sample",
            design="smoke",
            seed=1,
            created_utc="2026-11-20T10:00:00Z",
            wirelab_version="0.1.0",
            command=("wirelab", "run", "sample"),
        ),
        schedule=schedule_of(runs),
        contenders={
            "rest-flask": ContenderRecord(
                title="REST, Flask",
                protocol="rest",
                stack="python",
                settings={"workers": 1},
                versions={"native": {"flask": "3.1.0"}},
            )
        },
        host={"cpu": "test"},
        study_files=study_files or {},
        domain_files=domain_files,
    )


def record_of(run: Run, **changes: Any) -> RunRecord:
    """Return the record of a valid run, with changes."""
    values: dict[str, Any] = {
        "run": run,
        "status": "valid",
        "started_utc": "2026-11-20T10:00:00Z",
        "finished_utc": "2026-11-20T10:00:05Z",
        "start_s": 0.5,
        "roles": {"contender": RoleUsage(cpu_us=1000.0, cpu_us_per_transaction=1.0)},
    }
    return RunRecord(**(values | changes))

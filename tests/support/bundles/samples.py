"""Small bundles for tests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wirelab.bundle import (
    BlockRecord,
    Bundle,
    BundleInfo,
    ContenderRecord,
    RoleUsage,
    RunRecord,
    SessionRecord,
)
from wirelab.planning.schedule import Block, Run, Schedule
from wirelab.study import Cell


def schedule_of(blocks: int) -> Schedule:
    """Return that many blocks, each of one run of the same cell."""
    cell = Cell("rest-flask", "fetch_one", "postgresql", "native", "sequential")
    planned = tuple(
        Block(
            id=f"block-{number}",
            number=number,
            position=1,
            group="fetch_one",
            runs=(Run(f"run-{number}", number, cell),),
            seed=number,
        )
        for number in range(1, blocks + 1)
    )
    return Schedule("smoke", 1, planned, skipped=(), estimated_seconds=1.0)


def create(folder: Path, blocks: int, study_files: Mapping[str, Path] | None = None) -> Bundle:
    """Make a bundle with this number of planned blocks."""
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
            domain="games",
            design="smoke",
            seed=1,
            created_utc="2026-11-20T10:00:00Z",
            wirelab_version="0.1.0",
            command=("wirelab", "run", "sample"),
        ),
        schedule=schedule_of(blocks),
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


def record_of(block: Block, *, attempt: int = 1, **changes: Any) -> BlockRecord:
    """Return the record of a block whose run is valid, with changes of that run."""
    values: dict[str, Any] = {
        "run": block.runs[0],
        "status": "valid",
        "start_s": 0.5,
        "roles": {"contender": RoleUsage(cpu_us=1000.0, cpu_us_per_transaction=1.0)},
    }
    return BlockRecord(
        block=block,
        attempt=attempt,
        started_utc="2026-11-20T10:00:00.000+00:00",
        finished_utc="2026-11-20T10:00:05.000+00:00",
        runs=(RunRecord(**(values | changes)),),
        sessions=(SessionRecord(permutations=30, slice_seconds=0.05),),
    )


def sealed_bundle(folder: Path) -> Bundle:
    """Write a bundle of one block, and seal it."""
    bundle = create(folder, blocks=1)
    bundle.record_block(record_of(bundle.schedule.blocks[0]))
    bundle.seal()
    bundle.close()
    return Bundle.open(folder)

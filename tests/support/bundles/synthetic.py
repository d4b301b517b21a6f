"""Bundles that no machine measured: a seeded model writes them, for the tests of the report only.

Every synthetic bundle says so in its host description and its id. The numbers are plausible
(protocol costs, run-to-run noise, a drift over the session, heavy tails) so that all parts of the
report have something to show; they mean nothing.
"""

import itertools
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wirelab.bundle import (
    SLICES,
    BlockRecord,
    Bundle,
    BundleInfo,
    PilotRecord,
    RunRecord,
    WireRecord,
)
from wirelab.planning.schedule import schedule
from wirelab.study import OpenLoad, load_study

from .circumstances import QUIET, Circumstances
from .fabrication import Fabrication
from .models import MODELS, SIZES, STUDY, WORKLOADS, Model


def write_bundle(
    folder: Path,
    *,
    blocks: int = 6,
    requests: int = 2000,
    seed: int = 7,
    workloads: Sequence[str] = WORKLOADS,
    environments: Sequence[str] = ("native",),
    stores: Sequence[str] = (),
    invalid: int = 0,
    design: str = "lab",
    models: Mapping[str, Model] = MODELS,
    path: Path = STUDY,
    loads: Sequence[str] = (),
    permutations: int = 20,
    happens: Circumstances = QUIET,
) -> Bundle:
    """Fabricate a complete bundle; `invalid` of its runs break a rule and are marked so.

    `requests` of a run are spread evenly over its permutations, where the design has slices.
    """
    random = np.random.default_rng(seed)
    study = load_study(path)
    absent = set(study.environments) - set(environments)
    planned = schedule(
        study,
        design,
        seed,
        [*models, *workloads, *stores, *loads],
        unavailable=dict.fromkeys(absent, "no container engine was found"),
        blocks=blocks,
    )
    bundle = Bundle.create(
        folder,
        info=BundleInfo(
            id=f"synthetic-{seed}",
            study=study.id,
            domain=study.domain,
            design=design,
            seed=seed,
            created_utc="2026-11-20T09:00:00Z",
            wirelab_version="0.1.0",
            command=(
                *("wirelab", "run", study.id, "--output", "/somewhere/else"),
                *("--design", design, "--seed", str(seed)),
            ),
        ),
        schedule=planned,
        contenders={name: model.record for name, model in models.items()},
        host={
            "synthetic": True,
            "cpu": "fabricated for tests, not measured",
            "cores": 2,
            "memory_bytes": 8 * 2**30,
            "kernel": "Linux 6.1",
            "python": "3.11.7",
            "postgresql": "18.0",
        },
        study_files=study.files,
        domain_files={},
    )
    with bundle:
        bundle.set_status("running")
        bad = random.choice(len(planned.runs), size=invalid, replace=False)
        fabrication = Fabrication(
            bundle,
            study,
            design,
            models,
            random,
            requests,
            permutations,
            happens,
            invalid={planned.runs[index].id for index in bad},
        )
        for block in planned.blocks:
            fabrication.block(block)
        bundle.write_pilot(
            PilotRecord(
                cell=cell,
                clients=50,
                transactions=500,
                throughput_per_s=0.9e6 / models[cell.contender].latency_us[SIZES[cell.workload]],
                latency_mean_us=50 * models[cell.contender].latency_us[SIZES[cell.workload]],
            )
            for cell in planned.cells
            if isinstance(study.loads[cell.load], OpenLoad) and not cell.twin
        )
        bundle.write_findings([])
        planned_pairs = {(cell.contender, cell.workload) for cell in planned.cells}
        bundle.write_wire(
            row
            for name, model in models.items()
            for workload in study.workloads
            if (name, workload) in planned_pairs and SIZES[workload]
            for row in _wire_rows(name, model, workload)
        )
        bundle.seal()
    return bundle


def _wire_rows(name: str, model: Model, workload: str) -> list[WireRecord]:
    rows = []
    payload = model.payload[SIZES[workload]]
    for transactions in (1, 2, 10, 100):
        for repeat in range(3):
            total = model.setup + transactions * (payload + model.overhead + 180)
            sent = model.setup // 2 + transactions * 180
            segments = 4 + transactions * max(1, (payload + model.overhead) // 32_000)
            rows.append(
                WireRecord(
                    contender=name,
                    workload=workload,
                    transactions=transactions,
                    repeat=repeat,
                    sent=sent,
                    received=total - sent,
                    segments_out=segments,
                    segments_in=segments,
                    payload_sent=transactions * 90,
                    payload_received=transactions * (payload - 90),
                )
            )
    return rows


def copy_of(bundle: Bundle, folder: Path) -> Bundle:
    """Copy a bundle, so that a test may spoil it."""
    shutil.copytree(bundle.path, folder)
    return Bundle.open(folder)


def edit_blocks(bundle: Bundle, change: Callable[[BlockRecord, dict[str, Any]], None]) -> None:
    """Change the records of all blocks, in place."""
    for block in bundle.block_records():
        path = bundle.path / "blocks" / block.folder_name / "block.json"
        _edit_json(path, partial(change, block))


def edit_runs(
    bundle: Bundle,
    change: Callable[[dict[str, Any]], None],
    where: Callable[[RunRecord], bool] = lambda _: True,
) -> None:
    """Change what the bundle says of some runs, in place."""

    def change_block(block: BlockRecord, content: dict[str, Any]) -> None:
        chosen = {(run.run.id, run.session) for run in block.runs if where(run)}
        for run in content["runs"]:
            if (run["run"]["id"], run["session"]) in chosen:
                change(run)

    edit_blocks(bundle, change_block)


def edit_sessions(bundle: Bundle, change: Callable[[dict[str, Any]], None]) -> None:
    """Change what the bundle says of every session, in place."""

    def change_block(_: BlockRecord, content: dict[str, Any]) -> None:
        for session in content["sessions"]:
            change(session)

    edit_blocks(bundle, change_block)


def leave_running(bundle: Bundle, *not_controlled: str) -> None:
    """Say that servers were running already: what wirelab did not control of them."""

    def change(records: dict[str, Any]) -> None:
        for record in records.values():
            record["not_controlled"] = [*not_controlled]

    _edit_json(bundle.path / "contenders.json", change)


def edit_results(
    bundle: Bundle,
    change: Callable[[dict[str, Any]], None],
    where: Callable[[RunRecord], bool] = lambda _: True,
) -> None:
    """Change what the engine says of some runs altogether, in place."""
    for block in bundle.block_records():
        for folder, runs in itertools.groupby(filter(where, block.runs), block.run_folder):
            names = {run.run.id for run in runs}

            def change_results(content: dict[str, Any], names: Any = names) -> None:
                for target in content["targets"]:
                    if target["name"] in names:
                        change(target)

            _edit_json(bundle.path / folder / "result.json", change_results)


def stretch(bundle: Bundle, factor: Callable[[RunRecord], float]) -> None:
    """Multiply all times of every run by its own factor, in place."""
    times = ["mean_us", "median_us", "p90_us", "p99_us", "min_us", "max_us"]
    records = bundle.block_records()
    factors = {run.run.id: factor(run) for block in records for run in block.runs}
    for block in records:
        for folder in {block.run_folder(run) for run in block.runs}:
            path = bundle.path / folder / SLICES
            table = pd.read_parquet(path)
            by_row = table["run_id"].map(factors)
            for name in times:
                table[name] *= by_row
            table["ended_ns"] = table["started_ns"] + (
                (table["ended_ns"] - table["started_ns"]) * by_row
            ).astype("int64")
            table.to_parquet(path, index=False)

    def change(target: dict[str, Any]) -> None:
        by = factors[target["name"]]
        target["window"]["duration_s"] *= by
        target["throughput_per_s"] /= by
        for summary in target["latency_us"].values():
            for name in summary or ():
                summary[name] *= 1 if name == "count" else by

    edit_results(bundle, change)


def _edit_json(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))

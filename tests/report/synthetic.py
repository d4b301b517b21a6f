"""Bundles that no machine measured: a seeded model writes them, for the tests of the report only.

Every synthetic bundle says so in its host description and its id. The numbers are plausible
(protocol costs, run-to-run noise, a drift over the session, heavy tails) so that all parts of the
report have something to show; they mean nothing.
"""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wirelab.bundle import (
    Bundle,
    BundleInfo,
    ContenderRecord,
    PilotRecord,
    RunRecord,
    WireRecord,
)
from wirelab.schedule import schedule
from wirelab.study import OpenLoad, load_study

from .fabrication import fabricate_run
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
) -> Bundle:
    """Fabricate a complete bundle; `invalid` of its runs break a rule and are marked so."""
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
        contenders={
            name: ContenderRecord(
                title=model.title,
                protocol=model.protocol,
                stack="python",
                settings=dict(model.settings),
                versions={"native": dict(model.packages)},
            )
            for name, model in models.items()
        },
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
        bad = set(random.choice(len(planned.runs), size=invalid, replace=False).tolist())
        for index, run in enumerate(planned.runs):
            fabricate_run(
                bundle,
                run,
                random=random,
                models=models,
                requests=requests,
                invalid=index in bad,
                load=study.loads[run.cell.load],
            )
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
        bundle.write_wire(_wire_rows(models, [name for name in workloads if SIZES[name]]))
        bundle.seal()
    return bundle


def _wire_rows(models: Mapping[str, Model], workloads: Sequence[str]) -> list[WireRecord]:
    rows = []
    for name, model in models.items():
        for workload in workloads:
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


def edit_runs(
    bundle: Bundle,
    file: str,
    change: Callable[[dict[str, Any]], None],
    where: Callable[[RunRecord], bool] = lambda _: True,
) -> None:
    """Change run.json or result.json of some runs in place."""
    for record in bundle.run_records():
        if where(record):
            path = bundle.path / "runs" / record.folder_name / file
            content = json.loads(path.read_text())
            change(content)
            path.write_text(json.dumps(content))

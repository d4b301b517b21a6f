"""Studies that are measured until they are decided, with fabricated blocks."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tests.support.observers import KeptEvents
from wirelab.analysis.so_far import IsEnough
from wirelab.bundle import Bundle, BundleInfo
from wirelab.experiment.blocks.queue import BlockQueue
from wirelab.experiment.events import ComparisonsUpdated, Note
from wirelab.planning.plan import PlannedStudy
from wirelab.planning.schedule import schedule
from wirelab.study import load_study

from .circumstances import Circumstances
from .fabrication import Fabrication
from .models import STUDY, Model, models_of

THREE = models_of("rest-flask", "graphql-graphene", "grpc-grpcio")
CALM = Circumstances(start_noise=0.004, permutation_noise=0.005, slice_noise=0.005)
ROUGH = Circumstances(start_noise=0.08)
EQUAL: Mapping[str, Model] = dict.fromkeys(THREE, THREE["rest-flask"])
"""Servers that all take the same time."""


@dataclass
class FabricatedStudy:
    """A study until all is decided, whose blocks are fabricated instead of measured.

    `lost` names runs that do not count: all of a contender from a block on, by contender.
    """

    folder: Path
    models: Mapping[str, Model] = field(default_factory=lambda: THREE)
    happens: Circumstances = CALM
    workloads: tuple[str, ...] = ("fetch_one",)
    budget_minutes: float = 30.0
    until: str = "decided"
    requests: int = 40
    lost: Mapping[str, Collection[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        study = load_study(STUDY)
        lab = study.designs["lab"]
        keys = {"blocks": None, "until": self.until, "budget_minutes": self.budget_minutes}
        designs = {**study.designs, "lab": lab.model_copy(update=keys)}
        self.study = study.model_copy(update={"designs": designs})
        absent = dict.fromkeys(("container",), "no container engine was found")
        only = [*self.models, *self.workloads, "postgresql", "sequential"]
        planned = schedule(self.study, "lab", 1, only, unavailable=absent)
        self.plan = PlannedStudy(self.study, None, {}, planned)  # type: ignore[arg-type]
        self.bundle = Bundle.create(
            self.folder / "bundle",
            info=BundleInfo(
                id="until-decided",
                study=study.id,
                domain=study.domain,
                design="lab",
                seed=1,
                created_utc="2026-11-20T09:00:00Z",
                wirelab_version="0.1.0",
                command=("wirelab", "run", study.id),
            ),
            schedule=planned,
            contenders={name: model.record for name, model in self.models.items()},
            host={"synthetic": True},
            study_files=study.files,
            domain_files={},
        )
        self.heard = KeptEvents()
        self.order: list[str] = []

    def measure(self, most: int = 1000, is_enough: IsEnough | None = None) -> BlockQueue:
        """Measure up to `most` blocks, or until it is enough, and return what is left."""
        plan = replace(self.plan, schedule=self.bundle.schedule)
        queue = BlockQueue(plan, self.bundle, self.heard, is_enough)
        while most and not queue.has_ended():
            block = queue.take()
            assert block is not None
            self.order.append(block.group)
            invalid = {
                run.id
                for run in block.runs
                if block.number in self.lost.get(run.cell.contender, ())
            }
            random = np.random.default_rng(block.seed)
            Fabrication(
                self.bundle,
                self.study,
                "lab",
                self.models,
                random,
                requests=self.requests,
                permutations=8,
                happens=self.happens,
                invalid=invalid,
            ).block(block)
            queue.finish(block)
            most -= 1
        return queue

    @property
    def blocks(self) -> dict[str, int]:
        """How many blocks each group has."""
        return self.bundle.schedule.repetitions

    @property
    def latest(self) -> ComparisonsUpdated:
        """The latest comparisons that observers got."""
        return self.heard.of(ComparisonsUpdated)[-1]

    @property
    def notes(self) -> list[str]:
        """What the user is told."""
        return [note.text for note in self.heard.of(Note)]

"""Measure versions in the same blocks: check them out, build them, let them take turns."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wirelab.analysis.so_far import ComparisonsSoFar, IsEnough, PairSoFar
from wirelab.bundle import Bundle, Contents
from wirelab.bundle.run_reasons import NoneToCompare, in_words
from wirelab.compare.budget import Spending
from wirelab.compare.git_trees import WorkTrees
from wirelab.compare.offers import FoundOffers, find_offers
from wirelab.compare.probe import running_side
from wirelab.compare.sides import ComparedSide
from wirelab.compare.world import write_world
from wirelab.errors import LabError
from wirelab.experiment.context import StudyOutcome
from wirelab.experiment.events import Observer, StepStarted
from wirelab.experiment.study import ThisMachine, resume_study, run_study
from wirelab.lab.stores.store_url import recorded_command
from wirelab.planning.plan import plan_study
from wirelab.study import COMPARE, load_study
from wirelab.terminal import words
from wirelab.versions.lineage import Lineage
from wirelab.versions.options import VersionsRequest

LEAST_FREE_BYTES = 16 << 20
"""With less free space for work trees, a version that cannot be built is not to blame."""
LONGEST_TITLE = 60


def name_of(commit: str) -> str:
    """Return the name of a commit as a contender."""
    return commit[:12]


@dataclass
class VersionLab:
    """Versions of the current repository, and how they are asked. Its methods raise `LabError`."""

    request: VersionsRequest
    lineage: Lineage
    trees: WorkTrees
    scratch: Path
    observer: Observer
    _found: FoundOffers | None = field(default=None, init=False)

    def side(self, commit: str) -> ComparedSide:
        """Return a commit's side, checked out and built."""
        title = words.shortened(self.lineage.commit(commit).title, LONGEST_TITLE)
        side = ComparedSide(name_of(commit), title, command=self.request.start, version=commit)
        return self.trees.check_out(side)

    def try_out(self, commit: str) -> str:
        """Build and start a commit; return why that fails, "" if it does not."""
        try:
            side = self.side(commit)
            self.observer.on(StepStarted(f"starting {side.title}"))
            with running_side(side, self.request.terms, self.scratch):
                return ""
        except LabError as failed:
            if shutil.disk_usage(self.trees.folder).free < LEAST_FREE_BYTES:
                raise
            return failed.failure.brief

    def offers(self, commit: str) -> FoundOffers:
        """Return what can be asked, as a commit, that of the first call, answers it."""
        if self._found is None:
            selection, terms = self.request.selection, self.request.terms
            self._found = find_offers(
                [self.side(commit)], terms, selection, self.scratch, self.observer
            )
        return self._found

    def measure(
        self,
        folder: Path,
        commits: Sequence[str],
        found: FoundOffers,
        spending: Spending,
        is_enough: IsEnough,
        *,
        all_pairs: bool,
    ) -> Bundle:
        """Measure commits in the same blocks; return the bundle in `folder`.

        A complete bundle is returned as it is, and an incomplete one completed. Raises
        `KeyboardInterrupt` if it was interrupted.
        """
        if (folder / "bundle.json").is_file():
            bundle = Bundle.open(folder)
            if bundle.info.status == "complete":
                return bundle
        sides = [self.side(commit) for commit in commits]
        machine = ThisMachine(is_enough=is_enough)
        outcome: StudyOutcome
        if (folder / "bundle.json").is_file():
            outcome = resume_study(folder, observer=self.observer, machines=machine)
        else:
            study = write_world(
                self.scratch / folder.name,
                sides,
                found.offers,
                found.parameters,
                common=found.common,
                terms=self.request.terms,
                spending=spending,
                all_pairs=all_pairs,
            )
            plan = plan_study(study, COMPARE, self.request.selection.seed)
            outcome = run_study(
                plan, folder, observer=self.observer, command=recorded_command(), machines=machine
            )
        if outcome.interrupted:
            raise KeyboardInterrupt
        return outcome.bundle


def pairs_of(bundle: Contents) -> list[PairSoFar]:
    """Return the comparisons of a bundle."""
    schedule = bundle.schedule
    study = load_study(bundle.study_folder).in_design(schedule.design)
    so_far = ComparisonsSoFar(bundle, study, schedule)
    for block in schedule.blocks:
        so_far.read(block)
    return so_far.pairs()


def operations_of(bundle: Contents) -> list[str]:
    """Return the titles of what a bundle measures."""
    workloads = load_study(bundle.study_folder).workloads
    return [workloads[it].title for it in dict.fromkeys(c.workload for c in bundle.schedule.cells)]


def seconds_of(bundle: Contents) -> float:
    """Return how long the blocks of a bundle took."""
    return sum(record.seconds for record in bundle.current_records())


def why_missing(bundle: Contents) -> dict[str, str]:
    """Return the contenders that no block of a bundle has a valid run of, with the reason.

    Not those that are left out only because no other one was left to compare them with.
    """
    runs = [run for record in bundle.last_attempts() for run in record.runs]
    reasons = {
        run.run.cell.contender: in_words(run.reasons)
        for run in runs
        if any(not isinstance(reason, NoneToCompare) for reason in run.reasons)
    }
    valid = {run.run.cell.contender for run in runs if run.status == "valid"}
    return {name: reason for name, reason in reasons.items() if name not in valid}

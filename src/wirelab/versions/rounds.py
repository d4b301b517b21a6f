"""The rounds of a bisection: each is a bundle, and what has been measured is not measured again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from wirelab.analysis.so_far import IsEnough, PairSoFar
from wirelab.bundle import Bundle
from wirelab.bundle.files import write_atomically
from wirelab.bundle.records import read_record
from wirelab.compare.budget import START_S, spend
from wirelab.compare.world import LONGEST_REHEARSAL_S
from wirelab.errors import LabError
from wirelab.experiment.events import Note, StageStarted
from wirelab.record import Record
from wirelab.terminal import words
from wirelab.versions.measuring import (
    VersionLab,
    name_of,
    operations_of,
    pairs_of,
    seconds_of,
    why_missing,
)
from wirelab.versions.steps import Chain, JudgedRound, compared_in, judge

EXPECTED_ROUNDS = 5
"""The budget is divided for as many, of one operation; each ends as soon as it is decided. A round
of several operations may use half of it."""
SEARCH_SHARE = 0.75
"""The share of the budget that the search may use; the rest is for the check."""
FILE = "bisect.json"


class AnswersDifferError(LabError):
    """A version that is needed gives other answers than the oldest one."""


class BisectRecord(Record):
    """bisect.json: what a bisection knows beside its rounds, so that it can be resumed."""

    format: Literal["wirelab-bisect/1"] = "wirelab-bisect/1"
    options: Mapping[str, Any]
    directory: str
    """The folder in which it was started."""
    trees: str
    """The folder of the work trees, while it runs."""
    good: str
    bad: str
    usable: tuple[str, ...] = ()
    """Commits that were built and started."""
    skipped: Mapping[str, str] = {}
    """Commits that cannot be measured, and why."""

    @classmethod
    def read(cls, folder: Path) -> "BisectRecord":
        """Read a bisection's file. Raises `ProblemsError`."""
        return read_record(folder / FILE, TypeAdapter(cls))

    def write(self, folder: Path) -> None:
        """Write it; only the owner may read it, since it has the command line."""
        write_atomically(folder / FILE, self.model_dump_json(indent=1).encode())
        (folder / FILE).chmod(0o600)


@dataclass
class Rounds:
    """Measures rounds for a search, within a budget."""

    folder: Path
    lab: VersionLab
    record: BisectRecord
    budget_s: float
    operation: str = ""
    """What was measured in the latest round."""
    _number: int = 0
    _spent_s: float = 0.0

    @property
    def has_time(self) -> bool:
        """Whether the budget allows for another round of the search."""
        return self._spent_s < SEARCH_SHARE * self.budget_s

    @property
    def count(self) -> int:
        """How many rounds there were so far."""
        return self._number

    def require_ends(self) -> None:
        """Check that both ends can be built and started. Raises `LabError` if not."""
        for commit in (self.record.good, self.record.bad):
            if not self.is_usable(commit):
                title = self.lab.lineage.commit(commit).title
                hint = "begin or end with another commit"
                raise LabError(f"{title} cannot be measured: {self.record.skipped[commit]}", hint)

    def is_usable(self, commit: str) -> bool:
        """Return whether a commit can be built and started; try it once."""
        if commit not in self.record.usable and commit not in self.record.skipped:
            self.lab.observer.on(StageStarted("Preparing", 2))
            if why := self.lab.try_out(commit):
                self._skip(commit, why)
            else:
                self._keep(usable=(*self.record.usable, commit))
        return commit not in self.record.skipped

    def measure(
        self, chains: Sequence[Chain], level: float, *, workload: str = "", until_all: bool = False
    ) -> JudgedRound:
        """Measure chains of commits in the same blocks, or read what was measured before."""
        self._number += 1
        commits = list(dict.fromkeys(commit for chain in chains for commit in chain))
        by_name = {name_of(commit): commit for commit in commits}
        named = [[name_of(commit) for commit in chain] for chain in chains]

        ends = {chain[at] for chain in named for at in (0, -1)}

        def is_enough(pairs: Sequence[PairSoFar]) -> bool:
            if not ends <= compared_in(pairs):
                return True  # further blocks will not compare them, either
            judged = judge(pairs, named, level)
            return judged.is_complete if until_all else judged.is_located

        shown = words.listed(self.lab.lineage.commit(commit).short for commit in commits)
        self.lab.observer.on(Note(f"round {self._number}: {shown}"))
        bundle = self._bundle(commits, workload, is_enough, is_check=until_all)
        self._spent_s += seconds_of(bundle)
        self.operation = words.listed(operations_of(bundle))
        for name, why in why_missing(bundle).items():
            self._skip(by_name[name], why)
        self._require_both(bundle)
        judged = judge(pairs_of(bundle), named, level)
        steps = (
            replace(step, older=by_name[step.older], newer=by_name[step.newer])
            for step in judged.steps
        )
        return replace(judged, steps=tuple(steps))

    def _bundle(
        self, commits: Sequence[str], workload: str, is_enough: IsEnough, *, is_check: bool
    ) -> Bundle:
        folder = self.folder / f"round-{self._number}"
        if (folder / "bundle.json").is_file() and Bundle.open(folder).info.status == "complete":
            bundle = Bundle.open(folder)
        else:
            found = self.lab.offers(self.record.good)
            offers = [it for it in found.offers if workload in ("", f"w-{it.name}")]
            spending = spend(
                self.budget_s / (EXPECTED_ROUNDS if len(offers) == 1 else 2),
                len(offers),
                len(commits),
                request_s=found.request_s,
                start_s=START_S,
                rehearsal_s=LONGEST_REHEARSAL_S,
                interval_s=self.lab.request.terms.interval_s(found.request_s),
            )
            if left := [offer.shown for offer in offers[spending.operations :]]:
                enough = f"--budget {words.budget(2 * spending.all_s)} measures all"
                self.lab.observer.on(Note(f"left out: {words.listed(left)}; {enough}"))
            left_s = (1.0 if is_check else SEARCH_SHARE) * self.budget_s - self._spent_s
            bundle = self.lab.measure(
                folder,
                commits,
                replace(found, offers=tuple(offers[: spending.operations])),
                replace(spending, seconds=max(1.0, left_s)),
                is_enough,
                all_pairs=True,
            )
        return bundle

    def _require_both(self, bundle: Bundle) -> None:
        """Raise the reason if one of the two ends could not be compared."""
        for commit in (self.record.good, self.record.bad):
            if why := self.record.skipped.get(commit):
                title = self.lab.lineage.commit(commit).title
                refused = any(
                    it.severity == "error" and it.contender == name_of(commit)
                    for it in bundle.findings
                )
                error = AnswersDifferError if refused else LabError
                raise error(f"{title} cannot be measured: {why}")

    def _skip(self, commit: str, why: str) -> None:
        if commit not in self.record.skipped:
            title = self.lab.lineage.commit(commit).title
            self.lab.observer.on(Note(f"skipped: {title}: {why}"))
            self._keep(skipped={**self.record.skipped, commit: why})

    def _keep(self, **changes: Any) -> None:
        self.record = self.record.model_copy(update=changes)
        self.record.write(self.folder)

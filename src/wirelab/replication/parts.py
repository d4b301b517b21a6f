"""The parts of a replication: designs that decide claims, and the papers' own procedures."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirelab.inputs.close_match import one_of
from wirelab.inputs.problems import add_problem, collected_problems, noting_problems
from wirelab.replication.results import RESULTS
from wirelab.study import Study, list_studies, load_study

DESIGN = "replication"
"""The design that decides a study's claims; further ones are called `replication-…`."""
PAPER = "paper"
"""The design that follows the paper's own procedure: it fills tables and decides nothing."""


@dataclass(frozen=True, slots=True)
class StudyPart:
    """One design of one study, in a folder of the replication; `named` is how the user names it."""

    named: str
    study: Study
    design: str
    root: Path

    @property
    def bundle(self) -> Path:
        """The folder of its bundle."""
        return self.root / self.study.id / self.design

    @property
    def results(self) -> Path:
        """The folder of its compact results."""
        return self.root / RESULTS / self.study.id / self.design

    @property
    def name(self) -> str:
        """What messages call it."""
        is_only = self.design == DESIGN and len(_designs(self.study)) == 1
        return self.study.id if is_only else f"{self.study.id}, {self.design}"

    @property
    def budget_minutes(self) -> float:
        """The longest time for measuring that the study gives it; 0 if it has no budget."""
        return self.study.designs[self.design].budget_minutes or 0.0


def replicable_studies() -> list[str]:
    """Return the names of the known studies that have such a design."""
    return [name for name in list_studies() if _designs(load_study(name))]


def parts_of(studies: Sequence[str], root: Path, *, as_published: bool = False) -> list[StudyPart]:
    """Return the parts of a replication of these studies in a folder, study by study.

    `as_published` adds the papers' own procedures.
    Raises `ProblemsError` for studies that do not exist or have no such design.
    """
    parts: list[StudyPart] = []
    with collected_problems():
        for name in dict.fromkeys(studies):
            with noting_problems():
                study = load_study(name)
                designs = _designs(study)
                procedure = [PAPER] if as_published and PAPER in study.designs else []
                parts += [StudyPart(name, study, each, root) for each in (*designs, *procedure)]
                if not designs:
                    expected = f"a study with [design.{DESIGN}]: {one_of(replicable_studies())}"
                    add_problem("wirelab replicate", "STUDY", name, expected)
    return parts


def minutes_of(parts: Sequence[StudyPart], budget_minutes: float | None) -> dict[Path, float]:
    """Divide a budget among parts as their studies do; None leaves each its own. By bundle.

    A part without a budget, such as a paper's procedure, takes the time that it takes.
    """
    own = {part.bundle: part.budget_minutes for part in parts if part.budget_minutes}
    if budget_minutes is None:
        return own
    total = sum(own.values())
    return {bundle: budget_minutes * minutes / total for bundle, minutes in own.items()}


def _designs(study: Study) -> list[str]:
    return [name for name in study.designs if name == DESIGN or name.startswith(f"{DESIGN}-")]

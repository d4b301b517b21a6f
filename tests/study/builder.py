"""Builds small studies, and says what their schedules must look like, as a readable sentence."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Self

from wirelab.planning.schedule import Schedule, schedule
from wirelab.study import Factor, Study
from wirelab.study.levels import plural


def minimal(**changes: Any) -> dict[str, Any]:
    """Return the least that study.toml must say, as read from TOML, with changes."""
    return {
        "id": "small",
        "title": "A small study",
        "summary": "Which is faster?",
        "domain": "games",
        "contenders": ["rest", "grpc"],
        "baseline": "rest",
        "environments": ["native"],
        "stores": ["postgresql"],
        "workload": {"fetch": {"title": "fetch", "operation": "read", "state": "hundred"}},
        "load": {"u1": {"title": "one client", "kind": "closed", "clients": 1}},
        "design": {
            "smoke": {
                "summary": "short",
                "blocks": 6,
                "warm_up": {"transactions": 10},
            }
        },
        "question": {"speed": {"text": "Which is faster?", "sentence": "Here {answer}."}},
    } | changes


def study_of(raw: Mapping[str, Any]) -> Study:
    """Turn the contents of a study.toml into a study."""
    return Study.model_validate({**raw, "folder": Path("studies/small")})


class Specification:
    """A study being put together, then its schedule being held to what is expected of it."""

    def __init__(self) -> None:
        self.raw = minimal()
        self.plan: Schedule | None = None

    def contenders(self, *names: str) -> Self:
        self.raw |= {"contenders": list(names), "baseline": names[0]}
        return self

    def workloads(self, *names: str) -> Self:
        template = self.raw["workload"]["fetch"]
        self.raw["workload"] = dict.fromkeys(names, template)
        return self

    def loads(self, **clients: int) -> Self:
        self.raw["load"] = {
            name: {"title": name, "kind": "closed", "clients": count}
            for name, count in clients.items()
        }
        return self

    def environments(self, *names: str) -> Self:
        self.raw["environments"] = list(names)
        return self

    def declaring(self, factor: Factor, *levels: str) -> Self:
        self.raw[plural(factor)] = list(levels)
        return self

    def stores(self, *names: str) -> Self:
        self.raw["stores"] = list(names)
        return self

    def design(self, **keys: Any) -> Self:
        self.raw["design"]["smoke"] |= keys
        return self

    def comparing(self, factor: str) -> Self:
        """Ask a question about the levels of a factor."""
        question = {"text": "?", "compare": factor, "sentence": "Here {answer}."}
        self.raw["question"] = {**self.raw["question"], factor: question}
        return self

    def scheduled(self, seed: int = 1, only: Collection[str] = (), **options: Any) -> Self:
        self.plan = schedule(study_of(self.raw), "smoke", seed, only, **options)
        return self

    @property
    def result(self) -> Schedule:
        assert self.plan is not None, "call scheduled() first"
        return self.plan

    def expect_cells(self, *labels: str) -> Self:
        """Each cell by `registration workload`, in any order."""
        found = [f"{cell.registration} {cell.workload}" for cell in self.result.cells]

        assert sorted(found) == sorted(labels)
        return self

    def expect_runs(self, count: int) -> Self:
        assert len(self.result.runs) == count
        return self

    def expect_every_cell_once_in_every_block(self) -> Self:
        times = Counter((run.block, run.cell) for run in self.result.runs)
        numbers = {run.block for run in self.result.runs}

        assert set(times.values()) == {1}
        assert len(times) == len(numbers) * len(self.result.cells)
        return self

    def expect_groups(self, **cells: int) -> Self:
        """Each group of cells that a block measures, with the number of its cells."""
        found = {block.group: len(block.runs) for block in self.result.blocks}

        assert found == {name.replace("__", "-"): count for name, count in cells.items()}
        return self

    def expect_skipped(self, **reasons: str) -> Self:
        assert {skip.level: skip.reason for skip in self.result.skipped} == reasons
        return self

    def expect(self, holds: Callable[[Schedule], bool]) -> Self:
        assert holds(self.result)
        return self


def given() -> Specification:
    """Begin a specification with two contenders, one workload and six blocks."""
    return Specification()

"""Blocks that break off or lose their time to the host: how often each is carried out."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.bundles.samples import create, record_of
from wirelab.bundle import BlockRecord, Bundle, SessionRecord
from wirelab.errors import LabError
from wirelab.experiment import Observer
from wirelab.experiment.blocks.crew import LocalCrew
from wirelab.planning.schedule import Block

GOOD, STOLEN, FAILED = "good", "stolen", "failed"


@dataclass(frozen=True)
class Scripted(LocalCrew):
    """A crew whose attempts go one after the other as the script says."""

    script: list[str] = field(default_factory=list)

    def attempt(self, block: Block, attempt: int) -> BlockRecord:
        how = self.script.pop(0)
        session = SessionRecord(permutations=30, too_stolen=how == STOLEN)
        failure = "the store ended" if how == FAILED else ""
        record = record_of(block, attempt=attempt).model_copy(
            update={"sessions": (session,), "failure": failure}
        )
        self.bundle.record_block(record)
        return record


def carry_out(bundle: Bundle, *script: str) -> list[str]:
    """Carry out the only block of a bundle; return what is left of the script."""
    nothing = dict.fromkeys(("plan", "laboratory", "unusable", "rates", "grid"))
    crew = Scripted(
        bundle=bundle,
        observer=Observer(),
        script=list(script),
        **nothing,  # type: ignore[arg-type]
    )
    assert crew.carry_out(bundle.schedule.blocks, lambda _: True)
    return crew.script


@pytest.mark.parametrize(
    "script",
    [
        [GOOD],
        [STOLEN, GOOD],
        [STOLEN, STOLEN],
        [FAILED, GOOD],
        [STOLEN, FAILED, GOOD],
        [FAILED, STOLEN, GOOD],
    ],
)
def test_a_failure_and_stolen_time_each_repeat_a_block_once(
    tmp_path: Path, script: list[str]
) -> None:
    bundle = create(tmp_path / "bundle", blocks=1)

    assert carry_out(bundle, *script, GOOD) == [GOOD]

    assert [record.attempt for record in bundle.last_attempts()] == [len(script)]


@pytest.mark.parametrize("before", [[], [STOLEN]])
def test_a_block_that_breaks_off_twice_ends_the_study(tmp_path: Path, before: list[str]) -> None:
    bundle = create(tmp_path / "bundle", blocks=1)

    with pytest.raises(LabError, match="block-1 failed twice: the store ended"):
        carry_out(bundle, *before, FAILED, FAILED)

    complete = {"block-1"} if before else set()
    assert bundle.finished_block_ids() == complete


def test_an_attempt_that_is_complete_counts_before_a_later_one_that_broke_off(
    tmp_path: Path,
) -> None:
    bundle = create(tmp_path / "bundle", blocks=1)
    (block,) = bundle.schedule.blocks
    bundle.record_block(record_of(block))
    broken_off = record_of(block, attempt=2).model_copy(update={"failure": "the store ended"})
    bundle.record_block(broken_off)

    assert [record.attempt for record in bundle.last_attempts()] == [1]
    assert bundle.finished_block_ids() == {block.id}

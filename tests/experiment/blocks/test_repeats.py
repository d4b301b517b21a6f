"""Blocks that break off or lose their time to the host: how often each is measured."""

from pathlib import Path

import pytest

from tests.support.bundles.reasons import IT_DIED
from tests.support.bundles.samples import create, record_of, schedule_of
from tests.support.wording import raises_worded
from wirelab.bundle import BlockRecord, SessionRecord
from wirelab.errors import LabError
from wirelab.experiment.blocks.block import must_repeat

GOOD, STOLEN, FAILED = "good", "stolen", "failed"


def attempts(*script: str) -> list[BlockRecord]:
    """Return the records of attempts at one block that went as the script says."""
    (block,) = schedule_of(1).blocks
    return [
        record_of(block, attempt=attempt).model_copy(
            update={
                "sessions": (SessionRecord(permutations=30, too_stolen=how == STOLEN),),
                "failures": (IT_DIED,) if how == FAILED else (),
            }
        )
        for attempt, how in enumerate(script, start=1)
    ]


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
def test_a_failure_and_stolen_time_each_repeat_a_block_once(script: list[str]) -> None:
    made = attempts(*script)
    repeated = [must_repeat(made[:count]) for count in range(1, len(made) + 1)]

    assert repeated == [True] * (len(script) - 1) + [False]


@pytest.mark.parametrize("before", [[], [STOLEN]])
def test_a_block_that_breaks_off_twice_ends_the_study(before: list[str]) -> None:
    with raises_worded(LabError):
        must_repeat(attempts(*before, FAILED, FAILED))


def test_an_attempt_that_is_complete_counts_before_a_later_one_that_broke_off(
    tmp_path: Path,
) -> None:
    bundle = create(tmp_path / "bundle", blocks=1)
    for record in attempts(GOOD, FAILED):
        bundle.record_block(record)

    assert [record.attempt for record in bundle.last_attempts()] == [1]
    assert bundle.finished_block_ids() == {"block-1"}

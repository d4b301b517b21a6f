"""What disturbed a measurement, in one sentence with counts."""

from typing import Any

import pytest

from tests.support.bundles.reasons import IT_DIED
from tests.support.bundles.samples import record_of, schedule_of
from tests.support.bundles.slices import GRPC, REST, session, values_of
from tests.support.wording import assert_worded
from wirelab.analysis.disturbance import summarise_disturbance
from wirelab.analysis.values import RunValues
from wirelab.bundle import BlockRecord, SessionRecord
from wirelab.bundle.run_reasons import NoCapacity

NOTHING = RunValues({}, {}, (), "rest")


def records(*sessions: SessionRecord, **changes: Any) -> list[BlockRecord]:
    blocks = schedule_of(len(sessions)).blocks
    return [
        record_of(block, **changes).model_copy(update={"sessions": (each,)})
        for block, each in zip(blocks, sessions, strict=True)
    ]


def in_turns(**changes: Any) -> list[BlockRecord]:
    """One block, whose session let two runs take turns."""
    (record,) = records(SessionRecord(permutations=9, **changes))
    return [record.model_copy(update={"runs": record.runs * 2})]


def test_a_quiet_machine_is_called_quiet() -> None:
    found = summarise_disturbance(
        records(SessionRecord(steal_share=0.004, other_share=0.003, frequency_change_share=0.01)),
        NOTHING,
    )

    assert not found.is_notable
    assert found.machine == []


@pytest.mark.parametrize(
    "disturbed",
    [
        SessionRecord(steal_share=0.25),
        SessionRecord(other_share=0.31),
        SessionRecord(frequency_change_share=0.4),
    ],
)
def test_each_disturbance_is_worth_a_clause(disturbed: SessionRecord) -> None:
    assert len(summarise_disturbance(records(disturbed), NOTHING).machine) == 1


def test_stolen_time_is_that_of_all_sessions_and_the_rest_of_the_worst() -> None:
    found = records(SessionRecord(steal_share=0.1, other_share=0.2), SessionRecord(steal_share=0.3))
    lost_none = records(SessionRecord(steal_share=0.2), SessionRecord())  # it never measured

    disturbance = summarise_disturbance(found, NOTHING)
    half = summarise_disturbance(lost_none, NOTHING)

    assert (disturbance.stolen_share, disturbance.other_share) == pytest.approx((0.2, 0.2))
    assert (half.stolen_share, *half.stolen_span) == pytest.approx((0.2, 0.2, 0.2))


@pytest.mark.parametrize("turns", [True, False])
def test_the_worst_permutation_or_run_is_shown_beside_the_average(*, turns: bool) -> None:
    cells = (REST, GRPC) if turns else (REST,)
    values = values_of(session({cell: [1.0, 1.0] for cell in cells}, stolen=[0.02, 0.6]))
    measured = in_turns(steal_share=0.31) if turns else records(SessionRecord(steal_share=0.31))

    found = summarise_disturbance(measured, values)

    assert (found.stolen_share, found.worst_stolen_share) == pytest.approx((0.31, 0.6))
    assert_worded(found.sentence)


def test_one_bad_permutation_alone_is_reported() -> None:
    values = values_of(session({REST: [1.0] * 9, GRPC: [1.0] * 9}, stolen=[0.0] * 8 + [0.9]))

    found = summarise_disturbance(in_turns(), values)

    assert (found.worst_stolen_share, found.is_notable) == (0.9, True)


def test_several_runs_took_turns_also_if_only_one_counts_and_a_single_one_in_slices_did_not() -> (
    None
):
    values = values_of(session({REST: [1.0]}))

    assert summarise_disturbance(in_turns(), values).in_turns
    assert not summarise_disturbance(records(SessionRecord(permutations=9)), values).in_turns


def test_repeated_blocks_and_lost_runs_are_counted_over_last_attempts() -> None:
    (block,) = schedule_of(1).blocks
    attempts = [
        record_of(block, status="invalid", reasons=(IT_DIED,)),
        record_of(block, attempt=2),
    ]

    found = summarise_disturbance(attempts, NOTHING)
    assert (found.repeated_blocks, found.lost_runs) == (1, 0)

    found = summarise_disturbance(attempts[:1], NOTHING)
    assert (found.repeated_blocks, found.lost_runs) == (0, 1)


def test_runs_that_were_skipped_after_a_lost_one_are_counted_with_it() -> None:
    first, second = schedule_of(2).blocks
    reasons = (NoCapacity(of="no rate"),)
    lost = record_of(first, status="invalid", reasons=reasons)
    skipped = record_of(second, status="skipped", reasons=reasons)

    assert summarise_disturbance([lost, skipped], NOTHING).started_lost_runs == 2


def test_runs_of_contenders_that_were_never_started_are_no_disturbance() -> None:
    (block,) = schedule_of(1).blocks
    refused = record_of(block, status="skipped", reasons=(IT_DIED,))

    found = summarise_disturbance([refused], NOTHING)

    assert (found.lost_runs, found.started_lost_runs, found.is_notable) == (1, 0, False)


def test_all_disturbances_make_one_sentence() -> None:
    session_record = SessionRecord(steal_share=0.1, other_share=0.05, frequency_change_share=0.2)

    assert_worded(
        summarise_disturbance(records(session_record, status="invalid"), NOTHING).sentence
    )

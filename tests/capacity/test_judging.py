"""From blocks of trials to intervals and verdicts."""

from pathlib import Path

import pytest

from tests.capacity.fabrication import around, record, trial
from wirelab.capacity.judging import judge
from wirelab.capacity.record import CapacityRecord, OverloadRecord
from wirelab.capacity.view import markdown
from wirelab.measure.events import Judged


def test_more_is_told_from_less() -> None:
    found = judge(
        record(
            {
                "a": around(1000.0, 0.01, 6, 1),
                "more": around(1300.0, 0.01, 6, 2),
                "less": around(700.0, 0.01, 6, 3),
                "same": around(1005.0, 0.005, 6, 4),
                "wild": around(1050.0, 0.3, 6, 5),
            }
        )
    )

    verdicts = {it.contender: it.words for it in found.against}
    assert verdicts == {
        "more": "sustains more",
        "less": "sustains less",
        "same": "practically the same",
        "wild": "cannot tell",
    }
    more = found.against[0]
    assert more.ratio == pytest.approx(1.3, rel=0.02)
    assert more.interval is not None
    assert more.interval.low < more.ratio < more.interval.high
    (a, *_) = found.sustained
    assert a.rate == pytest.approx(1000.0, rel=0.02)
    assert a.interval is not None
    assert a.interval.contains(1000.0)
    assert not found.cautions


def test_few_blocks_decide_nothing() -> None:
    found = judge(record({"a": [1000.0, 1010.0], "b": [2000.0, 2020.0]}))

    assert found.against[0].words == "cannot tell"
    assert found.against[0].ratio == pytest.approx(2.0)


def test_a_block_without_a_value_is_left_out_and_told() -> None:
    found = judge(record({"a": [1000.0] * 3 + [None], "b": [1000.0, 1010.0, 990.0, 1000.0]}))

    assert [it.blocks for it in found.sustained] == [3, 4]
    assert found.against[0].comparison.dropped_blocks == 1
    assert any("do not reach both sides" in text for text in found.cautions)


def test_who_was_not_restarted_is_told() -> None:
    capacities = {"a": around(1000.0, 0.01, 6, 1), "b": around(1000.0, 0.01, 6, 2)}

    told = judge(record(capacities, restarted=("b",), reasons={"b": "it ended"})).cautions

    assert told[0].startswith("a was not restarted")
    assert "block 1: b was not measured: it ended" in told


def overloaded(recovery_s: float | None) -> OverloadRecord:
    """Make an overload: of 2000 due, 600 in time, 800 failed and 400 never sent."""
    asked = trial(
        "a",
        2000.0,
        judged=Judged(due=2000, good=600, loss_ratio=0.7, is_kept=False),
        failed=800,
        never_sent=400,
        errors={"timeout": 300, "status": 500},
    )
    return OverloadRecord(contender="a", times=2.0, trial=asked, recovery_s=recovery_s)


def test_overload_is_summed_up() -> None:
    (a,) = judge(record({"a": [1000.0] * 3}, overload=(overloaded(0.4),))).sustained

    (twice,) = a.overload
    assert twice.good_share == pytest.approx(0.6)
    assert twice.failed == ("status", "timeout")
    assert (twice.failed_share, twice.never_sent_share) == (0.4, 0.2)
    assert twice.recovery_s == pytest.approx(0.4)
    (never,) = judge(record({"a": [1000.0] * 3}, overload=(overloaded(None),))).sustained
    assert never.overload[0].recovery_s is None


def test_markdown_has_all_of_it_and_no_markup_of_others() -> None:
    capacities = {"a": around(1000.0, 0.01, 6, 1), "<b>": around(1300.0, 0.01, 6, 2)}
    made = record(capacities, overload=(overloaded(None),))

    text = markdown(made, judge(made))

    assert "<b>" not in text
    assert "| sustains more |" in text
    assert "not in 10 s" in text
    assert "40 % (status, timeout)" in text.replace("\u00a0", " ")


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = record({"a": [1000.0, None]}, overload=(overloaded(0.4),))

    made.write(tmp_path)

    assert CapacityRecord.read(tmp_path) == made
    assert CapacityRecord.read(tmp_path / "elsewhere") is None

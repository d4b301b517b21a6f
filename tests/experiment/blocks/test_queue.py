"""Which blocks are measured: within the budget, and where comparisons are undecided."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.study.builder import given, study_of
from tests.support.bundles.circumstances import Circumstances
from tests.support.bundles.models import Model
from tests.support.bundles.reasons import BUSY
from tests.support.bundles.samples import create, record_of
from tests.support.bundles.until_decided import CALM, EQUAL, ROUGH, THREE, FabricatedStudy
from tests.support.observers import KeptNotes
from tests.support.wording import assert_worded
from wirelab.analysis.so_far import MOST_LOST, ClaimsSoFar, OpenPart
from wirelab.bundle import Bundle
from wirelab.experiment.blocks.queue import BlockQueue
from wirelab.planning.plan import PlannedStudy
from wirelab.planning.schedule import schedule
from wirelab.statistics import FIRST_LOOK, MINIMUM_BLOCKS
from wirelab.study.design import FIRST_VERDICT


@dataclass
class Clockwork:
    """Measures nothing: a block takes as long as its group says, in seconds."""

    bundle: Bundle
    seconds: Callable[[str], int]

    def measure(self, queue: BlockQueue) -> None:
        while not queue.has_ended():
            block = queue.take()
            assert block is not None
            times = {"finished_utc": f"2026-11-20T10:00:{self.seconds(block.group):02}.000+00:00"}
            record = record_of(block, status="invalid", reasons=(BUSY,))
            self.bundle.record_block(record.model_copy(update=times))
            queue.finish(block)


@dataclass
class World:
    """A study whose blocks a clockwork measures."""

    bundle: Bundle
    clockwork: Clockwork
    queue: BlockQueue
    notes: list[str]

    def measure(self) -> None:
        self.clockwork.measure(self.queue)

    def kinds(self) -> list[object]:
        return [event["event"] for event in self.bundle.events()]


def world(
    folder: Path, *workloads: str, seconds: Callable[[str], int] = lambda _: 5, **design: Any
) -> World:
    """Plan a study of a fixed number of blocks."""
    study = study_of(given().workloads(*workloads).design(**design).raw)
    laid_out = schedule(study, "smoke", 1)
    bundle = create(folder / "bundle", blocks=1)
    bundle.write_schedule(laid_out)
    observer = KeptNotes()
    plan = PlannedStudy(study, None, {}, laid_out)  # type: ignore[arg-type]
    queue = BlockQueue(plan, bundle, observer)
    return World(bundle, Clockwork(bundle, seconds), queue, observer.texts)


@pytest.mark.parametrize(
    ("budget_s", "measured"), [(10, MINIMUM_BLOCKS), (40, 8), (44, 8), (55, 11)]
)
def test_no_block_begins_that_would_exceed_the_budget_but_six_are_measured(
    tmp_path: Path, budget_s: int, measured: int
) -> None:
    found = world(tmp_path, "fetch", blocks=12, budget_minutes=budget_s / 60)

    found.measure()

    assert len(found.bundle.finished_block_ids()) == measured
    assert [block.number for block in found.bundle.schedule.blocks] == [*range(1, measured + 1)]
    assert_worded("\n".join(found.notes))
    assert found.bundle.events()[-1]["left_out"] == 12 - measured


def test_a_block_is_expected_to_take_as_long_as_others_of_its_group(tmp_path: Path) -> None:
    def seconds(group: str) -> int:
        return 20 if group.startswith("insert") else 5

    # 8 s are left after six blocks of each: enough for one that fetches, not for one that inserts.
    found = world(
        tmp_path, "fetch", "insert", seconds=seconds, blocks=8, budget_minutes=(6 * 25 + 8) / 60
    )

    found.measure()

    assert found.bundle.schedule.repetitions == {"fetch": 7, "insert": MINIMUM_BLOCKS}


def test_without_a_budget_all_blocks_are_measured(tmp_path: Path) -> None:
    found = world(tmp_path, "fetch", blocks=12)

    found.measure()

    assert len(found.bundle.finished_block_ids()) == 12
    assert (found.notes, found.kinds()) == ([], [])


def test_a_design_first_decides_when_the_repeated_t_does() -> None:
    assert FIRST_VERDICT == FIRST_LOOK


def test_after_four_blocks_obvious_differences_are_decided_and_the_study_ends(
    tmp_path: Path,
) -> None:
    study = FabricatedStudy(tmp_path)

    study.measure()

    assert set(study.blocks.values()) == {FIRST_VERDICT}
    assert study.latest.decided == study.latest.questions > 0
    assert {each.verdict for each in study.latest.comparisons if each.is_question} <= {
        "clearly faster",
        "clearly slower",
    }
    assert [event["event"] for event in study.bundle.events()] == ["decided"]


def test_blocks_go_only_to_settings_with_undecided_comparisons(tmp_path: Path) -> None:
    close = replace(THREE["rest-flask"], latency_us=(780, 1720, 1460 * 1.045, 9900))
    models = {**THREE, "grpc-grpcio": close}
    study = FabricatedStudy(tmp_path, models, workloads=("fetch_one", "fetch_hundred"))
    far = next(group for group in study.blocks if "fetch_hundred" in group)

    study.measure(2 * FIRST_VERDICT)
    study.models = {
        **models,
        "grpc-grpcio": replace(close, latency_us=(780, 1720, 1460 * 1.045, 4700)),
    }
    study.measure()

    (near,) = study.blocks.keys() - {far}
    assert study.blocks[near] > FIRST_VERDICT
    assert set(study.order[2 * FIRST_VERDICT :]) <= {near, far}
    assert study.latest.decided == study.latest.questions


def test_a_setting_that_is_never_decided_ends_with_the_budget_and_what_it_would_take(
    tmp_path: Path,
) -> None:
    study = FabricatedStudy(tmp_path, EQUAL, ROUGH, budget_minutes=2.0)

    study.measure()

    (blocks,) = study.blocks.values()
    assert blocks == 6, "of 20 s each"
    assert study.latest.decided < study.latest.questions
    assert (study.latest.further_blocks or 0) > 0
    (note,) = study.notes
    assert note.endswith(f": {study.latest.text}")
    assert [event["event"] for event in study.bundle.events()] == ["budget spent"]


def test_a_setting_that_needs_more_than_expected_does_not_take_the_time_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = FabricatedStudy(tmp_path, EQUAL, ROUGH, workloads=("fetch_one", "fetch_hundred"))
    study.measure(2 * FIRST_VERDICT)
    near, far = study.blocks
    always = [OpenPart((near,), 10), OpenPart((far,), 13)]
    monkeypatch.setattr(BlockQueue, "_open", property(lambda _: always))

    study.measure(3)
    assert study.order[-3:] == [near] * 3
    study.measure(7)

    assert study.order[-7:].count(far) == 3
    assert study.latest.further_blocks in (10, 13)


def test_equal_servers_are_practically_the_same_after_few_blocks(tmp_path: Path) -> None:
    study = FabricatedStudy(tmp_path, EQUAL, requests=800)

    study.measure()

    verdicts = {each.verdict for each in study.latest.comparisons if each.is_question}
    assert verdicts == {"practically the same"}
    assert max(study.blocks.values()) <= 6


def test_a_budget_that_is_too_short_still_allows_a_verdict(tmp_path: Path) -> None:
    study = FabricatedStudy(tmp_path, budget_minutes=0.01)

    study.measure()

    assert set(study.blocks.values()) == {FIRST_VERDICT}
    assert study.latest.decided == study.latest.questions


def test_a_lost_block_is_replaced_since_valid_ones_count(tmp_path: Path) -> None:
    study = FabricatedStudy(tmp_path, lost={"grpc-grpcio": [2]})

    study.measure()

    assert set(study.blocks.values()) == {FIRST_VERDICT + 1}
    assert study.latest.decided == study.latest.questions


def test_a_contender_that_died_for_good_costs_no_further_blocks(tmp_path: Path) -> None:
    study = FabricatedStudy(tmp_path, lost={"grpc-grpcio": range(3, 100)})

    study.measure()

    assert set(study.blocks.values()) == {MOST_LOST + 2}
    undecided = [each for each in study.latest.comparisons if each.is_question and not each.verdict]
    assert undecided
    for each in undecided:
        assert "grpc-grpcio" in (each.a.contender, each.b.contender)
        assert each.further_blocks is None


def test_a_resumed_study_continues_the_same_sequence(tmp_path: Path) -> None:
    whole, interrupted = FabricatedStudy(tmp_path / "whole"), FabricatedStudy(tmp_path / "parts")
    whole.measure()

    interrupted.measure(2)
    interrupted.measure(1)
    interrupted.measure()

    assert interrupted.latest == whole.latest
    assert interrupted.bundle.schedule == whole.bundle.schedule


@pytest.mark.parametrize(
    ("models", "happens", "blocks"), [(THREE, CALM, FIRST_VERDICT), (EQUAL, ROUGH, 6)]
)
def test_a_study_is_measured_until_its_claims_are_decided_or_the_budget_ends(
    tmp_path: Path, models: Mapping[str, Model], happens: Circumstances, blocks: int
) -> None:
    study = FabricatedStudy(tmp_path, models, happens, budget_minutes=2.0, until="claims")

    study.measure()

    assert set(study.blocks.values()) == {blocks}
    testable = ClaimsSoFar(study.bundle, study.study, study.bundle.schedule)
    for block in study.bundle.schedule.blocks:
        testable.read(block)
    claims = testable.claims()
    assert {claim.id for claim in claims} <= study.study.claims.claims.keys()
    assert study.latest.questions == len(claims)
    assert study.latest.decided == sum(claim.is_decided for claim in claims)
    assert (study.latest.decided == len(claims)) is (blocks == FIRST_VERDICT)


def test_a_claim_about_a_contender_that_died_costs_no_further_blocks(tmp_path: Path) -> None:
    lost = {"graphql-graphene": range(3, 100)}
    study = FabricatedStudy(tmp_path, EQUAL, lost=lost, until="claims")

    study.measure()

    assert max(study.blocks.values()) <= MOST_LOST + 3


@pytest.mark.parametrize(("enough", "died", "expected"), [(7, 100, 7), (2, 100, 4), (99, 3, 5)])
def test_who_runs_a_study_can_say_what_is_enough(
    tmp_path: Path, enough: int, died: int, expected: int
) -> None:
    lost = {name: range(died, 200) for name in THREE}
    study = FabricatedStudy(tmp_path, lost=lost)

    study.measure(is_enough=lambda pairs: min(pair.comparison.blocks for pair in pairs) >= enough)

    assert set(study.blocks.values()) == {expected}

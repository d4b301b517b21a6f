"""Who is up at once: all, overlapping groups where memory is short, or each alone."""

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from tests.support.laboratory import measure, reasons
from wirelab.analysis import analyse
from wirelab.analysis.cautions.runs import RanApart
from wirelab.bundle import Bundle
from wirelab.bundle.run_reasons import TooLittleDisk, TooLittleMemory
from wirelab.experiment.place import Placement
from wirelab.experiment.preparation.verifier import Verifier
from wirelab.lab.environments.environment import InContainer
from wirelab.lab.stores.postgresql import PostgresqlStore

if TYPE_CHECKING:
    from wirelab.experiment.preparation.launcher import Launcher
    from wirelab.lab.contenders.running import RunningContender
    from wirelab.lab.stores.store_manager import StoreManager

GB = 10**9


def sessions(bundle: Bundle) -> list[list[set[str]]]:
    """Return who was up at once: the registrations of each session of each block."""
    found = []
    for block in bundle.last_attempts():
        numbers = sorted({run.session for run in block.runs})
        found.append(
            [
                {run.run.cell.registration for run in block.runs if run.session == number}
                for number in numbers
            ]
        )
    return found


def test_a_container_that_ended_during_its_verification_has_no_memory(tmp_path: Path) -> None:
    """The findings say that it ended; reading its memory must not hide them."""
    verifier = Verifier(cast("Launcher", None), cast("StoreManager", None), tmp_path, seed=1)
    ended = SimpleNamespace(counted={"contender": InContainer(2**22 - 1)})

    verifier._record_memory(Placement("good", "container"), cast("RunningContender", ended))

    assert verifier.memory_bytes == {}


def test_contenders_beyond_the_memory_are_measured_in_groups_that_share_the_baseline(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each is taken to need 1.25 GB under load: the baseline, its twin and one more fit.
    monkeypatch.setattr("wirelab.experiment.preparation.verifier.used_bytes", lambda _: GB)
    monkeypatch.setattr("wirelab.experiment.blocks.block.available_bytes", lambda: 4 * GB)

    bundle = measure(study, "good", "steady", "third").bundle

    assert reasons(bundle) == []
    for first, second in sessions(bundle):
        assert first & second == {"good", "good~twin"}
        assert first | second == {"good", "good~twin", "steady", "third"}
    analysis = analyse(bundle)
    (answer,) = analysis.answers
    compared = {frozenset((pair.a.contender, pair.b.contender)) for pair in answer.pairs}
    assert frozenset(("steady", "third")) in compared  # by way of the baseline
    assert {pair.comparison.blocks for pair in answer.pairs} == {2}
    (apart,) = (each for each in analysis.cautions if isinstance(each, RanApart))
    assert len(apart.reasons) == 2
    for why in apart.reasons:
        assert isinstance(why, TooLittleMemory)
        assert (why.groups, set(why.together)) == (2, {"good", "good~twin"})


def test_all_contenders_are_measured_separately_if_none_fits_beside_the_baseline(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirelab.experiment.preparation.verifier.used_bytes", lambda _: GB)
    monkeypatch.setattr("wirelab.experiment.blocks.block.available_bytes", lambda: 2 * GB)

    bundle = measure(study, "good", "steady", design="counting").bundle

    assert reasons(bundle) == []
    (alone,) = sessions(bundle)
    assert sorted(map(list, alone)) == [["good"], ["good~twin"], ["steady"]]
    (apart,) = (each for each in analyse(bundle).cautions if isinstance(each, RanApart))
    assert all(isinstance(it, TooLittleMemory) and not it.groups for it in apart.reasons)


def test_writes_are_measured_separately_on_a_store_that_cannot_copy_databases(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[tuple[str, int]] = []

    def cannot(_: PostgresqlStore, state: str, copies: int) -> str:
        requests.append((state, copies))
        return "no copies"

    monkeypatch.setattr(PostgresqlStore, "why_no_copies", cannot)

    bundle = measure(study, "good", "steady", design="counting").bundle

    assert requests == [("ten", 3)]
    assert reasons(bundle) == []
    (alone,) = sessions(bundle)
    assert sorted(map(list, alone)) == [["good"], ["good~twin"], ["steady"]]
    (apart,) = (each for each in analyse(bundle).cautions if isinstance(each, RanApart))
    assert apart.reasons == (TooLittleDisk(why="no copies"),)


def test_a_contender_that_writes_has_its_own_database(study: Path) -> None:
    bundle = measure(study, "good", "steady", design="counting").bundle

    # Otherwise a counter would be ahead of what was expected: a wrong answer.
    assert reasons(bundle) == []
    assert sessions(bundle) == [[{"good", "good~twin", "steady"}]]
    (block,) = bundle.last_attempts()
    assert block.apart == ()
    assert all(run.restore_s is not None for run in block.runs)

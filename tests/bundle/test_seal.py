"""The seal of a bundle: alterations are found, and a sudden end is none."""

from contextlib import suppress
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.support.bundles.samples import create, record_of, sealed_bundle
from tests.support.wording import assert_worded, raises_worded
from wirelab.bundle import Bundle, files
from wirelab.bundle.files import flush_folder
from wirelab.experiment.events import Observer
from wirelab.experiment.study import keep_bundle
from wirelab.inputs.problems import ProblemsError
from wirelab.planning.plan import PlannedStudy
from wirelab.study.loads import ClosedLoad


def test_a_sealed_bundle_is_intact_until_it_is_changed(tmp_path: Path) -> None:
    bundle = create(tmp_path / "bundle", blocks=2)
    for block in bundle.schedule.blocks:
        bundle.record_block(record_of(block))
    assert [problem.path for problem in bundle.check()] == ["hashes.json"]
    bundle.seal()
    digest = bundle.digest

    assert bundle.check() == []
    assert bundle.info.status == "complete"
    assert digest is not None
    assert len(digest) == 64

    record = bundle.path / "blocks" / "block-1" / "block.json"
    record.write_text(record.read_text().replace("valid", "VALID"))
    (bundle.path / "blocks" / "block-2" / "block.json").unlink()
    (bundle.path / "extra.txt").write_text("new")
    (bundle.path / "study" / "claims.toml").symlink_to("/etc/hostname")

    assert_worded("\n".join(map(str, bundle.check())))


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    """A sealed one of one block."""
    return sealed_bundle(tmp_path / "bundle")


def alter(bundle: Bundle) -> None:
    record = bundle.path / "blocks" / "block-1" / "block.json"
    record.write_text(record.read_text() + "\n")


def test_an_altered_bundle_is_not_resumed_and_keeps_its_seal(bundle: Bundle) -> None:
    alter(bundle)
    sealed = (bundle.path / "hashes.json").read_bytes()

    with raises_worded(ProblemsError):
        Bundle.resume(bundle.path)

    assert (bundle.path / "hashes.json").read_bytes() == sealed
    Bundle.resume(bundle.path, accept_changes=True).close()


@pytest.mark.parametrize("damage", ["truncated", "shortened", "removed"])
def test_a_damaged_list_of_hashes_is_an_alteration(bundle: Bundle, damage: str) -> None:
    hashes = bundle.path / "hashes.json"
    if damage == "truncated":
        hashes.write_bytes(hashes.read_bytes()[:100])
    elif damage == "shortened":
        hashes.write_text("{}")
    else:
        hashes.unlink()

    assert bundle.alterations()
    with pytest.raises(ProblemsError, match="--accept-changes"):
        Bundle.resume(bundle.path)


@pytest.mark.parametrize("last_step", ["write_atomically", "finish_seal", "break_seal", "rmtree"])
def test_a_sudden_end_while_sealing_or_unsealing_is_no_alteration(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch, last_step: str
) -> None:
    (bundle.path / "blocks" / ".partial-block-9").mkdir()
    place = "shutil" if last_step == "rmtree" else "wirelab.bundle.folder"
    place += ".files" if last_step == "write_atomically" else ""

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, Bundle.resume(bundle.path) as resumed:
        if last_step in {"break_seal", "rmtree"}:
            patch.setattr(f"{place}.{last_step}", die)
        with suppress(KeyboardInterrupt):
            resumed.unseal()
            patch.setattr(f"{place}.{last_step}", die)
            resumed.seal()

    assert bundle.alterations() == []
    with Bundle.resume(bundle.path) as resumed:
        resumed.unseal()
        resumed.seal()
    assert bundle.check() == []
    assert bundle.info.accepted_changes == ()


def test_accepted_changes_stay_on_record_through_later_seals(bundle: Bundle) -> None:
    alter(bundle)
    for _ in range(2):
        with Bundle.resume(bundle.path, accept_changes=True) as resumed:
            resumed.unseal()
            resumed.seal()

    assert bundle.alterations() == []
    assert [each.path for each in bundle.info.accepted_changes] == ["blocks/block-1/block.json"]


def test_a_resumed_bundle_that_nothing_is_written_to_keeps_its_seal(bundle: Bundle) -> None:

    Bundle.resume(bundle.path).close()

    assert bundle.check() == []


@pytest.mark.parametrize("flush", range(6))
def test_an_interrupt_while_sealing_leaves_a_complete_or_a_resumable_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flush: int
) -> None:
    bundle = create(tmp_path / "bundle", blocks=1)
    flushes = count()

    def interrupted(folder: Path) -> None:
        flush_folder(folder)
        if next(flushes) == flush:
            raise KeyboardInterrupt

    load = ClosedLoad(kind="closed", title="one client", clients=1)
    loads = {cell.load: load for cell in bundle.schedule.cells}
    study = SimpleNamespace(loads=loads, titles={})
    plan = cast("PlannedStudy", SimpleNamespace(schedule=bundle.schedule, study=study))
    with keep_bundle(plan, bundle, Observer(), {}) as outcome:
        monkeypatch.setattr(files, "flush_folder", interrupted)

    left = Bundle.open(bundle.path)
    assert left.alterations() == []
    assert left.info.status == ("interrupted" if outcome.interrupted else "complete")
    assert next(flushes) > 0
    with Bundle.resume(bundle.path):
        pass

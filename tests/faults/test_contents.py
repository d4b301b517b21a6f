"""Bundles are compared by what they have of each run, not by their figures."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.faults.contents import Contents, contents, differences
from tests.support.bundles.reasons import IT_DIED
from tests.support.bundles.samples import create, record_of
from wirelab.bundle import RoleUsage, SessionRecord


def measured(
    folder: Path, blocks: Collection[int] = (1, 2), file: str = "result.json", **changes: Any
) -> dict[str, Contents]:
    """Return what a bundle of these blocks has."""
    with create(folder, blocks=2) as bundle:
        for block in bundle.schedule.blocks:
            if block.number in blocks:
                session = bundle.partial_block(block.id) / "1"
                session.mkdir()
                (session / file).write_text("{}")
                record = record_of(block, **changes)
                without_slices = (SessionRecord(),)
                bundle.record_block(record.model_copy(update={"sessions": without_slices}))
        return contents(bundle)


def test_other_figures_make_no_difference(tmp_path: Path) -> None:
    found = measured(tmp_path / "one", roles={"contender": RoleUsage(cpu_us=7.0)}, start_s=9.0)

    assert sorted(found) == ["run-1", "run-2"]
    assert list(differences(found, measured(tmp_path / "other"))) == []


def test_a_run_too_few_and_one_too_many_are_named(tmp_path: Path) -> None:
    one, both = measured(tmp_path / "one", blocks=[1]), measured(tmp_path / "both")

    assert list(differences(one, both)) == ["run-2 is missing"]
    (surplus,) = differences(both, one)
    assert surplus.startswith("run-2 belongs")


def test_another_cell_and_other_keys_and_files_are_named(tmp_path: Path) -> None:
    usual = measured(tmp_path / "usual")
    moved = {**usual, "run-1": replace(usual["run-1"], place="elsewhere")}
    roles = measured(tmp_path / "roles", roles={})
    files = measured(tmp_path / "files", file="other.json")

    assert [it.partition(", ")[0] for it in differences(moved, usual)] == ["run-1 is elsewhere"]
    for other, named in ((roles, " has roles: "), (files, " has files: other.json")):
        one, two = differences(other, usual)
        assert (named in one, named in two) == (True, True)


def test_only_the_place_of_a_run_that_does_not_count_is_compared(tmp_path: Path) -> None:
    lost = measured(tmp_path / "lost", status="invalid", reasons=(IT_DIED,), roles={})

    assert list(differences(lost, measured(tmp_path / "usual"))) == []

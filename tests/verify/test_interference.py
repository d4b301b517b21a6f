"""Which reads of a mix the mix's own writes change, as the reference of the domain says."""

from typing import Any

from wirelab.domain import Dataset
from wirelab.study import Workload
from wirelab.verify import changed_reads


def part(operation: str, sets: int, parameters: dict[str, Any] | None = None) -> Workload:
    return Workload(
        title=operation, operation=operation, parameter_sets=sets, parameters=parameters or {}
    )


ALL = part("read", 8)


def changed(dataset: Dataset, **parts: Workload) -> list[tuple[str, int]]:
    sets = {name: each.parameter_sets for name, each in parts.items()}
    return sorted(changed_reads(dataset, parts, sets, seed=1))


def test_a_read_of_what_is_written_is_found_and_no_other(dataset: Dataset) -> None:
    operations = dataset.domain.operations
    written = {each["id"] for each in dataset.draw(operations["update"], 3, 1)}
    read = [each["id"] for each in dataset.draw(operations["read"], 8, 1)]

    found = changed(dataset, all=ALL, update=part("update", 3))

    assert found == [("all", number) for number, note in enumerate(read) if note in written]
    assert len(found) == 3


def test_a_read_that_is_refused_afterwards_is_changed(dataset: Dataset) -> None:
    assert len(changed(dataset, all=ALL, delete=part("delete", 8))) == 8


def test_only_the_writes_that_the_mix_sends_count(dataset: Dataset) -> None:
    parts = {"all": ALL, "update": part("update", 3)}

    assert len(changed_reads(dataset, parts, {"all": 8, "update": 1}, seed=1)) == 1


def test_a_list_of_all_notes_is_changed_by_any_write(dataset: Dataset) -> None:
    everything = part("list", 1, {"limit": 8})

    assert changed(dataset, list=everything, update=part("update", 1)) == [("list", 0)]


def test_reads_alone_and_writes_alone_change_nothing(dataset: Dataset) -> None:
    assert changed(dataset, one=ALL, other=part("list", 1)) == []
    assert changed(dataset, one=part("update", 3), other=part("delete", 3)) == []

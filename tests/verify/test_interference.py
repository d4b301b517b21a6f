"""Which reads of a mix the mix's own writes change, as the reference of the domain says."""

from dataclasses import dataclass, field

from wirelab.domain import Dataset
from wirelab.verify import changed_reads


@dataclass(frozen=True)
class Part:
    """A workload as verification looks at it."""

    operation: str
    parameter_sets: int
    parameters: dict[str, object] = field(default_factory=dict)
    instances: bool = False
    instances_from: str = ""
    inline: bool = False


ALL = Part("read", 8)


def changed(dataset: Dataset, **parts: Part) -> list[tuple[str, int]]:
    sets = {name: part.parameter_sets for name, part in parts.items()}
    return sorted(changed_reads(dataset, parts, sets, seed=1))


def test_a_read_of_what_is_written_is_found_and_no_other(dataset: Dataset) -> None:
    operations = dataset.domain.operations
    written = {each["id"] for each in dataset.draw(operations["update"], 3, 1)}
    read = [each["id"] for each in dataset.draw(operations["read"], 8, 1)]

    found = changed(dataset, all=ALL, update=Part("update", 3))

    assert found == [("all", number) for number, note in enumerate(read) if note in written]
    assert len(found) == 3


def test_a_read_that_is_refused_afterwards_is_changed(dataset: Dataset) -> None:
    assert len(changed(dataset, all=ALL, delete=Part("delete", 8))) == 8


def test_only_the_writes_that_the_mix_sends_count(dataset: Dataset) -> None:
    parts = {"all": ALL, "update": Part("update", 3)}

    assert len(changed_reads(dataset, parts, {"all": 8, "update": 1}, seed=1)) == 1


def test_a_list_of_all_notes_is_changed_by_any_write(dataset: Dataset) -> None:
    everything = Part("list", 1, {"limit": 8})

    assert changed(dataset, list=everything, update=Part("update", 1)) == [("list", 0)]


def test_reads_alone_and_writes_alone_change_nothing(dataset: Dataset) -> None:
    assert changed(dataset, one=ALL, other=Part("list", 1)) == []
    assert changed(dataset, one=Part("update", 3), other=Part("delete", 3)) == []

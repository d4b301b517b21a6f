"""What a bundle has of each run: the same, whether its study was disturbed and resumed or not."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from wirelab.bundle import Bundle


@dataclass(frozen=True, slots=True)
class Contents:
    """One run. `measured` is empty if the run does not count."""

    place: str
    """Its block, and its cell: contender, workload, store, load and so on."""
    measured: tuple[str, ...]
    """The session it belongs to, the keys of its record, and the files of its session."""


def contents(bundle: Bundle) -> dict[str, Contents]:
    """Return what there is of each run of a bundle, by its id."""
    slices = bundle.slices()
    counted: dict[tuple[str, int], int] = {}
    if not slices.empty:  # each run had a window
        counted = slices[slices["recorded"]].groupby(["run_id", "attempt"]).size().to_dict()
    found = {}
    for block in bundle.last_attempts():
        for run in block.runs:
            measured: list[str] = []
            if run.status == "valid":
                folder = bundle.path / block.run_folder(run)
                files = (str(path.relative_to(folder)) for path in folder.rglob("*"))
                measured = [
                    f"session {run.session}",
                    f"slices: {counted.get((run.run.id, block.attempt), 0)}",
                    f"roles: {', '.join(sorted(run.roles))}",
                    f"context: {', '.join(sorted(run.context))}",
                    f"files: {', '.join(sorted(files))}",
                ]
            place = f"{block.block.id}, number {block.block.number}: {asdict(run.run.cell)}"
            found[run.run.id] = Contents(place, tuple(measured))
    return found


def differences(found: Mapping[str, Contents], usual: Mapping[str, Contents]) -> Iterator[str]:
    """Say what a bundle lacks, or has besides, compared with that of an undisturbed study."""
    for run in sorted(usual.keys() - found.keys()):
        yield f"{run} is missing"
    for run in sorted(found.keys() - usual.keys()):
        yield f"{run} belongs to no undisturbed study"
    for run in sorted(found.keys() & usual.keys()):
        have, expected = found[run], usual[run]
        if have.place != expected.place:
            yield f"{run} is {have.place}, undisturbed {expected.place}"
        if have.measured:
            pairs = zip(have.measured, expected.measured, strict=True)
            yield from (
                f"{run} has {it}, undisturbed {other}" for it, other in pairs if it != other
            )

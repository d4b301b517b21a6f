"""How long measuring took, and how many comparisons share the correction."""

from collections.abc import Iterator, Sequence

from wirelab import words
from wirelab.bundle import BlockRecord


def extent(records: Sequence[BlockRecord], family: int) -> tuple[str, ...]:
    """Describe both in sentences; `records` are all attempts, `family` counts compared pairs."""
    return tuple(_sentences(records, family))


def _sentences(records: Sequence[BlockRecord], family: int) -> Iterator[str]:
    if records:
        minutes = [record.seconds / 60 for record in records]
        low, high = words.significant(min(minutes), 2), words.significant(max(minutes), 2)
        yield (
            f"Blocks took {words.significant(sum(minutes))} minutes in all:"
            f" {words.plural(len(records), 'block')}, repeated ones included, of"
            f" {low if low == high else f'{low} to {high}'} minutes."
        )
    if family:
        yield f"Holm's correction covers {words.plural(family, 'comparison')}."

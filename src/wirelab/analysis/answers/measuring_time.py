"""How long measuring took, and how many comparisons share the correction."""

from collections.abc import Iterator, Sequence

from wirelab.bundle import BlockRecord
from wirelab.terminal import words


def extent(records: Sequence[BlockRecord], family: int) -> tuple[str, ...]:
    """Describe both in sentences; `records` are all attempts, `family` counts compared pairs."""
    return tuple(_sentences(records, family))


def _sentences(records: Sequence[BlockRecord], family: int) -> Iterator[str]:
    if records:
        seconds = [record.seconds for record in records]
        low, high = _time(min(seconds)), _time(max(seconds))
        repeated = sum(record.attempt > 1 for record in records)
        again = f" ({repeated} of them repeated)" if repeated else ""
        yield (
            f"{words.plural(len(records), 'block')}{again} took {_time(sum(seconds))} in all,"
            f" {low if low == high else f'{low} to {high}'} each."
        )
    if family:
        yield f"Holm's correction covers {words.plural(family, 'comparison')}."


def _time(seconds: float) -> str:
    """Render a time in seconds, or from two minutes on in minutes."""
    if seconds < 120:
        return f"{words.significant(seconds, 2)} s"
    return f"{words.significant(seconds / 60, 2)} min"

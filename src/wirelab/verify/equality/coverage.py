"""How much of its answers a comparison covers: the values that could be wrong without being seen.

A value is covered if the comparison sees a change of it. Each part of an answer is changed, and
the common shape of what results is compared with that of the answer itself. So it does not matter
by what expression a part is projected, or why it is not.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from wirelab.domain import pointer
from wirelab.domain.model import Common
from wirelab.verify.equality.common_shape import (
    ShapeError,
    is_within,
    shape,
    shape_differences,
)

MOST_KEYS = 50
"""An object with more keys has data as keys: its values are one part."""
MINIMUM_ITEMS = 2

Part = tuple[str, ...]
"""A place in an answer, with `*` for every item of a list."""


@dataclass
class AnswerSample:
    """The values in the answers of a contender by part, and examples that have all parts."""

    counts: Counter[Part] = field(default_factory=Counter)
    examples: list[object] = field(default_factory=list)

    def add(self, answer: object) -> None:
        """Add an answer, as the protocol represents it."""
        counts = Counter(_parts(answer, ()))
        if counts.keys() - self.counts.keys():
            self.examples.append(_shortened(answer))
        self.counts += counts

    @property
    def total(self) -> int:
        """The number of values in all answers."""
        return self.counts.total()

    @property
    def parts(self) -> list[str]:
        """The parts of all answers."""
        return ["/".join(part) for part in self.counts]

    def unseen(self, common: Common, protocol: str, varying: Collection[str]) -> dict[str, int]:
        """Return the parts that are not compared, and how many values they have.

        `varying` are the parts of the common shape that are not compared because they vary.
        """
        left, unseen = set(self.counts), {}
        for example in self.examples:
            for part in sorted(left & set(_parts(example, ()))):
                left.discard(part)
                if not _is_seen(common, protocol, example, part, varying):
                    unseen["/".join(part)] = self.counts[part]
        return unseen


def undeclared(common: Common, unseen: dict[str, int]) -> int:
    """Return the number of values in parts that are not compared, and that are not `ignored`."""
    return sum(
        count
        for part, count in unseen.items()
        if not any(is_within(part, each) for each in common.ignored)
    )


def _is_seen(
    common: Common, protocol: str, answer: object, part: Part, varying: Collection[str]
) -> bool:
    one = shape(common, protocol, answer)
    try:
        other = shape(common, protocol, _altered(answer, part))
    except ShapeError:
        return True
    return any(True for _ in shape_differences(common, one, other, varying))


def _parts(value: object, part: Part) -> Iterator[Part]:
    """Yield the part of each value that is not empty."""
    if isinstance(value, dict):
        has_data_as_keys = len(value) > MOST_KEYS
        for key, item in value.items():
            yield from _parts(item, (*part, pointer.STAR if has_data_as_keys else str(key)))
    elif isinstance(value, list):
        for item in value:
            yield from _parts(item, (*part, pointer.STAR))
    elif value is not None and value != "":
        yield part


def _altered(value: object, part: Part) -> object:
    """Return an answer with other values in one of its parts."""
    if not part:
        return _other(value)
    token, *rest = part
    if isinstance(value, dict):
        return {
            key: _altered(item, tuple(rest)) if token in (pointer.STAR, str(key)) else item
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_altered(item, tuple(rest)) for item in value]
    return value


def _other(value: object) -> object:
    if isinstance(value, bool):
        return not value
    return value if value is None or isinstance(value, dict | list) else f"not {value}"


def _shortened(value: object) -> object:
    """Return an answer without the items of lists that have no other parts than those before."""
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    kept: list[object] = []
    known: set[Part] = set()
    for item in value:
        parts = set(_parts(item, ()))
        if len(kept) < MINIMUM_ITEMS or parts - known:
            kept.append(_shortened(item))
        known |= parts
    return kept

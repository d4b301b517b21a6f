"""Values of earlier answers, such as ids, that reference and contender each create themselves."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wirelab.domain.pointer import find
from wirelab.protocol.template import fill
from wirelab.verify.reference.comparison import AgreedCall


@dataclass(slots=True)
class Remembered:
    """The values remembered so far in a sequence of calls, on both sides."""

    reference: dict[str, object] = field(default_factory=dict)
    contender: dict[str, object] = field(default_factory=dict)
    same: list[tuple[object, object]] = field(default_factory=list)
    """The pairs of equivalent values, including those that newer ones have replaced."""

    def filled(self, template: Mapping[str, object]) -> list[dict[str, object]]:
        """Fill a template for the reference, and for the contender."""
        return [
            {name: fill(value, values) for name, value in template.items()}
            for values in (self.reference, self.contender)
        ]

    def keep(self, paths: Mapping[str, str], agreed: AgreedCall) -> None:
        """Remember parts of two answers that agree."""
        for name, path in paths.items():
            pair = find(agreed.expected, path), find(agreed.got, path)
            self.reference[name], self.contender[name] = pair
            self.same.append(pair)

"""A caution: a threat to validity that was found automatically, as a kind with its facts."""

import re
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, NamedTuple

Severity = Literal["serious", "minor"]
_WORD = re.compile(r"(?<!^)(?=[A-Z])")


class At(NamedTuple):
    """A contender in a setting, with the text of its figures."""

    label: str
    setting: str
    figures: str = ""

    def __str__(self) -> str:
        """Name it, with its figures in brackets."""
        named = f"{self.label} at “{self.setting}”"
        return f"{named} ({self.figures})" if self.figures else named


@dataclass(frozen=True)
class Caution:
    """A warning that limits what the results mean. Each subclass is a kind, with its facts."""

    SEVERITY: ClassVar[Severity] = "minor"
    TITLE: ClassVar[str] = ""

    @property
    def kind(self) -> str:
        """The name of the class: `NoTwin` is "no twin"."""
        return _WORD.sub(" ", type(self).__name__).lower()

    @property
    def severity(self) -> Severity:
        """Whether it may change the meaning of the results, or only limits them."""
        return self.SEVERITY

    @property
    def title(self) -> str:
        """What was found."""
        return self.TITLE

    @property
    def detail(self) -> str:
        """Where, how much, and what to do: sentences, the last without its full stop."""
        return self._detail()

    def _detail(self) -> str:
        raise NotImplementedError

    def record(self) -> dict[str, Any]:
        """Return kind, facts and words, for report.json."""
        said = {"severity": self.severity, "title": self.title, "detail": self.detail}
        facts = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"kind": self.kind, **said, "facts": facts}

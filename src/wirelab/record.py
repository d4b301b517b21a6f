"""The base classes of what wirelab writes to files: records, and records of several kinds."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

_WORD = re.compile(r"(?<!^)(?=[A-Z])")


class Record(BaseModel):
    """A value read from or written to a file: frozen, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Kind(Record):
    """The base class of a family of records: each subclass is a kind, with its own facts.

    A file has the name of the kind as the key `kind`; reading a field whose type is the family
    returns the record of that kind. Such a field must be `SerializeAsAny`.
    """

    kind: ClassVar[str]
    """The name of the class: `SomeRefused` is "some refused"."""
    says: ClassVar[str] = ""
    """What it says as text, with the names of facts in braces; "" if `_words` returns that."""

    def __str__(self) -> str:
        """Say what the facts are."""
        return self._words()

    def _words(self) -> str:
        return self.says.format_map(vars(self))

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        cls.kind = _WORD.sub(" ", cls.__name__).lower()

    @classmethod
    def kinds(cls) -> Iterator[type[Self]]:
        """Return the kinds of this family."""
        for each in cls.__subclasses__():
            yield each
            yield from each.kinds()

    @model_validator(mode="wrap")
    @classmethod
    def _of_its_kind(cls, value: Any, make: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(value, Mapping) or "kind" not in value:
            return make(value)
        facts = {key: each for key, each in value.items() if key != "kind"}
        if value["kind"] == cls.kind:
            return make(facts)
        known = {each.kind: each for each in cls.kinds()}
        if value["kind"] not in known:
            raise ValueError(f"one of {', '.join(sorted(known))} as kind")
        return known[value["kind"]].model_validate(facts)

    @model_serializer(mode="wrap")
    def _with_its_kind(self, facts: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {"kind": self.kind, **facts(self)}


def kind_names() -> frozenset[str]:
    """Return the names of all kinds, which reading a file needs."""
    return frozenset(each.kind for each in Kind.kinds())

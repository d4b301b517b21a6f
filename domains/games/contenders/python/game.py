"""What a game is: one model that every contender of this stack accepts, keeps and answers."""

from datetime import date
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

Document: TypeAlias = dict[str, Any]
"""A game as the store keeps it and the protocols answer it: plain JSON values."""

LARGEST_LIST = 1000

RefusalKind = Literal["not_found", "invalid"]


class Refusal(Exception):
    """The operation cannot be carried out, and the client can know why."""

    def __init__(self, kind: RefusalKind, detail: str) -> None:
        self.kind = kind
        self.detail = detail
        super().__init__(detail)


def not_found(game_id: str) -> Refusal:
    """Say that no game has this id."""
    return Refusal("not_found", f"no game has the id {game_id!r}")


def _is_iso_date(text: str) -> str:
    date.fromisoformat(text)
    return text


# A game must be sayable in every protocol: XML 1.0 knows no other control characters than tab and
# the line ends, and PostgreSQL no NUL in a JSONB document.
Text = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]*$")]
Name = Annotated[Text, Field(min_length=1)]
IsoDate = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_is_iso_date)]
Texts = Annotated[list[Text], BeforeValidator(lambda value: [] if value is None else value)]
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class GameInput(BaseModel):
    """A game as a client writes it: everything but the id."""

    model_config = ConfigDict(extra="forbid")

    url: Text | None = None
    name: Name
    types: Text | None = None
    desc_snippet: Text | None = None
    recent_reviews: Text | None = None
    all_reviews: Text | None = None
    release_date: IsoDate | None = None
    developer: Text | None = None
    publisher: Text | None = None
    popular_tags: Texts = []
    game_details: Texts = []
    languages: Texts = []
    achievements: Count | None = None
    genre: Texts = []
    game_description: Text | None = None
    mature_content: Text | None = None
    minimum_requirements: Text | None = None
    recommended_requirements: Text | None = None
    original_price: Price | None = None
    discount_price: Price | None = None


FIELDS = ("id", *GameInput.model_fields)
"""The fields of a game in the order in which people, and XML, write them."""

LIST_FIELDS = frozenset(
    name for name, field in GameInput.model_fields.items() if field.default == []
)


def game_from(value: object, *, strict: bool = True) -> Document:
    """Check plain JSON values and give the whole game; Refusal lists everything wrong.

    Not strict: numbers may still be text, as XML brings them.
    """
    try:
        return GameInput.model_validate(value, strict=strict).model_dump()
    except ValidationError as error:
        problems = (
            f"{'.'.join(map(str, item['loc'])) or 'game'}: {item['msg']}"
            for item in error.errors(include_url=False, include_input=False)
        )
        raise Refusal("invalid", "; ".join(problems)) from error


def id_from(value: object) -> str:
    """Check that an id is text; whether a game has it only the store knows."""
    if isinstance(value, str) and value.isprintable() and value:
        return value
    raise Refusal("invalid", "id: must be printable text")


def limit_from(value: object) -> int:
    """Check how many games are asked for."""
    if type(value) is int and 1 <= value <= LARGEST_LIST:
        return value
    raise Refusal("invalid", f"limit: must be a whole number from 1 to {LARGEST_LIST}")

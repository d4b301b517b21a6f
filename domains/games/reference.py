"""The games domain in memory: what every contender must answer.

It shares no code with the contenders, so that a mistake of theirs is not a mistake of both.
"""

import re
from collections.abc import Callable
from datetime import date
from math import isfinite
from typing import Any
from uuid import uuid4

from wirelab.domain import Refused

Game = dict[str, Any]

LARGEST_COUNT = 2**31 - 1
LARGEST_LIST = 1000
UNSAYABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not UNSAYABLE.search(value)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_date(value: object) -> bool:
    if not isinstance(value, str) or len(value) != len("2016-05-12"):
        return False
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _is_number(value: object, kinds: tuple[type, ...], largest: float) -> bool:
    return type(value) in kinds and isfinite(value) and 0 <= value <= largest  # type: ignore[arg-type]


def _is_count(value: object) -> bool:
    return _is_number(value, (int,), LARGEST_COUNT)


def _is_price(value: object) -> bool:
    return _is_number(value, (int, float), float("inf"))


FIELDS: dict[str, Callable[[object], bool]] = {
    "url": _is_text,
    "name": _is_text,
    "types": _is_text,
    "desc_snippet": _is_text,
    "recent_reviews": _is_text,
    "all_reviews": _is_text,
    "release_date": _is_date,
    "developer": _is_text,
    "publisher": _is_text,
    "popular_tags": _is_texts,
    "game_details": _is_texts,
    "languages": _is_texts,
    "achievements": _is_count,
    "genre": _is_texts,
    "game_description": _is_text,
    "mature_content": _is_text,
    "minimum_requirements": _is_text,
    "recommended_requirements": _is_text,
    "original_price": _is_price,
    "discount_price": _is_price,
}


class Reference:
    """The games of one data set, and what may be done with them."""

    def __init__(self, tables: dict[str, list[Game]]) -> None:
        self._games = {game["id"]: dict(game) for game in tables["game"]}

    def call(self, operation: str, parameters: dict[str, Any]) -> object:
        """Carry out one operation; Refused where every contender must refuse as well."""
        method: Callable[..., object] = getattr(self, f"_{operation}")
        return method(**parameters)

    def _ping(self) -> str:
        return "ok"

    def _create(self, game: Game) -> dict[str, str]:
        return {"id": self._keep(uuid4().hex, game)["id"]}

    def _create_echoed(self, game: Game) -> Game:
        return self._keep(uuid4().hex, game)

    def _read(self, id: str) -> Game:  # noqa: A002
        return self._games[self._known(id)]

    def _update(self, id: str, game: Game) -> Game:  # noqa: A002
        return self._keep(self._known(id), game)

    def _delete(self, id: str) -> str:  # noqa: A002
        del self._games[self._known(id)]
        return id

    def _list(self, limit: int) -> list[Game]:
        if type(limit) is not int or not 1 <= limit <= LARGEST_LIST:
            raise Refused("invalid")
        return [self._games[key] for key in sorted(self._games)[:limit]]

    def _known(self, game_id: str) -> str:
        if game_id not in self._games:
            raise Refused("not_found")
        return game_id

    def _keep(self, game_id: str, game: Game) -> Game:
        given = {name: value for name, value in game.items() if value is not None}
        if not given.get("name") or not all(
            name in FIELDS and FIELDS[name](value) for name, value in given.items()
        ):
            raise Refused("invalid")
        self._games[game_id] = {**given, "id": game_id}
        return self._games[game_id]

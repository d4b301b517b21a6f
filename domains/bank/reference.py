"""What is right in the bank domain: a plain implementation in memory, over the generated rows."""

import re
from collections.abc import Callable
from datetime import date
from itertools import count
from typing import Any

from wirelab.domain import Refused

Row = dict[str, Any]

FIRST_ID = 100_000_001
LARGEST_INTEGER = 2**31 - 1
LARGEST_INSERTION = 10_000
LONGEST_TEXT = 200
KINDS = ("purchase", "transfer", "withdrawal", "deposit", "fee", "interest")
UNSAYABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def _is_integer(value: object, least: int) -> bool:
    return type(value) is int and least <= value <= LARGEST_INTEGER


def _is_text(value: object) -> bool:
    return (
        isinstance(value, str)
        and 1 <= len(value) <= LONGEST_TEXT
        and UNSAYABLE.search(value) is None
    )


def _is_date(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


FIELDS: dict[str, Callable[[Any], bool]] = {
    "account_id": lambda value: _is_integer(value, 1),
    "booked_on": _is_date,
    "kind": lambda value: value in KINDS,
    "amount_cents": lambda value: value != 0 and _is_integer(value, -LARGEST_INTEGER),
    "reference": _is_text,
    "description": _is_text,
}


class Reference:
    """The bank of one data set, and what may be done with it."""

    def __init__(self, tables: dict[str, list[Row]]) -> None:
        self._movements = {row["id"]: row for row in tables["movement"]}
        self._accounts = {row["id"]: row for row in tables["account"]}
        self._customers = {row["id"]: row for row in tables["customer"]}
        self._free_ids = count(FIRST_ID)

    def call(self, operation: str, parameters: dict[str, Any]) -> object:
        """Carry out one operation; Refused where every contender must refuse as well."""
        method: Callable[..., object] = getattr(self, f"_{operation}")
        return method(**parameters)

    def _ping(self) -> str:
        return "ok"

    def _insert_movements(self, movements: list[Row], **_drawn: int) -> list[int]:
        if not 1 <= len(movements) <= LARGEST_INSERTION or not all(map(self._right, movements)):
            raise Refused("invalid")
        ids = [next(self._free_ids) for _ in movements]
        self._movements |= {
            key: {"id": key, **movement} for key, movement in zip(ids, movements, strict=True)
        }
        return ids

    def _right(self, movement: Row) -> bool:
        return (
            movement.keys() == FIELDS.keys()
            and all(right(movement[name]) for name, right in FIELDS.items())
            and movement["account_id"] in self._accounts
        )

    def _read_movement(self, id: int) -> Row:  # noqa: A002
        if id not in self._movements:
            raise Refused("not_found")
        return self._movements[id]

    def _list_movements(self, records: int) -> list[Row]:
        if not 1 <= records <= len(self._movements):
            raise Refused("invalid")
        return [self._movements[key] for key in sorted(self._movements)[:records]]

    def _list_movements_with_accounts(self, records: int) -> list[Row]:
        return [
            {**movement, "account": self._accounts[movement["account_id"]]}
            for movement in self._list_movements(records)
        ]

    def _list_movements_with_customers(self, records: int) -> list[Row]:
        return [
            {**movement, "account": self._with_customer(movement["account"])}
            for movement in self._list_movements_with_accounts(records)
        ]

    def _with_customer(self, account: Row) -> Row:
        return {**account, "customer": self._customers[account["customer_id"]]}

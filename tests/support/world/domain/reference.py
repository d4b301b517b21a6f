"""What the counters are."""

from typing import Any

from wirelab.domain import Refused


class Reference:
    """The counters in memory."""

    def __init__(self, tables: dict[str, list[dict[str, Any]]]) -> None:
        self.rows = {row["id"]: row for row in tables["counter"]}

    def call(self, operation: str, parameters: dict[str, Any]) -> object:
        if operation == "ping":
            return "ok"
        if parameters["id"] not in self.rows:
            raise Refused("not_found")
        if operation == "count":
            self.rows[parameters["id"]]["value"] += 1
        return self.rows[parameters["id"]]

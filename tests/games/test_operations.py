"""Every operation, in every protocol, by a client of other people's making."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.games.catalogue import Game, game, without_absent
from tests.games.standing import GAMES, fill
from tests.support.callers import RefusedError
from tests.support.clients import Client
from wirelab.domain import load_reference
from wirelab.lab.stores.store import Database

pytestmark = pytest.mark.parametrize("store", ["postgresql", "mongodb"], indirect=True)


@pytest.fixture
def reference(games: list[Game]) -> Any:
    rows: Any = SimpleNamespace(tables={"game": games})
    return load_reference(GAMES, rows)


def test_the_control_answers_without_a_game(client: Client) -> None:
    assert client.ask("ping") == "ok"


def test_every_game_equals_that_of_the_reference(
    client: Client, reference: Any, games: list[Game]
) -> None:
    for row in games:
        assert without_absent(client.ask("read", id=row["id"])) == without_absent(
            reference.call("read", {"id": row["id"]})
        )


@pytest.mark.parametrize("limit", [1, 7, 30, 1000])
def test_lists_start_with_the_smallest_id(client: Client, reference: Any, limit: int) -> None:
    assert without_absent(client.ask("list", limit=limit)) == without_absent(
        reference.call("list", {"limit": limit})
    )


def test_the_life_of_a_game(client: Client, games: list[Game]) -> None:
    game_id = client.ask("create", game=game(77))
    assert game_id not in {row["id"] for row in games}
    assert without_absent(client.ask("read", id=game_id)) == without_absent(
        {"id": game_id, **game(77)}
    )

    updated = client.ask("update", id=game_id, game={"name": "Only this"})
    assert without_absent(updated) == {"id": game_id, "name": "Only this"}
    assert without_absent(client.ask("read", id=game_id)) == without_absent(updated)

    assert client.ask("delete", id=game_id) == game_id
    with pytest.raises(RefusedError, match="not_found"):
        client.ask("read", id=game_id)
    assert len(client.ask("list", limit=1000)) == len(games)


def test_each_created_game_has_a_unique_id(client: Client, games: list[Game]) -> None:
    created = {client.ask("create", game=game(1)) for _ in range(3)}

    assert len(created) == 3


def test_a_created_game_is_answered_to_who_asks_for_it(client: Client, games: list[Game]) -> None:
    created = client.ask("create_echoed", game=game(1))

    assert without_absent(created) == without_absent({"id": created["id"], **game(1)})
    assert without_absent(client.ask("read", id=created["id"])) == without_absent(created)


def test_an_unknown_id_is_not_found(client: Client, games: list[Game]) -> None:
    for operation, body in (("read", {}), ("update", {"game": game(1)}), ("delete", {})):
        with pytest.raises(RefusedError, match="not_found"):
            client.ask(operation, id="no-such-game", **body)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "x", "achievements": -1},
        {"name": "x", "release_date": "soon"},
        {"name": "x", "release_date": "2021-02-29"},
        {"name": "x", "original_price": -0.01},
    ],
)
def test_a_wrong_game_is_invalid_and_changes_nothing(
    client: Client, reference: Any, games: list[Game], wrong: Game
) -> None:
    with pytest.raises(RefusedError, match="invalid"):
        client.ask("create", game=wrong)
    with pytest.raises(RefusedError, match="invalid"):
        client.ask("update", id=games[0]["id"], game=wrong)
    assert without_absent(client.ask("list", limit=1000)) == without_absent(
        reference.call("list", {"limit": 1000})
    )


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_limit_out_of_range_is_invalid(client: Client, games: list[Game], limit: int) -> None:
    with pytest.raises(RefusedError, match="invalid"):
        client.ask("list", limit=limit)


def test_an_empty_store_lists_nothing(client: Client, store: Database) -> None:
    fill(store, [])
    assert client.ask("list", limit=100) == []

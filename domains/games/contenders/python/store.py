"""Where the games are kept: one interface, two stores, the same for every contender."""

from typing import Any, Protocol
from uuid import uuid4

from psycopg import connect
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool
from pymongo import MongoClient

from game import Document, not_found

POOL_SIZE = 4
"""Connections to the store: as many as a contender has threads to use them."""

POOL_WAIT_S = 5.0
"""How long a request waits for one of them."""

PATIENCE_S = 10.0
"""How long a contender waits for its store to be there."""


class Store(Protocol):
    """What a contender asks of a store. An id without a game is refused with `not_found`."""

    def create(self, game: Document) -> Document:
        """Keep a new game under a new id and give it back with that id."""

    def read(self, game_id: str) -> Document:
        """Give one game."""

    def update(self, game_id: str, game: Document) -> Document:
        """Put this game in the place of the one there is, and give it back with its id."""

    def delete(self, game_id: str) -> None:
        """Remove one game."""

    def list(self, limit: int) -> list[Document]:
        """Give the first games in the order of their ids."""


class PostgresStore:
    """One JSONB document a row. Every statement is its own transaction."""

    def __init__(self, url: str) -> None:
        connect(url, connect_timeout=int(PATIENCE_S)).close()  # says why; a pool would only retry
        self._pool = ConnectionPool(
            url,
            min_size=POOL_SIZE,
            max_size=POOL_SIZE,
            timeout=POOL_WAIT_S,
            kwargs={"autocommit": True},
            open=True,
        )
        self._pool.wait(PATIENCE_S)

    def create(self, game: Document) -> Document:
        game_id = uuid4().hex
        with self._pool.connection() as connection:
            connection.execute(
                "INSERT INTO games (id, document) VALUES (%s, %s)", (game_id, Jsonb(game))
            )
        return {**game, "id": game_id}

    def read(self, game_id: str) -> Document:
        with self._pool.connection() as connection:
            row = connection.execute(
                "SELECT document FROM games WHERE id = %s", (game_id,)
            ).fetchone()
        if row is None:
            raise not_found(game_id)
        return {**row[0], "id": game_id}

    def update(self, game_id: str, game: Document) -> Document:
        with self._pool.connection() as connection:
            updated = connection.execute(
                "UPDATE games SET document = %s WHERE id = %s", (Jsonb(game), game_id)
            )
        if not updated.rowcount:
            raise not_found(game_id)
        return {**game, "id": game_id}

    def delete(self, game_id: str) -> None:
        with self._pool.connection() as connection:
            deleted = connection.execute("DELETE FROM games WHERE id = %s", (game_id,))
        if not deleted.rowcount:
            raise not_found(game_id)

    def list(self, limit: int) -> list[Document]:
        with self._pool.connection() as connection:
            rows = connection.execute(
                "SELECT id, document FROM games ORDER BY id LIMIT %s", (limit,)
            ).fetchall()
        return [{**document, "id": game_id} for game_id, document in rows]


class MongoStore:
    """One document a game in the collection `games`; `_id` is the game's id."""

    def __init__(self, url: str) -> None:
        client: MongoClient[Document] = MongoClient(
            url,
            maxPoolSize=POOL_SIZE,
            waitQueueTimeoutMS=int(POOL_WAIT_S * 1000),
            serverSelectionTimeoutMS=int(PATIENCE_S * 1000),
        )
        client.admin.command("ping")
        self._games = client.get_default_database()["games"]

    def create(self, game: Document) -> Document:
        game_id = uuid4().hex
        self._games.insert_one({"_id": game_id, **game})
        return {**game, "id": game_id}

    def read(self, game_id: str) -> Document:
        found = self._games.find_one({"_id": game_id})
        if found is None:
            raise not_found(game_id)
        return _with_id(found)

    def update(self, game_id: str, game: Document) -> Document:
        if not self._games.replace_one({"_id": game_id}, game).matched_count:
            raise not_found(game_id)
        return {**game, "id": game_id}

    def delete(self, game_id: str) -> None:
        if not self._games.delete_one({"_id": game_id}).deleted_count:
            raise not_found(game_id)

    def list(self, limit: int) -> list[Document]:
        return [_with_id(found) for found in self._games.find().sort("_id").limit(limit)]


def open_store(url: str) -> Store:
    """Connect to the store of this URL, or fail now, before anything is served."""
    scheme = url.partition(":")[0]
    if scheme in {"postgresql", "postgres"}:
        return PostgresStore(url)
    if scheme in {"mongodb", "mongodb+srv"}:
        return MongoStore(url)
    raise ValueError(f"WIRELAB_STORE_URL starts with {scheme!r}; expected postgresql or mongodb")


def _with_id(found: dict[str, Any]) -> Document:
    found["id"] = found.pop("_id")
    return found

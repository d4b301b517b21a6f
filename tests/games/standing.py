"""Stand up what the tests need by means of the laboratory: a store with our rows, a contender."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from pymongo import MongoClient

from tests.games.catalogue import Game
from tests.games.clients import open_client
from tests.support.standing import runner
from wirelab.domain.dataset import Dataset
from wirelab.domain_file import load_domain
from wirelab.lab.contenders.contender import load_contenders
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.store import Database

GAMES = load_domain("games")
CONTENDERS = load_contenders(GAMES)


@contextmanager
def running_store(kind: str, folder: Path) -> Iterator[Database]:
    """Run a store with the collection or table of the domain, indexed and empty."""
    for name in ("game.csv", "game.ndjson"):
        (folder / name).touch()
    with open_store(kind, log_path=folder / "log") as store:
        store.prepare(GAMES, "hundred", Dataset(GAMES, 0, 0, folder))
        yield store.restore("hundred", "tests").database


def fill(store: Database, games: list[Game]) -> None:
    """Make these games, and no others, the content of a store, under its running contenders."""
    if store.kind == "mongodb":
        with MongoClient[Game](store.url) as client:
            collection = client.get_default_database()["games"]
            collection.delete_many({})
            for game in games:
                collection.insert_one({"_id": game["id"], **game})
        return
    with psycopg.connect(store.url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("TRUNCATE games")
        rows = [(game["id"], json.dumps(game)) for game in games]
        cursor.executemany("INSERT INTO games VALUES (%s, %s)", rows)


running = runner(CONTENDERS, open_client)

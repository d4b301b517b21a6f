"""Serve counters from the store, and do a declared number of rounds of work for each of them."""

import os
import threading

import psycopg
from flask import Flask

ROUNDS = int(os.environ["ROUNDS"])
app = Flask(__name__)
local = threading.local()


def connection() -> psycopg.Connection[tuple[int]]:
    """Return this thread's connection to the store."""
    if not hasattr(local, "connection"):
        local.connection = psycopg.connect(os.environ["WIRELAB_STORE_URL"], autocommit=True)
    return local.connection


def work() -> int:
    """Do what the contender differs from others in."""
    total = 0
    for number in range(ROUNDS):
        total += number * number % 7
    return total


@app.get("/ping")
def ping() -> dict[str, str]:
    """Answer the control operation."""
    return {"status": "ok"}


@app.get("/counters/<identifier>")
def counter(identifier: str) -> object:
    """Answer with one counter."""
    work()
    row = connection().execute("SELECT value FROM counters WHERE id = %s", [identifier]).fetchone()
    if row is None:
        return {"title": "no such counter"}, 404, {"content-type": "application/problem+json"}
    return {"id": identifier, "value": row[0]}

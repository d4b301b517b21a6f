"""Serve counters from the store; in the way that FAULT names, go wrong after some requests."""

import itertools
import json
import os
import signal
import sys
import time
from pathlib import Path

import http11  # type: ignore[import-not-found]  # beside this file
from libpq import Connection  # type: ignore[import-not-found]  # beside this file

FAULT = os.environ.get("FAULT", "")
BACK = os.environ.get("WIRELAB_PEER_BACK")
"""The service that knows the counters, where this one does not."""
DELAY_S = float(os.environ.get("DELAY_MS", "0")) / 1000
AFTER = 80
"""More than verification asks and a warm-up sends, less than the slices of a block."""
INDENT = 1 if os.environ.get("SPACED") else None
CURED = Path(__file__).with_name("cured")
"""While it is there, nothing dies any more."""
SHUFFLED = bool(os.environ.get("SHUFFLED"))
READ = "SELECT value FROM counters WHERE id = $1"
COUNT = "UPDATE counters SET value = value + 1 WHERE id = $1 RETURNING value"
served = itertools.count(1)
connection = Connection(os.environ["WIRELAB_STORE_URL"])


class Handler(http11.Handler):  # type: ignore[misc]
    def respond(self) -> None:
        if self.method == "POST":
            self.carry_out(COUNT)
        elif self.path == "/ping":
            self.answer(200, {"status": "ok"})
        elif BACK:
            status, body, kind = http11.get(BACK, self.path)
            self.answer(status, json.loads(body), kind)
        else:
            self.carry_out(READ)

    def carry_out(self, statement: str) -> None:
        time.sleep(DELAY_S)
        if FAULT == "exits" and statement == COUNT:
            print("the counter contender exits", file=sys.stderr, flush=True)
            os._exit(3)
        if FAULT == "fails" and statement == COUNT:
            print("KeyError: 'valeu'", file=sys.stderr, flush=True)
            self.answer(500, {"title": "it failed"})
            self.closes = True  # unannounced, as uvicorn does
            return
        number = next(served)
        late = number > AFTER
        if FAULT == "dies" and late and not CURED.exists():
            print("the counter contender gives up", file=sys.stderr, flush=True)
            os._exit(3)
        if FAULT == "hangs" and late:
            os.kill(os.getpid(), signal.SIGSTOP)
        counter = self.path.removeprefix("/counters/")
        if FAULT == "chatty" and statement == READ:
            # It asks for all counters one by one, and keeps the right one.
            known = connection.execute("SELECT id FROM counters")
            rows = {each: connection.execute(READ, each) for (each,) in known}
            found = rows.get(counter)
        else:
            found = connection.execute(statement, counter)
        if not found:
            self.answer(404, {"title": "no such counter"}, "application/problem+json")
            return
        value = int(found[0][0])
        if FAULT == "wrong" or (FAULT == "lies" and late and value % 2):
            value += 1
        if FAULT == "swaps" and late and number % 50 == 0:
            counter = counter[:-1] + chr(ord(counter[-1]) ^ 1)  # another id, as long
        answered = {"id": counter, "value": value}
        if SHUFFLED and number % 2:
            answered = dict(reversed(answered.items()))
        self.answer(200, answered)

    def answer(self, status: int, value: object, kind: str = "application/json") -> None:
        self.send(status, json.dumps(value, indent=INDENT).encode(), kind)


if FAULT == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if FAULT == "misconfigured":
    raise SystemExit("config [server] wrong, see [/etc/app] [level:]")
if FAULT == "unready":
    print("waiting for something that never comes", flush=True)
    time.sleep(3600)
http11.Server(
    (os.environ["WIRELAB_HOST"], int(os.environ["WIRELAB_PORT"])), Handler
).serve_forever()

"""Serve counters from the store; in the way that FAULT names, go wrong after some requests."""

import http.client
import itertools
import json
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

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


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path == "/ping":
            self.answer(200, {"status": "ok"})
        elif BACK:
            self.pass_on(BACK)
        else:
            self.carry_out(READ)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.carry_out(COUNT)

    def pass_on(self, back: str) -> None:
        connection = http.client.HTTPConnection(back)
        connection.request("GET", self.path)
        reply = connection.getresponse()
        value, kind = json.loads(reply.read()), reply.headers["content-type"]
        connection.close()
        self.answer(reply.status, value, kind)

    def carry_out(self, statement: str) -> None:
        time.sleep(DELAY_S)
        if FAULT == "exits" and statement == COUNT:
            print("the counter contender exits", file=sys.stderr, flush=True)
            os._exit(3)
        if FAULT == "fails" and statement == COUNT:
            print("KeyError: 'valeu'", file=sys.stderr, flush=True)
            self.answer(500, {"title": "it failed"})
            self.close_connection = True  # unannounced, as uvicorn does
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
        body = json.dumps(value, indent=INDENT).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


if FAULT == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if FAULT == "misconfigured":
    raise SystemExit("config [server] wrong, see [/etc/app] [level:]")
if FAULT == "unready":
    print("waiting for something that never comes", flush=True)
    time.sleep(3600)
ThreadingHTTPServer(
    (os.environ["WIRELAB_HOST"], int(os.environ["WIRELAB_PORT"])), Handler
).serve_forever()

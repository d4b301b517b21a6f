"""The three services of a contender, started by hand: each a process with its own database."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests.shop.clients import Client, open_client
from tests.shop.proxy import Proxy, proxies
from tests.shop.standing import CONTENDERS, SHOP
from wirelab.domain import Dataset
from wirelab.lab.contenders.build import build
from wirelab.lab.contenders.placeholder import fill
from wirelab.lab.network.ports import free_port
from wirelab.lab.stores.store import Database

TABLES = {
    "users": ("user", "address"),
    "catalogue": ("product", "review", "product_event"),
    "orders": ("order", "order_line", "payment"),
}
PATIENCE_S = 30.0


class Services:
    """Users, catalogue and orders; orders and catalogue reach the others through proxies."""

    def __init__(self, name: str, urls: dict[str, str], between: list[Proxy], logs: Path) -> None:
        self.contender = CONTENDERS[name]
        self.urls = urls
        self.users_proxy, self.catalogue_proxy = between
        self._built = build(self.contender, logs / "build")
        self._logs = logs
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._connections: dict[str, psycopg.Connection] = {}
        self.ports = {role: free_port() for role in TABLES}
        self.users_proxy.target = ("127.0.0.1", self.ports["users"])
        self.catalogue_proxy.target = ("127.0.0.1", self.ports["catalogue"])

    def start(self, role: str) -> None:
        """Start one service and wait until it answers."""
        values = {"build": self._built.folder, "port": self.ports[role], "host": "127.0.0.1"}
        command = [*fill(self.contender.command, values), "--service", role]
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "WIRELAB_HOST": "127.0.0.1",
            "WIRELAB_PORT": str(self.ports[role]),
            "WIRELAB_STORE": "postgresql",
            "WIRELAB_STORE_URL": self.urls[role],
            "WIRELAB_PEER_USERS": f"127.0.0.1:{self.users_proxy.port}",
            "WIRELAB_PEER_CATALOGUE": f"127.0.0.1:{self.catalogue_proxy.port}",
            **self.contender.environment,
        }
        with (self._logs / f"{role}.log").open("ab") as log:
            self._processes[role] = subprocess.Popen(
                command, cwd=self.contender.folder, env=environment, stdout=log, stderr=log
            )
        eventually(lambda: self._answers(role), "it answers")

    def _answers(self, role: str) -> bool:
        assert self._processes[role].poll() is None, (self._logs / f"{role}.log").read_text()
        try:
            with self.client(role) as client:
                return bool(client.ask("ping") == "ok")
        except Exception:  # not yet there; what it is does not matter
            return False

    def signal(self, role: str, number: signal.Signals) -> None:
        """Send a signal to one service; after SIGKILL it is gone."""
        self._processes[role].send_signal(number)
        if number == signal.SIGKILL:
            self._processes[role].wait(PATIENCE_S)

    def client(self, role: str) -> Any:
        """Connect to one service."""
        return open_client(self.contender, f"127.0.0.1:{self.ports[role]}")

    def value(self, role: str, statement: str, *values: Any) -> Any:
        """Read a value past the services."""
        if role not in self._connections:
            self._connections[role] = psycopg.connect(self.urls[role], autocommit=True)
        row = self._connections[role].execute(statement.encode(), values).fetchone()
        assert row is not None
        return row[0]

    def stock(self, product: int) -> int:
        return int(self.value("catalogue", "SELECT stock FROM products WHERE id = %s", product))

    def all_stock(self) -> int:
        return int(self.value("catalogue", "SELECT sum(stock) FROM products"))

    def sold(self) -> int:
        """Return how many things orders have that were written by the service."""
        text = "SELECT coalesce(sum(quantity), 0) FROM order_lines WHERE order_id > 100000000"
        return int(self.value("orders", text))

    def orders(self) -> int:
        return int(self.value("orders", "SELECT count(*) FROM orders WHERE id > 100000000"))

    def unsettled(self) -> int:
        return int(self.value("orders", "SELECT count(*) FROM checkouts"))

    def accounts_agree(self) -> bool:
        """Tell whether every order was paid once, and for what its lines are worth."""
        text = (
            "SELECT count(*) FROM orders LEFT JOIN payments ON order_id = orders.id"
            " WHERE amount_cents IS DISTINCT FROM total_cents OR total_cents <>"
            " (SELECT sum(quantity * unit_price_cents) FROM order_lines"
            " WHERE order_id = orders.id)"
        )
        return bool(self.value("orders", text) == 0)

    def stop(self) -> None:
        for connection in self._connections.values():
            connection.close()
        for process in self._processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
        for process in self._processes.values():
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def eventually(is_so: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.05)


@contextmanager
def three_services(name: str, store: Database, dataset: Dataset, logs: Path) -> Iterator[Services]:
    """Run the services of a contender, each over its own database."""
    with ExitStack() as stack:
        urls = {
            role: stack.enter_context(_database(f"shop_{role}_{os.getpid()}", role, store, dataset))
            for role in TABLES
        }
        services = Services(name, urls, stack.enter_context(proxies(2)), logs)
        stack.callback(services.stop)
        for role in TABLES:
            services.start(role)
        yield services


@contextmanager
def _database(name: str, role: str, store: Database, dataset: Dataset) -> Iterator[str]:
    """Make a database with the tables of one service and no others."""
    with psycopg.connect(store.url, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    url = urlunsplit(urlsplit(store.url)._replace(path=f"/{name}"))
    description = SHOP.stores.postgresql
    assert description is not None
    try:
        with psycopg.connect(url) as connection:
            connection.execute((SHOP.folder / "store" / f"{role}.sql").read_bytes())
            for table in TABLES[role]:
                statement = description.copy_statements[table].encode()
                with connection.cursor().copy(statement) as copy:
                    copy.write(dataset.csv_paths[table].read_bytes())
        yield url
    finally:
        with psycopg.connect(store.url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())


__all__ = ["Client", "Services", "eventually", "three_services"]

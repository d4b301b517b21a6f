"""All kinds of stores, by name or URL."""

from collections.abc import Collection
from pathlib import Path

from wirelab.lab.environments.environment import LOOPBACK
from wirelab.lab.errors import StoreError
from wirelab.lab.processes.limits import parse_limits
from wirelab.lab.stores.own_store import OwnStore
from wirelab.lab.stores.store import Store
from wirelab.lab.stores.store_url import without_password
from wirelab.study import OWN_STORE
from wirelab.study.limits import UNLIMITED, ResourceLimits

IN_CONTAINERS = ("postgresql-container",)
WITH_DEFAULTS = "postgresql-defaults"
EMBEDDED = ("postgresql", WITH_DEFAULTS, *IN_CONTAINERS, "mongodb")


def open_store(
    kind_or_url: str,
    *,
    log_path: Path,
    cpus: Collection[int] = (),
    host: str = LOOPBACK,
    limits: ResourceLimits = UNLIMITED,
) -> Store:
    """Open a store: "postgresql" or "mongodb" for an embedded one, or the URL of a server.

    An embedded one can be limited by `limits`, or by "postgresql?cpus=2&memory_mb=1024" instead.
    "postgresql-container" is the same server in a container, which can be limited likewise;
    "postgresql-defaults" has PostgreSQL's own settings about the disk and the planner.
    `log_path`: the log of an embedded server. `cpus`: those that it may use, by default all.
    `host`: this machine's address that it listens on, see `Environment.store_host`. Raises
    `StoreError` if it cannot be used, with the setting to change.
    """
    # Imported here: a study with one kind of store does not need the driver of the other.
    kind, _, query = kind_or_url.partition("?")
    if kind == OWN_STORE:
        return OwnStore(query.removeprefix("reset="))
    if kind in EMBEDDED and query:
        limits = parse_limits(query)
    if kind in ("postgresql", WITH_DEFAULTS):
        from wirelab.lab.stores.postgresql_server import (  # noqa: PLC0415
            DEFAULTS,
            start_postgresql,
        )

        own = DEFAULTS if kind == WITH_DEFAULTS else {}
        return start_postgresql(log_path=log_path, cpus=cpus, host=host, limits=limits, own=own)
    if kind == "postgresql-container":
        from wirelab.lab.environments.container.postgresql import (  # noqa: PLC0415
            start_postgresql_in_container,
        )

        return start_postgresql_in_container(log_path=log_path, cpus=cpus, limits=limits)
    if kind == "mongodb":
        from wirelab.lab.stores.ferretdb import start_ferretdb  # noqa: PLC0415

        return start_ferretdb(log_path=log_path, cpus=cpus, host=host, limits=limits)
    if limits:
        raise StoreError(
            f"cannot limit {without_password(kind_or_url)}, which wirelab does not start",
            "leave [limits.store] out of study.toml, or use the embedded store",
        )
    scheme = kind_or_url.partition("://")[0]
    if scheme in {"postgresql", "postgres"}:
        from wirelab.lab.stores.postgresql import PostgresqlStore  # noqa: PLC0415

        return PostgresqlStore(kind_or_url)
    if scheme in {"mongodb", "mongodb+srv"}:
        from wirelab.lab.stores.mongodb import MongodbStore  # noqa: PLC0415

        return MongodbStore(kind_or_url)
    raise StoreError(
        f"unknown store {without_password(kind_or_url)!r}",
        "give postgresql, mongodb, or the URL of a server: postgresql://… or mongodb://…",
    )

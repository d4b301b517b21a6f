"""Launch a fresh server for a contender on a database, optionally behind a proxy."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wirelab.experiment.place import Place
from wirelab.experiment.preparation.builder import Builder
from wirelab.experiment.preparation.codecs import Codecs
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.running import RunningContender, Start, Starting, wait_for
from wirelab.lab.contenders.services import Between, StartingServices
from wirelab.lab.environments.environment import LOOPBACK
from wirelab.lab.environments.kinds import ENVIRONMENTS
from wirelab.lab.network.proxy import put_nginx_before
from wirelab.lab.processes.cpu import CpuPlan
from wirelab.lab.stores.store import Database
from wirelab.study import NO_PROXY
from wirelab.study.limits import NO_LIMITS, RoleLimits

READY_S = 30.0
"""How long a contender may take until it answers the control operation, unless it is known to need
longer."""
START_FACTOR = 5
"""A contender may take this many times the `start_seconds` of its stack, for busy machines."""
EXTERNAL_READY_S = 10.0
"""How long a server that is already running may take."""


@dataclass(frozen=True, slots=True)
class Launcher:
    """Starts contenders that have been built."""

    builder: Builder
    codecs: Codecs
    cpus: CpuPlan
    limits: RoleLimits = NO_LIMITS

    def launch(
        self,
        place: Place,
        database: Database,
        *,
        log_path: Path,
        host: str = LOOPBACK,
        between: Between | None = None,
    ) -> Start:
        """Launch a fresh contender, without its proxy; it is not ready yet. Raises `LabError`.

        `host`: the address of this machine to listen on. `between` puts something in front of
        services that others call, if the contender consists of services.
        """
        placement = place.placement
        built = self.builder.built[placement]
        services = built.contender.services
        start = partial(StartingServices, between=between) if services else Starting
        return start(
            built,
            ENVIRONMENTS[placement.environment],
            database=database,
            ready=lambda address: self.codecs.check_ready(placement.contender, address),
            log_path=log_path,
            cpus=self.cpus.system,
            limits=self.limits.contender,
            host=host,
            deadline_s=start_limit_s(built.contender),
        )

    def behind_proxy(
        self, place: Place, server: RunningContender, *, log_path: Path
    ) -> RunningContender:
        """Put a fresh proxy in front of a contender if its place has one. Raises `LabError`.

        The returned contender is reached through the proxy; stopping it stops both.
        """
        if place.proxy == NO_PROXY:
            return server
        contender, nginx = place.placement.contender, self.builder.proxies[place.proxy]
        return put_nginx_before(
            server,
            self.codecs.codec(contender).transport,
            nginx,
            ready=lambda address, ca: self.codecs.check_ready(contender, address, ca),
            log_path=log_path.with_stem(f"{log_path.stem}-proxy"),
            cpus=self.cpus.system,
            limits=self.limits.proxy,
        )

    @contextmanager
    def running(
        self,
        place: Place,
        database: Database,
        *,
        log_path: Path,
        between: Between | None = None,
    ) -> Iterator[RunningContender]:
        """Run a fresh contender on a database, and stop it. Raises `LabError`."""
        server = wait_for(self.launch(place, database, log_path=log_path, between=between))
        try:
            server = self.behind_proxy(place, server, log_path=log_path)
            yield server
        finally:
            server.stop()


def start_limit_s(contender: Contender) -> float:
    """Return how long a contender may take until it answers the control operation, in s."""
    if contender.address is not None:
        return EXTERNAL_READY_S
    return max(READY_S, START_FACTOR * (contender.start_seconds or 0.0))

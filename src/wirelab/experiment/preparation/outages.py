"""Outages: slow down, freeze and kill the services of a contender, and check the results."""

import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.place import Place
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.network.relay import Relays
from wirelab.lab.stores.store import Database
from wirelab.lab.stores.store_manager import StoreState
from wirelab.protocol.clients.client import connect_to
from wirelab.verify import Finding
from wirelab.verify.reference.outage import Reached, verify_outage

OWN = "outage"
"""Prefix of the databases' names."""


@dataclass(frozen=True, slots=True)
class OutageTrial:
    """An outage of the domain, to be tried on a contender with its own database."""

    laboratory: Laboratory
    place: Place
    name: str
    state: str
    database: Database

    def run(self) -> list[Finding]:
        """Return what is wrong with the contender while its services fail. Raises `LabError`."""
        laboratory, place = self.laboratory, self.place
        log_path = laboratory.verifier.logs / f"outage-{self.name}-{place.name}.log"
        with RelayedServices(laboratory, place, self.database, log_path) as services:
            return verify_outage(
                place.placement.contender,
                laboratory.domain.outages[self.name],
                services,
                laboratory.stores.dataset(self.state),
                seed=laboratory.verifier.seed,
            )


def outage_trials(laboratory: Laboratory, places: Iterable[Place], state: str) -> list[OutageTrial]:
    """Prepare every outage for native contenders of several services that offer its operation.

    Raises `LabError`.
    """
    trials = []
    for place in places:
        contender = laboratory.builder.built[place.placement].contender
        offered = laboratory.codecs.domain_of(contender.id).operations
        for name, outage in laboratory.domain.outages.items():
            if contender.protocol in offered[outage.operation].bindings:
                own = f"{OWN}_{name}_{contender.id}"
                restored = laboratory.stores.restore(StoreState(place.store, state), [own])
                trials.append(OutageTrial(laboratory, place, name, state, restored[own].database))
    return trials


@dataclass
class RelayedServices:
    """A contender of several services that call each other through relays. A context manager."""

    laboratory: Laboratory
    place: Place
    database: Database
    log_path: Path
    _relays: Relays = field(default_factory=Relays)
    _whole: ExitStack = field(default_factory=ExitStack)
    _started: ExitStack = field(default_factory=ExitStack)
    _running: dict[str, RunningContender] = field(default_factory=dict)
    _reached: dict[str, Reached] = field(default_factory=dict)

    @property
    def names(self) -> Sequence[str]:
        """The services in the order of their start."""
        return tuple(self._running)

    def reach(self, service: str) -> Reached:
        """Connect to a service; the connection is kept until the service is started again."""
        if service not in self._reached:
            codecs, contender = self.laboratory.codecs, self.place.placement.contender
            endpoint = codecs.endpoint(contender, self._running[service].address)
            client = connect_to(endpoint, self.laboratory.verifier.patience_s)
            self._started.enter_context(client)
            self._reached[service] = Reached(codecs.codec_of_all(contender), client)
        return self._reached[service]

    def called(self) -> list[str]:
        """Return the services that were called, according to their relays."""
        called = {edge[1] for edge, passed in self._relays.take().items() if passed.calls}
        return [name for name in self._running if name in called]

    @contextmanager
    def delayed(self, services: Sequence[str], seconds: float) -> Iterator[None]:
        """Let the relays delay the answers of services."""
        delays_s = self._relays.delays_s
        delays_s.update(dict.fromkeys(services, seconds))
        try:
            yield
        finally:
            delays_s.clear()

    @contextmanager
    def frozen(self, service: str) -> Iterator[None]:
        """Suspend a service's processes, and resume them at the end."""
        self._running[service].signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._running[service].signal(signal.SIGCONT)

    def kill(self, service: str) -> None:
        """Kill a service's processes."""
        self._running[service].signal(signal.SIGKILL)

    def restart(self) -> None:
        """Stop the services that are still running, and start all of them."""
        self._started.close()
        self._start()

    def __enter__(self) -> Self:
        self._whole.enter_context(self._relays)
        self._whole.push(lambda *_: self._started.close())
        try:
            self._start()
        except BaseException:
            self._whole.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._whole.close()

    def _start(self) -> None:
        self._reached.clear()
        running = self._started.enter_context(
            self.laboratory.launcher.running(
                self.place,
                self.database,
                log_path=self.log_path,
                between=self._relays.between,
            )
        )
        names = self.laboratory.builder.built[self.place.placement].contender.services
        self._running = dict(zip(names, running.services, strict=True))

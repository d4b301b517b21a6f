"""The bench: everything that must stand before a study can be measured, and stands until its end.

Contenders are built, stores run, data sets are made and states prepared; each contender has been
compared with the reference, and what it is to be asked is planned.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from wirelab import protocol
from wirelab.domain import Dataset, Domain
from wirelab.lab.build import BuiltContender
from wirelab.lab.contender import Contender
from wirelab.lab.cpu import CpuPlan, plan_cpus
from wirelab.lab.environments import ENVIRONMENTS, store_host
from wirelab.lab.errors import MissingProgramError
from wirelab.lab.programs import cache_folder
from wirelab.lab.proxy import Nginx, open_nginx, put_nginx_before
from wirelab.lab.running import RunningContender, start
from wirelab.lab.store import Store, open_store
from wirelab.protocol.base import Codec
from wirelab.protocol.client import connect
from wirelab.protocol.message import Refusal
from wirelab.study import NO_PROXY, Workload
from wirelab.verify import Finding, Plan, Verification, verify

READY_S = 30.0
"""How long a contender may take until it answers the control operation."""

Place = tuple[str, str]
"""A contender's id and an environment's name."""


class NotReadyError(Exception):
    """The control operation was not answered rightly yet."""


@dataclass
class Bench:
    """What stands. Use it as a context manager: at its end nothing of it is left.

    `store_addresses` gives the URL of a store in place of the embedded one, by kind; `data` a file
    of real data in place of generated rows; `patience_s` is how long verification waits for one
    reply.
    """

    domain: Domain
    contenders: Mapping[str, Contender]
    data_seed: int
    logs: Path
    store_addresses: Mapping[str, str] = field(default_factory=dict)
    data: Path | None = None
    patience_s: float = 10.0
    cpus: CpuPlan = field(default_factory=plan_cpus)
    built: dict[Place, BuiltContender] = field(default_factory=dict)
    stores: dict[str, Store] = field(default_factory=dict)
    datasets: dict[str, Dataset] = field(default_factory=dict)
    plans: dict[tuple[str, str, str], tuple[Plan, ...]] = field(default_factory=dict)
    """By contender, store and workload: the same in every environment and behind every proxy."""
    proxies: dict[str, Nginx] = field(default_factory=dict)
    restore_s: float = 0.0
    """What the last restoring of a store took."""

    def __post_init__(self) -> None:
        self._ends = ExitStack()
        self._codecs: dict[str, Codec[Any]] = {}
        self.logs.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ends.close()

    # -- standing up ------------------------------------------------------------------------

    def build(self, contender: str, environment: str) -> str:
        """Build a contender for an environment; return why it must be skipped, "" when it is ready.

        Raises `LabError` when the build fails.
        """
        place = ENVIRONMENTS[environment]
        missing = place.missing()
        if missing:
            return missing
        chosen = self.contenders[contender]
        try:
            built = place.build(chosen, self.logs / f"build-{chosen.stack}-{environment}.log")
        except MissingProgramError as error:
            return str(error)
        self.built[contender, environment] = built
        return ""

    def open_proxy(self, proxy: str) -> None:
        """Find what is put before contenders, or make its image. Raises `LabError`."""
        self.proxies[proxy] = open_nginx(self.logs / f"build-{proxy}.log")

    def open_store(self, kind: str) -> Store:
        """Start a store, or connect to it; once for each kind. Raises `StoreError`.

        It listens where the contenders that have been built can reach it.
        """
        if kind not in self.stores:
            store = open_store(
                self.store_addresses.get(kind, kind),
                log_path=self.logs / f"store-{kind}.log",
                cpus=self.cpus.system,
                host=store_host(environment for _, environment in self.built),
            )
            self.stores[kind] = self._ends.enter_context(store)
        return self.stores[kind]

    def prepare(self, kind: str, state: str) -> None:
        """Make the rows of a state and put them into a store, ready to be restored."""
        if state not in self.datasets:
            records = self.domain.states[state].records
            self.datasets[state] = Dataset.generate(
                self.domain, records, self.data_seed, cache_folder(), self.data
            )
        self.open_store(kind).prepare(self.domain, state, self.datasets[state])

    def versions(self) -> dict[str, dict[str, Mapping[str, str]]]:
        """Return the versions of what was built, by contender and environment."""
        found: dict[str, dict[str, Mapping[str, str]]] = {}
        for (contender, environment), built in self.built.items():
            found.setdefault(contender, {})[environment] = built.named_versions()
        return found

    def facts(self) -> dict[str, Mapping[str, str]]:
        """Say what the environments are that were built for, and the proxies."""
        found = {
            name: ENVIRONMENTS[name].facts()
            for name in dict.fromkeys(environment for _, environment in self.built)
        }
        found.update((name, proxy.facts()) for name, proxy in self.proxies.items())
        return {name: facts for name, facts in found.items() if facts}

    # -- using what stands --------------------------------------------------------------------

    def codec(self, contender: str) -> Codec[Any]:
        """Return how a contender is spoken to."""
        if contender not in self._codecs:
            chosen = self.contenders[contender]
            bind = protocol.get(chosen.protocol).bind
            self._codecs[contender] = bind(self._spoken(contender), chosen.path)
        return self._codecs[contender]

    @contextmanager
    def running(
        self,
        contender: str,
        store: str,
        environment: str,
        state: str,
        *,
        log_path: Path,
        proxy: str = NO_PROXY,
    ) -> Iterator[RunningContender]:
        """Restore a store's state and run a fresh contender on it, until the end of the block.

        Behind a proxy, the proxy is as fresh, and its address is the one that is yielded.
        """
        began = time.monotonic()
        self.stores[store].restore(state)
        self.restore_s = time.monotonic() - began
        server = start(
            self.built[contender, environment],
            ENVIRONMENTS[environment],
            store=self.stores[store],
            ready=lambda address: self._ask_control(contender, address),
            log_path=log_path,
            cpus=self.cpus.system,
            deadline_s=READY_S,
        )
        try:
            if proxy != NO_PROXY:
                server = put_nginx_before(
                    server,
                    self.codec(contender).transport,
                    self.proxies[proxy],
                    ready=lambda address: self._ask_control(contender, address),
                    log_path=log_path.with_stem(f"{log_path.stem}-proxy"),
                    cpus=self.cpus.system,
                )
            yield server
        finally:
            server.stop()

    def verify(
        self,
        contender: str,
        store: str,
        environment: str,
        workloads: Mapping[str, Workload],
        *,
        proxy: str = NO_PROXY,
    ) -> Verification:
        """Compare a contender with the reference in every state the workloads start from.

        The plans of the workloads are kept in `plans`.
        """
        findings: list[Finding] = []
        plans: list[Plan] = []
        codec, spoken = self.codec(contender), self._spoken(contender)
        for state in dict.fromkeys(workload.state for workload in workloads.values()):
            name = "-".join(("verify", contender, store, environment, proxy, state))
            log_path = self.logs / f"{name}.log"
            asked = {name: each for name, each in workloads.items() if each.state == state}
            with (
                self.running(
                    contender, store, environment, state, log_path=log_path, proxy=proxy
                ) as server,
                connect(
                    codec.transport, server.address, codec.path, timeout_s=self.patience_s
                ) as client,
            ):
                dataset = replace(self.datasets[state], domain=spoken)
                result = verify(contender, codec, client, dataset, asked, seed=self.data_seed)
            findings.extend(result.findings)
            plans.extend(result.plans)
        for name in workloads:
            self.plans[contender, store, name] = tuple(p for p in plans if p.workload == name)
        # By equality: what was expected and got may be rows, which have no hash.
        once = [each for number, each in enumerate(findings) if each not in findings[:number]]
        return Verification(tuple(once), tuple(plans))

    def _spoken(self, contender: str) -> Domain:
        return self.domain.spoken(self.contenders[contender].dialect)

    def _ask_control(self, contender: str, address: str) -> None:
        codec, control = self.codec(contender), self._spoken(contender).control
        with connect(codec.transport, address, codec.path, timeout_s=2.0) as client:
            reply = client.send(codec.encode(control, {}))
        outcome = codec.decode(control, reply)
        if isinstance(outcome, Refusal):
            raise NotReadyError(f"{control.name} was refused: {outcome.detail}")

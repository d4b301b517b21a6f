"""The laboratory of a study: building, stores, launching and verification."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from wirelab.domain import Domain
from wirelab.engine.job import Endpoint
from wirelab.experiment.preparation.builder import Builder
from wirelab.experiment.preparation.codecs import Codecs
from wirelab.experiment.preparation.launcher import Launcher
from wirelab.experiment.preparation.verifier import Verifier
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.environments.kinds import store_host
from wirelab.lab.processes.cpu import CpuPlan, plan_cpus
from wirelab.lab.processes.open_files import raise_open_files
from wirelab.lab.stores.store_manager import StoreManager
from wirelab.planning.plan import PlannedStudy
from wirelab.study import Study
from wirelab.study.limits import NO_LIMITS, RoleLimits
from wirelab.verify import Equality


@dataclass(frozen=True)
class Laboratory:
    """Everything that a study needs on the machine; the context manager ends all processes."""

    domain: Domain
    cpus: CpuPlan
    codecs: Codecs
    builder: Builder
    stores: StoreManager
    launcher: Launcher
    verifier: Verifier

    @classmethod
    def create(
        cls,
        domain: Domain,
        contenders: Mapping[str, Contender],
        data_seed: int,
        logs: Path,
        *,
        store_addresses: Mapping[str, str] | None = None,
        data: Path | None = None,
        patience_s: float = 10.0,
        limits: RoleLimits = NO_LIMITS,
    ) -> Self:
        """Set up a laboratory for a domain; nothing is built or started yet.

        `store_addresses` gives URLs of stores to use instead of the embedded ones, by kind; `data`
        is a file of real data to use instead of generated rows; `patience_s` is how long
        verification waits for one reply; `limits` is what each role may use of the machine.
        """
        logs.mkdir(parents=True, exist_ok=True)
        cpus, codecs = plan_cpus(), Codecs(domain, contenders, patience_s)
        builder = Builder(contenders, logs, limits.proxy)
        stores = StoreManager(
            domain,
            data_seed=data_seed,
            logs=logs,
            addresses=store_addresses,
            data=data,
            cpus=cpus.system,
            limits=limits.store,
            host=lambda: store_host(builder.environments),
        )
        launcher = Launcher(builder, codecs, cpus, limits)
        equality = None if domain.has_reference else Equality(domain, data_seed)
        verifier = Verifier(launcher, stores, logs, data_seed, patience_s, equality=equality)
        return cls(domain, cpus, codecs, builder, stores, launcher, verifier)

    @classmethod
    def for_study(
        cls,
        plan: PlannedStudy,
        logs: Path,
        store_addresses: Mapping[str, str],
        data: Path | None,
    ) -> Self:
        """Set up the laboratory of a study; see `create`."""
        return cls.create(
            plan.domain,
            plan.contenders,
            plan.data_seed,
            logs,
            store_addresses=store_addresses,
            data=data,
            patience_s=plan.study.request_timeout_s,
            limits=plan.study.limits,
        )

    def writes(self, study: Study, workload: str) -> bool:
        """Return whether a workload changes the content of the store."""
        operations = (study.workloads[part].operation for part in study.parts(workload))
        return any(self.domain.operations[name].effect == "write" for name in operations)

    def endpoint(self, contender: str, server: RunningContender) -> Endpoint:
        """Return the engine's endpoint of a running contender."""
        return self.codecs.endpoint(contender, server.address, server.ca)

    def __enter__(self) -> Self:
        raise_open_files()
        self.stores.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.stores.__exit__()

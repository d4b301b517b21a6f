"""The stores of a study: each store is opened once, each state is prepared once and copied.

Restore the databases of a block before any of its contenders is measured: a copy uses CPU and disk.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Domain
from wirelab.errors import Failure
from wirelab.installation.programs import cache_folder
from wirelab.lab.environments.environment import LOOPBACK
from wirelab.lab.errors import StoreError
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.store import Restored, Store
from wirelab.study import OWN_STORE
from wirelab.study.limits import UNLIMITED, ResourceLimits


@dataclass(frozen=True, slots=True)
class StoreState:
    """A state of the domain in one of the stores."""

    store: str
    """The kind of store, as named in the study."""
    state: str

    def __str__(self) -> str:
        return f"{self.store}, state {self.state}"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A state that is ready to be restored, and the time to create it."""

    store_state: StoreState
    records: int
    seconds: float
    """0 if it had been prepared before."""


@dataclass(frozen=True, slots=True)
class Restarted:
    """A restarted store."""

    store: str
    prepared_again: tuple[str, ...]
    """The states that were lost."""
    seconds: float


class StoreManager:
    """Opens stores, prepares states, and provides working databases.

    `addresses`: URLs to open instead of embedded stores, by kind: see `open_store`. `data`: a file
    of real data instead of generated rows. `cpus`: those of embedded servers; `limits`: the limits
    of each, unless its address has its own. `host` returns the address that they listen on, see
    `open_store`; it is called when the first one is opened. Use it as a context manager: its end
    removes everything that it created.
    """

    def __init__(
        self,
        domain: Domain,
        *,
        data_seed: int,
        logs: Path,
        addresses: Mapping[str, str] | None = None,
        data: Path | None = None,
        cpus: Collection[int] = (),
        limits: ResourceLimits = UNLIMITED,
        host: Callable[[], str] = lambda: LOOPBACK,
    ) -> None:
        self._domain = domain
        self._data_seed = data_seed
        self._logs = logs
        self._addresses = addresses or {}
        self._data = data
        self._cpus = cpus
        self._limits = limits
        self._host = host
        self._stores: dict[str, Store] = {}
        self._broken: dict[str, Failure] = {}
        self._datasets: dict[str, Dataset] = {}
        self._prepared: dict[StoreState, Prepared] = {}
        self._ends = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def open(self, store: str) -> Store:
        """Return a store, which is started or connected to on first use.

        Raises `LabError`.
        """
        if store not in self._stores:
            opened = open_store(
                self._addresses.get(store, store),
                log_path=self._logs / f"store-{store}.log",
                cpus=self._cpus,
                host=self._host(),
                limits=self._limits,
            )
            self._stores[store] = self._ends.enter_context(opened)
        return self._stores[store]

    @property
    def opened(self) -> Mapping[str, Store]:
        """The stores that have been opened, by kind."""
        return self._stores

    def dataset(self, state: str) -> Dataset:
        """Return the rows of a state, the same for every store.

        Raises `DatasetError` or `MissingProgramError` if they cannot be generated.
        """
        if state not in self._datasets:
            records = self._domain.states[state].records
            self._datasets[state] = Dataset.generate(
                self._domain, records, self._data_seed, cache_folder(), self._data
            )
        return self._datasets[state]

    def prepare(self, store_state: StoreState) -> Prepared:
        """Prepare a state, unless it is prepared. Raises `LabError` or `DatasetError`."""
        began = time.monotonic()
        if store_state.store == OWN_STORE:
            self.open(store_state.store)
            return Prepared(store_state, 0, seconds=0.0)
        if store_state in self._prepared:
            return Prepared(store_state, self._prepared[store_state].records, seconds=0.0)
        dataset = self.dataset(store_state.state)
        self.open(store_state.store).prepare(self._domain, store_state.state, dataset)
        prepared = Prepared(store_state, dataset.records, time.monotonic() - began)
        self._prepared[store_state] = prepared
        return prepared

    def why_no_copies(self, store_state: StoreState, copies: int) -> str:
        """Return why contenders cannot each have a database of a prepared state; "" if they can.

        Otherwise they are measured in separate runs, and the report says why.
        """
        return self._stores[store_state.store].why_no_copies(store_state.state, copies)

    def restore(self, store_state: StoreState, contenders: Iterable[str]) -> dict[str, Restored]:
        """Restore a separate working database for each contender, by the contender's name.

        The state must be prepared. Raises `StoreError`.
        """
        store = self._stores[store_state.store]
        names = {contender: _own_name(store_state.state, contender) for contender in contenders}
        state = store_state.state
        return {contender: store.restore(state, name) for contender, name in names.items()}

    def restore_shared(self, store_state: StoreState) -> Restored:
        """Return the common working database of all contenders that only read a state.

        Restore it once for a block, before its contenders start. Raises `StoreError`.
        """
        name = _shared_name(store_state.state)
        return self._stores[store_state.store].restore(store_state.state, name, shared=True)

    def drop(self, store_state: StoreState, contenders: Iterable[str]) -> None:
        """Remove the databases of contenders, to free disk space. Raises `StoreError`."""
        for contender in contenders:
            self._stores[store_state.store].drop(_own_name(store_state.state, contender))

    def why_failed(self) -> dict[str, Failure]:
        """Return why embedded stores have ended, or were found not to work, by kind.

        Fast enough to be called many times a second.
        """
        ended = {kind: store.why_ended() for kind, store in self._stores.items()}
        return self._broken | {kind: reason for kind, reason in ended.items() if reason is not None}

    def require_working(self) -> None:
        """Raise `StoreError` unless all embedded stores work; one that does not is noted as failed.

        Call it when a contender has failed, before the contender ends and releases what it uses of
        the store: the failure may be the store's.
        """
        for kind, store in self._stores.items():
            try:
                store.require_working()
            except StoreError as error:
                self._broken[kind] = error.failure
                raise

    def restart(self, store: str) -> Restarted:
        """Restart an embedded store, with all prepared states.

        Databases must be restored again before they are used. Raises `LabError`.
        """
        began = time.monotonic()
        prepared_again = self._stores[store].restart()
        self._broken.pop(store, None)
        return Restarted(store, prepared_again, time.monotonic() - began)


def _own_name(state: str, contender: str) -> str:
    """Return the name of a contender's database for a state, so that unchanged ones are kept."""
    return f"{contender} from {state}"


def _shared_name(state: str) -> str:
    return f"shared {state}"

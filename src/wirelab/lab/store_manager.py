"""The stores of a study: each is opened once, its states are prepared once, contenders get copies.

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
from wirelab.lab.environment import LOOPBACK
from wirelab.lab.store import Restored, Store
from wirelab.lab.stores import open_store
from wirelab.programs import cache_folder
from wirelab.study import OWN_STORE
from wirelab.study.limits import UNLIMITED, Limits


@dataclass(frozen=True, slots=True)
class StoreState:
    """A state of the domain in one of the stores."""

    store: str
    """The kind of store, as the study names it."""
    state: str

    def __str__(self) -> str:
        return f"{self.store}, state {self.state}"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A state that can be restored from now on, and what it took to make it."""

    place: StoreState
    records: int
    seconds: float
    """0 when it had been prepared before."""


@dataclass(frozen=True, slots=True)
class Restarted:
    """A store that runs again."""

    store: str
    prepared_again: tuple[str, ...]
    """The states that had not survived."""
    seconds: float


class StoreManager:
    """Opens stores, prepares states, and hands out working databases.

    `addresses`: what to open for a kind of store, in place of the embedded one: see `open_store`.
    `data`: a file of real data in place of generated rows. `cpus`: where embedded servers run;
    `limits`: what each of them may use, unless its address says it. `host` says where they listen,
    see `open_store`: it is asked when the first one is opened. Use it as a context manager: at its
    end, nothing is left of what it made.
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
        limits: Limits = UNLIMITED,
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
        self._datasets: dict[str, Dataset] = {}
        self._prepared: dict[StoreState, Prepared] = {}
        self._ends = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def open(self, store: str) -> Store:
        """Return a store, which is started or connected to when it is first asked for.

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

        Raises `DatasetError` or `MissingProgramError` when they cannot be generated.
        """
        if state not in self._datasets:
            records = self._domain.states[state].records
            self._datasets[state] = Dataset.generate(
                self._domain, records, self._data_seed, cache_folder(), self._data
            )
        return self._datasets[state]

    def prepare(self, place: StoreState) -> Prepared:
        """Make a state ready to be restored, unless it is. Raises `LabError` or `DatasetError`."""
        began = time.monotonic()
        if place.store == OWN_STORE:
            self.open(place.store)
            return Prepared(place, 0, seconds=0.0)
        if place in self._prepared:
            return Prepared(place, self._prepared[place].records, seconds=0.0)
        dataset = self.dataset(place.state)
        self.open(place.store).prepare(self._domain, place.state, dataset)
        prepared = Prepared(place, dataset.records, time.monotonic() - began)
        self._prepared[place] = prepared
        return prepared

    def why_no_copies(self, place: StoreState, copies: int) -> str:
        """Say why so many contenders cannot each have a database of a prepared state at once.

        Empty when they can. Otherwise they are measured in separate runs, and the report says why.
        """
        return self._stores[place.store].why_no_copies(place.state, copies)

    def restore(self, place: StoreState, contenders: Iterable[str]) -> dict[str, Restored]:
        """Give each contender a working database of its own, by the contender's name.

        The state must be prepared. Raises `StoreError`.
        """
        store = self._stores[place.store]
        names = {contender: _own_name(place.state, contender) for contender in contenders}
        return {contender: store.restore(place.state, name) for contender, name in names.items()}

    def restore_shared(self, place: StoreState) -> Restored:
        """Return the one working database for all contenders that only read a state.

        Restore it once for a block, before its contenders start. Raises `StoreError`.
        """
        name = _shared_name(place.state)
        return self._stores[place.store].restore(place.state, name, shared=True)

    def drop(self, place: StoreState, contenders: Iterable[str]) -> None:
        """Remove the databases of contenders, to free disk. Raises `StoreError`."""
        for contender in contenders:
            self._stores[place.store].drop(_own_name(place.state, contender))

    def why_ended(self) -> dict[str, str]:
        """Return why stores of ours have ended by themselves, by kind; empty while all run.

        Cheap enough to be asked many times a second.
        """
        reasons = {kind: store.why_ended() for kind, store in self._stores.items()}
        return {kind: reason for kind, reason in reasons.items() if reason is not None}

    def require_working(self) -> None:
        """Raise `StoreError` unless all stores of ours can do their work.

        Ask when a contender has failed: the failure may be the store's.
        """
        for store in self._stores.values():
            store.require_working()

    def restart(self, store: str) -> Restarted:
        """Start a store of ours again, with all states that had been prepared.

        Databases must be restored again before they are used. Raises `LabError`.
        """
        began = time.monotonic()
        prepared_again = self._stores[store].restart()
        return Restarted(store, prepared_again, time.monotonic() - began)


def _own_name(state: str, contender: str) -> str:
    """Name a contender's database: one for each state, so that what was only read is kept."""
    return f"{contender} from {state}"


def _shared_name(state: str) -> str:
    return f"shared {state}"

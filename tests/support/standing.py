"""Standing up contenders by means of the laboratory."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pytest

from wirelab.errors import MissingProgramError
from wirelab.lab.contenders.build import build
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.running import Ready, RunningContender, Starting, wait_for
from wirelab.lab.contenders.services import StartingServices
from wirelab.lab.environments.environment import LOOPBACK, Launch, Launched, Native
from wirelab.lab.errors import BuildError
from wirelab.lab.stores.store import Database

Standing = TypeVar("Standing")

Named = Callable[[str], RunningContender]
"""Returns a running contender by its name."""
PATIENCE_S = 120.0
"""For a start, on a machine that may be busy with something else."""


@contextmanager
def standing(
    contender: Contender, ready: Ready, database: Database, log: Path, port: int | None = None
) -> Iterator[RunningContender]:
    """Run a contender, on a free port if no other is given, for as long as the block lasts."""
    built = build(contender, log.with_suffix(".build"))
    start = StartingServices if contender.services else Starting
    running = wait_for(
        start(
            built,
            Native(),
            database=database,
            ready=ready,
            log_path=log,
            port=port,
            deadline_s=PATIENCE_S,
        )
    )
    try:
        yield running
    finally:
        running.stop()


class Run(Protocol):
    """Runs a contender, on a free port if no other is given, for as long as the block lasts."""

    def __call__(
        self, name: str, store: Database, log: Path, port: int | None = None
    ) -> AbstractContextManager[RunningContender]: ...


def runner(
    contenders: Mapping[str, Contender],
    open_client: Callable[[Contender, str], AbstractContextManager[Any]],
) -> Run:
    """Return what runs contenders that are ready once they answer a ping."""

    @contextmanager
    def running(
        name: str, store: Database, log: Path, port: int | None = None
    ) -> Iterator[RunningContender]:
        def ready(address: str) -> None:
            with open_client(contenders[name], address) as client:
                assert client.ask("ping") == "ok"

        with standing(contenders[name], ready, store, log, port) as contender:
            yield contender

    return running


def contender_named_by(run: Run) -> Any:
    """Return the fixture of running contenders by name, each started when first asked for."""

    @pytest.fixture(scope="package")
    def contender_named(
        store: Database, tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[Named]:
        logs = tmp_path_factory.mktemp("logs")
        with started_once(lambda name: run(name, store, logs / f"{name}.log")) as named:
            yield named

    return contender_named


def contender_among(names: Iterable[Any]) -> Any:
    """Return the fixture of a running contender, for tests of each of them."""

    @pytest.fixture(params=list(names))
    def contender(request: pytest.FixtureRequest, contender_named: Named) -> RunningContender:
        return contender_named(request.param)

    return contender


def with_variants_thorough(names: Iterable[str], endings: tuple[str, ...]) -> list[Any]:
    """Return the names of contenders, those with one of the endings as thorough tests."""
    mark = pytest.mark.thorough(reason="the same code, set otherwise, verified all the same")
    return [pytest.param(it, marks=mark) if it.endswith(endings) else it for it in names]


def client_by(open_client: Callable[[Contender, str], AbstractContextManager[Any]]) -> Any:
    """Return the fixture of a client that is connected to the contender."""

    @pytest.fixture
    def client(contender: RunningContender) -> Iterator[Any]:
        with open_client(contender.contender, contender.address) as opened:
            yield opened

    return client


def launch(
    contender: Contender, store_url: str, log: Path, port: int, *, kind: str = "postgresql"
) -> Launched:
    """Start a contender without waiting for it, or looking whether it can run at all."""
    built = build(contender, log.with_suffix(".build"))
    return Native().launch(built, Launch(LOOPBACK, port, kind, store_url, (), log))


@contextmanager
def started_once(
    stand: Callable[[str], AbstractContextManager[Standing]],
) -> Iterator[Callable[[str], Standing]]:
    """Return contenders by name, each started at first use; all end with the block.

    A test is skipped, with the reason, when its contender cannot run on this machine.
    """
    with ExitStack() as stack:
        started: dict[str, Standing] = {}

        def named(name: str) -> Standing:
            if name not in started:
                try:
                    started[name] = stack.enter_context(stand(name))
                except (BuildError, MissingProgramError) as error:
                    pytest.skip(f"no {name} here: {error}")
            return started[name]

        yield named

"""Start a contender of several services, each as soon as those that it calls listen.

Each service is started and watched like a contender of one program. Together they are one
contender, whose last service clients call, and which has ended when any of them has.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wirelab.lab.contenders.build import BuiltContender
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.running import Ready, RunningContender, Starting, host_port
from wirelab.lab.contenders.service import peer_variable
from wirelab.lab.environments.environment import Environment, Launched
from wirelab.lab.errors import ContenderError

Between = Callable[[str, str, str], str]
"""Returns the address for a caller, given caller, called service and its "host:port"."""


@dataclass(frozen=True, slots=True)
class _Together:
    """The processes of several services as those of one contender; clients call the last."""

    services: tuple[RunningContender, ...]

    @property
    def pid(self) -> int:
        return self._shown().pid

    @property
    def root_pid(self) -> int | None:
        return self._shown().root_pid

    @property
    def log_path(self) -> Path:
        return self._shown().log_path

    @property
    def killed(self) -> bool:
        return any(service.process.killed for service in self.services)

    def poll(self) -> int | None:
        return self._shown().poll()

    def stop(self) -> int:
        code = 0
        for service in reversed(self.services):  # callers end before the services that they call
            code = service.process.stop()
        return code

    def log_tail(self, lines: int = 20) -> str:
        return self._shown().log_tail(lines)

    def _shown(self) -> Launched:
        """Return the processes of the first that has ended, or else of the last one."""
        ended = (each for each in self.services if each.process.poll() is not None)
        return next(ended, self.services[-1]).process


class StartingServices:
    """A contender of several services that is starting. Call `poll` until it is ready, or `stop`.

    `ready` is called for the service that clients call; the others only have to listen. `log_path`
    is the log of that service, those of the others are beside it. `between` puts relays in front of
    services that others call. `options` are those of `Starting`, for each service.
    """

    def __init__(
        self,
        built: BuiltContender,
        environment: Environment,
        *,
        ready: Ready,
        log_path: Path,
        between: Between | None = None,
        **options: Any,
    ) -> None:
        self._built = built
        self._environment = environment
        self._ready = ready
        self._log_path = log_path
        self._between = between
        self._options = options
        self._names = tuple(built.contender.services)
        self._running: dict[str, RunningContender] = {}
        self._began = time.monotonic()
        self._starting: Starting | None = self._start(self._names[0])

    def poll(self) -> RunningContender | None:
        """Return the contender once its last service has answered correctly; None before.

        Raises `ContenderError` with the service that never will; all are then ended.
        """
        try:
            return self._poll()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End all launched processes."""
        if self._starting is not None:
            self._starting.stop()
        _Together(tuple(self._running.values())).stop()

    def _poll(self) -> RunningContender | None:
        assert self._starting is not None, "it is ready"
        for earlier in self._running.values():
            if ended := earlier.why_ended():
                raise ContenderError.from_failure(ended)
        service = self._starting.poll()
        if service is None:
            return None
        self._running[self._names[len(self._running)]] = service
        self._starting = None
        if len(self._running) == len(self._names):
            return self._together(service)
        self._starting = self._start(self._names[len(self._running)])
        return None

    def _start(self, name: str) -> Starting:
        is_entry = name == self._names[-1]
        peers = {peer: self._peer_address(running) for peer, running in self._running.items()}
        if self._between is not None:
            calls = self._built.contender.services[name].calls
            peers = {peer: self._between(name, peer, peers[peer]) for peer in calls}
        stem = self._log_path.stem
        return Starting(
            replace(self._built, contender=service_of(self._built.contender, name, peers)),
            self._environment,
            ready=self._ready if is_entry else _always_ready,
            log_path=self._log_path if is_entry else self._log_path.with_stem(f"{stem}-{name}"),
            **self._options,
        )

    def _peer_address(self, service: RunningContender) -> str:
        host = self._environment.peer_host(service.process, service.host)
        return host_port(host, service.port)

    def _together(self, entry: RunningContender) -> RunningContender:
        """Join the services; each is a role of the contender."""
        return replace(
            entry,
            contender=self._built.contender,
            process=_Together(tuple(self._running.values())),
            start_s=time.monotonic() - self._began,
            launch_s=sum(service.launch_s for service in self._running.values()),
            counted={
                f"{role}-{name}": counted
                for name, service in self._running.items()
                for role, counted in service.counted.items()
            },
            services=tuple(self._running.values()),
        )


def service_of(contender: Contender, name: str, peers: Mapping[str, str]) -> Contender:
    """Return one service as a separate contender; `peers` has the addresses of others."""
    service = contender.services[name]
    where = {peer_variable(peer): peers[peer] for peer in service.calls}
    return replace(
        contender,
        id=f"the service {name} of {contender.id}",
        command=(*(service.command or contender.command), *service.arguments),
        environment={**contender.environment, **service.environment, **where},
        services={},
    )


def _always_ready(_address: str) -> None:
    """Check nothing: a service need not offer the control operation."""

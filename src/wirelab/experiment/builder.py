"""Building: contenders for their environments, and the proxy that is put before them."""

from collections.abc import Mapping
from pathlib import Path

from wirelab.errors import MissingProgramError
from wirelab.experiment.place import Placement
from wirelab.lab.build import BuiltContender
from wirelab.lab.contender import Contender
from wirelab.lab.environments import ENVIRONMENTS
from wirelab.lab.proxy import Nginx, open_nginx


class Builder:
    """Builds each contender once for each environment, and keeps what was built."""

    def __init__(self, contenders: Mapping[str, Contender], logs: Path) -> None:
        self._contenders = contenders
        self._logs = logs
        self.built: dict[Placement, BuiltContender] = {}
        self.proxies: dict[str, Nginx] = {}

    def build(self, placement: Placement) -> str:
        """Build a contender; return why it must be skipped, "" when it is ready.

        Raises `LabError` when the build fails.
        """
        environment = ENVIRONMENTS[placement.environment]
        if missing := environment.missing():
            return missing
        chosen = self._contenders[placement.contender]
        log_path = self._logs / f"build-{chosen.stack}-{placement.environment}.log"
        try:
            self.built[placement] = environment.build(chosen, log_path)
        except MissingProgramError as error:
            return str(error)
        return ""

    def open_proxy(self, proxy: str) -> None:
        """Find what is put before contenders, or make its image. Raises `LabError`."""
        self.proxies[proxy] = open_nginx(self._logs / f"build-{proxy}.log", proxy)

    @property
    def environments(self) -> tuple[str, ...]:
        """The environments that something was built for."""
        return tuple(dict.fromkeys(placement.environment for placement in self.built))

    def versions(self) -> dict[str, dict[str, Mapping[str, str]]]:
        """Return the versions of what was built, by contender and environment."""
        found: dict[str, dict[str, Mapping[str, str]]] = {}
        for placement, built in self.built.items():
            of_contender = found.setdefault(placement.contender, {})
            of_contender[placement.environment] = built.named_versions()
        return found

    def facts(self) -> dict[str, Mapping[str, str]]:
        """Say what the environments are that were built for, and the proxies."""
        found = {name: ENVIRONMENTS[name].facts() for name in self.environments}
        found.update((name, proxy.facts()) for name, proxy in self.proxies.items())
        return {name: facts for name, facts in found.items() if facts}

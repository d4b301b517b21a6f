"""Build contenders for their environments, proxies, and networks."""

from collections.abc import Mapping
from pathlib import Path

from wirelab.errors import MissingProgramError
from wirelab.experiment.place import Placement
from wirelab.lab.contenders.build import BuiltContender
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.environments.kinds import ENVIRONMENTS
from wirelab.lab.errors import BuildError
from wirelab.lab.network.link import Link
from wirelab.lab.network.link_ceiling import LinkCeiling, measure_ceiling
from wirelab.lab.network.proxy import Nginx, open_nginx
from wirelab.lab.processes.cpu import CpuPlan
from wirelab.study.limits import UNLIMITED, ResourceLimits
from wirelab.study.network import Network


class Builder:
    """Builds each contender once per environment, and keeps the results.

    `proxy_limits`: what a proxy may use of the machine.
    """

    def __init__(
        self,
        contenders: Mapping[str, Contender],
        logs: Path,
        proxy_limits: ResourceLimits = UNLIMITED,
    ) -> None:
        self._contenders = contenders
        self._logs = logs
        self._proxy_limits = proxy_limits
        self._failed: dict[tuple[str, str], str] = {}
        """By stack and environment: the contender whose build has failed."""
        self._versions: dict[Placement, Mapping[str, str]] = {}
        self.built: dict[Placement, BuiltContender] = {}
        self.proxies: dict[str, Nginx] = {}
        self.networks: dict[str, Network] = {}
        self._links: dict[str, Mapping[str, str]] = {}
        self._ceiling: LinkCeiling | None = None

    def build(self, placement: Placement) -> str:
        """Build a contender; return why it must be skipped, "" if it is ready.

        Raises `LabError` if the build fails, with its log for the first contender of a stack only,
        or lacks a package whose version reports print.
        """
        environment = ENVIRONMENTS[placement.environment]
        if missing := environment.missing():
            return missing
        chosen = self._contenders[placement.contender]
        log_path = self._logs / f"build-{chosen.stack}-{placement.environment}.log"
        stack = chosen.stack, placement.environment
        if stack in self._failed:
            raise BuildError(f"the build that it shares with {self._failed[stack]} failed")
        try:
            built = environment.build(chosen, log_path)
        except MissingProgramError as error:
            return str(error)
        except BuildError:
            self._failed[stack] = chosen.id
            raise
        self._versions[placement] = built.named_versions()
        self.built[placement] = built
        return ""

    def open_proxy(self, proxy: str) -> None:
        """Find a proxy's program, or build its image. Raises `LabError`."""
        self.proxies[proxy] = open_nginx(self._logs / f"build-{proxy}.log", proxy)

    def open_network(self, name: str, network: Network, cpus: CpuPlan) -> str:
        """Try the emulation of a network, and keep its facts. Raises `LabError`.

        Returns a warning if the network is too fast for the emulator; otherwise "".
        """
        folder = self._logs / f"network-{name}"
        folder.mkdir(parents=True, exist_ok=True)
        if self._ceiling is None:
            self._ceiling = measure_ceiling(folder, cpus=cpus.system, client_cpus=cpus.engine)
        too_fast = self._ceiling.why_too_fast(network)
        with Link.start(name, network, folder, cpus=cpus.system) as link:
            self._links[name] = {
                "down": network.down.sentence,
                "up": network.up.sentence,
                "source": network.source,
                "congestion control": link.ready.congestion_control,
                **({"ceiling": too_fast} if too_fast else {}),
            }
        self.networks[name] = network
        return too_fast

    @property
    def environments(self) -> tuple[str, ...]:
        """The environments for which something was built."""
        return tuple(dict.fromkeys(placement.environment for placement in self.built))

    def versions(self) -> dict[str, dict[str, Mapping[str, str]]]:
        """Return the built versions, by contender and environment."""
        built: dict[str, dict[str, Mapping[str, str]]] = {}
        for placement, versions in self._versions.items():
            built.setdefault(placement.contender, {})[placement.environment] = versions
        return built

    def facts(self) -> dict[str, Mapping[str, str]]:
        """Return facts about the environments, proxies and networks in use."""
        facts = {name: ENVIRONMENTS[name].facts() for name in self.environments}
        limits = self._proxy_limits.declared()
        facts.update((name, {**proxy.facts(), **limits}) for name, proxy in self.proxies.items())
        facts.update(self._links)
        return {name: known for name, known in facts.items() if known}

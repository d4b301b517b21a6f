"""Networks between client and server: the levels of the factor network."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Final

from pydantic import AfterValidator, Field, NonNegativeFloat, ValidationInfo

from wirelab.inputs.file_model import FileModel, Misfit
from wirelab.study.levels import NO_NETWORK, Name, unknown_name

Milliseconds = Annotated[float, Field(ge=0, le=10_000)]


class NetworkDirection(FileModel):
    """`down` or `up` of `[network.NAME]`: what happens to each packet in one direction.

    A key that is left out has no effect.
    """

    delay_ms: Milliseconds = 0.0
    """Least one-way delay in ms, up to 10,000."""
    jitter_ms: Milliseconds = 0.0
    """Largest additional delay in ms, up to 10,000. The actual one is uniformly distributed;
    packets do not overtake one another."""
    rate_mbit_s: Annotated[float, Field(gt=0, le=10_000)] | None = None
    """Bandwidth in Mbit/s, up to 10,000, counting the bytes of IP packets. Default: unlimited.
    Needs `queue_kb`."""
    queue_kb: Annotated[float, Field(ge=0, le=64_000)] | None = None
    """Size of the queue for the bandwidth in KB, up to 64,000; packets beyond it are dropped. Needs
    `rate_mbit_s`."""
    loss_percent: Annotated[NonNegativeFloat, Field(lt=100)] = 0.0
    """Share of packets that are lost, in percent, below 100. Losses are independent of one
    another."""

    def misfits(self) -> Iterator[Misfit]:
        """Yield whether a bandwidth has no queue, or a queue no bandwidth."""
        if self.rate_mbit_s is not None and self.queue_kb is None:
            expected = "the size of the queue, which rate_mbit_s needs"
            yield Misfit("queue_kb", None, expected, "add queue_kb, or remove rate_mbit_s")
        if self.queue_kb is not None and self.rate_mbit_s is None:
            expected = "the bandwidth, which queue_kb needs"
            yield Misfit("rate_mbit_s", None, expected, "add rate_mbit_s, or remove queue_kb")

    @property
    def sentence(self) -> str:
        """The settings in words."""
        jitter = f" + up to {self.jitter_ms:g} ms" if self.jitter_ms else ""
        parts = [f"{self.delay_ms:g} ms{jitter}"]
        if self.rate_mbit_s is not None:
            parts.append(f"{self.rate_mbit_s:g} Mbit/s, queue of {self.queue_kb:g} KB")
        if self.loss_percent:
            parts.append(f"loss of {self.loss_percent:g} %")
        return ", ".join(parts)


class Network(FileModel):
    """`[network.NAME]`: an emulated network, described in both directions.

    A network named like a built-in one replaces it.
    """

    source: str
    """Where the figures come from; reports print it."""
    down: NetworkDirection
    """From the server to the client."""
    up: NetworkDirection
    """From the client to the server."""


_LAN = NetworkDirection(delay_ms=0.1, rate_mbit_s=1000, queue_kb=500)
_FAR = NetworkDirection(delay_ms=45, rate_mbit_s=100, queue_kb=1250)

BUILT_IN: Final[Mapping[str, Network]] = {
    "lan": Network(
        source="rate: gigabit Ethernet (IEEE 802.3ab); delay and queue: wirelab's choice",
        down=_LAN,
        up=_LAN,
    ),
    "wifi": Network(
        source="rates and least delay: profile Wi-Fi of Firefox's network monitor; jitter: median"
        " round trip of 3 ms (Sui et al., MobiSys 2016); queue: wirelab's choice, 100 ms",
        down=NetworkDirection(delay_ms=1, jitter_ms=1, rate_mbit_s=30, queue_kb=375),
        up=NetworkDirection(delay_ms=1, jitter_ms=1, rate_mbit_s=15, queue_kb=190),
    ),
    "mobile": Network(
        source="rates and delay: WebPageTest's profile LTE (12/12 Mbit/s, 70 ms round trip);"
        " jitter and loss: Loadero's network mode 4G; queue: wirelab's choice, 200 ms",
        down=NetworkDirection(
            delay_ms=35, jitter_ms=5, rate_mbit_s=12, queue_kb=300, loss_percent=0.2
        ),
        up=NetworkDirection(
            delay_ms=35, jitter_ms=15, rate_mbit_s=12, queue_kb=300, loss_percent=0.2
        ),
    ),
    "far": Network(
        source="delay: Verizon's service level London - New York (90 ms round trip); rate and"
        " queue: wirelab's choice, 100 ms",
        down=_FAR,
        up=_FAR,
    ),
}
"""The networks that need no description; `loopback` is the fifth known name."""


def known_networks(declared: Mapping[str, object]) -> tuple[str, ...]:
    """Return all valid names: `loopback`, the built-in networks and the study's own."""
    return tuple(dict.fromkeys((NO_NETWORK, *BUILT_IN, *declared)))


def _known(name: str, info: ValidationInfo) -> str:
    own: Mapping[str, object] | None = (info.context or {}).get("own_networks")
    if own is not None and name not in (known := known_networks(own)):
        raise ValueError(unknown_name(name, known))
    return name


KnownNetwork = Annotated[Name, AfterValidator(_known)]

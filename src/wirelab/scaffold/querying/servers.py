"""Query the servers: find parameters that they answer, and check whether matches agree."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

from xxhash import xxh3_64_hexdigest

from wirelab.domain_file import load_domain
from wirelab.engine.job import Endpoint
from wirelab.experiment.events import Observer, StageStarted, StepStarted
from wirelab.experiment.preparation.codecs import Codecs
from wirelab.lab.contenders.contender import load_contenders
from wirelab.lab.contenders.external import find_address
from wirelab.lab.credentials import redact
from wirelab.lab.errors import ContenderError
from wirelab.protocol.clients.base import Client, NoReplyError
from wirelab.protocol.clients.client import connect_to
from wirelab.protocol.message import CannotEncodeError, Refusal
from wirelab.protocol.plan import plan_transaction
from wirelab.scaffold.descriptions.offer import Offer
from wirelab.scaffold.querying.pools import Pool, fill_pools
from wirelab.verify.equality.common_shape import leaf_count
from wirelab.verify.servers.obstacles import obstacle_of, what_to_do

EMPTY = "all its answers are empty, so comparing them proves nothing"
ALIKE = (
    "all its answers are the same, whatever its parameters, so comparing them proves nothing: give"
    " other values with --csv"
)
TIMEOUT_S = 10.0
USUAL_PREFIXES = ("/api", "/v1")
PATIENCE = 3
"""Maximum number of requests without a reply, for a server that has answered before."""


@dataclass
class QueriedServers:
    """Queries the servers of a new domain that have addresses."""

    folder: Path
    ends: ExitStack
    clients: dict[str, Client] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    """The latest reason for a refusal, by operation."""
    seconds: list[float] = field(default_factory=list)
    """The durations of the answered transactions."""
    values: Counter[str] = field(default_factory=Counter)
    """The number of non-empty values in the answers, by operation."""
    distinct: dict[str, set[str]] = field(default_factory=dict)
    """The hashes of different answers, by operation."""
    answered: Counter[str] = field(default_factory=Counter)
    """The number of answers, by operation."""
    statuses: dict[str, set[int | None]] = field(default_factory=dict)
    """The statuses of refusals by server; None if it also answered."""
    silences: int = 0
    """The number of requests without a reply."""

    def __post_init__(self) -> None:
        self.domain = load_domain(self.folder)
        self.contenders = load_contenders(self.domain)
        self.codecs = Codecs(self.domain, self.contenders)
        for name, contender in self.contenders.items():
            if contender.written_address():
                self.clients[name] = self.ends.enter_context(
                    connect_to(self._endpoint(name), TIMEOUT_S)
                )

    @property
    def is_possible(self) -> bool:
        """Whether there is a server to query."""
        return bool(self.clients)

    def pools(
        self,
        offers: Mapping[str, Offer],
        rows: Sequence[Mapping[str, str]],
        drawn: Mapping[str, Sequence[Mapping[str, object]]],
        seed: int,
        observer: Observer,
        *,
        sources: Collection[str] = (),
    ) -> dict[str, Pool]:
        """Find parameters that are answered, operation by operation; see `fill_pools`.

        Raises `ContenderError` if a server does not answer, or requires something of every client.
        """
        observer.on(
            StageStarted("Querying", sum(offer.effect != "write" for offer in offers.values()))
        )
        return fill_pools(
            list(offers.values()),
            self._call,
            rows=rows,
            drawn=drawn,
            sources=sources,
            seed=seed,
            begin=lambda offer: observer.on(StepStarted(offer.shown)),
        )

    def why_nothing_is_proved(self, offer: Offer) -> str:
        """Return why the equality of all answers to an operation proves nothing; "" if it does."""
        name = offer.name
        if offer.effect != "read":
            return ""
        if not self.values[name]:
            return EMPTY
        return ALIKE if self.answered[name] > 1 and len(self.distinct[name]) == 1 else ""

    def wrong_prefix(self, declared: Mapping[str, str]) -> str:
        """Return a hint for servers that answer 404 to every operation; "" if there is none.

        `declared` is the prefix of paths in the description, by server.
        """
        hints = []
        for name, statuses in self.statuses.items():
            if statuses != {HTTPStatus.NOT_FOUND}:
                continue
            address = find_address(self.contenders[name])
            codec: Any = self.codecs.codec(name)
            used = codec.path.rstrip("/")
            own = declared.get(name, "").rstrip("/")
            if own == used:
                example = next(each for each in USUAL_PREFIXES if each != used)
                better = f"with that prefix, such as {address}{example}"
            elif own:
                better = f"with the prefix of the description: {address}{own}"
            else:
                better = f"without a path, as the description has no prefix: {address}"
            hints.append(
                f"{name} answers 404 to every operation below {address}{used or '/'}: if their"
                f" paths have another prefix, give the address {better}"
            )
        return "; ".join(hints)

    def _endpoint(self, name: str) -> Endpoint:
        return self.codecs.endpoint(name, find_address(self.contenders[name]).host_port)

    def answers_by_protocol(self, name: str, parameters: Mapping[str, object]) -> dict[str, object]:
        """Return the answers to an operation by protocol, as far as there are any."""
        operation = self.domain.operations[name]
        answers: dict[str, object] = {}
        for contender, client in self.clients.items():
            codec: Any = self.codecs.codec(contender)
            if codec.protocol in operation.bindings:
                with suppress(CannotEncodeError, NoReplyError):
                    done = plan_transaction(client, codec, operation, parameters)
                    if not isinstance(done.outcome, Refusal):
                        answers[codec.protocol] = done.outcome.value
        return answers

    def _call(self, offer: Offer, parameters: Mapping[str, object]) -> tuple[bool, object]:
        operation = self.domain.operations[offer.name]
        for name, client in self.clients.items():
            codec: Any = self.codecs.codec(name)
            if codec.protocol not in operation.bindings:
                continue
            try:
                done = plan_transaction(client, codec, operation, parameters)
            except CannotEncodeError as error:
                self.refusals[offer.name] = str(error)
                return False, None
            except NoReplyError as error:
                self.silences += 1
                if not self.seconds or self.silences > PATIENCE:
                    where = self.contenders[name].written_address()
                    what = f"{name} does not answer at {where}: {error}"
                    raise ContenderError(what, what_to_do(error, self._endpoint(name))) from None
                self.refusals[offer.name] = f"no reply: {error}"
                return False, None
            if isinstance(done.outcome, Refusal):
                reply = done.rounds[-1][-1].reply
                self.statuses.setdefault(name, set()).add(reply.status)
                why = obstacle_of(reply)
                if why and why.concerns_everything:
                    raise ContenderError(f"{name}, {offer.name}: {why}")
                self.refusals[offer.name] = str(why) if why else redact(done.outcome.detail)
                return False, None
            self.statuses.setdefault(name, set()).add(None)
            self.seconds.append(done.seconds)
            if codec.protocol == "graphql" and done.outcome.value is None:
                self.refusals[offer.name] = "the answer is null"
                return False, None
            self.values[offer.name] += leaf_count(done.outcome.value)
            self.answered[offer.name] += 1
            body = b"\n".join(each.reply.content for each in done.exchanges)
            self.distinct.setdefault(offer.name, set()).add(xxh3_64_hexdigest(body))
            return True, done.outcome.value
        return False, None

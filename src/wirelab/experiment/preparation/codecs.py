"""The codec of each contender, its endpoint, and its readiness check."""

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wirelab import protocol
from wirelab.domain import Domain, Operation
from wirelab.domain.parameter_sets import parameter_sets
from wirelab.engine.job import Endpoint
from wirelab.experiment.preparation.unready import NOT_THERE, Poll
from wirelab.inputs.close_match import one_of
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.external import find_address
from wirelab.lab.credentials import resolve_headers
from wirelab.lab.environments.environment import LOOPBACK
from wirelab.lab.errors import ContenderError
from wirelab.lab.network.address import SECURE, host_and_port, transports_of
from wirelab.protocol.base import Codec
from wirelab.protocol.clients.base import NoReplyError
from wirelab.protocol.clients.client import connect_to
from wirelab.protocol.message import CannotEncodeError, Refusal

CONNECT_TIMEOUT_S = 2.0


class Codecs:
    """Creates each contender's codec once."""

    def __init__(
        self, domain: Domain, contenders: Mapping[str, Contender], timeout_s: float = 10.0
    ) -> None:
        """Create no codec yet; `timeout_s` is how long to wait for one reply."""
        self._domain = domain
        self._contenders = contenders
        self._timeout_s = timeout_s
        self._made: dict[str, Codec[Any]] = {}

    def codec(self, contender: str) -> Codec[Any]:
        """Return the codec of a contender."""
        if contender not in self._made:
            self._made[contender] = self._bound(contender, self.domain_of(contender))
        return self._made[contender]

    def _bound(self, contender: str, domain: Domain) -> Codec[Any]:
        chosen = self._contenders[contender]
        path = find_address(chosen).path if chosen.written_address() else ""
        return protocol.bind(chosen.protocol, domain, path or chosen.path, _transport(chosen))

    def domain_of(self, contender: str) -> Domain:
        """Return the domain in the contender's dialect."""
        return self._domain.in_dialect(self._contenders[contender].dialect)

    def codec_of_all(self, contender: str) -> Codec[Any]:
        """Return a codec for any service of a contender, with all operations."""
        return self._bound(contender, self._domain)

    def endpoint(self, contender: str, address: str, ca: Path | None = None) -> Endpoint:
        """Return the endpoint of a contender's server at "host:port". Raises `ContenderError`.

        `ca` is the certificate of its proxy, if that uses TLS.
        """
        codec, chosen = self.codec(contender), self._contenders[contender]
        tls = chosen.tls.model_dump() if _scheme(chosen) in SECURE else None
        headers = resolve_headers(contender, chosen.headers, chosen.headers_file)
        return Endpoint.model_validate(
            {
                "transport": _transport(chosen),
                "address": address,
                "path": codec.path,
                "headers": (*codec.headers, *headers),
                "subscribe": codec.subscribe,
                "greetings": chosen.greetings,
                "tls": tls if ca is None else _trusting(ca, address),
            }
        )

    def check_ready(self, contender: str, address: str, ca: Path | None = None) -> None:
        """Check whether a contender's server at "host:port" is ready; raise the reason if not.

        Calls the control operation. Without one, calls the first operation that only reads; any
        answer except a failure means that the server is ready. If all operations write, the server
        is ready when it accepts a connection.
        """
        codec, domain = self.codec(contender), self.domain_of(contender)
        control = domain.control
        probe = (control, {}) if control else _first_reading(domain, codec.protocol)
        if probe is None:
            _connect(address)
            return
        operation, parameters = probe
        template, endpoint = codec.rounds(operation)[0][0], self.endpoint(contender, address, ca)
        try:
            request = codec.encode_request(template, parameters)
        except CannotEncodeError:
            return  # Verification reports it, with the reason.
        poll = Poll(self._contenders[contender], endpoint, operation.name, request)
        try:
            with connect_to(endpoint, self._timeout_s) as client:
                reply = client.send(request)
        except NoReplyError as error:
            raise poll.unanswered(error) from None
        outcome = codec.decode_reply(template, reply)
        if isinstance(outcome, Refusal) and (control or outcome.kind in NOT_THERE):
            raise poll.refused(reply, outcome)


def _trusting(ca: Path, address: str) -> dict[str, object]:
    """Trust a proxy's certificate, by its other name if it is not reached at the first one."""
    name = {} if address.startswith(f"{LOOPBACK}:") else {"server_name": "localhost"}
    return {"ca": ca, **name}


def _scheme(contender: Contender) -> str:
    if contender.address is None:
        return contender.scheme or "http"
    return find_address(contender).scheme if contender.written_address() else ""


def _transport(contender: Contender) -> str:
    scheme, supporting = _scheme(contender), transports_of(contender.protocol)
    if scheme and scheme not in supporting:
        what = f"{contender.id}: the scheme {scheme} does not support {contender.protocol}"
        raise ContenderError(what, f"use a scheme that is {one_of(supporting)}")
    return supporting[scheme or "http"]


def _connect(address: str) -> None:
    socket.create_connection(host_and_port(address), CONNECT_TIMEOUT_S).close()


def _first_reading(
    domain: Domain, protocol_name: str
) -> tuple[Operation, dict[str, object]] | None:
    for operation in domain.operations.values():
        if operation.effect == "read" and protocol_name in operation.bindings:
            return operation, parameter_sets(domain, operation, 1)[0]
    return None

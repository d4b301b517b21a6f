"""Introduce queries to a fresh server, which the engine will then send only by their hash."""

from collections.abc import Sequence
from contextlib import suppress

from wirelab.engine.job import Endpoint
from wirelab.protocol.clients.base import NoReplyError
from wirelab.protocol.clients.client import connect_to
from wirelab.verify import Plan


def introduce(endpoint: Endpoint, plans: Sequence[Plan], timeout_s: float) -> None:
    """Send the first transaction of each operation with a client that introduces its requests.

    Missing replies are ignored here: under load, a server that does not answer is given up.
    """
    first = {plan.operation: plan for plan in reversed(plans)}
    requests = [
        each.request for plan in first.values() for together in plan.rounds for each in together
    ]
    if any(request.introduction for request in requests):
        with suppress(NoReplyError), connect_to(endpoint, timeout_s) as client:
            for request in requests:
                client.send(request)

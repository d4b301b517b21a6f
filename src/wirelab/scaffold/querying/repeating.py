"""Send the same requests to every server, and repeat some of them after more than a second."""

import time
from collections.abc import Mapping, Sequence

from wirelab.experiment.events import Observer, StageStarted, StepStarted
from wirelab.scaffold.descriptions.offer import Offer
from wirelab.scaffold.querying.servers import QueriedServers
from wirelab.terminal import words

SETS = 30
"""The maximum number of requests to an operation that several protocols offer."""
REPEATED = 5
"""The number of requests that are repeated."""
APART_S = 1.1
"""The time between both answers: times are often written in seconds."""

Answered = Mapping[str, Sequence[object]]
"""By protocol, the answers to one request: one, or two if the request was repeated."""


def query_twice(
    servers: QueriedServers,
    offers: Mapping[str, Offer],
    sets: Mapping[str, Sequence[Mapping[str, object]]],
    observer: Observer,
) -> dict[str, list[Answered]]:
    """Return the answers to requests, by operation, with the known sets of parameters.

    Requests that no server answers are left out.
    """
    requests = {name: _chosen(servers, name, sets[name]) for name in offers if sets.get(name)}
    if not requests:
        return {}
    observer.on(StageStarted("Comparing", len(requests) + 1))
    lists: dict[str, list[dict[str, list[object]]]] = {}
    for name, sets_of_one in requests.items():
        observer.on(StepStarted(f"answers of {name}"))
        lists[name] = [
            {
                protocol: [answer]
                for protocol, answer in servers.answers_by_protocol(name, each).items()
            }
            for each in sets_of_one
        ]
    observer.on(StepStarted(f"second answers of {words.plural(len(requests), 'operation')}"))
    time.sleep(APART_S)
    for name, sets_of_one in requests.items():
        for answers, each in zip(lists[name][:REPEATED], sets_of_one, strict=False):
            for protocol, again in servers.answers_by_protocol(name, each).items():
                if protocol in answers:
                    answers[protocol].append(again)
    return {name: [each for each in answers if each] for name, answers in lists.items()}


def _chosen(
    servers: QueriedServers, name: str, sets: Sequence[Mapping[str, object]]
) -> Sequence[Mapping[str, object]]:
    """Return the requests to an operation: with one protocol, only those that are repeated."""
    several = len(servers.domain.operations[name].bindings) > 1
    return sets[: SETS if several else REPEATED]

"""N+1 statements: a request for which the store carries the same question out again and again."""

import time
from collections import Counter
from collections.abc import Callable, Sequence

from wirelab.protocol.client_base import Client, NoReplyError
from wirelab.verify.findings import Plan
from wirelab.verify.symptoms import Sign, Symptom

REPEATED = 5
"""So often for one request is no accident."""
READING = ("select", "with", "table", "values")
PATIENCE_S = 0.3
"""How long a server may take until it logs its statements."""
POLL_S = 0.02
SHOWN = 160

Take = Callable[[], Sequence[str]]
"""Returns the statements that the store has carried out since the last time."""


def repeated_statements(client: Client, plan: Plan, take: Take) -> Sign | None:
    """Carry a plan out again, one request after the other; return what shows N+1 statements.

    The plan must only read, and nobody else may use the store meanwhile.
    """
    requests = [each.request for round_ in plan.rounds for each in round_]
    if any(request.send > 1 for request in requests):
        return None  # each message of a stream asks for something of its own
    try:
        deadline = time.monotonic() + PATIENCE_S
        client.send(requests[0])
        while not take() and time.monotonic() < deadline:
            time.sleep(POLL_S)
            client.send(requests[0])
        most, statement = 0, ""
        for request in requests:
            client.send(request)
            counted = Counter(each for each in take() if each.lower().startswith(READING))
            for text, times in counted.most_common(1):
                if times > most:
                    most, statement = times, text
    except NoReplyError:
        return None
    if most < REPEATED:
        return None
    shown = statement if len(statement) <= SHOWN else f"{statement[: SHOWN - 1]}…"
    evidence = (
        f"for one request it has the store carry out the same statement {most} times: {shown}"
    )
    return Sign(Symptom.N_PLUS_1, evidence)

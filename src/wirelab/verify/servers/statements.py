"""N+1 statements: requests for which the store executes the same statement many times."""

import time
from collections import Counter
from collections.abc import Callable, Sequence

from wirelab.protocol.clients.base import Client, NoReplyError
from wirelab.verify.plans import Plan
from wirelab.verify.servers.symptoms import Sign, Symptom

REPEATED = 5
"""From this many repetitions for one request on, it is no coincidence."""
READING = ("select", "with", "table", "values")
PATIENCE_S = 0.3
"""How long a store may take to log its statements."""
POLL_S = 0.02
SHOWN = 160

Take = Callable[[], Sequence[str]]
"""Returns the statements that the store has executed since the last call."""


def repeated_statements(client: Client, plan: Plan, take: Take) -> Sign | None:
    """Run a plan again, one request after the other; return the evidence of N+1 statements.

    The plan must be read-only, and nothing else may use the store in the meantime.
    """
    requests = [each.request for round_ in plan.rounds for each in round_]
    if any(request.send > 1 for request in requests):
        return None  # each message of a stream is a separate request
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
    evidence = f"one request makes the store execute the same statement {most} times: {shown}"
    return Sign(Symptom.N_PLUS_1, evidence)

"""The keeper of a private network: a program that makes it, and is to the guard what it keeps.

What the guard runs at the very end is this program again, with --remove: even when the laboratory
was killed, no network of that name is left.
"""

import signal
import sys
import threading
import time

from wirelab.lab.container.docker_client import docker
from wirelab.lab.container.engine import LABEL, EngineError, connect
from wirelab.lab.container.keeper import NOT_STARTED, REMOVE

MADE = "made"
"""What the keeper says when the network is there; anything else is what went wrong."""
ROLE = "network"
REMOVAL_LIMIT_S = 30.0
"""For the containers in it to end: they do so at the same time, when a laboratory was killed."""


def keep(name: str) -> int:
    """Make a network and wait until it is to end; it is not removed here.

    A request to end is heeded when the network is there: what is removed must not come later.
    """
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    connect().networks.create(name, driver="bridge", labels={LABEL: ROLE}, check_duplicate=True)
    print(MADE, flush=True)
    ended.wait()
    return 128 + signal.SIGTERM


def remove(name: str) -> int:
    """Remove a network, when the last container has left it; nothing happens where there is none.

    Raises `docker.errors.APIError` when somebody is still in it at last.
    """
    client = connect()
    deadline = time.monotonic() + REMOVAL_LIMIT_S
    while True:
        try:
            client.networks.get(name).remove()
        except docker.errors.NotFound:
            return 0
        except docker.errors.APIError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def main(arguments: list[str]) -> int:
    """Keep the network that is named, or remove it."""
    try:
        if arguments[:1] == [REMOVE]:
            return remove(arguments[1])
        return keep(arguments[0])
    except (docker.errors.DockerException, EngineError) as error:
        print(getattr(error, "explanation", None) or error, flush=True)
        return NOT_STARTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The keeper of a private network: a program that creates a network under the guard.

At the end, the guard runs this program with --remove, so that no network remains even if the
laboratory was killed.
"""

import signal
import sys
import threading
import time

from wirelab.lab.environments.container.docker_client import docker
from wirelab.lab.environments.container.engine import LABEL, ContainerEngineError, connect
from wirelab.lab.environments.container.keeper import NOT_STARTED, REMOVE

MADE = "made"
"""The keeper's output when the network exists; any other output is an error."""
ROLE = "network"
REMOVAL_LIMIT_S = 30.0
"""Time limit for its containers to end, which happens at the same time after a kill."""


def keep(name: str) -> int:
    """Create a network and wait for a signal to end; the network is not removed here.

    A signal takes effect only after creation, so that removal cannot precede it.
    """
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    connect().networks.create(name, driver="bridge", labels={LABEL: ROLE}, check_duplicate=True)
    print(MADE, flush=True)
    ended.wait()
    return 128 + signal.SIGTERM


def remove(name: str) -> int:
    """Remove a network, if it exists, after the last container has left it.

    Raises `docker.errors.APIError` if a container remains in it.
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
    """Keep the named network, or remove it."""
    try:
        if arguments[:1] == [REMOVE]:
            return remove(arguments[1])
        return keep(arguments[0])
    except (docker.errors.DockerException, ContainerEngineError) as error:
        print(getattr(error, "explanation", None) or error, flush=True)
        return NOT_STARTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The keeper of a container: a program that runs a container under the guard.

The guard ends processes, but the container engine starts those of a container, so they are not
descendants of the guard. So the guard runs this program, which runs one container, copies its
output, ends it when the guard requests that, and exits with its exit code. At the end, the guard
runs this program with --remove, so that no container remains even if the laboratory was killed.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from wirelab.lab.environments.container.docker_client import docker
from wirelab.lab.environments.container.engine import ContainerEngineError, connect
from wirelab.lab.processes.ending import limit_reached

SPECIFICATION = "WIRELAB_CONTAINER"
"""The environment variable with the container's settings as JSON, which contain a password."""
REMOVE = "--remove"
NOT_STARTED = 125
STOP_S = 2
"""Time between SIGTERM and SIGKILL; less than the guard allows the keeper."""
REMAINDER_S = 1.0


class _EndedError(Exception):
    """The guard requested the end of the container."""


def keep(specification: dict[str, Any]) -> int:
    """Run a container until it ends or the guard requests its end; return its exit code."""
    client = connect()
    ports = specification.pop("ports")  # JSON's lists would have another meaning here
    published = {inside: tuple(outside) for inside, outside in ports.items()}
    container = client.containers.create(**specification, ports=published)
    # Attached before the start; the engine keeps no log.
    output = container.attach(stdout=True, stderr=True, stream=True)
    copier = threading.Thread(target=_copy, args=(output,), daemon=True)
    note = ""
    try:
        container.start()
        copier.start()
        code = int(container.wait()["StatusCode"])
        container.reload()
        if container.attrs["State"].get("OOMKilled") and specification.get("mem_limit"):
            note = limit_reached("the container", specification["mem_limit"] >> 20)
    except _EndedError:
        container.reload()
        container.stop(timeout=STOP_S if handles_signal(container.attrs["State"]["Pid"]) else 0)
        code = 128 + signal.SIGTERM
    if copier.is_alive():
        copier.join(REMAINDER_S)
    if note:
        print(note, flush=True)
    return code


def handles_signal(
    pid: int, number: signal.Signals = signal.SIGTERM, proc: Path = Path("/proc")
) -> bool:
    """Return whether the first process of a container handles a signal.

    The kernel does not deliver signals to the first process unless it handles them, so waiting for
    one that does not would only take time.
    """
    try:
        fields = dict(
            line.split(":", 1) for line in (proc / str(pid) / "status").read_text().splitlines()
        )
    except OSError:
        return True  # it cannot be inspected, or has ended
    return bool(int(fields["SigCgt"], 16) >> (number - 1) & 1)


def remove(name: str) -> int:
    """Remove a container, running or not, if it exists."""
    with suppress(docker.errors.NotFound):
        connect().containers.get(name).remove(force=True, v=True)
    return 0


def main(arguments: list[str]) -> int:
    """Keep the container of the environment variable, or remove the named one."""
    try:
        if arguments[:1] == [REMOVE]:
            return remove(arguments[1])
        signal.signal(signal.SIGTERM, _end)
        return keep(json.loads(os.environ.pop(SPECIFICATION)))
    except _EndedError:
        return 128 + signal.SIGTERM
    except (docker.errors.DockerException, ContainerEngineError) as error:
        print(getattr(error, "explanation", None) or error, flush=True)
        return NOT_STARTED


def _copy(output: Iterable[bytes]) -> None:
    for part in output:
        sys.stdout.buffer.write(part)
        sys.stdout.buffer.flush()


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise _EndedError


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

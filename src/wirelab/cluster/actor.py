"""The actor that Ray runs on a machine; it keeps an object in a separate process.

When an actor ends, Ray kills the children of its process at once. Guards must not be among them:
they end the processes that they guard after the laboratory has ended. So the laboratory is a child
of the actor, and the guards are its children. It ends when its standard input ends, at any time.

The actor passes on messages that are already pickled: to read them, it would import what only the
laboratory and the head need, which takes a second of CPU time.
"""

import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from typing import IO, TYPE_CHECKING, Any, Literal

from wirelab.cluster.ray_settings import environment_of_parent, niceness_of_parent, take_niceness
from wirelab.errors import LabError

if TYPE_CHECKING:
    from wirelab.cluster.working_folder import WorkingFolder

MAIN = "from wirelab.cluster.actor import serve; serve()"


Kind = Literal["station", "agent", "server"]


class MachineActor:
    """The actor. Its method `call` calls methods of the object that it keeps."""

    def __init__(self, kind: Kind) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", MAIN, kind, str(niceness_of_parent())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment_of_parent(),  # that of Ray itself
            start_new_session=True,
        )

    def monotonic_ns(self) -> int:
        """Read the monotonic clock of this machine."""
        return time.monotonic_ns()

    def call(self, method: str, *arguments: bytes) -> bytes:
        """Call a method; arguments and result are pickled.

        Raises `LabError` if the method does, or if the process has ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump((method, arguments), self._process.stdin)
            self._process.stdin.flush()
            result: bytes
            result, error = pickle.load(self._process.stdout)  # noqa: S301 - from own process
        except (EOFError, BrokenPipeError):
            code = self._process.wait()
            raise LabError(f"the laboratory on that machine ended with exit code {code}") from None
        if error:
            raise LabError(error)
        return result


def serve() -> None:
    """Run the object that the actor keeps: answer calls from standard input until it ends."""
    kind, niceness = sys.argv[1], int(sys.argv[2])
    take_niceness(niceness)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # other output must not be mixed with answers
    calls: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, calls), daemon=True).start()
    served = _kind(kind)(niceness)
    while True:
        method, arguments = calls.get()
        result, error = None, ""
        try:
            result = getattr(served, method)(*map(pickle.loads, arguments))
        except LabError as refused:
            error = str(refused)
        except Exception as failed:
            error = f"{type(failed).__name__}: {failed}"
        pickle.dump((pickle.dumps(result), error), answers)
        answers.flush()


def _kind(name: str) -> "type[WorkingFolder]":
    """Return the class of an object; import no other, because importing a station takes seconds."""
    if name == "agent":
        from wirelab.cluster.agent import LoadAgent  # noqa: PLC0415

        return LoadAgent
    if name == "server":
        from wirelab.cluster.server_host import ServerHost  # noqa: PLC0415

        return ServerHost
    from wirelab.cluster.station import Station  # noqa: PLC0415

    return Station


def _read(calls_from: IO[bytes], calls: "queue.SimpleQueue[Any]") -> None:
    """Pass calls on; when they end, end this process at once: guards end the others."""
    while True:
        try:
            calls.put(pickle.load(calls_from))  # noqa: S301 - from the actor
        except (EOFError, pickle.UnpicklingError):
            os._exit(1)

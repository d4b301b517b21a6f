"""Carry out a function in a process of its own, with limits of time and memory.

Descriptions of interfaces come from others. Small ones can take any amount of time and memory: by
references that multiply, or patterns that backtrack. In a process of its own such a function ends
with an error, and does not take the laboratory with it.
"""

import ctypes
import math
import os
import pickle
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import TypeVar, cast

T = TypeVar("T")

SECONDS = 60.0
MEMORY_BYTES = 3 * 2**30

_MAIN = "from wirelab.inputs.apart import serve; serve()"
_PR_SET_PDEATHSIG = 1


class LimitError(Exception):
    """A function exceeded a limit; the text names it."""


def apart(function: Callable[..., T], *arguments: object) -> T:
    """Return what a function of a module returns, and raise what it raises.

    Raises `LimitError` if it takes longer than `SECONDS`, or more memory than `MEMORY_BYTES`.
    """
    own_bytes = resource.getrlimit(resource.RLIMIT_AS)[0]
    memory_bytes = MEMORY_BYTES if own_bytes < 0 else min(MEMORY_BYTES, own_bytes)
    command = [sys.executable, "-P", "-c", _MAIN]  # -P: no module of the working folder
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            given = pickle.dumps((memory_bytes, math.ceil(SECONDS), function, arguments))
            output, _ = process.communicate(given, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise LimitError(f"it took longer than {SECONDS:g} s") from None
        finally:
            process.kill()
    if not output and process.returncode > 0:
        raise RuntimeError("the process ended without a result; standard error says why")
    if not output:
        raise LimitError(f"it needs more than {memory_bytes / 2**30:.3g} GiB of memory")
    result, error = pickle.loads(output)  # noqa: S301  (written below)
    if error is not None:
        raise error
    return cast(T, result)


def serve() -> None:
    """Carry out one function that standard input describes; write its result to standard output."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # never outlives its parent
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    result = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print is no result
    try:
        memory_bytes, seconds, function, arguments = pickle.load(sys.stdin.buffer)  # noqa: S301
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))  # also of what it starts
        output = pickle.dumps((function(*arguments), None))
    except MemoryError:
        os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does
    except Exception as error:
        output = pickle.dumps((None, error))
    with os.fdopen(result, "wb") as file:
        file.write(output)

"""Faults that the process of a server shows: whether it has ended, and its log."""

import time
from dataclasses import dataclass

from wirelab.errors import Log
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.processes.ending import describe_exit
from wirelab.protocol.clients.base import NoReplyError
from wirelab.verify.findings.finding_reasons import Ended

POLL_S = 0.1
END_S = 0.5
"""How long the end of a process may take to show after its connection broke off."""
LOGGED_S = 0.1
"""How long a server may take to log a failure after it has replied."""


@dataclass(frozen=True, slots=True)
class ServerFaults:
    """The faults of a server that wirelab started; those of others are unknown."""

    server: RunningContender | None = None

    def ended(self) -> tuple[Ended, Log | None] | None:
        """Return how a process of the server ended, with the end of its log; None if all run."""
        deadline = time.monotonic() + END_S
        while self.server and time.monotonic() < deadline:
            if ended := self.server.ended():
                service = "" if ended is self.server else ended.contender.id
                what, remedy = describe_exit(ended.process.poll() or 0, ended.process.log_tail())
                return Ended(service=service, exit=what, remedy=remedy), ended.log()
            time.sleep(POLL_S)
        return None

    def why_silent(self, error: NoReplyError) -> str:
        """Return why there is no reply, with the remedy if the log is not quoted."""
        is_logged = self.server is None and error.broke_off
        return f"{error}; read the log of the server" if is_logged else str(error)

    def log(self) -> Log | None:
        """Return the end of the log after a fault; None if the server has none."""
        if self.server is None:
            return None
        time.sleep(LOGGED_S)
        return self.server.log()

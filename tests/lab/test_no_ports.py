"""A machine whose ports are all taken: connecting waits for one, and says at last what is missing.

The ports are those of a network namespace, which only root may make.
"""

import errno
import os
import subprocess
import sys

import pytest

from tests.faults.case import loopback_up, why_not_here
from tests.faults.injection import no_ports
from wirelab.errors import LabError
from wirelab.lab.errors import StoreError
from wirelab.lab.processes.shortage import PORTS, REMEDIES, require_free_port
from wirelab.lab.stores import postgresql_connection

HERE = why_not_here()


@pytest.mark.skipif(bool(HERE), reason=HERE)
@pytest.mark.parametrize("seconds", [0.0, 30.0])
def test_connecting_to_a_store_waits_for_a_port(seconds: float) -> None:
    done = subprocess.run(
        ["unshare", "--net", sys.executable, "-m", __name__, str(seconds)],
        capture_output=True,
        text=True,
        check=True,
    )

    if seconds:  # a port became free meanwhile, and there is no server
        assert "Connection refused" in done.stdout
    else:
        assert os.strerror(errno.EADDRNOTAVAIL) in done.stdout
    assert done.stdout.count(REMEDIES[PORTS]) == (1 if seconds else 2)


def connect_without_ports(seconds: float) -> None:
    """Return what is refused; then free the ports while a program waits for one, if it waits."""
    loopback_up()
    postgresql_connection.CONNECT_TIMEOUT_S = int(seconds)
    with no_ports() as free:
        try:
            require_free_port()
        except LabError as error:
            print(error)
        postgresql_connection.time.sleep = lambda _: free()  # type: ignore[attr-defined]
        try:
            with postgresql_connection.connected("postgresql://127.0.0.1:9/x", "connect"):
                pass
        except StoreError as error:
            print(error)


if __name__ == "__main__":
    connect_without_ports(float(sys.argv[1]))

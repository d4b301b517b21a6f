"""nginx in front of a test's own server, with the configuration that studies use."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from wirelab.lab.network.nginx import PLAIN, Route, configuration
from wirelab.lab.network.ports import free_port, is_taken
from wirelab.lab.network.proxy import find_nginx

HOST = "127.0.0.1"


@contextmanager
def nginx_before(upstream: str, level: str = PLAIN) -> Iterator[str]:
    """Run nginx for as long as the block lasts; yield its host:port. Skips without nginx."""
    program = find_nginx()
    if program is None:
        pytest.skip("nginx is not installed")
    port = free_port(HOST)
    route = Route(f"{HOST}:{port}", upstream, "http1")
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        scratch.chmod(0o711)  # as root, nginx's workers are another user
        written = scratch / "nginx.conf"
        written.write_text(configuration(route, scratch=folder, workers=1, level=level))
        with subprocess.Popen([program, "-p", folder, "-e", "stderr", "-c", written]) as nginx:
            try:
                while not is_taken(port):
                    assert nginx.poll() is None
                    time.sleep(0.02)
                yield route.address
            finally:
                nginx.terminate()

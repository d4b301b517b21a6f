"""Descriptions that nobody here wrote: `init` proposes operations, and names what it leaves out.

They are large, and other people's, so they are not in the repository: npm and pip fetch packages
that contain them.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from wirelab.commands.init import init_command
from wirelab.domain_file import load_domain
from wirelab.exit_codes import ExitCode

TIMEOUT_S = 120


class Public(NamedTuple):
    """A description: which package has it, where, and how many operations it offers at least."""

    protocol: str
    registry: str
    package: str
    file: str
    least: int


PUBLIC = (
    Public("rest", "npm", "@octokit/openapi@23.0.2", "generated/api.github.com.json", 300),
    Public("rest", "npm", "@blockfrost/openapi@0.1.93", "openapi.yaml", 30),
    Public("rest", "npm", "@directus/specs@15.2.0", "dist/openapi.json", 30),
    Public("graphql", "npm", "@octokit/graphql-schema@15.26.1", "schema.graphql", 20),
    Public(
        "graphql", "npm", "@nautical-commerce/graphql-schema@4.15.0", "nautical/schema.graphql", 20
    ),
    Public("grpc", "npm", "google-proto-files@5.0.3", "google/pubsub/v1/pubsub.proto", 10),
    Public("grpc", "npm", "google-proto-files@5.0.3", "google/spanner/v1/spanner.proto", 5),
    Public(
        "grpc", "npm", "google-proto-files@5.0.3", "google/container/v1/cluster_service.proto", 10
    ),
    Public("soap", "pip", "fedex==2.4.1", "fedex/wsdl/RateService_v24.wsdl", 1),
    Public("soap", "pip", "onvif-zeep==0.2.12", "wsdl/ptz.wsdl", 5),
    Public("soap", "pip", "simple-salesforce==1.12.10", "simple_salesforce/metadata.wsdl", 5),
)
Fetch = Callable[[str, str], Path]


@pytest.fixture(scope="module")
def fetch(tmp_path_factory: pytest.TempPathFactory) -> Fetch:
    """Return a function that fetches a package once, and returns where it is unpacked."""
    root = tmp_path_factory.mktemp("packages")

    def bring(registry: str, package: str) -> Path:
        place = root / package.replace("/", "_")
        if place.exists():
            return next(path for path in place.iterdir() if path.is_dir())
        place.mkdir()
        commands = {
            "npm": ["npm", "pack", "--silent", package],
            "pip": [
                *(sys.executable, "-m", "pip", "download", "-q", "--no-deps"),
                *("--no-binary", ":all:", "--no-build-isolation", package),
            ],
        }
        if registry == "npm" and shutil.which("npm") is None:
            pytest.skip("no npm on the PATH")
        done = subprocess.run(
            commands[registry],
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )
        archives = [*place.glob("*.tgz"), *place.glob("*.tar.gz")]
        if not archives:
            pytest.skip(f"{package} cannot be fetched: {done.stderr[-200:]}")
        shutil.unpack_archive(archives[0], place, "gztar", filter="data")
        return next(path for path in place.iterdir() if path.is_dir())

    return bring


@pytest.mark.thorough(reason="fetches packages of up to 30 MB")
@pytest.mark.parametrize("public", PUBLIC, ids=lambda it: f"{it.package} {it.file}")
def test_operations_are_proposed(
    fetch: Fetch, tmp_path: Path, capsys: pytest.CaptureFixture[str], public: Public
) -> None:
    code = init_command(
        str(tmp_path / "own"),
        {public.protocol: str(fetch(public.registry, public.package) / public.file)},
        addresses={},
        csv=None,
        decide=None,
        force=False,
        seed=1,
        as_json=True,
    )
    told = json.loads(capsys.readouterr().out)

    assert code == ExitCode.OK
    assert len(told["operations"]) >= public.least
    assert all(": " in each for each in told["left_out"])
    assert set(load_domain(str(tmp_path / "own" / "domain")).operations) == set(told["operations"])

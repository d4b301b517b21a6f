"""An installed wheel needs no checkout: it brings programs, studies, domains and stores along."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from uv import find_uv_bin

from wirelab.bundle import Bundle
from wirelab.installation.programs import project_root

pytestmark = pytest.mark.thorough(reason="compiles programs and installs everything once more")

PROGRAMS = ("wirelab", "wirelab-load", "wirelab-data", "wirelab-guard", "wirelab-link")
DEMO = ("kaminski-2022", "--design", "smoke")
"""The study that `make demo` runs."""
RELEASED = os.environ.get("WIRELAB_WHEEL", "")
"""The wheel that `make release` has built."""
LIMIT_S = 1800.0


class Installation:
    """A virtual environment with the wheel in it, used from a folder that is empty at first."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        self.wheel = wheel
        self.scripts = folder / "venv" / "bin"
        self.empty = folder / "empty"
        self.empty.mkdir()
        kept = {name: it for name, it in os.environ.items() if not name.startswith("PYTHON")}
        self.environment = {**kept, "WIRELAB_CACHE": str(folder / "cache")}

    def output_of(self, *command: str, folder: Path | None = None) -> str:
        """Run a command of the installation, in another folder if given; return its output."""
        done = subprocess.run(
            [self.scripts / command[0], *command[1:]],
            cwd=folder or self.empty,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    root = project_root()
    assert root is not None
    folder = tmp_path_factory.mktemp("wheel")

    def run(*command: str | Path) -> None:
        subprocess.run(command, cwd=root, timeout=LIMIT_S, check=True)

    if RELEASED:
        wheel = root / RELEASED
    else:
        maturin = Path(sys.executable).with_name("maturin")
        run(maturin, "build", "--quiet", "--profile", "quick", "--out", folder)
        (wheel,) = folder.glob("*.whl")
    uv, venv = find_uv_bin(), folder / "venv"
    run(uv, "venv", "--quiet", "--python", sys.executable, venv)
    install = (uv, "pip", "install", "--quiet", "--python", venv)
    run(*install, "--constraint", root / "requirements.txt", wheel)
    return Installation(wheel, folder)


def test_the_wheel_contains_the_files_of_the_checkout(installed: Installation) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "studies", "domains", "stores"],
        cwd=project_root(),
        capture_output=True,
        text=True,
        check=True,
    )
    committed = {f"wirelab/installation/resources/{name}" for name in listed.stdout.split()}

    packaged = set(zipfile.ZipFile(installed.wheel).namelist())

    assert committed - packaged == set()
    assert not [name for name in packaged if "__pycache__" in name or "node_modules" in name]


def test_every_program_starts(installed: Installation) -> None:
    for name in PROGRAMS:
        assert installed.output_of(name, "--help")


def test_studies_and_domains_are_found(installed: Installation) -> None:
    assert "kaminski-2022" in installed.output_of("wirelab", "list")
    assert "144 runs" in installed.output_of("wirelab", "plan", *DEMO)


def test_a_minimal_study_runs(installed: Installation) -> None:
    only = "rest-flask,graphql-graphene,fetch_one"
    options = ("--only", only, "--output", "bundle", "--json")
    output = json.loads(installed.output_of("wirelab", "run", *DEMO, *options))

    bundle = installed.empty / "bundle"
    assert installed.empty / output["bundle"] == bundle
    assert (bundle / "report.md").is_file() or list(bundle.glob("**/report.md"))


@pytest.mark.skipif(not RELEASED, reason="for a release")
def test_the_demo_measures_all_of_its_runs(installed: Installation, tmp_path: Path) -> None:
    output = json.loads(installed.output_of("wirelab", "run", *DEMO, "--json", folder=tmp_path))

    bundle = Bundle.open(tmp_path / output["bundle"])
    runs = [run for block in bundle.last_attempts() for run in block.runs]
    assert [path.name for path in tmp_path.iterdir()] == ["bundles"]
    assert bundle.info.status == "complete"
    assert len(runs) == 144
    assert {run.status for run in runs} == {"valid"}
    assert (tmp_path / output["report"]["html"]).is_file()

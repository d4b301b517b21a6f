"""The source distribution has all that a wheel is built from: one made of it lacks nothing."""

import subprocess
import sys
import tarfile
from pathlib import Path

from wirelab.installation.programs import project_root


def test_the_sdist_contains_the_files_of_the_checkout(tmp_path: Path) -> None:
    root = project_root()
    assert root is not None
    maturin = Path(sys.executable).with_name("maturin")
    subprocess.run([maturin, "sdist", "--out", tmp_path], cwd=root, check=True)
    listed = subprocess.run(
        ["git", "ls-files", "studies", "domains", "stores", "programs"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    (archive,) = tmp_path.glob("*.tar.gz")

    with tarfile.open(archive) as made:
        packaged = {name.partition("/")[2] for name in made.getnames()}

    committed = {
        name if name.startswith("programs/") else f"src/wirelab/installation/resources/{name}"
        for name in listed.stdout.split()
    }
    assert {*committed, "LICENSE", "THIRD-PARTY.md", "README.md", "Cargo.lock"} - packaged == set()
    assert not [name for name in packaged if "__pycache__" in name or "node_modules" in name]

"""The tools that look components up in databases of advisories, where those can be reached."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from audit.components import ROOT, find, locked
from audit.licences import Policy

REACH_S = 10.0
PIP_AUDIT = "pip-audit==2.10.1"
GOVULNCHECK = "golang.org/x/vuln/cmd/govulncheck@v1.1.4"
REMEDIES = {"cargo-deny": ": `cargo install --locked cargo-deny`"}
TAIL = 12


class State(StrEnum):
    """How a check ended."""

    CLEAN = "clean"
    FOUND = "FOUND"
    UNREACHABLE = "not checked"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check says: a line, and details where something was found."""

    name: str
    state: State
    summary: str
    details: str = ""


def checks() -> Iterator[Outcome]:
    """Carry all of them out."""
    yield _pip_audit()
    yield _cargo_deny("licenses", "sources")
    yield _cargo_deny("advisories", database="https://github.com/rustsec/advisory-db")
    yield _npm_audit()
    yield _govulncheck()
    yield _maven()


def _pip_audit() -> Outcome:
    """Ask for every locked version; a list may name a package once, so there may be several."""
    uv = str(Path(sys.executable).with_name("uv"))
    command = [uv, "tool", "run", PIP_AUDIT, "--strict", "--disable-pip", "--no-deps"]
    packages = [component for component in locked() if component.kind == "PyPI"]
    lists: list[dict[str, str]] = []
    for package in packages:
        place = next((it for it in lists if package.name not in it), None)
        if place is None:
            lists.append(place := {})
        place[package.name] = package.version
    with tempfile.TemporaryDirectory() as folder:
        for number, versions in enumerate(lists):
            path = Path(folder) / f"{number}.txt"
            path.write_text("".join(f"{it}=={version}\n" for it, version in versions.items()))
        return _each(
            "pip-audit",
            [
                ([*command, "--requirement", str(path)], ROOT)
                for path in sorted(Path(folder).iterdir())
            ],
            database="https://pypi.org/pypi/pip/json",
            trouble=r"^ERROR",
            what=f"{len(packages)} packages",
        )


def _cargo_deny(*what: str, database: str = "") -> Outcome:
    name = f"cargo-deny {' '.join(what)}"
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "deny.toml"
        settings.write_text(_settings_of_deny(Policy.read()))
        command = ["cargo-deny", "--locked", "--all-features", "--offline"]
        if database:
            command.remove("--offline")
        return _each(
            name,
            [([*command, "--config", str(settings), "check", *what], ROOT)],
            database=database,
            trouble=r"failed to fetch|unexpected argument",
            what="the workspace",
        )


def _settings_of_deny(policy: Policy) -> str:
    """Write the policy as cargo-deny reads it, so that there is only one."""
    allow = json.dumps(sorted(policy.allow))
    return f"""\
        [licenses]
        allow = {allow}
        [licenses.private]
        ignore = true
        [sources]
        unknown-registry = "deny"
        unknown-git = "deny"
    """


def _npm_audit() -> Outcome:
    folders = [path.parent for path in find("package-lock.json")]
    command = ["npm", "audit", "--package-lock-only", "--audit-level=low"]
    return _each(
        "npm audit",
        [(command, folder) for folder in folders],
        database="https://registry.npmjs.org/npm",
        trouble=r"audit endpoint returned an error",
        what=f"{len(folders)} lock files",
    )


def _govulncheck() -> Outcome:
    folders = [path.parent for path in find("go.mod")]
    return _each(
        "govulncheck",
        [(["go", "run", GOVULNCHECK, "./..."], folder) for folder in folders],
        database="https://vuln.go.dev/index/db.json",
        trouble=r"fetching vulnerabilities|errors? loading|no required module|go: ",
        what=f"{len(folders)} modules",
    )


def _maven() -> Outcome:
    """Compare what Maven has fetched with the checksums that it has got from the registry."""
    name, repository = "Maven checksums", Path.home() / ".m2" / "repository"
    wrong, right = [], 0
    for jar in sorted(repository.rglob("*.jar")) if repository.is_dir() else ():
        checksum = jar.with_name(f"{jar.name}.sha1")
        if not checksum.is_file():
            continue
        expected = checksum.read_text().split()[0]
        with jar.open("rb") as file:
            found = hashlib.file_digest(file, "sha1").hexdigest()
        right += expected == found
        if expected != found:
            wrong.append(f"{jar}: {found} instead of {expected}")
    if wrong:
        return Outcome(name, State.FOUND, f"{len(wrong)} files differ", "\n".join(wrong))
    if not right:
        return Outcome(name, State.UNREACHABLE, f"Maven has fetched nothing to {repository}")
    return Outcome(name, State.CLEAN, f"{right} files are what the registry says")


def _each(
    name: str,
    commands: Sequence[tuple[Sequence[str], Path]],
    *,
    database: str,
    trouble: str,
    what: str,
) -> Outcome:
    """Carry commands out in their folders, where the tool is and its database answers.

    `trouble`: what the tool says when it could not look, rather than found something.
    """
    program = commands[0][0][0]
    if shutil.which(program) is None:
        return Outcome(
            name, State.UNREACHABLE, f"{program} is not installed{REMEDIES.get(program, '')}"
        )
    if database and (reason := _unreachable(database)):
        summary = f"its database at {database} cannot be reached ({reason}): nothing was looked up"
        return Outcome(name, State.UNREACHABLE, summary)
    found: list[str] = []
    for command, folder in commands:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        lines = (done.stdout + done.stderr).strip().splitlines()
        if done.returncode != 0 and (why := [it for it in lines if re.search(trouble, it)]):
            return Outcome(name, State.UNREACHABLE, f"it could not look: {why[0]}")
        if done.returncode != 0:
            found += [f"{folder.relative_to(ROOT)}:", *lines[-TAIL:]]
    state = State.FOUND if found else State.CLEAN
    return Outcome(name, state, what, "\n".join(found))


def _unreachable(address: str) -> str:
    """Return why an address does not answer; "" when it does."""
    try:
        urllib.request.urlopen(address, timeout=REACH_S).close()  # noqa: S310 (ours, all https)
    except urllib.error.HTTPError as error:
        return f"status {error.code}"
    except OSError as error:
        return str(getattr(error, "reason", error))
    return ""

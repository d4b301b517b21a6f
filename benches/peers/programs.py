"""The peers' programs: found, or installed with public tools into a folder of the cache."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benches.peers.generator import Generator
from wirelab.errors import MissingProgramError
from wirelab.installation.programs import cache_folder, find_program
from wirelab.lab.processes.process import start_guarded

HERE = Path(__file__).parent
LATER = ["nice", "-n", "10"]
"""Compilers yield to all other programs."""

UNAVAILABLE = {
    name: f"no distribution and no registry carries it: --program {name}=PATH, if you have it"
    for name in ("wrk2", "zrk")
}


@dataclass(frozen=True, slots=True)
class Peer:
    """A program, and the command that installs it."""

    name: str
    install: tuple[str, ...]
    """The command that installs it; {cache} is the folder with `bin` in it."""
    environment: dict[str, str] = field(default_factory=dict)
    folder: Path | None = None
    """Where the command runs."""


def _debian(name: str, package: str) -> Peer:
    return Peer(name, ("apt-get", "install", "--yes", "--no-install-recommends", package))


def _go(name: str, module: str) -> Peer:
    return Peer(name, ("go", "install", module), {"GOBIN": "{cache}/bin"})


def _cargo(name: str, *what: str, folder: Path | None = None) -> Peer:
    command = ("cargo", "install", "--quiet", "--locked", "--root", "{cache}", *what)
    return Peer(name, command, {"CARGO_TARGET_DIR": "{cache}/target"}, folder)


OF_DEBIAN = (
    _debian("nginx", "nginx-light"),
    _debian("wrk", "wrk"),
    _debian("h2load", "nghttp2-client"),
    _debian("hey", "hey"),
)
COMPILED = (
    _go("fortio", "fortio.org/fortio@v1.63.0"),
    _go("ghz", "github.com/bojand/ghz/cmd/ghz@v0.93.0"),
    _go("k6", "go.k6.io/k6@v1.8.1"),
    _cargo("oha", "oha@1.16.0", "--features", "http3"),
)
BUILT_HERE = (
    _cargo("wirelab-floor", "--force", "--path", ".", folder=HERE / "floor"),
    _cargo("wirelab-peer-servers", "--force", "--path", ".", folder=HERE / "servers"),
)
"""Built every time, so that they are those of this checkout."""
SERVERS = (OF_DEBIAN[0], *BUILT_HERE)


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of a session."""

    paths: dict[str, str]
    versions: dict[str, str]
    absent: dict[str, str]
    """Why a program is not available."""


def prepare(
    report: Callable[[str], None],
    chosen: Sequence[Generator],
    given: Mapping[str, Path] | None = None,
) -> Programs:
    """Find what the chosen generators and the servers need, and install what is missing.

    `given` are programs that are already there, by their names.
    """
    given = given or {}
    needed = {generator.program for generator in chosen} | {peer.name for peer in SERVERS}
    cache = cache_folder() / "peers"
    (cache / "bin").mkdir(parents=True, exist_ok=True)
    programs = Programs({}, {}, dict(UNAVAILABLE))
    for peer in (*OF_DEBIAN, *COMPILED, *BUILT_HERE):
        if peer.name not in needed or peer.name in given:
            continue
        path = None if peer in BUILT_HERE else _find(peer.name, cache)
        why = ""
        if path is None:
            report(f"{peer.name}: {' '.join(peer.install).format(cache=cache)}")
            why = _install(peer, cache)
            path = _find(peer.name, cache)
        if path is None:
            programs.absent[peer.name] = why or "installed, but not found"
            report(f"{peer.name}: not available: {programs.absent[peer.name]}")
        else:
            programs.paths[peer.name] = path
            programs.versions[peer.name] = _version(peer, path)
    try:
        path = str(find_program("wirelab-load"))
    except MissingProgramError as error:
        programs.absent["wirelab-load"] = str(error)
    else:
        programs.paths["wirelab-load"] = path
        programs.versions["wirelab-load"] = _output_of([path, "--version"])
    for name, own in given.items():
        programs.absent.pop(name, None)
        programs.paths[name] = str(own)
        version = _output_of([str(own), "--version"]).partition("\n")[0]
        programs.versions[name] = version or "unknown"
    return programs


def _find(name: str, cache: Path) -> str | None:
    places = [str(cache / "bin"), os.environ.get("PATH", ""), "/usr/sbin"]
    return shutil.which(name, path=os.pathsep.join(places))


def _install(peer: Peer, cache: Path) -> str:
    """Install; return why that failed, or nothing."""
    command = [part.format(cache=cache) for part in peer.install]
    if command[0] == "apt-get" and os.geteuid() != 0:
        return f"as root: {' '.join(command)}"
    if shutil.which(command[0]) is None:
        return f"{command[0]} is not installed"
    chosen = {key: value.format(cache=cache) for key, value in peer.environment.items()}
    log = cache / f"{peer.name}.log"
    log.unlink(missing_ok=True)
    process = start_guarded(
        [*LATER, *command],
        role=f"the installation of {peer.name}",
        log_path=log,
        environment={**os.environ, **chosen},
        cwd=peer.folder or cache,
    )
    return "" if process.wait() == 0 else f"{process.log_tail(1)} ({log.name} tells more)"


def _version(peer: Peer, path: str) -> str:
    if peer in BUILT_HERE:
        return "of this checkout"
    if peer in OF_DEBIAN and shutil.which("dpkg-query"):
        command = ["dpkg-query", "--show", "--showformat=${Package} ${Version}", peer.install[-1]]
    elif peer.install[0] == "go" and shutil.which(
        "go"
    ):  # what the programs themselves say is not always true
        command = ["go", "version", "-m", path]
    else:
        command = [path, "--version"]
    output = _output_of(command)
    module = re.search(r"^\s+mod\s+(\S+)\s+(\S+)", output, re.MULTILINE)
    return f"{module[1]} {module[2]}" if module else output.partition("\n")[0] or "unknown"


def _output_of(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

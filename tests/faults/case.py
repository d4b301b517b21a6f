"""One case in separate namespaces: a study, a fault, what remains, and the resumed study.

`python -m tests.faults.case TARGET FAULT PHASE WORLD` runs as the first process of its namespaces
and prints what it found as JSON; `isolated` starts it there. With `undisturbed` as the last
argument, there is no fault: every case of that study must have the contents of its bundle.
"""

import fcntl
import hashlib
import json
import multiprocessing
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter

from tests.faults.census import leftovers, mounted
from tests.faults.clock import PRELOAD, Clock
from tests.faults.contents import Contents, contents, differences
from tests.faults.driver import GATE, REACHED_PIPE, RESUME_PIPE, report_phases
from tests.faults.ferretdb import share_ferretdb
from tests.faults.injection import Places, injected
from tests.faults.matrix import CLOCKS, Case, Fault, Phase, Target, World
from tests.faults.worlds import copy_world
from tests.support.commands import Command
from wirelab.bundle import Bundle
from wirelab.bundle.run_reasons import in_words
from wirelab.installation.build_cache import COMPLETE
from wirelab.installation.programs import cache_folder
from wirelab.terminal.exit_codes import ExitCode

LIMIT_S = 150.0
"""Time limit of a case, longer than the recovery of a store, which takes at most 120 s."""
NAMESPACES = ("--mount", "--ipc", "--net", "--pid", "--fork", "--mount-proc", "--kill-child")
OUTPUT_MB, TEMPORARY_MB = 64, 512
NOT_HIDDEN = "/var/tmp"
"""Where a case has its folder: not below /dev/shm, where a small disk covers other files."""
GOOD = {ExitCode.OK, ExitCode.FAULTS, ExitCode.VERIFY_FAILED}
"""The exit codes of a complete study."""
Laboratory = Command | subprocess.Popen[bytes]
"""The process of a command: forked, since loading it takes seconds, or started."""
UNDISTURBED = "undisturbed"
"""The argument for a study without a fault."""
LO_UP = 0x1 | 0x40
SET_FLAGS = 0x8914

_usual: dict[tuple[World, str], dict[str, Contents]] = {}
"""What the bundles of undisturbed studies have, by world and design."""
_measuring = threading.Lock()


@dataclass
class Result:
    """The result of a case. `findings`: kind ("lost", "leftover", "traceback", …) and text."""

    case: str
    day: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())
    seconds: float = 0.0
    code: int | None = None
    resumed: int | None = None
    findings: list[tuple[str, str]] = field(default_factory=list)
    output: str = ""
    """The end of the laboratory's output, if there is a finding."""
    contents: dict[str, Contents] = field(default_factory=dict)
    """The contents of the bundle by run; empty if it is not complete."""

    def find(self, kind: str, what: object) -> None:
        """Note a finding."""
        self.findings.append((kind, str(what)))


def why_not_here() -> str:
    """Return why cases cannot run on this machine; "" if they can."""
    if os.geteuid() != 0:
        return "only root may make namespaces, small disks and limits"
    if shutil.which("unshare") is None:
        return "there is no unshare"
    done = subprocess.run(["unshare", *NAMESPACES, "true"], capture_output=True, check=False)
    return f"no namespaces: {done.stderr.decode().strip()}" if done.returncode else ""


def isolated(case: Case) -> Result:
    """Run a case in separate namespaces; all its processes end with the call."""
    with _measuring:
        if (case.world, case.design) not in _usual:
            undisturbed = _isolated(case, UNDISTURBED)
            if undisturbed.findings or not undisturbed.contents:
                raise RuntimeError(f"undisturbed: {undisturbed.findings} {undisturbed.output}")
            _usual[case.world, case.design] = undisturbed.contents
    result = _isolated(case)
    if result.contents:
        for difference in differences(result.contents, _usual[case.world, case.design]):
            result.find("lost", difference)
    return result


def _isolated(case: Case, *more: str) -> Result:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [
            *("unshare", *NAMESPACES, "--propagation", "private"),
            *(sys.executable, "-m", __name__, case.target, case.fault, case.phase, case.world),
            *more,
        ],
        cwd=root,
        env={**os.environ, "TMPDIR": NOT_HIDDEN},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{case}: {done.stderr[-2000:]}")
    return TypeAdapter(Result).validate_json(done.stdout.splitlines()[-1])


def try_out(case: Case, *, undisturbed: bool = False) -> Result:
    """Run a case, or its study undisturbed; this process is the first of its namespaces."""
    began, result = time.monotonic(), Result(str(case))
    with ExitStack() as ends:
        # Not a TemporaryDirectory: each fork of this process would remove it when it ends.
        folder = Path(tempfile.mkdtemp(prefix="wirelab-fault-"))
        ends.callback(shutil.rmtree, folder)
        folder.chmod(0o755)
        scene = _Scene(case, folder, result)
        ends.callback(scene.close)
        scene.run(None if undisturbed else case.phase)
    result.seconds = round(time.monotonic() - began, 1)
    return result


class _Scene:
    def __init__(self, case: Case, folder: Path, result: Result) -> None:
        self.case, self.folder, self.result = case, folder, result
        self.places = Places(folder / "output", folder / "temporary")
        self.cache = folder / "cache"
        self.bundle = self.places.output / "bundle"
        self.study = copy_world(case.world, folder)
        self.clock = Clock(folder) if case.fault in CLOCKS else None
        _small_disk(self.places.output, OUTPUT_MB, 0o755)
        _small_disk(self.places.temporary, TEMPORARY_MB, 0o1777)
        _small_disk(Path("/dev/shm"), OUTPUT_MB, 0o1777)
        self.cache.mkdir()
        _share_scripts(self.cache)
        if case.world == World.DOCUMENTS:
            share_ferretdb(self.cache)
        loopback_up()
        self.mounts = mounted()
        self.finished: dict[str, str] = {}

    def run(self, gate: Phase | None) -> None:
        """Run the study, inject the fault in that phase, and resume the study."""
        case, result = self.case, self.result
        result.code = self._start("first", gate)
        self._find_leftovers("")
        codes = case.codes if gate else {ExitCode.OK}
        if result.code is not None and result.code not in codes:
            result.find("exit code", f"{result.code}, documented: {sorted(map(int, codes))}")
        self._keep_finished()
        if not self._is_complete():
            result.resumed = self._start("resumed", gate=None)
            self._find_leftovers(" after resuming")
            if result.resumed not in GOOD:
                result.find("not resumed", f"exit code {result.resumed}")
        if not self._is_complete():
            result.find("not resumed", "the bundle is not complete")
            return
        self._compare_finished("at the end")
        bundle = Bundle.open(self.bundle)
        for mismatch in bundle.check():
            result.find("lost", mismatch)
        if gate is None or not case.loses_its_own_runs:
            self._look_for_lost_runs(bundle)
        for block in bundle.block_records():
            if not 0 <= block.seconds <= LIMIT_S:
                result.find("duration", f"{block.block.id} took {block.seconds:.1f} s")
        result.contents = contents(bundle)

    def close(self) -> None:
        """Unmount the small disks."""
        for disk in (self.places.output, self.places.temporary):
            subprocess.run(["umount", "--lazy", disk], check=False)

    # -- running --------------------------------------------------------------------------------

    def _start(self, name: str, gate: Phase | None) -> int | None:
        """Run the study, or resume it; None if it had to be ended."""
        fresh = not (self.bundle / "bundle.json").is_file()
        arguments = ["--resume", self.bundle]
        if fresh:
            arguments = [self.study, "--design", self.case.design, "--output", self.bundle]
        reached, reached_end = os.pipe()
        resume_end, resume = os.pipe()
        environment = {
            "TMPDIR": str(self.places.temporary),
            "WIRELAB_CACHE": str(self.cache),
            "COLUMNS": "1000",
            REACHED_PIPE: str(reached_end),
            RESUME_PIPE: str(resume_end),
            **({} if gate is None else {GATE: gate.value}),
            **(self.clock.environment(self.case.target) if self.clock else {}),
        }
        log = self.folder / f"{name}.log"
        process = self._process(list(map(str, arguments)), log, environment)
        for end in (reached_end, resume_end):
            os.close(end)
        try:
            with ExitStack() as fault:
                if gate is not None:
                    self._inject(process, reached, resume, fault)
                code = self._wait(process, name)
        finally:
            os.close(reached)
            os.close(resume)
        self._read(log.read_text(errors="replace"), code, name)
        return code

    def _process(self, arguments: list[str], log: Path, environment: dict[str, str]) -> Laboratory:
        """Start the laboratory; pipes in its environment are open in it."""
        if PRELOAD not in environment:
            return Command(
                *("run", *arguments),
                stdout=Path(os.devnull),
                stderr=log,
                environment=environment,
                prepare=report_phases,
                forks=multiprocessing.get_context("fork"),
            )
        with log.open("wb") as output:  # a fork would not load the library
            return subprocess.Popen(
                [sys.executable, "-m", "tests.faults.driver", "run", *arguments],
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=output,
                pass_fds=(int(environment[REACHED_PIPE]), int(environment[RESUME_PIPE])),
            )

    def _inject(self, process: Laboratory, reached: int, resume: int, fault: ExitStack) -> None:
        ready, _, _ = select.select([reached], [], [], LIMIT_S)
        if not ready or not os.read(reached, 1):
            output = (self.folder / "first.log").read_text(errors="replace")
            process.kill()
            raise RuntimeError(f"{self.case.phase} was not reached: {output[-1500:]}")
        self._keep_finished()
        fault.enter_context(injected(self.case, process.pid, self.places, self.clock))
        os.write(resume, b"\n")

    def _wait(self, process: Laboratory, name: str) -> int | None:
        try:
            return process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            self.result.find("hang", f"{name}: nothing after {LIMIT_S:.0f} s")
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return None

    # -- what must hold ------------------------------------------------------------------------

    def _read(self, output: str, code: int | None, name: str) -> None:
        """Check for tracebacks, and for cause and remedy after an error."""
        self.result.output += f"--- {name}, exit code {code}\n{output[-3000:]}"
        if "Traceback (most recent call last)" in output:
            self.result.find("traceback", f"{name}: {output.splitlines()[-1][:300]}")
        if code in {ExitCode.FAILED, ExitCode.BAD_INPUT, ExitCode.NOT_READY}:
            for word in ("error:", "hint:" if "hint:" in output else "continue with:"):
                if word not in output:
                    self.result.find("message", f"{name}: no {word} in {output[-300:]!r}")
        elif code == ExitCode.INTERRUPTED and "continue with:" not in output:
            self.result.find("message", f"{name}: no command to continue in {output[-300:]!r}")
        elif code == ExitCode.FAULTS and not ("not count" in output or "left out" in output):
            self.result.find("message", f"{name}: no reason why runs are lost in {output[-300:]!r}")

    def _find_leftovers(self, when: str) -> None:
        for each in leftovers(self.places, self.cache, self.mounts):
            if not (self.case.shuts_temporary_files and each.startswith("temporary ")):
                self.result.find("leftover", f"{each}{when}")

    def _keep_finished(self) -> None:
        self._compare_finished("when the laboratory ended")
        self.finished = _hashes(self.bundle)

    def _compare_finished(self, when: str) -> None:
        now = _hashes(self.bundle)
        for path, digest in self.finished.items():
            if now.get(path) != digest:
                self.result.find("lost", f"{path} {when}")

    def _is_complete(self) -> bool:
        if not (self.bundle / "bundle.json").is_file():
            return False
        bundle = Bundle.open(self.bundle)
        left = bundle.schedule.remaining(bundle.finished_block_ids())
        return (
            bundle.info.status == "complete" and not left and (self.bundle / "hashes.json").exists()
        )

    def _look_for_lost_runs(self, bundle: Bundle) -> None:
        """No run may be lost, except those of the target of the fault."""
        for block in bundle.last_attempts():
            for run in block.runs:
                if run.status != "valid":
                    self.result.find("lost", f"{run.run.id}: {in_words(run.reasons)[:300]}")


def _hashes(bundle: Path) -> dict[str, str]:
    """Return the content hash of every file of finished blocks."""
    return {
        str(path.relative_to(bundle)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (bundle / "blocks").glob("[!.]*/**/*")
        if path.is_file()
    }


def _share_scripts(cache: Path) -> None:
    """Link the scripts of reports into a case's cache, if they are bundled: that takes seconds."""
    builds = cache / "builds"
    builds.mkdir()
    for built in (cache_folder() / "builds").glob("vega-*"):
        if (built / COMPLETE).exists():
            (builds / built.name).symlink_to(built)


def _small_disk(folder: Path, size_mb: int, mode: int) -> None:
    folder.mkdir(exist_ok=True)
    options = f"size={size_mb}m,mode={mode:o}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], check=True)


def loopback_up() -> None:
    """A new network has its loopback down."""
    with socket.socket() as line:
        fcntl.ioctl(line, SET_FLAGS, struct.pack("16sh14x", b"lo", LO_UP))


if __name__ == "__main__":
    import tests.support.loaded  # noqa: F401 - for the commands that it forks

    target, fault, phase, world, *more = sys.argv[1:]
    case = Case(Target(target), Fault(fault), Phase(phase), World(world))
    print(json.dumps(asdict(try_out(case, undisturbed=more == [UNDISTURBED]))))

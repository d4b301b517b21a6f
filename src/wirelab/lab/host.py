"""The description of this machine for readers of the results (host.json).

Everything is read below a root folder, so that tests can describe other machines.
"""

import os
import platform
import re
import resource
import subprocess
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from wirelab.errors import MissingProgramError
from wirelab.installation.programs import find_program, project_root
from wirelab.lab.processes.cpu import CpuPlan, parse_cpus, read_siblings

SYS_CPU = "sys/devices/system/cpu"
SAME_MACHINE = ("architecture", "kernel", "distribution", "memory_bytes")
"""What describes a machine, besides its CPU."""


class Fact(BaseModel):
    """A part of host.json."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Cpu(Fact):
    """The processor; None if unknown."""

    model: str
    logical: int
    cores: int
    hyper_threads: bool
    frequency_mhz: float | None
    governor: str | None
    turbo: bool | None


class Host(Fact):
    """host.json."""

    cpu: Cpu
    memory_bytes: int
    kernel: str
    architecture: str
    distribution: str
    clocksource: str | None
    tcp_congestion_control: str | None = None
    """The algorithm of new connections, such as `cubic`; None if unknown."""
    cgroup_version: Literal[0, 1, 2]
    """0: no cgroups are mounted."""
    virtualisation: str
    """"none", the hypervisor or container engine, or "unknown hypervisor"."""
    versions: Mapping[str, str]
    """python, wirelab and its own programs."""
    git_commit: str | None
    """The commit of the checkout that ran; ends in "+changes" if files differed from it."""
    limits: Mapping[str, int]
    """Soft limits of this process; -1 is none."""
    cpu_plan: CpuPlan | None


def read_host(plan: CpuPlan | None = None, root: Path = Path("/")) -> Host:
    """Describe this machine. `plan`: the division of its CPUs, which is declared with it."""
    return Host(
        cpu=_cpu(root),
        memory_bytes=_memory_bytes(root),
        kernel=_text(root / "proc/sys/kernel/osrelease") or platform.release(),
        architecture=platform.machine(),
        distribution=_distribution(root),
        clocksource=_text(root / "sys/devices/system/clocksource/clocksource0/current_clocksource"),
        tcp_congestion_control=_text(root / "proc/sys/net/ipv4/tcp_congestion_control"),
        cgroup_version=cgroup_version(root),
        virtualisation=_virtualisation(root),
        versions=_versions(),
        git_commit=_git_commit(),
        limits={
            "open_files": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
            "processes": resource.getrlimit(resource.RLIMIT_NPROC)[0],
            "locked_memory_bytes": resource.getrlimit(resource.RLIMIT_MEMLOCK)[0],
        },
        cpu_plan=plan,
    )


def other_machine(now: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[str]:
    """Yield what differs between two descriptions of a machine, as far as both say it."""
    yield from (key for key in SAME_MACHINE if now.get(key) != before.get(key, now.get(key)))
    cpus = now.get("cpu", {}), before.get("cpu", {})
    if any(cpus[0].get(key) != cpus[1].get(key, cpus[0].get(key)) for key in ("model", "logical")):
        yield "cpu"


def other_versions(now: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[str]:
    """Yield the programs of which two descriptions of a machine have different versions."""
    versions = now.get("versions", {}), before.get("versions", {})
    for name in sorted(versions[0].keys() & versions[1].keys()):
        if versions[0][name] != versions[1][name]:
            yield f"the version of {name}"


def why_paced(congestion_control: str | None) -> str:
    """Say that TCP delays what it sends, and what to do; "" unless it is known to.

    BBR spreads packets over time at the bandwidth that it estimates, and lowers that rate from time
    to time to measure the path. A connection on loopback that carries large answers with pauses
    looks slow to it. Of slices of 50 ms with answers of 300 kB, 30 of 792 had one that waited 35 to
    80 ms with BBR, and 3 of 360 with CUBIC, on a busier machine.
    """
    if congestion_control is None or not congestion_control.startswith("bbr"):
        return ""
    return (
        f"TCP's congestion control is {congestion_control}, which delays some large answers by 40"
        " ms or more, even on loopback. What to do:"
        " `sysctl -w net.ipv4.tcp_congestion_control=cubic`"
    )


def cgroup_version(root: Path = Path("/")) -> Literal[0, 1, 2]:
    """Return the version of control groups that counts resources; 1 for a hybrid setup."""
    if (root / "sys/fs/cgroup/cgroup.controllers").exists():
        return 2
    if any((root / "sys/fs/cgroup" / name).exists() for name in ("cpuacct", "cpu,cpuacct")):
        return 1
    return 0


def read_frequency_mhz(cpu: int, root: Path = Path("/")) -> float | None:
    """Read the current frequency of a CPU; None if unknown."""
    kilohertz = _text(root / SYS_CPU / f"cpu{cpu}/cpufreq/scaling_cur_freq")
    if kilohertz is not None:
        return int(kilohertz) / 1000
    blocks = (_text(root / "proc/cpuinfo") or "").split("\n\n")
    for block in blocks:
        fields = _fields(block)
        if fields.get("processor") == str(cpu) and "cpu MHz" in fields:
            return float(fields["cpu MHz"])
    return None


def _cpu(root: Path) -> Cpu:
    fields = _fields((_text(root / "proc/cpuinfo") or "").split("\n\n")[0])
    online = parse_cpus(_text(root / SYS_CPU / "online") or "0")
    siblings = set(read_siblings(online, root / SYS_CPU).values())
    governor = _text(root / SYS_CPU / f"cpu{online[0]}/cpufreq/scaling_governor")
    return Cpu(
        model=fields.get("model name") or fields.get("Processor") or "unknown",
        logical=len(online),
        cores=len(siblings),
        hyper_threads=any(len(group) > 1 for group in siblings),
        frequency_mhz=read_frequency_mhz(online[0], root),
        governor=governor,
        turbo=_turbo(root),
    )


def _turbo(root: Path) -> bool | None:
    no_turbo = _text(root / SYS_CPU / "intel_pstate/no_turbo")
    if no_turbo is not None:
        return no_turbo == "0"
    boost = _text(root / SYS_CPU / "cpufreq/boost")
    return None if boost is None else boost == "1"


def _memory_bytes(root: Path) -> int:
    total = re.search(r"MemTotal:\s+(\d+) kB", _text(root / "proc/meminfo") or "")
    return int(total[1]) * 1024 if total else 0


def _distribution(root: Path) -> str:
    for line in (_text(root / "etc/os-release") or "").splitlines():
        key, _, value = line.partition("=")
        if key == "PRETTY_NAME":
            return value.strip('"')
    return "unknown"


def _virtualisation(root: Path) -> str:
    if (root / ".dockerenv").exists():
        return "docker"
    if (root / "run/.containerenv").exists():
        return "podman"
    if "hypervisor" not in _fields(_text(root / "proc/cpuinfo") or "").get("flags", "").split():
        return "none"
    names = [
        _text(root / "sys/class/dmi/id" / name) or "" for name in ("sys_vendor", "product_name")
    ]
    kind = _text(root / "sys/hypervisor/type")
    return kind or " ".join(filter(None, names)) or "unknown hypervisor"


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    try:
        versions["wirelab"] = version("wirelab")
    except PackageNotFoundError:  # run from a checkout that was not installed
        versions["wirelab"] = "not installed"
    for name in ("wirelab-load", "wirelab-data", "wirelab-guard", "wirelab-link"):
        try:
            answer = subprocess.run(
                [find_program(name), "--version"], capture_output=True, text=True, check=False
            )
            versions[name] = answer.stdout.strip().removeprefix(f"{name} ") or "unknown"
        except MissingProgramError:
            versions[name] = "missing"
    return versions


def _git_commit() -> str | None:
    root = project_root()
    if root is None:
        return None
    command = ["git", "-C", str(root), "describe", "--always", "--abbrev=40", "--dirty=+changes"]
    try:
        answer = subprocess.run(
            [*command, "--exclude=*"], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return None
    return answer.stdout.strip() or None


def _fields(text: str) -> dict[str, str]:
    """Read lines of the form "key : value"; the first of a key counts."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            fields.setdefault(key.strip(), value.strip())
    return fields


def _text(path: Path) -> str | None:
    """Read a small file; None if it does not exist or is not readable."""
    try:
        return path.read_text().strip() if os.access(path, os.R_OK) else None
    except OSError:
        return None

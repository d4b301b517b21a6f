"""Host facts, read from machines that are not there and from the one that is."""

from pathlib import Path

import pytest

from tests.lab.conftest import machine
from wirelab.lab.host import Host, cgroup_version, read_frequency_mhz, read_host
from wirelab.lab.processes.cpu import plan_cpus

LAPTOP = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\ncpu MHz\t\t: 2999.5\n"
    "flags\t\t: fpu sse\n\nprocessor\t: 1\nmodel name\t: Fast CPU @ 3 GHz\ncpu MHz\t\t: 800.0\n",
    "proc/meminfo": "MemTotal:       16000000 kB\nMemFree:  1 kB\n",
    "proc/sys/kernel/osrelease": "6.12.1-laptop\n",
    "etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 13"\n',
    "sys/devices/system/cpu/online": "0-1\n",
    "sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0-1\n",
    "sys/devices/system/cpu/cpu1/topology/thread_siblings_list": "0-1\n",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "2100000\n",
    "sys/devices/system/cpu/intel_pstate/no_turbo": "0\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    "sys/fs/cgroup/cgroup.controllers": "cpu memory\n",
    "proc/sys/net/ipv4/tcp_congestion_control": "cubic\n",
}
MACHINE_IN_A_CLOUD = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: Cloud CPU\nflags\t\t: fpu hypervisor sse\n",
    "sys/class/dmi/id/sys_vendor": "QEMU\n",
    "sys/class/dmi/id/product_name": "Standard PC\n",
    "sys/fs/cgroup/cpuacct/cpuacct.usage": "1\n",
    "sys/fs/cgroup/unified/cgroup.controllers": "\n",
    "sys/devices/system/cpu/cpufreq/boost": "0\n",
}


def test_a_laptop(tmp_path: Path) -> None:
    host = read_host(root=machine(tmp_path, LAPTOP))

    assert host.cpu.model == "Fast CPU @ 3 GHz"
    assert (host.cpu.logical, host.cpu.cores, host.cpu.hyper_threads) == (2, 1, True)
    assert (host.cpu.governor, host.cpu.turbo, host.cpu.frequency_mhz) == ("powersave", True, 2100)
    assert host.memory_bytes == 16_000_000 * 1024
    assert host.kernel == "6.12.1-laptop"
    assert host.distribution == "Debian GNU/Linux 13"
    assert (host.clocksource, host.tcp_congestion_control) == ("tsc", "cubic")
    assert host.cgroup_version == 2
    assert host.virtualisation == "none"


def test_a_virtual_machine_that_counts_with_cgroup_v1(tmp_path: Path) -> None:
    host = read_host(root=machine(tmp_path, MACHINE_IN_A_CLOUD))

    assert host.virtualisation == "QEMU Standard PC"
    assert host.cgroup_version == 1
    assert host.cpu.turbo is False
    assert host.cpu.governor is None
    assert host.cpu.frequency_mhz is None


@pytest.mark.parametrize(
    ("mark", "engine"), [(".dockerenv", "docker"), ("run/.containerenv", "podman")]
)
def test_a_container_is_detected(tmp_path: Path, mark: str, engine: str) -> None:
    root = machine(tmp_path, {**MACHINE_IN_A_CLOUD, mark: ""})

    assert read_host(root=root).virtualisation == engine


def test_a_machine_without_information(tmp_path: Path) -> None:
    host = read_host(root=tmp_path)

    assert host.cpu.model == "unknown"
    assert host.memory_bytes == 0
    assert cgroup_version(tmp_path) == 0


def test_frequency_of_a_cpu_without_cpufreq(tmp_path: Path) -> None:
    root = machine(tmp_path, {"proc/cpuinfo": LAPTOP["proc/cpuinfo"]})

    assert read_frequency_mhz(1, root) == 800.0
    assert read_frequency_mhz(7, root) is None


def test_this_machine_goes_through_json() -> None:
    host = read_host(plan_cpus())

    assert host.memory_bytes > 0
    assert host.cpu.logical >= 1
    assert host.versions["python"].startswith("3.")
    assert host.limits["open_files"] != 0
    assert Host.model_validate_json(host.model_dump_json()) == host

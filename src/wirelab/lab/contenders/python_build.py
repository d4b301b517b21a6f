"""Detect servers in a Python that was compiled without optimisation, as by pyenv's default."""

import sys
import sysconfig
from pathlib import Path

import psutil

OPTIMISED = "--enable-optimizations"
"""The option of `configure` for profile-guided optimisation."""
DISTRIBUTION = "/usr"
"""Distributions optimise what they install here, some of them in other ways than by the option."""


def unoptimised_python(pid: int) -> str:
    """Return evidence that a process, or a descendant, is an unoptimised Python; "" if none is.

    Only the Python that runs wirelab is known well enough. Processes that have ended or belong to
    other users are ignored.
    """
    options = sysconfig.get_config_var("CONFIG_ARGS")
    if options is None or OPTIMISED in options or sys.base_prefix == DISTRIBUTION:
        return ""
    program = str(Path(sys.executable).resolve())
    try:
        root = psutil.Process(pid)
        family = [root, *root.children(recursive=True)]
    except psutil.Error:
        return ""
    if not any(_is(program, process) for process in family):
        return ""
    version = ".".join(map(str, sys.version_info[:3]))
    return f"it runs in {program} (Python {version}), which was configured without {OPTIMISED}"


def _is(program: str, process: psutil.Process) -> bool:
    try:
        return bool(process.exe() == program)
    except (psutil.Error, OSError):
        return False

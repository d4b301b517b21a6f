"""The command lines of a process and its descendants, as every user of the machine sees them."""

import time

import psutil


def collect_command_lines(pid: int, seen: set[str]) -> None:
    """Collect the command lines of a process and of all that it starts, until it ends."""
    try:
        root = psutil.Process(pid)
        while root.is_running() and root.status() != psutil.STATUS_ZOMBIE:
            for each in (root, *root.children(recursive=True)):
                try:
                    seen.add(" ".join(each.cmdline()))
                except psutil.Error:
                    continue
            time.sleep(0.02)
    except psutil.Error:
        return

"""The CPU time of a control group, as the engine reads it from the file of its job."""

from wirelab.lab.processes.cgroup import Cgroup


def cpu_us(group: Cgroup) -> float:
    """Return the CPU time that a group has used since it was made, in µs."""
    text = group.cpu_file.read_text()
    if group.version == 1:
        return int(text) / 1e3
    fields = dict(line.split() for line in text.splitlines())
    return float(fields["usage_usec"])

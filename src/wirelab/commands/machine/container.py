"""`wirelab container`: build the base image of contenders without an image registry."""

from dataclasses import asdict

from wirelab.commands.logs import log_folder
from wirelab.commands.progress import ProgressBar
from wirelab.experiment.events import StageStarted, StepStarted
from wirelab.lab.environments.container.base import make_base
from wirelab.lab.environments.container.base_steps import STEPS
from wirelab.lab.processes.process import stopping_everything
from wirelab.terminal.console import note, print_json, show


def container_base_command(*, name: str, suite: str, mirror: str, as_json: bool) -> None:
    """Build the base image of the contenders' images and describe it."""
    note("building the base image (takes 1 to 2 minutes)")
    with log_folder("wirelab-base-log-") as logs, stopping_everything(), ProgressBar() as bar:
        bar.on(StageStarted("Base image", len(STEPS)))
        log = logs.path / "log"
        base = make_base(
            log, name=name, suite=suite, mirror=mirror, begin=lambda step: bar.on(StepStarted(step))
        )
    if as_json:
        print_json(asdict(base))
        return
    show(f"{base.name}  {base.size_bytes / 1e6:.0f} MB  Python {base.python}")
    if not base.same_python:
        note(
            "its Python version differs from the one that runs contenders natively: differences"
            " between environments include that between the two versions"
        )

"""The steps of the base image, read from what debootstrap prints."""

from pathlib import Path

from wirelab.lab.environments.container.base_steps import STEPS, BaseSteps


def test_each_step_begins_once_and_in_order(tmp_path: Path) -> None:
    log_path = tmp_path / "log"
    log_path.touch()
    begun: list[str] = []
    steps = BaseSteps(log_path, begun.append)
    assert begun == [*STEPS[:1]]

    with log_path.open("a") as log:
        log.write("I: Retrieving InRelease \nI: Retrieving libc6 2.36\nI: Validating libc6 2.36\n")
        log.write("I: Extracting libc6...\nI: Extracting dpkg...\nI: Install")
        log.flush()
        steps.look()
        assert begun == [*STEPS[:2]]

        log.write("ing core packages...\nI: Unpacking required packages...\n")
        log.flush()
        steps.look()
        steps.look()
        assert begun == [*STEPS[:3]]

    steps.go_on_to(STEPS[4])
    assert begun == [*STEPS[:5]]  # a step without a line of its own is not left out

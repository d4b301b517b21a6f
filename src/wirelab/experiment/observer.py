"""Who watches a study being carried out: the terminal, a test, or nobody."""

from wirelab.bundle import BlockRecord
from wirelab.schedule import Block, Schedule


class Observer:
    """Told what happens as it happens. This one does nothing; override what is of interest."""

    def planned(self, schedule: Schedule) -> None:
        """Say that these blocks will be carried out."""

    def phase(self, text: str, steps: int, what: str) -> None:
        """Say that a stage begins that takes so many steps; `what` counts them in words."""

    def step(self, text: str) -> None:
        """Say that one step of the stage is done, or goes on to `text`."""

    def block_started(self, block: Block, attempt: int) -> None:
        """Say that a block begins."""

    def block_finished(self, record: BlockRecord) -> None:
        """Say that a block has ended and is in the bundle."""

    def note(self, text: str) -> None:
        """Pass on something a person should know."""

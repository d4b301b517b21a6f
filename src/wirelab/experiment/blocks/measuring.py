"""The last stage: block after block, each with fresh servers that take turns."""

from wirelab.bundle import BlockRecord
from wirelab.experiment.blocks.block import must_repeat, run_block
from wirelab.experiment.blocks.queue import BlockQueue
from wirelab.experiment.context import RunContext
from wirelab.experiment.events import BlockFinished, BlockStarted, Observer


def measure_blocks(context: RunContext) -> None:
    """Run the blocks, and again those that must be repeated.

    Raises `LabError` for a block that broke off twice.
    """
    if not context.usable_cells():
        context.observer = Observer()  # nothing is measured: blocks only record why
    queue = BlockQueue(context.plan, context.bundle, context.observer)
    while (block := queue.take()) is not None:
        first = context.bundle.next_attempt(block.id)
        attempts: list[BlockRecord] = []
        while not attempts or must_repeat(attempts):
            attempt = first + len(attempts)
            context.observer.on(BlockStarted(block, attempt))
            attempts.append(run_block(context, block, attempt))
            context.observer.on(BlockFinished(attempts[-1]))
        queue.finish(block)

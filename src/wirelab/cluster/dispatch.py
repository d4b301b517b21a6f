"""Choose the next block for a free machine. Pure."""

from collections.abc import Callable, Mapping, Sequence

from wirelab.schedule import Block


def choose(
    pending: Sequence[Block],
    rounds: Mapping[int, str],
    machine: str,
    may: Callable[[Block], bool],
) -> Block | None:
    """Choose the next block for a machine, of those that it may run; None for none of them.

    `rounds` gives the machine that began a round, the blocks of one number. Cells of one round are
    compared even across blocks, if one machine measured them: so a machine first continues its own
    rounds, then begins one, and finally helps others.
    """
    candidates = [block for block in pending if may(block)]
    own = (block for block in candidates if rounds.get(block.number) == machine)
    new = (block for block in candidates if block.number not in rounds)
    return next(own, None) or next(new, None) or next(iter(candidates), None)

"""Choose the next block for a free machine. Pure."""

from collections.abc import Callable, Mapping, Sequence

from wirelab.planning.schedule import Block


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
    own = (it for it in pending if rounds.get(it.number) == machine and may(it))
    new = (it for it in pending if it.number not in rounds and may(it))
    return next(own, None) or next(new, None) or next(filter(may, pending), None)

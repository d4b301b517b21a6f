"""Which block a machine that has become free is given. Pure."""

from collections.abc import Callable, Mapping, Sequence

from wirelab.schedule import Block


def choose(
    pending: Sequence[Block],
    rounds: Mapping[int, str],
    machine: str,
    may: Callable[[Block], bool],
) -> Block | None:
    """Choose the next block for a machine, of those that it may carry out; None: none of them.

    `rounds` says which machine began a round, the blocks of one number. Cells of one round are
    compared even across blocks, which only one machine can do: so a machine goes on with rounds of
    its own first, then begins one, and helps others at the end.
    """
    candidates = [block for block in pending if may(block)]
    own = (block for block in candidates if rounds.get(block.number) == machine)
    new = (block for block in candidates if block.number not in rounds)
    return next(own, None) or next(new, None) or next(iter(candidates), None)

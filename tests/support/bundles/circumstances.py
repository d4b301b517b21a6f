"""What happens in a synthetic bundle beside the answering: on the machine, and to contenders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Circumstances:
    """A quiet machine and well-behaved contenders, unless a test says something else.

    Noise is given as standard deviations of the logarithm of times.
    """

    block_noise: float = 0.02
    """What all contenders of a block have in common."""
    start_noise: float = 0.012
    """From start to start of a server: what remains, however long is measured."""
    permutation_noise: float = 0.02
    """What all slices of a permutation have in common."""
    slice_noise: float = 0.01
    drift: float = 0.004
    """By how much times grow from block to block."""
    stolen_permutations: float = 0.0
    """The share of permutations in which the host takes CPU time."""
    stolen_share: float = 0.4
    """How much of the time it takes in them."""
    hit_harder: Mapping[str, float] = field(default_factory=dict)
    """By contender, how much longer (ln) its slices take in them than those of others."""
    other_share: float = 0.004
    """Of the CPUs' time, what other programs use."""
    tails: Mapping[str, float] = field(default_factory=dict)
    """By contender, the share of requests that take twenty times as long."""
    carry_over: Mapping[str, float] = field(default_factory=dict)
    """By contender, how much longer (ln) the slice after its own takes."""
    idle_cpu: Mapping[str, float] = field(default_factory=dict)
    """By contender, what it uses of one CPU outside its slices."""
    groups: Sequence[Sequence[str]] = ()
    """Contenders that are up at once, beside the baseline; one session a group."""


QUIET = Circumstances()

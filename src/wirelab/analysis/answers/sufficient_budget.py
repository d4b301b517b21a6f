"""The `--budget` of a comparison that would probably decide what it left undecided.

A longer budget makes blocks longer, by more permutations, as well as more of them. Longer blocks
reduce what permutations contribute to the noise, but not what differs between blocks.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wirelab.analysis.answers.effort import Effort
from wirelab.analysis.model import ComparedPair
from wirelab.statistics import FIRST_LOOK, VarianceComponents

MOST_PERMUTATIONS = 40
"""Maximum number of permutations in a block, however long the budget."""

EXPECTED_BLOCKS = 8
"""The number of blocks of each operation that a budget is divided by. Where four are enough, the
rest is spent where a verdict takes more."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """A pair without a verdict: the number of blocks that would decide it, and how they vary.

    `blocks` have `permutations`, as those measured. `components` is None if they are not known.
    """

    pair: ComparedPair
    group: str
    blocks: int
    permutations: int
    components: VarianceComponents | None

    def at_most(self) -> "Undecided":
        """Return the pair with the blocks that decide it wherever its ratio lies."""
        most = self.pair.verdict and self.pair.verdict.most_blocks_needed
        return replace(self, blocks=max(self.blocks, most or 0))

    def blocks_with(self, permutations: int) -> int:
        """Return how many blocks would decide it if each had that many permutations."""
        if self.components is None:
            return self.blocks
        now = self.components.standard_deviation(self.permutations)
        then = self.components.standard_deviation(permutations)
        return math.ceil(self.blocks * (then / now) ** 2) if now > 0 else self.blocks


def sufficient_s(
    undecided: Sequence[Undecided], efforts: Sequence[Effort], mean_block_s: Mapping[str, float]
) -> float:
    """Return the budget in seconds that would probably decide some pairs.

    `mean_block_s` is the mean duration of a block so far, of every group; `efforts` divide it.
    """
    permutations = undecided[0].permutations
    known = {each.group: each for each in efforts}

    def seconds(group: str, count: int) -> float:
        """Return the duration of a block with that many permutations."""
        if group in known:
            return known[group].block_s + count * known[group].permutation_s
        return mean_block_s[group] * count / permutations

    def blocks(count: int) -> dict[str, int]:
        """Return how many blocks each group needs if they have that many permutations."""
        fewest = dict.fromkeys(mean_block_s, FIRST_LOOK)
        for each in undecided:
            fewest[each.group] = max(fewest[each.group], each.blocks_with(count))
        return fewest

    def needed_s(count: int) -> float:
        """Return the duration of the blocks that each group needs."""
        return math.fsum(needed * seconds(group, count) for group, needed in blocks(count).items())

    for count in range(permutations, MOST_PERMUTATIONS):
        divided_s = EXPECTED_BLOCKS * math.fsum(seconds(group, count) for group in mean_block_s)
        if needed_s(count) <= divided_s:
            return divided_s
    return needed_s(max(permutations, MOST_PERMUTATIONS))

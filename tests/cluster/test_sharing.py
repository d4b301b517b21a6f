"""Clocks compared, agents placed, and loads that cannot be shared refused; no cluster needed."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.support.jobs import one_target
from tests.support.wording import assert_worded, raises_worded
from wirelab.cluster.agents import placements
from wirelab.cluster.clocks import (
    EXCHANGES,
    GOOD_NS,
    LARGEST_NS,
    MOST_EXCHANGES,
    Offset,
    measure_offset,
    why_astray,
    why_unfit,
)
from wirelab.cluster.connection import Node
from wirelab.cluster.sharing import LEAST_GUARD_US, guard_us, job_of, longest_s, refuse_unshareable
from wirelab.errors import LabError
from wirelab.inputs.problems import ProblemsError

OFFSET_NS = 3_600_000_000_123


class Far:
    """A machine whose clock is ahead, behind a network whose ways differ in length."""

    def __init__(self, seed: int, least_ns: int, mean_ns: int) -> None:
        self.now_ns = 0
        self.exchanges = 0
        self.offset_ns = OFFSET_NS
        self._random = np.random.default_rng(seed)
        self._least_ns, self._mean_ns = least_ns, mean_ns

    def ours(self) -> int:
        """Read our clock."""
        return self.now_ns

    def theirs(self) -> int:
        """Ask for the time there."""
        self.exchanges += 1
        self._travel(2 * self._mean_ns)
        reading_ns = self.now_ns + self.offset_ns
        self._travel(self._mean_ns)
        return reading_ns

    def _travel(self, mean_ns: int) -> None:
        self.now_ns += self._least_ns + round(self._random.exponential(mean_ns))


@pytest.mark.parametrize("seed", range(20))
def test_an_offset_is_never_further_off_than_its_bound(seed: int) -> None:
    far = Far(seed, least_ns=100_000, mean_ns=300_000)
    found = measure_offset(far.theirs, far.ours)
    assert found.least_ns <= OFFSET_NS <= found.most_ns
    assert abs(found.ns - OFFSET_NS) <= found.bound_ns
    assert why_unfit(found) == ""
    assert why_astray(found, found) == ""


def test_exchanges_continue_while_they_tighten_the_bound() -> None:
    near = Far(1, least_ns=10_000, mean_ns=20_000)
    assert measure_offset(near.theirs, near.ours).bound_ns <= GOOD_NS
    assert near.exchanges == EXCHANGES
    far = Far(1, least_ns=20_000_000, mean_ns=1_000)
    found = measure_offset(far.theirs, far.ours)
    assert far.exchanges == MOST_EXCHANGES
    assert found.bound_ns > LARGEST_NS
    assert_worded(why_unfit(found))


def test_a_clock_that_jumps_is_reported() -> None:
    far = Far(3, least_ns=10_000, mean_ns=20_000)
    before = measure_offset(far.theirs, far.ours)

    def jumping() -> int:
        far.offset_ns += 30_000_000 if far.exchanges == EXCHANGES + 5 else 0
        return far.theirs()

    meanwhile = measure_offset(jumping, far.ours)
    assert_worded(why_unfit(meanwhile))
    after = measure_offset(far.theirs, far.ours)
    assert why_unfit(after) == ""
    assert "may have been 30." in why_astray(before, after)


def test_agents_are_spread_over_machines_before_one_has_two() -> None:
    nodes = [Node("a", "1", 1.0, ""), Node("b", "2", 3.0, ""), Node("c", "3", 2.0, "")]
    assert [node.name for node in placements(nodes, None)] == ["a", "b", "c"]
    assert [node.name for node in placements(nodes, 6)] == ["a", "b", "c", "b", "c", "b"]
    with raises_worded(LabError):
        placements(nodes, 7)
    with raises_worded(LabError):
        placements([], None)


@pytest.mark.parametrize(
    "changes",
    [
        {"stop": {"transactions": 10}},
        {"stop": {"seconds": 5, "precision": {"half_width": 0.1}}},
        {"control": True},
        {"cpus": (0,)},
        {"connections": {"count": 3}},
        {"pacer": {"kind": "closed", "clients": 2}},
        {"roles": {"server": {"pid": 1}}},
        {"warm_up": {"transactions": 5}},
    ],
)
def test_a_load_that_cannot_be_shared_is_refused(
    changes: Mapping[str, object], tmp_path: Path
) -> None:
    usual = {"connections": {"count": 8}, "pacer": {"kind": "constant", "rate_per_s": 9.0}}
    stop = {} if "control" in changes else {"stop": {"seconds": 1}}
    job = one_target("127.0.0.1:1", tmp_path, **{**usual, **stop, **changes})
    with raises_worded(ProblemsError):
        refuse_unshareable(job, 4)


def test_a_load_with_a_shape_has_no_guard(tmp_path: Path) -> None:
    stages = {
        "kind": "stages",
        "stages": [{"from_rate_per_s": 5, "to_rate_per_s": 9, "seconds": 3}],
    }
    more = {"connections": {"count": 8}, "stop": {"seconds": 3}}
    shaped = one_target("127.0.0.1:1", tmp_path, pacer=stages, **more)
    refuse_unshareable(shaped, 8)
    assert guard_us(shaped) == 0
    assert longest_s(shaped) == 3 + 15
    warm = shaped.model_copy(update={"warm_up": shaped.warm_up.model_copy(update={"seconds": 2.0})})
    with raises_worded(ProblemsError):
        refuse_unshareable(warm, 8)
    constant = one_target("127.0.0.1:1", tmp_path, warm_up={"seconds": 2.0}, **more)
    assert guard_us(constant) == 2_000_000
    assert guard_us(constant.model_copy(update={"warm_up": shaped.warm_up})) == LEAST_GUARD_US
    own = job_of(constant, 3, 8)
    assert own.agent is not None
    assert (own.agent.number, own.agent.of, own.control, own.stop) == (3, 8, True, None)
    assert '"agent"' in own.as_json()


def test_a_bound_covers_both_ends() -> None:
    assert (Offset(10, 21).ns, Offset(10, 21).bound_ns) == (15, 6)

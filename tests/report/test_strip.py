"""The small pictures of how intervals moved: all on one axis, and nothing that cannot be drawn."""

import itertools
import math

import pytest
from lxml import html

from wirelab.analysis.synopsis import Versus
from wirelab.analysis.wording import Said
from wirelab.report.strip import PAD, WIDTH, StripScale, strips
from wirelab.statistics import Interval, Outcome


def versus(ratio: float, low: float, high: float, outcome: Outcome | None = None) -> Versus:
    return Versus("REST", ratio, Interval(low, high), 6, Said("", "", "", "", outcome))


def test_equal_factors_are_equal_distances() -> None:
    scale = StripScale.from_pairs([versus(1.0, 0.25, 4.0)], 0.05)

    positions = [scale.position(ratio) for ratio in (0.25, 0.5, 1.0, 2.0, 4.0)]
    steps = [after - before for before, after in itertools.pairwise(positions)]
    assert steps == pytest.approx([steps[0]] * 4, abs=0.2)
    assert PAD <= positions[0] < positions[-1] <= WIDTH - PAD


def test_the_margin_is_visible_if_all_intervals_are_smaller() -> None:
    scale = StripScale.from_pairs([versus(1.0, 0.999, 1.001)], 0.05)

    assert PAD < scale.position(1 / 1.05) < scale.position(1.0) < scale.position(1.05) < WIDTH - PAD


def test_each_bundle_has_a_line_in_the_colour_of_its_verdict() -> None:
    (drawn,) = strips([[versus(0.5, 0.4, 0.6, Outcome.FASTER), None, versus(0.9, 0.8, 1.1)]], 0.05)

    picture = html.fragment_fromstring(str(drawn))
    assert [group.get("class") for group in picture.xpath("//g")] == ["good", "soft"]
    heights = [float(circle.get("cy")) for circle in picture.xpath("//circle")]
    assert heights[1] - heights[0] == pytest.approx(2 * 11)  # a place is left for the missing one


@pytest.mark.parametrize("ratio", [math.nan, math.inf, 0.0])
def test_figures_that_cannot_be_drawn_are_left_out(ratio: float) -> None:
    (drawn,) = strips(
        [[Versus("REST", ratio, None, 0, Said("", "", "", "", None)), versus(1.2, 1.1, 1.3)]], 0.05
    )

    assert str(drawn).count("<circle") == 1
    assert "nan" not in str(drawn)
    assert "inf" not in str(drawn)

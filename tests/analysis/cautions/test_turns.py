"""What is wrong with turns is found: stolen time, tails, carry-over and work out of turn."""

from pathlib import Path

import pandas as pd
import pytest

from tests.statistics.constructed import known
from tests.support.bundles.circumstances import Circumstances
from tests.support.bundles.small import small, the
from tests.support.bundles.synthetic import copy_of
from tests.support.wording import assert_worded
from wirelab.analysis import Analysis, ComparedPair, analyse
from wirelab.analysis.cautions.turns import BusyOutOfTurn, CarriedOver, StolenTimeChanges, Tails
from wirelab.bundle import SLICES, Bundle


def grpc_to_rest(analysis: Analysis) -> ComparedPair:
    (pair,) = (it for it in analysis.pairs if (it.a_label, it.b_label) == ("gRPC", "REST"))
    return pair


def test_unevenly_stolen_time_is_found(tmp_path: Path) -> None:
    happens = Circumstances(stolen_permutations=0.45, hit_harder={"grpc-grpcio": 0.5})

    analysis = small(tmp_path, happens)

    found = {pair: ratios for pair, *ratios in the(StolenTimeChanges, analysis).pairs}
    (odd,) = (pair for pair in found if pair.startswith("gRPC vs REST "))
    everything, least = found[odd]
    assert everything > 1.1 * least
    assert known(grpc_to_rest(analysis).stolen).differ


def test_a_tail_makes_typical_and_mean_time_disagree(tmp_path: Path) -> None:
    analysis = small(tmp_path, Circumstances(tails={"grpc-grpcio": 0.06}))

    odd = grpc_to_rest(analysis)
    mean_ratio = known(odd.other).ratio
    assert known(odd.verdict).words == "clearly faster"
    assert mean_ratio > 1.2
    (tail,) = the(Tails, analysis).tails
    assert (tail.label, tail.other, tail.reverses, tail.is_first) == ("gRPC", "REST", True, True)
    assert (tail.typical_ratio, tail.mean_ratio) == (odd.comparison.ratio, mean_ratio)
    (answer,) = (each.sentence for each in analysis.answers if each.question == "fetch")
    assert f"{1 / mean_ratio:.2f}×" in answer
    assert_worded(answer)


def test_pairs_that_a_tail_reverses_are_named_first(tmp_path: Path) -> None:
    happens = Circumstances(tails={"grpc-grpcio": 0.06, "graphql-graphene": 0.1})

    first, second = the(Tails, small(tmp_path, happens)).tails

    assert (first.label, first.reverses) == ("gRPC", True)
    assert (second.label, second.reverses) == ("GraphQL", False)


def test_a_reversal_counts_despite_an_imprecise_mean(three: Bundle, tmp_path: Path) -> None:
    spoiled = copy_of(three, tmp_path / "bundle")
    outlier = spoiled.block_records()[0]
    run = next(run for run in outlier.runs if run.run.cell.contender == "grpc-grpcio")
    path = spoiled.path / outlier.run_folder(run) / SLICES
    table = pd.read_parquet(path)
    table.loc[table["run_id"] == run.run.id, "mean_us"] *= 40.0
    table.to_parquet(path, index=False)

    analysis = analyse(spoiled)

    odd = grpc_to_rest(analysis)
    assert known(known(odd.other).interval95).contains(odd.comparison.ratio)
    assert [(it.label, it.reverses) for it in the(Tails, analysis).tails] == [("gRPC", True)]


def test_a_contender_that_slows_down_its_successor_is_found(tmp_path: Path) -> None:
    happens = Circumstances(carry_over={"graphql-graphene": 0.08})

    carried = the(CarriedOver, small(tmp_path, happens)).settings

    assert [setting for setting, _ in carried] == ["Fetch one game"]


def test_a_contender_that_works_out_of_turn_is_found(tmp_path: Path) -> None:
    analysis = small(tmp_path, Circumstances(idle_cpu={"graphql-graphene": 0.21}))

    ((label, share, settings),) = the(BusyOutOfTurn, analysis).contenders
    assert (label, settings) == ("GraphQL", 1)
    assert share == pytest.approx(0.21)

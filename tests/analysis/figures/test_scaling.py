"""Scaling over clients and over the CPUs of servers, from throughputs that follow a known law."""

from collections.abc import Callable

import pandas as pd
import pytest

from tests.statistics.constructed import known
from tests.support.wording import assert_worded
from wirelab.analysis.figures.scaling import Scaling, ScalingLine, scalings
from wirelab.analysis.values import RunValues
from wirelab.planning.schedule import schedule
from wirelab.report.scaling import scaling_headings, scaling_row
from wirelab.statistics import fit_scalability
from wirelab.study import CAPACITY, CPU_COUNTS, METRICS, Cell, ClosedLoad, Study, load_study

ALPHA, BETA, GAMMA = 0.03, 0.002, 100.0


def law(level: int) -> float:
    """Return the throughput of a server that scales by known parameters."""
    return GAMMA * level / (1 + ALPHA * (level - 1) + BETA * level * (level - 1))


@pytest.fixture(scope="module")
def study() -> Study:
    """A study over clients, in environments with several numbers of CPUs."""
    loads = {
        f"users-{count}": ClosedLoad(kind="closed", title=f"{count} users", clients=count)
        for count in (1, 4, 16, 32, 64)
    }
    environments = ("native", *(f"native-{it}-cpu{'s' * (it > 1)}" for it in (1, 2, 4, 8)))
    shipped = load_study("kaminski-2022")
    return shipped.model_copy(update={"loads": loads, "environments": environments})


def cell(*, load: str = "users-16", environment: str = "native") -> Cell:
    """Return a cell of the baseline."""
    return Cell("rest-flask", "fetch_one", "postgresql", environment, load)


def scaling_of(study: Study, cells: list[Cell], level_of: Callable[[Cell], int]) -> Scaling:
    """Of values of two blocks that follow the law."""
    runs = {
        cell: pd.DataFrame({"throughput_per_s": 2 * [law(level_of(cell))]}, index=[1, 2])
        for cell in cells
    }
    values = RunValues(runs, {}, (), "rest-flask")
    (found,) = scalings(study, cells, values, {"rest-flask": "REST"})
    return found


def test_the_law_is_found_again_over_clients(study: Study) -> None:
    cells = [cell(load=load) for load in study.loads]
    counts = {load: it.clients for load, it in study.loads.items() if isinstance(it, ClosedLoad)}

    found = scaling_of(study, cells, lambda it: counts[it.load])

    assert (found.over, found.levels) == ("clients", (1, 4, 16, 32, 64))
    (line,) = found.lines
    assert_law(line)
    assert known(line.fit).peak_concurrency == pytest.approx(22.0, abs=0.1)
    assert scaling_headings(found)[1:3] == ("1 client", "4 clients")
    row = scaling_row(found, line)
    assert row[0] == "REST"
    assert row[6].startswith("3 [")
    assert row[8].endswith("at 22")


def assert_law(line: ScalingLine) -> None:
    fit = known(line.fit)
    assert (fit.contention.value, fit.coherency.value) == pytest.approx((ALPHA, BETA), rel=1e-3)
    assert fit.unit_throughput.value == pytest.approx(GAMMA, rel=2e-3)


def test_the_cpus_of_servers_are_levels_too(study: Study) -> None:
    cells = [cell(environment=it) for it in study.environments]
    counts = {it: int(it.split("-")[1]) for it in study.environments if it != "native"}

    found = scaling_of(study, cells, lambda it: counts.get(it.environment, 3))

    assert (found.over, found.levels) == ("server CPUs", (1, 2, 4, 8))
    assert_worded(found.title)
    assert_law(found.lines[0])
    assert "no peak observed" in scaling_row(found, found.lines[0])[-1]


def test_rates_sustained_on_more_cpus_get_the_law_if_they_follow_it() -> None:
    """The shipped design: a server that uses all of its CPUs, and one that uses a single one."""
    one_process_per_s = {1: 100.0, 2: 102.0, 4: 99.0, 8: 101.0}
    shipped = load_study("muppaneni").in_design("cpus")
    cells = [it for it in schedule(shipped, "cpus", 1).cells if not it.twin]
    cpus = {it: CPU_COUNTS[it.environment] for it in cells}

    def sustained(cell: Cell, block: int) -> float:
        is_one_process = cell.contender == "rest-fastapi"
        rate = one_process_per_s[cpus[cell]] if is_one_process else law(cpus[cell])
        return rate * (1 + block / 1000)

    runs = {
        it: pd.DataFrame(
            {CAPACITY: [sustained(it, block) for block in (1, 2)], "throughput_per_s": 25.0},
            index=[1, 2],
        )
        for it in cells
    }
    labels = {"rest-fastapi": "Python", "rest-chi": "Go"}

    (found,) = scalings(shipped, cells, RunValues(runs, {}, (), shipped.baseline), labels)

    assert (found.over, found.levels) == ("server CPUs", (1, 2, 4, 8))
    assert found.quantity == METRICS[CAPACITY].title
    assert scaling_headings(found)[1:3] == ("1 server CPU", "2 server CPUs")
    one_process, go = found.lines
    assert_law(go)
    assert scaling_row(found, go)[4] == "606"
    assert not known(one_process.fit).applies
    assert scaling_row(found, one_process)[5:9] == ("–",) * 4


def row_of(throughputs: dict[int, float]) -> tuple[str, ...]:
    """Return a contender's row of a table over clients."""
    levels = tuple(throughputs)
    line = ScalingLine("REST", throughputs, fit_scalability(levels, [*throughputs.values()]), "")
    return scaling_row(Scaling("", "clients", "", levels, (line,)), line)


def test_a_parameter_is_never_shown_below_zero() -> None:
    """Without coherency, the fit stops close to 0, and its interval reaches below."""
    row = row_of({1: 100.0, 2: 190.0, 4: 348.0, 8: 640.0, 16: 1190.0})

    assert row[7].startswith("0 [0, ")


def test_parameters_of_a_poor_fit_are_left_out() -> None:
    row = row_of({1: 100.0, 2: 20.0, 4: 150.0, 8: 10.0, 16: 130.0})

    assert row[6:10] == ("–",) * 4
    assert_worded(row[-1])


def test_limits_of_too_few_cpus_are_reported(study: Study) -> None:
    cells = [cell(environment=it) for it in ("native-1-cpu", "native-2-cpus")]

    found = scaling_of(study, cells, lambda _: 1)

    assert found.lines[0].fit is None
    assert_worded(scaling_row(found, found.lines[0])[-1])

"""What study.toml says, as frozen values."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)
from pydantic import StringConstraints as Text

from wirelab.study.cell import Cell, cross
from wirelab.study.chart import Chart
from wirelab.study.experiment import Experiment, OpenData
from wirelab.study.levels import (
    FACTORS,
    NO_PROXY,
    ContenderName,
    EnvironmentName,
    Factor,
    FileModel,
    LoadName,
    ProxyName,
    StoreName,
    Where,
    WorkloadName,
    at_least,
    plural,
)
from wirelab.study.metrics import METRICS, Metric, MetricName
from wirelab.study.window import WarmUp, Window, Wire
from wirelab.study.workload import Workload, mixed_rightly

Name = Annotated[str, Text(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
"""A level's name: lower case, safe in a path."""


class Paper(FileModel):
    """Where the study was published."""

    title: str
    authors: tuple[str, ...]
    year: int
    venue: str
    doi: str


def _one_control(workloads: Mapping[str, Workload]) -> Mapping[str, Workload]:
    controls = [name for name, workload in workloads.items() if workload.control]
    if len(controls) > 1 or len(controls) == len(workloads):
        raise ValueError("at most one control, and a workload beside it")
    return mixed_rightly(workloads)


Wait = Literal["precise", "tick", "spin", "sleep_then_spin"]
"""How the load generator waits for the next request of an open load. Precise sleep costs some CPU
time for every request, a tick of 1 ms little, polling a whole CPU.
"""


class ClosedLoad(FileModel):
    """Clients that each wait for the answer, and perhaps think, before they send again."""

    kind: Literal["closed"]
    title: str
    clients: PositiveInt
    think_time_us: NonNegativeFloat = 0.0
    reuse_connections: bool = True


class OpenLoad(FileModel):
    """Requests that arrive at a rate, whether or not earlier ones have been answered.

    The rate is either absolute, or a share of the smallest capacity that a pilot finds among the
    contenders, so that all of them get the same rate and none is overloaded.
    """

    kind: Literal["constant", "poisson"]
    title: str
    rate_per_s: PositiveFloat | None = None
    share_of_capacity: Annotated[float, Field(gt=0, le=1)] | None = None
    connections: PositiveInt = 1
    reuse_connections: bool = True
    wait: Wait = "precise"

    @model_validator(mode="after")
    def _one_rate(self) -> Self:
        if (self.rate_per_s is None) == (self.share_of_capacity is None):
            raise ValueError("exactly one of rate_per_s and share_of_capacity")
        return self


class RampLoad(FileModel):
    """Requests that arrive ever more (or less) often for so many seconds, then at the last rate."""

    kind: Literal["ramp"]
    title: str
    from_rate_per_s: PositiveFloat
    to_rate_per_s: PositiveFloat
    seconds: PositiveFloat
    connections: PositiveInt = 1
    reuse_connections: bool = True
    wait: Wait = "precise"


class StaircaseLoad(FileModel):
    """Requests that arrive at one constant rate after the other, each for so many seconds."""

    kind: Literal["staircase"]
    title: str
    from_rate_per_s: PositiveFloat
    to_rate_per_s: PositiveFloat
    steps: Annotated[int, Field(ge=2)]
    step_seconds: PositiveFloat
    connections: PositiveInt = 1
    reuse_connections: bool = True
    wait: Wait = "precise"


Load = Annotated[ClosedLoad | OpenLoad | RampLoad | StaircaseLoad, Field(discriminator="kind")]


class Design(FileModel):
    """One way to carry the study out: which levels take part, how often, how long.

    A factor that is left out takes part with all its levels. `looks` are larger numbers of blocks
    to go on to while the widest interval of a question is still wider than `precision` (half its
    width, as a share): it is precision that decides when to stop, never significance.

    With `experiment`s only their cells are measured, each once, in place of all combinations; the
    first that has a cell says how long it is measured. `data` is what workloads leave open.
    """

    summary: str
    blocks: PositiveInt
    looks: tuple[PositiveInt, ...] = ()
    precision: PositiveFloat | None = None
    warm_up: WarmUp
    window: Window
    wire: Wire | None = None
    contenders: tuple[ContenderName, ...] | None = None
    workloads: tuple[WorkloadName, ...] | None = None
    stores: tuple[StoreName, ...] | None = None
    environments: tuple[EnvironmentName, ...] | None = None
    loads: tuple[LoadName, ...] | None = None
    proxies: tuple[ProxyName, ...] | None = None
    experiments: Annotated[Mapping[Name, Experiment], Field(alias="experiment")] = {}
    data: OpenData = OpenData()

    @model_validator(mode="after")
    def _looks_ascend(self) -> Self:
        counts = (self.blocks, *self.looks)
        if list(counts) != sorted(set(counts)):
            raise ValueError("looks that ascend from more than the number of blocks")
        if bool(self.looks) != (self.precision is not None):
            raise ValueError("looks and precision together, or neither")
        return self

    def levels(self, factor: Factor) -> tuple[str, ...] | None:
        """Return the levels of a factor that take part, None where all do."""
        levels: tuple[str, ...] | None = getattr(self, plural(factor))
        return levels

    def cells(self, levels: Mapping[Factor, tuple[str, ...]], baseline: str) -> list[Cell]:
        """Return the cells of the design, given the levels that take part."""
        if not self.experiments:
            return cross(levels, baseline)
        each = (experiment.cells(levels, baseline) for experiment in self.experiments.values())
        return list(dict.fromkeys(cell for cells in each for cell in cells))

    def at(self, cell: Cell) -> Self:
        """Return the design with the warm-up and the window that hold for a cell."""
        for experiment in self.experiments.values():
            if cell.matches(experiment.where):
                update = {"warm_up": experiment.warm_up, "window": experiment.window}
                return self.model_copy(update={k: v for k, v in update.items() if v is not None})
        return self


def _leaves_room(sentence: str) -> str:
    if sentence.count("{answer}") != 1:
        raise ValueError("a sentence with {answer} in it, once")
    return sentence


class Question(FileModel):
    """What the study asks: which levels are compared with one another, and where.

    All questions together fix the family of comparisons that is corrected for multiplicity.
    `sentence` is the line that answers it: `{answer}` stands for the finding.
    """

    text: str
    compare: Factor = "contender"
    against: Literal["all", "baseline"] = "all"
    where: Where = Where()
    sentence: Annotated[str, AfterValidator(_leaves_room)]

    @model_validator(mode="after")
    def _baseline_is_a_contender(self) -> Self:
        if self.against == "baseline" and self.compare != "contender":
            raise ValueError('against = "baseline" only where contenders are compared')
        return self


class Threat(FileModel):
    """Something that limits what the results mean, in one of the four usual groups."""

    group: Literal["conclusion", "internal", "construct", "external"]
    text: str


class StudyFile(FileModel):
    """study.toml: a question as factors, loads, designs and comparisons.

    `metric` is the primary one, which the questions are answered by. `margin` is the difference
    (as a share) that does not matter; left out, it follows from the machine's own noise.
    `proxies` are what stands before a contender, the same in every environment. With a `data_seed`
    the data are always the same ones; left out, they follow the seed of the schedule. A request
    that takes longer than `request_timeout_s` has failed.
    """

    id: Name
    title: str
    summary: str
    domain: str
    paper: Paper | None = None
    contenders: Annotated[tuple[Name, ...], at_least(1)]
    baseline: ContenderName
    environments: Annotated[
        tuple[Literal["native", "container", "container-host"], ...], at_least(1)
    ]
    stores: Annotated[tuple[Name, ...], at_least(1)]
    proxies: Annotated[tuple[Literal["none", "nginx"], ...], at_least(1)] = (NO_PROXY,)
    metric: MetricName = "latency_mean_us"
    margin: PositiveFloat | None = None
    data_seed: NonNegativeInt | None = None
    request_timeout_s: PositiveFloat = 10.0
    workloads: Annotated[
        Mapping[Name, Workload], Field(alias="workload"), at_least(1), AfterValidator(_one_control)
    ]
    loads: Annotated[Mapping[Name, Load], Field(alias="load"), at_least(1)]
    designs: Annotated[Mapping[Name, Design], Field(alias="design"), at_least(1)]
    questions: Annotated[Mapping[Name, Question], Field(alias="question"), at_least(1)]
    charts: Annotated[tuple[Chart, ...], Field(alias="chart")] = ()
    threats: Annotated[tuple[Threat, ...], Field(alias="threat")] = ()

    @property
    def primary(self) -> Metric:
        """The metric that the questions are answered by."""
        return METRICS[self.metric]

    @property
    def levels(self) -> dict[Factor, tuple[str, ...]]:
        """Every factor's levels, in the order of the file."""
        return {factor: tuple(getattr(self, plural(factor))) for factor in FACTORS}

    @model_validator(mode="after")
    def _every_workload_has_a_state(self) -> Self:
        stateless = [name for name, workload in self.workloads.items() if not workload.state]
        without = [name for name, design in self.designs.items() if not design.data.state]
        if stateless and without:
            raise ValueError(
                f"a state for the workload {stateless[0]}, or data.state in the design {without[0]}"
            )
        return self

    def in_design(self, name: str) -> Self:
        """Return the study with what its workloads leave open as a design fills it in."""
        data = self.designs[name].data
        return self.model_copy(
            update={
                "workloads": {key: data.fill(key, each) for key, each in self.workloads.items()}
            }
        )

    def parts(self, workload: str) -> dict[str, int]:
        """Return the workloads that one is made of, and how many parameter sets of each."""
        mix = self.workloads[workload]
        if not mix.mix:
            return {workload: mix.parameter_sets}
        return {
            part: min(weight * mix.parameter_sets, self.workloads[part].parameter_sets)
            for part, weight in mix.mix.items()
        }

    @property
    def control(self) -> str | None:
        """The workload that touches no store, where the study has one."""
        return next((name for name, load in self.workloads.items() if load.control), None)

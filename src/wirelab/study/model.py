"""What study.toml says, as frozen values."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    NonNegativeInt,
    PositiveFloat,
    model_validator,
)

from wirelab.study.chart import Chart
from wirelab.study.design import Design
from wirelab.study.grid import Grid
from wirelab.study.levels import (
    FACTORS,
    NO_NETWORK,
    NO_PROXY,
    OWN_STORE,
    ContenderName,
    EnvironmentKind,
    Factor,
    FileModel,
    Name,
    Where,
    at_least,
    plural,
)
from wirelab.study.loads import CapacityLoad, Load, RampLoad, StaircaseLoad
from wirelab.study.metrics import CAPACITY, METRICS, Metric, MetricName
from wirelab.study.network import BUILT_IN, KnownNetwork, Network, is_described
from wirelab.study.suitability import Suitability
from wirelab.study.workload import Workload, mixed_rightly


class Paper(FileModel):
    """Where the study was published, as far as the copy at hand says."""

    title: str
    authors: tuple[str, ...]
    year: int | None = None
    venue: str = ""
    doi: str = ""


def _one_control(workloads: Mapping[str, Workload]) -> Mapping[str, Workload]:
    controls = [name for name, workload in workloads.items() if workload.control]
    if len(controls) > 1 or len(controls) == len(workloads):
        raise ValueError("at most one control, and a workload beside it")
    return mixed_rightly(workloads)


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

    `domain` is a name, or a path: one that begins with `./` or `../` is relative to the study.
    `metric` is the primary one, which the questions are answered by; in a design whose loads are of
    the kind `capacity`, they are answered by what contenders sustain. `margin` is the difference
    (as a share) that does not matter, declared before anything is measured.
    `environments` are `native`, this machine itself, `native-2-cpus` and the like, where servers
    may use so many of its CPUs, `container`, and `container-host`, in this machine's network.
    `stores` are left out where servers keep data of their own. `proxies` are what stands before a
    contender, the same in every environment: `nginx-tls` speaks TLS 1.3 with clients, `nginx-cache`
    keeps answers as long as they allow it. `networks` lie between client and contender: `loopback`,
    where nothing is emulated, `lan`, `wifi`, `mobile`, `far`, or one that the study describes as
    `[network.NAME]`, perhaps a built-in one with other figures. With a `data_seed` the data are
    always the same ones; left out, they follow the seed of the schedule. A request that takes
    longer than `request_timeout_s` has failed.
    """

    id: Name
    title: str
    summary: str
    domain: str
    paper: Paper | None = None
    contenders: Annotated[tuple[Name, ...], at_least(1)]
    baseline: ContenderName
    environments: Annotated[tuple[EnvironmentKind, ...], at_least(1)]
    stores: Annotated[tuple[Name, ...], at_least(1)] = (OWN_STORE,)
    proxies: Annotated[
        tuple[Literal["none", "nginx", "nginx-tls", "nginx-cache"], ...], at_least(1)
    ] = (NO_PROXY,)
    networks: Annotated[tuple[KnownNetwork, ...], at_least(1)] = (NO_NETWORK,)
    own_networks: Annotated[
        Mapping[Name, Network], Field(alias="network"), AfterValidator(is_described)
    ] = {}
    metric: MetricName = "latency_typical_us"
    margin: Annotated[float, Field(gt=0, le=0.25)] = 0.05
    data_seed: NonNegativeInt | None = None
    request_timeout_s: PositiveFloat = 10.0
    workloads: Annotated[
        Mapping[Name, Workload], Field(alias="workload"), at_least(1), AfterValidator(_one_control)
    ]
    loads: Annotated[Mapping[Name, Load], Field(alias="load"), at_least(1)]
    designs: Annotated[Mapping[Name, Design], Field(alias="design"), at_least(1)]
    questions: Annotated[Mapping[Name, Question], Field(alias="question"), at_least(1)]
    grids: Annotated[tuple[Grid, ...], Field(alias="grid")] = ()
    charts: Annotated[tuple[Chart, ...], Field(alias="chart")] = ()
    suitability: Suitability | None = None
    threats: Annotated[tuple[Threat, ...], Field(alias="threat")] = ()

    @property
    def primary(self) -> Metric:
        """The metric that the questions are answered by."""
        return METRICS[self.metric]

    def network(self, name: str) -> Network | None:
        """Return what a network does: the study's own words go first. None: nothing, `loopback`."""
        return self.own_networks.get(name) or BUILT_IN.get(name)

    @property
    def levels(self) -> dict[Factor, tuple[str, ...]]:
        """Every factor's levels, in the order of the file."""
        return {factor: tuple(getattr(self, plural(factor))) for factor in FACTORS}

    @model_validator(mode="after")
    def _every_workload_has_a_state(self) -> Self:
        if self.stores == (OWN_STORE,):
            return self
        stateless = [name for name, workload in self.workloads.items() if not workload.state]
        without = [name for name, design in self.designs.items() if not design.data.state]
        if stateless and without:
            raise ValueError(
                f"a state for the workload {stateless[0]}, or data.state in the design {without[0]}"
            )
        return self

    @model_validator(mode="after")
    def _slices_have_one_rate(self) -> Self:
        for name in self.designs:
            for where, separate, loads in self._parts(name):
                for load in loads:
                    if isinstance(self.loads[load], RampLoad | StaircaseLoad) and not separate:
                        raise ValueError(
                            f"separate = true in {where}, since the rate of the load {load} changes"
                            " over time"
                        )
        return self

    @model_validator(mode="after")
    def _capacities_are_found_in_turns(self) -> Self:
        for name in self.designs:
            loads = self._loads_of(name)
            finding = [load for load in loads if isinstance(self.loads[load], CapacityLoad)]
            others = [load for load in loads if load not in finding]
            if finding and others:
                raise ValueError(
                    f"loads in the design {name} that leave out {finding[0]}, or {others[0]}:"
                    " capacities need a design of their own"
                )
            for where, separate, own in self._parts(name):
                if finding and separate and own:
                    raise ValueError(
                        f"no separate = true in {where}: contenders take turns at the load {own[0]}"
                    )
        return self

    def in_design(self, name: str) -> Self:
        """Return the study as a design has it: what workloads leave open, and the metric."""
        data = self.designs[name].data
        finds_capacities = any(
            isinstance(self.loads[load], CapacityLoad) for load in self._loads_of(name)
        )
        return self.model_copy(
            update={
                "workloads": {key: data.fill(key, each) for key, each in self.workloads.items()},
                "metric": CAPACITY if finds_capacities else self.metric,
            }
        )

    def _parts(self, design: str) -> Iterator[tuple[str, bool, list[str]]]:
        """Name a design, or each of its experiments, with `separate` and the loads it has."""
        chosen = self.designs[design]
        own = [load for load in chosen.loads or self.loads if load in self.loads]
        if not chosen.experiments:
            yield f"the design {design}", chosen.separate, own
        for name, each in chosen.experiments.items():
            separate = chosen.separate if each.separate is None else each.separate
            named = each.levels("load")
            loads = [load for load in own if named is None or load in named]
            yield f"the experiment {name} of the design {design}", separate, loads

    def _loads_of(self, design: str) -> list[str]:
        """Return the loads of a design that there are, those of its experiments among them."""
        return list(dict.fromkeys(load for *_, loads in self._parts(design) for load in loads))

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

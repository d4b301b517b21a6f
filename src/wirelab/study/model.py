"""The keys of study.toml.

A study crosses the levels of seven factors: contender, workload, store, environment, load, proxy
and network. `StudyFile` lists the keys of the file itself, the other headings those of its tables.
An unknown key or name is an error. All errors in the files of a study are reported together, then
all in its domain.toml, then those in the files of its contenders, then the names that the study
mentions and none of these files declares. Two checks come later: whether the keys of a table fit
each other, once each of them is valid; and, once the study is valid, whether the contenders of a
design offer the operations that it measures, and whether each question can compare anything. Of a
file that is not TOML, only the first error is reported.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, NonNegativeInt, PositiveFloat, StringConstraints

from wirelab.inputs.file_model import FileModel, Misfit
from wirelab.study.chart import Chart
from wirelab.study.design import Design
from wirelab.study.levels import (
    FACTORS,
    NO_NETWORK,
    NO_PROXY,
    OWN_STORE,
    ContenderName,
    EnvironmentKind,
    Factor,
    FactorGrid,
    Name,
    Where,
    at_least,
    plural,
)
from wirelab.study.limits import NO_LIMITS, RoleLimits
from wirelab.study.loads import CapacityLoad, ClosedLoad, Load, RampLoad, StaircaseLoad
from wirelab.study.metrics import CAPACITY, METRICS, Metric, MetricName, PrimaryMetricName
from wirelab.study.network import BUILT_IN, KnownNetwork, Network
from wirelab.study.workload import Workload, unfit_workloads
from wirelab.terminal.words import listed


class Paper(FileModel):
    """`[paper]`: the publication that the study replicates; left out in a study of your own.

    Reports print it. Leave out what is unknown.
    """

    title: str
    """Title of the publication."""
    authors: tuple[str, ...]
    """Names of the authors, in printed order."""
    year: int | None = None
    """Year of publication."""
    venue: str = ""
    """Journal, conference or archive."""
    doi: str = ""
    """Digital object identifier, such as `10.48550/arXiv.2212.07475`."""
    found: str = ""
    """What it found, in one or two sentences, for the page of `wirelab replicate`."""


def _has_an_answer(sentence: str) -> str:
    before, placeholder, behind = sentence.partition("{answer}")
    if not placeholder or set("{}") & set(before + behind):
        raise ValueError("a sentence that contains {answer} once, and no other braces")
    return sentence


def _has_its_own_file(extension: str) -> str:
    if extension in ("study", "claims", "published"):
        raise ValueError(f"another name, since {extension}.toml has other contents")
    return extension


ExtensionName = Annotated[
    str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$"), AfterValidator(_has_its_own_file)
]


class Question(FileModel):
    """`[question.NAME]`: the levels to compare, and the sentence that states the result.

    Holm's correction covers the comparisons of all questions together. Controls are never compared.
    A question that compares nothing, whatever the design, is an error. `wirelab plan` and
    `wirelab run` name those that compare nothing in their design, with the reason, before anything
    is measured.
    """

    text: str
    """The question in words."""
    compare: Factor = "contender"
    """The factor whose levels are compared. The two cells of a comparison are equal in all other
    factors."""
    against: Literal["all", "baseline"] = "all"
    """`all` compares every level with every other. `baseline` compares each contender with the
    baseline only and needs `compare = "contender"`; fewer comparisons need less correction."""
    where: Where = Where()
    """The levels that the question is about. Default: all."""
    needs: tuple[ContenderName, ...] = ()
    """Contenders that the question requires. It compares nothing in a setting in which one of them
    does not take part; a question that compares nothing is listed as not answered. Default:
    none."""
    sentence: Annotated[str, AfterValidator(_has_an_answer)]
    """The answer in a report's words. It contains `{answer}` exactly once, where the result is
    inserted."""

    def misfits(self) -> Iterator[Misfit]:
        """Yield whether the baseline, a contender, is to be compared with something else."""
        if self.against == "baseline" and self.compare != "contender":
            keys = ['against = "baseline"', f'compare = "{self.compare}"']
            hint = 'remove against, or write compare = "contender"'
            yield Misfit.excluding(keys, "the baseline is a contender", hint)


class DistanceStep(FileModel):
    """`[[distance.step]]`: two cells, between which one more cause acts than in the step before.

    Each cell has the levels that its table names, and in all other factors those of the cell `near`
    of the first step.
    """

    cause: str
    """What this step adds, such as "new connections", as reports print it after "by"."""
    near: Where
    """Levels of the cell that the other one is compared with."""
    far: Where
    """Levels of the other cell."""


class Distance(FileModel):
    """`[[distance]]`: how much of the distance between two cells is due to which cause.

    Their distance is the ratio of the metric of `far` to that of `near`, such as of two times. A
    cause counts as how many times as large the distance is as in the step before it, that of the
    first step as its whole distance. The report needs all cells of a distance to be measured.
    """

    title: str
    """What is how far from what, as reports print it."""
    metric: MetricName | None = None
    """The [metric](metrics.md) that is compared. Default: the study's."""
    steps: Annotated[tuple[DistanceStep, ...], Field(alias="step"), at_least(2)]
    """`[[distance.step]]` tables, at least two. The last one has the cells whose distance it is."""


class Threat(FileModel):
    """`[[threat]]`: a known limit of the study's validity, which the report prints."""

    group: Literal["conclusion", "internal", "construct", "external"]
    """The kind of validity that is limited: `conclusion` (statistics), `internal` (other causes of
    a difference), `construct` (what is measured) or `external` (generalisation)."""
    text: str
    """The limit in words."""


class StudyFile(FileModel):
    """The file itself: its top-level keys and its tables.

    Names of levels consist of lower-case letters, digits, `.`, `_` and `-`. A name can be a level
    of one factor only, because `--only` takes bare names.
    """

    id: Name
    """Identifier of the study."""
    title: str
    """Title of the study and its reports."""
    summary: str
    """What the study asks, in one sentence; reports print it below the title."""
    domain: str
    """Name of a domain, or path of its folder. A path that begins with `./` or `../` is relative to
    the study's folder. In a study of wirelab, a name means the domain of wirelab. Anywhere else, a
    name that is both a domain of wirelab and a folder, beside the study or in the working
    directory, is refused: write the path."""
    paper: Paper | None = None
    """The replicated publication. Default: none."""
    contenders: Annotated[tuple[Name, ...], at_least(1)]
    """Ids of the contenders to compare, as in the domain's contender.toml files."""
    baseline: ContenderName
    """The contender that the others are compared with. It is registered a second time, as its own
    twin, to show what a setting resolves."""
    environments: Annotated[tuple[EnvironmentKind, ...], at_least(1)]
    """Where contenders run: `native` (this machine), `native-1-cpu`, `native-2-cpus`, … (the server
    may use only that many CPUs), `container` (a private bridge) or `container-host` (the host's
    network)."""
    stores: Annotated[tuple[Name, ...], at_least(1)] = (OWN_STORE,)
    """Stores behind the contenders, as the domain declares them in `[store]`; besides `postgresql`,
    `postgresql-container` is the same server in a container, and `postgresql-defaults` one that
    waits for the disk and compiles queries, as PostgreSQL does by default. Default `own`: the
    servers keep their own data."""
    proxies: Annotated[
        tuple[
            Literal[
                "none", "nginx", "nginx-container", "nginx-defaults", "nginx-tls", "nginx-cache"
            ],
            ...,
        ],
        at_least(1),
    ] = (NO_PROXY,)
    """The proxy in front of a contender, the same in every environment: `none`, `nginx`,
    `nginx-container` (nginx in a container, in the host's network), `nginx-defaults` (`proxy_pass`
    alone: HTTP/1.0 to the contender, so that streams are buffered), `nginx-tls` (TLS 1.3 with
    clients) or `nginx-cache` (keeps answers for as long as they permit)."""
    networks: Annotated[tuple[KnownNetwork, ...], at_least(1)] = (NO_NETWORK,)
    """Networks between client and contender: `loopback` (emulates nothing), the built-in `lan`,
    `wifi`, `mobile` and `far`, or the NAME of a `[network.NAME]` table."""
    own_networks: Annotated[Mapping[Name, Network], Field(alias="network")] = {}
    """`[network.NAME]` tables: networks of the study, or built-in ones with other figures.
    `loopback` cannot be described."""
    metric: PrimaryMetricName = "latency_typical_us"
    """The primary [metric](metrics.md), by which questions are answered: `latency_typical_us`,
    `latency_mean_us`, `throughput_per_s`, `capacity_per_s` or, of streams, `first_item_median_us`,
    `gap_median_us` or `gap_p99_us`. In a design whose loads are of kind `capacity`,
    `capacity_per_s` takes its place."""
    margin: Annotated[float, Field(gt=0, le=0.25)] = 0.05
    """The largest difference that does not matter, as a share (0.05 is 5 %), above 0 and at most
    0.25. Choose it before measuring."""
    data_seed: NonNegativeInt | None = None
    """Seed of the generated data. Default: the seed of the schedule, so that another seed also
    generates other data. Set it if every run must use the same data, or if the domain's generator
    has fixed data."""
    request_timeout_s: PositiveFloat = 10.0
    """Seconds after which a request without an answer has failed."""
    limits: RoleLimits = NO_LIMITS
    """`[limits.ROLE]` tables: the CPU time and memory that contender, proxy and store may use.
    Default: no limits."""
    workloads: Annotated[Mapping[Name, Workload], Field(alias="workload"), at_least(1)]
    """`[workload.NAME]` tables: the requests to contenders. At most one is a control, and at
    least one is not."""
    loads: Annotated[Mapping[Name, Load], Field(alias="load"), at_least(1)]
    """`[load.NAME]` tables: the clients, and the times of their requests."""
    designs: Annotated[Mapping[Name, Design], Field(alias="design"), at_least(1)]
    """`[design.NAME]` tables: how thoroughly the study is run."""
    questions: Annotated[Mapping[Name, Question], Field(alias="question"), at_least(1)]
    """`[question.NAME]` tables: what is compared."""
    grids: Annotated[tuple[FactorGrid, ...], Field(alias="grid")] = ()
    """`[[grid]]` tables: pairs of factors that the contenders combine. Default: none."""
    distances: Annotated[tuple[Distance, ...], Field(alias="distance")] = ()
    """`[[distance]]` tables: causes of the distance between two cells. Default: none."""
    charts: Annotated[tuple[Chart, ...], Field(alias="chart")] = ()
    """`[[chart]]` tables: figures of the paper to draw again. Default: none."""
    extension: ExtensionName | None = None
    """Name of a Python package in the study's folder that adds to the report what only this study
    needs ([how](../guides/extend-a-report.md)). It may have a file of its own, `NAME.toml` beside
    study.toml. Default: none."""
    threats: Annotated[tuple[Threat, ...], Field(alias="threat")] = ()
    """`[[threat]]` tables: known limits of the study. Default: none."""

    @property
    def primary(self) -> Metric:
        """The metric by which the questions are answered."""
        return METRICS[self.metric]

    def network(self, name: str) -> Network | None:
        """Return the settings of a network, the study's own before built-in ones.

        None for `loopback`, which emulates nothing.
        """
        return self.own_networks.get(name) or BUILT_IN.get(name)

    @property
    def levels(self) -> dict[Factor, tuple[str, ...]]:
        """The levels of every factor, in the order of the file."""
        return {factor: tuple(getattr(self, plural(factor))) for factor in FACTORS}

    def misfits(self) -> Iterator[Misfit]:
        """Yield what does not fit each other: workloads, or loads and designs."""
        yield from unfit_workloads(self.workloads)
        if NO_NETWORK in self.own_networks:
            what = f"{NO_NETWORK} cannot be described: it emulates nothing"
            yield Misfit(f"network.{NO_NETWORK}", what, "", "give the network another name")
        for name in self.designs:
            loads = self._loads_of(name)
            finding = self._of_kind(CapacityLoad, loads)
            if others := [load for load in loads if load not in finding] if finding else []:
                hint = f"write loads = {json.dumps(others)}, and a separate design for the capacity"
                both = [f"loads of kind capacity ({listed(finding)})", f"others ({listed(others)})"]
                yield Misfit.excluding(both, "", hint, f"design.{name}")
            for key, separate, own in self._parts(name):
                changing = self._of_kind((RampLoad, StaircaseLoad), own)
                if changing and not separate:
                    what = f"loads whose rate changes ({listed(changing)}) need separate = true"
                    leave = self._leaving_out([*changing, *finding], own)
                    hint = f"write separate = true, with window instead of slices{leave}"
                    yield Misfit(key, what, "", hint)
                if not separate and (by_k6 := [load for load in own if self._is_sent_by_k6(load)]):
                    what = f"loads that k6 sends ({listed(by_k6)}) need separate = true"
                    hint = f"write separate = true, with window{self._leaving_out(by_k6, own)}"
                    yield Misfit(key, what, "", hint)
                if separate and (in_turns := self._of_kind(CapacityLoad, own)):
                    keys = ["separate = true", f"loads of kind capacity ({listed(in_turns)})"]
                    why = "contenders take turns while their capacities are found"
                    leave = self._leaving_out(in_turns, own)
                    hint = f"write separate = false, with slices instead of window{leave}"
                    yield Misfit.excluding(keys, why, hint, key)

    def _is_sent_by_k6(self, load: str) -> bool:
        chosen = self.loads[load]
        return isinstance(chosen, ClosedLoad) and chosen.client == "k6"

    def _of_kind(self, kind: type | tuple[type, ...], loads: Iterable[str]) -> list[str]:
        return [load for load in loads if isinstance(self.loads[load], kind)]

    @staticmethod
    def _leaving_out(some: Sequence[str], loads: Iterable[str]) -> str:
        """Return the end of a hint to measure only the other loads; "" if there are none."""
        others = [load for load in loads if load not in some]
        return f"; or write loads = {json.dumps(others)}" if others else ""

    def in_design(self, name: str) -> Self:
        """Return the study as a design runs it: with workloads filled in, its metric and limits."""
        design, fill = self.designs[name], self.designs[name].data.fill
        finds_capacities = any(
            isinstance(self.loads[load], CapacityLoad) for load in self._loads_of(name)
        )
        return self.model_copy(
            update={
                "workloads": {key: fill(key, each) for key, each in self.workloads.items()},
                "metric": CAPACITY if finds_capacities else design.metric or self.metric,
                "limits": self.limits if design.limits is None else design.limits,
            }
        )

    def _parts(self, design: str) -> Iterator[tuple[str, bool, list[str]]]:
        """Yield the key of a design, or of each of its experiments, with `separate` and loads."""
        chosen = self.designs[design]
        own = [load for load in chosen.loads or self.loads if load in self.loads]
        if not chosen.experiments:
            yield f"design.{design}", chosen.separate, own
        for name, each in chosen.experiments.items():
            separate = chosen.separate if each.separate is None else each.separate
            named = each.levels("load")
            loads = [load for load in own if named is None or load in named]
            yield f"design.{design}.experiment.{name}", separate, loads

    def _loads_of(self, design: str) -> list[str]:
        """Return the existing loads of a design, including those of its experiments."""
        return list(dict.fromkeys(load for *_, loads in self._parts(design) for load in loads))

    def parts(self, workload: str) -> dict[str, int]:
        """Return the workloads that one consists of, each with its number of parameter sets."""
        mix = self.workloads[workload]
        if not mix.mix:
            return {workload: mix.parameter_sets}
        return {
            part: min(weight * mix.parameter_sets, self.workloads[part].parameter_sets)
            for part, weight in mix.mix.items()
        }

    @property
    def control(self) -> str | None:
        """The workload that touches no store, if the study has one."""
        return next((name for name, load in self.workloads.items() if load.control), None)

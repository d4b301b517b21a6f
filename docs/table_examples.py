"""Examples for the reference: tables cut out of files that the tests load.

An example is a table of a file, or one key of it. What no study or domain needs is in
`docs/snippets`.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from wirelab.domain import checks, model, stores
from wirelab.domain_file import dialect
from wirelab.lab.contenders import contender_file, service
from wirelab.protocol import graphql, grpc, jsonrpc, mcp, rest, soap, websocket
from wirelab.study import (
    arithmetic,
    chart,
    claim,
    design,
    experiment,
    levels,
    limits,
    loads,
    network,
    published,
    slices,
    window,
    workload,
)
from wirelab.study import model as study

ROOT = Path(__file__).parent.parent
HEADER = re.compile(r"^\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """The table of a file below a header ("": the top of the file), or only one key of it.

    `having` is text of the table, where several have the same header.
    """

    file: str
    header: str
    key: str = ""
    having: str = ""

    @property
    def text(self) -> str:
        """The example as it is written in the file. Raises `LookupError` without one."""
        for header, table in self._tables():
            if header.partition(" #")[0].strip() == self.header and self.having in table:
                lines = [header] if header else []
                return "\n".join(lines + (_assignment(table, self.key) if self.key else [table]))
        raise LookupError(f"{self.file} has no {self.header} {self.having}")

    @property
    def path(self) -> tuple[str, ...]:
        """The keys that lead to what is shown."""
        names = self.header.strip("[]").split(".") if self.header else []
        return (*names, *([self.key] if self.key else []))

    def _tables(self) -> list[tuple[str, str]]:
        """Return every header of the file with the table below it, without comments around it."""
        text = (ROOT / self.file).read_text(encoding="utf-8")
        found = list(HEADER.finditer(text))
        starts = [("", 0), *((match[0], match.end()) for match in found)]
        ends = [match.start() for match in found] + [len(text)]
        return [
            (header, _without_comments(text[start:end]))
            for (header, start), end in zip(starts, ends, strict=True)
        ]


def _without_comments(table: str) -> str:
    """Return a table without the lines before its first key and behind its last value."""
    lines = table.splitlines()
    while lines and not lines[0].partition("#")[0].strip():
        del lines[0]
    while lines and not lines[-1].partition("#")[0].strip():
        del lines[-1]
    return "\n".join(lines)


def _assignment(table: str, key: str) -> list[str]:
    """Return the lines of a key and its value."""
    lines = table.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"{key} ="))
    for end in range(start + 1, len(lines) + 1):
        try:
            tomllib.loads("\n".join(lines[start:end]))
        except tomllib.TOMLDecodeError:
            continue
        return lines[start:end]
    raise LookupError(f"{key} has no value")


def _of(file: str) -> Any:
    def example(header: str, key: str = "", having: str = "") -> Example:
        return Example(file, header, key, having)

    return example


_games = _of("domains/games/domain.toml")
_shop = _of("domains/shop/domain.toml")
_university = _of("domains/university/domain.toml")
_notes = _of("tests/domain/notes/domain.toml")
_catalogue = _of("docs/snippets/catalogue/domain/domain.toml")
_rounds = _of("domains/shop/dialects/rounds.toml")
_hasura = _of("domains/university/dialects/hasura.toml")
_python = _of("domains/games/contenders/python/contender.toml")
_go = _of("domains/shop/contenders/go/contender.toml")
_own = _of("docs/snippets/catalogue/domain/contenders/own/contender.toml")
_study = _of("docs/snippets/catalogue/study/study.toml")
_sliwa = _of("studies/sliwa-2021/study.toml")
_lingbm = _of("studies/lingbm-2022/study.toml")
_kaminski = _of("studies/kaminski-2022/study.toml")
_muppaneni = _of("studies/muppaneni/study.toml")
_kaminski_claims = _of("studies/kaminski-2022/claims.toml")
_lingbm_claims = _of("studies/lingbm-2022/claims.toml")
_muppaneni_claims = _of("studies/muppaneni/claims.toml")
_quina_claims = _of("studies/quina-mera-2025/claims.toml")
_kaminski_published = _of("studies/kaminski-2022/published.toml")
_muppaneni_published = _of("studies/muppaneni/published.toml")
_quina_published = _of("studies/quina-mera-2025/published.toml")
_sliwa_published = _of("studies/sliwa-2021/published.toml")

EXAMPLES: Mapping[type[BaseModel], tuple[Example, ...]] = {
    # domain.toml
    model.DomainFile: (_catalogue(""),),
    model.Data: (_games("[data]"), _university("[data]")),
    model.Interface: (_games("[interface]"), _games("[interface.key_case]")),
    model.RequestTemplate: (_rounds("[operation.list_summaries.rest]"),),
    model.Common: (_catalogue("[operation.get_item.common]"),),
    model.OperationFile: (_games("[operation.create]"),),
    stores.PostgresqlSetup: (_games("[store.postgresql]"),),
    stores.MongodbSetup: (_notes("[store.mongodb]"),),
    stores.Stores: (_notes("[store.postgresql]"), _notes("[store.mongodb]")),
    stores.State: (_university("[state.scale_8]"),),
    checks.ErrorCase: (_games("[operation.create]", "errors"),),
    checks.Step: (_notes("[sequence.life]", "steps"),),
    checks.Sequence: (_shop("[sequence.refusals]"),),
    checks.Look: (_shop("[outage.checkout]", "looks"),),
    checks.Outage: (_shop("[outage.checkout]"),),
    rest.RestRequest: (
        _games("[operation.create.rest]"),
        _catalogue("[operation.get_item.rest]"),
        _catalogue("[operation.find_items.rest]"),
    ),
    graphql.GraphqlRequest: (
        _catalogue("[operation.get_item.graphql]"),
        _catalogue("[operation.list_items.graphql]"),
    ),
    grpc.GrpcRequest: (_shop("[operation.quote_wishes.grpc]"),),
    websocket.WebsocketRequest: (
        _games("[operation.create.websocket]"),
        _catalogue("[operation.list_items.websocket]"),
        _of("domains/tokens/domain.toml")("[operation.stream.websocket]"),
    ),
    soap.SoapRequest: (_games("[operation.create.soap]"),),
    jsonrpc.JsonrpcRequest: (_notes("[operation.read]", "jsonrpc"),),
    mcp.McpRequest: (
        _shop("[operation.read_history.mcp]"),
        _catalogue("[operation.get_item.mcp]"),
    ),
    dialect.DialectFile: (
        _of("domains/shop/dialects/orders.toml")(""),
        _hasura("[interface]"),
        _hasura("[reference]"),
        _hasura("[every.graphql]"),
        _hasura("[operation.qt1.graphql]"),
    ),
    # contender.toml
    contender_file.StackFile: (_go(""),),
    contender_file.Build: (_python("[build]"), _go("[build]", "environment")),
    contender_file.ContenderEntry: (
        _python("[contender.rest-flask]"),
        _own("[contender.rest-own]"),
        _own("[contender.websocket-own]"),
        _of("domains/university/contenders/hasura/contender.toml")("[contender.graphql-hasura]"),
    ),
    contender_file.TlsOptions: (
        _own("[contender.websocket-own.tls]"),
        _own("[contender.rest-own]", "tls"),
    ),
    contender_file.Variant: (
        _go("[variant.http2-zipped]"),
        _go("[variant.tls]"),
        _go("[variant.services]"),
    ),
    service.Service: (
        _own("[contender.graphql-own.service.items]"),
        _own("[contender.graphql-own.service.gateway]"),
    ),
    # study.toml
    study.StudyFile: (_study(""), _sliwa("", "extension")),
    study.Paper: (_sliwa("[paper]"),),
    limits.RoleLimits: (_study("[limits.contender]"), _study("[limits.proxy]")),
    limits.ResourceLimits: (_study("[limits.contender]"),),
    study.Distance: (_of("studies/sliwa-2021/study.toml")("[[distance]]"),),
    study.DistanceStep: (_muppaneni("[[distance.step]]"),),
    study.Question: (_study("[question.fastest]"), _study("[question.networks]")),
    study.Threat: (_kaminski("[[threat]]"),),
    workload.Workload: (
        _sliwa("[workload.large]"),
        _sliwa("[workload.control]"),
        _lingbm("[workload.qt1]"),
        _study("[workload.list]"),
        _study("[workload.browsing]"),
    ),
    loads.ClosedLoad: (
        _study("[load.thinking]"),
        _study("[load.new-connections]"),
        _muppaneni("[load.hundred-users-k6]"),
    ),
    loads.OpenLoad: (
        _study("[load.arriving]"),
        _sliwa("[load.arrivals]"),
    ),
    loads.RampLoad: (_study("[load.rising]"),),
    loads.StaircaseLoad: (_study("[load.steps]"),),
    loads.CapacityLoad: (_study("[load.most]"),),
    network.Network: (_study("[network.office]"),),
    network.NetworkDirection: (_study("[network.office]", "up"),),
    design.Design: (
        _study("[design.compare]"),
        _study("[design.rising]"),
        _of("studies/tokens/study.toml")("[design.proxied]", "metric"),
    ),
    slices.WarmUp: (
        _study("[design.compare]", "warm_up"),
        _study("[design.compare.experiment.near]", "warm_up"),
    ),
    slices.Slices: (
        _study("[design.compare]", "slices"),
        _study("[design.compare.experiment.near]", "slices"),
    ),
    window.Window: (
        _study("[design.rising]", "window"),
        _study("[design.compare.experiment.apart]", "window"),
    ),
    window.WindowPrecision: (_study("[design.rising]", "window"),),
    window.Wire: (_study("[design.compare]", "wire"),),
    experiment.Experiment: (
        _study("[design.compare.experiment.near]"),
        _study("[design.compare.experiment.apart]"),
    ),
    experiment.OpenData: (
        _lingbm("[design.replication.data]"),
        _lingbm("[design.replication.data.instances_of]"),
        _lingbm("[design.replication.data.states]"),
    ),
    levels.Where: (_study("[design.compare.experiment.near]", "where"),),
    chart.Chart: (_lingbm("[[chart]]", having="metric"),),
    levels.FactorGrid: (_muppaneni("[[grid]]"),),
    # claims.toml
    claim.ClaimsFile: (_kaminski_claims(""),),
    claim.Claim: (_kaminski_claims("[claim.K1]"),),
    claim.Compared: (_kaminski_claims("[[claim.K5.expect]]"),),
    claim.DirectionExpectation: (_kaminski_claims("[[claim.K5.expect]]"),),
    claim.Extreme: (_kaminski_claims("[[claim.K1.expect]]"),),
    claim.Order: (_lingbm_claims("[[claim.L9.expect]]", having='"order"'),),
    claim.Same: (_muppaneni_claims("[[claim.M12-go.expect]]"),),
    claim.Somewhere: (_of("studies/sliwa-2021/claims.toml")("[[claim.S6.expect]]", having="some"),),
    claim.AtMost: (_lingbm_claims("[[claim.L4.expect]]"),),
    claim.LargestGain: (_quina_claims("[[claim.Q7.expect]]"),),
    claim.Ratio: (_muppaneni_claims("[[claim.M2-python.expect]]", having='"ratio"'),),
    claim.Steeper: (_lingbm_claims("[[claim.L9.expect]]", having='"steeper"'),),
    claim.Threshold: (_lingbm_claims("[[claim.L8.expect]]"),),
    claim.Qualitative: (_lingbm_claims("[[claim.L12.expect]]"),),
    claim.Hypotheses: (_quina_claims("[hypotheses]"),),
    claim.Untested: (_lingbm_claims("[[untested]]"),),
    # published.toml
    published.Published: (_kaminski_published("[names.contender]"),),
    published.Names: (_kaminski_published("[names.environment]"),),
    published.Table: (_sliwa_published("[[table]]"),),
    published.PrintedRow: (_sliwa_published("[[table]]", "rows"),),
    published.Coordinates: (_sliwa_published("[[table]]", "where"),),
    published.Statement: (_muppaneni_published("[[check]]", having='"statement"'),),
    published.Quotients: (_kaminski_published("[[check]]", having='"quotients"'),),
    published.LeastSamples: (_kaminski_published("[[check]]", having='"least_samples"'),),
    arithmetic.Arithmetic: (_muppaneni_published("[[check]]", having='"gain"'),),
    arithmetic.Gains: (_muppaneni_published("[[check]]", having='"gain"'),),
    arithmetic.Gain: (_muppaneni_published("[[check]]", "rows", '"gain"'),),
    arithmetic.Averages: (_quina_published("[[check]]", having="weights"),),
    arithmetic.Average: (_quina_published("[[check]]", "rows", "weights"),),
    arithmetic.Repeated: (_muppaneni_published("[[check]]", having='"same"'),),
    arithmetic.Twice: (_muppaneni_published("[[check]]", "rows", '"same"'),),
    arithmetic.Intervals: (_quina_published("[[check]]", having='"interval"'),),
    arithmetic.Spread: (_quina_published("[[check]]", "rows", '"interval"'),),
    arithmetic.Differences: (_quina_published("[[check]]", having='"difference"'),),
    arithmetic.Contrast: (_quina_published("[[check]]", "rows", '"difference"'),),
    arithmetic.SampleGroup: (_quina_published("[[check]]", "rows", '"difference"'),),
    arithmetic.Clients: (_muppaneni_published("[[check]]", having='"clients"'),),
    arithmetic.Waiting: (_muppaneni_published("[[check]]", "rows", '"clients"'),),
}
"""By model: what its keys look like in a file."""

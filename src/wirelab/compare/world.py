"""Write the domain and the study of a comparison as files, as `wirelab run` reads them."""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirelab.analysis.names import SIDES
from wirelab.compare.budget import Spending
from wirelab.compare.sides import ComparedSide
from wirelab.compare.terms import Terms
from wirelab.lab.contenders.placeholder import literal
from wirelab.scaffold.descriptions.offer import Offer
from wirelab.scaffold.toml_text import toml_text
from wirelab.scaffold.writing import declared_prefix
from wirelab.statistics import MINIMUM_BLOCKS
from wirelab.study import COMPARE, OF_CAPACITY

LONGEST_REHEARSAL_S = 0.5
"""The time for each contender that was just started to become steady."""
MILLISECONDS = 50
"""The least duration of a slice."""


@dataclass(frozen=True, slots=True)
class CommonProtocol:
    """The protocol of all sides, optionally with a description, and its path.

    The description's imports are beside it. Sides whose addresses have a path keep that.
    """

    protocol: str = "rest"
    description: Path | None = None
    path: str = ""


def write_domain(
    folder: Path,
    sides: Sequence[ComparedSide],
    offers: Sequence[Offer],
    parameters: Mapping[str, Sequence[Mapping[str, object]]],
    *,
    common: CommonProtocol,
    terms: Terms,
) -> Path:
    """Write the sides' common domain into a folder, and return that."""
    domain = folder / "domain"
    manifest = domain / "contenders" / SIDES
    manifest.mkdir(parents=True, exist_ok=True)
    if common.description is not None:
        shutil.copytree(common.description.parent, domain, dirs_exist_ok=True)
    for offer in offers:
        for name, text in offer.documents.items():
            (domain / name).parent.mkdir(parents=True, exist_ok=True)
            (domain / name).write_text(text, encoding="utf-8")
    (domain / "domain.toml").write_text(
        toml_text(_domain(offers, common, terms), inline_from=2), encoding="utf-8"
    )
    lines = [
        json.dumps({"operation": name, "parameters": each}, ensure_ascii=False, default=str)
        for name, sets in parameters.items()
        for each in sets
    ]
    (domain / "parameters.ndjson").write_text(
        "".join(f"{line}\n" for line in lines), encoding="utf-8"
    )
    (manifest / "contender.toml").write_text(
        toml_text(_contenders(sides, common, terms)), encoding="utf-8"
    )
    return domain


def write_world(
    folder: Path,
    sides: Sequence[ComparedSide],
    offers: Sequence[Offer],
    parameters: Mapping[str, Sequence[Mapping[str, object]]],
    *,
    common: CommonProtocol,
    terms: Terms,
    spending: Spending,
    all_pairs: bool = False,
) -> Path:
    """Write domain and study below a folder; return the folder of the study.

    Sides are compared with the first one, whose twin shows what the blocks detect; with
    `all_pairs` each with each, without a twin.
    """
    write_domain(folder, sides, offers, parameters, common=common, terms=terms)
    study = folder / "study"
    study.mkdir()
    document = _study(sides, offers, parameters, terms, spending)
    if all_pairs:
        document |= _each_with_each(document)
    (study / "study.toml").write_text(toml_text(document), encoding="utf-8")
    return study


def _each_with_each(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a study that compare each side with each other one, without twins."""
    (question,), ((design, settings),) = document["question"].values(), document["design"].items()
    alone = {"experiment": {"sides": {"title": "each with each", "twins": False}}}
    return {
        "question": {"faster": {**question, "against": "all"}},
        "design": {design: {**settings, **alone}},
    }


def _domain(offers: Sequence[Offer], common: CommonProtocol, terms: Terms) -> dict[str, Any]:
    described = common.description and {common.protocol: common.description.name}
    return {
        "name": "compared",
        "title": "What was compared",
        "summary": "an interface as its servers offer it",
        "parameters": "parameters.ndjson",
        "interface": described,
        "operation": {
            offer.name: {
                "summary": offer.summary,
                "effect": offer.effect,
                "parameters": [each.name for each in offer.parameters],
                "common": {"ignored": list(terms.ignored)} if terms.ignored else None,
                offer.protocol: dict(offer.binding),
            }
            for offer in offers
        },
    }


def _contenders(
    sides: Sequence[ComparedSide], common: CommonProtocol, terms: Terms
) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for side in sides:
        own = side.address.path if side.address else ""
        path = own or declared_prefix(common.protocol, common.path)
        entry: dict[str, Any] = {"title": side.title, "protocol": common.protocol, "path": path}
        if side.address is not None:
            entry["address"] = str(side.address)
            entry["pid"] = terms.pids.get(side.name)
        else:
            entry["command"] = ["sh", "-c", literal(side.command, ("host", "port"))]
            entry["working_folder"] = str(side.folder or Path.cwd())
            entry["inherit"] = True
            entry["environment"] = {"PORT": "{port}"}
            entry["scheme"] = terms.scheme or None
        address = str(side.address) if side.address else None
        entry |= terms.access.keys(side.name, address)
        entries[side.name] = entry
    return {"stack": SIDES, "title": "What was compared", "contender": entries}


def _study(
    sides: Sequence[ComparedSide],
    offers: Sequence[Offer],
    parameters: Mapping[str, Sequence[Mapping[str, object]]],
    terms: Terms,
    spending: Spending,
) -> dict[str, Any]:
    names = [side.name for side in sides]
    titles = [side.title for side in sides]
    started = any(side.command for side in sides)
    is_capacity_of_one = terms.capacity is not None and len(sides) == 1
    document = study_document(
        terms,
        spending,
        title=(f"Capacity of {titles[0]}" if is_capacity_of_one else " and ".join(titles))[:200],
        names=names,
        workloads={
            f"w-{offer.name}": {
                "title": offer.shown,
                "operation": offer.name,
                "parameter_sets": max(1, min(30, len(parameters.get(offer.name, ())))),
            }
            for offer in offers
        },
        question={"text": _question(titles, terms), "against": "baseline"},
        warm_up={
            "transactions": spending.warm_up,
            "seconds": 0.1,
            "longest_seconds": LONGEST_REHEARSAL_S if started else 0.0,
        },
    )
    return document | {"domain": "../domain"}


def _question(titles: Sequence[str], terms: Terms) -> str:
    if terms.capacity is None and len(titles) == 1:
        return f"How fast does {titles[0]} answer?"
    if terms.capacity is None:
        return f"Is any of them faster or slower than {titles[0]}?"
    if len(titles) == 1:
        return f"Which rate does {titles[0]} sustain within {terms.capacity['objective']}?"
    return f"Does any of them sustain more or less than {titles[0]}?"


def study_document(
    terms: Terms,
    spending: Spending,
    *,
    title: str,
    names: Sequence[str],
    workloads: Mapping[str, Mapping[str, object]],
    question: Mapping[str, object],
    warm_up: Mapping[str, object],
) -> dict[str, Any]:
    """Return the study of a comparison without its domain; the first of `names` is the baseline."""
    load_title, load = load_of(terms)
    command = OF_CAPACITY if terms.capacity else COMPARE
    predicate = "sustains more" if terms.capacity else "is faster"
    summary = f"Which {predicate}, and is the difference real?"
    experiments = {}
    if len(names) == 1:
        of_capacity, of_times = f"Measures {load_title}", f"Response times with {load_title}"
        summary = of_capacity if terms.capacity else of_times
        experiments = {"experiment": {"alone": {"title": "one server", "twins": False}}}
    return {
        "id": command,
        "title": title,
        "summary": summary,
        "contenders": list(names),
        "baseline": names[0],
        "environments": ["native"],
        "margin": terms.margin,
        "request_timeout_s": terms.timeout_s,
        "workload": workloads,
        "load": {"clients": {"title": load_title, **load}},
        "design": {
            command: {
                "summary": f"about {spending.seconds:g} s" if spending.seconds else load_title,
                **_blocks(spending, len(names)),
                **experiments,
                "warm_up": warm_up,
                "slices": {
                    "permutations": spending.permutations,
                    "milliseconds": MILLISECONDS,
                    "transactions": spending.transactions,
                },
            }
        },
        "question": {"faster": {**question, "sentence": "{answer}."}},
    }


def _blocks(spending: Spending, sides: int) -> dict[str, object]:
    """Return how many blocks are measured: until all is decided, where several are compared."""
    budget = {"budget_minutes": spending.seconds / 60 or None}
    if sides == 1 or not spending.seconds:
        return {"blocks": MINIMUM_BLOCKS, **budget}
    return {"until": "decided", **budget}


def load_of(terms: Terms) -> tuple[str, dict[str, Any]]:
    """Return the load in words, and as in a study."""
    if terms.capacity is not None:
        return f"the highest rate that meets {terms.capacity['objective']}", {**terms.capacity}
    load: dict[str, Any] = {"kind": "closed", "clients": terms.clients}
    if terms.think_time_us:
        load["think_time_us"] = terms.think_time_us
    title = "one client" if terms.clients == 1 else f"{terms.clients} clients"
    if terms.rate_per_s is not None:
        load = {"kind": "constant", "rate_per_s": terms.rate_per_s, "connections": terms.clients}
        title = f"{terms.rate_per_s:g} requests a second"
    return title, load

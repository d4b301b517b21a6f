"""Write docs/reference/*.md from the code, so that they cannot say anything else.

`python docs/generate.py` writes them; with `--check` it only says which are out of date (exit 1).
"""

import ast
import inspect
import os
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeGuard, get_args, get_origin

os.environ["COLUMNS"] = "100"
os.environ["NO_COLOR"] = "1"

import itertools

import table_examples
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typer.testing import CliRunner

from wirelab.bundle import link as link_records
from wirelab.bundle import preparation as preparation_records
from wirelab.bundle import records as bundle_records
from wirelab.bundle.run_reasons import ApartReason, RunReason
from wirelab.cli import app
from wirelab.cluster import load_result as load_result_model
from wirelab.domain import checks as checks_model
from wirelab.domain import model as domain_model
from wirelab.domain import stores as stores_model
from wirelab.domain_file import dialect as dialect_model
from wirelab.engine import events as events_model
from wirelab.engine import job as job_model
from wirelab.engine import load as load_model
from wirelab.engine import request as request_model
from wirelab.engine import result as result_model
from wirelab.lab.contenders import contender_file as contender_model
from wirelab.lab.contenders import service as service_model
from wirelab.measure import qualification as qualification_model
from wirelab.protocol import graphql, grpc, jsonrpc, mcp, rest, soap, websocket
from wirelab.record import Kind
from wirelab.study import METRICS
from wirelab.study import arithmetic as arithmetic_model
from wirelab.study import chart as chart_model
from wirelab.study import claim as claim_model
from wirelab.study import design as design_model
from wirelab.study import experiment as experiment_model
from wirelab.study import levels as levels_model
from wirelab.study import limits as limits_model
from wirelab.study import loads as loads_model
from wirelab.study import model as study_model
from wirelab.study import network as network_model
from wirelab.study import published as published_model
from wirelab.study import slices as slices_model
from wirelab.study import window as window_model
from wirelab.study import workload as workload_model
from wirelab.terminal import exit_codes
from wirelab.verify.findings import finding as findings_model
from wirelab.verify.findings.finding_reasons import FindingReason

REFERENCE = Path(__file__).parent / "reference"
MADE = "<!-- written by docs/generate.py; change the code, then run `make docs` -->\n\n"

ROOT = Path(__file__).parent.parent
KEYS = re.compile(r"((?:An entry of )?`[^:]*?`[^:`]*(?:`[^:]*`)?): ")
"""The beginning of a description that names keys of a file."""
FILE = re.compile(r"(?:One (?:row|entry) of )?(\w+\.json)\b")
"""The beginning of a description that names a file."""
EXAMPLES = {
    "domain-file.md": (
        "tests/domain/notes/domain.toml",
        "A whole file: a small domain, bound to all protocols, which the tests load.",
    ),
    "study-file.md": (
        "tests/domain/notes-study/study.toml",
        "A whole file: a study of your own, in a folder beside its domain, which the tests load.",
    ),
    "contender-file.md": (
        "domains/games/contenders/python/contender.toml",
        "A whole file: one build, and a contender for each protocol.",
    ),
}
"""By page: a file that it shows, and the sentence before it."""

FILES: dict[str, tuple[Any, ...]] = {
    "study-file.md": (
        "study.toml",
        study_model,
        workload_model,
        loads_model,
        network_model,
        limits_model,
        design_model,
        slices_model,
        window_model,
        experiment_model,
        levels_model,
        chart_model,
    ),
    "claims-file.md": ("claims.toml", claim_model),
    "published-file.md": ("published.toml", published_model, arithmetic_model),
    "domain-file.md": (
        "domain.toml",
        domain_model,
        stores_model,
        checks_model,
        rest,
        graphql,
        grpc,
        websocket,
        soap,
        jsonrpc,
        mcp,
        dialect_model,
    ),
    "contender-file.md": ("contender.toml", contender_model, service_model),
    "engine-job.md": ("The job of wirelab-load", job_model, request_model, load_model),
    "engine-result.md": (
        "The result of wirelab-load",
        result_model,
        events_model,
        load_result_model,
    ),
    "qualification.md": ("The qualification of a machine", qualification_model),
    "bundle.md": (
        "The small files of a bundle",
        bundle_records,
        link_records,
        preparation_records,
        findings_model,
    ),
}


def pages() -> dict[str, str]:
    """Return every page's name and text."""
    made = {"commands.md": commands(), "exit-codes.md": codes(), "metrics.md": metrics()}
    for name, (title, *modules) in FILES.items():
        made[name] = models(title, *modules)
    made["bundle.md"] += f"\n\n{kinds()}"
    for name, (file, sentence) in EXAMPLES.items():
        made[name] += f"\n\n## Example\n\n{sentence}\n\n```toml\n{_example(file)}\n```"
    return {name: MADE + text.rstrip() + "\n" for name, text in made.items()}


def _example(file: str) -> str:
    _, _, text = (ROOT / file).read_text(encoding="utf-8").partition("\n\n")
    return text.strip()


def commands() -> str:
    """Return the help of every command."""
    names = [None, *(command.name or _name(command) for command in app.registered_commands)]
    parts = ["# Commands"]
    for name in names:
        shown = f"wirelab {name}" if name else "wirelab"
        arguments = [name, "--help"] if name else ["--help"]
        help_text = CliRunner().invoke(app, arguments, prog_name="wirelab").output
        lines = "\n".join(line.rstrip() for line in help_text.strip().splitlines())
        parts.append(f"## {shown}\n\n```text\n{lines}\n```")
    return "\n\n".join(parts)


def codes() -> str:
    """Return the exit codes with their meaning."""
    meanings = _attribute_docs(exit_codes.ExitCode)
    rows = [f"| {c.value} | {c.name} | {meanings[c.name]} |" for c in exit_codes.ExitCode]
    return "\n".join(["# Exit codes", "", "| code | name | meaning |", "|---|---|---|", *rows])


def metrics() -> str:
    """Return the metrics that studies can name."""
    rows = ["# Metrics", "", "| name | title | unit | better | ISO/IEC 25023 |"]
    rows.append("|---|---|---|---|---|")
    for name, metric in METRICS.items():
        cells = (f"`{name}`", metric.title, metric.unit, metric.better, metric.iso_25023)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def kinds() -> str:
    """Return the kinds of each family of records: what each is, and its facts."""
    parts = []
    for family in (RunReason, ApartReason, FindingReason):
        rows = ["| kind | facts | |", "|---|---|---|"]
        for each in family.kinds():
            facts = ", ".join(
                f"`{name}`: {_type(field.annotation, {})}".replace("|", "\\|")
                for name, field in each.model_fields.items()
            )
            rows.append(f"| `{each.kind}` | {facts} | {_paragraph(each.__doc__).splitlines()[0]} |")
        parts += [f"## {family.__name__}", _paragraph(family.__doc__), "\n".join(rows)]
    return "\n\n".join(parts)


def models(title: str, *modules: Any) -> str:
    """Return every model of some modules: the key that files have it at, what it is, its keys."""
    described = [
        model
        for module in modules
        for model in vars(module).values()
        if _is_model(model)
        and not issubclass(model, Kind)
        and model.__module__ == module.__name__
        and model.model_fields
    ]
    headings = dict(_headings(described))
    parts = [f"# {title}", _paragraph(modules[0].__doc__)]
    for model in described:
        text = [_paragraph(model.__doc__), _keys(model, headings), *_examples(model)]
        parts += [f"## {headings[model]}", *text]
    return "\n\n".join(parts)


def _is_model(value: object) -> TypeGuard[type[BaseModel]]:
    return inspect.isclass(value) and issubclass(value, BaseModel)


def _headings(described: Sequence[type[BaseModel]]) -> Iterator[tuple[type[BaseModel], str]]:
    """Yield each model with the key of its table: as its description names it, or by its path."""
    within = {
        part: model
        for model in described
        for field in model.model_fields.values()
        for part, _ in _models_of(field.annotation)
    }
    paths: dict[type[BaseModel], str] = {}
    for model in described:
        if model not in within:
            _add_paths(model, "", paths)
    for model in described:
        first_line = _paragraph(model.__doc__).partition("\n")[0]
        named = FILE.match(first_line) or KEYS.match(first_line)
        if named:
            yield model, named[1].replace(" = ", ": ")
        elif first_line.startswith("The file itself"):
            yield model, "The file"
        elif paths.get(model):
            kind = model.model_fields.get("kind")
            values = get_args(kind.annotation) if kind else ()
            yield model, " ".join([f"`{paths[model]}`", *(f'`kind: "{each}"`' for each in values)])
        else:
            yield model, "Common keys"


def _add_paths(model: type[BaseModel], path: str, paths: dict[type[BaseModel], str]) -> None:
    """Note where a file has the models within another one; the shortest path counts."""
    if model in paths and len(paths[model]) <= len(path):
        return
    paths[model] = path
    for name, field in model.model_fields.items():
        for below, suffix in _models_of(field.annotation):
            _add_paths(below, f"{path}.{field.alias or name}{suffix}".lstrip("."), paths)


def _models_of(annotation: Any, suffix: str = "") -> Iterator[tuple[type[BaseModel], str]]:
    """Yield the models that a type is made of, with what leads to an item of a collection."""
    if _is_model(annotation):
        yield annotation, suffix
    origin = getattr(get_origin(annotation), "__name__", "")
    inner = {"tuple": "[]", "list": "[]", "dict": ".NAME", "Mapping": ".NAME"}.get(origin, "")
    for part in get_args(annotation):
        yield from _models_of(part, suffix + inner)


def _examples(model: type[BaseModel]) -> Iterator[str]:
    """Yield the examples of a model, those of one file together."""
    examples = table_examples.EXAMPLES.get(model, ())
    for file, those in itertools.groupby(examples, key=lambda example: example.file):
        text = "\n\n".join(example.text for example in those)
        yield f"In `{file}`:\n\n```toml\n{text}\n```"


def _keys(model: type[BaseModel], headings: Mapping[type[BaseModel], str]) -> str:
    meanings = _attribute_docs(model)
    rows = ["| key | type | default | |", "|---|---|---|---|"]
    for name, field in model.model_fields.items():
        is_required = field.is_required() or _is_tag(field)
        default = "required" if is_required else f"`{_shown(field.default)}`"
        kind = _type(field.annotation, headings).replace("|", "\\|")
        rows.append(f"| `{field.alias or name}` | {kind} | {default} | {meanings.get(name, '')} |")
    return "\n".join(rows)


def _is_tag(field: FieldInfo) -> bool:
    """Tell whether a key has only one value, by which a file or a kind of table is recognised."""
    return get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1


def _type(annotation: Any, headings: Mapping[type[BaseModel], str]) -> str:
    if _is_model(annotation):
        heading = headings.get(annotation, "")
        anchor = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        return f"[table](#{anchor})" if heading else "table"
    arguments = get_args(annotation)
    if not arguments:
        return getattr(annotation, "__name__", str(annotation)).replace("NoneType", "none")
    origin = getattr(get_origin(annotation), "__name__", "")
    if origin == "Literal":
        return " or ".join(f'"{value}"' for value in arguments)
    if origin in {"Union", "UnionType", "Annotated"}:
        kinds = arguments[:1] if origin == "Annotated" else arguments
        return " or ".join(dict.fromkeys(_type(each, headings) for each in kinds))
    inside = ", ".join(_type(each, headings) for each in arguments if each is not Ellipsis)
    kind = {"tuple": "list", "Mapping": "table", "dict": "table"}.get(origin, origin)
    return f"{kind} of {inside}"


def _shown(default: Any) -> str:
    """Show a default as TOML would have it; a model is the table of the keys that it requires."""
    if isinstance(default, BaseModel):
        fields = type(default).model_fields.items()
        return repr({name: getattr(default, name) for name, field in fields if _is_tag(field)})
    if isinstance(default, tuple):
        return f"[{', '.join(_shown(each) for each in default)}]"
    return "none" if default is None else repr(default)


def _attribute_docs(owner: type) -> dict[str, str]:
    """Read the strings that stand below the attributes of a class."""
    found: dict[str, str] = {}
    for ancestor in reversed(owner.__mro__[:-1]):
        try:
            source = textwrap.dedent(inspect.getsource(ancestor))
        except (OSError, TypeError):
            continue
        found |= dict(_documented(ast.parse(source).body[0]))
    return found


def _documented(tree: ast.stmt) -> Iterator[tuple[str, str]]:
    body = getattr(tree, "body", [])
    for statement, after in itertools.pairwise(body):
        target: ast.expr | None = None
        if isinstance(statement, ast.AnnAssign):
            target = statement.target
        elif isinstance(statement, ast.Assign):
            target = statement.targets[0]
        text = after.value if isinstance(after, ast.Expr) else None
        if isinstance(target, ast.Name) and isinstance(text, ast.Constant):
            yield target.id, _paragraph(str(text.value)).replace("\n", " ")


def _paragraph(text: str | None) -> str:
    return inspect.cleandoc(text or "")


def _name(command: Any) -> str:
    return str(command.callback.__name__).rstrip("_")


def main() -> int:
    """Write the pages, or check them."""
    stale = []
    for name, text in pages().items():
        path = REFERENCE / name
        if "--check" in sys.argv:
            if not path.is_file() or path.read_text() != text:
                stale.append(name)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    for name in stale:
        sys.stderr.write(f"docs/reference/{name} is out of date: run `make docs`\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())

"""What the server that forks commands has loaded and built, so that no command needs to."""

import gc
from importlib import import_module

from pydantic import BaseModel

from wirelab.experiment.events import Observer
from wirelab.scaffold.descriptions.offer import Offer, Parameter
from wirelab.scaffold.querying.draws import draw

for _name in (
    "wirelab.commands.studies.run",
    "wirelab.commands.own_api.compare",
    "wirelab.commands.own_api.capacity",
    "wirelab.commands.studies.browse",
    # and what commands load only when they need it:
    "wirelab.lab.stores.postgresql",
    "wirelab.lab.stores.postgresql_server",
    "wirelab.protocol.clients.websocket",
    "wirelab.report.vega",
    "wirelab.report.figures",
    "h2",
    "httpcore",
    "hypothesis_jsonschema",
    "pandas.core.arrays.arrow.extension_types",
    "pyarrow.dataset",
    "typer._adapters",
):
    import_module(_name)


def _complete(model: type[BaseModel]) -> None:
    """Build what validates the subclasses of a model, which otherwise waits for their first use."""
    for each in model.__subclasses__():
        if each.__module__.startswith("wirelab."):
            each.model_rebuild()
        _complete(each)


_complete(BaseModel)
# Before it draws, Hypothesis looks for constants in the modules that are not installed.
draw({"any": Offer("rest", "any", "", "read", (Parameter("any", "integer"),), {})}, 1, Observer())
gc.freeze()  # no collection in a command goes through all of this, and so copies its pages

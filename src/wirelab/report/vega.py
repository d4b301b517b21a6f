"""Vega-Lite on this machine: convert specifications to SVG, and bundle the scripts for charts."""

import base64
import gzip
import json
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import vl_convert

from wirelab.errors import LabError
from wirelab.installation.build_cache import build_once, content_hash
from wirelab.report.charts.scales import Picture
from wirelab.report.svg import tidy
from wirelab.report.theme import vega_config

KEPT = "vega-embed.js.gz.base64"
VEGA_LITE = vl_convert.get_vegalite_versions()[-1]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as specification and as SVG; `width` in CSS pixels."""

    spec: dict[str, Any]
    svg: str
    width: int

    @property
    def packed_spec(self) -> str:
        """The specification, compressed and encoded for the page, which uses it on demand."""
        return packed(json.dumps(self.spec, ensure_ascii=False, separators=(",", ":")))


def draw(chart: Picture, name: str, description: str, *, tooltips: bool = True) -> Drawing:
    """Render a chart. `name` must be unique on the page; `description` is the text alternative.

    Without `tooltips`, only the interactive chart has them.
    """
    spec: dict[str, Any] = _short_numbers(chart.to_dict(validate=False))
    spec["config"] = vega_config()
    spec["description"] = description
    titles = _tooltip_titles(spec) if tooltips else set()
    svg, width = tidy(to_svg(spec), name, description, titles)
    return Drawing(spec, svg, width)


def to_svg(spec: dict[str, Any]) -> str:
    """Convert a specification, which contains its data: nothing is loaded."""
    return vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE, allowed_base_urls=[])


@cache
def javascript_base64() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, compressed and encoded for the page.

    Bundling takes seconds, so the result is cached; without a cache, it is bundled per process.
    """
    start = "window.vegaEmbed = vegaEmbed;"

    def bundle() -> str:
        return packed(vl_convert.javascript_bundle(start, vl_version=VEGA_LITE))

    def keep(folder: Path) -> None:
        (folder / KEPT).write_text(bundle())

    key = content_hash((), start, version("vl-convert-python"), VEGA_LITE)
    try:
        return (build_once("vega", key, keep) / KEPT).read_text()
    except (LabError, OSError):
        return bundle()


def packed(text: str) -> str:
    """Compress a text with gzip, and encode it in base64."""
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def _short_numbers(value: Any) -> Any:
    """Round to five figures, finer than any screen, to keep specifications small."""
    match value:
        case float():
            return float(f"{value:.5g}")
        case dict():
            return {key: _short_numbers(item) for key, item in value.items()}
        case list():
            return [_short_numbers(item) for item in value]
    return value


def _tooltip_titles(spec: Any) -> set[str]:
    """Return the titles of the fields in a chart's tooltips, in all layers."""
    match spec:
        case dict():
            fields = spec.get("tooltip")
            own = fields if isinstance(fields, list) else [fields]
            titles = {
                f.get("title") or f["field"] for f in own if isinstance(f, dict) and "field" in f
            }
            return titles.union(*map(_tooltip_titles, spec.values()))
        case list():
            return set().union(*map(_tooltip_titles, spec))
    return set()

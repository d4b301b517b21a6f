"""Vega-Lite on this machine: convert specifications to SVG, and bundle the scripts for charts."""

import base64
import gzip
import itertools
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import vl_convert
from lxml import etree

from wirelab.build_cache import build_once, content_hash
from wirelab.errors import LabError
from wirelab.report.charts.scales import Picture
from wirelab.report.theme import vega_config

SVG = "{http://www.w3.org/2000/svg}"
KEPT = "vega-embed.js.gz.base64"
VEGA_LITE = vl_convert.get_vegalite_versions()[-1]

_LEFT_TO_THE_PAGE = (
    "aria-label",
    "aria-roledescription",
    "role",
    "aria-hidden",
    "class",
    "font-family",
)
_GEOMETRY = frozenset(("d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height"))
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_DRAWN = {f"{SVG}{name}" for name in ("path", "line", "text", "rect", "circle")}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as specification and as SVG; `width` in CSS pixels."""

    spec: dict[str, Any]
    svg: str
    width: int

    @property
    def packed_spec(self) -> str:
        """The specification, compressed and encoded for the page, which uses it on demand."""
        return _packed(json.dumps(self.spec, ensure_ascii=False, separators=(",", ":")))


def draw(chart: Picture, name: str, description: str) -> Drawing:
    """Render a chart. `name` must be unique on the page; `description` is the text alternative."""
    spec: dict[str, Any] = _short_numbers(chart.to_dict(validate=False))
    spec["config"] = vega_config()
    spec["description"] = description
    # Charts load nothing: their data are in the specification.
    raw = vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE, allowed_base_urls=[])
    svg, width = _tidy(raw, name, description, _tooltip_titles(spec))
    return Drawing(spec, svg, width)


@cache
def javascript_base64() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, compressed and encoded for the page.

    Bundling takes seconds, so the result is cached; without a cache, it is bundled per process.
    """
    start = "window.vegaEmbed = vegaEmbed;"

    def bundle() -> str:
        return _packed(vl_convert.javascript_bundle(start, vl_version=VEGA_LITE))

    def keep(folder: Path) -> None:
        (folder / KEPT).write_text(bundle())

    key = content_hash((), start, version("vl-convert-python"), VEGA_LITE)
    try:
        return (build_once("vega", key, keep) / KEPT).read_text()
    except (LabError, OSError):
        return bundle()


def _packed(text: str) -> str:
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


def _tidy(raw: str, name: str, description: str, titles: set[str]) -> tuple[str, int]:
    """Prepare an SVG for a page with others: scalable, labelled, with unique ids.

    Vega's text of a mark for screen readers becomes its tooltip, as far as `titles` name it.
    """
    root = etree.fromstring(raw.encode(), etree.XMLParser(resolve_entities=False))
    width = round(float(root.get("width")))
    for attribute in ("width", "height", "version", "class"):
        root.attrib.pop(attribute, None)
    root.set("role", "img")
    root.set("aria-label", description)
    _drop_the_invisible(root)
    _rename_ids(root, name)
    for element in list(root.iterdescendants()):
        if element.get("role") == "graphics-symbol":
            _add_tooltip(element, titles)
        for attribute in _LEFT_TO_THE_PAGE:
            element.attrib.pop(attribute, None)
        for attribute in _GEOMETRY.intersection(element.attrib):
            element.set(attribute, _LONG_NUMBER.sub(_rounded, element.get(attribute)))
    etree.cleanup_namespaces(root)
    return etree.tostring(root, encoding="unicode"), width


def _add_tooltip(mark: etree._Element, titles: set[str]) -> None:
    told = [
        part for part in mark.get("aria-label", "").split("; ") if part.split(": ")[0] in titles
    ]
    if told:
        etree.SubElement(mark, f"{SVG}title").text = "\n".join(told)


def _drop_the_invisible(root: etree._Element) -> None:
    """Remove Vega's empty paths and groups, which are half of the size."""
    for element in list(root.iter(f"{SVG}path")):
        hidden = element.get("display") == "none"
        background = element.get("class") == "background" and not (
            element.get("fill") or element.get("stroke")
        )
        if hidden or background or element.get("d") in (None, ""):
            element.getparent().remove(element)
    for group in reversed(list(root.iter(f"{SVG}g"))):
        if not any(child.tag in _DRAWN for child in group.iter()) and group.getparent() is not None:
            group.getparent().remove(group)


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _rename_ids(root: etree._Element, name: str) -> None:
    numbers = itertools.count()
    renamed = {}
    for element in root.iter():
        if "id" in element.attrib:
            renamed[element.get("id")] = f"{name}-{next(numbers)}"
            element.set("id", renamed[element.get("id")])
    for element in root.iter():
        for key, value in element.attrib.items():
            if value.startswith("url(#") and value[5:-1] in renamed:
                element.set(key, f"url(#{renamed[value[5:-1]]})")

"""The SVG of a chart, made fit to stand in a page among others: small, scalable, labelled."""

import itertools
import math
import re

from lxml import etree

SVG = "{http://www.w3.org/2000/svg}"

_LEFT_TO_THE_PAGE = (
    "aria-label",
    "aria-roledescription",
    "role",
    "aria-hidden",
    "class",
    "font-family",
)
_GEOMETRY = frozenset(("d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height"))
_LONG_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_SHIFT = re.compile(r"translate\((-?[\d.]+)")
_DISC = re.compile(r"M([\d.]+),0A\1,\1,0,1,1,-\1,0A\1,\1,0,1,1,\1,0Z?")
_DRAWN = {f"{SVG}{name}" for name in ("path", "line", "text", "rect", "circle")}
_DEFAULTS = {"opacity": "1", "stroke-width": "1", "transform": "translate(0,0)"}
_INHERITED = (
    *("fill", "fill-opacity", "font-size", "font-weight", "text-anchor"),
    *("stroke", "stroke-dasharray", "stroke-linecap", "stroke-width"),
)

_WIDTH, _BOLD_WIDTH = 0.62, 0.72
"""The mean width of a character in a wide font, as a share of the font size."""


def tidy(raw: str, name: str, description: str, titles: set[str]) -> tuple[str, int]:
    """Return the SVG of a chart for a page, with ids of its own, and its width in CSS pixels.

    What Vega tells screen readers of a mark becomes its tooltip, as far as `titles` name it.
    """
    root = etree.fromstring(raw.encode(), etree.XMLParser(resolve_entities=False))
    width = _include_words(root)
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
        _shorten(element)
    groups = list(root.iter(f"{SVG}g"))
    for group in groups:
        _share_attributes(group)
    for group in groups:
        _dissolve(group)
    etree.cleanup_namespaces(root)
    return etree.tostring(root, encoding="unicode"), width


def _include_words(root: etree._Element) -> int:
    """Widen a drawing until all words fit, and return its width in CSS pixels.

    Vega measures words in a font of this machine. A reader's font may be wider, and paper shows
    nothing outside of the drawing.
    """
    left, top, width, height = map(float, root.get("viewBox", "").split())
    ends = [end for text in root.iter(f"{SVG}text") for end in _extent(text)]
    start = min([left, *map(math.floor, ends)])
    wide = max([left + width, *map(math.ceil, ends)]) - start
    root.set("viewBox", f"{start:g} {top:g} {wide:g} {height:g}")
    return round(float(root.get("width")) * wide / width)


def _extent(text: etree._Element) -> tuple[float, ...]:
    """Return where a text begins and ends along x in a wide font; () if it is rotated."""
    steps = [each.get("transform", "") for each in (text, *text.iterancestors())]
    if any("rotate" in step for step in steps):
        return ()
    x = sum(float(shift[1]) for step in steps if (shift := _SHIFT.search(step)))
    is_bold = text.get("font-weight", "normal") != "normal"
    size = float(text.get("font-size", "12px").removesuffix("px"))
    length = size * (_BOLD_WIDTH if is_bold else _WIDTH) * len("".join(text.itertext()))
    start = x - length * {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor", "start")]
    return start, start + length


def _add_tooltip(mark: etree._Element, titles: set[str]) -> None:
    lines = [
        part for part in mark.get("aria-label", "").split("; ") if part.split(": ")[0] in titles
    ]
    if lines:
        etree.SubElement(mark, f"{SVG}title").text = "\n".join(lines)


def _drop_the_invisible(root: etree._Element) -> None:
    """Remove the empty paths and groups that Vega leaves behind: half of the size.

    Marks without opacity react to the pointer in an interactive chart, and do nothing in an SVG.
    """
    for element in list(root.iter(f"{SVG}path")):
        hidden = element.get("display") == "none" or element.get("opacity") == "0"
        background = element.get("class") == "background" and not (
            element.get("fill") or element.get("stroke")
        )
        if hidden or background or element.get("d") in (None, ""):
            element.getparent().remove(element)
    for group in reversed(list(root.iter(f"{SVG}g"))):
        if not any(child.tag in _DRAWN for child in group.iter()) and group.getparent() is not None:
            group.getparent().remove(group)


def _shorten(element: etree._Element) -> None:
    """Write an element's geometry to a tenth of a pixel, and leave out what is the default."""
    for attribute in _GEOMETRY.intersection(element.attrib):
        element.set(attribute, _LONG_NUMBER.sub(_rounded, element.get(attribute)))
    for attribute, default in _DEFAULTS.items():
        if element.get(attribute) == default:
            del element.attrib[attribute]
    if element.get("stroke") is None:
        element.attrib.pop("stroke-width", None)
    if disc := _DISC.fullmatch(element.get("d", "")):
        element.tag = f"{SVG}circle"
        element.set("r", disc[1])
        del element.attrib["d"]


def _rounded(number: re.Match[str]) -> str:
    short = f"{float(number[0]):.1f}".removesuffix(".0")
    return "0" if short == "-0" else short


def _share_attributes(group: etree._Element) -> None:
    """Write once what all children of a group have in common."""
    children = list(group)
    for attribute in _INHERITED:
        values = {child.get(attribute) for child in children}
        if len(children) > 1 and len(values) == 1 and None not in values:
            group.set(attribute, values.pop())
            for child in children:
                del child.attrib[attribute]


def _dissolve(group: etree._Element) -> None:
    """Replace a group that changes nothing by its children."""
    parent = group.getparent()
    if not group.attrib and parent is not None:
        place = parent.index(group)
        parent[place : place + 1] = list(group)


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

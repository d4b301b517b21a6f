"""The report as one HTML file: offline, self-contained, readable without scripts."""

import base64
import gzip
import hashlib
import json
from collections import Counter
from importlib.resources import files

from jinja2 import Environment
from markupsafe import Markup

from wirelab.analysis import Analysis, lint
from wirelab.analysis.answers.headline import headline, opening
from wirelab.analysis.matrix import matrix_of
from wirelab.report.control import control_of
from wirelab.report.data import to_csv, to_json
from wirelab.report.environment import environment
from wirelab.report.palette import Palette
from wirelab.report.sustained import OVERLOAD, sustained_views
from wirelab.report.theme import FONT

MOST_EMBEDDED = 120_000
"""Maximum number of characters of compressed findings in a page; larger ones are in the JSON
file."""


MOST_ROWS = 24
"""Number of settings in the matrix before the rest is folded."""


MOST_PRINTED = 8
"""Number of settings whose figures are printed although they are folded: two to a page."""


def render_html(analysis: Analysis, *, home: str = "") -> str:
    """Render the whole page, which loads nothing from other files.

    If served among others, `home` links to their list.
    """
    # Loading the renderer of charts takes half a second, which pages without charts need not wait.
    from wirelab.report.figures import draw_figures  # noqa: PLC0415
    from wirelab.report.vega import javascript_base64, packed  # noqa: PLC0415

    jinja = environment(analysis.extension.templates)
    palette = Palette.from_analysis(analysis)
    matrix = matrix_of(analysis)
    control = control_of(matrix, analysis)
    jinja.globals |= {
        "palette": palette,
        "most": MOST_ROWS,
        "most_printed": MOST_PRINTED,
        "control": control,
    }
    script = _template_text("explore.js") + _template_text("control.js")
    program = javascript_base64()
    unpacked = gzip.decompress(base64.b64decode(program)).decode()
    return jinja.get_template("report.html").render(
        analysis=analysis,
        home=home,
        study=analysis.study,
        capacities=sustained_views(analysis),
        overload=OVERLOAD,
        matrix=matrix,
        headline=headline(analysis),
        opening=opening(analysis),
        in_full={each.sentence: each.in_full for each in analysis.answers if each.in_full},
        figures=draw_figures(analysis, palette),
        lint=lint(analysis),
        claim_counts=Counter(claim.verdict for claim in analysis.paper.claims),
        # Markup: texts of this program; everything from the bundle is escaped.
        style=Markup(page_style(jinja, palette)),  # noqa: S704
        script=Markup(script),  # noqa: S704
        program=program,
        data_packed=packed(json.dumps(control.data, ensure_ascii=False, separators=(",", ":"))),
        script_hashes=[_policy_hash(script), _policy_hash(unpacked)],
        csv_base64=base64.b64encode(to_csv(analysis).encode()).decode(),
        json_packed=_embedded(packed(to_json(analysis))),
        markup=Markup,
    )


def _embedded(compressed: str) -> str:
    """Return the compressed findings for the page; empty if they would make it too large."""
    return compressed if len(compressed) < MOST_EMBEDDED else ""


def page_style(jinja: Environment, palette: Palette) -> str:
    """Render the style sheet that all pages share."""
    return jinja.get_template("style.css").render(
        font=Markup(FONT),  # noqa: S704
        hues=list(palette.hues),
        colours_light=Markup(palette.variables(0)),  # noqa: S704
        colours_dark=Markup(palette.variables(1)),  # noqa: S704
    )


def _template_text(name: str) -> str:
    return (files("wirelab.report") / "templates" / name).read_text(encoding="utf-8")


def _policy_hash(script: str) -> str:
    """Return the hash of a script for the page's content security policy, which blocks others."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"

"""Pages from templates: the report's template engine, with everything escaped, and its style."""

from importlib.resources import files
from typing import Any

from jinja2 import BaseLoader, ChoiceLoader, PackageLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from wirelab.report.environment import environment
from wirelab.report.page import page_style
from wirelab.report.palette import Palette

REPORT_POLICY = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
"""A report declares in its head which scripts it may run; a sandbox isolates it from all pages."""


class Pages:
    """The templates of one package, which may build on `base.html`; rendered as responses.

    `sheet`: the name of a style sheet in the package's `templates`, added to the shared ones.
    `palette` draws contenders' marks in templates; the style sheet has its colours.
    """

    def __init__(self, package: str, *, sheet: str = "", palette: Palette | None = None) -> None:
        self._jinja = environment()
        own, shared = PackageLoader(package), PackageLoader("wirelab.web")
        loaders: list[BaseLoader] = [own, shared]
        if self._jinja.loader is not None:
            loaders.append(self._jinja.loader)
        self._jinja.loader = ChoiceLoader(loaders)
        self._sheets = [_text("wirelab.web", "web.css")]
        if sheet:
            self._sheets.append(_text(package, sheet))
        self.style = ""
        """The style sheets of the report, of all served pages, and of the package."""
        self.use(palette or Palette({}, {}))

    def use(self, palette: Palette) -> None:
        """Use this palette for contenders' marks from now on."""
        self._jinja.globals["palette"] = palette
        self.style = "\n".join([page_style(self._jinja, palette), *self._sheets])

    def respond(
        self, request: Request, template: str, *, status: int = 200, **content: Any
    ) -> Response:
        """Render a template with `request` and `content`, whose texts are escaped."""
        page = self._jinja.get_template(template).render(request=request, status=status, **content)
        return HTMLResponse(page, status_code=status)


def report_response(page: str) -> Response:
    """Serve a report that `wirelab.report` rendered, in a separate origin."""
    # Browsers reject a sandboxed page with a cross-origin opener policy.
    opener = {"Cross-Origin-Opener-Policy": "unsafe-none"}
    return HTMLResponse(page, headers={"Content-Security-Policy": REPORT_POLICY, **opener})


def _text(package: str, name: str) -> str:
    return (files(package) / "templates" / name).read_text(encoding="utf-8")

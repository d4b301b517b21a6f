"""Colours of protocols and verdicts, and the style of charts, for light and dark pages.

Charts use CSS variables instead of colours, so the page determines them: the same SVG suits paper,
light and dark pages. The hues are distinguishable with all common kinds of colour blindness; words,
marks or positions always express the same as the colour.
"""

from typing import Any

from wirelab.statistics import ClaimVerdict, Outcome, Verdict

FONT = (
    "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Noto Sans', Ubuntu, Cantarell,"
    " 'Helvetica Neue', Arial, sans-serif"
)

PROTOCOL_COLOURS = {
    "rest": ("#1f6fb5", "#6aaeea"),
    "graphql": ("#bf3a8b", "#ee8ac4"),
    "grpc": ("#0a8463", "#43c9a2"),
    "websocket": ("#b96a06", "#eba448"),
    "soap": ("#666f7c", "#a6afbb"),
    "mcp": ("#a8322a", "#f08c82"),
}
"""Protocol to its colour on a light and on a dark page."""

VERDICT_STYLE = {
    Outcome.FASTER: "good",
    Outcome.SLOWER: "bad",
    Outcome.SAME: "even",
    Outcome.CANNOT_TELL: "unsure",
    ClaimVerdict.REPRODUCED: "good held",
    ClaimVerdict.DIRECTION_ONLY: "even",
    ClaimVerdict.SAME_WITHIN_MARGIN: "even",
    ClaimVerdict.NOT_MEASURED: "unsure",
    ClaimVerdict.PARTLY_MEASURED: "unsure",
    ClaimVerdict.CANNOT_TELL: "unsure",
    ClaimVerdict.NOT_TESTABLE: "unsure",
    ClaimVerdict.CONTRADICTED: "bad failed",
}
"""The style of a verdict: its colour, and the sign before its words."""

OTHER_COLOUR = ("#7355c0", "#ae98f0")
"""The colour of all other protocols."""


def colour(protocol: str) -> str:
    """Return the CSS colour of a protocol."""
    return f"var(--{protocol})" if protocol in PROTOCOL_COLOURS else "var(--other)"


def verdict_colour(verdict: Verdict | None) -> str:
    """Return the CSS colour of a verdict's words; muted for a comparison without one."""
    return f"var(--{VERDICT_STYLE[verdict.outcome].split()[0]})" if verdict else "var(--ink-soft)"


def vega_config() -> dict[str, Any]:
    """Return the Vega-Lite configuration that all charts share."""
    text = {"labelColor": "var(--ink-soft)", "titleColor": "var(--ink-soft)"}
    return {
        "background": "transparent",
        "font": FONT,
        "padding": 4,
        "view": {"stroke": None},
        "axis": {
            **text,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "labelPadding": 5,
            "domain": False,
            "ticks": False,
            "gridColor": "var(--line)",
        },
        "axisY": {"labelColor": "var(--ink)"},
        "header": {**text, "labelFontSize": 12, "labelFontWeight": "normal"},
        "legend": {**text, "labelFontSize": 12, "titleFontSize": 12, "orient": "top"},
        "title": {
            "color": "var(--ink)",
            "fontSize": 13,
            "fontWeight": 600,
            "anchor": "start",
            "offset": 8,
            "subtitleColor": "var(--ink-soft)",
            "subtitleFontSize": 11,
        },
        "text": {"color": "var(--ink)", "fontSize": 12},
    }

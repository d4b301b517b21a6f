"""What a terminal shows of something."""

import io

from rich.console import Console, RenderableType


def shown(renderable: RenderableType, width: int) -> str:
    """Print without colours in a terminal of this many columns."""
    screen = io.StringIO()
    console = Console(width=width, file=screen, color_system=None, legacy_windows=False)
    console.print(renderable)
    return screen.getvalue()

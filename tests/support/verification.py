"""`wirelab verify` with its defaults, of a domain or of a copy."""

from pathlib import Path
from typing import Any

from wirelab.commands.studies.verify import verify_command
from wirelab.terminal.exit_codes import ExitCode


def verify_domain(domain: str | Path, **options: Any) -> ExitCode:
    """Verify a domain natively and print the result; `options` replace the command's defaults."""
    defaults: dict[str, Any] = {
        "only": (),
        "environment": "native",
        "seed": 1,
        "stores": {},
        "data": None,
        "as_json": False,
    }
    return verify_command(str(domain), **defaults | options)

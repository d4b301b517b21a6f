"""`wirelab list`: the available studies and domains."""

from collections.abc import Mapping

from rich.table import Table

from wirelab.commands.outlines import ContenderOutline, outline_domains, outline_studies
from wirelab.terminal.console import print_json, show


def list_command(*, as_json: bool) -> None:
    """Print studies with their designs, and domains with their contenders."""
    studies, domains = outline_studies(), outline_domains()
    if as_json:
        print_json(
            {
                "studies": [
                    {
                        "id": study.id,
                        "title": study.title,
                        "domain": study.domain,
                        "designs": study.designs,
                    }
                    for study in studies
                ],
                "domains": [
                    {
                        "name": domain.name,
                        "title": domain.title,
                        "operations": domain.operations,
                        "contenders": {n: c.title for n, c in domain.contenders.items()},
                    }
                    for domain in domains
                ],
            }
        )
        return
    table = Table(title="Studies", title_justify="left", box=None, pad_edge=False)
    table.add_column("name", style="bold")
    table.add_column("designs")
    table.add_column("what it asks")
    for study in studies:
        table.add_row(study.id, ", ".join(study.designs), study.title)
    show(table)
    table = Table(title="\nDomains", title_justify="left", box=None, pad_edge=False)
    table.add_column("name", style="bold")
    table.add_column("contender", style="bold")
    table.add_column("what it is")
    for domain in domains:
        table.add_row(domain.name, "", domain.summary)
        for name, contender in domain.contenders.items():
            if not contender.variant_of:
                table.add_row("", name, contender.title + _variants(name, domain.contenders))
    show(table)


def _variants(base: str, contenders: Mapping[str, ContenderOutline]) -> str:
    """List the variants of a contender by the suffixes of their ids."""
    suffixes = [n.removeprefix(base) for n, each in contenders.items() if each.variant_of == base]
    return f" (also {', '.join(suffixes)})" if suffixes else ""

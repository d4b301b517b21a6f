"""`wirelab list`: what is here to be run."""

from collections.abc import Mapping

from rich.table import Table

from wirelab.console import print_json, show
from wirelab.domain_file import list_domains, outline_domain
from wirelab.lab.contender import Contender, outline_contenders
from wirelab.study import list_studies, load_study


def list_command(*, as_json: bool) -> None:
    """Print studies with their designs, and domains with their contenders."""
    studies = [load_study(name) for name in list_studies()]
    domains = [outline_domain(name) for name in list_domains()]
    contenders = {each.name: outline_contenders(each.name, each.folder) for each in domains}
    if as_json:
        print_json(
            {
                "studies": [
                    {
                        "id": study.id,
                        "title": study.title,
                        "domain": study.domain,
                        "designs": {name: d.summary for name, d in study.designs.items()},
                    }
                    for study in studies
                ],
                "domains": [
                    {
                        "name": domain.name,
                        "title": domain.title,
                        "operations": domain.operations,
                        "contenders": {n: c.title for n, c in contenders[domain.name].items()},
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
        for name, contender in contenders[domain.name].items():
            if not contender.variant_of:
                table.add_row("", name, contender.title + _variants(name, contenders[domain.name]))
    show(table)


def _variants(base: str, contenders: Mapping[str, Contender]) -> str:
    """Name what there is of a contender with something set otherwise, by what is behind its id."""
    suffixes = [n.removeprefix(base) for n, each in contenders.items() if each.variant_of == base]
    return f" (also {', '.join(suffixes)})" if suffixes else ""

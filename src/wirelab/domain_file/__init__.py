"""domain.toml: a domain is read, and checked against its interface descriptions."""

from wirelab.domain_file.load import (
    Outline,
    find_domain,
    is_there,
    list_domains,
    load_domain,
    outline_domain,
)

__all__ = [
    "Outline",
    "find_domain",
    "is_there",
    "list_domains",
    "load_domain",
    "outline_domain",
]

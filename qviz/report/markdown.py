"""The catalogue as Markdown, for reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from qviz.dialects import Dialect
from qviz.report.catalogue import Item, homes

COMMAND = "python -m qviz catalogue --markdown > docs/catalogue.md"
HEAD = f"""# Catalogue

Every observer, mode and metric, from what each registers and says of itself. Written by
`{COMMAND}`; `python -m qviz catalogue --check` tells whether this text is up to date.

*Precision* is the float type in which ranges and codes are computed, *ties* where a value half-way
between two codes goes. *Differs* says where a rule departs from what its name promises."""
KINDS = {"observer": "Observers", "mode": "Modes", "metric": "Metrics"}


def markdown(items: Sequence[Item]) -> str:
    """The whole text, with a line break at its end."""
    known = {dialect.title: dialect for dialect in homes().values()}
    parts = [HEAD]
    for kind, of_kind in groupby(items, lambda item: item.kind):
        parts.append(f"## {KINDS[kind]}")
        for title, members in groupby(of_kind, lambda item: item.dialect):
            parts += [_heading(kind, known[title]), *("\n".join(_member(m)) for m in members)]
    return "\n\n".join(parts) + "\n"


def _heading(kind: str, dialect: Dialect) -> str:
    if kind == "metric":
        return f"Precision: {dialect.compute_dtype}."
    facts = f"Precision: {dialect.compute_dtype}. Ties: {dialect.rounding}."
    return f"### {dialect.title}\n\n{dialect.configuration}. {facts}"


def _member(item: Item) -> Iterator[str]:
    yield f"#### `{item.name}`: {item.title}"
    for paragraph in item.says:
        yield from ("", paragraph)
    yield from ("", f"- Source: {item.source}")
    if item.unit:
        yield f"- Unit: {item.unit}"
    for knob in item.knobs:
        allowed = f" ({knob.allowed})" if knob.allowed else ""
        yield f"- `{knob.name}` = {knob.default}{allowed}: {knob.help}"
    if item.listed:
        yield f"- Listed as: {', '.join(f'`{name}`' for name in item.listed)}"
    if item.differs:
        yield f"- Differs: {item.differs}"

"""Tables as a paper wants them: measures by slice, correlations, explanations, and what must be said of the metrics behind them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.data import DATASETS
from core.errors import TouchstoneError
from core.evaluation import latex_text
from core.results import Cases
from core.scoring import METRICS
from core.settings import VERSION


def citations_bib(cases: Cases, importers: Sequence[str]) -> str:
    """A BibTeX entry for Touchstone, each metric and each imported dataset, by what its card names."""
    entries = {"touchstone": ("Touchstone", f"Version {VERSION}", "")}
    for column in cases.all_columns:
        if column.released:
            continue
        try:
            card = METRICS.parse(column.signature.partition("|")[0]).card
        except TouchstoneError:
            continue
        if not card.paper.startswith("none"):
            entries[_citation_key(card.title)] = (card.title, card.paper, card.url)
    for name in dict.fromkeys(importers):
        plugin = DATASETS.get(name)
        if plugin.url:
            entries[_citation_key(plugin.title)] = (plugin.title, plugin.release, plugin.url)
    lines = []
    for key, (title, note, url) in entries.items():
        fields = {
            "title": f"{{{latex_text(title)}}}",
            "note": latex_text(note),
            "howpublished": rf"\url{{{url}}}" if url else "",
        }
        field_lines = "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items() if text)
        lines.append(f"@misc{{{key},\n{field_lines}}}\n")
    return "\n".join(lines)


def _citation_key(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def metrics_card(cases: Cases) -> str:
    """Card of each metric: what it is, whose numbers they are, and the signature that distinguishes them."""
    parts = [f"# Metrics\n\nTouchstone {VERSION}\n\n"]
    for column in cases.all_columns:
        if column.released:
            parts.append(f"## {column.name}\n\nReleased by the authors of the data. Higher is more consistent.\n\n")
            continue
        try:
            card = METRICS.parse(column.signature.partition("|")[0]).card
        except TouchstoneError as error:
            parts.append(f"## {column.name}\n\n{error}\n\nSignature: `{column.signature}`\n\n")
            continue
        differs = f"{card.differs}\n\n" if card.differs else ""
        measures = f"{card.measures} {card.paper}. {card.url}\n\n{differs}"
        parts.append(f"## {column.name}\n\n{measures}Signature: `{column.signature}`\n\n")
    return "".join(parts)

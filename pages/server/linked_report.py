"""The page of a read-only link: the report of a project and its kept pairs, with nothing else of the server."""

from __future__ import annotations

from urllib.parse import urlencode

from annotations.people.project_links import LinkedProject
from annotations.store.records import StoredPair
from core.assessment import PairSource, Pin, PinnedPart, PinnedReport, address_of, pair_pin, pins_html, read_pin
from core.errors import TouchstoneError
from core.types import Result, StoredScore
from pages.server.base_path import base_path


def linked_page(project: LinkedProject) -> str:
    """The whole page as HTML without a script; its pairs have the address that opens them on Probe."""
    return pins_html(linked_report(project), probe_address=_probe_address)


def linked_report(project: LinkedProject) -> PinnedReport:
    """The report with its question above, and below it the kept pairs of the project; nothing else of the server."""
    row = project.row
    head = f"Project of {row.owner}, for reading until {project.expires_at:%Y-%m-%d}."
    if row.question:
        head = f"**{row.question}**\n\n{head}"
    parts = [PinnedPart(head)]
    for part in row.parts:
        try:
            parts.append(PinnedPart(part.text, read_pin(project.pins[part.pin]) if part.pin else None))
        except TouchstoneError as error:  # a pin of another version; the rest is whole
            parts.append(PinnedPart(f"{part.text}\n\n{error}"))
    parts += [PinnedPart(pin=_kept_pair(pair)) for pair in project.pairs]
    return PinnedReport(row.title, tuple(parts))


def _kept_pair(stored: StoredPair) -> Pin:
    """A kept pair with its scores as they were last saved."""
    pair = stored.pair
    source = PairSource(
        pair.document,
        pair.original,
        pair.edited,
        (),
        pair.intended or "",
        pair.error_type or "",
        link=f"?{urlencode({'example': stored.id})}",
    )
    sides: dict[str, dict[str, StoredScore]] = {"original": {}, "edited": {}}
    for outcome in pair.outcomes:
        if isinstance(outcome, Result):
            sides[outcome.example_id][outcome.metric] = StoredScore(outcome.metric, outcome.score, outcome.signature)
    both = [
        (before, sides["edited"][metric]) for metric, before in sides["original"].items() if metric in sides["edited"]
    ]
    return pair_pin(pair.title or "Pair", source, both, {})


def _probe_address(pin: Pin) -> str:
    """Address on Probe of a pair, for who may open it there; empty for other results."""
    if not isinstance(pin.source, PairSource) or not pin.source.link:
        return ""
    return f"{base_path()}probe?{urlencode(address_of(pin.source).query, doseq=True)}"

"""The address at which a pinned result came to be: a page of the application and its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl

from core.assessment.pinned.pin import AuditSource, PairSource, Source, StudySource


@dataclass(frozen=True, slots=True)
class Address:
    """A page, by the name of its file, and the values of each parameter."""

    page: str
    query: dict[str, list[str]]

    @property
    def tab(self) -> str:
        """The view of the page, empty for its first."""
        return next(iter(self.query.get("tab", ())), "")


def address_of(source: Source) -> Address:
    """The address that restores the view with its data, settings, metrics and filters."""
    match source:
        case PairSource(link=link):
            return Address("probe", _by_name(parse_qsl(link.removeprefix("?"))))
        case AuditSource(opened=opened):
            return Address("audit", {"audit": [opened]} if opened else {})
        case StudySource():
            return Address("stress" if source.run else "evaluate", _by_name(_study_query(source)))


def _study_query(source: StudySource) -> Iterator[tuple[str, str]]:
    name = source.spec.partition("[")[0]
    if source.run:
        yield "run", source.run
        yield from (("leave-out", variant_filter) for variant_filter in source.left_out)
    else:
        yield from (("dataset", dataset) for dataset in source.datasets)
        yield "by", source.by
        yield from (("metric", metric) for metric in source.metrics)
    yield "tab", name
    if source.spec != name:
        yield "study", source.spec
    if source.run and {"metric", "kind"} <= source.cell.keys():
        yield "metric", source.cell["metric"]
        yield "kind", source.cell["kind"]


def _by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    query: dict[str, list[str]] = {}
    for name, value in pairs:
        query.setdefault(name, []).append(value)
    return query

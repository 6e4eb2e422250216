"""The needs of all papers before their tables can be filled: data, weights, an endpoint, and estimates of hours and money."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum

from core.assessment.catalog.metric_setup import format_megabytes, missing_steps
from core.assessment.papers.paper import DataFile, EndpointWork, MissingDataError, Paper, ReleasedData
from core.assessment.papers.paper_words import own_words_note
from core.assessment.papers.released_files import can_be_fetched
from core.errors import MissingEndpointError
from core.models import configured_endpoint
from core.scoring import Metric, NliCheck
from core.stats import align_columns

_FLOPS = 2e13  # of one large GPU in float32 arithmetic on batches of unequal length, a fifth of its peak
_TOKENS_PER_WORD = 1.3
_BYTES_PER_PARAMETER = 4
_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class MetricNeed:
    """A metric of a paper: the state of its weights in a word or two, their size in megabytes, and its licence.

    `hours` are estimated for the texts at hand; None where these are not, and for one that asks an endpoint.
    """

    spec: str
    state: str
    megabytes: int
    licence: str
    hours: float | None
    fetchable: bool


@dataclass(frozen=True, slots=True)
class PaperNeeds:
    """Needs of one paper: the files that are here, those that are not, its metrics, its checks with their state, and the work of an endpoint."""

    paper: str
    here: tuple[DataFile, ...]
    missing: tuple[DataFile, ...]
    metrics: tuple[MetricNeed, ...]
    checks: tuple[tuple[str, str], ...]
    work: EndpointWork


def paper_needs(paper: Paper, data: ReleasedData) -> PaperNeeds:
    """Needs of a paper on this machine; loads no model and asks nothing."""
    files = dict.fromkeys(paper.data)
    here = tuple(file for file in files if (data.folder / file.place).exists())
    words = 0  # of documents and summaries, each text as often as it is scored
    for file in here:
        try:
            examples = [item.example for item in data.items(file)] if file.importer else []
        except MissingDataError:  # a folder without the files that the importer reads
            continue
        words += sum(example.document.count(" ") + example.summary.count(" ") for example in examples)
    metrics = []
    for metric in paper.metrics():
        missing = missing_steps(metric)
        megabytes = metric.card.download_mb
        endpoint = any(step.need == "endpoint" for step in missing) or metric.card.family == "Judge"
        operations = 2 * megabytes * 1e6 / _BYTES_PER_PARAMETER * words * _TOKENS_PER_WORD
        hours = operations / _FLOPS / _SECONDS if words and not endpoint else None
        fetchable = bool(missing) and all(step.download is not None for step in missing)
        metrics.append(MetricNeed(metric.spec, _state(metric), megabytes, metric.card.licence, hours, fetchable))
    return PaperNeeds(
        paper.name,
        here,
        tuple(file for file in files if file not in here),
        tuple(metrics),
        tuple((check.spec, _state(check)) for check in paper.checks()),
        paper.endpoint_work(),
    )


def _state(needed: Metric | NliCheck) -> str:
    missing = dict.fromkeys(step.name for step in missing_steps(needed))
    return f"waits for {', '.join(missing)}" if missing else "ready"


def format_needs(needs: Sequence[PaperNeeds]) -> str:
    """The needs of each paper, and their sums, in words and tables."""
    missing = {need.state: need for paper in needs for need in paper.metrics if need.fetchable}
    size = sum(need.megabytes for need in missing.values())
    hours = fsum(
        need.hours or 0.0 for paper in needs for need in paper.metrics if need.state == "ready" or need.fetchable
    )
    works = [paper.work for paper in needs]
    total = EndpointWork(
        sum(work.questions for work in works),
        sum(work.read for work in works),
        sum(work.written for work in works),
    )
    files = [file for paper in needs for file in paper.missing]
    sums = [
        "All together:",
        f"  released files that --fetch downloads: {sum(map(can_be_fetched, files))} of {len(files)} that are missing",
        f"  weights that --fetch downloads: of {len(missing)} kinds, {format_megabytes(size)}",
        f"  time: about {_hours(hours)} hours for the texts at hand on one large GPU (estimated: 2 operations for each "
        f"parameter and token, {_FLOPS:.0e} a second; not measured)",
        f"  endpoint, with --ask: {total.questions:,} questions: {format_money(total)} (estimated from the sizes that papers print)",
        "  what people judged is never computed: those cells wait for people",
    ]
    return "\n\n".join([*("\n".join(_paper_lines(paper)) for paper in needs), "\n".join(sums)])


def _paper_lines(needs: PaperNeeds) -> Iterator[str]:
    yield f"{needs.paper}: {len(needs.here)} of {len(needs.here) + len(needs.missing)} files of data are here."
    for file in needs.missing:
        yield f"  missing: {file.place}: {'--fetch downloads it; or ' if can_be_fetched(file) else ''}{file.get}"
    if needs.metrics:
        rows = [
            (need.spec, need.state, format_megabytes(need.megabytes), _hours(need.hours), need.licence)
            for need in needs.metrics
        ]
        grid = align_columns([("metric", "weights", "size", "hours", "licence"), *rows])
        yield "\n".join(f"  {line}" for line in grid.splitlines())
    if note := own_words_note(needs.paper):
        yield f"  words: {note}"
    yield from (f"  check: {spec}: {state}" for spec, state in needs.checks)
    if needs.work.questions:
        yield (
            f"  endpoint: {needs.work.questions:,} questions, {needs.work.read:,} tokens read, {needs.work.written:,} written: "
            f"{format_money(needs.work)}"
        )


def _hours(hours: float | None) -> str:
    if hours is None:
        return "–"
    return "< 0.1" if hours < 0.1 else f"{hours:.1f}"  # the smallest figure with one digit


def format_money(work: EndpointWork) -> str:
    """Cost of the work at the endpoint that is set, or the reason why it is not known."""
    try:
        price = configured_endpoint("").price
    except MissingEndpointError:
        return "no endpoint is set"
    if price is None:
        return "money unknown, as no price is set (TOUCHSTONE_LLM_PRICE_READ, TOUCHSTONE_LLM_PRICE_WRITTEN)"
    return f"about {price.of(work.read, work.written):,.2f} of the money of its price"

"""The scores of a notebook: records that equal the lines of `cli.py score`, and their display with heat and evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from core.assessment.notebook.session import Pairs, download_weights, engine, parse_metrics, read_rows, require_all
from core.base import open_templates
from core.data import Refusal
from core.scoring import METRICS, JsonRecord, outcome_record
from core.types import Example, Failure, FailureKind, Item

_MOST_ROWS = 50
_TEMPLATES = open_templates(Path(__file__).with_name("templates"))
_CONSISTENT, _INCONSISTENT, _NEUTRAL = "47, 91, 215", "194, 87, 12", "120, 128, 144"  # as on the pages
_FAINTEST, _STRONGEST = 0.06, 0.45  # opacity, which any background bears

Bounds = tuple[float, float]
"""The scores at which a colour is the faintest and the strongest."""


class Scores(list[JsonRecord]):
    """One record for each pair and metric, pair by pair; `pandas.DataFrame(scores)` is the table of them."""

    def _repr_html_(self) -> str:
        """A table with the sentences of each summary, tinted by their scores, and the evidence of each; all text is escaped."""
        shown = self[:_MOST_ROWS]
        bounds = {spec: _bounds(spec, self) for spec in {record["metric"] for record in shown}}
        return _TEMPLATES.get_template("scores.html").render(
            records=shown,
            more=len(self) - len(shown),
            tint=lambda record, part: _tint(record["metric"], part["score"], bounds[record["metric"]]),
        )


def score_pairs(pairs: Pairs, metrics: str | Sequence[str]) -> Scores:
    """See `touchstone.score`."""
    parsed_metrics, results = parse_metrics(metrics), read_rows(pairs)
    items = [result for result in results if isinstance(result, Item)]
    if not items:
        require_all(result for result in results if isinstance(result, Refusal))
    opened = engine()
    download_weights(opened.pool, (model for metric in parsed_metrics for model in metric.checkpoints()))
    outcomes = opened.run(parsed_metrics, (item.example for item in items))
    records = Scores()
    for result in results:
        if isinstance(result, Item):
            records += [outcome_record(*outcome) for outcome in islice(outcomes, len(parsed_metrics))]
        else:
            records += [_refused_record(result, metric.spec) for metric in parsed_metrics]
    return records


def _refused_record(refusal: Refusal, metric: str) -> JsonRecord:
    """The record of a pair that cannot be read: the error of its row, which stops no other."""
    id = f"line-{refusal.line}"
    return outcome_record(Example(id, "", ""), Failure(id, metric, FailureKind.INPUT, refusal.error))


def score_texts(metric: str, summaries: Sequence[str], documents: Sequence[str]) -> Scores:
    """The records of summaries, each with its document, in order; raises TouchstoneError as `touchstone.score` does."""
    texts = enumerate(zip(documents, summaries, strict=True), start=1)
    return score_pairs([Example(f"pair-{number}", document, summary) for number, (document, summary) in texts], metric)


def _bounds(spec: str, records: Iterable[JsonRecord]) -> Bounds:
    """Those of the metric's card; where it is unbounded, the lowest and the highest score of a sentence here."""
    card = METRICS.parse(spec).card
    sentence_scores = [part["score"] for record in records if record["metric"] == spec for part in record["sentences"]]
    low = min(sentence_scores, default=0.0) if card.low is None else card.low
    high = max(sentence_scores, default=1.0) if card.high is None else card.high
    return low, high


def _tint(spec: str, score: float, bounds: Bounds) -> str:
    """Blue where the metric says consistent, orange where it says inconsistent, grey where it has no better side."""
    low, high = bounds
    place = min(1.0, max(0.0, (score - low) / (high - low))) if high > low else 0.5
    direction = METRICS.parse(spec).card.direction
    if direction == "neutral":
        return f"rgba({_NEUTRAL}, {_opacity(place):.2f})"
    good = 1 - place if direction == "lower" else place
    return f"rgba({_CONSISTENT if good >= 0.5 else _INCONSISTENT}, {_opacity(abs(2 * good - 1)):.2f})"


def _opacity(strength: float) -> float:
    return _FAINTEST + strength * (_STRONGEST - _FAINTEST)

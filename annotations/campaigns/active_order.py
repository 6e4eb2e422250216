"""Active order: items on which metrics disagree most come first. It is fixed before labelling starts, and exposes no score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, NewTask, read_rules
from annotations.store.campaign_tables import VersionRow
from annotations.store.imported_datasets import load_scores
from annotations.store.records import RecordError
from annotations.store.tables import ItemRow, SampleRow, ScoreRow
from annotations.store.writes import ITEM_FACTS, pair_item_id
from core.types import StoredScore

ORDER_NOTE = (
    "Items were handed out by how far metrics disagree on them, most first. Until all are labelled, these figures are about "
    "the items that metrics disagree on, which may be harder than the rest."
)
"""Note of agreement figures and exports on a campaign with this order."""

_FEWEST_METRICS = 2
_SIGNS: Mapping[str, int] = {"higher": 1, "lower": -1, "neutral": 0}


def order_by_disagreement(
    session: Session, unit: str, tasks: Sequence[NewTask], directions: Mapping[str, str]
) -> tuple[list[NewTask], int]:
    """Return the tasks with work ordered by how much the stored scores of metrics disagree on its items, most first, and the number of items compared.

    An item is compared if it has scores of at least two metrics; the others stay last. For a pair the shift from original to edited counts, otherwise the score of the summary; the newest score of each metric. `directions`
    say which side of a registered metric is more consistent; one that is "neutral" does not count. Raises RecordError where no item has scores of two metrics.
    """
    other_parts = [task for task in tasks if task.part != "work"]
    work = [(pair_item_id(task.pair) if task.pair else task.item_id, task) for task in tasks if task.part == "work"]
    items = list(dict.fromkeys(id for id, _ in work))

    parents = dict(session.exec(select(ItemRow.id, ItemRow.parent_id).where(col(ItemRow.id).in_(items))).all())
    originals = {id: parent for id, parent in parents.items() if parent} if unit == "pair" else {}
    scores = newest_scores(session, {*items, *originals.values()})
    metrics = sorted({metric for by_metric in scores.values() for metric in by_metric})
    matrix = np.full((len(items), len(metrics)), np.nan)
    for column, metric in enumerate(metrics):
        sign = _SIGNS[directions.get(metric.partition("[")[0], "higher")]
        for row, item in enumerate(items):
            before = scores[originals[item]].get(metric) if item in originals else 0.0
            value = scores[item].get(metric)
            if sign and value is not None and before is not None:
                matrix[row, column] = sign * (value - before)
    disagreements = dict(zip(items, rank_disagreement(matrix), strict=True))
    compared = [(id, task) for id, task in work if not np.isnan(disagreements[id])]
    if work and not compared:
        raise RecordError(
            "None of these items has stored scores of two metrics, so none can come first because metrics disagree on it. "
            "Score them under Evaluate or by `cli.py score-dataset`, or let the order be random."
        )
    compared.sort(key=lambda entry: -disagreements[entry[0]])
    rest = [task for id, task in work if np.isnan(disagreements[id])]
    return [*other_parts, *(task for _, task in compared), *rest], len({id for id, _ in compared})


def was_ordered_by_disagreement(session: Session, campaign: CampaignSettings) -> bool:
    """True if a version of a campaign handed out items in active order."""
    rules = session.exec(select(VersionRow.rules).where(VersionRow.campaign_id == campaign.id))
    return any(read_rules(text).order == "disagreement" for text in rules)


def newest_scores(session: Session, items: Collection[str]) -> Mapping[str, dict[str, float]]:
    """The newest score of each metric, by item; our own take precedence over those that a dataset was released with."""
    newest: dict[str, dict[str, float]] = defaultdict(dict)
    facts = select(SampleRow.item_id, SampleRow.facts).where(col(SampleRow.item_id).in_(items))
    for id, text in session.exec(facts.order_by(col(SampleRow.number))):
        newest[str(id)] |= _values(ITEM_FACTS.validate_json(text).scores)
    for id, scores in load_scores(session, col(ScoreRow.item_id).in_(items)).items():
        newest[id] |= _values(scores)
    return newest


def _values(scores: Iterable[StoredScore]) -> dict[str, float]:
    return {score.metric: score.value for score in scores if score.value is not None}


def rank_disagreement(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The standard deviation of each item's ranks over the metrics, (n_items,); nan where fewer than two metrics scored it.

    `scores` is (n_items, n_metrics), nan where there is none. A metric's ranks run from 0 to 1 over the items that it
    scored, and ties share their middle rank, so that scales and outliers of metrics do not count.
    """
    ranks = np.column_stack([relative_ranks(column) for column in scores.T]) if scores.size else scores
    spread = np.full(len(scores), np.nan)
    shared = np.sum(~np.isnan(ranks), axis=1) >= _FEWEST_METRICS
    spread[shared] = np.nanstd(ranks[shared], axis=1)
    return spread


def relative_ranks(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Midranks of the values that are not nan, scaled to 0..1, (n_items,)."""
    ranks = np.full(len(column), np.nan)
    has_score = ~np.isnan(column)
    ordered = np.sort(column[has_score])
    below, up_to = (np.searchsorted(ordered, column[has_score], side) for side in ("left", "right"))
    ranks[has_score] = (below + up_to) / (2 * len(ordered))
    return ranks

"""Saved and labelled items as a dataset like any other: its samples are the items of the store."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sqlmodel import Session, col, select

from annotations.results.results import corrected_error_types
from annotations.store.imported_datasets import load_scores
from annotations.store.records import LOCAL_LABELS
from annotations.store.tables import Explanation, ExplanationJudgement, ItemRow, Label, Origin, ScoreRow
from core.types import ErrorType, Example, GradedExplanation, Item, Judgement, Sample, Verdict


def load_local_labels(session: Session) -> list[Sample]:
    """Every item that was kept or labelled, with its original. Labels count before what was intended; see `counted`."""
    labels = _labels_by_item(session.exec(select(Label).order_by(col(Label.id))))
    origins = {row.item_id: row for row in session.exec(select(Origin).order_by(col(Origin.created_at)))}

    judgements = session.exec(
        select(Explanation, ExplanationJudgement)
        .join(ExplanationJudgement, col(ExplanationJudgement.explanation_id) == Explanation.id)
        .order_by(col(ExplanationJudgement.id))
    )
    newest = {(explanation.id, judged.annotator): (explanation, judged) for explanation, judged in judgements}
    graded: dict[str, list[GradedExplanation]] = defaultdict(list)
    for explanation, judged in newest.values():
        graded[explanation.item_id].append(
            GradedExplanation(
                explanation.text, explanation.by, judged.grade, judged.annotator, cause=judged.cause or ""
            )
        )
    explained, corrected = dict(graded), corrected_error_types(session)
    rows = load_with_originals(session, labels.keys() | origins.keys() | explained.keys())
    kinds = {id: _most_given_error_type(labels.get(id, ()), corrected.get(id), origins.get(id)) for id in rows}
    items = {
        id: _labelled_item(row, labels.get(id, ()), origins.get(id), kinds[id], explained.get(id, ()))
        for id, row in rows.items()
    }
    return stored_samples(session, LOCAL_LABELS, rows, items)


def load_with_originals(session: Session, ids: Iterable[str]) -> dict[str, ItemRow]:
    """Items and what they were made from, an original before its edits."""
    rows = {row.id: row for row in session.exec(select(ItemRow).where(col(ItemRow.id).in_(ids)))}
    parents = {row.parent_id for row in rows.values() if row.parent_id} - rows.keys()
    rows |= {row.id: row for row in session.exec(select(ItemRow).where(col(ItemRow.id).in_(parents)))}
    return dict(sorted(rows.items(), key=lambda entry: (entry[1].created_at, entry[1].parent_id is not None)))


def stored_samples(
    session: Session, dataset: str, rows: Mapping[str, ItemRow], items: Mapping[str, Item]
) -> list[Sample]:
    """Items of the store as samples, in the order of their rows, with our scores."""
    scores_by_item = load_scores(session, col(ScoreRow.item_id).in_(rows))
    return [
        Sample(dataset, items[id], id, row.document_id, tuple(scores_by_item.get(id, ()))) for id, row in rows.items()
    ]


def one_label_per_person(labels: Iterable[Label]) -> list[Label]:
    """One label of each person: the first that was given without sight of a score, or else the newest."""
    by_annotator: dict[str, Label] = {}
    for label in labels:
        if label.annotator not in by_annotator or not by_annotator[label.annotator].blind:
            by_annotator[label.annotator] = label
    return list(by_annotator.values())


def _labels_by_item(labels: Iterable[Label]) -> dict[str, list[Label]]:
    by_item: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        by_item[label.item_id].append(label)
    return {id: one_label_per_person(several) for id, several in by_item.items()}


def _labelled_item(
    row: ItemRow,
    labels: Sequence[Label],
    origin: Origin | None,
    kind: ErrorType | None,
    explained: Sequence[GradedExplanation],
) -> Item:
    verdicts = Counter(label.verdict for label in labels).most_common(2)
    if not verdicts:
        majority_verdict = None
    else:
        tied = len(verdicts) == 2 and verdicts[0][1] == verdicts[1][1]
        majority_verdict = Verdict.BORDERLINE if tied else Verdict(verdicts[0][0])
    return Item(
        Example(row.id, "", row.text),
        parent=row.parent_id,
        intended=majority_verdict or (Verdict(origin.intended) if origin and origin.intended else None),
        error_type=kind,
        domain=origin.domain if origin else "",
        title=origin.title if origin else "",
        judgements=tuple(Judgement(row.id, label.annotator, Verdict(label.verdict)) for label in labels),
        explanations=tuple(explained),
    )


def _most_given_error_type(labels: Sequence[Label], corrected: str | None, origin: Origin | None) -> ErrorType | None:
    """The most frequent error type in labels, else the corrected one, else the intended one."""
    commonest = Counter(label.error_type for label in labels if label.error_type).most_common(1)
    name = commonest[0][0] if commonest else corrected or (origin.error_type if origin else None)
    return ErrorType(name) if name else None

"""A campaign as a dataset: its items with the labels that people came to, for the evaluation of metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from sqlalchemy.orm import aliased
from sqlmodel import Session, and_, col, select

from annotations.campaigns.questions import QuestionSet
from annotations.campaigns.reading import found_types
from annotations.campaigns.resolving import Resolved, resolved
from annotations.campaigns.setup import Terms, load_campaigns
from annotations.campaigns.tables import Task
from annotations.errors import RecordError
from annotations.importing import FACTS
from annotations.own import samples_of, with_originals
from annotations.records import CAMPAIGN
from annotations.tables import Explanation, Origin, SampleRow
from annotations.tables import Item as ItemRow
from core.types import ErrorType, Example, GradedExplanation, Item, Judgement, Sample, Verdict

Said = tuple[Verdict | None, Verdict | None]
"""What an answer says of the original and of the item itself."""

_NOTHING: Said = (None, None)
_GOOD, _BAD = Verdict.CONSISTENT, Verdict.INCONSISTENT
_OF_PAIRS: Mapping[str, Said] = MappingProxyType(
    {
        "left": (_BAD, _GOOD),
        "right": (_GOOD, _BAD),
        "both": (_BAD, _BAD),
        "neither": (_GOOD, _GOOD),
        "cannot tell": (Verdict.BORDERLINE, Verdict.BORDERLINE),
    }
)
_OF_ONE: Mapping[str, Said] = MappingProxyType({verdict.value: (None, verdict) for verdict in Verdict})
_OF_EDITS: Mapping[str, Said] = MappingProxyType({"yes": (None, _BAD), "no": (None, _GOOD)})


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a campaign knows of one item."""

    verdicts: list[Verdict] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    judgements: dict[str, Judgement] = field(default_factory=dict)
    explanations: list[GradedExplanation] = field(default_factory=list)


def load_campaign(session: Session, dataset: str) -> list[Sample]:
    """The labelled items of a campaign with their originals, and what was written for it.

    What is unresolved has no label; an edit that people wrote is what they meant it to be. Raises RecordError for an
    unknown name.
    """
    campaign = require_campaign(session, dataset)
    tasks = resolved(session, campaign)
    origins = {row.item_id: row for row in session.exec(select(Origin).order_by(col(Origin.created_at)))}
    written = {id for id, origin in origins.items() if origin.source == f"campaign {campaign.name}"}
    rows = with_originals(session, {task.item for task in tasks} | written)
    facts: dict[str, _Facts] = defaultdict(_Facts)
    for task in tasks:
        _add(facts, rows[task.item], campaign.questions, task)
    for item, explanation in _explanations(session, campaign, tasks, origins):
        facts[item].explanations.append(explanation)
    meant = written if campaign.questions.measure != "grade" else origins.keys()
    for id, kind in found_types(session).items():
        facts[id].kinds.append(kind)
    items = {id: _item(row, facts[id], origins.get(id), id in meant) for id, row in rows.items()}
    return samples_of(session, dataset, rows, items)


def said_of(questions: QuestionSet, answers: Mapping[str, Any]) -> Said:
    """What the answer to the question that counts says of the original and of the item; None where it says nothing.

    It is understood by its value: a verdict, a side of a pair, or yes and no to "inconsistent".
    """
    value = str(answers.get(questions.measure))
    if questions.unit == "pair":
        return _OF_PAIRS.get(value, _NOTHING)
    return (_OF_EDITS if questions.measure == "inconsistent" else _OF_ONE).get(value, _NOTHING)


def require_campaign(session: Session, dataset: str) -> Terms:
    """The campaign behind the name of a dataset. Raises RecordError, which names those that exist."""
    known = {CAMPAIGN + campaign.name: campaign for campaign in load_campaigns(session)}
    if dataset not in known:
        raise RecordError(f"No dataset is named {dataset!r}. Of campaigns: {', '.join(sorted(known)) or 'none'}.")
    return known[dataset]


def _add(facts: Mapping[str, _Facts], row: ItemRow, questions: QuestionSet, task: Resolved) -> None:
    ids = (row.parent_id or "", row.id)
    for id, verdict in zip(ids, said_of(questions, task.answers), strict=True):
        if verdict:
            facts[id].verdicts.append(verdict)
    for said in task.said:
        for id, verdict in zip(ids, said_of(questions, said.answers), strict=True):
            if verdict:
                facts[id].judgements[said.pseudonym] = Judgement(id, said.pseudonym, verdict)
    if kind := task.answers.get("error_type"):
        facts[row.id].kinds.append(kind)


def _explanations(
    session: Session, campaign: Terms, tasks: Sequence[Resolved], origins: Mapping[str, Origin]
) -> Iterator[tuple[str, GradedExplanation]]:
    """The explanations that were graded, with the grade that people came to, by item."""
    graded = [one for one in tasks if one.answers.get("grade")]
    authors = _authors(session, campaign) if graded else {}
    for one in graded:
        task = session.get_one(Task, one.task)
        stored = session.get(Explanation, task.explanation_id)
        text = stored.text if stored else task.asked.get("explanation", "")
        kept = origins[one.item].by if one.item in origins else ""
        by = stored.by if stored else authors.get((one.item, text), kept)
        yield one.item, GradedExplanation(text, by, str(one.answers["grade"]), one.how.value)


def _authors(session: Session, campaign: Terms) -> dict[tuple[str, str], str]:
    """Who wrote the explanations that were imported with the items of a campaign, by item and text."""
    mine = select(Task.item_id).where(Task.campaign_id == campaign.id)
    known = aliased(SampleRow)  # the row that names the item: those with explanations may have come without texts
    found = session.exec(
        select(known.item_id, SampleRow.facts)
        .join(known, and_(known.dataset_id == SampleRow.dataset_id, known.key == SampleRow.key))
        .where(col(known.item_id).in_(mine))
        .order_by(col(SampleRow.number))
    )
    told = ((item, one) for item, facts in found for one in FACTS.validate_json(facts).explanations if item)
    return {(item, one.text): one.by for item, one in told}


def _item(row: ItemRow, facts: _Facts, origin: Origin | None, meant: bool) -> Item:
    intended = Verdict(origin.intended) if origin and origin.intended and meant else None
    kind = next(iter(facts.kinds), origin.error_type if origin else None)
    return Item(
        Example(row.id, "", row.text),
        parent=row.parent_id,
        intended=_verdict(facts.verdicts) or intended,
        error_type=ErrorType(kind) if kind else None,
        domain=origin.domain if origin else "",
        title=origin.title if origin else "",
        judgements=tuple(facts.judgements.values()),
        explanations=tuple(facts.explanations),
    )


def _verdict(said: Sequence[Verdict]) -> Verdict | None:
    """What all tasks of an item say; borderline where they differ."""
    return None if not said else said[0] if len(set(said)) == 1 else Verdict.BORDERLINE

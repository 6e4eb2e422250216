"""What could be labelled: items of the store, and texts that would become some; which of them fit a question set."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlmodel import Session, col, select

from annotations.campaigns.questions import QuestionSet
from annotations.campaigns.setup import NewTask, Part
from annotations.datasets import load_samples
from annotations.own import load_own
from annotations.records import OWN, KeptPair
from annotations.tables import EditRow, Explanation
from annotations.tables import Item as ItemRow
from core.types import ErrorType, Sample, Verdict


@dataclass(frozen=True, slots=True)
class Reason:
    """An explanation to judge; `id` names it in the store, "" where it is part of an edit or of an imported set."""

    text: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item of the store, or a pair that would be kept. `name` is how people know it, `maker` what made the edit.

    An `edited` one has an original to stand beside.
    """

    name: str
    summary: str
    edited: bool
    item_id: str = ""
    pair: KeptPair | None = None
    title: str = ""
    domain: str = ""
    maker: str = ""
    intended: Verdict | None = None
    error_type: ErrorType | None = None
    reasons: tuple[Reason, ...] = ()


def of_pair(name: str, pair: KeptPair) -> Candidate:
    """A pair that is not in the store yet; what its edits say is explained together."""
    told = " ".join(edit.explanation for edit in pair.edits if edit.explanation.strip())
    return Candidate(
        name,
        pair.edited,
        edited=pair.edited != pair.original,
        pair=pair,
        title=pair.title,
        domain=pair.domain,
        maker=pair.by,
        intended=pair.intended,
        error_type=pair.error_type,
        reasons=(Reason(told),) if told else (),
    )


def load_candidates(session: Session, dataset: str) -> list[Candidate]:
    """The items of an imported dataset, or of `OWN`. Raises RecordError for an unknown name."""
    samples = load_own(session) if dataset == OWN else load_samples(session, dataset)
    ids = {sample.stored for sample in samples if sample.stored}
    edited = _edited(session, ids)
    reasons = _reasons(session, ids)
    return [_of_sample(sample, edited, reasons.get(sample.stored, ())) for sample in samples if sample.stored]


def fits(candidate: Candidate, questions: QuestionSet) -> bool:
    """Whether the questions can be asked of it: about a pair or explanation, only where there is one."""
    if questions.unit == "summary":
        return True
    return candidate.edited and (questions.unit == "pair" or bool(candidate.reasons))


def drawn(candidates: Sequence[Candidate], number: int, seed: int) -> list[Candidate]:
    """So many of them by chance, in their order; the same for the same seed."""
    if number >= len(candidates):
        return list(candidates)
    places = sorted(random.Random(seed).sample(range(len(candidates)), number))
    return [candidates[place] for place in places]


def tasks(
    candidate: Candidate, questions: QuestionSet, types: Collection[ErrorType] = (), part: Part = "work"
) -> list[NewTask]:
    """What is to be labelled of it: one task, or one for each explanation, or for each error type that is to be written."""
    if questions.unit == "explanation":
        return [_judging(candidate, reason, part) for reason in candidate.reasons]
    asked = [{"error_type": kind.value} for kind in types] or [{}]
    return [NewTask(candidate.item_id, part, asked=one, pair=candidate.pair) for one in asked]


def likely_answer(candidate: Candidate, questions: QuestionSet) -> str:
    """What is right where the candidate is as it was meant to be, of the question that counts; "" where that says nothing."""
    values = questions.by_id[questions.measure].values
    broken = candidate.intended is Verdict.INCONSISTENT
    if candidate.intended and candidate.intended.value in values:
        return candidate.intended.value
    if candidate.intended in {Verdict.CONSISTENT, Verdict.INCONSISTENT} and {"right", "neither"} <= set(values):
        return "right" if broken else "neither"
    return ""


def _judging(candidate: Candidate, reason: Reason, part: Part) -> NewTask:
    asked = {} if reason.id else {"explanation": reason.text}
    return NewTask(candidate.item_id, part, reason.id, asked, pair=candidate.pair)


def _of_sample(sample: Sample, edited: Collection[str], own: Sequence[Reason]) -> Candidate:
    item = sample.item
    # why it is consistent explains no error
    errors = (told for told in item.explanations if told.verdict is not Verdict.CONSISTENT)
    imported = [Reason(told.text) for told in errors if told.text.strip()]
    return Candidate(
        item.example.id,
        item.example.summary,
        edited=sample.stored in edited,
        item_id=sample.stored,
        title=item.title,
        domain=item.domain,
        maker=item.system,
        intended=item.intended,
        error_type=item.error_type,
        reasons=tuple({reason.text: reason for reason in (*imported, *own)}.values()),
    )


def _edited(session: Session, ids: Collection[str]) -> set[str]:
    """The items that were made from another."""
    found = session.exec(select(ItemRow.id).where(col(ItemRow.parent_id).is_not(None)))
    return {id for id in found if id in ids}


def _reasons(session: Session, ids: Collection[str]) -> dict[str, list[Reason]]:
    """What the edits of items say, and what people wrote of them."""
    told: dict[str, list[str]] = defaultdict(list)
    for id, text in session.exec(select(EditRow.item_id, EditRow.explanation).order_by(col(EditRow.position))):
        if id in ids and text.strip():
            told[id].append(text)
    found = {id: [Reason(" ".join(texts))] for id, texts in told.items()}
    for row in session.exec(select(Explanation).order_by(col(Explanation.created_at))):
        if row.item_id in ids:
            found.setdefault(row.item_id, []).append(Reason(row.text, row.id))
    return found

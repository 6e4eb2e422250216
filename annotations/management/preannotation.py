"""Pre-annotation: answers of a source that are filled in for annotators, who confirm or change them; and what it did to the labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlmodel import Session, col, select

from annotations.campaigns.active_order import newest_scores
from annotations.campaigns.campaign import CampaignSettings, with_optional_answers
from annotations.campaigns.questions import QuestionSet, check_answers
from annotations.management.candidates import likely_answer, load_candidates
from annotations.management.earlier_labels import IMPORTED
from annotations.results.results import first_blind_labels, load_labels
from annotations.store.campaign_tables import Suggestion, Task
from annotations.store.records import LOCAL_LABELS, RecordError
from annotations.store.tables import ItemRow

_SIDES: Mapping[tuple[bool, bool], str] = {
    (False, True): "left",
    (True, False): "right",
    (False, False): "both",
    (True, True): "neither",
}
"""The inconsistent side of a pair, by whether the original and the edited summary are consistent."""


@dataclass(frozen=True, slots=True)
class DatasetLabels:
    """Labels of the items from a dataset, or from the labels kept here."""

    dataset: str

    @property
    def name(self) -> str:
        return self.dataset if self.dataset == LOCAL_LABELS else f"labels of {self.dataset}"


@dataclass(frozen=True, slots=True)
class ScoreVerdicts:
    """The verdict of a metric or judge by its stored scores: consistent from the `threshold` on, or up to it where `is_lower_better`."""

    metric: str
    threshold: float
    is_lower_better: bool = False

    @property
    def name(self) -> str:
        return f"{self.metric}, consistent {'up to' if self.is_lower_better else 'from'} {self.threshold:g}"

    def is_consistent(self, score: float) -> bool:
        return score <= self.threshold if self.is_lower_better else score >= self.threshold


AnswerSource = DatasetLabels | ScoreVerdicts


def scored_metrics(session: Session, campaign: CampaignSettings) -> dict[str, int]:
    """The metrics that have stored scores of items of a campaign, with the number of items, most first."""
    scores = newest_scores(session, {task.item_id for task in _tasks(session, campaign)})
    return dict(Counter(metric for by_metric in scores.values() for metric in by_metric).most_common())


def fill_in_answers(session: Session, campaign: CampaignSettings, source: AnswerSource, by: str) -> int:
    """Fill in the answers of a source for the tasks that have none yet, and return how many.

    Known answers are mixed into the work, so they are filled in from the source as well. Raises RecordError where the source
    has an answer to none.
    """
    filled = set(_suggestions(session, campaign))
    tasks = [task for task in _tasks(session, campaign) if task.id not in filled]
    answers_by_task = {
        task.id: answers for task, answers in _answers(session, campaign.questions, source, tasks) if answers
    }
    if not answers_by_task:
        raise RecordError(
            f"The {source.name} answer {campaign.questions.measure!r} for none of the {len(tasks)} items that have no answers "
            "filled in. Choose another source."
        )
    now = datetime.now(UTC)
    for task, answers in answers_by_task.items():
        session.add(Suggestion(task_id=task, answers=answers, source=source.name, by=by, created_at=now))
    session.flush()
    return len(answers_by_task)


def require_suggestions(session: Session, campaign: CampaignSettings) -> None:
    """Raise RecordError for a campaign that is to be pre-annotated and has no answers to fill in."""
    if campaign.rules.mode == "pre-annotated" and not count_suggestions(session, campaign):
        raise RecordError("No answers are filled in yet. Make the campaign without, then fill in answers under Items.")


def count_suggestions(session: Session, campaign: CampaignSettings) -> int:
    """Number of tasks that have answers to fill in."""
    return len(_suggestions(session, campaign))


def describe_modes(session: Session, campaign: CampaignSettings) -> str:
    """Describe how many of the labels that agreement counts were given with help, and its effect, or imported; "" where none was."""
    labels = first_blind_labels(load_labels(session, campaign))
    numbers = Counter(label.mode for label in labels)
    sentences = []
    if number := numbers["pre-annotated"]:
        suggested = _suggestions(session, campaign)
        helped = [label for label in labels if label.mode == "pre-annotated"]
        measured = campaign.questions.measured
        unchanged = sum(measured(label.answers) == measured(suggested[label.task].answers) for label in helped)
        sources = sorted({suggested[label.task].source for label in helped})
        sentences.append(
            f"{number} of {len(labels)} first labels were given with answers filled in ({'; '.join(sources)}); {unchanged} kept "
            f"the one to {campaign.questions.measure!r}. Filled-in answers draw people towards them: agreement may be higher than without."
        )
    if number := numbers["assisted"]:
        sentences.append(
            f"{number} of {len(labels)} first labels were given while the document sentences closest to the summary were marked."
        )
    if number := numbers[IMPORTED]:
        sentences.append(
            f"{number} of {len(labels)} first labels were given in another tool and imported: by which guidelines, with which help and in "
            "what time is not known. Agreement by mode has them apart."
        )
    return " ".join(sentences)


def _suggestions(session: Session, campaign: CampaignSettings) -> dict[str, Suggestion]:
    """Suggested answers that are filled in, by task."""
    query = select(Suggestion).join(Task, col(Task.id) == Suggestion.task_id)
    return {row.task_id: row for row in session.exec(query.where(Task.campaign_id == campaign.id))}


def _tasks(session: Session, campaign: CampaignSettings) -> Sequence[Task]:
    mixed = select(Task).where(Task.campaign_id == campaign.id, col(Task.part).in_(("work", "gold")))
    return session.exec(mixed.order_by(col(Task.position))).all()


def _answers(
    session: Session, questions: QuestionSet, source: AnswerSource, tasks: Sequence[Task]
) -> Iterator[tuple[Task, dict[str, Any]]]:
    """The answers of each task; empty where the source has none."""
    if isinstance(source, DatasetLabels):
        labelled = {candidate.item_id: candidate for candidate in load_candidates(session, source.dataset)}
        for task in tasks:
            candidate = labelled.get(task.item_id)
            answer = likely_answer(candidate, questions) if candidate else ""
            kind = questions.by_id.get("error_type")
            if not candidate or not answer:
                labelled_answers = {}
            else:
                typed = (
                    candidate.error_type is not None and kind is not None and candidate.error_type.value in kind.values
                )
                answers = {questions.measure: answer, **({"error_type": str(candidate.error_type)} if typed else {})}
                labelled_answers = check_answers(with_optional_answers(questions), answers)
            yield task, labelled_answers
        return
    parents = dict(
        session.exec(
            select(ItemRow.id, ItemRow.parent_id).where(col(ItemRow.id).in_({task.item_id for task in tasks}))
        ).all()
    )
    scores = newest_scores(session, {id for pair in parents.items() for id in pair if id})
    for task in tasks:
        sides = (parents[task.item_id] or "", task.item_id)
        side_scores = [scores[side].get(source.metric) if side in scores else None for side in sides]
        yield (
            task,
            _answers_by_verdict(
                [None if score is None else source.is_consistent(score) for score in side_scores], questions
            ),
        )


def _answers_by_verdict(consistent: Sequence[bool | None], questions: QuestionSet) -> dict[str, Any]:
    """The answer to the question that counts, by whether the original and the item itself are consistent."""
    original, item = consistent
    values = questions.by_id[questions.measure].values
    if questions.unit == "pair" and original is not None and item is not None:
        answer = _SIDES[original, item]
    else:
        answer = "" if item is None or questions.unit != "summary" else "consistent" if item else "inconsistent"
    return {questions.measure: answer} if answer in values else {}

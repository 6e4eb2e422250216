"""Templates of campaigns: a question set, rules, and known answers from the bundled examples; and where a form differs from the paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import yaml  # type: ignore[import-untyped]  # it ships no types
from pydantic import BaseModel, ConfigDict, Field

from annotations.campaigns.campaign import SKILL, CampaignRules, NewTask, TaskPart, VersionContent
from annotations.campaigns.questions import QuestionSet, bundled_question_sets, read_questions
from annotations.management.candidates import Candidate, likely_answer, ready_known_tasks, tasks_for_candidate
from core.types import ErrorType, Verdict

_FILE = Path(__file__).parents[1] / "campaigns" / "templates.yaml"


class CampaignTemplate(BaseModel):
    """A campaign as a paper ran it, or as it is commonly run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """Identifier."""
    title: str
    """Title for people."""
    source: str = ""
    """Place in the paper; "" for none."""
    questions: str
    """Name of the bundled question set."""
    words: str = ""
    """Paper whose printed instructions may be the guidelines (`paper-words`); "" for none."""
    qualification: str = ""
    """Question set of the campaign that qualifies for this one; "" for none."""
    qualification_pass: int = 0
    """Right answers of its ready items that let a person go on."""
    training: int = 0
    """Number of training items from the bundled examples."""
    gold: int = 0
    """Number of gold items from the bundled examples."""
    rules: Mapping[str, Any] = Field(default_factory=dict)
    """Rules that it sets."""
    paper: Mapping[str, Any] = Field(default_factory=dict)
    """Values of the paper, by rule."""
    differs: tuple[str, ...] = ()
    """Differences from the paper that no rule can take away, in sentences."""

    def differences(self, rules: CampaignRules) -> list[str]:
        """Differences of a campaign under these rules from the paper, those of rules first."""
        own = [
            f"{name.replace('_', ' ').capitalize()}: {_format(getattr(rules, name))} here, {_format(value)} in the paper."
            for name, value in self.paper.items()
            if getattr(rules, name) != value
        ]
        return [*own, *self.differs]


@dataclass(frozen=True, slots=True)
class Qualification:
    """A campaign of known answers alone, whose passing lets a person into another; `group` is the skill that it gives."""

    name: str
    group: str
    content: VersionContent
    tasks: tuple[NewTask, ...]


def _format(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


@cache
def campaign_templates() -> tuple[CampaignTemplate, ...]:
    """The templates, in the order of their list."""
    return tuple(map(CampaignTemplate.model_validate, yaml.safe_load(_FILE.read_text(encoding="utf-8"))))


def qualification_of(template: CampaignTemplate, campaign: str, by: str) -> Qualification | None:
    """The campaign that qualifies for one of this name; None where the template has none."""
    if not template.qualification:
        return None
    text = bundled_question_sets()[template.qualification]
    tasks = tuple(replace(task, part="qualification") for task in ready_known_tasks(read_questions(text), by))
    group = f"{campaign}: qualified"[:80]
    rules = CampaignRules(
        overlap=1, pass_right=template.qualification_pass, grants=group, check_code=True, template=template.name
    )
    return Qualification(f"{campaign}, qualification", group, VersionContent(text, "", rules), tasks)


def with_skill(tasks: Sequence[NewTask], group: str) -> list[NewTask]:
    """The same tasks, for those alone who have a skill."""
    return [replace(task, asked={**task.asked, SKILL: group}) for task in tasks]


def template_tasks(
    template: CampaignTemplate, questions: QuestionSet, candidates: Sequence[Candidate]
) -> dict[str, NewTask]:
    """Training and gold items of a template by the name of their candidate, one a document; fewer where candidates are few."""
    groups: dict[str, list[_Known]] = {}
    for known in _known(questions, candidates):
        groups.setdefault(known.task.asked.get("error_type") or str(known.task.key), []).append(known)
    tasks: dict[str, NewTask] = {}
    taken, documents = Counter[str](), set[str]()
    numbers: dict[TaskPart, int] = {"training": template.training, "gold": template.gold}
    parts = [part for part, number in numbers.items() for _ in range(number)]
    for part in parts:
        # every answer or error type in turn
        for group in sorted(groups, key=lambda group: taken[group]):
            row = next((row for row in groups[group] if row.document not in documents), None)
            if row:
                taken[group] += 1
                documents.add(row.document)
                tasks[row.name] = replace(row.task, part=part)
                break
    return tasks


class _Known(NamedTuple):
    name: str
    document: str
    task: NewTask


def _known(questions: QuestionSet, candidates: Sequence[Candidate]) -> list[_Known]:
    originals = {_document(candidate): candidate for candidate in candidates if not candidate.edited}
    listed = [candidate for candidate in candidates if candidate.edited]
    if questions.required_type or any(question.kind == "edit" for question in questions.questions):
        return list(chain.from_iterable(_written(questions, candidate, originals) for candidate in listed))
    if questions.unit == "explanation":
        return _explained(questions, listed)
    known = []
    for candidate in listed if questions.unit == "pair" else candidates:
        answer = likely_answer(candidate, questions)
        if not answer:
            continue
        key: dict[str, Any] = {questions.measure: answer}
        if "error_type" in questions.by_id and candidate.error_type and answer == "right":
            key["error_type"] = candidate.error_type.value
        known.append(_task(candidate, questions, key, _reason(candidate) or "The document supports all of it."))
    return known


def _written(questions: QuestionSet, candidate: Candidate, originals: Mapping[str, Candidate]) -> list[_Known]:
    """An error to write into the summary of an edited candidate, whose edit is shown afterwards as one of the right answers."""
    original = originals.get(_document(candidate))
    error_type = candidate.error_type
    if original is None or candidate.intended is not Verdict.INCONSISTENT or error_type in {None, ErrorType.OTHER}:
        return []
    feedback = f"One of the right answers: {candidate.summary}\n\n{_reason(candidate)}"
    types = [error_type] if error_type else []
    [task] = tasks_for_candidate(original, questions, types, "training")
    return [
        _Known(original.name, _document(candidate), replace(task, key={questions.measure: "yes"}, feedback=feedback))
    ]


def _explained(questions: QuestionSet, candidates: Sequence[Candidate]) -> list[_Known]:
    """Explanations of the edit itself, and of edits that they do not belong to."""
    wrong = [
        candidate for candidate in candidates if candidate.intended is Verdict.INCONSISTENT and candidate.explanations
    ]
    values = questions.by_id[questions.measure].values
    known = []
    for place, candidate in enumerate(wrong):
        if "entirely" in values:
            other = wrong[(place + len(wrong) // 2) % len(wrong)]
            fits, answer = place % 2 == 0, "entirely" if place % 2 == 0 else "not"
            judged = candidate if fits else replace(candidate, explanations=other.explanations[:1])
            why = (
                "It names the error that was put in."
                if fits
                else f"It is of another text. What is wrong: {_reason(candidate)}"
            )
            known.append(_task(judged, questions, {questions.measure: answer}, why))
        else:
            known.append(_task(candidate, questions, {questions.measure: "yes"}, _reason(candidate)))
    if "entirely" not in values:
        harmless = [made for made in candidates if made.intended is Verdict.CONSISTENT and made.explanations]
        known += [_task(made, questions, {questions.measure: "no"}, _reason(made)) for made in harmless]
    return known


def _task(candidate: Candidate, questions: QuestionSet, key: Mapping[str, Any], feedback: str) -> _Known:
    task = tasks_for_candidate(candidate, questions)[0]
    return _Known(candidate.name, _document(candidate), replace(task, part="training", key=key, feedback=feedback))


def _document(candidate: Candidate) -> str:
    return candidate.pair.document if candidate.pair else candidate.name


def _reason(candidate: Candidate) -> str:
    return candidate.explanations[0].text if candidate.explanations else ""

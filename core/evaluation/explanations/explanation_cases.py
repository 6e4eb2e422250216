"""Cases of explanations to be judged, from datasets and from files of JSON lines, and the files of judgements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from core.data import Refusal
from core.errors import TouchstoneError
from core.evaluation.explanations.causes import parse_cause
from core.evaluation.explanations.checks import run_rule_checks
from core.evaluation.explanations.edited_summaries import summaries_with_edits
from core.evaluation.explanations.judge import ExplanationCase, ExplanationGrade, parse_grade
from core.evaluation.explanations.judge_agreement import GradePair, JudgedExplanation
from core.evaluation.explanations.panel import ONE_VOTE_EACH, PanelRule, PanelVote, is_panel_signature
from core.models import is_model_signature
from core.text import document_for_reader
from core.types import GRADE_VALUES, Failure, Grade, Item, Verdict

_FIELD_NAMES = {
    "id": ("id", "sample_id", "sample"),
    "explanation": ("explanation",),
    "document": ("document", "doc"),
    "seed": ("seed", "original_summary"),
    "summary": ("summary", "edited_summary"),
    "reference": ("reference", "reference_explanation"),
    "group": ("group", "doc_id"),
    "human": ("human", "grade"),
    "human_cause": ("human_cause",),
    "sample": ("sample", "sample_id", "id"),
    "by": ("by",),
}
"""Names that a field of a case may have."""


class SkippedCase(StrEnum):
    """An explanation that is not graded, because it explains no error."""

    CALLED_CONSISTENT = "called the summary consistent"
    LABELLED_CONSISTENT = "of a summary that is labelled consistent"
    UNANSWERED = "without an answer"


def read_cases(file: Path) -> Iterator[ExplanationCase | SkippedCase | Refusal]:
    """The cases of a JSON Lines file; a malformed line is a Refusal. Raises TouchstoneError for a missing file."""
    for number, line in _numbered_lines(file):
        try:
            yield _parse_case(_parse_object(line), number)
        except TouchstoneError as error:
            yield Refusal(number, str(error))


def cases_from_items(items: Iterable[Item]) -> Iterator[ExplanationCase | SkippedCase]:
    """The explanations of a dataset's items: a case for each person who graded one, a single case if nobody did."""
    for subject in summaries_with_edits(items):
        example, explanations = subject.item.example, subject.item.explanations
        # one case per grade by a person; an explanation that only models graded, or nobody, is one case
        graded = [
            explanation
            for explanation in explanations
            if explanation.grade and not is_model_signature(explanation.judge)
        ]
        graded_keys = {(explanation.by, explanation.text) for explanation in graded}
        ungraded = [
            explanation for explanation in explanations if (explanation.by, explanation.text) not in graded_keys
        ]
        others = {
            (explanation.by, explanation.text): replace(explanation, grade="", judge="") for explanation in ungraded
        }
        for place, explanation in enumerate([*graded, *others.values()]):
            skipped = None if explanation.text.strip() else SkippedCase.UNANSWERED
            skipped = _skip_reason(explanation.verdict, subject.item.intended) or skipped
            yield skipped or ExplanationCase(
                id=f"{example.id}#{place}",
                explanation=explanation.text,
                document=document_for_reader(example),
                seed=subject.seed,
                summary=example.summary,
                reference=subject.reference,
                group=subject.group,
                human=parse_grade(explanation.grade) if explanation.grade else None,
                human_cause=parse_cause(explanation.cause) if explanation.cause else None,
                sample=example.id,
                by=explanation.by,
            )


def judgement_record(case: ExplanationCase, signature: str, outcome: ExplanationGrade | Failure) -> dict[str, object]:
    """Record of a judge's outcome, with the rule checks: the grade with its score, 0 to 1, or the error without a score."""
    record: dict[str, object] = {"id": case.id, "group": case.group or case.id, "signature": signature}
    record |= {"sample": case.sample or case.id, "by": case.by, "explanation": case.explanation}
    record |= {"human": case.human, "human_cause": case.human_cause, "checks": run_rule_checks(case)}
    if isinstance(outcome, Failure):
        return {
            **record,
            "status": "failed",
            "grade": None,
            "score": None,
            "because": "",
            "cause": None,
            "error": outcome.error,
        }
    grade = {"grade": outcome.grade, "score": GRADE_VALUES[outcome.grade], "because": outcome.because}
    cause = {"cause": outcome.cause, "cause_by": outcome.cause_by or None}
    return {**record, "status": "ok", **grade, **cause, "error": None}


def panel_record(case: ExplanationCase, signature: str, vote: PanelVote) -> dict[str, object]:
    """Record of a panel's vote: the grade of the majority, the mean score of all grades, and the votes.

    Without a majority the grade is None, and there is an error.
    """
    record = judgement_record(case, signature, ExplanationGrade(vote.majority or Grade.NOT, str(vote), signature))
    record |= {"votes": dict(vote.counts), "failed": vote.failed, "mean": vote.score}
    record |= {"probabilities": dict(vote.probabilities)} if vote.probabilities else {}
    if vote.majority:
        return record
    return {**record, "status": "failed", "grade": None, "score": None, "because": "", "error": vote.error}


def judgement_records(
    case: ExplanationCase,
    signatures: Sequence[str],
    outcomes: Sequence[ExplanationGrade | Failure],
    panel: str = "",
    rule: PanelRule = ONE_VOTE_EACH,
) -> Iterator[dict[str, object]]:
    """A record for each judge of a case, and one for the panel unless its signature is empty."""
    for signature, outcome in zip(signatures, outcomes, strict=True):
        yield judgement_record(case, signature, outcome)
    if panel:
        yield panel_record(case, panel, rule.vote(signatures, outcomes))


def read_judged(file: Path) -> list[JudgedExplanation]:
    """Every explanation of a file with the grade of each judge, without those of panels.

    Raises TouchstoneError for a line that `judgement_record` did not write.
    """
    by_key: dict[tuple[str, ...], JudgedExplanation] = {}
    for number, line in _numbered_lines(file):
        record = _parse_object(line)
        judge, compared = _parse_judgement(record, f"{file.name}, line {number}")
        group, grade = str(record["group"]), record["grade"]
        key = (group, *(str(record.get(name, "")) for name in ("id", "by", "explanation")))
        if grade and not is_panel_signature(judge):
            grades = by_key[key].grades if key in by_key else {}
            human = compared.human_grade if compared else None
            by_key[key] = JudgedExplanation(key, group, {**grades, judge: parse_grade(str(grade))}, human)
    return list(by_key.values())


def read_judgements(file: Path) -> dict[str, list[GradePair]]:
    """Grades of each judge, by its signature, with people's grades; explanations without a grade of a person are left out.

    Raises TouchstoneError for a line that `judgement_record` did not write.
    """
    pairs: dict[str, list[GradePair]] = {}
    for number, line in _numbered_lines(file):
        signature, compared = _parse_judgement(_parse_object(line), f"{file.name}, line {number}")
        if compared:
            pairs.setdefault(signature, []).append(compared)
    return pairs


def _parse_judgement(record: Mapping[str, object], where: str) -> tuple[str, GradePair | None]:
    signature, group, human = (record.get(name) for name in ("signature", "group", "human"))
    if not isinstance(signature, str) or not isinstance(group, str) or "grade" not in record:
        raise TouchstoneError(f"{where} is no line that cli.py judge wrote. Make the file with it.")
    if not human:
        return signature, None
    grade = record["grade"]
    causes = [parse_cause(str(record[name])) if record.get(name) else None for name in ("cause", "human_cause")]
    return signature, GradePair(parse_grade(str(grade)) if grade else None, parse_grade(str(human)), group, *causes)


def _skip_reason(verdict: object, label: object) -> SkippedCase | None:
    """Reason why there is nothing to grade, by the verdict of the author of an explanation and the summary's label."""
    if verdict == Verdict.CONSISTENT:
        return SkippedCase.CALLED_CONSISTENT
    return SkippedCase.LABELLED_CONSISTENT if label == Verdict.CONSISTENT else None


def _parse_case(record: Mapping[str, object], number: int) -> ExplanationCase | SkippedCase:
    if record.get("status") == "failed":
        return SkippedCase.UNANSWERED
    if spared := _skip_reason(record.get("verdict"), record.get("label")):
        return spared
    if "human" in record:  # written by a judge, so the grade is not a person's
        record = {**record, "grade": None}
    texts = {field: _read_text(record, names) for field, names in _FIELD_NAMES.items()}
    if not texts["explanation"]:
        raise TouchstoneError("There is no explanation to judge. Give one under “explanation”.")
    human, cause, id = texts.pop("human"), texts.pop("human_cause"), texts.pop("id") or f"line-{number}"
    group = texts.pop("group") or texts["document"] or id
    grade, flaw = parse_grade(human) if human else None, parse_cause(cause) if cause else None
    return ExplanationCase(id, group=group, human=grade, human_cause=flaw, **texts)


def _read_text(record: Mapping[str, object], names: Iterable[str]) -> str:
    """The text under the first name that the record has; "" if it has none."""
    value = next((record[name] for name in names if record.get(name) is not None), "")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TouchstoneError(f"{next(iter(names))} must be a text; got {type(value).__name__}.")
    return str(value).strip()


def _numbered_lines(file: Path) -> Iterator[tuple[int, str]]:
    if not file.is_file():
        raise TouchstoneError(f"There is no file {file}. Check the path.")
    with file.open(encoding="utf-8-sig") as lines:
        yield from ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _parse_object(line: str) -> Mapping[str, object]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise TouchstoneError(
            f"This is not JSON: {error.msg} at column {error.colno}. Write one object a line."
        ) from None
    if not isinstance(record, dict):
        raise TouchstoneError(f"Expected a JSON object with an explanation; got {line.strip()[:60]}.")
    return record

"""Files of explanations to be judged, and of what a judge said of them: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from core.dataset import Refusal
from core.errors import TouchstoneError
from core.explaining.agreement import Compared
from core.explaining.checks import checks
from core.explaining.grades import WORTH, grade_of
from core.explaining.judging import Case, Judged
from core.explaining.subject import Subject, subjects
from core.llm.signing import is_signature
from core.types import Failure, GradedExplanation, Item, Verdict

_FIELDS = {
    "id": ("id", "sample_id", "sample"),
    "explanation": ("explanation",),
    "document": ("document", "doc"),
    "seed": ("seed", "original_summary"),
    "summary": ("summary", "edited_summary"),
    "reference": ("reference", "reference_explanation"),
    "group": ("group", "doc_id"),
    "human": ("human", "grade"),
    "sample": ("sample", "sample_id", "id"),
    "by": ("by",),
}
"""What a field of a case may be called."""


@dataclass(frozen=True, slots=True)
class Spared:
    """What explains no error, so that there is nothing to grade, and why."""

    why: str


_CALLED_GOOD = Spared("called the summary consistent")
_LABELLED_GOOD = Spared("of a summary that is labelled consistent")
_UNANSWERED = Spared("without an answer")


def read_cases(file: Path) -> Iterator[Case | Spared | Refusal]:
    """The cases of a file of JSON lines; a broken line is a Refusal. Raises TouchstoneError for a file that is not there."""
    for number, line in _lines(file):
        try:
            yield _case(_object(line), number)
        except TouchstoneError as error:
            yield Refusal(number, str(error))


def cases_of(items: Iterable[Item]) -> Iterator[Case | Spared]:
    """The explanations of a dataset's items: one for each person that graded it, and one where nobody did."""
    for subject in subjects(items):
        for place, given in enumerate(_to_judge(subject.item.explanations)):
            yield _spared(given.verdict, subject.item.intended) or _given(subject, given, place)


def as_record(case: Case, signature: str, outcome: Judged | Failure) -> dict[str, object]:
    """One line of what the judge of that signature said: a grade with its worth, 0 to 1, or a reason and no number.

    What rules say stands beside it.
    """
    told: dict[str, object] = {"id": case.id, "group": case.group or case.id, "signature": signature}
    told |= {"sample": case.sample or case.id, "by": case.by, "explanation": case.explanation}
    told |= {"human": case.human, "checks": asdict(checks(case))}
    if isinstance(outcome, Failure):
        return {**told, "status": "failed", "grade": None, "score": None, "because": "", "error": outcome.message}
    said = {"grade": outcome.grade, "score": WORTH[outcome.grade], "because": outcome.because}
    return {**told, "status": "ok", **said, "error": None}


def read_judged(file: Path) -> dict[str, list[Compared]]:
    """What each judge, by its signature, said beside people's grades; what nobody graded is left out.

    Raises TouchstoneError for a line that `as_record` did not write.
    """
    found: dict[str, list[Compared]] = {}
    for number, line in _lines(file):
        signature, compared = _judged(_object(line), f"{file.name}, line {number}")
        if compared:
            found.setdefault(signature, []).append(compared)
    return found


def _judged(record: Mapping[str, object], where: str) -> tuple[str, Compared | None]:
    signature, group, human = (record.get(name) for name in ("signature", "group", "human"))
    if not isinstance(signature, str) or not isinstance(group, str) or "grade" not in record:
        raise TouchstoneError(f"{where} is no line that cli.py judge wrote. Make the file with it.")
    if not human:
        return signature, None
    grade = record["grade"]
    return signature, Compared(grade_of(str(grade)) if grade else None, grade_of(str(human)), group)


def _to_judge(explanations: Iterable[GradedExplanation]) -> list[GradedExplanation]:
    """What people graded, once for each of them, and whatever else was said once."""
    told = list(explanations)
    graded = [one for one in told if one.grade and not is_signature(one.judge)]
    known = {(one.by, one.text) for one in graded}
    others = {(one.by, one.text): replace(one, grade="", judge="") for one in told if (one.by, one.text) not in known}
    return [*graded, *others.values()]


def _given(subject: Subject, given: GradedExplanation, place: int) -> Case:
    example = subject.item.example
    return Case(
        id=f"{example.id}#{place}",
        explanation=given.text,
        document=example.document,
        seed=subject.seed,
        summary=example.summary,
        reference=subject.reference,
        group=subject.group,
        human=grade_of(given.grade) if given.grade else None,
        sample=example.id,
        by=given.by,
    )


def _spared(verdict: object, label: object) -> Spared | None:
    """Why there is nothing to grade, by what the author of an explanation said and by the label of the summary."""
    if verdict == Verdict.CONSISTENT:
        return _CALLED_GOOD
    return _LABELLED_GOOD if label == Verdict.CONSISTENT else None


def _case(record: Mapping[str, object], number: int) -> Case | Spared:
    if record.get("status") == "failed":
        return _UNANSWERED
    if spared := _spared(record.get("verdict"), record.get("label")):
        return spared
    texts = {field: _text(record, names) for field, names in _FIELDS.items()}
    if not texts["explanation"]:
        raise TouchstoneError("There is no explanation to judge. Give one under “explanation”.")
    human, id = texts.pop("human"), texts.pop("id") or f"line-{number}"
    group = texts.pop("group") or texts["document"] or id
    return Case(id, group=group, human=grade_of(human) if human else None, **texts)


def _text(record: Mapping[str, object], names: Iterable[str]) -> str:
    """The text under the first of the names that is there, "" where none is."""
    value = next((record[name] for name in names if record.get(name) is not None), "")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TouchstoneError(f"{next(iter(names))} must be a text; got {type(value).__name__}.")
    return str(value).strip()


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    if not file.is_file():
        raise TouchstoneError(f"There is no file {file}. Check the path.")
    with file.open(encoding="utf-8-sig") as lines:
        yield from ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _object(line: str) -> Mapping[str, object]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise TouchstoneError(
            f"This is not JSON: {error.msg} at column {error.colno}. Write one object a line."
        ) from None
    if not isinstance(record, dict):
        raise TouchstoneError(f"Expected a JSON object with an explanation; got {line.strip()[:60]}.")
    return record

"""Files of explanations to be judged, and of what a judge said of them: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from core.dataset import Refusal
from core.errors import TouchstoneError
from core.explaining.agreement import Compared
from core.explaining.checks import checks
from core.explaining.grades import WORTH, grade_of
from core.explaining.judging import Case, Judged
from core.types import Example, Failure, GradedExplanation, Item

_FIELDS = {
    "id": ("id", "sample_id"),
    "explanation": ("explanation",),
    "document": ("document", "doc"),
    "seed": ("seed", "original_summary"),
    "summary": ("summary", "edited_summary"),
    "reference": ("reference", "reference_explanation"),
    "group": ("group", "doc_id"),
    "human": ("human", "grade"),
}
"""What a field of a case may be called."""


def read_cases(file: Path) -> Iterator[Case | Refusal]:
    """The cases of a file of JSON lines; a broken line is a Refusal. Raises TouchstoneError for a file that is not there."""
    for number, line in _lines(file):
        try:
            yield _case(_object(line), number)
        except TouchstoneError as error:
            yield Refusal(number, str(error))


def cases_of(items: Iterable[Item]) -> Iterator[Case]:
    """The graded explanations of a dataset's items; the seed is known where an item's parent came before it."""
    summaries: dict[str, str] = {}
    for item in items:
        summaries[item.example.id] = item.example.summary
        seed = summaries.get(item.parent or "", "")
        reference = " ".join(edit.explanation for edit in item.edits if edit.explanation)
        for place, given in enumerate(item.explanations):
            yield _graded(item.example, given, place, (seed, reference, item.group or item.example.id))


def as_record(case: Case, signature: str, outcome: Judged | Failure) -> dict[str, object]:
    """One line of what the judge of that signature said: a grade with its worth, 0 to 1, or a reason and no number.

    What rules say stands beside it.
    """
    told: dict[str, object] = {"id": case.id, "group": case.group or case.id, "signature": signature}
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


def _graded(example: Example, given: GradedExplanation, place: int, around: tuple[str, str, str]) -> Case:
    seed, reference, group = around
    return Case(
        id=f"{example.id}#{place}",
        explanation=given.text,
        document=example.document,
        seed=seed,
        summary=example.summary,
        reference=reference,
        group=group,
        human=grade_of(given.grade) if given.grade else None,
    )


def _case(record: Mapping[str, object], number: int) -> Case:
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

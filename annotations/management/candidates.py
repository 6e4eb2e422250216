"""Candidates for labelling: items of the store, texts that would become some, and items with known answers from a file; and which fit
a question set."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast, get_args

from sqlmodel import Session, col, select

from annotations.campaigns.campaign import SKILL, NewTask, TaskPart, own_columns, with_optional_answers
from annotations.campaigns.questions import CampaignQuestion, QuestionSet, check_answers
from annotations.results.local_labels import load_local_labels
from annotations.store.imported_datasets import load_imported_samples
from annotations.store.records import LOCAL_LABELS, PairRecord, RecordError
from annotations.store.tables import EditRow, Explanation, ItemRow
from core.text import recover
from core.types import ALL_JUDGES, ErrorType, Item, Judgement, Sample, Verdict

CELL_SEPARATOR = "; "
"""Between the cells of rows that are one item."""


@dataclass(frozen=True, slots=True)
class CandidateExplanation:
    """An explanation to judge; `id` names it in the store, "" where it is part of an edit or of an imported set."""

    text: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item of the store, or a pair that would be saved."""

    name: str
    """Name by which people know the item."""
    summary: str
    """Text of the summary, the edited one of a pair."""
    edited: bool
    """True if there is an original to compare with."""
    item_id: str = ""
    """Id of the stored item; "" for a pair that is not stored."""
    pair: PairRecord | None = None
    """Pair to save; None for a stored item."""
    title: str = ""
    """Title of the pair; "" for none."""
    domain: str = ""
    """Domain of the text; "" for none."""
    maker: str = ""
    """Maker of the edit, such as a person or a model; "" for none."""
    intended: Verdict | None = None
    """Verdict that the item is meant to have; None for none."""
    error_type: ErrorType | None = None
    """Error type of the edit; None where it has none."""
    explanations: tuple[CandidateExplanation, ...] = ()
    """Explanations that can be judged."""
    edit_count: int = 0
    """Number of edits that are stored one by one; 0 for none."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Cells of the owner's table beside the texts, by column."""
    judgements: tuple[Judgement, ...] = ()
    """Verdicts of people that came with it."""


def candidate_from_pair(name: str, pair: PairRecord) -> Candidate:
    """A pair that is not in the store yet; what its edits say is explained together."""
    explanation = " ".join(edit.explanation for edit in pair.edits if edit.explanation.strip())
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
        explanations=(CandidateExplanation(explanation),) if explanation else (),
        edit_count=len(pair.edits),
    )


def load_candidates(session: Session, dataset: str) -> list[Candidate]:
    """The items of an imported dataset or of local labels. Raises RecordError for an unknown name."""
    samples = load_local_labels(session) if dataset == LOCAL_LABELS else load_imported_samples(session, dataset)
    ids = {sample.stored for sample in samples if sample.stored}
    with_parent = session.exec(select(ItemRow.id).where(col(ItemRow.parent_id).is_not(None)))
    edited = {id for id in with_parent if id in ids}
    edit_counts = Counter(id for id in session.exec(select(EditRow.item_id)) if id in ids)
    explanations = _explanations_by_item(session, ids)
    return merge_repeated(
        replace(
            _candidate_from_sample(sample, edited, explanations.get(sample.stored, ())),
            edit_count=edit_counts[sample.stored],
        )
        for sample in samples
        if sample.stored
    )


def fits_questions(candidate: Candidate, questions: QuestionSet) -> bool:
    """True if the questions can be asked of it: about a pair or explanation, only where there is one, with the edits they need.

    What somebody wrote of a harmless edit explains no error, so that no grade of it is right.
    """
    if questions.unit == "summary":
        return True
    if questions.unit == "explanation" and (not candidate.explanations or candidate.intended is Verdict.CONSISTENT):
        return False
    return questions.edits == "any" or (
        candidate.edited and not (questions.edits == "one" and candidate.edit_count > 1)
    )


def draw_candidates(candidates: Sequence[Candidate], number: int, seed: int) -> list[Candidate]:
    """A random sample of the candidates, in their order; the same for the same seed."""
    if number >= len(candidates):
        return list(candidates)
    places = sorted(random.Random(seed).sample(range(len(candidates)), number))
    return [candidates[place] for place in places]


def tasks_for_candidate(
    candidate: Candidate, questions: QuestionSet, types: Collection[ErrorType] = (), part: TaskPart = "work"
) -> list[NewTask]:
    """Tasks for labelling a candidate: one, or one for each explanation, or for each of the `types` where one is to be written."""
    if questions.unit == "explanation":
        return [_judging_task(candidate, reason, part) for reason in candidate.explanations]
    requirements = [{"error_type": kind.value} for kind in types] if questions.required_type else [{}]
    return [
        NewTask(
            candidate.item_id,
            part,
            asked=requirement,
            pair=candidate.pair,
            columns=candidate.columns,
            earlier=earlier_answers(candidate, questions),
        )
        for requirement in requirements
    ]


def likely_answer(candidate: Candidate, questions: QuestionSet) -> str:
    """Answer to the measured question if the candidate is what it was meant to be; "" where that gives none."""
    return answer_of_verdict(candidate.intended, questions) if candidate.intended else ""


def answer_of_verdict(verdict: Verdict, questions: QuestionSet) -> str:
    """Answer to the measured question that says the same as a verdict on the summary, the edited one of a pair; "" for none."""
    values = questions.by_id[questions.measure].values
    if verdict.value in values:
        return verdict.value
    if verdict is not Verdict.BORDERLINE and {"right", "neither"} <= set(values):
        return "right" if verdict is Verdict.INCONSISTENT else "neither"
    return ""


_NOBODY = frozenset({ALL_JUDGES, "annotators", "majority", "gold"})  # names of figures over several people


def earlier_answers(candidate: Candidate, questions: QuestionSet) -> dict[str, str]:
    """By person, the answer to the measured question that their verdict on the whole summary is; the first one counts."""
    if questions.unit == "explanation" or questions.required_type:
        return {}
    answers: dict[str, str] = {}
    for judgement in candidate.judgements:
        answer, name = answer_of_verdict(judgement.verdict, questions), judgement.judge.strip()
        if answer and judgement.span is None and name and name.casefold() not in _NOBODY:
            answers.setdefault(name, answer)
    return answers


def _judging_task(candidate: Candidate, reason: CandidateExplanation, part: TaskPart) -> NewTask:
    requirements = {} if reason.id else {"explanation": reason.text}
    return NewTask(candidate.item_id, part, reason.id, requirements, pair=candidate.pair, columns=candidate.columns)


def _candidate_from_sample(sample: Sample, edited: Collection[str], own: Sequence[CandidateExplanation]) -> Candidate:
    item = sample.item
    # why it is consistent explains no error
    errors = (title for title in item.explanations if title.verdict is not Verdict.CONSISTENT)
    imported = [CandidateExplanation(title.text) for title in errors if title.text.strip()]
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
        explanations=tuple({reason.text: reason for reason in (*imported, *own)}.values()),
        columns=own_columns(item),
        judgements=item.judgements,
    )


def merge_repeated(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates with the same texts once, since they are one item; different values of a column are joined by semicolons."""
    same: dict[object, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        pair = candidate.pair
        texts = (pair.document, pair.original, pair.edited, pair.question) if pair else candidate.item_id
        same[texts].append(candidate)
    return [_merge_columns(repeated) for repeated in same.values()]


def _merge_columns(repeated: Sequence[Candidate]) -> Candidate:
    columns = {
        name: CELL_SEPARATOR.join(dict.fromkeys(cell for row in repeated if (cell := row.columns.get(name))))
        for name in dict.fromkeys(name for row in repeated for name in row.columns)
    }
    judgements = tuple(judgement for row in repeated for judgement in row.judgements)
    return replace(repeated[0], columns=columns, judgements=judgements)


def candidates_from_items(items: Iterable[Item], source: str) -> tuple[list[Candidate], int]:
    """Candidates from the items of a file, each edited one with its original, and the number of items without a document."""
    summaries: dict[str, str] = {}
    candidates, missing = [], 0
    for item in items:
        example = item.example
        summaries[example.id] = example.summary
        if not example.document or not example.summary:
            missing += 1
            continue
        original = summaries.get(item.parent or "", example.summary)
        pair = PairRecord(
            example.document,
            original,
            example.summary,
            item.edits if original != example.summary else (),
            by=item.system,
            intended=item.intended,
            error_type=item.error_type,
            title=item.title,
            domain=item.domain,
            source=source,
            contexts=example.contexts,
            question=example.question,
        )
        candidates.append(
            replace(candidate_from_pair(example.id, pair), columns=own_columns(item), judgements=item.judgements)
        )
    return merge_repeated(candidates), missing


def _explanations_by_item(session: Session, ids: Collection[str]) -> dict[str, list[CandidateExplanation]]:
    """Explanations by item: those of its edits, and those that people wrote."""
    texts_by_item: dict[str, list[str]] = defaultdict(list)
    for id, text in session.exec(select(EditRow.item_id, EditRow.explanation).order_by(col(EditRow.position))):
        if id in ids and text.strip():
            texts_by_item[id].append(text)
    explanations = {id: [CandidateExplanation(" ".join(texts))] for id, texts in texts_by_item.items()}
    for row in session.exec(select(Explanation).order_by(col(Explanation.created_at))):
        if row.item_id in ids:
            explanations.setdefault(row.item_id, []).append(CandidateExplanation(row.text, row.id))
    return explanations


KNOWN_TASK_FIELDS = (
    "part",
    "item",
    "document",
    "summary",
    "original",
    "explanation",
    "error_type",
    "answers",
    "feedback",
    SKILL,
)
"""The fields of a record; a table has a column `answers.ID` for each question instead of `answers`."""

_KNOWN_FOLDER = Path(__file__).parents[1] / "campaigns" / "sets" / "known"
_TASK_PARTS = get_args(TaskPart)
_ANSWER_PREFIX = "answers."


def parse_known_task(row: Mapping[str, object], questions: QuestionSet, by: str) -> NewTask:
    """The task of one record: an `item` of the store by its id, or the texts of `document`, `summary` and `original`.

    Raises RecordError, which names the field, for a record that is none.
    """
    unknown = sorted(name for name in row if name not in KNOWN_TASK_FIELDS and not name.startswith(_ANSWER_PREFIX))
    if unknown:
        raise RecordError(f"There is no field {unknown[0]!r}. The fields are {', '.join(KNOWN_TASK_FIELDS)}.")
    part = _text_field(row, "part") or "gold"
    if part not in _TASK_PARTS:
        raise RecordError(f"The part is {part!r}. It is one of {', '.join(_TASK_PARTS)}.")
    item = _text_field(row, "item")
    requirements = {name: text for name in ("error_type", "explanation", SKILL) if (text := _text_field(row, name))}
    key, pair = _key_from_row(row, questions), None if item else _pair_from_row(row, by)
    return NewTask(item, cast("TaskPart", part), "", requirements, key, _text_field(row, "feedback"), pair)


def ready_known_tasks(questions: QuestionSet, by: str) -> list[NewTask]:
    """The qualification that comes with a bundled question set, with a feedback on each item; none for another set.

    As in BUMP (Ma et al. 2023): seven pairs, one of each error type, or four summaries. The texts are ours.
    """
    path = _KNOWN_FOLDER / f"{questions.name}.jsonl"
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [parse_known_task(json.loads(line), questions, by) for line in lines]


def _pair_from_row(row: Mapping[str, object], by: str) -> PairRecord:
    document, summary = _text_field(row, "document"), _text_field(row, "summary")
    if not document or not summary:
        raise RecordError("There is neither an item nor a document with its summary. Give one of them.")
    original = _text_field(row, "original") or summary
    return PairRecord(document, original, summary, tuple(recover(original, summary)), by=by, source="known answers")


def _key_from_row(row: Mapping[str, object], questions: QuestionSet) -> dict[str, Any]:
    cells = {name.removeprefix(_ANSWER_PREFIX): cell for name, cell in row.items() if name.startswith(_ANSWER_PREFIX)}
    answers = {
        name: answer
        for name, answer in {**_answers_object(row.get("answers")), **cells}.items()
        if answer not in (None, "")
    }
    by_id = questions.by_id
    return check_answers(
        with_optional_answers(questions),
        {name: _cell_answer(by_id.get(name), answer) for name, answer in answers.items()},
    )


def _answers_object(value: object) -> dict[str, Any]:
    """The answers of a record; in a table they may be JSON."""
    if value is None or value == "":
        return {}
    answers = _parse_json(value) if isinstance(value, str) else value
    if not isinstance(answers, dict):
        raise RecordError("The answers are no object of question ids and answers.")
    return answers


def _parse_json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        raise RecordError(f"The answers {text[:60]!r} are no JSON. Use a column answers.ID for each.") from None


def _cell_answer(question: CampaignQuestion | None, answer: Any) -> Any:
    """A cell of a table holds a step of a scale as text."""
    digits = isinstance(answer, str) and answer.strip().isdecimal()
    return int(answer) if question and question.kind in {"scale", "slider"} and digits else answer


def _text_field(row: Mapping[str, object], name: str) -> str:
    cell = row.get(name)
    if cell is None:
        return ""
    if not isinstance(cell, str):
        raise RecordError(f"The field {name!r} is no text. Put it in quotes.")
    return cell.strip() if name in {"part", "item", "error_type"} else cell

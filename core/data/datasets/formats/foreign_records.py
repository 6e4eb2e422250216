"""Records of annotation tools and benchmarks that are no rows of a table, as flat ones: the pair, and what each person said of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum

from core.data.datasets.formats.claim_rows import claims_of
from core.data.datasets.formats.potato_records import potato_records
from core.data.datasets.formats.text_files import Row

_CHOICE_FIELDS = (
    "choices",
    "rating",
    "number",
)  # of a result of Label Studio; areas of text and marked spans label no pair
_HALUEVAL_TEXTS = ("summary", "answer", "response")
_HALUEVAL_NAMES = {"knowledge": "document", "dialogue_history": "question"}
_BEST_RATING = 5
_NO_WORD = re.compile(r"\W")
_SENTENCE_NAMES = ("sentence", "text", "claim")
_SENTENCE_LABELS = ("label", "labels", "verdict", "supported", "consistent", "faithful", "factual")


def flat_records(row: Row) -> list[Row]:
    """The pairs of a record in one of the known forms, each as a flat one; any other record as it is."""
    return next((records for form in _FORMS if (records := form(row)) is not None), [row])


def _label_studio(row: Row) -> list[Row] | None:
    """A task of Label Studio's JSON export: `data`, and `annotations` with a list of results each.

    labelstud.io/guide/task_format.html. A column for each annotator and question; skipped annotations say nothing.
    """
    data, annotations = row.get("data"), _objects(row.get("annotations"))
    if not isinstance(data, dict) or annotations is None:
        return None
    answers: dict[str, object] = {}
    for annotation in annotations:
        if annotation.get("was_cancelled"):
            continue
        for result in _objects(annotation.get("result")) or ():
            column, value = _answer_column(annotation.get("completed_by"), result.get("from_name")), result.get("value")
            options = value if isinstance(value, dict) else {}
            answers[column] = next((options[field] for field in _CHOICE_FIELDS if field in options), None)
    return [{"id": row.get("id"), **data, **{name: answer for name, answer in answers.items() if answer is not None}}]


def _argilla(row: Row) -> list[Row] | None:
    """A record of Argilla 2 as `to_list` and `to_json` give it: `fields`, and `responses` as lists of value and user."""
    record_fields, responses = row.get("fields"), row.get("responses")
    if not isinstance(record_fields, dict) or not isinstance(responses, dict):
        return None
    metadata = row.get("metadata")
    return [
        {
            "id": row.get("id"),
            **(metadata if isinstance(metadata, dict) else {}),
            **record_fields,
            **_answers((question, _objects(answers) or ()) for question, answers in responses.items()),
        }
    ]


def _flattened_argilla(row: Row) -> list[Row] | None:
    """A record of Argilla 2 with `flatten=True`: `QUESTION.responses` beside `QUESTION.responses.users`."""
    ends = (".responses", ".responses.users", ".responses.status")
    questions = [name.removesuffix(ends[0]) for name in row if name.endswith(ends[0]) and f"{name}.users" in row]
    if not questions:
        return None
    answers: list[tuple[str, list[Row]]] = []
    for question in questions:
        cells = [row.get(f"{question}{end}") for end in ends]
        lists = [cell if isinstance(cell, list) else [] for cell in cells]
        # as many users and statuses as responses
        filled = [[*column, *[None] * len(lists[0])][: len(lists[0])] for column in lists]
        responses = zip(*filled, strict=True)
        answers.append(
            (question, [{"value": value, "user_id": user, "status": status} for value, user, status in responses])
        )
    shown = {name: value for name, value in row.items() if not name.endswith(ends) and ".suggestion" not in name}
    return [{**shown, **_answers(answers)}]


def _argilla_feedback(row: Row) -> list[Row] | None:
    """A record of a FeedbackDataset of Argilla 1 on the hub: each question a list of user, value and status."""
    questions = {
        name: answers
        for name, value in row.items()
        if (answers := _objects(value)) and all({"user_id", "value", "status"} <= answer.keys() for answer in answers)
    }
    if not questions:
        return None
    shown = {
        name: value
        for name, value in row.items()
        if name not in questions and "-suggestion" not in name and name != "metadata"
    }
    return [{**shown, **_answers(questions.items())}]


def _halueval(row: Row) -> list[Row] | None:
    """A record of HaluEval (Li et al. 2023) as released: the right text and the hallucinated one, a row for each."""
    for name in _HALUEVAL_TEXTS:
        right, wrong = f"right_{name}", f"hallucinated_{name}"
        if {right, wrong} <= row.keys():
            shared = {
                _HALUEVAL_NAMES.get(field, field): value for field, value in row.items() if field not in {right, wrong}
            }
            return [
                {**shared, "summary": row[right], "label": "consistent"},
                {**shared, "summary": row[wrong], "label": "hallucinated"},
            ]
    return None


def _summeval(row: Row) -> list[Row] | None:
    """A record of SummEval (Fabbri et al. 2021): consistent where every expert gave its consistency the full mark.

    The label is that of TRUE (Honovich et al. 2022); the ratings are the experts' means.
    """
    experts = _objects(row.get("expert_annotations"))
    if not experts or "decoded" not in row:
        return None
    numbers = {
        aspect: [value for expert in experts if isinstance(value := expert.get(aspect), int | float)]
        for aspect in experts[0]
    }
    full = all(value == _BEST_RATING for value in numbers.get("consistency", []))
    return [
        {
            "group": row.get("id"),
            "system": row.get("model_id"),
            "document": row.get("text"),
            "summary": row["decoded"],
            "label": ("consistent" if full else "inconsistent") if numbers.get("consistency") else None,
            **{aspect: fsum(values) / len(values) for aspect, values in numbers.items() if values},
        }
    ]


def _mechanical_turk(row: Row) -> list[Row] | None:
    """A row of a batch of Mechanical Turk: `Input.…`, `Answer.…` and `WorkerId`; a rejected assignment says nothing."""
    if not {"HITId", "WorkerId"} <= row.keys():
        return None
    prefixes = ("Input.",) if str(row.get("AssignmentStatus")).lower() == "rejected" else ("Input.", "Answer.")
    cells = {name.partition(".")[2]: value for name, value in row.items() if name.startswith(prefixes)}
    return [{"WorkerId": row["WorkerId"], **cells}] if cells else None


def _claims(entries: Sequence[Row], text: str, texts: Sequence[str]) -> list[Row]:
    """Sentences with their places: those that they came with, or where they stand in the text that holds most of them."""
    sentences = [str(entry[text]) for entry in entries]
    response = max(sorted(texts, key=len), key=lambda held: sum(sentence in held for sentence in sentences))
    return [
        {**claim, "start": entry["start"], "end": entry["end"]}
        if isinstance(entry.get("start"), int) and isinstance(entry.get("end"), int)
        else claim
        for entry, claim in zip(entries, claims_of(response, sentences), strict=True)
    ]


def _labelled_sentences(row: Row) -> list[Row] | None:
    """A pair that also lists its sentences, each with a label: the two as parallel lists."""
    texts = [value for value in row.values() if isinstance(value, str) and " " in value.strip()]
    for name, value in row.items():
        entries = _objects(value)
        if not entries or len(texts) < 2:
            continue
        text, label = (
            next((field for field in fields if all(field in entry for entry in entries)), "")
            for fields in (_SENTENCE_NAMES, _SENTENCE_LABELS)
        )
        if text and label and label not in row:
            rest = {field: value for field, value in row.items() if field != name}
            return [
                {
                    **rest,
                    f"{name}.{text}": [entry[text] for entry in entries],
                    "claims": _claims(entries, text, texts),
                    label: [entry[label] for entry in entries],
                }
            ]
    return None


_FORMS: Sequence[Callable[[Row], list[Row] | None]] = (
    _label_studio,
    _argilla,
    _flattened_argilla,
    _argilla_feedback,
    _halueval,
    _summeval,
    _mechanical_turk,
    potato_records,
    _labelled_sentences,
)


def _answers(questions: Iterable[tuple[str, Sequence[Row]]]) -> dict[str, object]:
    """A column for each person and question; drafts and discarded answers say nothing."""
    return {
        _answer_column(answer.get("user_id"), question): answer.get("value")
        for question, answers in questions
        for answer in answers
        if answer.get("status") in {None, "submitted"}
    }


def _answer_column(who: object, question: object) -> str:
    """Name of the column of a person's answers to a question, as the mapping knows annotators."""
    number = who.get("id") if isinstance(who, Mapping) else who
    short = _NO_WORD.sub("_", str(number))[:8]  # ids of Argilla have 32 digits
    return f"annotator_{short}_{question}"


def _objects(value: object) -> list[Row] | None:
    """The objects of a list of objects; None for anything else."""
    return value if isinstance(value, list) and all(isinstance(entry, dict) for entry in value) else None

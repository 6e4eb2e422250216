"""Records of benchmarks that are no rows of a table, as flat ones: a pair each, with its label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum

from core.data.datasets.formats.claim_rows import claims_of
from core.data.datasets.formats.record_shapes import claimed_record, rater_rows, system_rows
from core.data.datasets.formats.text_files import Row

_HALUEVAL_TEXTS = ("summary", "answer", "response")
_HALUEVAL_NAMES = {"knowledge": "document", "dialogue_history": "question"}
_BEST_RATING = 5
_SENTENCE_NAMES = ("sentence", "text", "claim")
_SENTENCE_LABELS = ("label", "labels", "verdict", "supported", "consistent", "faithful", "factual")


def flat_records(row: Row) -> list[Row]:
    """The pairs of a record in one of the known forms, each as a flat one; any other record as it is."""
    return next((records for form in _FORMS if (records := form(row)) is not None), [row])


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
    _halueval,
    _summeval,
    _labelled_sentences,
    claimed_record,
    system_rows,
    rater_rows,
)


def _objects(value: object) -> list[Row] | None:
    """The objects of a list of objects; None for anything else."""
    return value if isinstance(value, list) and all(isinstance(entry, dict) for entry in value) else None

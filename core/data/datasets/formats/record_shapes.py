"""Records that hold several texts in objects: of several systems, of numbered reviews, of a response with its claims, of several raters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.data.datasets.formats.claim_rows import claims_of
from core.data.datasets.formats.polarity import names_people, value_direction
from core.data.datasets.formats.text_files import Row
from core.data.datasets.formats.text_roles import TextRole, text_role

_NUMBERED = re.compile(r"([^\W\d]+)[_ -]?\d+")
_SYSTEM_WORDS = frozenset("model models system systems".split())
_WORDS = re.compile(r"[^\W\d_]+")
_CLAIM_WORDS = frozenset(
    "claim claims sentence sentences fact facts statement statements triplet triplets kg proposition propositions".split()
)
_CLAIM_TEXTS = ("claim", "sentence", "text", "fact", "statement", "triplet", "atomic_fact", "proposition")
_CLAIM_LABELS = re.compile(
    r"(.*_)?(label|labels|verdict|judge|judgement|judgment|factuality|supported|factual|faithful)s?"
)


def numbered_texts(value: Mapping[str, object]) -> list[str] | None:
    """The texts of an object whose names are numbered, as `rev1`, `rev2`; None for any other object."""
    stems = {match[1] if (match := _NUMBERED.fullmatch(str(name))) else name for name in value}
    texts = [text for text in value.values() if isinstance(text, str)]
    return texts if len(value) > 1 and len(stems) == 1 and len(texts) == len(value) else None


def system_rows(row: Row) -> list[Row] | None:
    """A record with the texts of several systems in an object by their names, a row for each; None for any other.

    A system has a text, or an object with one whose other values, such as ratings, stand in columns of their own.
    """
    for name, value in row.items():
        if not isinstance(value, dict) or len(value) < 2 or not _names_systems(name):
            continue
        if any(text_role(str(system)) is not TextRole.UNKNOWN for system in value if not _is_human(str(system))):
            continue
        shared = {other: held for other, held in row.items() if other != name}
        if all(isinstance(text, str) for text in value.values()):
            return [{**shared, "system": system, "summary": text} for system, text in value.items()]
        if all(isinstance(entry, dict) and _text_of(entry) for entry in value.values()):
            return [{**shared, "system": system, **_flat(entry)} for system, entry in value.items()]
    return None


def rater_rows(row: Row) -> list[Row] | None:
    """A record with the ratings of several people in a list of objects of numbers, a row for each person; None for any other."""
    for name, value in row.items():
        if not isinstance(value, list) or len(value) < 2 or not all(isinstance(entry, dict) for entry in value):
            continue
        fields = [*value[0]]
        rated = [field for field in fields if not names_people(field)]
        if len(rated) < 2 or any([*entry] != fields for entry in value):
            continue
        if not all(_is_number(entry[field]) for entry in value for field in rated):
            continue
        shared = {other: held for other, held in row.items() if other != name}
        people = next((field for field in fields if names_people(field)), "")
        return [
            {
                **shared,
                "annotator": str(entry[people] if people else number),
                **{field: entry[field] for field in rated},
            }
            for number, entry in enumerate(value, start=1)
        ]
    return None


def claimed_record(row: Row) -> list[Row] | None:
    """A response with its claims and their labels, as a list of objects or two lists side by side; None for any other record.

    The claims' labels are one list, under their name; a label of the response itself stays the label.
    """
    responses = [
        name
        for name, value in row.items()
        if isinstance(value, str) and " " in value.strip() and text_role(name) is TextRole.SUMMARY
    ]
    if len(responses) != 1 or "claims_by" in row:
        return None
    for name, value in row.items():
        if not isinstance(value, list) or not is_of_claims(name):
            continue
        if not value:
            empty = [other for other, held in row.items() if held == [] and other != name]
            return [{other: held for other, held in row.items() if other not in (name, *empty)}]
        rest = {other: held for other, held in row.items() if other != name}
        if all(isinstance(entry, dict) for entry in value):
            text = next((field for field in _CLAIM_TEXTS if all(_claim_text(entry.get(field)) for entry in value)), "")
            label = next((field for field in value[0] if _CLAIM_LABELS.fullmatch(field)), "")
            if not text or not label or text_role(_document_field(value[0])) is TextRole.DOCUMENT:
                continue
            texts = [_claim_text(entry[text]) for entry in value]
            labels = [entry.get(label) for entry in value]
            return [_with_claims(rest, responses[0], name, texts, label, labels)]
        if all(isinstance(text, str) for text in value):
            parallel = [
                other
                for other, held in rest.items()
                if isinstance(held, list) and len(held) == len(value) and _are_labels(held)
            ]
            if len(parallel) == 1:
                others = {other: held for other, held in rest.items() if other != parallel[0]}
                labels = [*_entries(row[parallel[0]])]
                return [_with_claims(others, responses[0], name, [*map(str, value)], parallel[0], labels)]
    return None


def _with_claims(rest: Row, whole: str, name: str, texts: Sequence[str], label: str, labels: Sequence[object]) -> Row:
    labelled = f"{name}.{label}" if label in rest else label
    claims = claims_of(str(rest[whole]), texts)
    return {**rest, f"{name} of {whole}": [*texts], "claims": claims, labelled: [*labels]}


def _entries(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


def _document_field(entry: Row) -> str:
    """The first field of an entry with the name of a document, "" without."""
    return next((field for field in entry if text_role(field) is TextRole.DOCUMENT and field != "text"), "")


def _are_labels(values: Sequence[object]) -> bool:
    words = [str(value).strip().lower() for value in values if value is not None]
    return bool(words) and all(
        word in ("true", "false", "yes", "no", "1", "0") or value_direction(word) for word in words
    )


def is_of_claims(name: str) -> bool:
    """True for the name of a list of claims, sentences or facts, or of their labels."""
    return bool({word.lower() for word in _WORDS.findall(name)} & _CLAIM_WORDS)


def _claim_text(value: object) -> str:
    """The text of a claim; the parts of a triplet are joined."""
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return " ".join(value)
    return value if isinstance(value, str) else ""


def _names_systems(name: str) -> bool:
    words = {word.lower() for word in _WORDS.findall(name)}
    return bool(words & _SYSTEM_WORDS) or text_role(name) is TextRole.SUMMARY


def _is_human(system: str) -> bool:
    return "human" in system.lower() or "reference" in system.lower() or "gold" in system.lower()


def _text_of(entry: Row) -> str:
    texts = [name for name, value in entry.items() if isinstance(value, str) and text_role(name) is TextRole.SUMMARY]
    return texts[0] if len(texts) == 1 else ""


def _flat(entry: Row) -> Row:
    """The entry with its text as the summary, and the fields of its objects beside it."""
    text, flat = _text_of(entry), dict[str, object]()
    for name, value in entry.items():
        if name == text:
            flat["summary"] = value
        elif isinstance(value, dict):
            flat |= value
        else:
            flat[name] = value
    return flat


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

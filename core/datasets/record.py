"""One record of a table, whatever its columns are called, as the items that it describes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from core import edits
from core.datasets.reading.fields import clean, key_of
from core.errors import TouchstoneError
from core.types import Edit, ErrorType, Example, Item, Verdict

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "id": ("id", "example_id", "sample_id", "pair_id", "uid"),
        "document": ("document", "doc", "article", "source", "text", "premise", "dialogue", "context"),
        "summary": ("summary", "claim", "hypothesis", "summ", "reference_summary", "original_summary"),
        "edited": ("edited", "edited_summary"),
        "edits": ("edits", "executable_edits"),
        "label": ("label", "verdict", "intended"),
        "error_type": ("corrected_error_type", "error_type"),
        "domain": ("domain",),
        "title": ("title",),
        "group": ("group", "article_id", "doc_id"),
    }
)
"""What a field may be called: the first name that is there counts. Case does not matter, nor blanks for underscores."""

LABELS: Mapping[str, Verdict] = MappingProxyType(
    dict.fromkeys(("consistent", "faithful", "supported", "true", "1", "1.0"), Verdict.CONSISTENT)
    | dict.fromkeys(("inconsistent", "unfaithful", "unsupported", "false", "0", "0.0"), Verdict.INCONSISTENT)
    | {"borderline": Verdict.BORDERLINE}
)
"""What a label may say; 1 is consistent, as everywhere in Touchstone."""

_TYPES = {kind.value.lower(): kind for kind in ErrorType}


def columns(header: Iterable[str]) -> dict[str, str]:
    """Field → its name in this header. Raises TouchstoneError where the document or the summary has none."""
    spelt = {"_".join(name.lower().replace("-", " ").split()): name for name in header}
    present = {field: [spelt[name] for name in names if name in spelt] for field, names in NAMES.items()}
    for field in ("document", "summary"):
        if not present[field]:
            raise TouchstoneError(
                f"There is no {field}. Name it {' or '.join(NAMES[field])}; "
                f"the names here are {', '.join(spelt.values()) or 'none'}."
            )
    return {field: names[0] for field, names in present.items() if names}


def items(record: Mapping[str, object], default_id: str) -> list[Item]:
    """The pair of a record whose columns have known names. Raises TouchstoneError with what is wrong."""
    return made({field: record[name] for field, name in columns(record).items()}, default_id)


def made(values: Mapping[str, object], default_id: str) -> list[Item]:
    """The pair of some fields and, where it has an edit, the edited pair `<id>/edited` with the first as parent.

    With an edit, label and error type speak of the edited summary. Without a field `document` the text is joined later;
    without a `group` pairs of the same document are one.
    Raises TouchstoneError with what is wrong.
    """
    document = _needed(values, "document") if "document" in values else ""
    pair = Example(_text(values, "id") or default_id, document, _needed(values, "summary"))
    group = _text(values, "group") or (key_of(document) if document else pair.id)
    plain = Item(pair, domain=_text(values, "domain"), title=_text(values, "title"), group=group)
    changes = _changes(values, pair.summary)
    judged = replace(plain, intended=_label(values), error_type=_error_type(values))
    if not changes:
        return [judged]
    edited = replace(pair, id=f"{pair.id}/edited", summary=edits.apply(pair.summary, changes))
    return [plain, replace(judged, example=edited, parent=pair.id, edits=changes)]


def kind_of(text: str) -> ErrorType | None:
    """The error type of BUMP that a text names, with or without the word error; None where it names another."""
    return _TYPES.get(text.strip().lower().removesuffix(" error"))


def _changes(values: Mapping[str, object], summary: str) -> tuple[Edit, ...]:
    edited = _text(values, "edited")
    declared = _declared(values.get("edits"), summary)
    if edited and declared and edits.apply(summary, declared) != edited:
        raise TouchstoneError("The edits do not lead to the edited summary. Leave one of the two out.")
    if edited == summary:
        raise TouchstoneError("The edited summary is the summary itself. Change it or leave it out.")
    return declared or tuple(edits.recover(summary, edited) if edited else ())


def _declared(raw: object, summary: str) -> tuple[Edit, ...]:
    if raw is None or raw == "" or raw == []:
        return ()
    try:
        return tuple(edits.parse(raw if isinstance(raw, str) else json.dumps(raw), summary))
    except (RecursionError, ValueError):  # brackets in thousands, a number of thousands of digits
        raise TouchstoneError("The edits are too deep or too long to be read. Write a flat list.") from None


def _needed(values: Mapping[str, object], field: str) -> str:
    text = _text(values, field)
    if not text:
        raise TouchstoneError(f"The {field} is empty. Fill it in or remove the record.")
    return text


def _text(values: Mapping[str, object], field: str) -> str:
    """The text of a field, "" where it is absent or blank."""
    text = clean(field, values.get(field))
    return text if text.strip() else ""


def _label(values: Mapping[str, object]) -> Verdict | None:
    value = values.get("label")
    text = str(value).strip().lower() if isinstance(value, str | int | float) else ""
    if text not in LABELS and value not in (None, ""):
        raise TouchstoneError(f"The label is {text[:60]!r}. Known: {', '.join(LABELS)}.")
    return LABELS.get(text)


def _error_type(values: Mapping[str, object]) -> ErrorType | None:
    text = _text(values, "error_type").strip()
    if text.lower() in {"", "n/a", "none"}:
        return None
    kind = kind_of(text)
    if kind is None:
        raise TouchstoneError(f"The error type is {text[:60]!r}. Known: {', '.join(ErrorType)}.")
    return kind

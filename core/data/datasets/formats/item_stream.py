"""Records become items one after the other, whatever their columns are called; one that cannot is refused and the rest go on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from core.data.dataset import Refusal
from core.data.datasets.formats import fields
from core.data.datasets.formats.column_map import BORDERLINE_WORDS, CONSISTENT_WORDS, INCONSISTENT_WORDS, NLI_COLUMNS
from core.data.datasets.formats.table_files import file_rows
from core.data.datasets.formats.text_files import NumberedRow, Row
from core.errors import TouchstoneError
from core.text import edits, join_contexts, locate_contexts, parse_claims, parse_contexts
from core.types import Context, Edit, ErrorType, Example, Item, Verdict

FIELD_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
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
        "system": ("system", "system_name", "model_name", "summarizer"),
        "group": (
            "group",
            "article_id",
            "doc_id",
            "doc_ref",
            "document_ref",
            "article_ref",
            "source_ref",
            "bbcid",
            "story_id",
        ),
        "slices": ("slices", "slice", "tags", "tag"),
        "contexts": ("contexts", "passages", "ctxs", "retrieved_contexts", "retrieval_context", "turns"),
        "question": ("question", "query", "user_input"),
        "claims": ("claims",),
        "claims_by": ("claims_by",),
    }
)
"""Names that a field may have: the first one that is there counts. Case does not matter, nor blanks for underscores."""

LABEL_WORDS: Mapping[str, Verdict] = MappingProxyType(
    dict.fromkeys(CONSISTENT_WORDS, Verdict.CONSISTENT)
    | dict.fromkeys(INCONSISTENT_WORDS, Verdict.INCONSISTENT)
    | dict.fromkeys(BORDERLINE_WORDS, Verdict.BORDERLINE)
)
"""Words that a label may be; 1 is consistent, as everywhere in Touchstone."""

_SHOWN_WORDS = (
    "consistent",
    "faithful",
    "supported",
    "true",
    "entailment",
    "1",
    "inconsistent",
    "unfaithful",
    "unsupported",
    "false",
    "contradiction",
    "0",
    "borderline",
)
_LONGEST_SYSTEM = 200  # characters of a name: chats have their system prompt under the same word
_ASSISTANTS = frozenset({"assistant", "gpt", "model"})

_ERROR_TYPES = {kind.value.lower(): kind for kind in ErrorType}


def match_columns(header: Iterable[str]) -> dict[str, str]:
    """Field → its name in this header. Raises TouchstoneError where the summary has none, or neither document nor contexts."""
    return _match_columns(tuple(header))


@lru_cache(maxsize=256)
def _match_columns(header: tuple[str, ...]) -> dict[str, str]:
    spelt = {"_".join(name.lower().replace("-", " ").split()): name for name in header}
    present = {field: [spelt[name] for name in names if name in spelt] for field, names in FIELD_NAMES.items()}
    for field in ("document", "summary"):
        if not present[field] and not (field == "document" and present["contexts"]):
            raise TouchstoneError(
                f"There is no {field}. Name it {' or '.join(FIELD_NAMES[field])}; "
                f"the names here are {', '.join(spelt.values()) or 'none'}."
            )
    return {field: names[0] for field, names in present.items() if names}


def items_of_record(record: Mapping[str, object], default_id: str) -> list[Item]:
    """The pair of a record whose columns have known names, or of a chat. Raises TouchstoneError with what is wrong."""
    record = pair_of_chat(record)
    names = match_columns(record)
    label = record[names["label"]] if "label" in names else None
    columns = (names.get("document", "").lower(), names["summary"].lower())
    if columns in NLI_COLUMNS and str(label).strip().isdigit():
        raise TouchstoneError(
            f"The label of a {columns[0]} and a {columns[1]} is the number {label}. Datasets of NLI mostly count entailment as 0, and "
            "here 1 is consistent: write entailment or contradiction, or import the file: cli.py import 'generic[consistent=0]' FILE."
        )
    return items_of_fields({field: record[name] for field, name in names.items()}, default_id)


def pair_of_chat(record: Mapping[str, object]) -> Mapping[str, object]:
    """A record with `messages` as a pair: what the assistant said last, and as the document what others said before it.

    Roles and texts as in Chat Completions, or as ShareGPT has them in `conversations`.
    """
    messages = record.get("messages", record.get("conversations"))
    if not isinstance(messages, list) or not messages or not all(isinstance(message, dict) for message in messages):
        return record
    turns = []
    for message in messages:
        content = message.get("content", message.get("value"))
        # in parts, of which what is no text, such as an image, is passed over
        if isinstance(content, list):
            parts = [part["text"] for part in content if isinstance(part, dict) and "text" in part]
            text = "\n".join(fields.clean_text("messages", part) for part in parts)
        else:
            text = fields.clean_text("messages", content)
        turns.append((str(message.get("role", message.get("from"))), text))
    answers = [place for place, (role, _) in enumerate(turns) if role in _ASSISTANTS]
    if not answers:
        raise TouchstoneError(
            "No message is by the assistant: there is no summary. Add its answer, or remove the record."
        )
    document = "\n\n".join(
        text for role, text in turns[: answers[-1]] if role not in {*_ASSISTANTS, "system", "developer"}
    )
    rest = {name: value for name, value in record.items() if value is not messages}
    return {"document": document, "summary": turns[answers[-1]][1], **rest}


def items_of_fields(values: Mapping[str, object], default_id: str) -> list[Item]:
    """The pair of some fields and, where it has an edit, the edited pair `<id>/edited` with the first as parent.

    With an edit, label and error type speak of the edited summary. Without a field `document` or `contexts` the text is joined
    later; without a `group` pairs of the same document are one.
    Raises TouchstoneError with what is wrong.
    """
    passages = [
        replace(
            passage, name=fields.clean_text("contexts", passage.name), text=fields.clean_text("contexts", passage.text)
        )
        for passage in parse_contexts(values.get("contexts") or [])
    ]
    document, contexts = fields.optional(values, "document"), tuple[Context, ...]()
    if passages:
        document, contexts = (document, locate_contexts(document, passages)) if document else join_contexts(passages)
    elif values.keys() & {"document", "contexts"}:
        document = _required_text(values, "document")
    name, question = fields.optional(values, "id") or default_id, fields.optional(values, "question")
    summary = _required_text(values, "summary")
    by = fields.optional(values, "claims_by")
    claims = parse_claims(values["claims"], by, summary) if "claims" in values else None
    pair = Example(name, document, summary, contexts, question, claims)
    group = fields.optional(values, "group") or (fields.document_key(document) if document else pair.id)
    domain, title = fields.optional(values, "domain"), fields.optional(values, "title")

    value = values.get("label")
    text = str(value).strip().lower() if isinstance(value, str | int | float) else ""
    if text not in LABEL_WORDS and value not in (None, ""):
        raise TouchstoneError(f"The label is {text[:60]!r}. Known: {', '.join(_SHOWN_WORDS)}, and words like these.")
    label, kind = LABEL_WORDS.get(text), fields.optional(values, "error_type").strip()
    has_error = kind.lower() not in {"", "n/a", "none"}
    error = parse_error_type(kind) if has_error else None
    if has_error and error is None:
        raise TouchstoneError(f"The error type is {kind[:60]!r}. Known: {', '.join(ErrorType)}.")
    changes = _edits_of(values, pair.summary)
    system = fields.optional(values, "system")
    plain = Item(
        pair,
        domain=domain,
        title=title,
        group=group,
        slices=parse_slices(values.get("slices")),
        system=system if len(system) <= _LONGEST_SYSTEM else "",
    )
    if not changes:
        return [replace(plain, intended=label, error_type=error)]
    edited = replace(pair, id=f"{pair.id}/edited", summary=edits.apply(pair.summary, changes))
    return [plain, replace(plain, example=edited, parent=pair.id, edits=changes, intended=label, error_type=error)]


def parse_error_type(text: str) -> ErrorType | None:
    """The error type of BUMP that a text names, with or without the word error; None where it names another."""
    return _ERROR_TYPES.get(text.strip().lower().removesuffix(" error"))


def _edits_of(values: Mapping[str, object], summary: str) -> tuple[Edit, ...]:
    edited = fields.optional(values, "edited")

    raw = values.get("edits")
    if raw is None or raw == "" or raw == []:
        declared: tuple[Edit, ...] = ()
    else:
        try:
            declared = tuple(edits.parse(raw if isinstance(raw, str) else json.dumps(raw), summary))
        except (RecursionError, ValueError):  # brackets in thousands, a number of thousands of digits
            raise TouchstoneError("The edits are too deep or too long to be read. Write a flat list.") from None

    if edited and declared and edits.apply(summary, declared) != edited:
        raise TouchstoneError("The edits do not lead to the edited summary. Leave one of the two out.")
    if edited == summary:
        raise TouchstoneError("The edited summary is the summary itself. Change it or leave it out.")
    return declared or tuple(edits.recover(summary, edited) if edited else ())


def _required_text(values: Mapping[str, object], field: str) -> str:
    text = fields.optional(values, field)
    if not text:
        raise TouchstoneError(f"The {field} is empty. Fill it in or remove the record.")
    if not isinstance(values[field], str):
        raise TouchstoneError(
            f"The {field} is the number {text}. Write it as a text, or name the column that has the texts."
        )
    return text


def parse_slices(cell: object) -> tuple[str, ...]:
    """The names of a list, or of a text that separates them by semicolons."""
    names = cell if isinstance(cell, list) else fields.clean_text("slices", cell).split(";")
    texts = (fields.clean_text("slices", name).strip() for name in names)
    return tuple(dict.fromkeys(filter(None, texts)))


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Place of a record: its file and its line or number, from 1."""

    path: Path
    number: int


RecordConverter = Callable[[Row, RecordPlace], Iterable[Item]]
"""The items of one record; raises TouchstoneError with what is wrong, naming the field."""

SeenItems = dict[str, tuple[str, int, int]]
"""The items that were read, by id: file, line, and the hash of their texts; of values that the garbage collector passes over."""


def matching_files(source: Path, *patterns: str) -> list[Path]:
    """The file itself, or the files of a folder and the folders in it that match a pattern, in order.

    Hidden ones are passed over, such as the copies of a notebook. Raises TouchstoneError where there is none.
    """
    if source.is_file():
        return [source]
    if not source.exists():
        raise TouchstoneError(f"There is no file or folder {source}. Check the path.")
    files = [path for pattern in patterns for path in source.rglob(pattern) if path.is_file()]
    paths = {path for path in files if not any(part.startswith(".") for part in path.relative_to(source).parts)}
    if not paths:
        raise TouchstoneError(f"No file in {source} is called {' or '.join(patterns)}. Check the path.")
    return sorted(paths)


def items_of_files(paths: Iterable[Path], convert: RecordConverter) -> Iterator[Item | Refusal]:
    """The items of all records of some files; ids are unique over all of them."""
    seen: SeenItems = {}
    for path in paths:
        yield from items_of_rows(file_rows(path), path, convert, seen)


def items_of_rows(
    lines: Iterable[NumberedRow], path: Path, convert: RecordConverter, seen: SeenItems
) -> Iterator[Item | Refusal]:
    """The items of records of one file, and what could not be read with its place."""
    for number, record in lines:
        if isinstance(record, str):
            yield Refusal(number, record, path.name)
            continue
        place = RecordPlace(path, number)
        try:
            yield from _new_items(list(convert(record, place)), place, seen)
        except TouchstoneError as error:
            yield Refusal(number, str(error), path.name)


def _new_items(record: list[Item], place: RecordPlace, seen: SeenItems) -> list[Item]:
    """The items of a record that were not read before; an original may come again with each of its edits."""
    originals = {item.parent for item in record}
    fresh = []
    for item in record:
        name, content = item.example.id, hash((item.example.document, item.example.summary))
        path, line, before = seen.get(name, (str(place.path), place.number, content))
        if name not in seen:
            fresh.append(item)
        elif name not in originals or before != content:
            file, here = Path(path), place.path
            label = f"{file.parent.name}/{file.name}" if file != here and file.name == here.name else file.name
            raise TouchstoneError(
                f"The id {name!r} is on line {line} of {label} already. Give line {place.number} another."
            )
    for item in fresh:
        content = hash((item.example.document, item.example.summary))
        seen[item.example.id] = (str(place.path), place.number, content)
    return fresh

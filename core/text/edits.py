"""Executable edits: parse and validate them, apply them, and recover them from two texts by a word diff."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise
from typing import TypeVar, cast

from diff_match_patch import diff_match_patch

from core.errors import AmbiguousEditError, EditError
from core.types import Edit, ErrorType, Intention, Span, Verdict

_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
_FIELDS = ("original_text", "replace_text", "explanation")

E = TypeVar("E", bound=StrEnum)

Segment = tuple[int, str]
"""(-1 deleted | 0 kept | 1 inserted, text)"""


def apply(text: str, edits: Sequence[Edit]) -> str:
    """Execute edits whose spans all refer to `text`. Raises EditError where two of them overlap or leave the text."""
    ordered = sorted(edits, key=lambda edit: edit.span)
    for edit in ordered:
        if not 0 <= edit.span.start <= edit.span.end <= len(text):
            raise EditError(
                f"An edit at {edit.span.start}–{edit.span.end} lies outside the text of {len(text)} characters."
            )
    for before, after in pairwise(ordered):
        if after.span.start < before.span.end:
            raise EditError(
                f"Two edits overlap at {before.span.of(text)!r} and {after.span.of(text)!r}. Merge them into one."
            )
    for edit in reversed(ordered):
        text = text[: edit.span.start] + edit.new + text[edit.span.end :]
    return text


def segments(original: str, edited: str) -> list[Segment]:
    """The word diff of two texts: kept and deleted segments join to `original`, kept and inserted ones to `edited`."""
    vocabulary: dict[str, str] = {}
    codes = [_encode(text, vocabulary) for text in (original, edited)]
    tokens = {code: token for token, code in vocabulary.items()}
    differ = diff_match_patch()
    differ.Diff_Timeout = 0.5
    diffs = differ.diff_main(codes[0], codes[1], False)
    differ.diff_cleanupSemantic(diffs)
    return [(op, "".join(tokens[code] for code in text)) for op, text in diffs]


def recover(original: str, edited: str, declared: Sequence[Edit] = ()) -> list[Edit]:
    """The executable edits that turn `original` into `edited`.

    A declared edit that is still there as a whole stays one edit with its explanation and author, even where the diff
    sees several changes in it or one change over it and its neighbour. Of two on the same words the later counts.
    """
    possible = list(declared) if edited != original else []
    while True:
        # edits in the order of the text, without the earlier of two that were given for the same words
        apart: list[Edit] = []
        for edit in reversed(possible):
            span, taken = edit.span, [other.span for other in apart]
            if not any(span == other or (span.start < other.end and other.start < span.end) for other in taken):
                apart.append(edit)
        separate = sorted(apart, key=lambda edit: edit.span)
        changes = _from_segments(segments(apply(original, separate), edited))
        # of the edits that were executed those whose new text is changed further, or added to at its ends
        touched = [
            edit
            for edit, image in zip(separate, _new_spans(separate), strict=True)
            if any(change.span.start <= image.end and image.start <= change.span.end for change in changes)
        ]
        if not touched:
            return sorted([*separate, *_map_back(separate, changes)], key=lambda edit: edit.span)
        possible = [edit for edit in possible if edit not in touched]


def as_segments(original: str, edits: Sequence[Edit]) -> list[Segment]:
    """The edits laid out as a diff of the original, one deletion and one insertion each."""
    laid: list[Segment] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        laid += [(0, original[position : edit.span.start]), (-1, edit.span.of(original)), (1, edit.new)]
        position = edit.span.end
    return [segment for segment in [*laid, (0, original[position:])] if segment[1]]


def abridge_unchanged(laid: Sequence[Segment], margin: int) -> list[Segment]:
    """The same diff with the inside of long kept stretches left out, `margin` characters next to every change kept."""
    last = len(laid) - 1
    abridged: list[Segment] = []
    for place, (op, text) in enumerate(laid):
        if op or len(text) <= 2 * margin:
            abridged.append((op, text))
            continue
        # a word that the margin cuts through is left out, unless it is all there is
        head = "" if place == 0 else text[:margin].rpartition(" ")[0] or text[:margin]
        tail = "" if place == last else text[-margin:].partition(" ")[2] or text[-margin:]
        abridged.append((op, f"{head} … {tail}"))
    return abridged


def parse(text: str, summary: str, by: str = "") -> list[Edit]:
    """Read executable-edit JSON, one object or a list, against the summary that it edits.

    Fields: `original_text` (a substring of the summary), `replace_text`, `explanation`, what `intention_of` reads, and `occurrence` (from 1) where
    the substring stands more than once. Raises EditError with what is wrong and what to do, AmbiguousEditError where
    only the occurrence is missing.
    """
    records = _records(text)
    if not records:
        raise EditError("The list of edits is empty. Give at least one object with " + ", ".join(_FIELDS) + ".")
    edits = [_parse_numbered(records, number, summary, by) for number in range(len(records))]
    apply(summary, edits)
    return edits


def intention_of(text: str) -> Intention:
    """Intention of executable-edit JSON, from the fields `intended` and `error_type` of any of them.

    An error type alone means inconsistent. Raises EditError for a value that does not exist.
    """
    records = [record for record in _records(text) if isinstance(record, dict)]
    stated = {name: next((r[name] for r in records if r.get(name)), None) for name in ("intended", "error_type")}
    return stated_intention(stated["intended"], stated["error_type"])


def stated_intention(intended: object, error_type: object) -> Intention:
    """The intention that input from outside names. Raises EditError for a value that does not exist."""
    error = _choose(ErrorType, error_type, "error_type") if error_type else None
    verdict = _choose(Verdict, intended, "intended") if intended else None
    return Intention(verdict or (Verdict.INCONSISTENT if error else None), error)


def with_occurrence(text: str, record: int, occurrence: int) -> str:
    """The same JSON with the occurrence, from 1, that one of its records means."""
    records = _records(text)
    entry = cast(dict[str, object], records[record])
    return json.dumps(
        [*records[:record], {**entry, "occurrence": occurrence}, *records[record + 1 :]], ensure_ascii=False
    )


def to_records(summary: str, edits: Sequence[Edit]) -> list[dict[str, str | int]]:
    """Edits as JSON-able records in the order of the text that `parse` reads back.

    An insertion is written on a neighbouring word, as far as no other edit claims it.
    """
    ordered = sorted(edits, key=lambda edit: edit.span)
    limits = [*(edit.span.start for edit in ordered[1:]), len(summary)]
    written = [Edit(Span(0, 0), "")]
    for edit, limit in zip(ordered, limits, strict=True):
        written.append(_anchor_insertion(summary, edit, Span(written[-1].span.end, limit)))
    records = []
    for edit in written[1:]:
        old = edit.span.of(summary)
        record: dict[str, str | int] = {
            "original_text": old,
            "replace_text": edit.new,
            "explanation": edit.explanation,
        }
        places = occurrences(old, summary)
        if len(places) != 1:
            record["occurrence"] = places.index(edit.span) + 1
        records.append(record)
    return records


def occurrences(part: str, text: str) -> list[Span]:
    """Spans of `part` in `text`, overlapping ones included."""
    spans, start = [], text.find(part)
    while part and start >= 0:
        spans.append(Span(start, start + len(part)))
        start = text.find(part, start + 1)
    return spans


def _encode(text: str, vocabulary: dict[str, str]) -> str:
    # one private character a word, so that the diff moves whole words; surrogates are no characters
    for token in _TOKEN.findall(text):
        number = len(vocabulary) + 0x100
        vocabulary.setdefault(token, chr(number if number < 0xD800 else number + 0x800))
    return "".join(vocabulary[token] for token in _TOKEN.findall(text))


def _from_segments(diff: Sequence[Segment]) -> list[Edit]:
    edits: list[Edit] = []
    position, touching = 0, False
    for op, text in diff:
        if op == 0:
            position, touching = position + len(text), False
            continue
        if not touching:
            edits.append(Edit(Span(position, position), ""))
        last = edits[-1]
        removed = len(text) if op < 0 else 0
        edits[-1] = Edit(Span(last.span.start, last.span.end + removed), last.new + (text if op > 0 else ""))
        position, touching = position + removed, True
    return edits


def _new_spans(edits: Sequence[Edit]) -> list[Span]:
    """Spans of the new texts of ordered edits once they are executed."""
    images, shift = [], 0
    for edit in edits:
        start = edit.span.start + shift
        images.append(Span(start, start + len(edit.new)))
        shift = images[-1].end - edit.span.end
    return images


def _map_back(executed: Sequence[Edit], changes: Sequence[Edit]) -> list[Edit]:
    """Changes of the text after some edits, apart from these, as changes of the text before them."""
    images = _new_spans(executed)
    moved = []
    for change in changes:
        passed = [i for i, image in enumerate(images) if image.end < change.span.start]
        shift = images[passed[-1]].end - executed[passed[-1]].span.end if passed else 0
        moved.append(replace(change, span=Span(change.span.start - shift, change.span.end - shift)))
    return moved


def _records(text: str) -> list[object]:
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        problem = f"{error.msg} at line {error.lineno}, column {error.colno}"
    except (RecursionError, ValueError):  # brackets in thousands, a number of thousands of digits
        problem = "it is too deep or too long to be read"
    else:
        return raw if isinstance(raw, list) else [raw]
    raise EditError(
        f"This is not JSON of an edit: {problem}. "
        'Write {"original_text": "…", "replace_text": "…", "explanation": "…"} or a list of such objects.'
    )


def _parse_numbered(records: Sequence[object], number: int, summary: str, by: str) -> Edit:
    """One record of several; its errors say which it is."""
    where = f"Edit {number + 1} of {len(records)}: " if len(records) > 1 else ""
    try:
        return _parse_edit(records[number], summary, by)
    except AmbiguousEditError as error:
        raise AmbiguousEditError(f"{where}{error}", error.places, number) from None
    except EditError as error:
        raise EditError(f"{where}{error}") from None


def _parse_edit(record: object, summary: str, by: str) -> Edit:
    if not isinstance(record, dict):
        raise EditError(f"Expected an object with {', '.join(_FIELDS)}; got {json.dumps(record)[:60]}.")
    for name in _FIELDS:
        if not isinstance(record.get(name), str):
            raise EditError(f"The field {name!r} is missing or not a text. An edit has {', '.join(_FIELDS)}.")
    old, new, explanation = (cast(str, record[name]) for name in _FIELDS)
    if old == new:
        raise EditError(f"Nothing changes: original_text and replace_text are both {old!r}.")
    if not explanation.strip():
        raise EditError("The explanation is empty. Say why the edited summary is (in)consistent with the document.")
    return Edit(_locate(old, summary, record.get("occurrence")), new, explanation.strip(), by)


def _choose(kind: type[E], value: object, field: str) -> E:
    choice = {member.value.casefold(): member for member in kind}.get(str(value).casefold())
    if choice is None:
        raise EditError(f"{field} is {json.dumps(value)[:60]}. Known: {', '.join(kind)}.")
    return choice


def _locate(old: str, summary: str, occurrence: object) -> Span:
    places = occurrences(old, summary)
    if not old:
        raise EditError("original_text is empty. To insert, name a neighbouring word and repeat it in replace_text.")
    if not places:
        raise EditError(f"{old!r} is not a substring of the summary. Copy it exactly, with case and punctuation.")
    if occurrence is None and len(places) == 1:
        return places[0]
    contexts = [f"“…{summary[max(0, place.start - 20) : place.end + 20]}…”" for place in places]
    shown = "; ".join(f"{number}: {context}" for number, context in enumerate(contexts, 1))
    if occurrence is None:
        message = f'{old!r} occurs {len(places)} times. Add "occurrence": a number, or lengthen original_text. {shown}'
        raise AmbiguousEditError(message, contexts)
    if not isinstance(occurrence, int) or isinstance(occurrence, bool) or not 1 <= occurrence <= len(places):
        raise EditError(f"occurrence is {json.dumps(occurrence)}; {old!r} occurs {len(places)} times. {shown}")
    return places[occurrence - 1]


def _anchor_insertion(summary: str, edit: Edit, room: Span) -> Edit:
    """An insertion as a replacement of the word before or after it, within the room that other edits leave."""
    if edit.span.start < edit.span.end:
        return edit
    before = re.split(r"(?<=\s)(?=\S)", summary[room.start : edit.span.start])[-1]
    after = re.split(r"(?<=\S)(?=\s)", summary[edit.span.end : room.end])[0]
    if before.strip() or (before and not after.strip()):
        return replace(edit, span=Span(edit.span.start - len(before), edit.span.end), new=before + edit.new)
    if after:
        return replace(edit, span=Span(edit.span.start, edit.span.end + len(after)), new=edit.new + after)
    raise EditError(f"There is no word to write the insertion of {edit.new!r} on. Merge it with its neighbours.")

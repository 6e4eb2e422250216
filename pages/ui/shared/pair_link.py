"""Links that restore a pair with its edits."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from core.edits import EditableClaims
from core.errors import TouchstoneError
from core.text import edits as executable
from core.types import (
    UNSTATED,
    Edit,
    Intention,
    Span,
    T,
)


@dataclass(frozen=True, slots=True)
class PinnedEdit:
    """An edit of the pair that is kept beside others to be compared, what it is meant to be, and the system that wrote it, if one did."""

    edits: tuple[Edit, ...]
    meant: Intention = UNSTATED
    system: str = ""


_MAX_EDIT_BYTES = 200_000  # bytes of edits after unpacking; a link is input from outside


def pair_link(
    example: str,
    summary: str,
    edits: Sequence[Edit],
    meant: Intention,
    pinned: Sequence[PinnedEdit] = (),
    claims: EditableClaims | None = None,
) -> str:
    """The query of a link to an example with these edits of its summary, what they are meant to be, and what was added to it.

    That are the pinned edits and the claims of the edited summary.
    """
    parts = {"example": example}
    if edits:
        stated = {"edits": pack_edits(summary, edits), "intended": meant.verdict, "error_type": meant.error_type}
        parts |= {name: str(value) for name, value in stated.items() if value}
    if pinned:
        parts["pinned"] = _pack(
            [
                [
                    _plain_edits(summary, pin.edits),
                    *(pin.meant.verdict or "", pin.meant.error_type or ""),
                    *([pin.system] if pin.system else []),
                ]
                for pin in pinned
            ]
        )
    if claims:
        parts["claims"] = _pack(claims.to_json())
    return "?" + urlencode(parts)


def pack_edits(summary: str, edits: Sequence[Edit]) -> str:
    """Edits as URL-safe text."""
    return _pack(_plain_edits(summary, edits))


def unpack_edits(text: str, summary: str) -> list[Edit]:
    """The edits in a link. Raises TouchstoneError where it is damaged or belongs to another summary."""
    return _unpack(text, lambda records: _edits_of_records(records, summary))


def unpack_pinned(text: str, summary: str) -> tuple[PinnedEdit, ...]:
    """The pinned edits in a link, none in an empty text. Raises as `unpack_edits` does."""

    def read(record: object) -> PinnedEdit:
        match record:
            case [list(edits), str(verdict), str(error_type), *names] if all(isinstance(name, str) for name in names):
                meant = executable.stated_intention(verdict, error_type)
                return PinnedEdit(tuple(_edits_of_records(edits, summary)), meant, str(next(iter(names), "")))
        raise ValueError("a pinned edit cannot be read")

    return _unpack(text, lambda records: tuple(map(read, records))) if text else ()


def unpack_claims(text: str, summary: str) -> EditableClaims | None:
    """The claims of this summary in a link, None in an empty text. Raises as `unpack_edits` does."""
    return _unpack(text, lambda record: EditableClaims.from_json(record, summary)) if text else None


def _edits_of_records(records: Iterable[object], summary: str) -> list[Edit]:
    edits = []
    for record in records:
        match record:
            case [int(start), int(end), str(old), str(new), str(explanation)] if summary[start:end] == old:
                edits.append(Edit(Span(start, end), new, explanation))
            case _:
                raise ValueError("an edit does not fit the summary")
    executable.apply(summary, edits)
    return edits


def _plain_edits(summary: str, edits: Sequence[Edit]) -> list[list[object]]:
    return [[edit.span.start, edit.span.end, edit.span.of(summary), edit.new, edit.explanation] for edit in edits]


def _pack(plain: object) -> str:
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(plain, ensure_ascii=False).encode(), 9)).decode()


def _unpack(text: str, read: Callable[[Any], T]) -> T:
    try:
        packed = zlib.decompressobj().decompress(base64.urlsafe_b64decode(text), _MAX_EDIT_BYTES)
        return read(json.loads(packed))
    except (binascii.Error, zlib.error, ValueError, TypeError) as error:
        raise TouchstoneError(f"The edits in this link cannot be read ({error}). Ask for the link again.") from None

"""Links that restore a pair and its edits: `?example=…&edits=…`."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Sequence
from urllib.parse import urlencode

from core import edits as executable
from core.errors import TouchstoneError
from core.types import Edit, Span

_LONGEST = 200_000  # bytes of edits after unpacking; a link is input from outside


def link(example: str, summary: str, edits: Sequence[Edit]) -> str:
    """The query of a link to an example with these edits of its summary."""
    return "?" + urlencode({"example": example} | ({"edits": pack(summary, edits)} if edits else {}))


def pack(summary: str, edits: Sequence[Edit]) -> str:
    """Edits as URL-safe text."""
    plain = [[edit.span.start, edit.span.end, edit.span.of(summary), edit.new, edit.explanation] for edit in edits]
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(plain, ensure_ascii=False).encode(), 9)).decode()


def unpack(text: str, summary: str) -> list[Edit]:
    """The edits in a link. Raises TouchstoneError where it is damaged or belongs to another summary."""
    try:
        packed = zlib.decompressobj().decompress(base64.urlsafe_b64decode(text), _LONGEST)
        edits = [_edit(record, summary) for record in json.loads(packed)]
    except (binascii.Error, zlib.error, ValueError, TypeError) as error:
        raise TouchstoneError(f"The edits in this link cannot be read ({error}). Ask for the link again.") from None
    executable.apply(summary, edits)
    return edits


def _edit(record: object, summary: str) -> Edit:
    match record:
        case [int(start), int(end), str(old), str(new), str(explanation)] if summary[start:end] == old:
            return Edit(Span(start, end), new, explanation)
    raise ValueError("an edit does not fit the summary")

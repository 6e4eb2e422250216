"""Claims as a file of pairs has them: `claims`, texts or objects with `text`, `start` and `end`, and `claims_by`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.errors import TouchstoneError
from core.types import ClaimList, Span, SummaryClaim

_MAX_BY_CHARACTERS = 300  # of what claims were found by, which stands in signatures


def claim_record(claim: SummaryClaim) -> dict[str, Any]:
    """A claim; `start` and `end` are its place in the summary, where that is known."""
    return {"text": claim.text, **({"start": claim.span.start, "end": claim.span.end} if claim.span else {})}


def claims_to_json(claims: ClaimList) -> dict[str, Any]:
    """The two fields of a list of claims."""
    return {"claims": [claim_record(claim) for claim in claims.claims], "claims_by": claims.by}


def parse_claims(raw_claims: object, by: str, summary: str) -> ClaimList | None:
    """The claims that came with a summary, in a cell as JSON; None where there are none.

    Raises TouchstoneError for anything else, for a blank claim, and for a place that is not in the summary.
    """
    if isinstance(raw_claims, str) and raw_claims.strip():
        try:
            raw_claims = json.loads(raw_claims)
        except (ValueError, RecursionError):
            raise TouchstoneError(
                f'The claims are {str(raw_claims)[:60]!r}. Write them as JSON, ["text", …], or give the field another name.'
            ) from None
    if raw_claims in (None, "", []):
        return None
    if not isinstance(raw_claims, list | tuple):
        raise TouchstoneError(
            f"The claims must be a list of texts, or of objects with text; got {type(raw_claims).__name__}."
        )
    claims = tuple(_parse_claim(entry, number, summary) for number, entry in enumerate(raw_claims, 1))
    return ClaimList(summary, claims, clean_origin(by))


def clean_origin(by: str) -> str:
    """Origin of claims, cleaned so that it can be part of a signature."""
    return " ".join(by.replace("|", " ").split())[:_MAX_BY_CHARACTERS]


def _parse_claim(entry: object, number: int, summary: str) -> SummaryClaim:
    fields = entry if isinstance(entry, Mapping) else {"text": entry}
    text = fields.get("text")
    if not isinstance(text, str) or not text.strip():
        raise TouchstoneError(
            f"Claim {number} has no text. Write it as a text, or as an object with text; give the field another name where it "
            "holds something else."
        )
    match fields.get("start"), fields.get("end"):
        case None, None:
            return SummaryClaim(text)
        case int(start), int(end) if 0 <= start < end <= len(summary):
            return SummaryClaim(text, Span(start, end))
        case start, end:
            raise TouchstoneError(
                f"Claim {number} is at {start!r} to {end!r}, which is no place in a summary of {len(summary)} characters. Leave start "
                "and end out, or count them from 0."
            )

"""Licences as the Hugging Face hub writes them in the head of a card."""

from __future__ import annotations

HUB_LICENCES = frozenset(
    [
        *("apache-2.0", "mit", "afl-3.0", "bsd-2-clause", "bsd-3-clause", "gpl-3.0", "unlicense"),
        *("cc0-1.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nd-4.0"),
        *("cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cc-by-nc-nd-4.0"),
        *("odc-by", "odbl", "pddl", "cdla-permissive-2.0", "cdla-sharing-1.0", "c-uda"),
    ]
)
"""Identifiers that the hub takes for data (huggingface.co/docs/hub/repositories-licenses); any other is refused there."""


def licence_fields(licence: str) -> dict[str, str]:
    """Fields of a card's head: an identifier such as cc-by-4.0, or the name of another licence."""
    if not licence:
        return {"license": "unknown"}
    is_listed = licence.lower() in HUB_LICENCES
    return {"license": licence.lower()} if is_listed else {"license": "other", "license_name": licence}

"""The list of what was saved, as a table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from annotations.records import SavedRow


def saved_rows_table(saved: Sequence[SavedRow]) -> pd.DataFrame:
    """One row per kept pair and label, newest first, with a link that opens it in Probe."""
    return pd.DataFrame(
        {
            "open": [f"/?example={row.item_id}" for row in saved],
            "when": [row.created_at for row in saved],
            "what": [row.kind for row in saved],
            "by": [row.by for row in saved],
            "verdict": [row.verdict or "" for row in saved],
            "error type": [row.error_type or "" for row in saved],
            "confidence": [row.confidence for row in saved],
            "revision": [row.revision for row in saved],
            "title": [row.title for row in saved],
            "summary": [row.text for row in saved],
            "note": [row.note for row in saved],
        }
    )

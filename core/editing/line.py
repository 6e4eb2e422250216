"""An accepted edit as a line of pairs, which every other command and the importer of pairs read."""

from __future__ import annotations

from core.editing.proposal import INTENDED, Accepted
from core.edits import to_records
from core.extrinsic import origin
from core.report import Record
from core.trivial import Opinion, trivial
from core.types import Item


def as_pair(source: Item, accepted: Accepted, opinion: Opinion | None) -> Record:
    """The source with one edit; `trivial` tells what the rule and, where it was asked, the model says of it."""
    example = source.example
    by_rule = trivial(accepted.edit, example.summary)
    return {
        "id": f"{example.id}/{accepted.number}",
        "source": example.id,
        "document": example.document,
        "summary": example.summary,
        "edited": accepted.edited,
        "edits": to_records(example.summary, [accepted.edit]),
        "label": INTENDED.value,
        "signature": accepted.edit.by,
        "trivial": {
            "rule": by_rule and by_rule.value,
            "model": opinion and (opinion.kind.value if opinion.kind else "other"),
        },
        "origin": origin(accepted.edit, example.summary, example.document),
        "remarks": list(accepted.remarks),
        "group": source.group,
        "domain": source.domain,
    }

"""Two stress runs as the sides of a comparison: the summaries that both scored, labelled by what made them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from core.edits import Intent
from core.errors import TouchstoneError
from core.results import (
    Cases,
    MetricScores,
    ScoreRecord,
    StressRun,
    VariantKey,
    intent_of,
    pool_cases,
    run_from_lines,
    scored_sample,
)
from core.types import Example, Item, Verdict

_VERDICTS: dict[Intent, Verdict] = {"breaking": Verdict.INCONSISTENT, "preserving": Verdict.CONSISTENT}
_FIRST_BYTES = 65_536


def is_stress_run(path: Path) -> bool:
    """True if the first line of a file is the plan of a run."""
    with path.open("rb") as file:
        line = file.readline(_FIRST_BYTES)
    try:
        record = json.loads(line)
    except ValueError:
        return False
    return isinstance(record, dict) and record.get("record") == "plan"


def read_stress_run(path: Path) -> StressRun:
    """The run of a file that `stress` wrote."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise TouchstoneError(f"{path} is no text in UTF-8 ({error}). Give a file that `stress` wrote.") from None
    return run_from_lines(line for line in lines if line)


def shared_texts(
    before: StressRun, after: StressRun
) -> tuple[Cases, tuple[dict[str, MetricScores], dict[str, MetricScores]], int]:
    """The texts that two runs have in common, as cases and as the scores of both sides; and how many only one of them has.

    Originals and harmless edits are consistent, broken variants are not, and phrases that game metrics have no label. Raises TouchstoneError where the runs have no text in common.
    """
    texts = [_texts(run) for run in (before, after)]
    common = [key for key, text in texts[0].items() if texts[1].get(key) == text]
    if not common:
        raise TouchstoneError("The two runs have no text in common. Compare runs of the same pairs, kinds and seed.")
    common_keys, items = set(common), []
    for id, kind in common:
        source = before.sources[id]
        if not kind:
            items.append(Item(source.example, intended=Verdict.CONSISTENT, domain=source.domain, group=source.group))
            continue
        items.append(
            Item(
                Example(_text_id(id, kind), source.example.document, before.variants[id, kind].summary or ""),
                parent=id if (id, "") in common_keys else None,
                intended=_VERDICTS.get(intent_of(kind)),
                domain=source.domain,
                group=source.group,
            )
        )
    return (
        pool_cases([[scored_sample("stress", item, ()) for item in items]]),
        (_sides_of_run(before, common), _sides_of_run(after, common)),
        sum(len(run_texts.keys() - set(common)) for run_texts in texts),
    )


def _texts(run: StressRun) -> dict[VariantKey, tuple[str, str]]:
    """Document and summary by source and kind, "" for the source itself."""
    sources = {(id, ""): (source.example.document, source.example.summary) for id, source in run.sources.items()}
    variants = {
        (id, kind): (run.sources[id].example.document, variant.summary)
        for (id, kind), variant in run.variants.items()
        if variant.summary is not None
    }
    return sources | variants


def _sides_of_run(run: StressRun, keys: Sequence[VariantKey]) -> dict[str, MetricScores]:
    """The scores of every metric of a run."""
    shared_keys = set(keys)
    scored: list[ScoreRecord] = [
        reading for reading in run.readings.values() if (reading.source, reading.kind) in shared_keys
    ]
    sides = {}
    for metric in run.plan.metrics:
        of_metric = [reading for reading in scored if reading.metric == metric]
        scores = {
            _text_id(reading.source, reading.kind): reading.value for reading in of_metric if reading.value is not None
        }
        signature = next((reading.signature for reading in of_metric if reading.signature), "")
        sides[metric] = MetricScores(metric, signature, scores)
    return sides


def _text_id(source: str, kind: str) -> str:
    return f"{source}, {kind}" if kind else source

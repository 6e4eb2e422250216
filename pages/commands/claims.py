"""`cli.py claims`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, TextIO

import typer

from core.claim import DECOMPOSERS, decomposition
from core.claim_records import claims_to_json
from core.contexts import optional_fields
from core.dataset import Refusal
from core.outcome_record import json_line
from core.settings import Settings
from core.types import ClaimList, Failure, Item
from pages.commands.shared.inputs import (
    open_output,
    read_items,
    refuse_overwriting_input,
    start_reading,
)
from pages.commands.shared.messages import (
    download_checkpoints,
    exit_with_failures,
    open_engine,
    print_estimate,
    print_spent,
    print_status,
    with_progress,
)
from pages.commands.shared.options import BatchOption


def command(
    pairs: Annotated[Path, typer.Argument(help="JSONL or CSV with id, document, summary; or a folder of blocks.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per pair.")],
    by: Annotated[
        str,
        typer.Option(help="sentence, fenice or language-model, with settings as language-model[model=local:FOLDER]."),
    ] = "sentence",
    batch: BatchOption = False,
) -> None:
    """Write the pairs of a file with the claims of each summary, which `score --metric claims[metric=…,by=given]` reads.

    A summary without claims has `claims` null and the reason in `error`; it leaves exit status 1.
    """
    way = DECOMPOSERS.parse(by)
    refuse_overwriting_input(pairs, output)
    refusals: list[Refusal] = []
    items = list(start_reading(read_items(pairs, refusals)))
    with open_engine(Settings.read(), batch) as engine:
        download_checkpoints(engine.pool, way.checkpoints())
        asked = [decomposition(way, item.example) for item in items]
        print_estimate(engine, asked)
        outcomes = (outcome for _, outcome in engine.converse(asked))
        with open_output(output) as file:
            failed = _write_claims(file, zip(items, outcomes, strict=True), len(items))
        spent = engine.spent()
    print_spent(spent)
    exit_with_failures(refusals, failed)


def _write_claims(file: TextIO, found: Iterable[tuple[Item, ClaimList | Failure]], total: int) -> int:
    """Write a line for each summary, and say how many claims there are; how many summaries have none."""
    count = failed = 0
    for item, outcome in with_progress(found, "summaries", total):
        file.write(json_line(_claims_line(item, outcome)))
        count += 0 if isinstance(outcome, Failure) else len(outcome.claims)
        failed += isinstance(outcome, Failure)
    print_status(f"{count} claims of {total - failed} summaries.")
    if failed:
        print_status(f"Summaries without claims: {failed}. The field `error` says why.")
    return failed


def _claims_line(item: Item, outcome: ClaimList | Failure) -> dict[str, object]:
    pair = item.example
    label = {"label": item.intended.value} if item.intended else {}
    line = {"id": pair.id, "document": pair.document, "summary": pair.summary, **optional_fields(pair), **label}
    if isinstance(outcome, Failure):
        return {**line, "group": item.group, "claims": None, "error": outcome.message}
    return {**line, "group": item.group, **claims_to_json(outcome)}

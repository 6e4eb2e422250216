"""`cli.py claims`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.data import Refusal
from core.scoring import DECOMPOSERS, decomposition, json_line
from core.settings import Settings
from core.text import claims_to_json, optional_fields
from core.types import Failure
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

EXAMPLE = "python cli.py claims pairs.jsonl --by fenice -o claims.jsonl"


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
        conversations = [decomposition(way, item.example) for item in items]
        print_estimate(engine, conversations)
        outcomes = (outcome for _, outcome in engine.converse(conversations))
        with open_output(output) as file:
            count = failed = 0
            for item, outcome in with_progress(zip(items, outcomes, strict=True), "summaries", len(items)):
                pair = item.example
                label = {"label": item.intended.value} if item.intended else {}
                line = {
                    "id": pair.id,
                    "document": pair.document,
                    "summary": pair.summary,
                    **optional_fields(pair),
                    **label,
                }
                if isinstance(outcome, Failure):
                    claims = {"claims": None, "error": outcome.error}
                    failed += 1
                else:
                    claims = claims_to_json(outcome)
                    count += len(outcome.claims)
                file.write(json_line({**line, "group": item.group, **claims}))
            print_status(f"{count} claims of {len(items) - failed} summaries.")
            if failed:
                print_status(f"Summaries without claims: {failed}. The field `error` says why.")
        spent = engine.spent()
    print_spent(spent)
    exit_with_failures(refusals, failed)

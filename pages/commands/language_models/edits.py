"""`cli.py edits`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from core.data import Refusal
from core.edits import EditForm, Editor, TrivialFilter, UnusedEdit, UnusedReason, edited_pairs, read_edit_examples
from core.results import draw_sample
from core.scoring import json_line
from core.settings import Settings
from pages.commands.shared.inputs import open_output, read_items, refuse_overwriting_input
from pages.commands.shared.messages import (
    exit_with_failures,
    open_engine,
    print_estimate,
    print_own_words,
    print_spent,
    print_status,
)
from pages.commands.shared.options import (
    BatchOption,
    DrawSeedOption,
    EndpointOption,
    ModelOption,
    MostOption,
    SampleOption,
    TemperatureOption,
    WordsOption,
)

EXAMPLE = "python cli.py edits pairs.jsonl -o edits.jsonl"


def command(
    pairs: Annotated[Path, typer.Argument(help="JSONL or CSV with id, document, summary.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one pair per edit that can be used.")],
    model: ModelOption = "",
    endpoint: EndpointOption = "",
    form: Annotated[
        EditForm, typer.Option(help="Replacements that are executed, or whole summaries that are compared.")
    ] = EditForm.EXECUTABLE,
    trivial: Annotated[
        TrivialFilter | None,
        typer.Option(
            help="Which trivial edits to leave out: none, those of the rule (the default), of the model (that of --paper, as it did), "
            "or of either (both)."
        ),
    ] = None,
    temperature: TemperatureOption = 0.7,
    sample: SampleOption = 0,
    most: MostOption = None,
    seed: DrawSeedOption = 0,
    batch: BatchOption = False,
    paper: WordsOption = "",
    examples: Annotated[
        Path | None,
        typer.Option(
            help="Good and bad examples that the prompt shows: JSONL or CSV with kind (good or bad), original_text, replace_text, and "
            "document, explanation, why where there are some. The signature has their hash."
        ),
    ] = None,
) -> None:
    """Ask a language model for six edits of every summary of a file, each of which makes it inconsistent in one place."""
    refuse_overwriting_input(pairs, output)
    shown = read_edit_examples(examples) if examples else ""
    editor = Editor(form, model, endpoint, temperature=temperature, sample=sample, profile=paper, examples=shown)
    print_own_words([f"@{paper}"])
    print_status(f"Asking {editor.signature}")  # raises before anything is overwritten where nobody can be asked
    trivial = trivial or ("model" if paper else "rule")
    print_status(f"Trivial edits are left out by: {trivial}.")
    refusals: list[Refusal] = []
    unedited = [item for item in read_items(pairs, refusals) if not item.parent]
    originals = draw_sample(unedited, most or len(unedited), seed)
    with open_engine(Settings.read(), batch) as engine, open_output(output) as file:
        print_estimate(engine, (editor.propose_conversation(item.example) for item in originals))
        unused: Counter[UnusedReason] = Counter()
        written = 0
        for edit in edited_pairs(engine, editor, originals, trivial):
            if isinstance(edit, UnusedEdit):
                unused[edit.reason_kind] += 1
                print_status(f"{edit.source} {edit.reason_kind}: {edit.error}")
            else:
                file.write(json_line(edit))
                written += 1
        print_status(f"Edits written: {written}.")
        spent = engine.spent()
    if reasons := ", ".join(reason.count_phrase(count) for reason, count in unused.items()):
        print_status(f"Not used: {reasons}.")
    print_spent(spent)
    exit_with_failures(refusals, unused[UnusedReason.FAILED])

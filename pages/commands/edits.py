"""`cli.py edits`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Annotated, TextIO

import typer

from core.dataset import Refusal
from core.datasets.pairs import Pairs
from core.editing.batch import Sieve, Unused, edited_pairs
from core.editing.editor import Editor
from core.editing.proposal import Form, Why
from core.engine import Engine
from core.llm.words import told_spent
from core.report import Record as Line
from core.settings import Settings
from core.types import Item
from pages.terminal.files import items_of, keep_apart, opened
from pages.terminal.options import AskedEndpoint, AskedModel, Draw, Temperature
from pages.terminal.saying import say, say_estimate


def command(
    pairs: Annotated[Path, typer.Argument(help="JSONL or CSV with id, document, summary.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one pair per edit that can be used.")],
    model: AskedModel = "",
    endpoint: AskedEndpoint = "",
    form: Annotated[
        Form, typer.Option(help="Replacements that are executed, or whole summaries that are compared.")
    ] = Form.EXECUTABLE,
    trivial: Annotated[
        Sieve,
        typer.Option(help="Leave out trivial edits by nobody's verdict, the rule's, or the rule's and the model's."),
    ] = "rule",
    temperature: Temperature = 0.7,
    sample: Draw = 0,
) -> None:
    """Ask a language model for six edits of every summary of a file, each of which makes it inconsistent in one place."""
    keep_apart(pairs, output)
    editor = Editor(form, model, endpoint, temperature=temperature, sample=sample)
    say(f"Asking {editor.signature}")  # raises before anything is overwritten where nobody can be asked
    refusals: list[Refusal] = []
    read = (found.example for found in Pairs().read(pairs) if isinstance(found, Item) and not found.parent)
    originals = (item for item in items_of(pairs, refusals) if not item.parent)
    with closing(Engine.open(Settings.read())) as engine, opened(output) as file:
        say_estimate(engine, map(editor.proposing, read))
        unused = _write_edits(file, edited_pairs(engine, editor, originals, trivial))
        spent = engine.spent()
    if reasons := ", ".join(why.of(count) for why, count in unused.items()):
        say(f"Not used: {reasons}.")
    if spent:
        say(f"Spent: {told_spent(spent)}.")
    if refusals:
        raise typer.Exit(2)


def _write_edits(file: TextIO, found: Iterable[Line | Unused]) -> Counter[Why]:
    """Write a line for each pair and say why each other edit is not used; how many there are of which kind."""
    unused: Counter[Why] = Counter()
    written = 0
    for one in found:
        if isinstance(one, Unused):
            unused[one.why] += 1
            say(f"{one.source} {one.why}: {one.reason}")
        else:
            file.write(json.dumps(one, ensure_ascii=False, allow_nan=False) + "\n")
            written += 1
    say(f"Edits written: {written}.")
    return unused

"""`cli.py paper-words`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.assessment import find_in_copy, save_words
from core.base import read_profile
from core.errors import BadSettingError, TouchstoneError, UnknownNameError
from core.models import papers_with_words, printed_words, replacements_folder
from pages.commands.shared.messages import print_status, with_progress

EXAMPLE = "python cli.py paper-words longdoc 2511.07689.pdf"


def command(
    paper: Annotated[str, typer.Argument(help=f"{', '.join(papers_with_words())}.")],
    file: Annotated[Path, typer.Argument(help="Your copy of the paper: .pdf, or its text as .txt.")],
) -> None:
    """Take the prompts, phrases or instructions of a paper out of your copy of it, each checked by its hash, for paper mode and campaigns."""
    words = printed_words(paper)
    if words is None:
        raise UnknownNameError("paper with words", paper, papers_with_words())
    folder = replacements_folder()
    if folder is None:
        raise BadSettingError("TOUCHSTONE_PROMPTS_DIR is set to nothing. Set it to a folder to keep prompts in.")
    if not file.is_file():
        raise TouchstoneError(f"There is no file {file}. Name your copy of {read_profile(paper).paper}.")
    texts, missing = find_in_copy(file.name, file.read_bytes(), words, lambda pages: with_progress(pages, "pages read"))
    number = len(words.pieces) - len(missing)
    if texts:
        print_status(f"Wrote {number} of {len(words.pieces)} texts into {save_words(texts, words, folder)}.")
    for piece in words.pieces:
        state = "not found" if piece in missing else "found"
        typer.echo(f"{state:9}  {piece.name}, {piece.part}: {piece.where}")
    for line in words.unprinted:
        print_status(f"Not printed: {line}.")
    if missing and words.instructs:
        print_status(
            "The PDF of this paper prints its instructions as pictures: a .txt file needs their text, without misread letters."
        )
    if missing:
        print_status(
            "A text that a page or column break tears apart is not found. Paste the pages with the prompts into a .txt file, "
            "join what belongs together, and read that: all are looked for again."
        )
        raise typer.Exit(1)

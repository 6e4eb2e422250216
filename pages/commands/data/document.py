"""`cli.py document`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.data import format_cleaning, read_document
from pages.commands.shared.inputs import open_output, read_bytes, refuse_overwriting_input
from pages.commands.shared.messages import print_status, with_progress

EXAMPLE = "python cli.py document report.pdf -o report.txt"


def command(
    file: Annotated[Path, typer.Argument(help=".pdf, .docx, .html, .md or .txt.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A text file; without it the text is printed.")
    ] = None,
    as_stored: Annotated[
        bool, typer.Option("--as-stored", help="Clean nothing: line ends, running heads and hyphens stay.")
    ] = False,
) -> None:
    """Write the text of a document as a reader would copy it, and say what was cleaned with its number."""
    if output:
        refuse_overwriting_input(file, output)
    data = read_bytes(file, "Name a document.")
    document = read_document(
        file.name, data, watch=lambda parts: with_progress(parts, "pages read"), clean=not as_stored
    )
    if cleaning := format_cleaning(document.cleaning):
        print_status(f"Cleaned: {cleaning}. --as-stored leaves the text as it is.")
    if output is None:
        typer.echo(document.text)
        return
    with open_output(output) as written:
        written.write(document.text + "\n")

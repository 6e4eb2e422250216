"""`cli.py convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.model_reference import Checkpoint
from core.models.weights.files import BACKBONE
from core.models.weights.locations import locate
from pages.commands.shared.messages import print_status

GROUP = "Metrics"
EXAMPLE = "python cli.py convert model.tar.gz models/qafacteval-generation"


def command(
    source: Annotated[
        Path,
        typer.Argument(
            exists=True, help="A .gguf file; a .tar.gz or .zip as published; or the folder that it was unpacked to."
        ),
    ],
    folder: Annotated[
        Path, typer.Argument(help="Where to write what a metric loads; must not exist yet, or be empty.")
    ],
    backbone: Annotated[
        str | None,
        typer.Option(help="Folder or hub repository of configuration and tokenizer, where the archive lacks them."),
    ] = None,
) -> None:
    """Make a model folder from a GGUF file, for judges by local:FOLDER, or from an archive of AllenNLP or of pickles: QAFactEval's three models, DAE's, FactCC's tarball."""
    # imported here: torch takes seconds, and every command would wait for it
    from core.models.networks.conversion import convert
    from core.models.weights.download import download

    def located(name: str) -> Path:
        part = Checkpoint(backbone or name, BACKBONE)
        download(part, lambda _share: None)
        return locate(part)

    print_status(convert(source, folder, located))
    print_status(f"Written to {folder}.")

"""`cli.py new`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from core.scoring import write_package

EXAMPLE = "python cli.py new metric my-metric"


def command(
    kind: Annotated[Literal["metric"], typer.Argument(help="What the package is for.")],
    name: Annotated[str, typer.Argument(help="Its name in small letters, digits and hyphens, as my-metric.")],
    to: Annotated[Path, typer.Option(help="The folder in which that of the package is made.")] = Path(),
) -> None:
    """Write a package with a metric of your own: its function, entry point, README and contract test."""
    del kind  # there is one so far
    package = write_package(name, to)
    typer.echo(f"{package} has a metric that works. Install it and run its tests:")
    typer.echo(f'  cd {package}\n  python -m pip install -e ".[test]"\n  python -m pytest')

"""Ten minutes on a machine with one GPU: what is most worth knowing first, as a table of docs/develop/experiments/speed-record.md.

`python -m tests.load.gpu_bench >> docs/develop/experiments/speed-record.md`. Each part is begun as long as there is time; one that
fails says so in its row, and the others go on. To see that the bench works without a GPU: `--device cpu --size tiny`.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import torch
import typer

from core.errors import Problem, attempt
from core.models import read_hardware
from core.settings import VERSION
from tests.load.gpu_parts import PARTS, Machine

_HEADING = "| part | of what | figures |\n|---|---|---|"


def write_table(machine: Machine, parts: list[str], seconds: float) -> Iterator[str]:
    """The lines of the table, each as soon as it is measured."""
    begun = time.monotonic()
    day = datetime.now(UTC).date().isoformat()
    yield f"\n## {VERSION}, {day}, on {machine.name}\n"
    hardware = read_hardware([machine.device]).summary
    yield f"{hardware} Python {platform.python_version()}; random weights of the size `{machine.size}`.\n"
    yield _HEADING
    for name in parts:
        at = time.monotonic() - begun
        if at > seconds:
            yield f"| {name} | – | not begun: {seconds:.0f} s were over |"
            continue
        sys.stderr.write(f"{at:5.0f} s: {name}\n")
        rows = attempt(partial(_measure, machine, name))
        if isinstance(rows, Problem):  # the parts behind it are still worth their time
            yield f"| {name} | – | failed: {rows.error[:200].replace('|', '/')} |"
            continue
        for subject, figures in rows:
            yield f"| {name} | {subject} | {', '.join(f'{key} {_format(value)}' for key, value in figures.items())} |"


def _measure(machine: Machine, part: str) -> list[tuple[str, Mapping[str, object]]]:
    return list(PARTS[part](machine))


def _format(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def main(
    device: Annotated[str, typer.Option()] = "cuda",
    size: Annotated[str, typer.Option(help="tiny, small, base or large.")] = "large",
    seconds: Annotated[float, typer.Option(min=0, help="After which no further part is begun.")] = 420,
    part: Annotated[list[str] | None, typer.Option(help=f"Of {', '.join(PARTS)}; all by default.")] = None,
) -> None:
    if unknown := sorted({*(part or ())} - PARTS.keys()):
        raise typer.BadParameter(f"no {', '.join(unknown)}; there are {', '.join(PARTS)}", param_hint="--part")
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise typer.BadParameter(
            "No GPU here. To see that the bench works: --device cpu --size tiny", param_hint="--device"
        )
    with TemporaryDirectory() as folder:
        machine = Machine(device, size, Path(folder))
        for line in write_table(machine, part or list(PARTS), seconds):
            typer.echo(line)


if __name__ == "__main__":
    typer.run(main)

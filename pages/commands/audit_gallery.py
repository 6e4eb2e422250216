"""`cli.py audit-gallery`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.assessment.audit.bundled_audits import bundled_audits
from core.assessment.audit.report import read_report
from core.assessment.audit.report_html import gallery_html
from pages.commands.shared.inputs import open_output, read_lines
from pages.commands.shared.messages import print_status

GROUP = "Meta-evaluation"
EXAMPLE = "python cli.py audit-gallery rouge2.json bleu.json -o gallery.html"


def command(
    output: Annotated[Path, typer.Option("-o", "--output", help="The page, HTML.")],
    report: Annotated[
        list[Path] | None,
        typer.Argument(help="Reports that `audit --to REPORT.json` wrote; none: those that come with it."),
    ] = None,
) -> None:
    """Put the audits of many metrics on one static page, those with the most good verdicts first."""
    found = [read_report("\n".join(read_lines(path)), str(path)) for path in report or ()] or [bundled_audits()]
    with open_output(output) as file:
        file.write(gallery_html(found))
    print_status(f"  {sum(len(one.metrics) for one in found)} audits in {output}")

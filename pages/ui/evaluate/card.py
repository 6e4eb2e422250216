"""What a paper pack says of its data, and how the tables are made again."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from annotations.campaigns.describing import in_words
from annotations.datasets import DatasetRow, FileRow
from annotations.records import CAMPAIGN
from annotations.sources import described
from core.intake import lines
from core.settings import VERSION
from pages.ui import services
from pages.ui.evaluate.choice import Chosen


def data_card(chosen: Chosen, sets: Sequence[DatasetRow]) -> str:
    """Where the data came from, under which licence, and what it held."""
    files = [file for row in sets for file in row.files]
    own = set(chosen.datasets) - {row.name for row in sets}
    told = [*map(_file, files), *map(_own, sorted(own))]
    counted = (
        f"In these tables: {len(chosen.cases.samples)} summaries, {len(chosen.cases.pairs)} minimal pairs, "
        f"{chosen.cases.clusters} documents."
    )
    warnings = "".join(f"- {warning}\n" for warning in chosen.cases.warnings)
    return f"# Data\n\n{counted}\n\n{''.join(told)}{warnings}"


def readme(chosen: Chosen, sets: Sequence[DatasetRow]) -> str:
    """How the tables are to be read, and the commands that give them."""
    return (
        f"# {' + '.join(chosen.datasets)}\n\nMade by Touchstone {VERSION}. Figures are percentages in the Markdown and LaTeX "
        f"tables and shares in the CSV; intervals are those of {chosen.resamples:,} bootstrap resamples of whole documents "
        "(seed 0). Bold is the best of a slice; † is not significantly worse (paired bootstrap, Holm, p ≥ .05). "
        f"Cases without a score are left out and counted.\n\n```\n{commands(chosen, sets)}\n```\n"
    )


def commands(chosen: Chosen, sets: Sequence[DatasetRow]) -> str:
    """What gives the same tables in an empty database: imports, our scores, the table."""
    imports = [
        f"python cli.py import {quote(file.importer)} {quote(file.file)} --name {quote(row.name)}"
        for row in sets
        for file in row.files
    ]
    specs = {score.metric for sample in chosen.cases.samples for score in sample.kept}
    options = " ".join(f"--metric {quote(spec)}" for spec in sorted(specs))
    scores = [f"python cli.py score-dataset {quote(name)} {options}" for name in chosen.datasets if options]
    return "\n".join([*imports, *scores, chosen.command])


def _own(name: str) -> str:
    labels = in_words(described(services.store(), name)) if name.startswith(CAMPAIGN) else []
    return f"## {name}\n\n{' '.join(['Kept and labelled with Touchstone.', *labels])}\n\n"


def _file(file: FileRow) -> str:
    release = f", {file.release}" if file.release else ""
    counts = "".join(f"- {line}\n" for line in lines(file.counts))
    return (
        f"## {file.dataset}\n\nFile `{file.file}` (SHA-256 `{file.sha256}`), read as {file.importer}{release} on "
        f"{file.created_at:%Y-%m-%d}. Licence: {file.licence or 'not stated'}.\n\n{counts}\n"
    )

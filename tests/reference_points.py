"""Every point of the reproduced papers, from the lists that the program itself works by: the command, the test that shows it, and what it waits for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from shlex import quote

from annotations.management.campaign_templates import campaign_templates
from core.assessment.papers.paper import PAPERS, Paper
from core.assessment.papers.published import PublishedTable, read_published
from core.edits.perturbation import Perturbation
from core.model_reference import asks_endpoint, local_checkpoints
from core.models.llm.printed_words import printed_words
from core.scoring.metric import Metric
from core.scoring.nli_check import NliCheck
from core.stats.text_tables import markdown_table

ROOT = Path(__file__).parents[1]
TEMPLATES_OF = {"BUMP": "bump", "SummExecEdit": "summexecedit", "Explanation judgment": "summexecedit"}
"""The paper of a campaign template, by the beginning of its title."""

_REPRODUCED = "unit/core/assessment/papers/test_reproduce.py"
_WORDS = "unit/core/assessment/papers/test_paper_words.py"
_EXPERIMENTS = "unit/test_experiments.py"
_METRICS = "unit/core/scoring/metrics/test_metric_contract.py"
_KINDS = "unit/core/assessment/papers/test_run_tables.py"
_TEMPLATES = "unit/annotations/management/test_campaign_templates.py"
_ROW = re.compile(r"^\| (.+?) \| `python cli\.py (.+?)`(.*?) \| (.+?) \| (.+?) \|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PaperPoint:
    """One thing that a paper did, and the command or page that does it.

    The `test` shows it, on small weights of the same form where it `needs` others. It `waits` for what nobody here can give.
    """

    point: str
    command: str
    test: str
    needs: str = ""
    waits: str = ""

    @property
    def state(self) -> str:
        if self.waits:
            return f"… {self.waits}"
        return f"✓ {self.needs}".strip()


def paper_points(paper: Paper) -> list[PaperPoint]:
    """The points of a paper: its experiments, printed tables, metrics, perturbations, checks, printed texts, and campaign templates."""
    return [
        *_experiments(paper),
        *(_table(paper, table) for table in read_published(paper.name).tables),
        *(_metric(metric) for metric in paper.metrics()),
        *_kinds(paper),
        *(_check(check) for check in paper.checks()),
        *_printed(paper),
        *_templates(paper),
    ]


def points_markdown() -> str:
    """A section for each paper, and the number of points that work with what is packaged, your files or your endpoint."""
    sections, every = [], list[PaperPoint]()
    for plugin in PAPERS:
        paper = plugin()
        points = paper_points(paper)
        every += points
        rows = [(str(number), row.point, row.command, row.test, row.state) for number, row in enumerate(points, 1)]
        table = markdown_table(
            ["", "point", "command or page", "test (below tests/)", "state"], [[*row] for row in rows]
        ).rstrip()
        sections.append(f"## {read_published(paper.name).title}\n\n{_count(points)}\n\n{table}")
    return "\n\n".join([f"All papers: {_count(every)}", *sections])


def _count(points: list[PaperPoint]) -> str:
    waiting = sum(bool(point.waits) for point in points)
    needing = sum(bool(point.needs) for point in points)
    return (
        f"{len(points)} points, {len(points) - waiting} ✓ ({needing} of these with what they name), {waiting} waiting."
    )


def _experiments(paper: Paper) -> Iterator[PaperPoint]:
    page = (ROOT / "docs" / "papers" / f"{paper.name}.md").read_text(encoding="utf-8")
    for title, command, rest, _, state in _ROW.findall(page):
        needs = "" if state == "offline" else re.sub(r"^(waits for|needs) ", "with ", state)
        yield PaperPoint(title, f"`{command}`{rest}", _EXPERIMENTS, needs)


def _table(paper: Paper, table: PublishedTable) -> PaperPoint:
    title = table.id if table.id[0].islower() else f"Table {table.id}"
    point = f"{title}: {table.caption} ({sum(1 for _ in table.cells())} cells)"
    if table.missing:
        return PaperPoint(point, f"`reproduce {paper.name}`", _REPRODUCED, waits=f"waits for {table.missing.need}")
    return PaperPoint(point, f"`reproduce {paper.name}`", _REPRODUCED, "with the released files")


def _metric(metric: Metric) -> PaperPoint:
    return PaperPoint(metric.card.title, f"`score --metric {quote(metric.spec)}`", _METRICS, _weights(metric))


def _check(check: NliCheck) -> PaperPoint:
    command = f"`stress --nli-check {quote(check.spec)}`"
    return PaperPoint("Check of perturbed summaries", command, _KINDS, _weights(check))


def _kinds(paper: Paper) -> Iterator[PaperPoint]:
    for place, kinds in paper.perturbations().items():
        for title, kind in kinds.items():
            yield PaperPoint(f"{place}: {title}", f"`stress --kind {quote(kind.spec)}`", _KINDS, _weights(kind))


def _printed(paper: Paper) -> Iterator[PaperPoint]:
    words = printed_words(paper.name)
    for place, pieces in groupby(words.pieces if words else (), key=lambda piece: piece.where):
        number = len([*pieces])
        texts = "printed text" if number == 1 else f"{number} printed texts"
        yield PaperPoint(
            f"{place[0].upper()}{place[1:]}: {texts}", f"`paper-words {paper.name} FILE`", _WORDS, "with your copy"
        )


def _templates(paper: Paper) -> Iterator[PaperPoint]:
    for template in campaign_templates():
        if any(template.title.startswith(start) and of == paper.name for start, of in TEMPLATES_OF.items()):
            yield PaperPoint(
                f"Annotation: {template.title}", "Campaigns, New campaign, “Begin with”", _TEMPLATES, "with people"
            )


def _weights(plugin: Metric | Perturbation | NliCheck) -> str:
    """Names of the weights that are not packaged, and the endpoint."""
    models = plugin.checkpoints()
    local = [model.source for model in local_checkpoints(models) if not model.source.startswith("package:")]
    needs = [*dict.fromkeys(local), *(["an endpoint"] if asks_endpoint(models) else [])]
    return f"with {', '.join(needs)}" if needs else ""

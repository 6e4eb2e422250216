"""Runs of a reader's own pairs in a paper's layout: its names, shifts or mean scores, and printed figures that are not compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.assessment.papers.paper import PAPERS
from core.assessment.papers.paper_comparison import ComparedTable, printed_coverage, printed_tables
from core.assessment.papers.published import read_published
from core.assessment.papers.run_tables import ORIGINAL, kinds_of_metric, run_tables
from core.base.profile import profile_names, read_profile
from core.edits.perturbation import PERTURBATIONS
from core.models.model_pool import ModelPool
from core.results.runs.runner import continue_run
from core.results.runs.stress_run import Plan, ScoreRecord, Source, StressRun, Variant
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.types import Example

DOCUMENT = "The harbour of Lindvale was closed on Tuesday after a storm tore two ferries away. Nobody was hurt."
METRICS_OF_RUN = ("rouge2", "coverage")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(ModelPool("cpu", None, tmp_path), AnswerCache(tmp_path))
    yield engine
    engine.close()


def figures(table: ComparedTable) -> dict[tuple[str, str], float | None]:
    return {(cell.row, cell.column): cell.ours for cell in table.cells}


@pytest.mark.parametrize("name", PAPERS.names())
def test_the_kinds_of_a_paper_are_those_of_its_profile(name: str) -> None:
    kinds = {kind.spec for of_place in PAPERS.get(name)().perturbations().values() for kind in of_place.values()}
    in_profile = read_profile(name).kinds if name in profile_names() else []
    assert kinds == {PERTURBATIONS.parse(kind).spec for kind in in_profile}


def test_shifts_by_the_papers_names_with_an_assertion_in_the_terms_of_each_metric(engine: Engine) -> None:
    paper = PAPERS.get("ramprasad")()
    kinds = dict.fromkeys(
        kind
        for metric in METRICS_OF_RUN
        for place, of_place in kinds_of_metric(paper, metric).items()
        if place != "Figure 4.2: benign edits"
        for kind in of_place.values()
    )
    run = StressRun(Plan("run", tuple(kinds), METRICS_OF_RUN))
    run.add(Source(Example("one", DOCUMENT, "The harbour was closed on Tuesday. Nobody was hurt."), "one"))
    before = run_tables(paper, run)
    assert {cell.state for table in before for cell in table.cells} == {"waits"}
    list(continue_run(engine, run))
    gaming, fillers = run_tables(paper, run)
    assert (gaming.published.id, fillers.published.id) == ("Figure 5.1", "Figure D.2")
    assert gaming.published.columns == ("top phrase", "assertion phrase", "summ + top", "summ + assertion")
    assert {cell.state for table in (gaming, fillers) for cell in table.cells} == {"ours alone"}
    kind = kinds_of_metric(paper, "rouge2")["Figure 5.1: gaming"]["summ + top"]
    scores = [run.readings["one", of, "rouge2"].value for of in (kind, "")]
    assert scores[0] is not None
    assert scores[1] is not None
    assert figures(gaming)["ROUGE-2", "summ + top"] == pytest.approx(scores[0] - scores[1])


def test_mean_scores_beside_printed_ones_of_other_texts_are_not_compared() -> None:
    paper = PAPERS.get("longdoc")()
    metric = next(spec for spec, name in paper.metric_rows().items() if name == "AlignScore")
    kind = kinds_of_metric(paper, metric)["Tables 4 to 6: mean scores"]["Negated"]
    shuffled = kinds_of_metric(paper, metric)["Tables 4 to 6: mean scores"]["Simplified"]
    run = StressRun(Plan("run", (kind, shuffled), (metric, "rouge2")))
    for source, before, after in (("one", 0.5, 0.25), ("two", 0.75, 0.5)):
        run.add(Source(Example(source, DOCUMENT, "Nobody was hurt."), source))
        run.add(ScoreRecord(source, "", metric, before))
        run.add(ScoreRecord(source, kind, metric, after))
        run.add(Variant(source, shuffled, error="The model said nothing."))
    [table] = run_tables(paper, run, "6")
    assert table.published.columns == (ORIGINAL, "Simplified", "Negated")
    cells = {(cell.row, cell.column): cell for cell in table.cells}
    assert (cells["AlignScore", ORIGINAL].published, cells["AlignScore", ORIGINAL].ours) == (0.18, 0.625)
    assert (cells["AlignScore", "Negated"].published, cells["AlignScore", "Negated"].ours) == (0.2, 0.375)
    assert cells["AlignScore", "Negated"].state == "other texts"
    assert cells["AlignScore", "Simplified"].waits == "The model said nothing."
    assert cells["ROUGE-2", "Negated"].waits == "Waits for scores of the run."
    assert METRICS.parse(metric).spec == metric


def test_bounds_that_a_paper_states_in_words_stand_beside_the_mean_shifts() -> None:
    paper = PAPERS.get("ramprasad")()
    metric = next(spec for spec, name in paper.metric_rows().items() if name == "AlignScore")
    kinds = kinds_of_metric(paper, metric)["Figure 5.1: gaming"]
    run = StressRun(Plan("run", tuple(kinds.values()), (metric, "rouge2")))
    run.add(Source(Example("one", DOCUMENT, "Nobody was hurt."), "one"))
    for of in (metric, "rouge2"):
        run.add(ScoreRecord("one", "", of, 0.25))
        for title, after in (("top phrase", 0.5), ("assertion phrase", 0.375), ("summ + top", 0.375)):
            run.add(ScoreRecord("one", kinds[title], of, after))
    [table] = run_tables(paper, run)
    states = {(cell.row, cell.column): (cell.bounds, cell.state) for cell in table.cells}
    assert states["AlignScore", "top phrase"] == ((0.2, None), "in bounds")
    assert states["AlignScore", "assertion phrase"] == ((0.2, None), "out of bounds")
    assert states["AlignScore", "summ + top"] == ((0.1, 0.15), "in bounds")
    assert states["AlignScore", "summ + assertion"] == ((0.1, 0.15), "waits")
    assert states["ROUGE-2", "top phrase"] == (None, "ours alone")


def test_bounds_name_rows_figures_and_columns_of_the_paper() -> None:
    paper = PAPERS.get("ramprasad")()
    columns = {place.partition(": ")[0]: {*kinds} for place, kinds in paper.kinds.items()}
    for figure, bounds in read_published("ramprasad").bounds.items():
        for row, column in bounds:
            assert row in paper.metric_rows().values()
            assert column in columns[figure]


def test_printed_tables_wait_and_figures_that_a_paper_does_not_print_are_counted_by_themselves() -> None:
    coverage = printed_coverage(printed_tables("ramprasad"))
    assert (coverage.printed, coverage.compared) == (67, 0)
    assert coverage.others == {"computed": 4, "ours": 40}

"""Weights of summaries and of sentences on people's labels of summaries of CNN/DailyMail (QAGS)."""

from __future__ import annotations

import pytest

from core.assessment.audit.data import items_data
from core.data.dataset import DATASETS
from core.evaluation.studies.combine import Combine
from core.evaluation.studies.saved_combination import combination_entry
from core.evaluation.study import StudyData
from core.results.cases.measures import affordable_resamples
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.outcome_records import scores_of_outcomes
from core.scoring.plugins.combination_file import combination_class
from core.types import Item, Result
from tests.doubles.released import DATA, needs


@pytest.mark.slow
@needs("unieval")
def test_both_levels_are_fitted_to_labels_of_people_and_the_saved_metric_scores_as_the_report_did(
    engine: Engine,
) -> None:
    file = DATA / "unieval" / "qags_cnndm_result.json"
    items = [one for one in DATASETS.parse("unieval").read(file) if isinstance(one, Item)]
    metrics, data = [METRICS.parse("rouge2"), METRICS.parse("coverage")], items_data(file, items, None, 0)
    outcomes = [outcome for _, outcome in engine.run(metrics, data.texts)]
    cases = data.cases_of(outcomes)
    ours = {column.name: column.signature for column in cases.columns if column.signature}
    given = StudyData(
        datasets=("qags",),
        cases=cases,
        resamples=min(200, affordable_resamples(cases)),
        sentence_scores=scores_of_outcomes(outcomes, ours),
    )
    study = Combine(members="rouge2+coverage")
    levels = study.run(given).table("levels")
    assert levels.cells("level") == ["summary", "sentence"]
    assert levels.cells("rows") == [235, 714]
    areas = [levels.figure("auc", level=level).value for level in ("summary", "sentence")]
    assert all(area is not None and area > 0.75 for area in areas)
    difference = levels.figure("difference", level="sentence")
    assert difference.low is not None
    assert difference.high is not None
    assert difference.low < 0 < difference.high  # neither is clearly better here

    fitted = study.levels(given).at("sentence")
    made = combination_class(combination_entry("over-sentences", fitted, given.scored, ""))()
    METRICS.add(type(made))
    try:
        scored = [outcome for _, outcome in engine.run([made], data.texts)]
    finally:
        METRICS.remove("over-sentences")
    scores = [one.score for one in scored if isinstance(one, Result)]
    assert scores == pytest.approx(
        fitted.probabilities.tolist()
    )  # each by the fold that did not learn from its document

"""The papers' figures on small files of our own, in the released form, where counting by hand gives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.stats.annotators.agreement import Distance, interval_distance, nominal_distance
from core.stats.correlation import kendall, pearson, spearman
from tests.unit.core.data.datasets.figures import (
    Coefficient,
    agreement,
    correlation,
    partial_correlation,
    sentence_votes,
)
from tests.unit.core.data.datasets.reading import imported
from tests.unit.core.data.datasets.releases import frank, result, reviewed, write_frank
from tests.unit.core.data.datasets.writing import listed, table


def test_two_systems_of_frank_are_told_apart_before_the_metric_is(tmp_path: Path) -> None:
    """The metric prefers the worse system and, within each, the better summary."""
    said = {("a", "bart"): (1.0, 0.2), ("b", "bart"): (0.5, 0.1), ("a", "pgn"): (0.5, 0.9), ("b", "pgn"): (0.0, 0.8)}
    records = [frank(system, share, hash=document) for (document, system), (share, _) in said.items()]
    released = [
        {"hash": document, "model_name": system, "FactCC": value} for (document, system), (_, value) in said.items()
    ]

    def write(folder: Path, _: object) -> None:
        write_frank(folder, records)
        listed("baseline_factuality_metrics_outputs.json")(folder, released)

    found = imported("frank", tmp_path, write)
    assert correlation(found, "FactCC", "Factuality", pearson) == pytest.approx(-0.6)
    assert partial_correlation(found, "FactCC", "Factuality", pearson) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("coefficient", "value"),
    [(pearson, 0.4 / (0.5 * 0.34) ** 0.5), (spearman, 4.5 / (4.5 * 5) ** 0.5), (kendall, 5 / (5 * 6) ** 0.5)],
)
def test_unieval_correlates_with_people_as_counting_by_hand_gives(
    coefficient: Coefficient, value: float, tmp_path: Path
) -> None:
    pairs = ((1.0, 0.9), (0.5, 0.6), (0.5, 0.4), (0.0, 0.1))
    records = [
        result(number, people, predict_scores={"consistency": predicted})
        for number, (people, predicted) in enumerate(pairs)
    ]
    found = imported("unieval", tmp_path, listed("qags_cnndm_result.json"), *records)
    assert correlation(found, "UniEval consistency", "consistency", coefficient) == pytest.approx(value)


@pytest.mark.parametrize(
    ("level", "distance", "value"), [("sentence", nominal_distance, 33 / 46), ("summary", interval_distance, 0.6)]
)
def test_three_reviewers_of_longsciverify_agree_as_counting_by_hand_gives(
    level: str, distance: Distance, value: float, tmp_path: Path
) -> None:
    """Of nine sentences the first is not factual to all three, the fourth to the third of them."""
    cells = {"model_1_sent_1_factuality": ("0", "0", "0"), "model_2_sent_1_factuality": ("1", "1", "0")}

    def write(folder: Path, _: object) -> None:
        for reviewer in (0, 1, 2):
            said = {name: votes[reviewer] for name, votes in cells.items()}
            table(f"pubmed_reviewer_{reviewer + 1}.csv")(folder, [reviewed("p1", "1") | said])

    found = imported("longsciverify", tmp_path, write)
    given = sentence_votes(found, "factuality", [f"reviewer-{number}" for number in (1, 2, 3)])
    labels = given.transpose(0, 2, 1).reshape(-1, 3) if level == "sentence" else given.mean(axis=2)
    assert agreement(labels, found, distance) == pytest.approx(value)

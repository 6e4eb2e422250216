"""Agreement of imported annotators: by hand, and the published alphas of LongSciVerify where its data is present."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.data.dataset import DATASETS, ImportCounts, strict_items
from core.errors import UnknownNameError
from core.evaluation.studies.annotator_agreement import (
    AnnotatorAgreement,
    AnnotatorAgreementStudy,
    annotator_agreements,
)
from core.evaluation.study import StudyData
from core.results.cases.cases import Cases, build_cases
from core.results.cases.measures import draw_resamples
from core.types import Judgement, Rating, Sample, Verdict
from tests.doubles.released import DATA, needs
from tests.unit.core.evaluation.studies.bench_samples import sample

FIRST = (1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
SECOND = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
"""They agree on 8 of 10; each says yes to 4: by chance .4² + .6² = .52, kappa (.8 − .52) / .48."""


def agreements(of: Cases) -> dict[tuple[str, str], AnnotatorAgreement]:
    return {(one.aspect, one.unit): one for one in annotator_agreements(of, draw_resamples(of, 50))}


def rated(number: int, *ratings: Rating) -> Sample:
    one = sample(str(number), None, {})
    return replace(one, item=replace(one.item, ratings=ratings))


def test_two_annotators_by_hand_without_the_summary_of_the_dataset() -> None:
    both = enumerate(zip(FIRST, SECOND, strict=True))
    of = build_cases(
        [rated(n, Rating("all", "f", 0.0), Rating("ann", "f", one), Rating("ben", "f", two)) for n, (one, two) in both]
    )
    [found] = agreements(of).values()
    assert (found.items, found.labels, found.annotators, found.all_pairs) == (10, 20, 2, 1)
    [pair] = found.pairs
    assert (pair.first, pair.second, pair.raw.value) == ("ann", "ben", 0.8)
    assert pair.kappa.value == pytest.approx(0.28 / 0.48)
    # alpha: 4 of 20 ordered pairs differ; of all labels 8 are yes, 12 no: 2 · 8 · 12 / (20 · 19)
    assert found.alphas["nominal"].value == pytest.approx(1 - 0.2 / (192 / 380))
    # AC1: the share of yes is .4 on average: chance 2 · .4 · .6
    assert found.ac1.value == pytest.approx((0.8 - 0.48) / 0.52)
    assert list(found.alphas) == ["nominal"]
    report = AnnotatorAgreementStudy().run(StudyData(datasets=("toy",), cases=of, resamples=50))
    assert report.table("pairs").figure("kappa", first="ann", second="ben").value == pair.kappa.value
    assert "2 annotators of 10 items give the same label in 80.0" in report.sentences[0]


def test_a_crowd_is_measured_without_a_column_for_each_of_its_workers() -> None:
    of = build_cases([rated(n, *(Rating(f"w{3 * n + k}", "f", float(k > 0), 0) for k in range(3))) for n in range(300)])
    found = agreements(of)["f", "sentence"]
    assert (found.annotators, found.pairs, found.all_pairs) == (900, (), 900)
    assert found.raw.value == pytest.approx(1 / 3)
    notes = AnnotatorAgreementStudy().run(StudyData(datasets=("toy",), cases=of, resamples=5)).table("pairs").notes
    assert "0 of 900 pairs" in notes[0]


def test_verdicts_of_judges_are_an_aspect_and_a_single_annotator_is_none() -> None:
    samples = []
    for n, (one, two) in enumerate(zip(FIRST, SECOND, strict=True)):
        plain = sample(str(n), None, {})
        said = [Verdict.CONSISTENT if value else Verdict.INCONSISTENT for value in (one, two)]
        judgements = tuple(Judgement(str(n), judge, verdict) for judge, verdict in zip("ab", said, strict=True))
        alone = (Rating("a", "lone", one),)
        samples.append(replace(plain, item=replace(plain.item, judgements=judgements, ratings=alone)))
    found = agreements(build_cases(samples))
    assert list(found) == [("verdict", "summary")]
    assert found["verdict", "summary"].pairs[0].kappa.value == pytest.approx(0.28 / 0.48)


@needs("longsciverify")
def test_the_alphas_of_longsciverify_are_the_published_ones_through_its_importer() -> None:
    items = strict_items(DATASETS.parse("longsciverify").read(DATA / "longsciverify"), ImportCounts())
    found = agreements(build_cases([Sample("l", item) for item in items if item.example.id.startswith("pubmed")]))
    assert found["factuality", "sentence"].alphas["nominal"].value == pytest.approx(0.7633, abs=5e-5)
    assert found["factuality", "summary mean"].alphas["interval"].value == pytest.approx(0.8201, abs=5e-5)
    assert len(found["factuality", "sentence"].pairs) == 3


def test_a_model_tells_which_annotator_is_right_less_often() -> None:
    given = [("a", 1.0), ("b", 1.0), ("c", 0.0)], [("a", 0.0), ("b", 0.0), ("c", 1.0)]
    of = build_cases(
        [
            rated(n, *(Rating(judge, "f", value) for judge, value in given[n % 2]), Rating("d", "g", 1.0))
            for n in range(20)
        ]
    )
    data = StudyData(datasets=("toy",), cases=of, resamples=5)
    rows = AnnotatorAgreementStudy(model="dawid-skene").run(data).table("competence").rows
    assert [(row[0], row[2], row[3]) for row in rows] == [("f", "a", 20), ("f", "b", 20), ("f", "c", 20)]
    first, _, worst = (row[4] for row in rows)
    assert worst.high < first.low
    assert [table.name for table in AnnotatorAgreementStudy().run(data).tables] == ["aspects", "pairs"]
    with pytest.raises(UnknownNameError, match="mace"):
        AnnotatorAgreementStudy(model="glad").run(data)

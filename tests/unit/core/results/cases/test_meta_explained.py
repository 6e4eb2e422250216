"""Explainers and their scores; factualNLG's published counts where its data is present."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from core.data.dataset import DATASETS, ImportCounts, strict_items
from core.data.datasets.explained import Explained
from core.errors import TouchstoneError
from core.evaluation.explanations.explainer_scores import (
    ExplainerScores,
    explainer_scores,
    judged_explanations,
    scores_by_judge,
)
from core.evaluation.studies.explanation_scores import ExplanationScores
from core.evaluation.study import StudyData
from core.results.cases.cases import build_cases
from core.results.cases.measures import draw_resamples
from core.types import GradedExplanation, Judgement, Sample, Verdict
from tests.doubles.released import EXPLANATIONS, needs
from tests.unit.core.evaluation.studies.bench_samples import sample

GOOD, BAD = Verdict.CONSISTENT, Verdict.INCONSISTENT


def detected(id: str, truth: Verdict, verdict: Verdict | None, *grades: str) -> Sample:
    """What "it" said of a summary, graded by a judge for each grade."""
    one = sample(id, truth, {})
    judgements = (Judgement(id, "it", verdict),) if verdict else ()
    given = tuple(GradedExplanation("why", "it", grade, f"judge {n}") for n, grade in enumerate(grades))
    return replace(one, item=replace(one.item, judgements=judgements, explanations=given))


def only(samples: list[Sample]) -> ExplainerScores:
    of = build_cases(samples)
    [found] = explainer_scores(of, draw_resamples(of, 50))
    return found


def test_detection_explanation_and_both_are_told_where_verdicts_are_known() -> None:
    found = only(
        [
            detected("a", BAD, BAD, "entirely"),
            detected("b", BAD, BAD, "not"),
            detected("c", BAD, GOOD),
            detected("d", GOOD, GOOD),
            detected("e", GOOD, BAD),
        ]
    )
    values = {name: estimate.value for name, estimate in found.figures.items()}
    assert values == pytest.approx({"DA": 3 / 5, "DS": 2 / 3, "ES": 1 / 2, "JS": 1 / 3, "entirely": 1 / 2})


def test_grades_of_several_judges_are_averaged() -> None:
    found = only([detected("a", BAD, BAD, "entirely", "partially"), detected("b", BAD, GOOD)])
    assert (found.graded, found.figures["ES"].value, found.figures["entirely"].value) == (2, 0.75, 0.0)


def test_each_judge_and_the_panel_have_figures_of_their_own_and_the_panel_counts_in_no_mean() -> None:
    judges = ("judge-v1|model:one|x", "judge-v1|model:two|x", "panel|model:one+two|majority of 2#x")
    one = detected("a", BAD, BAD)
    given = (("entirely", judges[0]), ("not", judges[1]), ("", judges[2]))
    explanations = tuple(GradedExplanation("why", "it", grade, judge) for grade, judge in given)
    of = build_cases([replace(one, item=replace(one.item, explanations=explanations))])
    drawn = draw_resamples(of, 10)
    [together] = explainer_scores(of, drawn)
    assert (together.graded, together.failed, together.figures["ES"].value) == (2, 0, 0.5)
    alone = list(scores_by_judge(of, drawn))
    assert [(found.judge, found.figures["ES"].value, found.failed) for found in alone] == [
        *((judges[0], 1.0, 0), (judges[1], 0.0, 0), (judges[2], None, 1))
    ]
    [judged] = judged_explanations(of)
    assert judged.grades == {judges[0]: "entirely", judges[1]: "not"}


def test_a_verdict_beside_an_explanation_is_what_its_author_said() -> None:
    def said(id: str, truth: Verdict, verdict: Verdict, *grades: str) -> Sample:
        one = sample(id, truth, {})
        given = [GradedExplanation("why", "it", verdict=verdict)]
        given += [GradedExplanation("why", "it", grade, "judge") for grade in grades]
        return replace(one, item=replace(one.item, explanations=tuple(given)))

    found = only(
        [
            said("a", BAD, BAD, "partially"),
            said("b", BAD, GOOD),
            said("c", GOOD, GOOD),
            said("d", GOOD, BAD),
            said("e", BAD, BAD),  # found, and graded by nobody
        ]
    )
    assert found.graded == 1
    values = {name: estimate.value for name, estimate in found.figures.items()}
    assert values == pytest.approx({"DA": 3 / 5, "DS": 2 / 3, "ES": 1 / 2, "JS": 1 / 3, "entirely": 0})
    assert (found.explained, found.ungraded, found.failed, found.incomplete) == (2, 1, 0, True)


def test_a_judge_that_failed_leaves_an_explanation_ungraded_not_an_error_unfound(tmp_path: Path) -> None:
    """Hand-computed: two errors are found, one is graded 1, of the other the judge gave no grade: ES 1, JS 1."""
    file = tmp_path / "grades.jsonl"
    file.write_text(
        "".join(
            json.dumps({"sample": id, "by": "it", "explanation": "why", "grade": grade, "signature": "judge"}) + "\n"
            for id, grade in (("a", "entirely"), ("b", None))
        ),
        encoding="utf-8",
    )
    given = {item.example.id: item.explanations for item in strict_items(Explained().read(file), ImportCounts())}
    samples = [detected("a", BAD, BAD), detected("b", BAD, BAD), detected("c", GOOD, GOOD)]
    found = only(
        [replace(one, item=replace(one.item, explanations=given.get(one.item.example.id, ()))) for one in samples]
    )
    assert (found.graded, found.ungraded, found.failed) == (1, 1, 1)
    assert (found.figures["ES"].value, found.figures["JS"].value, found.figures["JS"].n) == (1.0, 1.0, 2)


def test_who_was_not_graded_has_a_detection_and_no_explanation_score() -> None:
    one = sample("a", BAD, {})
    answered = replace(one.item, explanations=(GradedExplanation("why", "it", verdict=BAD),))
    found = only([replace(one, item=answered)])
    assert (found.figures["DS"].value, found.figures["ES"].value, found.figures["JS"].value) == (1.0, None, None)


def test_without_verdicts_only_the_explanations_have_a_score() -> None:
    found = only([detected("a", BAD, None, "correct"), detected("b", BAD, None, "unrelated")])
    assert found.figures["ES"].value == 0.5
    assert found.figures["JS"].value is None
    assert "did not explain" in found.figures["JS"].error


def graded_by_two(id: str, grades: tuple[str, str]) -> Sample:
    one = detected(id, BAD, BAD)
    given = tuple(
        GradedExplanation("why", "it", grade, f"judge-v1|model:{name}|x")
        for name, grade in zip(("one", "two"), grades, strict=True)
    )
    return replace(one, item=replace(one.item, explanations=given))


def test_a_grade_of_what_was_said_of_a_harmless_edit_is_in_no_explanation_score() -> None:
    """Six errors, of which one was explained wrongly, and nine harmless edits that were handed out too."""
    errors = [
        detected(f"error-{n}", BAD, None, grade) for n, grade in enumerate(["entirely", "not", *["entirely"] * 4])
    ]
    harmless = [detected(f"harmless-{n}", GOOD, None, "not") for n in range(9)]
    explainer = only([*errors, *harmless])
    assert explainer.figures["ES"].value == pytest.approx(5 / 6)
    assert explainer.figures["ES"].n == 6
    assert explainer.figures["entirely"].value == pytest.approx(5 / 6)


def test_the_report_has_a_table_of_explainers_one_by_judge_and_the_agreement_of_the_judges() -> None:
    samples = [graded_by_two("a", ("entirely", "entirely")), graded_by_two("b", ("entirely", "not"))]
    cases = build_cases([*samples, detected("c", GOOD, GOOD)])
    report = ExplanationScores().run(StudyData(datasets=("own",), cases=cases, resamples=20))
    assert [table.name for table in report.tables] == ["explainers", "by_judge", "among_judges", "judges"]
    assert report.table().figure("JS", explainer="it").value == 0.75
    assert report.table("by_judge").figure("ES", judge="judge-v1|model:two|x").value == 0.5
    assert report.table("among_judges").figure("value", agreement="same grade").value == 0.5
    assert report.table("judges").rows[1] == (2, "judge-v1|model:two|x", 2, 2)
    assert report.sentences[0].startswith("it has a joint score: 75.0")


def test_the_best_explanations_come_first_and_too_few_grades_are_said() -> None:
    poor, good, other = detected("a", BAD, BAD, "not"), detected("b", BAD, None, "entirely"), sample("c", BAD, {})
    answers = tuple(replace(one, by="better") for one in good.item.explanations)
    good = replace(good, item=replace(good.item, explanations=answers))
    ungraded = (GradedExplanation("why not", "better", verdict=BAD),)
    other = replace(other, item=replace(other.item, explanations=ungraded))
    report = ExplanationScores().run(StudyData(cases=build_cases([poor, good, other]), resamples=20))
    assert report.table().cells("explainer") == ["better", "it"]
    assert report.table().cells("incomplete") == [True, False]
    assert any("rest on the graded ones alone" in note for note in report.notes)


def test_without_explanations_the_study_says_what_to_import() -> None:
    with pytest.raises(TouchstoneError, match="No explanation is graded in own"):
        ExplanationScores().run(StudyData(datasets=("own",), cases=build_cases([sample("a", BAD, {})])))


@needs("summedits")
def test_the_published_counts_of_right_explanations_come_out() -> None:
    read = strict_items(DATASETS.parse("factualnlg").read(EXPLANATIONS), ImportCounts())
    of = build_cases([Sample("factualnlg", item) for item in read])
    right, all_of = Counter[str](), Counter[str]()
    for one in explainer_scores(of, draw_resamples(of, 2)):
        model = one.name.partition("|")[0]
        right[model] += round((one.figures["entirely"].value or 0.0) * one.figures["entirely"].n)
        all_of[model] += one.graded
    assert {name: (right[name], all_of[name]) for name in ("gpt4", "claudev13", "cgpt")} == {
        "gpt4": (288, 501),
        "claudev13": (298, 574),
        "cgpt": (168, 527),
    }

"""The overview names the best metric, the slice that is seen best, and those in which no metric is above chance."""

from __future__ import annotations

import pytest

from core.errors import TouchstoneError
from core.evaluation.reports.markdown import report_markdown
from core.evaluation.reports.text import report_text
from core.evaluation.studies.measures import Measures
from core.evaluation.study import StudyData
from core.results.cases.cases import Cases, build_cases
from core.scoring.metric import metric_title, metric_titles
from core.types import ErrorType
from tests.unit.core.evaluation.studies.bench_samples import pair

SEEN, UNSEEN, RARE = ErrorType.COREFERENCE, ErrorType.EXTRINSIC_ENTITY, ErrorType.INTRINSIC_ENTITY


def cases() -> Cases:
    """Metric "rouge2" orders every pair of one error rightly and every pair of another wrongly, "blunt" ties all; one error is rare."""
    good, bad = {"rouge2": 0.9, "blunt": 0.5}, {"rouge2": 0.1, "blunt": 0.5}
    sides = [
        *(pair(f"seen-{n}", good, bad, SEEN) for n in range(12)),
        *(pair(f"unseen-{n}", bad, good, UNSEEN) for n in range(12)),
        *(pair(f"rare-{n}", good, bad, RARE) for n in range(3)),
    ]
    return build_cases([side for both in sides for side in both])


def data(by: str | None = "error_type") -> StudyData:
    return StudyData(datasets=("toy",), cases=cases(), by=by, resamples=50)


def test_the_sentences_name_titles_the_slice_seen_best_and_the_one_that_no_metric_sees() -> None:
    report = Measures(view="overview", measure="consistency").run(data())
    best, seen, unseen = report.sentences
    assert best.startswith("Overall: ROUGE-2 is best by consistency, 55.6 [")
    assert seen == "Highest figure: Coreference, ROUGE-2 100.0 [73.5, 100.0] % (n = 12)."
    assert unseen == "No metric is above chance in Extrinsic Entity, Extrinsic Error."
    assert report.notes[-1] == "Fewer than 10 cases: Intrinsic Entity, Intrinsic Error."
    assert report.table().cells("above_chance") == [0, 0, 1, 0]


def test_no_statistic_of_the_surface_is_best() -> None:
    """The number of words tells the sides of every pair apart here; it stands in the table of measures, as a control."""
    good, bad = {"rouge2": 0.6, "entity-overlap": 0.9}, {"rouge2": 0.5, "entity-overlap": 0.1}
    turned = {"rouge2": 0.5, "entity-overlap": 0.9}, {"rouge2": 0.6, "entity-overlap": 0.1}
    pairs = [pair(str(n), *((good, bad) if n < 16 else turned), SEEN) for n in range(20)]
    scored = build_cases([side for sides in pairs for side in sides])
    report = Measures(view="overview", measure="consistency").run(
        StudyData(datasets=("toy",), cases=scored, resamples=50)
    )
    assert report.sentences[0].startswith("Overall: ROUGE-2 has consistency 80.0 [")
    assert report.table().cells("best") == ["rouge2"]
    assert report.table().cells("among") == [1]


def test_an_overview_of_controls_alone_says_that_nothing_is_compared() -> None:
    pairs = [pair(str(n), {"entity-overlap": 0.9}, {"entity-overlap": 0.1}, SEEN) for n in range(20)]
    scored = build_cases([side for sides in pairs for side in sides])
    report = Measures(view="overview").run(StudyData(datasets=("toy",), cases=scored, resamples=50))
    assert report.sentences == ("No metric is compared: statistics of the surface are controls.",)


def test_highest_is_not_called_best_where_another_is_not_significantly_worse() -> None:
    good, bad, tied = {"rouge2": 0.6, "bleu": 0.6}, {"rouge2": 0.5, "bleu": 0.5}, {"rouge2": 0.5, "bleu": 0.6}
    pairs = [pair(str(n), good, bad if n else tied, SEEN) for n in range(20)]
    scored = build_cases([side for sides in pairs for side in sides])
    report = Measures(view="overview", measure="consistency").run(
        StudyData(datasets=("toy",), cases=scored, resamples=200)
    )
    assert report.sentences[0].startswith("Overall: ROUGE-2 is highest by consistency, 100.0 [")
    assert "; not significantly worse: BLEU." in report.sentences[0]
    assert report.table().cells("level") == [1]


def test_nothing_is_called_best_by_documents_too_few_to_test() -> None:
    pairs = [pair(str(n), {"rouge2": 0.6, "bleu": 0.5}, {"rouge2": 0.5, "bleu": 0.5}, SEEN) for n in range(5)]
    scored = build_cases([side for sides in pairs for side in sides])
    [sentence, *_] = Measures().run(StudyData(datasets=("toy",), cases=scored, resamples=200)).sentences
    assert sentence.startswith("Overall: ROUGE-2 is highest by consistency, 100.0 [")
    assert sentence.endswith("; too few documents to test: BLEU.")
    overview = Measures(view="overview").run(StudyData(datasets=("toy",), cases=scored, resamples=200))
    assert overview.table().cells("level") == [1]


def test_metrics_with_the_same_figure_are_highest_together_and_none_is_best() -> None:
    pairs = [pair(str(n), {"rouge2": 0.6, "bleu": 0.6}, {"rouge2": 0.5, "bleu": 0.5}, SEEN) for n in range(20)]
    scored = build_cases([side for sides in pairs for side in sides])
    [sentence, *_] = Measures().run(StudyData(datasets=("toy",), cases=scored, resamples=200)).sentences
    assert "are highest by consistency, 100.0 [" in sentence


def test_people_read_the_title_and_the_terminal_keeps_the_spec() -> None:
    report = Measures(view="overview").run(data(by=None))
    assert report.sentences[0].startswith("Overall: ROUGE-2 is highest by ROC AUC")
    assert [label.partition(" (")[0] for label in report.charts[0].x.categories] == ["blunt", "ROUGE-2"]
    assert "\nOverall  rouge2 " in report_text(report)
    assert "| ROUGE-2 |" in report_markdown(report)


def test_labels_of_one_kind_give_a_reason() -> None:
    one_kind = build_cases([pair(str(n), {"rouge2": 0.9}, {}, SEEN)[0] for n in range(12)])
    with pytest.raises(TouchstoneError, match="ROC AUC is undefined here"):
        Measures(view="overview").run(StudyData(datasets=("toy",), cases=one_kind, resamples=50))


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("rouge2", "ROUGE-2"),
        ("rouge2[measured=f1] (ours) (2)", "ROUGE-2 (measured: f1) (ours) (2)"),
        ("factcc@bump", "FactCC (@bump)"),
        ("MiniCheck of the authors", "MiniCheck of the authors"),
        ("rouge2[no-such-setting=1]", "rouge2[no-such-setting=1]"),
    ],
)
def test_a_column_of_scores_has_the_title_of_its_metric_or_its_own_name(name: str, title: str) -> None:
    assert metric_title(name) == title


def test_metrics_whose_titles_are_the_same_keep_their_names() -> None:
    names = ["BLEU", "bleu", "rouge2", "factcc[checkpoint=/a/1/out/best]", "factcc[checkpoint=/a/2/out/best]"]
    titles = metric_titles(names)
    assert titles["rouge2"] == "ROUGE-2"
    assert [titles[name] for name in names if name != "rouge2"] == [name for name in names if name != "rouge2"]


def test_a_grid_of_a_released_metric_and_ours_of_the_same_title_has_both() -> None:
    good, bad = {"bleu": 0.9, "BLEU": 0.8}, {"bleu": 0.1, "BLEU": 0.3}
    sides = [side for number in range(12) for side in pair(str(number), good, bad, SEEN)]
    report = Measures().run(StudyData(datasets=("toy",), cases=build_cases(sides), resamples=50))
    assert {"| BLEU |", "| bleu |"} <= {
        line[: line.index("|", 1) + 1] for line in report_markdown(report).splitlines() if line[:1] == "|"
    }
    assert len(set(report.charts[0].x.categories)) == 2


def test_of_a_few_cases_no_metric_is_called_the_best() -> None:
    sides = [side for number in range(3) for side in pair(str(number), {"rouge2": 0.9}, {"rouge2": 0.1}, SEEN)]
    report = Measures(view="overview").run(StudyData(datasets=("toy",), cases=build_cases(sides), resamples=50))
    assert report.sentences == ("Too few cases (6) to say which metric is best: it takes 10.",)
    assert report.tables == ()

"""The sanity battery as a question of the audit: real metrics on bundled summaries, each text scored once."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.assessment.audit.data import items_data
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.evidence_work import EvidenceWork
from core.assessment.audit.question import MOST_SHOWN_PAIRS, AuditAnswer, Level
from core.assessment.audit.questions.sanity import SanityQuestion
from core.data.datasets.bundled import bundled_items
from core.results.runs.stress_run import ScoreRecord
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Result, Verdict

METRICS_TRIED = ("coverage", "density", "sentence-novelty", "summary-length")


def evidence_of(folder: Path, documents: int) -> Evidence:
    """The measurement for this question, on the originals of that many bundled documents."""
    originals = [item for item in bundled_items() if item.parent is None and item.intended is not Verdict.INCONSISTENT]
    settings = Settings(cache_dir=folder, device="cpu", database_url=f"sqlite:///{folder / 'kept.db'}")
    with closing(Engine.open(settings)) as engine:
        data = items_data(folder / "pairs.jsonl", originals[:documents], None, 0)
        work = EvidenceWork(engine, settings, data, [METRICS.parse(spec) for spec in METRICS_TRIED])
        for metric in work.metrics:
            for _, outcome in engine.run([metric], [source.example for source in data.sources]):
                assert isinstance(outcome, Result)
                work.gathered.run.add(ScoreRecord(outcome.example_id, "", metric.spec, outcome.score))
        for _ in work.score_sanity():
            done, total = work.counts
            assert done <= total
        return work.gathered


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    return evidence_of(tmp_path_factory.mktemp("sanity"), 24)


def details(answer: AuditAnswer) -> dict[str, float | None]:
    return {figure.label: figure.estimate.value for figure in answer.details}


def test_longest_shared_fragments_are_sane(tried: Evidence) -> None:
    answer = SanityQuestion().finding(tried, "density")
    assert answer.level is Level.GOOD
    assert answer.figure
    assert answer.figure.estimate.documents == 20
    assert answer.figure.estimate.low is not None
    assert answer.sentence.endswith("no kind of text fails in most cases.")


def test_a_bag_of_words_is_weak_and_the_sentence_says_that_it_is_one(tried: Evidence) -> None:
    answer = SanityQuestion().finding(tried, "coverage")
    assert answer.level is Level.WEAK
    assert "shuffled words are no worse than the summary 19 of 20 times" in answer.sentence
    assert details(answer)["shuffled words score below the summary"] == pytest.approx(0.05)
    assert {pair.remark for pair in answer.pairs} >= {"shuffled words"}


def test_a_metric_that_likes_refusals_fails_and_shows_them(tried: Evidence) -> None:
    answer = SanityQuestion().finding(tried, "sentence-novelty")
    assert answer.level is Level.FAILS
    assert "“No.” is no worse than 24 of 24 consistent summaries" in answer.sentence
    assert answer.brief in answer.sentence
    assert 0 < len(answer.pairs) <= MOST_SHOWN_PAIRS
    for pair in answer.pairs:
        assert pair.before == tried.run.sources[pair.source].example.summary != pair.after


def test_a_metric_without_a_better_side_is_not_asked_and_scores_nothing(tried: Evidence) -> None:
    assert SanityQuestion().finding(tried, "summary-length").level is Level.NOT_ASKED
    assert "summary-length" not in tried.sanity
    assert len(tried.sanity["coverage"]) == len(tried.sanity_pairs) <= 220


def test_texts_without_a_score_are_left_out_of_the_share(tried: Evidence) -> None:
    scores = {id: math.nan if "shuffled" in id else score for id, score in tried.sanity["coverage"].items()}
    answer = SanityQuestion().finding(replace(tried, sanity={"coverage": scores}), "coverage")
    assert "shuffled words score below the summary" not in details(answer)
    assert "shuffled" not in answer.sentence
    nothing = replace(tried, sanity={"coverage": dict.fromkeys(scores, math.nan)})
    assert SanityQuestion().finding(nothing, "coverage").level is Level.NOT_MEASURED


def test_every_text_is_a_case_of_the_figure(tried: Evidence) -> None:
    answer, cases = SanityQuestion().finding(tried, "coverage"), SanityQuestion().cases(tried, "coverage")
    assert len(cases) == sum(not math.isnan(score) for score in tried.sanity["coverage"].values())
    shuffled = [case.cells["as expected"] for case in cases if case.cells["kind"] == "shuffled words"]
    assert (shuffled.count("no"), shuffled.count("yes")) == (19, 1)
    assert {pair.after for pair in answer.pairs} <= {
        case.pair.after for case in cases if case.cells["as expected"] == "no"
    }


def test_few_documents_give_no_verdict(tmp_path: Path) -> None:
    answer = SanityQuestion().finding(evidence_of(tmp_path, 6), "sentence-novelty")
    assert answer.level is Level.TOO_FEW
    assert "too few for a verdict" in answer.warning

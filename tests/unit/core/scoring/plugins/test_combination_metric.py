"""A saved combination is a metric like any other: it weighs the scores of its members as it was fitted."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotations.store.writes import document_id
from core.data.datasets.formats.fields import document_key
from core.errors import BadSettingError
from core.registry import Registry
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.plugins import extensions
from core.scoring.plugins.combination_file import CombinationEntry, combination_class, combination_classes
from core.scoring.plugins.combination_metric import CombinationMetric, document_names
from core.scoring.plugins.metrics_folder import entry_toml, remove_entry, save_entry
from core.types import Example, Failure, Outcome, Result

TABLE: dict[str, object] = {
    "combine": ["coverage", "word-novelty", "entity-overlap"],
    "means": [0.8, -0.2, 0.9],
    "spreads": [0.1, 0.2, 0.25],
    "fits": [[0.5, 1.0, 0.5, 2.0], [0.4, 0.0, 1.0, 2.0], [0.3, 1.2, 0.0, 2.0], [0.2, 1.5, 0.5, 0.0]],
}
TUG = Example("tug", "The Ariel came at dawn. It was red.", "The Ariel came. It was blue.")
PLAIN = Example("plain", "The tug came at dawn. It was red.", "it came at night.")


def entry(name: str = "my-mix", **fields: object) -> CombinationEntry:
    return CombinationEntry.parse("The table", name, {**TABLE, **fields})


def metric(**fields: object) -> CombinationMetric:
    return combination_class(entry(**fields))()


def scored(engine: Engine, of: CombinationMetric, example: Example = TUG) -> Result:
    [(_, outcome)] = engine.run([of], [example])
    assert isinstance(outcome, Result), outcome
    return outcome


def member_scores(engine: Engine, example: Example) -> dict[str, Outcome]:
    specs = ["coverage", "word-novelty", "entity-overlap"]
    return {one.metric: one for _, one in engine.run(list(map(METRICS.parse, specs)), [example])}


def test_the_score_is_the_probability_that_the_fit_gives(engine: Engine) -> None:
    members = {name: one.score for name, one in member_scores(engine, TUG).items() if isinstance(one, Result)}
    logit = (
        0.5
        + (members["coverage"] - 0.8) / 0.1
        + 0.5 * (-members["word-novelty"] + 0.2) / 0.2
        + 2 * (members["entity-overlap"] - 0.9) / 0.25
    )
    found = scored(engine, metric())
    assert found.score == pytest.approx(1 / (1 + math.exp(-logit)))
    assert "|of:coverage+word-novelty+entity-overlap|fitted:" in found.signature
    assert found.seen.notes[0].startswith("coverage ")


def test_a_member_without_a_score_is_replaced_by_the_fit_without_it_and_two_are_a_failure(engine: Engine) -> None:
    found, members = scored(engine, metric(), PLAIN), member_scores(engine, PLAIN)
    assert isinstance(members["entity-overlap"], Failure)
    assert "entity-overlap has no score, so that the fit without it counts" in found.seen.notes[1]
    values = [one.score for one in members.values() if isinstance(one, Result)]
    logit = 0.2 + 1.5 * (values[0] - 0.8) / 0.1 + 0.5 * (-values[1] + 0.2) / 0.2
    assert found.score == pytest.approx(1 / (1 + math.exp(-logit)))
    twice = metric(combine=["coverage", "entity-overlap", "entity-overlap"])
    [(_, outcome)] = engine.run([twice], [PLAIN])
    assert isinstance(outcome, Failure)
    assert "2 of 3 members have no score" in outcome.error


def test_a_document_of_its_labels_is_scored_by_the_fold_that_did_not_learn_from_it(engine: Engine) -> None:
    fold_fits = [TABLE["fits"], [[-3.0, 0.0, 0.0, 0.0]] * 4]
    for name in document_names(TUG.document):
        found = scored(engine, metric(fold_fits=fold_fits, learned=[[], [name]]))
        assert found.score == pytest.approx(1 / (1 + math.exp(3)))
        assert "Its labels were of this document too" in found.seen.notes[1]
    assert document_names(TUG.document) == (document_id(TUG), document_key(TUG.document))


def test_a_cascade_asks_the_last_member_only_where_the_others_leave_it_open(engine: Engine) -> None:
    always, never = scored(engine, metric(unsure=[0.0, 1.0])), scored(engine, metric(unsure=[0.0, 0.0]))
    assert always.score == scored(engine, metric()).score
    assert "entity-overlap was not asked" in never.seen.notes[1]
    assert never.score != always.score
    assert not any(note.startswith("entity-overlap") for note in always.seen.notes)
    lacking = metric(combine=["coverage", "entity-overlap", "word-novelty"], unsure=[0.0, 0.0])
    assert "the fit without it counts" in scored(engine, lacking, PLAIN).seen.notes[1]  # its last member was asked


def test_a_sentence_is_weighed_by_the_members_scores_of_it(engine: Engine) -> None:
    found = scored(engine, metric())
    assert [part.span.of(TUG.summary) for part in found.parts] == ["The Ariel came."]  # the other names nothing
    assert found.parts[0].evidence is not None


def test_a_combination_of_before_there_were_levels_has_the_scores_that_it_had(engine: Engine) -> None:
    found = scored(engine, metric())
    assert (metric().table, found.score, found.parts[0].score) == (
        "807d272e82eb",
        0.8476989835498224,
        0.9781187290638694,
    )
    assert "level" not in entry_toml(entry())


def test_a_summary_is_as_consistent_as_all_of_its_sentences_together(engine: Engine) -> None:
    found = scored(engine, metric(level="sentence"))
    assert [part.span.of(TUG.summary) for part in found.parts] == ["The Ariel came.", "It was blue."]
    assert found.score == pytest.approx(found.parts[0].score * found.parts[1].score)
    assert found.parts[0].score == scored(engine, metric()).parts[0].score  # the same weights and scores
    assert found.seen.notes[1] == f"coverage moves the least probable sentence ({found.parts[1].score:.3f}) most."


def test_a_sentence_that_a_member_does_not_score_counts_with_its_score_of_the_summary(engine: Engine) -> None:
    members = {name: one for name, one in member_scores(engine, TUG).items() if isinstance(one, Result)}
    assert len(members["entity-overlap"].parts) == 1  # the second sentence names nothing
    second = {name: one.parts[1].score if len(one.parts) > 1 else one.score for name, one in members.items()}
    logit = (
        0.5
        + (second["coverage"] - 0.8) / 0.1
        + 0.5 * (-second["word-novelty"] + 0.2) / 0.2
        + 2 * (second["entity-overlap"] - 0.9) / 0.25
    )
    assert scored(engine, metric(level="sentence")).parts[1].score == pytest.approx(1 / (1 + math.exp(-logit)))


def test_a_sentence_has_the_evidence_of_the_member_that_moves_it_most(engine: Engine) -> None:
    heavy = {"fits": [[0.5, 0.0, 9.0, 0.0], [], [], []], "level": "sentence"}
    members = {name: one for name, one in member_scores(engine, TUG).items() if isinstance(one, Result)}
    evidence = members["word-novelty"].parts[1].evidence
    assert evidence is not None
    found = scored(engine, metric(**heavy))
    assert found.parts[1].evidence == evidence
    assert found.seen.notes[1].startswith("word-novelty moves the least probable sentence")


def test_a_cascade_over_sentences_asks_its_last_member_where_the_others_leave_the_summary_open(engine: Engine) -> None:
    never = scored(engine, metric(level="sentence", unsure=[0.0, 0.0]))
    assert "entity-overlap was not asked" in never.seen.notes[1]
    assert never.score == pytest.approx(math.prod(part.score for part in never.parts))
    assert (
        scored(engine, metric(level="sentence", unsure=[0.0, 1.0])).score
        == scored(engine, metric(level="sentence")).score
    )


def test_the_signature_changes_with_the_fit_and_with_the_members(engine: Engine) -> None:
    def facts(of: CombinationMetric) -> str:
        return scored(engine, of).signature.partition("|split:")[0]

    assert facts(metric()) == facts(metric())
    assert facts(metric()) != facts(metric(fits=[[0.6, 1.0, 0.5, 2.0], [], [], []]))
    assert facts(metric()) != facts(metric(combine=["coverage", "word-novelty", "rouge2"]))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"means": [1.0]}, "means and spreads must have a number for each of 3 members"),
        ({"fits": [[0.5, 1.0, 0.5, 2.0]]}, "fits must be 4 rows of 4 numbers"),
        ({"fits": [[], [], [], []]}, "fits must be 4 rows"),
        ({"fits": [[0.5, -1.0, 0.5, 2.0], [], [], []]}, "a weight is below zero"),
        ({"means": [math.nan, 0.0, 0.0]}, "finite number"),
        ({"unsure": [0.9, 0.1]}, "unsure must be two probabilities"),
        ({"learned": [["a"]]}, "learned must name"),
        ({"combine": []}, "at least 1 item"),
        ({"level": "word"}, "Input should be 'summary' or 'sentence'"),
        ({"code": "import os"}, "Extra inputs are not permitted"),
    ],
)
def test_a_wrong_table_is_refused_with_the_field(fields: dict[str, object], words: str) -> None:
    with pytest.raises(BadSettingError, match=words):
        entry(**fields)


def test_a_combination_may_not_contain_itself() -> None:
    METRICS.add(combination_class(entry("mix-a", combine=["coverage", "word-novelty", "claims[metric=mix-b]"])))
    METRICS.add(combination_class(entry("mix-b", combine=["coverage", "word-novelty", "mix-a"])))
    try:
        with pytest.raises(BadSettingError, match="mix-a is a member of itself"):
            METRICS.parse("mix-a").checkpoints()
    finally:
        METRICS.remove("mix-a")
        METRICS.remove("mix-b")


@pytest.fixture
def saved(tmp_path: Path) -> Iterator[CombinationEntry]:
    made = entry("saved-mix", signatures=["a", "b", "c"], learned=[["x"]], fold_fits=[TABLE["fits"]])
    save_entry(made, combination_class(made), tmp_path)
    yield made
    METRICS.remove("saved-mix")


def test_a_saved_combination_is_read_back_as_it_was(saved: CombinationEntry, tmp_path: Path) -> None:
    [read] = combination_classes(str(tmp_path / f"{saved.name}.toml"))
    made = METRICS.parse("saved-mix")
    assert isinstance(made, CombinationMetric)
    assert read.table == made.table == "8ad0d052e4c3"  # of a table that was saved before there were levels
    assert pickle.loads(pickle.dumps(made)) == made
    assert (read().verified_languages, combination_class(entry(combine=["bleu"] * 3))().verified_languages) == (
        "en",
        "spaced",
    )


def test_a_member_is_not_removed_from_under_a_combination(saved: CombinationEntry, tmp_path: Path) -> None:
    outer = entry("outer-mix", combine=["coverage", "rouge2", f"claims[metric={saved.name}]"])
    save_entry(outer, combination_class(outer), tmp_path)
    with pytest.raises(BadSettingError, match="saved-mix is a member of outer-mix"):
        remove_entry("saved-mix", tmp_path)
    remove_entry("outer-mix", tmp_path)
    remove_entry("saved-mix", tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_combination_without_its_members_is_left_out_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.toml").write_text(
        entry_toml(entry("a-whole"))
        + entry_toml(entry("b-outer", combine=["coverage", "rouge2", "c-broken"]))
        + entry_toml(entry("c-broken", combine=["coverage", "rouge2", "gone"])),
        encoding="utf-8",
    )
    monkeypatch.setenv("TOUCHSTONE_METRICS_DIR", str(tmp_path))
    monkeypatch.setattr(extensions, "_reports", [])
    METRICS.names()
    mine: Registry[CombinationMetric] = Registry(
        "metric", "core.scoring.metrics", (extensions.METRIC_GROUP,), CombinationMetric
    )
    monkeypatch.setattr(mine, "_classes", dict(METRICS.listed))
    monkeypatch.setattr("core.scoring.plugins.combination_metric.METRICS", mine)
    assert "a-whole" in mine.names()
    assert not {"b-outer", "c-broken"} & {*mine.names()}
    [report] = [one for one in extensions.plugin_reports() if one.group == "table"]
    assert report.names == ("a-whole",)
    assert "c-broken is left out. There is no metric 'gone'" in report.error or "gone" in report.error

"""`import touchstone` in the checkout: pairs as a notebook holds them, messages, and the display of scores."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import touchstone as ts
from core.assessment.notebook import session
from core.assessment.notebook.scores import Scores

HOSTILE = '<script>alert("x")</script> & it rained.'


@pytest.fixture(autouse=True, scope="module")
def own_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("TOUCHSTONE_DEVICE", "cpu")
        yield
        ts.close()


def test_examples_records_and_tables_are_the_same_pairs() -> None:
    examples = [ts.Example("a", "It rained in York.", "It rained."), ts.Example("b", "A tug came.", "A tug.")]
    records = [{"id": one.id, "article": one.document, "claim": one.summary} for one in examples]
    found = [ts.score(pairs, "rouge2") for pairs in (examples, records, pd.DataFrame(records), iter(examples))]
    scores = [[(one["id"], one["score"], one["signature"]) for one in part] for part in found]
    assert scores == [scores[0]] * 4
    assert scores[0][0][:2] == ("a", 1.0)


def test_an_empty_cell_of_a_table_is_a_field_that_is_not_there() -> None:
    rows = [
        {"document": "A tug came.", "summary": "A tug came.", "edited": "A ship came."},
        {"document": "Rain.", "summary": "Rain."},
    ]
    assert [one["id"] for one in ts.score(pd.DataFrame(rows), "coverage")] == ["line-1", "line-1/edited", "line-2"]


def test_a_pair_that_cannot_be_read_is_the_error_of_its_row_and_stops_no_other() -> None:
    unread = [{"document": "A tug came.", "summary": " "}, {"body": "x"}, {"document": "A tug.", "summary": math.nan}]
    pairs = [
        {"document": "A tug came.", "summary": "A tug came."},
        *unread,
        {"document": "Rain fell.", "summary": "Rain fell."},
    ]
    records = ts.score(pairs, ["rouge2", "coverage"])
    assert [record["id"] for record in records[::2]] == ["line-1", "line-2", "line-3", "line-4", "line-5"]
    assert [record["score"] for record in records] == [1.0, 1.0, *[None] * 6, 1.0, 1.0]
    assert {record["error_kind"] for record in records if record["score"] is None} == {"input"}
    assert "The summary is empty." in records[2]["error"]
    with pytest.raises(
        ts.TouchstoneError, match=r"3 of the pairs cannot be read\. Pair 1: The summary is empty\..* Pair 2:"
    ):
        ts.score(unread, "rouge2")
    with pytest.raises(ts.TouchstoneError, match="Did you mean 'rouge2'"):
        ts.score(pairs, ["rouge"])


def test_a_score_that_cannot_be_had_has_its_reason_and_stops_no_other() -> None:
    failed, done = ts.score(
        [ts.Example("a", "A tug came.", "A tug came.")], ["summac-zs[checkpoint=/nowhere]", "rouge2"]
    )
    assert (failed["score"], failed["status"], done["score"]) == (None, "failed", 1.0)
    assert "/nowhere" in failed["error"]


def test_evaluating_without_scores_of_these_pairs_says_what_to_do() -> None:
    pairs = [{"id": "a", "document": "A tug came.", "summary": "A tug.", "label": "faithful"}]
    with pytest.raises(ts.TouchstoneError, match=r"touchstone\.score"):
        ts.evaluate(pairs, ts.score([{**pairs[0], "id": "b"}], "rouge2"))


def test_a_study_of_own_scores_is_a_report_with_rows_figures_and_files(tmp_path: Path) -> None:
    pairs = [
        {"id": f"p{n}", "document": "A tug came at noon.", "summary": "A tug came.", "edited": f"{n} ships left."}
        for n in range(4)
    ]
    labelled = [{**pair, "label": "inconsistent"} for pair in pairs]
    report = ts.study("measures", labelled, scores=ts.score(labelled, "rouge2"), resamples=20)
    [row] = report.rows()
    assert (row["metric"], row["n"], row["consistency"], row["consistency_n"]) == ("rouge2", 4, 1.0, 4)
    assert report.table().figure("auc", metric="rouge2").value == 1.0
    assert report.record()["tables"]["measures"][0]["consistency"]["value"] == 1.0
    assert "ROUGE-2 has consistency 100.0 %" in str(report)
    assert "<td" in report._repr_html_()
    [csv] = report.save(tmp_path / "table.csv")
    assert csv.read_text().startswith("slice,metric,n,consistency,consistency_low")
    assert ts.evaluate(labelled, ts.score(labelled, "rouge2"), resamples=20).rows() == report.rows()


@pytest.mark.parametrize(("right", "wrong"), [(1, 0), (True, False), ("yes", "no"), (1.0, 0.0)])
def test_labels_of_1_and_0_are_asked_about_and_read_as_was_answered(right: object, wrong: object) -> None:
    texts = ["A tug came.", "A tug came at noon.", "Three ships sank.", "Snow fell on Kiel."]
    pairs = [
        {"id": f"p{n}", "document": f"A tug came at noon, {n}.", "summary": text, "Label": right if n < 2 else wrong}
        for n, text in enumerate(texts)
    ]
    scores = ts.score(pairs, "rouge2")
    with pytest.raises(ts.TouchstoneError, match=r'Label says .*label_of_1="inconsistent"'):
        ts.evaluate(pairs, scores)
    [row] = ts.evaluate(pairs, scores, label_of_1="consistent", resamples=20).rows()
    [turned] = ts.evaluate(pairs, scores, label_of_1="inconsistent", resamples=20).rows()
    assert (row["auc"], turned["auc"]) == (1.0, 0.0)
    with pytest.raises(ts.TouchstoneError, match="label_of_1 is 'faithful'"):
        ts.evaluate(pairs, scores, label_of_1="faithful")


def test_a_study_that_does_not_exist_or_lacks_its_data_says_what_to_do() -> None:
    with pytest.raises(ts.TouchstoneError, match="Did you mean 'measures'"):
        ts.study("measure")
    with pytest.raises(ts.TouchstoneError, match="Name a dataset"):
        ts.study("measures", view="ranks")
    with pytest.raises(ts.TouchstoneError, match="takes measure as one of"):
        ts.study("measures", view="ranks", measure="speed")


def test_what_is_shown_is_escaped_and_tinted_by_direction() -> None:
    scores = ts.score([ts.Example(HOSTILE, HOSTILE, HOSTILE)], ["rouge2", "word-novelty", "conciseness"])
    html = scores._repr_html_()
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt; &amp; it rained.") >= 3
    assert html.count("rgba(47, 91, 215, 0.45)") == 2  # nothing new is as consistent as can be, whichever way is up
    assert "rgba(120, 128, 144" in html  # conciseness has no better side
    assert "<q>" in html


def test_a_failure_is_shown_with_its_reason_and_long_lists_say_what_is_left_out() -> None:
    [failed] = ts.score([ts.Example("a", "A tug came.", "A tug came.")], ["summac-zs[checkpoint=/no<b>where]"])
    html = Scores([failed] * 60)._repr_html_()
    assert "/no&lt;b&gt;where" in html
    assert "10 more scores" in html


@pytest.mark.slow
def test_an_engine_serves_one_process_until_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    first = session.engine()
    assert session.engine() is first
    monkeypatch.setattr("os.getpid", lambda: -1)  # as in a process that was forked
    forked = session.engine()
    assert forked is not first
    ts.close()
    monkeypatch.undo()
    assert session.engine() is first
    ts.close()
    assert session.engine() is not first


@pytest.mark.slow
def test_a_study_of_pairs_scores_them_by_the_metrics_that_are_named() -> None:
    edits = [
        {"original_text": old, "replace_text": new, "explanation": "Another."}
        for old, new in (("tug", "ship"), ("red", "blue"))
    ]
    pairs = [{"id": "p", "document": "A red tug came in.", "summary": "A red tug came in.", "edits": edits}]
    report = ts.study("bisect", pairs, metrics="rouge2")
    assert [(row["pair"], row["edit"], row["metric"]) for row in report.rows()] == [
        ("p", "tug → ship", "rouge2"),
        ("p", "red → blue", "rouge2"),
    ]
    with pytest.raises(ts.TouchstoneError, match="Name at least one"):
        ts.study("bisect", pairs)

"""Claims on Probe: found, rewritten, removed, added, restored, scored side by side, and kept by draft and link."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from core.data.datasets.bundled import bundled_items
from core.edits.editing.claim_edits import EditableClaims
from core.errors import TouchstoneError
from core.scoring.metric import METRICS
from core.text.segmentation import sentences
from core.types import UNSTATED, ClaimList, Failure, FailureKind, Result, Seen, Span, SummaryClaim
from pages.ui.probe.claim_scores import ScoredClaims, claim_scores_csv, claims_table
from pages.ui.probe.pair import EDITOR_KEY
from pages.ui.probe.probe_state import ProbeState
from pages.ui.probe.text_panes import EditorState
from pages.ui.shared.pair_link import pair_link, unpack_claims
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]

FIRST = bundled_items()[0].example
SENTENCES = [span.of(FIRST.summary) for span in sentences(FIRST.summary)]
HAND = ", edited by hand"


def find(app: AppTest) -> AppTest:
    return app.button(key="find-claims").click().run()


def claims_of(app: AppTest) -> EditableClaims:
    found = state_of(app, ProbeState).claims
    assert found
    return found


def texts(app: AppTest) -> list[str]:
    return [claim.text for claim in claims_of(app).claims.claims]


def problems(app: AppTest) -> str:
    assert not app.exception
    return " ".join(one.value.replace("\\", "") for one in app.error)


def table(app: AppTest) -> dict[str, dict[str, str]]:
    assert not app.exception
    [shown] = [one.value for one in app.dataframe if one.value.index.name == "claim"]
    found: dict[str, dict[str, str]] = shown.to_dict()
    return found


def test_nothing_is_shown_before_claims_are_found(probe: Open) -> None:
    app = probe()
    assert not app.exception
    assert not [one for one in app.dataframe if one.value.index.name == "claim"]


def test_claims_are_found_and_scored_by_every_metric(probe: Open) -> None:
    app = find(probe())
    assert texts(app) == SENTENCES
    rouge = list(table(app)["ROUGE-2"].values())
    alone = [
        METRICS.parse("rouge2").fold(FIRST.__class__("one", FIRST.document, text), [], []).value for text in SENTENCES
    ]
    assert rouge == [f"{value:.3f}" for value in [*alone, sum(alone) / len(alone), min(alone)]]
    assert "BLEU" in table(app)
    assert not any("coverage" in name for name in table(app))  # it describes and does not judge


@pytest.mark.slow
def test_an_edited_claim_is_what_is_scored(probe: Open) -> None:
    app = find(probe())
    copied = sentences(FIRST.document)[0].of(FIRST.document)
    app.text_area(key="claim-text-0").set_value(copied).run()
    assert next(iter(table(app)["ROUGE-2"].values())) == "1.000"
    assert claims_of(app).claims.by == f"sentence{HAND}"
    assert any("claims:sentence, edited by hand" in one.value.replace("\\", "") for one in app.caption)
    app.button(key="restore-claim-0").click().run()
    assert app.text_area(key="claim-text-0").value == SENTENCES[0]
    assert claims_of(app).claims.by == "sentence"


def test_claims_are_removed_added_and_restored(probe: Open) -> None:
    app = find(probe())
    app.button(key="remove-claim-1").click().run()
    assert texts(app) == [SENTENCES[0], *SENTENCES[2:]]
    assert len(table(app)["ROUGE-2"]) == len(SENTENCES) + 2
    assert "no claim" in set(table(app)["ROUGE-2"].values())
    app.text_input(key="new-claim").set_value("The captain slept.").run()
    app.button(key="add-claim").click().run()
    assert texts(app)[-1] == "The captain slept."
    assert app.text_input(key="new-claim").value == ""
    app.text_area(key="claim-text-0").set_value("  ").run()
    assert texts(app) == [*SENTENCES[2:], "The captain slept."]
    for place in (0, 1):
        app.button(key=f"restore-claim-{place}").click().run()
    assert texts(app) == [*SENTENCES, "The captain slept."]
    assert claims_of(app).claims.by == f"sentence{HAND}"


@pytest.mark.slow
def test_the_claims_of_another_text_are_not_scored_and_come_back_with_it(probe: Open) -> None:
    app = find(probe())
    state_of(app, EditorState, EDITOR_KEY).text = f"{FIRST.summary} It rained."
    app.run()
    assert not app.exception
    assert any("of another text" in one.value for one in app.info)
    assert not [one for one in app.dataframe if one.value.index.name == "claim"]
    state_of(app, EditorState, EDITOR_KEY).text = FIRST.summary
    app.run()
    assert table(app)


@pytest.mark.slow
def test_a_way_that_fails_says_why(probe: Open) -> None:
    app = probe()
    app.selectbox(key="claims-way").set_value("fenice").run()
    app.text_input(key="claims-settings").set_value("extractor=/nowhere").run()
    find(app)
    for _ in range(100):
        if state_of(app, ProbeState).claims_error:
            break
        app.run()
    assert any("nowhere" in one.value.replace("\\", "") for one in app.error)
    assert state_of(app, ProbeState).claims is None
    app.text_input(key="claims-settings").set_value("colour=red").run()
    assert any("colour" in one.value for one in app.error)


@pytest.mark.slow
def test_a_message_about_an_empty_summary_goes_with_it(probe: Open) -> None:
    app = probe()
    state_of(app, EditorState, EDITOR_KEY).text = ""
    find(app.run())
    assert "The summary is empty." in problems(app)
    state_of(app, EditorState, EDITOR_KEY).text = "A tug struck the quay."
    app.run()
    assert problems(app) == ""
    assert texts(find(app)) == ["A tug struck the quay."]


def test_no_claims_are_asked_for_where_no_language_model_is_set(
    probe: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "")
    app = probe()
    app.selectbox(key="claims-way").set_value("language-model").run()
    assert app.button(key="find-claims").disabled
    assert any("No language-model endpoint is set." in one.value.replace("\\", "") for one in app.info)
    app.text_input(key="claims-model").set_value("local:nowhere").run()
    assert not app.button(key="find-claims").disabled


@pytest.mark.slow
def test_a_reload_finds_the_edited_claims(probe: Open) -> None:
    app = find(probe())
    app.button(key="remove-claim-0").click().run()
    draft = app.query_params["draft"]
    again = probe(draft=draft, example="news-harbour")
    assert claims_of(again) == claims_of(app)
    assert len(table(again)["ROUGE-2"]) == len(SENTENCES) - 1 + 2


def test_a_link_carries_the_claims(probe: Open) -> None:
    found = ClaimList(
        FIRST.summary, (SummaryClaim(SENTENCES[0], Span(0, 9)), SummaryClaim("Nobody was hurt.")), "fenice"
    )
    claims = EditableClaims.of(found).rewrite(0, "Rain fell.").remove(1).add("The <b>mayor</b> spoke.")
    query = parse_qs(pair_link(FIRST.id, FIRST.summary, [], UNSTATED, claims=claims).removeprefix("?"))
    app = probe(**{name: value for name, [value] in query.items()})
    assert claims_of(app) == claims
    assert texts(app) == ["Rain fell.", "The <b>mayor</b> spoke."]


@pytest.mark.parametrize(
    "record", [3, [], ["by", [3]], ["by", [["", None, None, False]]], ["by", [["a", "a", [0, 999999], False]]]]
)
def test_a_damaged_link_is_refused(record: object) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        EditableClaims.from_json(record, FIRST.summary)
    with pytest.raises(TouchstoneError, match="cannot be read"):
        unpack_claims("no link", FIRST.summary)


def test_a_failure_is_a_word_in_the_table_and_a_reason_below() -> None:
    metric = METRICS.parse("rouge2")
    good = Result("claim 1", "rouge2", "rouge2|x", 0.0, (), Seen(), 0.1, "cpu")
    bad = Failure("claim 2", "rouge2", FailureKind.INPUT, "It has no word.")
    scored = ScoredClaims(
        ("1", "2", "4"),
        ("Rain.", "…", "Snow."),
        (metric,),
        ((good, bad, None),),
        ((good, bad),),
        (("ready", "failed", "running"),),
    )
    assert list(claims_table(scored).to_dict()["ROUGE-2"].values()) == [
        "0.000",
        "failed: input",
        "running",
        "0.000",
        "failed: input",
    ]
    assert scored.failures() == ["ROUGE-2, claim 2: It has no word."]
    first, second, *_ = csv.DictReader(io.StringIO(claim_scores_csv(scored).removeprefix("\ufeff")))
    assert (first["score"], first["signature"]) == ("0.0", "rouge2|x")
    assert (second["score"], second["error"]) == ("", "It has no word.")


def test_a_sentence_whose_claim_was_removed_stays_in_the_table(probe: Open) -> None:
    app = find(probe())
    app = app.button(key="remove-claim-1").click().run()
    shown = table(app)
    assert shown["ROUGE-2"]["sentence 2"] == "no claim"
    assert shown["text"]["sentence 2"] == SENTENCES[1]

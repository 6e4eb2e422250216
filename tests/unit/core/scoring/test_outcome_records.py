"""The record of an outcome keeps the contract of design section 7."""

from __future__ import annotations

import json
from dataclasses import replace

from core.scoring.outcome_records import outcome_record
from core.types import ClaimScore, Counts, Example, Failure, FailureKind, Part, Result, Seen, Span, SummaryClaim

EXAMPLE = Example("pair-1", "The harbour was closed. Nobody was hurt. 😀", "It closed. ‮Nobody‬ was hurt.")
RESULT = Result(
    "pair-1",
    "rouge2[measured=f1]",
    "rouge2|measured:f1",
    0.25,
    (Part(Span(0, 10), 0.5, Span(0, 23)), Part(Span(11, 31), 0.0)),
    Seen((Span(0, 42),), 17, 3, ("A remark.",)),
    0.123456,
    "cpu",
    Counts(2, 1, 0, 1, 1, 17),
)
FAILURE = Failure("pair-1", "rouge2", FailureKind.INPUT, "The summary is empty.")
CONTRACT = {"id", "metric", "signature", "status", "score", "error", "sentences", "seen"}


def test_a_result_has_every_field_of_the_contract() -> None:
    record = outcome_record(EXAMPLE, RESULT)
    assert set(record) >= CONTRACT
    assert (record["id"], record["metric"], record["signature"]) == ("pair-1", RESULT.metric, RESULT.signature)
    assert (record["status"], record["score"], record["error"]) == ("ok", 0.25, None)


def test_a_sentence_tells_its_text_and_its_evidence() -> None:
    first, second = outcome_record(EXAMPLE, RESULT)["sentences"]
    evidence = {"text": "The harbour was closed.", "start": 0, "end": 23}
    assert first == {"text": "It closed.", "score": 0.5, "evidence": evidence}
    assert second == {"text": EXAMPLE.summary[11:31], "score": 0.0, "evidence": None}


def test_what_was_seen_and_what_it_cost_are_told() -> None:
    record = outcome_record(EXAMPLE, RESULT)
    assert record["seen"] == {"pieces": [[0, 42]], "tokens": 17, "cut": 3, "notes": ["A remark."]}
    assert record["questions"] == {"planned": 2, "cached": 1, "merged": 0, "asked": 1, "passes": 1, "tokens": 17}
    assert (record["seconds"], record["device"]) == (0.1235, "cpu")


def test_a_failure_has_every_field_and_no_number() -> None:
    record = outcome_record(EXAMPLE, FAILURE)
    assert set(record) >= CONTRACT
    assert (record["status"], record["score"]) == ("failed", None)
    assert (record["error"], record["error_kind"]) == ("The summary is empty.", "input")
    assert (record["sentences"], record["seen"]) == ([], None)


def test_a_record_is_read_back_from_json_as_it_was() -> None:
    for outcome in (RESULT, FAILURE):
        record = outcome_record(EXAMPLE, outcome)
        assert json.loads(json.dumps(record, ensure_ascii=False, allow_nan=False)) == record


def test_sentences_that_no_claim_is_of_are_listed_where_claims_are_scored() -> None:
    of_first = (ClaimScore(SummaryClaim("It closed.", Span(0, 10)), 0.5),)
    assert outcome_record(EXAMPLE, replace(RESULT, claims=of_first))["no_claim"] == ["Nobody\u202c was hurt."]
    of_both = (*of_first, ClaimScore(SummaryClaim("Nobody was hurt.", Span(11, 31)), None, error="Too long."))
    assert "no_claim" not in outcome_record(EXAMPLE, replace(RESULT, claims=of_both))
    assert "no_claim" not in outcome_record(EXAMPLE, RESULT)

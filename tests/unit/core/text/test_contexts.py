"""Documents of several contexts: joined, found again, read passage by passage."""

from __future__ import annotations

import pytest

from core.errors import TouchstoneError
from core.scoring.metrics.alignscore import AlignScoreBase
from core.scoring.metrics.minicheck import MiniCheckFlanT5
from core.scoring.metrics.summac import SummaCConv, SummaCZS
from core.scoring.outcome_records import outcome_record
from core.text.contexts import (
    NamedText,
    closest_evidence,
    context_records,
    context_sentences,
    document_for_reader,
    join_contexts,
    locate_contexts,
    name_contexts,
    named_texts,
    parse_contexts,
    passage_spans,
)
from core.types import Example, Part, Result, Seen, Span

PORT, WEATHER = "The harbour was closed on Tuesday", "Winds reached 90 km/h. Nobody was hurt."


def example(*found: object, summary: str = "Nobody was hurt.", question: str = "") -> Example:
    document, contexts = join_contexts(parse_contexts(list(found)))
    return Example("a", document, summary, contexts, question)


PASSAGES = example({"title": "Port", "text": PORT}, {"title": "Weather", "text": WEATHER})
TURNS = example({"speaker": "Amy", "text": "I will come"}, {"speaker": "Bob", "text": "Fine, I bring cake"})


def test_passages_stand_apart_and_turns_on_lines_after_their_speakers() -> None:
    assert PASSAGES.document == f"{PORT}\n\n{WEATHER}"
    assert TURNS.document == "Amy: I will come\nBob: Fine, I bring cake"
    assert [one.name for one in (*PASSAGES.contexts, *TURNS.contexts)] == ["Port", "Weather", "turn 1", "turn 2"]


def test_each_context_is_a_passage_and_turns_are_one_together() -> None:
    assert [span.of(PASSAGES.document) for span in passage_spans(PASSAGES)] == [PORT, WEATHER]
    assert passage_spans(TURNS) == (Span(0, len(TURNS.document)),)
    assert passage_spans(Example("a", "One text.", "")) == (Span(0, 9),)


def test_what_was_joined_is_the_same_when_it_is_taken_apart_and_joined_again() -> None:
    for one in (PASSAGES, TURNS, example("alone")):
        assert join_contexts(named_texts(one)) == (one.document, one.contexts)
        assert locate_contexts(one.document, parse_contexts(context_records(one))) == one.contexts


def test_contexts_are_texts_objects_or_a_map_also_as_json_in_a_cell() -> None:
    texts = [NamedText("context 1", "a b"), NamedText("context 2", "c")]
    assert parse_contexts(["a b", "c"]) == parse_contexts('["a b", "c", " "]') == texts
    assert parse_contexts({"left": "a", "right": "b"}) == [NamedText("left", "a"), NamedText("right", "b")]
    assert parse_contexts("only one text") == [NamedText("context 1", "only one text")]


def test_equal_names_get_a_number() -> None:
    found = parse_contexts([{"name": "news", "text": text} for text in "abc"])
    assert [one.name for one in found] == ["news", "news (2)", "news (3)"]


@pytest.mark.parametrize("wrong", [7, [7], [{"name": "no text"}], '["unclosed'])
def test_what_is_no_context_is_refused(wrong: object) -> None:
    with pytest.raises(TouchstoneError, match=r"[Cc]ontext"):
        parse_contexts(wrong)


def test_a_context_that_is_not_in_the_document_is_refused() -> None:
    with pytest.raises(TouchstoneError, match="'context 2' does not stand in the document"):
        locate_contexts("one text", parse_contexts(["one", "two"]))


def test_no_sentence_and_no_evidence_goes_over_the_end_of_a_context() -> None:
    assert context_sentences(PASSAGES)[0].of(PASSAGES.document) == PORT
    evidence = closest_evidence(PASSAGES, "The harbour was closed.")
    assert evidence
    assert evidence.of(PASSAGES.document) == PORT


def test_evidence_names_the_contexts_that_it_lies_in() -> None:
    (port, weather) = passage_spans(PASSAGES)
    assert name_contexts(PASSAGES.contexts, port) == "Port"
    assert name_contexts(PASSAGES.contexts, Span(port.start, weather.end)) == "Port, Weather"
    part = Part(Span(0, 16), 1.0, weather)
    result = Result("a", "m", "m", 1.0, (part,), Seen(), 0.0, "cpu")
    assert outcome_record(PASSAGES, result)["sentences"][0]["evidence"]["context"] == "Weather"


def test_a_language_model_reads_the_question_and_the_names() -> None:
    assert document_for_reader(Example("a", "One text.", "")) == "One text."
    asked = example({"name": "Port", "text": PORT}, question="When?")
    assert document_for_reader(asked) == f"Question: When?\n\n[Port]\n{PORT}"


def test_where_the_best_one_counts_no_chunk_goes_over_the_end_of_a_passage() -> None:
    for metric in (AlignScoreBase(), MiniCheckFlanT5(), SummaCZS()):
        read = {question.evidence for question in metric.plan(PASSAGES)}
        assert metric.card.contexts == "best"
        assert all(span and name_contexts(PASSAGES.contexts, span) in ("Port", "Weather") for span in read)


def test_turns_and_plain_documents_are_chunked_as_one_text() -> None:
    for metric in (AlignScoreBase(), MiniCheckFlanT5(), SummaCZS()):
        plain = Example("a", TURNS.document, TURNS.summary)
        assert [one.evidence for one in metric.plan(TURNS)] == [one.evidence for one in metric.plan(plain)]


def test_what_reads_contexts_joined_asks_as_of_one_text() -> None:
    plain = Example("a", PASSAGES.document, PASSAGES.summary)
    assert SummaCConv().card.contexts == "joined"
    assert SummaCConv().plan(PASSAGES) == SummaCConv().plan(plain)

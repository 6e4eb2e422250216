"""Datasets whose judges mark errors: their classes, their words in the summary, and the mark that counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.data.dataset import DATASETS, Refusal
from core.data.datasets.ragtruth import source_example
from core.errors import TouchstoneError
from core.types import ErrorType, Item, Span, Split, StoredScore, Verdict
from tests.unit.core.data.datasets.reading import imported, items_of, refused
from tests.unit.core.data.datasets.releases import (
    DOCUMENT,
    WRONG,
    answered_in_german,
    checked,
    cliff,
    dialogue,
    faithful,
    grey,
    mark,
    marked_by_several,
    message,
    rated_in_german,
    response,
    supported,
    verified,
    write_diasumfact,
    write_faithbench,
    write_ragtruth,
    write_ragtruth_plus,
)
from tests.unit.core.data.datasets.writing import lines, listed, table, tabs


@pytest.mark.parametrize(
    ("labels", "verdict"),
    [
        ([], Verdict.CONSISTENT),
        ([["Benign"], ["Questionable"]], Verdict.BORDERLINE),
        ([["Benign"], ["Unwanted", "Unwanted.Intrinsic"]], Verdict.INCONSISTENT),
        ([[]], Verdict.CONSISTENT),
    ],
)
def test_the_worst_mark_of_faithbench_counts(tmp_path: Path, labels: list[list[str]], verdict: Verdict) -> None:
    (item,) = imported("faithbench", tmp_path, write_faithbench, faithful(0, *labels))
    assert item.intended is verdict


def test_a_sample_of_faithbench_is_named_after_its_batch_and_brings_detectors(tmp_path: Path) -> None:
    (item,) = imported("faithbench", tmp_path, write_faithbench, faithful(0, ["Unwanted", "Unwanted.Extrinsic"]))
    assert (item.example.id, item.categories) == ("batch_3-0", ("Unwanted.Extrinsic",))
    assert item.scores == (StoredScore("hhem-2.1", 0.5),)


def test_what_annotators_of_faithbench_saved_is_not_read_besides_the_release(tmp_path: Path) -> None:
    listed("annot/batch_3_annotation.json")(tmp_path, [])
    assert len(imported("faithbench", tmp_path, write_faithbench, faithful(0))) == 1


def test_a_span_outside_the_summary_is_refused(tmp_path: Path) -> None:
    record = faithful(0, ["Benign"])
    record["annotations"][0]["summary_end"] = 999
    assert "'summary_end' are 4 and 999" in refused("faithbench", tmp_path, write_faithbench, record).error


def test_a_response_without_labels_is_faithful_to_its_source(tmp_path: Path) -> None:
    marked, plain = imported("ragtruth", tmp_path, write_ragtruth, response("1"), response("2", labels=[]))
    assert (marked.intended, marked.categories) == (Verdict.INCONSISTENT, ("Evident Conflict",))
    assert marked.judgements[0].span == Span(22, 27)
    assert (plain.intended, plain.split, plain.domain) == (Verdict.CONSISTENT, Split.TRAIN, "Summary")


def test_a_source_of_ragtruth_is_a_text_passages_or_data(tmp_path: Path) -> None:
    rows = [response(source, source_id=source) for source in ("11", "12", "13")]
    text, passages, data = imported("ragtruth", tmp_path, write_ragtruth, *rows)
    assert (text.example.document, passages.example.document, passages.title) == (DOCUMENT, DOCUMENT, "When?")
    assert '"cars": 40' in data.example.document


def test_words_that_stand_twice_are_marked_where_the_offset_is_nearer(tmp_path: Path) -> None:
    mark = {"start": 24, "end": 29, "text": "night", "label_type": "Evident Conflict"}
    text = "One night, and then one more night."
    (item,) = imported("ragtruth", tmp_path, write_ragtruth, response("1", response=text, labels=[mark]))
    assert item.judgements[0].span == Span(29, 34)


def test_a_truncated_response_has_no_label(tmp_path: Path) -> None:
    (item,) = imported("ragtruth", tmp_path, write_ragtruth, response("1", quality="truncated"))
    assert (item.intended, len(item.judgements)) == (None, 1)


def test_ragtruth_without_its_sources_is_joined_later(tmp_path: Path) -> None:
    (item,) = imported("ragtruth", tmp_path, lines("response.jsonl"), response("1"))
    assert (item.example.document, item.group) == ("", "11")


def test_the_errors_of_a_sentence_of_diasumfact_are_marked_in_its_summary(tmp_path: Path) -> None:
    good = dialogue(mark("No Error"))
    bad = dialogue(mark("EntE", "night", "extrinsic"), mark("LinkE", "not in it"), query="When?", dataset_name="QMSum")
    consistent, wrong = imported("diasumfact", tmp_path, write_diasumfact, good, bad)
    assert (consistent.intended, consistent.categories) == (Verdict.CONSISTENT, ())
    assert (wrong.intended, wrong.categories, wrong.error_type) == (Verdict.INCONSISTENT, ("EntE", "LinkE"), None)
    assert [judgement.span and judgement.span.of(WRONG) for judgement in wrong.judgements] == ["night", WRONG]
    assert (wrong.title, wrong.domain, wrong.system, wrong.group) == ("When?", "QMSum", "bart", "13-1")
    assert wrong.example.document == "Ann: When did she leave?\nBen: At noon."


@pytest.mark.parametrize(
    ("kind", "side", "expected"),
    [
        ("PredE", "intrinsic", ErrorType.INTRINSIC_PREDICATE),
        ("CorefE", "n/a", ErrorType.COREFERENCE),
        ("EntE", "", ErrorType.OTHER),
    ],
)
def test_a_class_of_diasumfact_is_an_error_type_where_its_side_is_known(
    tmp_path: Path, kind: str, side: str, expected: ErrorType
) -> None:
    (item,) = imported("diasumfact", tmp_path, write_diasumfact, dialogue(mark(kind, "night", side)))
    assert item.error_type is expected


def test_cliff_says_correct_or_lists_the_errors_with_their_words(tmp_path: Path) -> None:
    write = table("CLIFF_error_types.csv")
    types = "['extrinsic-NP', 'intrinsic-predicate']"
    good, bad = imported("cliff", tmp_path, write, cliff("BART", "correct"), cliff("Pegasus", types, "['night', nan]"))
    assert (good.intended, good.categories, good.judgements) == (Verdict.CONSISTENT, (), ())
    assert (bad.intended, bad.categories) == (Verdict.INCONSISTENT, ("extrinsic-NP", "intrinsic-predicate"))
    assert [judgement.span and judgement.span.of(WRONG) for judgement in bad.judgements] == ["night"]
    assert (bad.example.id, bad.split) == ("xsum/34687720/Pegasus", Split.DEV)


def test_the_table_of_faithbench_has_the_worst_label_and_keeps_the_best(tmp_path: Path) -> None:
    row = {"source": DOCUMENT, "summary": WRONG, "LLM": "m", "worst-label": "Unwanted", "best-label": "Benign"}
    write = table("FaithBench.csv")
    first, second = imported("faithbench", tmp_path, write, row, {**row, "worst-label": "Consistent"})
    assert (first.intended, first.categories) == (Verdict.INCONSISTENT, ("worst Unwanted", "best Benign"))
    assert (second.intended, first.system) == (Verdict.CONSISTENT, "m")
    write_faithbench(tmp_path, [faithful(0)])
    assert [item.example.id for item in items_of("faithbench", tmp_path)] == ["batch_3-0"]


def test_a_claim_of_wice_that_is_partly_supported_is_inconsistent_or_borderline(tmp_path: Path) -> None:
    lines("claim/dev.jsonl")(tmp_path, [supported("a", "supported"), supported("b", "partially_supported")])
    found = items_of("wice", tmp_path)
    assert [item.intended for item in found] == [Verdict.CONSISTENT, Verdict.INCONSISTENT]
    assert (found[1].categories, found[1].split, found[1].domain) == (("partially_supported",), Split.DEV, "claim")
    assert found[0].example.document == f"(meta data) TITLE: Ferries\n{DOCUMENT}"
    _, partial = DATASETS.parse("wice[partial=borderline]").read(tmp_path)
    assert not isinstance(partial, Refusal)
    assert partial.intended is Verdict.BORDERLINE
    with pytest.raises(TouchstoneError, match="must be inconsistent or borderline"):
        DATASETS.parse("wice[partial=consistent]")


def test_the_unsupported_tokens_of_wice_are_marks_of_the_claim_with_that_id(tmp_path: Path) -> None:
    tokens = ["The", "Alma", "left", "Kiel", "at", "night", "with", "forty", "cars", ".", ""]
    marks = [token in {"at", "night", "cars"} for token in tokens]
    record = supported("b", "partially_supported", claim_tokens=tokens, non_supported_spans=marks)
    lines("non_supported_tokens/dev.jsonl")(tmp_path, [record])
    lines("subclaim/dev.jsonl")(tmp_path, [supported("b", "partially_supported"), supported("c", "supported")])
    first, second = items_of("wice", tmp_path)
    assert [judgement.span and judgement.span.of(WRONG) for judgement in first.judgements] == ["at night", "cars"]
    assert (first.domain, second.judgements) == ("subclaim", ())


def test_the_oracle_chunks_of_wice_have_a_claim_several_times(tmp_path: Path) -> None:
    record = supported("b", "supported")
    chunk = {**record, "meta": {"id": "b", "chunk_idx": [2, 5], "oracle_idx": [5]}}
    lines("entailment_inputs/oracle_chunks/claim/dev.jsonl")(tmp_path, [chunk, chunk])
    assert [item.example.id for item in items_of("wice", tmp_path)] == ["b/1", "b/2"]


def test_the_passages_of_an_answer_are_its_contexts() -> None:
    passages = "passage 1:The harbour was closed.\n\npassage 2:Nobody was hurt.\n"
    found = source_example("1", {"source_info": {"question": "When?", "passages": passages}}, "On Tuesday.")
    assert found.question == "When?"
    assert [context.name for context in found.contexts] == ["passage 1", "passage 2"]
    assert found.contexts[1].span.of(found.document) == "passage 2:Nobody was hurt."


@pytest.mark.parametrize(
    ("labels", "verdict", "category"),
    [
        (["Questionable", "Unwanted", "Unwanted.Extrinsic"], Verdict.INCONSISTENT, "Unwanted.Extrinsic"),
        (["Unwanted.Extrinsic", "Questionable"], Verdict.INCONSISTENT, "Unwanted.Extrinsic"),
        (["Questionable", "Benign"], Verdict.BORDERLINE, "Benign"),
    ],
)
def test_of_several_labels_of_a_mark_of_faithjudge_the_worst_counts(
    tmp_path: Path, labels: list[str], verdict: Verdict, category: str
) -> None:
    record = marked_by_several("1")
    record["summaries"][0]["annotations"][0][0]["label"] = labels
    (wrong, _) = imported("faithjudge", tmp_path, lines("faithbench_summary.jsonl"), record)
    assert (wrong.judgements[0].verdict, wrong.judgements[0].category) == (verdict, category)


def test_a_mark_of_faithjudge_with_one_end_is_refused_and_not_of_the_whole_summary(tmp_path: Path) -> None:
    record = marked_by_several("1")
    record["summaries"][0]["annotations"][0][0]["summary_end"] = None
    assert "'summary_end'" in refused("faithjudge", tmp_path, lines("faithbench_summary.jsonl"), record).error


def test_an_answer_of_psiloqa_without_labels_is_not_taken_for_consistent(tmp_path: Path) -> None:
    record = answered_in_german("de-1", labels=None)
    assert "'labels' must be a list" in refused("psiloqa", tmp_path, lines("test.jsonl"), record).error


def test_an_original_label_of_clearfacts_with_another_word_is_refused(tmp_path: Path) -> None:
    record = checked("S", additional_info={"original_label": "Refuted"})
    assert "'original_label' is 'refuted'" in refused("clearfacts", tmp_path, lines("clearfacts.jsonl"), record).error
    (plain,) = imported("clearfacts", tmp_path, lines("clearfacts.jsonl"), checked("S", additional_info={}))
    assert (plain.intended, plain.judgements) == (Verdict.CONSISTENT, ())


def test_a_table_of_seahorse_without_the_answers_on_attribution_is_refused(tmp_path: Path) -> None:
    record = rated_in_german()
    del record["question4"]
    assert "no field 'question4'" in refused("seahorse", tmp_path, tabs("test.tsv"), record).error


def test_marks_of_ragtruth_plus_of_no_message_are_named(tmp_path: Path) -> None:
    rows = [message("u1", role="user", text=DOCUMENT), message("a2")]
    refusal = refused("ragtruth-plus", tmp_path, write_ragtruth_plus, *rows)
    assert (refusal.file, refusal.line) == ("hallucination_spans.csv", 2)
    assert "'a1', which messages.csv does not have" in refusal.error


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (message("u2", role="user", text=WRONG), "the user wrote 2 messages"),
        (message("x1", role="tool"), "'role' is 'tool'"),
    ],
)
def test_a_thread_of_ragtruth_plus_with_other_messages_is_refused(
    tmp_path: Path, row: dict[str, object], error: str
) -> None:
    rows = [message("u1", role="user", text=DOCUMENT), row, message("a1")]
    assert error in refused("ragtruth-plus", tmp_path, write_ragtruth_plus, *rows).error


@pytest.mark.parametrize(
    ("annotations", "verdict", "categories"),
    [
        (("Explicitly-Supported", "No-Fact"), Verdict.CONSISTENT, ()),
        (("generally-supported", "Out-Dependent"), Verdict.BORDERLINE, ("out-dependent",)),
        (("explicitly-supported", "not sure"), Verdict.BORDERLINE, ("ambiguous",)),
        (("out-dependent", "contradicting", "fabricated"), Verdict.INCONSISTENT, None),
    ],
)
def test_a_summary_of_verigray_has_the_label_of_its_worst_sentence(
    tmp_path: Path, annotations: tuple[str, ...], verdict: Verdict, categories: tuple[str, ...] | None
) -> None:
    (item,) = imported("verigray", tmp_path, lines("VeriGray.jsonl"), grey(*annotations))
    assert item.intended is verdict
    assert item.categories == (
        categories if categories is not None else ("out-dependent", "inconsistent", "fabricated")
    )


def test_the_class_of_outside_knowledge_counts_as_the_setting_says(tmp_path: Path) -> None:
    lines("VeriGray.jsonl")(tmp_path, [grey("explicitly-supported", "out-dependent", "ambiguous")])
    for verdict, label in (("consistent", Verdict.BORDERLINE), ("inconsistent", Verdict.INCONSISTENT)):
        (item,) = DATASETS.parse(f"verigray[out_dependent={verdict}]").read(tmp_path)
        assert isinstance(item, Item)
        assert (item.intended, item.judgements[0].verdict.value, item.judgements[1].verdict) == (
            label,
            verdict,
            Verdict.BORDERLINE,
        )
        assert item.judgements[0].span
        assert item.judgements[0].span.of(item.example.summary) == "Kiel lies on the Baltic."
    with pytest.raises(TouchstoneError, match="out_dependent must be consistent, inconsistent, borderline; got 'grey'"):
        DATASETS.parse("verigray[out_dependent=grey]")


@pytest.mark.parametrize("place", [[0, 999], [3, 3], [0.5, 2], "0-9", [True, 9]])
def test_a_range_of_verigray_that_is_none_is_refused(tmp_path: Path, place: object) -> None:
    record = grey("fabricated")
    record["sentences"][0]["range"] = place
    assert "'range'" in refused("verigray", tmp_path, lines("VeriGray.jsonl"), record).error


def test_each_kind_of_error_of_a_sentence_of_unisumeval_is_a_mark(tmp_path: Path) -> None:
    record = verified("bart", fact_verification_error_type='["", ["entity error", "relation error"]]')
    (item,) = imported("unisumeval", tmp_path, lines("unisumeval_faithfulness.jsonl"), record)
    marks = [(mark.category, mark.span.of(item.example.summary)) for mark in item.judgements if mark.span]
    assert marks == [("entity error", "She sank in May."), ("relation error", "She sank in May.")]
    assert [(rating.aspect, rating.value) for rating in item.ratings] == [("faithfulness", 0.5)]
    assert (item.group, item.domain, item.source, item.system) == ("doc-1", "News", "CNNDM", "bart")


def test_a_sentence_of_unisumeval_that_the_summary_lacks_is_an_error_without_a_place(tmp_path: Path) -> None:
    record = verified("bart", summary="The Alma left Kiel at noon.\nIt sank.")
    (item,) = imported("unisumeval", tmp_path, lines("unisumeval_faithfulness.jsonl"), record)
    assert [mark.span for mark in item.judgements] == [None]
    assert item.intended is Verdict.INCONSISTENT

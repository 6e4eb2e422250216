"""Datasets of judged summaries: polarity, votes, aggregates, spans, and texts that are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.data.dataset import DATASETS, Refusal
from core.errors import TouchstoneError
from core.types import Judgement, Rating, Span, Split, StoredScore, Verdict
from tests.unit.core.data.datasets.reading import ids, imported, items_of, refused
from tests.unit.core.data.datasets.releases import (
    DOCUMENT,
    SUMMARY,
    WRONG,
    aggrefact,
    claim,
    explained,
    faceval,
    frank,
    marked_dialogue,
    rated,
    result,
    reviewed,
    sentence,
    story,
    unified,
    vote,
    voted,
    write_frank,
    write_longeval,
    write_reviews,
)
from tests.unit.core.data.datasets.writing import book, lines, listed, table

FACEVAL = table("FacEval_human_result.csv")
DIALOGUES = table("xformer_llm_annotated.csv")
TOFU = table("mediasum_factual_eval_test.csv")
QAGS = lines("mturk_xsum.jsonl")
EXPLANATIONS = listed("factcc_explanation_annotation.json")


def test_frank_comes_without_texts_and_may_be_joined(tmp_path: Path) -> None:
    (item,) = imported("frank", tmp_path, write_frank, frank("bart", 1.0))
    assert (item.example.document, item.example.summary, item.group) == ("", "", "b71b")
    assert item.example.id == "b71b/bart"


def test_frank_takes_its_texts_from_beside_it(tmp_path: Path) -> None:
    texts = {"hash": "b71b", "model_name": "bart", "article": DOCUMENT, "summary": SUMMARY, "split": "valid"}
    listed("benchmark_data.json")(tmp_path, [texts])
    (item,) = imported("frank", tmp_path, write_frank, frank("bart", 1.0))
    assert (item.example.document, item.example.summary) == (DOCUMENT, SUMMARY)


def test_the_annotators_of_frank_vote_on_sentences(tmp_path: Path) -> None:
    votes = [{"annotator_0": ["NoE"], "annotator_1": ["EntE", "LinkE"]}, {"annotator_0": ["NoE"]}]
    sentences = {"summary_sentences": ["One.", "Two."], "summary_sentences_annotations": votes}
    listed("human_annotations_sentence.json")(tmp_path, [{"hash": "b71b", "model_name": "bart", **sentences}])
    (item,) = imported("frank", tmp_path, write_frank, frank("bart", 0.5))
    assert item.example.summary == "One. Two."
    assert [rating for rating in item.ratings if rating.judge != "all"] == [
        Rating("annotator_0", "Factuality", 1.0, 0),
        Rating("annotator_1", "Factuality", 0.0, 0),
        Rating("annotator_0", "Factuality", 1.0, 1),
    ]


def test_a_column_of_frank_below_one_is_an_error_of_that_kind(tmp_path: Path) -> None:
    good, bad = imported("frank", tmp_path, write_frank, frank("bart", 1.0), frank("pgn", 0.5))
    assert (good.intended, good.categories) == (Verdict.CONSISTENT, ())
    assert (bad.intended, bad.categories) == (Verdict.INCONSISTENT, ("EntE",))
    assert Rating("all", "Factuality", 0.5) in bad.ratings
    assert Rating("all", "Flip_EntE", 1.0) in bad.ratings


def test_scores_of_frank_are_joined_by_summary_and_null_is_none(tmp_path: Path) -> None:
    bart, pgn = imported("frank", tmp_path, write_frank, frank("bart", 1.0), frank("pgn", 0.5))
    assert bart.scores == (StoredScore("Rouge 1", 0.5), StoredScore("Bleu", 23.4))
    assert pgn.scores == ()


def test_valid_is_the_development_split_of_frank(tmp_path: Path) -> None:
    found = imported("frank", tmp_path, write_frank, frank("bart", 1.0), frank("pgn", 1.0, split="test"))
    assert [item.split for item in found] == [Split.DEV, Split.TEST]


def test_a_broken_companion_of_frank_is_refused_as_a_whole(tmp_path: Path) -> None:
    write_frank(tmp_path, [frank("bart", 1.0)])
    lines("baseline_factuality_metrics_outputs.json")(tmp_path, [{"hash": "b71b", "Bleu": 1.0}])
    with pytest.raises(TouchstoneError, match="no field 'model_name'"):
        list(DATASETS.get("frank")().read(tmp_path))


def test_a_summary_in_several_sheets_comes_once_with_all_its_types(tmp_path: Path) -> None:
    row = unified(WRONG, "['extrinsic-NP', 'intrinsic-predicate']")
    book(tmp_path / "AggreFact-Unified-val.xlsx", {"xsum_ex_np": [row], "xsum_in_pred": [row]})
    (item,) = items_of("aggrefact", tmp_path)
    assert (item.categories, item.domain, item.title) == (("extrinsic-NP", "intrinsic-predicate"), "xsum", "xsumfaith")


def test_two_summaries_of_a_model_for_one_document_are_two(tmp_path: Path) -> None:
    rows = [unified(text, "['extrinsic-NP']") for text in (SUMMARY, WRONG)]
    book(tmp_path / "AggreFact-Unified-val.xlsx", {"xsum_ex_np": rows})
    assert len(set(ids(items_of("aggrefact", tmp_path)))) == 2


def test_the_sheets_of_cnndm_lack_their_documents(tmp_path: Path) -> None:
    row = unified(WRONG, "['extrinsic-NP']")
    book(tmp_path / "AggreFact-Unified-test.xlsx", {"cnn_ex_np": [{name: row[name] for name in row if name != "doc"}]})
    (item,) = items_of("aggrefact", tmp_path)
    assert (item.example.document, item.domain, item.group) == ("", "cnndm", "25840979")


def test_a_broken_row_of_a_workbook_is_named_with_its_sheet(tmp_path: Path) -> None:
    rows = {"xsum_in_np": [unified(SUMMARY, "['intrinsic-NP']")], "xsum_ex_np": [unified(WRONG, "extrinsic")]}
    book(tmp_path / "AggreFact-Unified-val.xlsx", rows)
    (refusal,) = [one for one in DATASETS.get("aggrefact")().read(tmp_path) if isinstance(one, Refusal)]
    assert (refusal.file, refusal.line) == ("AggreFact-Unified-val.xlsx, sheet xsum_ex_np", 2)


def test_the_tables_of_aggrefact_bring_scores_and_no_thresholds(tmp_path: Path) -> None:
    rows = [aggrefact(1, DAE_score="0.25"), aggrefact(2, DAE_score="")]
    first, second = imported("aggrefact", tmp_path, table("aggre_fact_sota.csv"), *rows)
    assert (first.scores, second.scores) == ((StoredScore("DAE", 0.25),), ())
    assert (first.intended, first.split) == (Verdict.CONSISTENT, Split.DEV)


def test_a_table_takes_its_error_types_from_the_workbooks_beside_it(tmp_path: Path) -> None:
    row = unified(WRONG, "['extrinsic-NP']", dataset="frank", id=1)
    book(tmp_path / "AggreFact-Unified-val.xlsx", {"xsum_ex_np": [row]})
    rows = [aggrefact(1, dataset="FRANK", summary=WRONG, label=0), aggrefact(1)]
    found = imported("aggrefact", tmp_path, table("aggre_fact_final.csv"), *rows)
    assert [(item.title, item.categories) for item in found] == [("FRANK", ("extrinsic-NP",)), ("CLIFF", ())]


def test_a_row_that_stands_twice_in_a_table_counts_twice(tmp_path: Path) -> None:
    found = imported("aggrefact", tmp_path, table("aggre_fact_final.csv"), aggrefact(1), aggrefact(1))
    assert len(set(ids(found))) == 2


def test_the_part_of_a_table_is_not_read_besides_the_whole(tmp_path: Path) -> None:
    table("aggre_fact_sota.csv")(tmp_path, [aggrefact(1)])
    assert len(imported("aggrefact", tmp_path, table("aggre_fact_final.csv"), aggrefact(1), aggrefact(2))) == 2


def test_the_split_of_llm_aggrefact_is_in_the_name_of_the_file(tmp_path: Path) -> None:
    lines("dev.jsonl")(tmp_path, [claim(0)])
    found = imported("llm-aggrefact", tmp_path, lines("test.jsonl"), claim(1))
    assert [(item.split, item.intended) for item in found] == [
        (Split.DEV, Verdict.INCONSISTENT),
        (Split.TEST, Verdict.CONSISTENT),
    ]


def test_the_reference_of_unieval_is_no_reference_and_its_scores_are_apart(tmp_path: Path) -> None:
    (item,) = imported("unieval", tmp_path, listed("qags_cnndm_result.json"), result(4, 0.5))
    assert (item.example.document, item.intended) == (DOCUMENT, Verdict.INCONSISTENT)
    assert item.ratings == (Rating("all", "consistency", 0.5),)
    assert item.scores == (StoredScore("UniEval consistency", 0.9),)


def test_a_dialogue_of_unieval_rests_on_its_context_too_and_has_no_label(tmp_path: Path) -> None:
    row = result(0, 1.0, context="Ferries have run since 1850.", system_id="Argmax")
    del row["doc_id"]
    (item,) = imported("unieval", tmp_path, listed("topical_chat_result.json"), row)
    assert item.example.document == f"{DOCUMENT}\nFerries have run since 1850."
    assert (item.intended, item.system) == (None, "Argmax")


def test_the_score_of_qags_is_the_share_of_sentences_that_a_majority_supports(tmp_path: Path) -> None:
    (item,) = imported("qags", tmp_path, QAGS, voted(["yes", "no", "yes"], ["no", "yes", "no"]))
    assert item.ratings[0] == Rating("all", "consistency", 0.5)
    assert item.ratings[2] == Rating("worker-1", "consistency", 0.0, 0)
    assert (item.intended, item.example.summary) == (Verdict.INCONSISTENT, "Sentence 0. Sentence 1.")


def test_a_vote_of_qags_that_is_neither_yes_nor_no_is_refused(tmp_path: Path) -> None:
    assert "'response' is 'perhaps'" in refused("qags", tmp_path, QAGS, voted(["perhaps"])).error


def test_reviewers_are_joined_by_row_and_papers_though_zeros_are_lost(tmp_path: Path) -> None:
    found = imported(
        "longsciverify", tmp_path, write_reviews, reviewed("806.4325\u00a0", "1"), reviewed("1007.107", "0")
    )
    assert ids(found)[::3] == ["arxiv/0806.4325/gencomparesumabs", "arxiv/1007.1070/gencomparesumabs"]
    assert found[0].example.document == DOCUMENT
    assert found[0].ratings[0] == Rating("all", "factuality", 1.0)
    assert {rating.judge for rating in found[0].ratings} == {"all", "reviewer-1", "reviewer-2", "reviewer-3"}


def test_a_blank_cell_of_a_reviewer_is_no_rating(tmp_path: Path) -> None:
    found = imported("longsciverify", tmp_path, write_reviews, reviewed("806.4325", ""), reviewed("1007.107", "1"))
    assert {rating.aspect for rating in found[0].ratings} == {"coherence", "fluency"}


def test_a_table_of_another_paper_is_refused(tmp_path: Path) -> None:
    refusal = refused("longsciverify", tmp_path, write_reviews, reviewed("806.4325", "1"), reviewed("2001.1", "1"))
    assert "the paper in its place is '1007.1070'" in refusal.error


def test_longeval_has_a_percentage_of_each_annotator_and_their_mean(tmp_path: Path) -> None:
    (item,) = imported("longeval", tmp_path, write_longeval, {"story": "article_0_longt5", "score": [70.0, 80.0]})
    assert item.ratings == (
        Rating("all", "faithfulness", 75.0),
        Rating("annotator-1", "faithfulness", 70.0),
        Rating("annotator-2", "faithfulness", 80.0),
    )
    assert (item.example.document, item.system, item.group) == (DOCUMENT, "longt5", "article_0")
    assert item.example.summary == SUMMARY


def test_yes_of_faceval_says_that_an_error_is_there(tmp_path: Path) -> None:
    bad, good = imported("faceval", tmp_path, FACEVAL, faceval(13, "yes"), faceval(14, "no"))
    assert (bad.intended, bad.categories) == (Verdict.INCONSISTENT, ("NegE",))
    assert (good.intended, good.categories) == (Verdict.CONSISTENT, ())


def test_marked_spans_of_dialogue_summaries_have_places_and_kinds_where_both_are_told(tmp_path: Path) -> None:
    both, none, other, good = imported(
        "llm-dialogue",
        tmp_path,
        DIALOGUES,
        marked_dialogue(1, "['noon', 'a boat']", "['Intrinsic_Error', 'Extrinsic_Error']"),
        marked_dialogue(2, "[None, None]", "['Intrinsic_Error', 'Intrinsic_Error']"),
        marked_dialogue(3, """["forty cars", None]""", "['Extrinsic_Error', 'Intrinsic_Error']"),
        marked_dialogue(4, "[]", "[]"),
    )
    first, second = both.judgements
    assert first.span
    assert (first.span.of(SUMMARY), first.category) == ("noon", "Intrinsic_Error")
    assert (second.span, second.note, second.category) == (None, "a boat", "Extrinsic_Error")
    assert (none.intended, none.judgements, none.categories) == (Verdict.INCONSISTENT, (), ("Intrinsic_Error",))
    assert [one.category for one in other.judgements] == [""]
    assert (good.intended, good.domain, good.system) == (Verdict.CONSISTENT, "SAMSum", "alpaca-13b")


def test_sentences_of_tofueval_make_a_summary_in_their_order(tmp_path: Path) -> None:
    (item,) = imported("tofueval", tmp_path, TOFU, sentence(2, "no"), sentence(1, "yes"))
    assert item.example.summary == "Sentence number 1. Sentence number 2."
    assert item.example.question == item.title != ""
    assert item.judgements[1] == Judgement(
        item.example.id,
        "expert",
        Verdict.INCONSISTENT,
        Span(19, 37),
        "Reasoning Error, Contradiction",
        "There was no ferry.",
    )
    assert (item.intended, item.categories) == (Verdict.INCONSISTENT, ("Reasoning Error", "Contradiction"))


def test_the_dialogues_of_tofueval_are_joined_later_by_their_id(tmp_path: Path) -> None:
    (item,) = imported("tofueval", tmp_path, TOFU, sentence(1, "yes"))
    assert (item.example.document, item.group, item.split, item.domain) == ("", "NPR-1", Split.TEST, "mediasum")
    (document,) = imported_documents(tmp_path)
    assert (document.group, document.example.summary, document.example.document) == (
        "NPR-1",
        "",
        "Ann: Where?\nBen: Kiel.",
    )


def imported_documents(folder: Path) -> list[object]:
    lines("dialogues.jsonl")(folder, [{"doc_id": "NPR-1", "document": ["Ann: Where?", "Ben: Kiel."]}])
    return list(DATASETS.get("documents")().read(folder / "dialogues.jsonl"))


def test_a_summary_of_tofueval_whose_sentences_stand_apart_is_refused(tmp_path: Path) -> None:
    rows = [sentence(1, "yes"), sentence(1, "yes", topic="Mill"), sentence(2, "yes")]
    assert "is on line 2" in refused("tofueval", tmp_path, TOFU, *rows).error


def test_votes_in_the_summac_form_are_judgements(tmp_path: Path) -> None:
    (item,) = imported("summac", tmp_path, lines("cogensumm.jsonl"), vote(1))
    assert [(judgement.judge, judgement.verdict.value) for judgement in item.judgements] == [
        ("annotator-1", "consistent"),
        ("annotator-2", "inconsistent"),
        ("annotator-3", "consistent"),
    ]
    assert (item.intended, item.split, item.domain) == (Verdict.CONSISTENT, Split.DEV, "cogensumm")


def test_explanations_of_factualnlg_are_by_a_model_and_its_prompt_and_graded_by_people(tmp_path: Path) -> None:
    (item,) = imported("factualnlg", tmp_path, EXPLANATIONS, explained("1", "correct", "no_explanation"))
    assert [(given.by, given.grade) for given in item.explanations] == [("m|p1", "correct"), ("m|p1", "no_explanation")]
    assert item.intended is None


def test_a_grade_of_factualnlg_that_is_not_known_is_refused(tmp_path: Path) -> None:
    reason = refused("factualnlg", tmp_path, EXPLANATIONS, explained("1", "correct", "good")).error
    assert "'annotation' is 'good'. Known: correct, partially_correct" in reason


def test_a_broken_line_names_its_file_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "mturk_cnndm.jsonl").write_text('{"article": 1\n', encoding="utf-8")
    QAGS(tmp_path, [voted(["yes"])])
    found = list(DATASETS.get("qags")().read(tmp_path))
    assert [(one.line, one.file) for one in found if isinstance(one, Refusal)] == [(1, "mturk_cnndm.jsonl")]
    assert len(found) == 2


def test_the_responses_of_squality_have_the_released_mean_and_its_reviewers(tmp_path: Path) -> None:
    (item,) = imported("squality-human-eval", tmp_path, lines("all-responses.jsonl"), rated("50827"))
    assert (item.example.id, item.example.document, item.group) == ("50827/1/bart", "", "50827")
    given = [(rating.judge, rating.value) for rating in item.ratings if rating.aspect == "correctness"]
    assert given == [("all", 35.0), ("worker-3", 10.0), ("worker-6", 60.0)]


def test_the_responses_of_squality_take_their_stories_from_the_release(tmp_path: Path) -> None:
    lines("v1-3/txt/test.jsonl")(tmp_path, [story("50827")])
    (item,) = imported("squality-human-eval", tmp_path, lines("human-eval/all-responses.jsonl"), rated("50827"))
    assert item.example.document == DOCUMENT


def test_a_sheet_of_aggrefact_unified_may_be_a_table_of_its_own(tmp_path: Path) -> None:
    row = unified(WRONG, "['extrinsic-NP']")
    short = {
        name: row[name] for name in ("dataset", "id", "summ", "model_name", "label", "cut", "error_type", "category")
    }
    (item,) = imported("aggrefact", tmp_path, table("cnn_ex_np.csv"), short)
    assert (item.domain, item.categories, item.example.document) == ("cnndm", ("extrinsic-NP",), "")

"""Datasets of edited summaries: BUMP, SummEdits, SummExecEdit, ReferenceMatters, GenAudit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.data.dataset import DATASETS, Refusal
from core.text import edits
from core.types import Edit, ErrorType, Item, Span, Split, StoredScore, Verdict
from tests.unit.core.data.datasets.reading import ids, imported, refused
from tests.unit.core.data.datasets.releases import (
    DOCUMENT,
    SUMMARY,
    WRONG,
    audited,
    audited_sentence,
    bump,
    corrected,
    executed,
    summedit,
)
from tests.unit.core.data.datasets.writing import lines, listed, put, table

TASK1, TASK2 = listed("task1_dataset.json"), listed("task2_dataset.json")
SHIPS = listed("summedits_ships.json")
EXECUTED = listed("summexecedit.json")


def test_a_record_of_bump_is_a_pair_of_two_samples(tmp_path: Path) -> None:
    reference, edited = imported("bump", tmp_path, TASK1, bump(7))
    assert ids([reference, edited]) == ["task1-7", "task1-7/edited"]
    assert (reference.intended, edited.intended) == (Verdict.CONSISTENT, Verdict.INCONSISTENT)
    assert (reference.group, edited.group, edited.parent) == ("cnndm-628", "cnndm-628", "task1-7")


def test_the_corrected_type_of_bump_counts_and_the_required_one_is_kept(tmp_path: Path) -> None:
    _, edited = imported("bump", tmp_path, TASK1, bump(7))
    assert edited.error_type is ErrorType.INTRINSIC_PREDICATE
    assert edited.required_type is ErrorType.EXTRINSIC_CIRCUMSTANCE


def test_task_two_of_bump_has_one_type_without_the_word_error(tmp_path: Path) -> None:
    record = bump(0, error_type="Other")
    del record["corrected_error_type"]
    _, edited = imported("bump", tmp_path, TASK2, record)
    assert (edited.example.id, edited.error_type, edited.required_type) == ("task2-0/edited", ErrorType.OTHER, None)


def test_released_scores_go_to_their_side_and_keep_hyphens(tmp_path: Path) -> None:
    reference, edited = imported("bump", tmp_path, TASK1, bump(7))
    assert reference.scores == (StoredScore("ROUGE-2", 0.8), StoredScore("Q2", 1.0))
    assert edited.scores == (StoredScore("ROUGE-2", 0.7), StoredScore("Q2", 1.0))


def test_both_tasks_of_bump_in_a_folder_share_the_articles_but_no_ids(tmp_path: Path) -> None:
    TASK1(tmp_path, [bump(0)])
    second = bump(0)
    del second["corrected_error_type"]
    found = imported("bump", tmp_path, TASK2, second)
    assert len({item.example.id for item in found}) == 4
    assert {item.group for item in found} == {"cnndm-628"}


def test_a_pair_that_stands_twice_in_bump_is_refused_with_its_first_place(tmp_path: Path) -> None:
    refusal = refused("bump", tmp_path, TASK1, bump(7), bump(7))
    assert "'task1-7/edited' is on line 1 of task1_dataset.json already" in refusal.error
    assert (refusal.line, refusal.file) == (2, "task1_dataset.json")


def test_a_score_of_bump_that_is_no_number_is_refused_by_its_name(tmp_path: Path) -> None:
    refusal = refused("bump", tmp_path, TASK1, bump(7, scores={"BLEU_edited": "high"}))
    assert "'BLEU_edited' must be a number; got 'high'" in refusal.error


def test_the_small_scores_of_bump_keep_their_digits(tmp_path: Path) -> None:
    _, edited = imported("bump", tmp_path, TASK1, bump(7, scores={"BLEU_edited": 1e-39}))
    assert edited.scores == (StoredScore("BLEU", 1e-39),)


def test_an_edited_summary_of_summedits_names_its_seed(tmp_path: Path) -> None:
    seed, edited = imported("summedits", tmp_path, SHIPS, summedit("a_b_og", SUMMARY, 1), summedit("a_b_3", WRONG, 0))
    assert (seed.parent, seed.edits) == (None, ())
    assert (edited.parent, [edit.new for edit in edited.edits]) == ("a_b_og", ["night"])


def test_label_one_of_summedits_is_consistent_also_of_an_edit(tmp_path: Path) -> None:
    rows = [summedit("s_og", SUMMARY, 1), summedit("s_0", WRONG, 1, edit_types=["antonym_swap", "entity_modification"])]
    _, edited = imported("summedits", tmp_path, SHIPS, *rows)
    assert edited.intended is Verdict.CONSISTENT
    assert edited.categories == ("antonym_swap", "entity_modification")


def test_thresholds_of_summedits_are_chosen_on_its_evaluation_split(tmp_path: Path) -> None:
    found = imported("summedits", tmp_path, SHIPS, summedit("a_og", SUMMARY, 1, split="evaluation"))
    assert [item.split for item in found] == [Split.DEV]


def test_two_seeds_of_the_same_document_are_one_group(tmp_path: Path) -> None:
    rows = [summedit("a_og", SUMMARY, 1), summedit("b_og", WRONG, 1, original_summary=WRONG)]
    assert len({item.group for item in imported("summedits", tmp_path, SHIPS, *rows)}) == 1


def test_the_copy_of_summedits_on_the_hub_names_domain_and_seed_otherwise(tmp_path: Path) -> None:
    rows = [summedit("s_og", SUMMARY, 1, domain="law"), summedit("s_0", WRONG, 0, domain="law")]
    for row in rows:
        row["seed_summary"] = row.pop("original_summary")
        del row["split"]
    found = imported("summedits", tmp_path, listed("summedits.json"), *rows)
    assert [(item.domain, item.split, len(item.edits)) for item in found] == [("law", None, 0), ("law", None, 1)]


def test_the_domain_of_summedits_is_in_the_name_of_the_file(tmp_path: Path) -> None:
    assert [item.domain for item in imported("summedits", tmp_path, SHIPS, summedit("s_og", SUMMARY, 1))] == ["ships"]


def test_an_executable_edit_keeps_its_explanation_and_its_editor(tmp_path: Path) -> None:
    seed, edited = imported("summexecedit", tmp_path, EXECUTED, executed("a"))
    assert edited.edits == (Edit(Span(22, 26), "night", "The document says noon.", "editor-1"),)
    assert (seed.intended, edited.intended, edited.parent) == (None, Verdict.INCONSISTENT, seed.example.id)


def test_a_seed_with_several_edits_comes_once(tmp_path: Path) -> None:
    found = imported("summexecedit", tmp_path, EXECUTED, executed("a"), executed("b"))
    assert ids(found)[1:] == ["a", "b"]
    assert {item.parent for item in found[1:]} == {found[0].example.id}


def test_of_two_occurrences_the_one_that_gives_the_edited_summary_was_edited(tmp_path: Path) -> None:
    texts = {
        "original_summary": "It left at noon and sank at noon.",
        "edited_summary": "It left at noon and sank at dusk.",
    }
    _, edited = imported("summexecedit", tmp_path, EXECUTED, executed("a", replace_text="dusk", **texts))
    assert [edit.span for edit in edited.edits] == [Span(28, 32)]


def test_an_edit_of_every_occurrence_is_as_many_edits(tmp_path: Path) -> None:
    texts = {
        "original_summary": "It left at noon and sank at noon.",
        "edited_summary": "It left at dusk and sank at dusk.",
    }
    _, edited = imported("summexecedit", tmp_path, EXECUTED, executed("a", replace_text="dusk", **texts))
    assert [edit.span for edit in edited.edits] == [Span(11, 15), Span(28, 32)]


def test_a_consistent_row_declares_no_edit_and_has_one_all_the_same(tmp_path: Path) -> None:
    row = executed("a", original_text=None, replace_text=None, explanation=None, edit_type="summedits")
    _, edited = imported("summexecedit", tmp_path, EXECUTED, row)
    assert (edited.intended, [edit.new for edit in edited.edits]) == (Verdict.CONSISTENT, ["night"])


def test_a_correction_is_the_consistent_child_of_the_inconsistent_original(tmp_path: Path) -> None:
    found = imported("referencematters", tmp_path, listed("SAMSum/val.json"), corrected("1"))
    original, correction = found[:2]
    assert (original.intended, correction.intended) == (Verdict.INCONSISTENT, Verdict.CONSISTENT)
    assert (correction.parent, correction.example.summary) == (original.example.id, SUMMARY)
    assert {item.split for item in found} == {Split.DEV}


def test_a_dialogue_is_exploded_into_its_systems(tmp_path: Path) -> None:
    found = imported("referencematters", tmp_path, listed("SAMSum/val.json"), corrected("1"))
    assert ids(found) == ["1/UniLM", "1/UniLM/corrected", "1/CODS", "1/BART"]
    assert [item.system for item in found] == ["UniLM", "UniLM", "CODS", "BART"]


def test_an_inconsistent_summary_that_was_left_has_no_correction(tmp_path: Path) -> None:
    last = imported("referencematters", tmp_path, listed("SAMSum/val.json"), corrected("1"))[-1]
    assert (last.example.id, last.intended) == ("1/BART", Verdict.INCONSISTENT)


def test_the_corpus_is_the_folder_and_another_folder_says_nothing(tmp_path: Path) -> None:
    known = imported("referencematters", tmp_path / "a", listed("SAMSum/val.json"), corrected("1"))
    unknown = imported("referencematters", tmp_path / "b", listed("upload/val.json"), corrected("1"))
    assert ({item.domain for item in known}, {item.domain for item in unknown}) == ({"SAMSum"}, {"dialogue"})
    assert ids(known) == ids(unknown)


def test_the_union_of_the_splits_is_not_read_besides_them(tmp_path: Path) -> None:
    listed("SAMSum/total.json")(tmp_path, [corrected("1")])
    found = imported("referencematters", tmp_path, listed("SAMSum/test.json"), corrected("1"))
    assert len(found) == 4


def test_marked_words_are_found_where_they_stand(tmp_path: Path) -> None:
    original = imported("referencematters", tmp_path, listed("SAMSum/val.json"), corrected("1"))[0]
    (judgement,) = original.judgements
    assert judgement.span == Span(22, 27)
    assert (judgement.category, original.categories) == ("CircE", ("CircE",))


def test_marked_words_elsewhere_than_said_are_refused(tmp_path: Path) -> None:
    record = corrected("1")
    record["model_summaries"]["UniLM"]["error_categories"][0]["start"] = 3
    assert "'night' stands at 3" in refused("referencematters", tmp_path, listed("SAMSum/val.json"), record).error


def test_blank_spans_of_genaudit_say_faithful(tmp_path: Path) -> None:
    found = imported(
        "genaudit", tmp_path, table("Genaudit_annotations.csv"), audited(1, ""), audited(2, "night<sep>Kiel")
    )
    assert [item.intended for item in found] == [Verdict.CONSISTENT, Verdict.INCONSISTENT]
    assert [judgement.span for judgement in found[1].judgements] == [Span(22, 27), Span(14, 18)]
    assert {judgement.judge for judgement in found[1].judgements} == {"Judge One"}


def test_marked_words_that_the_summary_does_not_have_are_a_note(tmp_path: Path) -> None:
    (item,) = imported("genaudit", tmp_path, table("Genaudit_annotations.csv"), audited(1, "a lighthouse"))
    (judgement,) = item.judgements
    assert (judgement.span, judgement.note) == (None, "a lighthouse")


def test_beside_the_table_of_genaudit_other_files_are_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "Refmatters/test.json", "[]")
    rows = table(".ipynb_checkpoints/Genaudit_annotations.csv")
    rows(tmp_path, [audited(1, "")])
    assert len(imported("genaudit", tmp_path, table("Genaudit_annotations.csv"), audited(1, ""))) == 1


AUDITED = lines("genaudit_data_final_2feb.jsonl")


def test_a_correction_of_genaudit_makes_a_minimal_pair_over_all_its_sentences(tmp_path: Path) -> None:
    """The second sentence was corrected, the third deleted; of the first only the later records tell."""
    name = "Judge One#XSUM-7#1701418173:llama70b-ul2"
    rows = [audited_sentence(name, 2, "Whales sang.", ""), audited_sentence(name, 1, WRONG, SUMMARY)]
    original, fixed = imported("genaudit", tmp_path, AUDITED, *rows)
    assert original.example.summary == f"It was foggy. {WRONG} Whales sang."
    assert fixed.example.summary == f"It was foggy. {SUMMARY}"
    assert (original.intended, fixed.intended) == (Verdict.INCONSISTENT, Verdict.CONSISTENT)
    assert (fixed.example.id, fixed.parent) == (f"{name}/corrected", name)
    assert edits.apply(original.example.summary, fixed.edits) == fixed.example.summary
    assert {edit.by for edit in fixed.edits} == {"Judge One"}
    assert (original.group, original.domain, original.system) == ("XSUM-7", "XSUM", "llama70b")


def test_a_summary_of_genaudit_that_nobody_changed_is_consistent(tmp_path: Path) -> None:
    name = "Judge One#XSUM-7:llama70b-ul2"
    (item,) = imported("genaudit", tmp_path, AUDITED, audited_sentence(name, 1, WRONG, f"{WRONG} "))
    assert (item.intended, item.edits) == (Verdict.CONSISTENT, ())


def test_the_annotations_of_genaudit_count_before_the_table_made_of_them(tmp_path: Path) -> None:
    table("Genaudit_annotations.csv")(tmp_path, [audited(7, "night")])
    found = imported("genaudit", tmp_path, AUDITED, audited_sentence("Judge One#REDDIT-7:model-7b", 1, WRONG, SUMMARY))
    assert ids(found) == ["Judge One#REDDIT-7:model-7b", "Judge One#REDDIT-7:model-7b/corrected"]


def test_a_sentence_of_genaudit_without_a_number_is_refused(tmp_path: Path) -> None:
    row = audited_sentence("Judge One#REDDIT-7:model-7b", 1, WRONG, SUMMARY) | {"id": "Judge One#REDDIT-7:model-7b"}
    assert "number of the sentence; got 'Judge" in refused("genaudit", tmp_path, AUDITED, row).error


def saved(tmp_path: Path, spans: list[list[int]], new: list[str]) -> list[Item | Refusal]:
    record = {
        "id": "note",
        "input_lines": DOCUMENT.split(". "),
        "output_lines": ["It was foggy.", WRONG],
        "line_codes": ["0.1", "0.2"],
        "cached_responses": {"0.2": {"evidence_labels": [0], "todelete_spans": spans, "replacement_strings": new}},
        "question": "When?",
    }
    return list(DATASETS.get("genaudit")().read(put(tmp_path, "note.json", json.dumps(record))))


def test_edits_that_genaudit_saved_are_executed_in_the_whole_summary(tmp_path: Path) -> None:
    original, proposal = saved(tmp_path, [[22, 27], [33, 38]], ["noon", "fifty"])
    assert isinstance(original, Item)
    assert isinstance(proposal, Item)
    assert original.example.summary == f"It was foggy. {WRONG}"
    assert proposal.example.summary == "It was foggy. The Alma left Kiel at noon with fifty cars."
    assert (proposal.parent, {edit.by for edit in proposal.edits}) == ("note", {"GenAudit"})


def test_a_saved_summary_without_edits_is_one_item(tmp_path: Path) -> None:
    assert len(saved(tmp_path, [], [])) == 1


@pytest.mark.parametrize(
    ("spans", "new", "says"),
    [
        ([[0, 3]], [], "same length"),
        ([[0, 3]], ["a", "b"], "same length"),
        ([[3]], ["a"], "pairs of numbers"),
        ([[0, 999]], ["a"], "outside the text"),
    ],
)
def test_edits_that_cannot_be_executed_are_refused(
    tmp_path: Path, spans: list[list[int]], new: list[str], says: str
) -> None:
    (refusal,) = saved(tmp_path, spans, new)
    assert isinstance(refusal, Refusal)
    assert says in refusal.error

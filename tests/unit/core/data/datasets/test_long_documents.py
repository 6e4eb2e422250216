"""Datasets of long documents without labels: SQuALITY, ScholarQABench, LexAbSumm; and documents alone."""

from __future__ import annotations

from pathlib import Path

from core.data.dataset import DATASETS, Refusal
from core.types import Context, Item, Span, Split
from tests.unit.core.data.datasets.reading import ids, imported, items_of, refused
from tests.unit.core.data.datasets.releases import DOCUMENT, SUMMARY, answer, story
from tests.unit.core.data.datasets.writing import lines, listed, parquet, table


def test_every_answer_to_a_question_about_a_story_is_an_item(tmp_path: Path) -> None:
    found = imported("squality", tmp_path, lines("dev.jsonl"), story("63833"))
    assert ids(found) == ["63833/1/1", "63833/1/2"]
    assert {(item.title, item.group, item.split, item.intended) for item in found} == {
        ("What happens?", "63833", Split.DEV, None)
    }


def test_of_the_released_folders_of_squality_the_newest_plain_texts_are_read(tmp_path: Path) -> None:
    for place in ("v1-2/txt", "v1-3/html", "v1-4/html"):
        lines(f"{place}/dev.jsonl")(tmp_path, [{**story("63833"), "document": place}])
    found = imported("squality", tmp_path, lines("v1-3/txt/dev.jsonl"), story("63833"))
    assert {item.example.document for item in found} == {DOCUMENT}


def test_passages_are_numbered_as_the_answer_cites_them(tmp_path: Path) -> None:
    (item,) = imported("scholarqabench", tmp_path, listed("human_answers.json"), answer("q1"))
    assert item.example.document == f"[0] Ferries\n{DOCUMENT}\n\n[1] Mills\n"
    assert (item.title, item.domain) == ("When?", "bio")
    assert item.example.question == "When?"
    assert [context.name for context in item.example.contexts] == ["[0] Ferries", "[1] Mills"]


def test_paragraphs_of_a_judgment_are_joined(tmp_path: Path) -> None:
    row = {"Document": ["One.", "", "Two."], "Query": "Costs", "Output": SUMMARY}
    (item,) = imported("lexabsumm", tmp_path, listed("LexAbSumm.json"), row)
    assert (item.example.document, item.example.summary, item.title) == ("One.\nTwo.", SUMMARY, "Costs")


def test_judgments_come_as_parquet_too(tmp_path: Path) -> None:
    row = {"article": DOCUMENT, "aspect": "Costs", "summary": SUMMARY}
    (item,) = imported("lexabsumm", tmp_path, parquet("train-00000-of-00001.parquet"), row)
    assert (item.example.document, item.domain) == (DOCUMENT, "law")


def test_a_judgment_under_an_unknown_name_says_which_names_are_known(tmp_path: Path) -> None:
    reason = refused("lexabsumm", tmp_path, listed("LexAbSumm.json"), {"ruling": DOCUMENT, "summary": SUMMARY}).error
    assert "The fields here are ruling, summary" in reason
    assert "'generic' takes other names" in reason


def test_a_document_is_found_under_the_name_that_the_summaries_know_it_by(tmp_path: Path) -> None:
    lines("d.jsonl")(tmp_path, [{"hash": "b71b", "article": DOCUMENT}])
    (item,) = items_of("documents", tmp_path / "d.jsonl")
    assert (item.group, item.example.document, item.example.summary) == ("b71b", DOCUMENT, "")


def test_the_transcripts_of_tofueval_are_found_as_its_authors_extract_them(tmp_path: Path) -> None:
    table("meetingbank_dev_doc.csv")(tmp_path, [{"meeting_id": "Council_1", "source": DOCUMENT}])
    (item,) = items_of("documents", tmp_path / "meetingbank_dev_doc.csv")
    assert (item.group, item.example.document) == ("Council_1", DOCUMENT)


def test_a_document_to_join_may_be_made_of_contexts(tmp_path: Path) -> None:
    turns = [{"speaker": "Ann", "text": "Where?"}, {"speaker": "Ben", "text": "Kiel."}]
    lines("d.jsonl")(tmp_path, [{"id": "NPR-1", "turns": turns}])
    (item,) = items_of("documents", tmp_path / "d.jsonl")
    assert item.example.document == "Ann: Where?\nBen: Kiel."
    assert [one.name for one in item.example.contexts] == ["turn 1", "turn 2"]


def test_a_dialogue_of_mediasum_has_a_line_for_each_utterance(tmp_path: Path) -> None:
    dialogue = {"id": "NPR-1", "speaker": ["Ann", "Ben"], "utt": ["Where?", "Kiel."], "summary": "Kiel."}
    listed("news_dialogue.json")(tmp_path, [dialogue, {**dialogue, "id": "NPR-2", "utt": ["Where?"]}])
    item, refusal = DATASETS.get("documents")().read(tmp_path / "news_dialogue.json")
    assert isinstance(item, Item)
    assert (item.group, item.example.document) == ("NPR-1", "Ann: Where?\nBen: Kiel.")
    assert item.example.contexts == (Context("turn 1", Span(0, 11)), Context("turn 2", Span(12, 22)))
    assert isinstance(refusal, Refusal)
    assert "'utt' has 1 texts for 2 of 'speaker'" in refusal.error

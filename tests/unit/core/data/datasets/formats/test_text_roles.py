"""Roles of texts by the names of their columns, and the questions where a name says none."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.data.datasets.formats.column_inference import infer_column_map
from core.data.datasets.formats.summary_choice import document_question, summary_question
from core.data.datasets.formats.text_roles import TextRole, text_role
from core.data.datasets.generic import Generic
from core.errors import TouchstoneError
from core.types import Item
from tests.unit.core.data.datasets.writing import Record, table

LONG = "Rain fell all day in the valley, and the bridge at the mill was closed until noon."
SHORT = "The bridge was closed."


@pytest.mark.parametrize(
    ("name", "role"),
    [
        *(
            (name, TextRole.DOCUMENT)
            for name in ("source_text", "bm25_context", "evidence_touse", "reviews", "sentence_A_Ja", "Quelltext")
        ),
        *(
            (name, TextRole.SUMMARY)
            for name in (
                "chatgpt_response",
                "llmAnswer",
                "model_output_text",
                "claim",
                "sentence_B_Ja",
                "sentence2",
                "Zusammenfassung",
            )
        ),
        *((name, TextRole.REFERENCE) for name in ("true_answer", "reference", "goldSummary", "incorrect_answers")),
        *(
            (name, TextRole.OTHER)
            for name in ("prompt", "explanation", "revised_claim", "your_annotation", "feedback", "question_id")
        ),
        *((name, TextRole.UNKNOWN) for name in ("replaced", "column_3", "A", "model_input")),
    ],
)
def test_the_last_telling_word_of_a_name_decides(name: str, role: TextRole) -> None:
    assert text_role(name) is role


def rows(**texts: str) -> list[Record]:
    return [{**{name: f"{text} {number}" for name, text in texts.items()}, "label": "supported"} for number in range(4)]


def questions(records: list[Record]) -> tuple[str, str]:
    mapped = infer_column_map(records)
    return summary_question(records, mapped), document_question(records, mapped)


@pytest.mark.parametrize("other", ["revised_claim", "explanation", "title_text", "prompt"])
def test_a_correction_or_an_explanation_is_no_document(other: str) -> None:
    mapped = infer_column_map(rows(**{"claim": SHORT, other: LONG}))
    assert (mapped.summary, mapped.document) == ("claim", "")


def test_a_document_by_its_length_alone_is_asked_about(tmp_path: Path) -> None:
    table("t.csv")(tmp_path, rows(summary=SHORT, bemerkt=LONG))
    with pytest.raises(TouchstoneError, match="--document bemerkt or --document none"):
        Generic().read(tmp_path / "t.csv")
    for document, text in (("bemerkt", f"{LONG} 0"), ("none", "")):
        reader = Generic(document=document)
        first = next(item for item in reader.read(tmp_path / "t.csv") if isinstance(item, Item))
        assert (first.example.summary, first.example.document) == (f"{SHORT} 0", text)
        assert reader.settings_used(tmp_path / "t.csv")["document"] == document


@pytest.mark.parametrize("name", ["gold_passage", "reference_text", "human_written_article"])
def test_a_long_reference_may_be_the_document_where_no_other_is(name: str, tmp_path: Path) -> None:
    table("t.csv")(tmp_path, rows(**{"summary": SHORT, name: LONG}))
    with pytest.raises(
        TouchstoneError, match=rf"--document {name} or --document none, in a spec generic\[document={name}\]"
    ):
        Generic().read(tmp_path / "t.csv")
    for document, text in ((name, f"{LONG} 0"), ("none", "")):
        first = next(iter(Generic(document=document).read(tmp_path / "t.csv")))
        assert isinstance(first, Item)
        assert first.example.document == text


def test_a_reference_as_long_as_the_summary_or_beside_a_document_is_none() -> None:
    assert questions(rows(summary=SHORT, gold_summary=f"{SHORT} It was not.")) == ("", "")
    assert questions(rows(article=LONG, summary=SHORT, gold_passage=f"Also: {LONG}")) == ("", "")


def test_several_documents_of_a_claim_are_asked_about() -> None:
    asked = questions(rows(response=SHORT, context=LONG, evidence_text=f"Evidence: {LONG}"))
    assert asked[0] == ""
    assert "--document context or --document evidence_text" in asked[1]


def test_two_texts_without_telling_names_are_asked_about() -> None:
    assert "--summary b or --summary a" in questions(rows(a=LONG, b=SHORT))[0]


@pytest.mark.parametrize("name", ["prompt", "feedback", "replaced", "tokens"])
def test_the_only_text_is_asked_about_where_its_name_is_none_of_a_summary(name: str) -> None:
    assert f"--summary {name}" in questions(rows(**{name: SHORT}))[0]


def test_the_only_text_beside_a_document_is_the_summary() -> None:
    assert questions(rows(document=LONG, short=SHORT)) == ("", "")


@pytest.mark.parametrize("corpus", ["airbnb", "https://example.org/a b", "DROP"])
def test_a_source_of_names_is_no_document(corpus: str) -> None:
    records = [
        {"source": corpus.split()[0], "premise": f"{LONG} {number}", "hypothesis": SHORT, "label": "entailment"}
        for number in range(4)
    ]
    assert infer_column_map(records).document == "premise"


def test_an_article_of_titles_beside_its_evidence_is_no_document() -> None:
    records = rows(article="The mill", claim=SHORT, evidence=LONG)
    assert infer_column_map(records).document == "evidence"


def test_a_category_of_topics_is_no_type_of_error_and_one_of_errors_is() -> None:
    for words, field in ((("medicine", "law"), ""), (("Entity Error", "none"), "category")):
        records = [
            {**row, "category": words[place % 2]} for place, row in enumerate(rows(document=LONG, summary=SHORT))
        ]
        assert infer_column_map(records).error_type == field


def test_an_answer_without_a_document_or_a_label_may_be_the_right_one_and_is_asked_about() -> None:
    records = [{"question": "Who closed the bridge?", "answer": SHORT} for _ in range(4)]
    assert "which may be the right answer" in questions(records)[0]
    assert questions([{**row, "label": "supported"} for row in records]) == ("", "")

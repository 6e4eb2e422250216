"""The label of a table: settled by its words, its name, the file's schema or a column beside it, else asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from core.data.dataset import DATASETS, ImportCounts, strict_items
from core.data.datasets.generic import Generic
from core.errors import TouchstoneError
from core.types import Item, Verdict
from tests.unit.core.data.datasets.writing import table

CONSISTENT, INCONSISTENT = Verdict.CONSISTENT, Verdict.INCONSISTENT
TEXTS = [
    ("The council raised the parking fee to four euros from June.", "The parking fee rises to four euros."),
    ("A barge ran aground at dawn and was freed by two tugs.", "The barge was freed by five tugs."),
    ("The museum sold 1,204 tickets on its opening day.", "The museum sold 1,204 tickets on day one."),
    ("The orchard lost a third of its blossom to the frost.", "The orchard lost all of its blossom."),
]
HOLDS = [CONSISTENT, INCONSISTENT, CONSISTENT, INCONSISTENT]


def write(folder: Path, **columns: list[object]) -> Path:
    rows = [
        {"document": document, "summary": summary, **{name: cells[place] for name, cells in columns.items()}}
        for place, (document, summary) in enumerate(TEXTS)
    ]
    table("t.csv")(folder, rows)
    return folder / "t.csv"


def words(holds: object, wrong: object) -> list[object]:
    return [holds if verdict is CONSISTENT else wrong for verdict in HOLDS]


def labels(path: Path, spec: str = "generic") -> list[Verdict | None]:
    return [item.intended for item in strict_items(DATASETS.parse(spec).read(path), ImportCounts())]


@pytest.mark.parametrize(
    "column",
    [
        {"isHallucinated": words(0, 1)},
        {"error_free": words("ja", "nein")},
        {"non_factual": words("False", "True")},
        {"judgement": words("No issues found", "Contains fabricated details")},
        {"label": words("1 - consistent", "0 - not consistent")},
        {"label (1=hallucinated, 0=faithful)": words(0, 1)},
        {"Bewertung": words("richtig", "falsch")},
        {"contiene_error": words("no", "sí")},
        {"result": words("PASS", "FAIL")},
        {"supported": words("x", ""), "not_supported": words("", "x")},
        {"label": words(0, 1), "label_text": words("faithful", "hallucinated")},
        {"reviewer": words(0, 1), "faithful": words("1,0", "0,0")},
        {"rater_1_hallucinated": words(0, 1), "rater_2_hallucinated": words(0, 1), "rater_1_time": [3, 9, 4, 7]},
    ],
)
def test_a_label_is_settled_by_words_names_and_columns_beside(column: dict[str, list[object]], tmp_path: Path) -> None:
    assert labels(write(tmp_path, **column)) == HOLDS


@pytest.mark.parametrize(
    ("column", "answer"),
    [
        ({"label": words(0, 1)}, "label_of_1=inconsistent"),
        ({"target": words("yes", "no")}, "label_of_1=consistent"),
        ({"true_label": words("True", "False")}, "label_of_1=consistent"),
        ({"label": words(2, 1)}, "consistent=2"),
        ({"class": words("negative", "positive")}, "consistent=negative"),
        ({"rater_1": words(0, 1), "rater_2": words(0, 1)}, "label_of_1=inconsistent"),
        ({"label": words("1,0", "0,0")}, "label_of_1=consistent"),
    ],
)
def test_a_label_that_nothing_settles_is_refused_with_two_rows_and_read_as_answered(
    column: dict[str, list[object]], answer: str, tmp_path: Path
) -> None:
    path = write(tmp_path, **column)
    with pytest.raises(TouchstoneError, match="nothing says which of them is consistent") as refused:
        Generic().read(path)
    assert str(refused.value).count("(document: “") == 2
    assert answer.partition("=")[0].replace("_", "-") in str(refused.value)
    assert labels(path, f"generic[{answer}]") == HOLDS


def test_a_column_of_words_that_contradicts_the_numbers_beside_it_is_an_error_with_the_row(tmp_path: Path) -> None:
    path = write(tmp_path, label=[1, 1, 1, 0], label_name=words("faithful", "hallucinated"))
    with pytest.raises(
        TouchstoneError, match=r"Row 2 contradicts row 1: label is 1 in both, and label_name says inconsistent"
    ):
        Generic().read(path)


def test_columns_that_contradict_each_other_are_named_and_one_is_chosen_by_a_person(tmp_path: Path) -> None:
    path = write(tmp_path, human_faithful=words(1, 0), model_hallucinated=[0, 0, 1, 1])
    assert labels(path) == [None] * 4
    assert "human_faithful, model_hallucinated may be the label" in "\n".join(Generic().describe(path))
    assert labels(path, "generic[label=human_faithful]") == HOLDS


def test_who_answered_is_never_the_answer(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        annotator=[1, 2, 1, 2],
        worker_id=[0, 1, 0, 1],
        confidence=[5, 4, 5, 3],
        started_at=["9:00"] * 4,
        note=["a"] * 4,
    )
    [*items] = strict_items(Generic().read(path), ImportCounts())
    assert all(
        isinstance(item, Item) and not item.ratings and not item.judgements and not item.intended for item in items
    )
    printed = "\n".join(Generic().describe(path))
    assert "who answered annotator, worker_id" in printed
    assert "measured     confidence, started_at" in printed


FEATURES = {
    "document": {"dtype": "string", "_type": "Value"},
    "summary": {"dtype": "string", "_type": "Value"},
    "label": {"names": ["consistent", "inconsistent"], "_type": "ClassLabel"},
    "votes": {"feature": {"names": ["faithful", "unfaithful"], "_type": "ClassLabel"}, "_type": "Sequence"},
}


def schema_table(**columns: list[object]) -> pa.Table:
    features = {name: FEATURES[name] for name in ("document", "summary", *columns)}
    documents, summaries = zip(*TEXTS, strict=True)
    built = pa.table({"document": documents, "summary": summaries, **columns})
    return built.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})


def test_class_names_in_the_schema_of_a_parquet_file_decide(tmp_path: Path) -> None:
    parquet.write_table(schema_table(label=[0, 1, 0, -1]), tmp_path / "t.parquet")
    assert labels(tmp_path / "t.parquet") == [CONSISTENT, INCONSISTENT, CONSISTENT, None]
    assert "stated: by the classes that the file names" in Generic().settings_used(tmp_path / "t.parquet")["labels"]


def test_a_list_of_classes_in_the_schema_is_a_list_of_votes(tmp_path: Path) -> None:
    parquet.write_table(schema_table(votes=[[0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1]]), tmp_path / "t.parquet")
    assert labels(tmp_path / "t.parquet") == HOLDS


def test_a_folder_that_datasets_saved_is_read_by_its_class_names(tmp_path: Path) -> None:
    built = schema_table(label=words(0, 1))
    with ipc.new_stream(tmp_path / "data-00000-of-00001.arrow", built.schema) as stream:
        stream.write_table(built)
    features = {name: FEATURES[name] for name in ("document", "summary", "label")}
    (tmp_path / "dataset_info.json").write_text(json.dumps({"features": features}), encoding="utf-8")
    assert labels(tmp_path) == HOLDS
    assert labels(tmp_path / "data-00000-of-00001.arrow") == HOLDS


def test_files_of_a_folder_are_read_by_their_class_names(tmp_path: Path) -> None:
    built = schema_table(label=[0, 1, 0, 1])
    for name, part in (("a", built.slice(0, 2)), ("b", built.slice(2))):
        parquet.write_table(part, tmp_path / f"{name}.parquet")
    assert labels(tmp_path) == HOLDS
    assert "stated: by the classes that the file names" in Generic().settings_used(tmp_path)["labels"]


def test_value_labels_of_a_stata_file_decide(tmp_path: Path) -> None:
    documents, summaries = zip(*TEXTS, strict=True)
    codes = pd.Categorical.from_codes([0, 1, 0, 1], ["accurate", "inaccurate"])
    frame = pd.DataFrame({"document": documents, "summary": summaries, "quality": codes})
    frame.to_stata(tmp_path / "t.dta", write_index=False, version=118)
    assert labels(tmp_path / "t.dta") == HOLDS


def test_lists_of_votes_beside_lists_of_people_are_a_column_for_each(tmp_path: Path) -> None:
    rows = [
        {"document": document, "summary": summary, "annotations": {"annotator": ["a", "b"], "supported": [vote, vote]}}
        for (document, summary), vote in zip(TEXTS, words(1, 0), strict=True)
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert labels(tmp_path / "t.jsonl") == HOLDS

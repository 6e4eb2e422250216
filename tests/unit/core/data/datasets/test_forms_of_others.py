"""Tables as benchmarks and annotation tools write them give their documents, summaries and labels to the importer of any table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from core.data.dataset import DATASETS, ImportCounts, strict_items
from core.data.datasets.formats.column_inference import infer_column_map
from core.data.datasets.formats.column_map import load_column_map
from core.data.datasets.formats.potato_records import potato_records
from core.data.datasets.generic import Generic, preview_rows
from core.errors import TouchstoneError
from core.types import ALL_JUDGES, Item, Rating, Verdict
from tests.unit.core.data.datasets.forms_of_others import (
    DOCUMENT,
    FALSE,
    FORMS,
    TRUE,
    choice,
    label_studio,
    mechanical_turk,
    potato,
    potato_table,
)

ANSWERED = "generic[label_of_1=consistent]"
OPEN_FORMS = {"chat in parts", "ShareGPT", "\u2713 and \u2717"}
"""Forms whose label is called label or feedback, so that nothing but a person says which way round it is."""


def pairs() -> Iterator[tuple[int, str, bool]]:
    for number in range(6):
        yield number, f"{TRUE if number % 2 else FALSE} Number {number} was said.", bool(number % 2)


def read(path: Path, spec: str = "generic") -> list[Item]:
    return list(strict_items(DATASETS.parse(spec).read(path), ImportCounts()))


def put(folder: Path, records: Sequence[object]) -> Path:
    path = folder / "others.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_others_gives_documents_summaries_and_labels(form: str, tmp_path: Path) -> None:
    spec = ANSWERED if form in OPEN_FORMS else "generic"
    items = read(put(tmp_path, [FORMS[form](*pair) for pair in pairs()]), spec)
    assert [item.example.document for item in items] == [DOCUMENT] * 6
    assert [item.example.summary for item in items] == [summary for _, summary, _ in pairs()]
    assert [item.intended for item in items] == [
        Verdict.CONSISTENT if holds else Verdict.INCONSISTENT for *_, holds in pairs()
    ]


def test_a_table_that_a_spreadsheet_saved_as_unicode_text_is_read_by_its_mark(tmp_path: Path) -> None:
    path = tmp_path / "sheet.tsv"
    lines = ["document\tsummary\tlabel", *(f"{DOCUMENT}\t{summary}\t{int(holds)}" for _, summary, holds in pairs())]
    path.write_text("\n".join(lines), encoding="utf-16")
    assert [item.intended for item in read(path, ANSWERED)] == [Verdict.INCONSISTENT, Verdict.CONSISTENT] * 3


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"document": DOCUMENT}, "summary"),
        ({"knowledge": DOCUMENT, "question": "When did the ferry leave?"}, "answer"),
        ({"knowledge": DOCUMENT, "dialogue_history": "[Human]: When did it leave?"}, "response"),
    ],
)
def test_halueval_as_released_gives_the_right_text_and_the_hallucinated_one(
    given: dict[str, object], text: str, tmp_path: Path
) -> None:
    released = [{**given, f"right_{text}": TRUE, f"hallucinated_{text}": FALSE}]
    assert [(item.example.document, item.example.summary, item.intended) for item in read(put(tmp_path, released))] == [
        (DOCUMENT, TRUE, Verdict.CONSISTENT),
        (DOCUMENT, FALSE, Verdict.INCONSISTENT),
    ]


def test_summeval_as_released_has_the_means_of_its_experts_as_ratings(tmp_path: Path) -> None:
    right, wrong = read(put(tmp_path, [FORMS["SummEval"](n, TRUE, bool(n)) for n in (1, 0)]))
    assert Rating(ALL_JUDGES, "consistency", 14 / 3) in wrong.ratings
    assert (right.system, right.group, {rating.aspect for rating in right.ratings}) == (
        "M11",
        "dm-test-1",
        {"coherence", "consistency", "fluency", "relevance"},
    )


def test_annotators_of_label_studio_who_disagree_vote(tmp_path: Path) -> None:
    task = label_studio(1, TRUE, holds=True)
    votes = [choice(1, True, 1), choice(1, False, 2), choice(1, False, 9)]
    [item, tied] = read(put(tmp_path, [{**task, "annotations": votes}, {**task, "id": 2, "annotations": votes[:2]}]))
    assert [(vote.judge, vote.verdict) for vote in item.judgements] == [
        ("1", Verdict.CONSISTENT),
        ("2", Verdict.INCONSISTENT),
        ("9", Verdict.INCONSISTENT),
    ]
    assert (item.intended, tied.intended) == (Verdict.INCONSISTENT, None)


def test_people_of_potato_vote(tmp_path: Path) -> None:
    votes = [{**potato_table(1, TRUE, holds), "user": who} for who, holds in (("a", True), ("b", False), ("c", False))]
    [item] = read(put(tmp_path, votes))
    assert [(vote.judge, vote.verdict) for vote in item.judgements] == [
        ("a", Verdict.CONSISTENT),
        ("b", Verdict.INCONSISTENT),
        ("c", Verdict.INCONSISTENT),
    ]
    assert item.intended is Verdict.INCONSISTENT


@pytest.mark.parametrize(
    ("changes", "texts", "answers"),
    [
        ({"displayed_text": "A. One.<br>Two.<br>B. Three."}, {"text_1": "One.\nTwo.", "text_2": "Three."}, {}),
        ({"displayed_text": "0. One.<br>1. Two."}, {"text_1": "One.", "text_2": "Two."}, {}),
        ({"displayed_text": "One <b>is</b>.<br>3 < 4 > 2"}, {"text_1": "One is.", "text_2": "3 < 4 > 2"}, {}),
        ({"displayed_text": "<legend>a</legend>"}, {"a": ""}, {}),
        ({"displayed_text": None}, {}, {}),
        ({"label_annotations": {"q": {"x": "true", "y": True}}}, None, {"q": ["x", "y"]}),
        ({"label_annotations": {"q": {"scale_4": "4"}, "r": {"text_box": ""}, "s": {}, "t": None}}, None, {"q": "4"}),
    ],
)
def test_a_record_of_potato_may_look_otherwise(
    changes: dict[str, object], texts: dict[str, object] | None, answers: dict[str, object]
) -> None:
    record = {**potato(1, TRUE, True), "label_annotations": {}, **changes}
    [row] = potato_records(record) or []
    shown = {"document": DOCUMENT, "summary": TRUE} if texts is None else texts
    assert row == {"id": "item_1", **shown, **answers}


def test_a_survey_of_potato_is_no_item_and_other_records_are_left_as_they_are() -> None:
    assert potato_records({**potato(1, TRUE, True), "id": "consent.html"}) == []
    others: list[dict[str, object]] = [
        {"displayed_text": "x", "label_annotations": "none"},
        {"labels": {}, "user_id": 1},
    ]
    assert [potato_records(other) for other in others] == [None, None]


def test_workers_of_a_batch_vote_and_rejected_work_does_not_count(tmp_path: Path) -> None:
    work = [
        {**mechanical_turk(1, TRUE, holds), "WorkerId": f"A{n}"} for n, holds in enumerate((True, True, False, False))
    ]
    work[2]["AssignmentStatus"] = "Rejected"
    [item] = read(put(tmp_path, work))
    assert (item.intended, len(item.judgements)) == (Verdict.CONSISTENT, 3)


@pytest.mark.parametrize(
    ("labels", "verdict"),
    [([1, 1], Verdict.CONSISTENT), ([1, 0], Verdict.INCONSISTENT), (["yes", "no"], Verdict.INCONSISTENT)],
)
def test_a_summary_is_as_consistent_as_its_worst_sentence(
    labels: list[object], verdict: Verdict, tmp_path: Path
) -> None:
    record = {"document": DOCUMENT, "summary_sentences": [TRUE, "She carried cars."], "sentence_labels": labels}
    [item, _] = read(put(tmp_path, [record, {**record, "sentence_labels": [0, 0]}]), ANSWERED)
    assert (item.example.summary, item.intended) == (f"{TRUE}\nShe carried cars.", verdict)


def test_a_list_of_labels_without_sentences_is_a_list_of_votes(tmp_path: Path) -> None:
    path = put(tmp_path, [{"document": DOCUMENT, "summary": TRUE, "label": [1, 0, 1]}])
    with pytest.raises(TouchstoneError, match="annotator_1_label and annotator_2_label and annotator_3_label say"):
        read(path)
    [item] = read(path, ANSWERED)
    assert [vote.verdict for vote in item.judgements] == [CONSISTENT, INCONSISTENT, CONSISTENT]
    assert item.intended is CONSISTENT


@pytest.mark.parametrize(
    ("cells", "levels"),
    [
        (["80 %", "95%", "0%"], [80, 95, 0]),
        (["★★★☆☆", "★★★★★", "☆☆☆☆☆"], [3, 5, 0]),
        (["3/5", "5 / 5", "0/5"], [3, 5, 0]),
    ],
)
def test_ratings_are_read_as_percentages_stars_and_marks_out_of_five(
    cells: list[str], levels: list[float], tmp_path: Path
) -> None:
    items = read(put(tmp_path, [{"document": DOCUMENT, "summary": TRUE, "overall_quality": cell} for cell in cells]))
    assert [[rating.value for rating in item.ratings] for item in items] == [[level] for level in levels]


NLI = {"premise": DOCUMENT, "hypothesis": TRUE}
PLAIN = {"document": DOCUMENT, "summary": TRUE}
CONSISTENT, INCONSISTENT = Verdict.CONSISTENT, Verdict.INCONSISTENT


@pytest.mark.parametrize(
    ("given", "labels", "chosen", "verdicts"),
    [
        (NLI, [0, 1, 2], "0", [CONSISTENT, INCONSISTENT, INCONSISTENT]),
        (NLI, [0, 2, -1], "0", [CONSISTENT, INCONSISTENT, None]),
        (NLI, [0, 1, 0], "0", [CONSISTENT, INCONSISTENT, CONSISTENT]),
        ({"context": DOCUMENT, "hypothesis": TRUE}, ["e", "n", "c"], "e", [CONSISTENT, INCONSISTENT, INCONSISTENT]),
        ({"sentence1": DOCUMENT, "sentence2": TRUE}, [1, 0, 1], "1", [CONSISTENT, INCONSISTENT, CONSISTENT]),
        (PLAIN, [1, 2, 1], "2", [INCONSISTENT, CONSISTENT, INCONSISTENT]),
        (PLAIN, [1, -1, 1], "1", [CONSISTENT, INCONSISTENT, CONSISTENT]),
        (PLAIN, [1, 2, 3], "2+3", [INCONSISTENT, CONSISTENT, CONSISTENT]),
    ],
)
def test_classes_that_do_not_say_which_is_consistent_are_asked_for(
    given: dict[str, object], labels: list[object], chosen: str, verdicts: list[Verdict | None], tmp_path: Path
) -> None:
    path = put(tmp_path, [{**given, "label": label} for label in labels])
    with pytest.raises(
        TouchstoneError, match=r"(?s)nothing says which of them is consistent.*generic\[(consistent|label_of_1)="
    ):
        Generic().read(path)
    assert "nothing says which of them is consistent" in "\n".join(Generic().describe(path))
    assert [item.intended for item in read(path, f"generic[consistent={chosen}]")] == verdicts


def test_a_class_that_the_label_does_not_say_is_refused_with_those_that_it_says(tmp_path: Path) -> None:
    path = put(tmp_path, [{**PLAIN, "label": label} for label in (1, 2)])
    with pytest.raises(TouchstoneError, match=r"does not say 3\. Its words are 1, 2"):
        Generic(consistent="3").read(path)


def test_a_saved_mapping_lists_the_classes_for_a_person_to_move(tmp_path: Path) -> None:
    path = put(tmp_path, [{**PLAIN, "label": label} for label in (1, 2)])
    guessed = json.loads(infer_column_map(preview_rows(path)).to_json())
    assert {"1", "2"} <= {*guessed["unlabelled"]}
    moved = {**guessed, "consistent": ["2"], "inconsistent": ["1"], "unlabelled": []}
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps(moved), encoding="utf-8")
    assert load_column_map(mapping).verdicts["2"] is CONSISTENT
    assert [item.intended for item in read(path, f"generic[mapping={mapping}]")] == [INCONSISTENT, CONSISTENT]

"""Reading a dataset: counts, refusals and fingerprints."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.data.dataset import ImportCounts, Refusal, format_counts, readable_items, source_sha256, strict_items
from core.errors import TouchstoneError
from core.types import ErrorType, Example, Item, Rating, StoredScore, Verdict

PLAIN = Item(Example("a", "D.", "S."), intended=Verdict.CONSISTENT, scores=(StoredScore("BLEU", 1.0),))
EDITED = Item(
    Example("b", "", "T."),
    parent="a",
    intended=Verdict.INCONSISTENT,
    error_type=ErrorType.COREFERENCE,
    ratings=(Rating("a1", "fluency", 3.0),),
)
BROKEN = Refusal(7, "The field 'summary' is empty.")


def test_what_was_read_is_counted_by_kind() -> None:
    tally = ImportCounts()
    assert list(readable_items([PLAIN, EDITED, BROKEN, BROKEN], tally)) == [PLAIN, EDITED]
    assert tally.counts() == {
        "samples": 2,
        "pairs": 1,
        "unlabelled": 0,
        "without_document": 1,
        "exact_duplicates": 0,
        "contradictory_labels": 0,
        "labels": {"consistent": 1, "inconsistent": 1},
        "error_types": {"Coreference": 1},
        "released_scores": {"BLEU": 1},
        "failed_scores": {},
        "ratings": {"fluency": 1},
        "explanations": {},
        "skipped": {"The field 'summary' is empty.": 2},
    }


def test_a_broken_record_is_named_by_its_place_and_field_after_everything_was_read() -> None:
    tally = ImportCounts()
    with pytest.raises(TouchstoneError, match=r"1 record cannot be read.*\n  7: The field 'summary' is empty"):
        list(strict_items([BROKEN, PLAIN], tally))
    assert tally.samples == 1


def test_a_broken_record_of_a_folder_is_named_with_its_file() -> None:
    with pytest.raises(TouchstoneError, match=r"\n  dev\.jsonl, 7: The id"):
        list(strict_items([Refusal(7, "The id 'a' stands twice.", "dev.jsonl")], ImportCounts()))


def test_a_million_different_refusals_do_not_fill_the_memory() -> None:
    tally = ImportCounts()
    assert list(readable_items((Refusal(n, f"The id '{n}' stands twice.") for n in range(3000)), tally)) == []
    assert tally.refused.total() == 3000
    assert len(tally.refused) < 1100


def test_a_source_without_broken_records_is_read_whole() -> None:
    assert list(strict_items([PLAIN, EDITED], ImportCounts())) == [PLAIN, EDITED]


def test_counts_in_words_leave_out_what_is_zero() -> None:
    assert format_counts({"samples": 2, "pairs": 0, "labels": {"consistent": 2, "inconsistent": 1}}) == [
        "samples           2",
        "labels            consistent: 2, inconsistent: 1",
    ]


GERMAN = Item(
    Example(
        "de",
        "Die Brücke soll laut dem Bürgermeister im März wieder öffnen.",
        "The bridge is to reopen in March, as the mayor said.",
    )
)


def test_the_languages_are_counted_where_they_are_not_all_english() -> None:
    tally = ImportCounts()
    list(readable_items([GERMAN, GERMAN, PLAIN], tally))
    assert tally.counts()["languages"] == {"German document, English summary": 2, "": 1}
    assert "Language: German document, English summary" in format_counts(tally.counts())


def test_of_many_samples_the_languages_of_some_are_looked_at() -> None:
    tally = ImportCounts()
    list(readable_items([GERMAN] * 1_000, tally))
    assert tally.languages.total() == 505
    assert "Language: German document, English summary, of the 505 looked at" in format_counts(tally.counts())


def test_every_reason_for_skipping_has_a_line() -> None:
    assert format_counts({"skipped": {"No summary.": 2, "No label.": 1}}) == [
        "skipped           2 × No summary.",
        "skipped           1 × No label.",
    ]


def test_the_fingerprint_of_a_folder_is_that_of_its_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[1]")
    before = source_sha256(tmp_path)
    (tmp_path / "a.json").rename(tmp_path / "b.json")
    renamed = source_sha256(tmp_path)
    (tmp_path / "b.json").write_text("[2]")
    assert len({before, renamed, source_sha256(tmp_path)}) == 3


def test_a_path_where_nothing_is_is_named() -> None:
    with pytest.raises(TouchstoneError, match=r"no file or folder nowhere\.json"):
        source_sha256(Path("nowhere.json"))

"""What every importer promises, on a small sample of our own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from openpyxl.utils.exceptions import IllegalCharacterError

from core.data.dataset import DATASETS, Importer, Refusal
from core.errors import TouchstoneError
from core.text import edits
from core.types import Item
from tests.unit.core.data.datasets.samples import OWN_FORMATS, SAMPLES, Sample
from tests.unit.core.data.datasets.writing import Record

ONE_FILE = {"documents", "explained", "exported", "generic", "pairs", *OWN_FORMATS}
"""Importers of a person's own files: they are given a file, never a folder."""

HOSTILE: tuple[Any, ...] = (None, [], {}, [{}], [None], {"a": [1]}, 3.5, -1, "", "x", "a\0b", "\ud800", True, [[1, 2]])
over_samples = pytest.mark.parametrize("name", SAMPLES)
over_spoilt = pytest.mark.parametrize(
    ("name", "field", "value"),
    [(name, field, value) for name, sample in SAMPLES.items() for field, value in sample.spoilt],
)


def source_of(name: str, folder: Path) -> Path:
    return next(folder.iterdir()) if name in ONE_FILE else folder


def read(name: str, folder: Path, sample: Sample) -> list[Item | Refusal]:
    sample.write(folder, sample.records)
    return list(DATASETS.get(name)().read(source_of(name, folder)))


def items(name: str, folder: Path) -> list[Item]:
    found = read(name, folder, SAMPLES[name])
    assert [refusal for refusal in found if isinstance(refusal, Refusal)] == []
    return [item for item in found if isinstance(item, Item)]


def test_every_importer_has_a_sample() -> None:
    assert {*DATASETS.names()} - {"bundled"} == SAMPLES.keys()


@pytest.mark.parametrize("importer", list(DATASETS), ids=lambda importer: importer.name)
def test_an_importer_has_a_title_and_says_under_which_licence_its_data_is(importer: type[Importer]) -> None:
    assert importer.title
    assert importer.licence


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - ONE_FILE))
def test_an_importer_of_a_released_dataset_says_where_it_comes_from(name: str) -> None:
    assert DATASETS.get(name).url.startswith("https://")


@over_samples
def test_a_sample_is_read_whole(name: str, tmp_path: Path) -> None:
    assert len(items(name, tmp_path)) == (SAMPLES[name].items or len(items(name, tmp_path)))
    assert items(name, tmp_path)


@over_samples
def test_reading_twice_gives_the_same(name: str, tmp_path: Path) -> None:
    assert items(name, tmp_path) == items(name, tmp_path)


@over_samples
def test_ids_are_unique_and_every_item_has_a_group(name: str, tmp_path: Path) -> None:
    found = items(name, tmp_path)
    assert len({item.example.id for item in found}) == len(found)
    assert all(item.group for item in found)


@over_samples
def test_an_edited_summary_follows_its_parent_and_its_edits_lead_there(name: str, tmp_path: Path) -> None:
    before: dict[str, Item] = {}
    for item in items(name, tmp_path):
        if item.parent is not None:
            parent = before[item.parent]
            assert parent.group == item.group
            assert edits.apply(parent.example.summary, item.edits) == item.example.summary
        assert bool(item.edits) == (item.parent is not None)
        before[item.example.id] = item


@over_samples
def test_judgements_speak_of_their_own_item_and_of_its_words(name: str, tmp_path: Path) -> None:
    for item in items(name, tmp_path):
        length = len(item.example.summary)
        spans = [judgement.span for judgement in item.judgements if judgement.span]
        assert {judgement.example_id for judgement in item.judgements} <= {item.example.id}
        assert all(0 <= span.start < span.end <= length for span in spans)


@over_samples
def test_ratings_and_released_scores_are_numbers(name: str, tmp_path: Path) -> None:
    for item in items(name, tmp_path):
        assert all(math.isfinite(number.value) for number in (*item.ratings, *item.scores))
        assert len({score.metric for score in item.scores}) == len(item.scores)


@over_spoilt
def test_a_spoilt_record_is_refused_by_its_place_and_field_and_the_others_are_read(
    name: str, field: str, value: object, tmp_path: Path
) -> None:
    sample = SAMPLES[name]
    *sound, last = sample.records
    spoilt = Sample([*sound, {**last, field: value}], sample.write, sample.items, (), sample.last)
    found = read(name, tmp_path, spoilt)
    (refusal,) = [outcome for outcome in found if isinstance(outcome, Refusal)]
    assert field in refusal.error
    assert refusal.line == sample.last
    assert any(isinstance(outcome, Item) for outcome in found)


@over_samples
def test_whatever_stands_in_a_field_the_importer_does_not_break(name: str, tmp_path: Path) -> None:
    """A record of any shape is an item or a refusal, or the file is refused as a whole."""
    sample = SAMPLES[name]
    *sound, last = sample.records
    cases = [(field, value) for place, field in enumerate(last) for value in HOSTILE[place % 3 :: 3]]
    for field, value in cases:
        if not written(sample, [*sound, {**last, field: value}], tmp_path):
            continue
        try:
            found = list(DATASETS.get(name)().read(source_of(name, tmp_path)))
        except TouchstoneError:
            continue
        assert all(isinstance(outcome, Item | Refusal) for outcome in found), (field, value)


def written(sample: Sample, records: list[Record], folder: Path) -> bool:
    """Whether the format can hold the records."""
    try:
        sample.write(folder, records)
    except (pyarrow.ArrowException, IllegalCharacterError, ValueError):
        return False
    return True


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - ONE_FILE))
def test_a_folder_without_the_files_is_refused_with_their_names(name: str, tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match=r"No file in .* is called"):
        list(DATASETS.get(name)().read(tmp_path))


@over_samples
def test_a_source_that_is_not_there_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match="There is no file"):
        list(DATASETS.get(name)().read(tmp_path / "absent.json"))

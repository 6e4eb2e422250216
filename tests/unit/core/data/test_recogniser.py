"""A file that nobody said what it is: benchmarks by the fields of their records, exports of tools by their form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.data.dataset import DATASETS
from core.data.datasets.formats.known_forms import FORMS
from core.data.recogniser import recognise
from tests.unit.core.data.datasets.samples import OWN_FORMATS, SAMPLES

RELEASED = sorted(
    name for name in SAMPLES if DATASETS.get(name).record_fields and name not in {*OWN_FORMATS, "explained"}
)
SEVERAL_FILES = {"frank", "longeval", "longsciverify", "ragtruth", "ragtruth-plus"}
"""Benchmarks whose records lie in several files with names of their own."""


@pytest.mark.parametrize("name", RELEASED)
def test_the_folder_of_a_benchmark_is_recognised(name: str, tmp_path: Path) -> None:
    SAMPLES[name].write(tmp_path, SAMPLES[name].records)
    recognition = recognise(tmp_path)
    assert recognition
    assert recognition.importer == name
    assert recognition.sentence == f"This looks like {DATASETS.get(name).title}."


@pytest.mark.parametrize("name", [name for name in RELEASED if name not in SEVERAL_FILES])
def test_a_file_of_a_benchmark_is_recognised_under_any_name(name: str, tmp_path: Path) -> None:
    SAMPLES[name].write(tmp_path, SAMPLES[name].records)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    renamed = [path.rename(path.with_name(f"download{path.suffix}")) for path in files][-1]
    recognition = recognise(renamed)
    assert recognition
    assert recognition.importer == name


def test_all_released_benchmarks_are_recognised_by_content() -> None:
    unnamed = {importer.name for importer in DATASETS if not importer.record_fields}
    assert unnamed == {"bundled", "documents", "exported", "generic", "pairs"}  # exports have their own test


def test_a_table_with_the_fields_of_a_benchmark_that_it_cannot_read_is_a_table(tmp_path: Path) -> None:
    """QAGS has objects in the sentences of a summary; a list of texts is somebody's own."""
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps({"article": "A text of two words.", "summary_sentences": ["A text."]}), encoding="utf-8")
    assert recognise(path) is None


@pytest.mark.parametrize("content", ["document,summary\na b,c d\n", "", "{", "\0\0", '{"data": []}'])
def test_a_file_in_no_known_form_is_none(content: str, tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(content, encoding="utf-8")
    assert recognise(path) is None
    assert recognise(path.rename(tmp_path / "own.json")) is None


def test_every_form_has_a_title_with_its_article_or_number() -> None:
    assert all(form.title[0].islower() for form in FORMS)
    assert len({form.title for form in FORMS}) == len(list(FORMS))

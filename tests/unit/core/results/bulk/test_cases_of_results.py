"""The cases of a folder of results are read by columns, and are those of its samples one by one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import TouchstoneError
from core.results.bulk.blocks import row_of_item, write_block, write_manifest
from core.results.bulk.bulk_cases import cases_of_results
from core.results.bulk.folder import Folder
from core.results.bulk.results import open_metric_folder, open_results, write_results
from core.results.cases.cases import Cases
from core.results.cases.measures import draw_resamples, metric_rows, slice_cases
from core.results.cases.pooling import pool_cases
from core.scoring.metric import METRICS
from core.types import Edit, ErrorType, Example, Failure, FailureKind, Item, Outcome, Result, Seen, Span, Verdict

_GERMAN = "Der Hafen war am Dienstag wegen eines schweren Sturms geschlossen, und niemand wurde verletzt."
_ORDER = (Verdict.INCONSISTENT, Verdict.CONSISTENT, Verdict.BORDERLINE, None)


def items(number: int, other_text: str) -> list[Item]:
    """Originals with two edits each, in all mixes of labels, some of one group or text, a fifth with another text, and one edit of nothing."""
    rng = np.random.default_rng(3)
    found = []
    for place in range(number):
        origin, parent = place - place % 3, place % 3
        found.append(
            Item(
                Example(
                    f"p{place if place != 7 else 4}",
                    f"It rained in town {origin // 6}.",
                    other_text if place % 5 == 0 else f"It was wet in town {place} for a day.",
                ),
                parent=f"p{origin}" if parent else None,
                edits=(Edit(Span(0, 2), "No"),) if parent else (),
                intended=_ORDER[int(rng.integers(4))],
                error_type=ErrorType.OTHER if parent else None,
                domain="sea" if place % 2 else "land",
                group=f"g{place // 30}" if place % 4 == 0 else "",
            )
        )
    return [*found, Item(Example("lost", "It rained.", "It did."), parent="gone", intended=Verdict.INCONSISTENT)]


def outcomes(of: list[Item], metric: str, signature: str, seed: int) -> list[Outcome]:
    rng = np.random.default_rng(seed)
    failed = Failure("", metric, FailureKind.INPUT, "No text.")
    return [
        replace(failed, example_id=item.example.id)
        if rng.random() < 0.1
        else Result(item.example.id, metric, signature, round(rng.random(), 2), (), Seen(), 0.1, "cpu")
        for item in of
    ]


@dataclass
class Made:
    folder: Path
    items: list[Item]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return make_results(tmp_path, "It was dry for a day in the town.")


def make_results(tmp_path: Path, other_text: str) -> Made:
    """Three blocks, all scored by one metric and the first two by another."""
    blocks, results = Folder.at(str(tmp_path / "blocks")), Folder.at(str(tmp_path / "results"))
    all_items = items(90, other_text)
    parts = [all_items[:31], all_items[31:60], all_items[60:]]
    listed = [write_block(blocks, number, list(map(row_of_item, part))) for number, part in enumerate(parts)]
    write_manifest(blocks, listed, 0, "test")
    open_results(results, blocks)
    for spec, scored in (("coverage", 3), ("rouge2", 2)):
        folder = open_metric_folder(results, f"{spec}-1", METRICS.parse(spec))
        for number, (block, part) in enumerate(zip(listed[:scored], parts, strict=False)):
            write_results(folder, block.name, outcomes(part, spec, f"{spec}|code:1", number))
    return Made(tmp_path / "results", all_items)


def assert_same_cases(one: Cases, other: Cases) -> None:
    for name in ("labels", "documents", "pairs", "harmless", "development"):
        assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name == "labels"), name
    assert [(of.name, of.direction, of.signature, of.failed) for of in one.columns] == [
        (of.name, of.direction, of.signature, of.failed) for of in other.columns
    ]
    for mine, theirs in zip(one.columns, other.columns, strict=True):
        assert np.array_equal(mine.values, theirs.values, equal_nan=True)
    assert one.warnings == other.warnings
    assert list(one.samples) == list(other.samples)


def test_cases_by_columns_are_those_of_the_samples(made: Made) -> None:
    cases = cases_of_results(str(made.folder))
    assert len(cases.pairs) > 10
    assert len(cases.harmless) > 2
    assert [column.failed > 0 for column in cases.columns] == [True, True]
    assert_same_cases(cases, pool_cases([list(cases.samples)]))


@pytest.mark.slow
def test_a_warning_of_languages_is_that_of_the_samples(tmp_path: Path) -> None:
    cases = cases_of_results(str(make_results(tmp_path, _GERMAN).folder))
    assert any("(de " in warning for warning in cases.warnings)
    assert_same_cases(cases, pool_cases([list(cases.samples)]))


def test_what_is_neither_labelled_nor_edited_counts_as_the_original_of_an_edit_alone(made: Made) -> None:
    samples = cases_of_results(str(made.folder)).samples
    ids = [sample.item.example.id for sample in samples]
    plain = [item for item in made.items if item.intended is None and item.parent is None]
    assert {item.example.id for item in plain} <= set(ids)
    assert ids[-len(plain) :] == [item.example.id for item in plain]
    assert "gone" not in ids
    assert samples[-1] == samples[len(samples) - 1]
    assert samples[2:4] == [samples[2], samples[3]]


def test_scores_by_two_versions_of_the_code_are_those_of_the_newer_one(made: Made) -> None:
    results = Folder.at(str(made.folder))
    folder = open_metric_folder(results, "coverage-2", METRICS.parse("coverage"))
    [name, *_] = [file.name.removesuffix(".parquet") for file in sorted((made.folder / "coverage-1").glob("*.parquet"))]
    write_results(folder, name, outcomes(made.items[:31], "coverage", "coverage|code:2", 9))
    cases = cases_of_results(str(made.folder))
    assert [column.signature for column in cases.columns if column.name == "coverage"] == ["coverage|code:2"]
    assert any("by other code" in warning for warning in cases.warnings)


def test_a_folder_without_labels_or_edits_is_refused(tmp_path: Path) -> None:
    blocks, results = Folder.at(str(tmp_path / "blocks")), Folder.at(str(tmp_path / "results"))
    listed = [write_block(blocks, 0, [row_of_item(Item(Example("a", "It rained.", "It did.")))])]
    write_manifest(blocks, listed, 0, "test")
    open_results(results, blocks)
    with pytest.raises(TouchstoneError, match="no labelled pair and no edit"):
        cases_of_results(str(tmp_path / "results"))


@pytest.mark.slow
def test_a_hundred_thousand_pairs_are_evaluated_by_columns(tmp_path: Path) -> None:
    """The same as a million, a tenth of it, so that it ends in seconds."""
    blocks, results = Folder.at(str(tmp_path / "blocks")), Folder.at(str(tmp_path / "results"))
    item = Item(Example("", "It rained in town.", "It was wet."))
    verdicts = (Verdict.CONSISTENT, Verdict.INCONSISTENT)
    parts = [
        [
            replace(
                item,
                example=replace(item.example, id=f"p{row}"),
                group=f"g{row // 4}",
                intended=verdicts[row % 2],
                parent=f"p{row - 1}" if row % 2 else None,
            )
            for row in range(first, first + 2_000)
        ]
        for first in range(0, 100_000, 2_000)
    ]
    listed = [write_block(blocks, number, list(map(row_of_item, part))) for number, part in enumerate(parts)]
    write_manifest(blocks, listed, 0, "test")
    open_results(results, blocks)
    folder = open_metric_folder(results, "coverage-1", METRICS.parse("coverage"))
    for number, (block, part) in enumerate(zip(listed, parts, strict=True)):
        write_results(folder, block.name, outcomes(part, "coverage", "coverage|code:1", number))
    seen: list[str] = []
    cases = cases_of_results(str(tmp_path / "results"), lambda names: (seen.append(name) or name for name in names))
    assert seen == [block.name for block in listed]
    assert (len(cases.samples), len(cases.pairs), cases.clusters) == (100_000, 50_000, 1)
    apart = replace(cases, documents=np.arange(100_000) // 4)
    [row] = metric_rows(apart, slice_cases(apart), draw_resamples(apart, 1))
    assert row.figures["auc"].estimate.value == pytest.approx(0.5, abs=0.02)
    assert cases.samples[99_999].item.example.id == "p99999"

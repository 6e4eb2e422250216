"""What changed between two versions of a dataset."""

from __future__ import annotations

from dataclasses import replace

from core.data import compare_versions, dataset_of_reference, format_dataset, format_diff, sample_rows
from core.types import Example, Item, Judgement, Sample, Verdict


def sample(id: str, summary: str, label: Verdict | None = Verdict.CONSISTENT, document: str = "d") -> Sample:
    return Sample("mill", Item(Example(id, "", summary), intended=label), f"{document}-{summary}", document)


def test_a_row_that_was_deleted_does_not_change_those_behind_it() -> None:
    rows = ["It burned.", "It was built.", "It is gone.", "It stands."]
    older = [sample(f"line-{number}", text) for number, text in enumerate(rows, 1)]
    newer = [sample(f"line-{number}", text) for number, text in enumerate([rows[0], *rows[2:]], 1)]
    diff = compare_versions("mill@1", older, "mill@2", newer)
    assert [row["text before"] for row in sample_rows(diff)] == ["It was built."]
    assert diff.counts["removed"] == 1
    assert diff.unchanged == 3


def test_samples_of_equal_texts_are_matched_as_often_as_there_are() -> None:
    older = [sample("a", "It burned."), sample("b", "It burned.")]
    diff = compare_versions("mill@1", older, "mill@2", [*older, sample("c", "It burned.")])
    assert [added.item.example.id for added in diff.added] == ["c"]


def test_a_judgement_that_is_new_is_another_fact_and_its_order_is_none() -> None:
    older = sample("a", "It burned.")
    judged = [Judgement("a", judge, Verdict.CONSISTENT) for judge in ("ada", "ben")]
    both = replace(older, item=replace(older.item, judgements=tuple(judged)))
    turned = replace(older, item=replace(older.item, judgements=tuple(reversed(judged))))
    assert compare_versions("m@1", [older], "m@2", [both]).counts["changed other facts"] == 1
    assert compare_versions("m@1", [both], "m@2", [turned]).unchanged == 1


def test_a_label_that_is_gone_is_counted_as_none() -> None:
    diff = compare_versions("m@1", [sample("a", "It burned.")], "m@2", [sample("a", "It burned.", None)])
    assert diff.relabelled == {("consistent", "none"): 1}
    assert "a: 'It burned.', consistent → none" in format_diff(diff)


def test_a_version_is_named_in_prose_and_other_names_stay() -> None:
    names = ["mill", "mill@2", "campaign: a@b", "x@1@12"]
    assert [format_dataset(name) for name in names] == ["mill", "mill, version 2", "campaign: a@b", "x@1, version 12"]
    assert [dataset_of_reference(name) for name in names] == ["mill", "mill", "campaign: a@b", "x@1"]

"""Which summaries of a dataset are perturbed."""

from __future__ import annotations

from core.results.runs.filters import build_sources, draw_sample, stored_samples, without_inconsistent
from core.types import Example, Item, Sample, Verdict


def sample(id: str, stored: str = "", intended: Verdict | None = None) -> Sample:
    item = Item(Example(id, "", f"Summary {id}."), intended=intended, domain="news", title=f"Title {id}")
    return Sample("set", item, stored or f"item-{id}", "document-1")


MANY = [sample(str(number)) for number in range(40)]


def test_a_text_without_its_document_and_one_that_came_before_are_left_out() -> None:
    lacking = Sample("set", Item(Example("x", "", "Summary.")))
    kept = stored_samples([sample("a"), lacking, sample("b"), sample("c", "item-a")])
    assert [one.item.example.id for one in kept] == ["a", "b"]


def test_what_is_labelled_inconsistent_is_left_out_and_what_is_not_labelled_stays() -> None:
    labelled = [sample("a", intended=Verdict.INCONSISTENT), sample("b", intended=Verdict.CONSISTENT), sample("c")]
    assert [one.item.example.id for one in without_inconsistent(labelled)] == ["b", "c"]


def test_the_same_seed_draws_the_same_samples_in_their_order_and_another_draws_others() -> None:
    drawn = draw_sample(MANY, 10, seed=1)
    assert drawn == draw_sample(MANY, 10, seed=1)
    assert drawn != draw_sample(MANY, 10, seed=2)
    assert drawn == sorted(drawn, key=MANY.index)
    assert len({one.stored for one in drawn}) == 10


def test_no_more_are_drawn_than_there_are() -> None:
    assert draw_sample(MANY, 100, seed=1) == MANY


def test_a_source_has_the_texts_of_the_store_and_is_resampled_by_its_document() -> None:
    texts = [Example("item-a", "The document.", "Summary a."), Example("item-z", "Another.", "Not asked for.")]
    [source] = build_sources([sample("a"), sample("lost")], texts)
    assert source.example == Example("a", "The document.", "Summary a.")
    assert (source.group, source.domain, source.title) == ("document-1", "news", "Title a")

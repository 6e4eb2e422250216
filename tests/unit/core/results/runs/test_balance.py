"""As many errors of one type as of another."""

from __future__ import annotations

from collections import Counter

from core.results.runs.filters import balanced_variants, error_type_of
from core.results.runs.stress_run import Variant


def made(kind: str, number: int) -> list[Variant]:
    return [Variant(f"{kind}-{place}", kind, summary="A text.") for place in range(number)]


def test_every_type_has_as_many_as_the_rarest_and_its_kinds_take_turns() -> None:
    variants = [
        *made("negation", 9),
        *made("number", 2),
        *made("entity-foreign", 8),
        *made("date", 5),
        *made("shuffled", 3),
    ]
    found = balanced_variants(variants, 0)
    assert Counter(map(error_type_of, found)).most_common() == [
        (error_type_of(variants[0]), 5),
        (error_type_of(variants[9]), 5),
        (error_type_of(variants[-4]), 5),
        (None, 3),
    ]
    assert Counter(one.kind for one in found)["number"] == 2
    assert found == sorted(found, key=variants.index)


def test_what_was_refused_is_left_out_and_the_seed_decides() -> None:
    variants = [*made("negation", 20), *made("date", 3), Variant("x", "date", error="It has none.")]
    drawn = {tuple(one.source for one in balanced_variants(variants, seed)) for seed in range(5)}
    assert len(drawn) > 1
    assert all(len(sources) == 6 and "x" not in sources for sources in drawn)
    assert balanced_variants(variants, 3) == balanced_variants(variants, 3)


def test_without_errors_everything_stays() -> None:
    assert balanced_variants(made("shuffled", 3), 0) == made("shuffled", 3)

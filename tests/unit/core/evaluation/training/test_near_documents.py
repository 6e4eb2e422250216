"""Documents that count as one: equal texts, groups, and near-duplicates."""

from __future__ import annotations

import numpy as np
import pytest

from core.evaluation.training.near_documents import near_duplicates


def test_one_text_in_two_groups_is_one_document() -> None:
    numbers = near_duplicates(["a b c d e f", "a b c d e f", "u v w x y z"], ["one", "two", "three"])
    assert numbers[0] == numbers[1] != numbers[2]


def test_texts_that_share_half_of_their_five_word_runs_are_one_document() -> None:
    text = " ".join(f"w{n}" for n in range(30))
    half = " ".join(f"w{n}" if n < 18 else f"x{n}" for n in range(30))
    less = " ".join(f"w{n}" if n < 16 else f"y{n}" for n in range(30))
    # 26 runs each: 14 in common with the first, 12 with the second
    assert near_duplicates([text, half], ["", ""]).tolist() == [0, 0]
    assert near_duplicates([text, less], ["", ""]).tolist() == [0, 1]


def test_texts_that_share_a_footer_are_compared_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    shared_runs = np.intersect1d
    monkeypatch.setattr(np, "intersect1d", lambda *found, **how: compared.append(1) or shared_runs(*found, **how))
    footer = " ".join(f"f{n}" for n in range(40))
    alike = [f"own {number} text {number} here {footer}" for number in range(150)]
    apart = [" ".join(f"w{number}x{n}" for n in range(80)) + f" {footer}" for number in range(150)]
    assert len(set(near_duplicates(alike, [""] * len(alike)).tolist())) == 1
    assert len(compared) == len(alike) - 1
    assert len(set(near_duplicates(apart, [""] * len(apart)).tolist())) == len(apart)
    assert len(compared) == len(alike) - 1

"""The share of a pretended GPU's memory that models may take: of what is free now, and more where nobody else uses it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from core.model_reference import Checkpoint
from core.models.model_pool import ModelPool
from tests.doubles.models import NO_HEADER, ScriptedKind, weights
from tests.doubles.pretended_gpu import pretend_cards

TOTAL = 80 << 30


class Card:
    """A GPU of which `others` bytes are used by other programs."""

    others = 0

    def free(self, *_: object) -> tuple[int, int]:
        return TOTAL - self.others, TOTAL


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Card:
    pretend_cards(monkeypatch, memory=TOTAL)
    made = Card()
    monkeypatch.setattr("torch.cuda.mem_get_info", made.free)
    return made


def test_models_take_most_of_a_card_of_their_own_and_half_of_what_others_leave(card: Card, tmp_path: Path) -> None:
    with closing(ModelPool("cuda", None, tmp_path)) as pool:
        card.others = 600 << 20  # the context of this process
        assert pool.budget_bytes == int((TOTAL - card.others) * 0.85)
        card.others = 40 << 30
        assert pool.budget_bytes == 20 << 30
        card.others = 0
        assert pool.budget_bytes == int(TOTAL * 0.85)


def test_a_share_that_is_set_is_of_what_is_free_now(card: Card, tmp_path: Path) -> None:
    with closing(ModelPool("cuda", 0.25, tmp_path)) as pool:
        assert pool.budget_bytes == 20 << 30
        card.others = 40 << 30
        assert pool.budget_bytes == 10 << 30


def test_what_our_own_models_take_does_not_shrink_their_share(
    card: Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ScriptedKind().install(monkeypatch)
    folder = weights(tmp_path / "model", NO_HEADER + b"weights")
    with closing(ModelPool("cuda", 0.5, tmp_path / "cache")) as pool, pool.lease(Checkpoint(str(folder), "scripted")):
        card.others = 30 << 30  # as the allocator counts its tensors here
        assert pool.budget_bytes == 40 << 30


def test_gigabytes_are_taken_as_they_are(card: Card, tmp_path: Path) -> None:
    card.others = 79 << 30
    with closing(ModelPool("cuda", 12 << 30, tmp_path)) as pool:
        assert pool.budget_bytes == 12 << 30

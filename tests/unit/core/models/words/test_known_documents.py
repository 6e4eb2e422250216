"""Documents that were learned from are recognised however they are written, and no others."""

from __future__ import annotations

import pytest

from core.models.words.known_documents import KnownDocuments, document_sketch

HARBOUR = " ".join(f"ship{place} waited outside" for place in range(40)) + "."
ORCHARD = " ".join(f"tree{place} was covered" for place in range(40)) + "."
SHORT = "Nobody was hurt."


@pytest.fixture(scope="module")
def known() -> KnownDocuments:
    return KnownDocuments({document_sketch(text): fold for fold, text in enumerate((HARBOUR, ORCHARD, SHORT))})


@pytest.mark.parametrize(
    "text",
    [
        HARBOUR,
        f"{HARBOUR} ",
        HARBOUR.upper(),
        HARBOUR.replace(" ", "\n"),
        HARBOUR.replace("ship7 ", "boat "),
        f"{HARBOUR} It was reported later.",
    ],
)
def test_a_document_is_known_however_it_is_spaced_capitalised_or_changed_a_little(
    known: KnownDocuments, text: str
) -> None:
    assert known.fold(text) == 0


def test_short_documents_are_known_as_a_whole(known: KnownDocuments) -> None:
    assert known.fold(" nobody was  hurt") == 2
    assert known.fold("Nobody was there.") is None


def test_other_documents_are_not_known(known: KnownDocuments) -> None:
    mixed = f"{HARBOUR[:200]} {' '.join(f'other{place} text' for place in range(100))}"
    assert known.fold(ORCHARD) == 1
    assert known.fold("") is None
    assert known.fold(mixed) is None

"""A signature tells two numbers apart and carries no path."""

from __future__ import annotations

from dataclasses import replace

from core.metric import METRICS, signature
from tests.doubles.metrics import Asking

FINGERPRINT = "0123456789abcdef"
ASKING = Asking("/somewhere/model", "so ")


def signed(metric: Asking, fingerprint: str = FINGERPRINT, splitter: str = "punkt", version: str = "1") -> str:
    return signature(metric, [fingerprint], splitter, version)


def test_the_weights_stand_instead_of_their_path() -> None:
    assert signed(ASKING) == "asking|prefix:so |weights:0123456789ab|split:punkt|touchstone:1"


def test_every_setting_stands_in_it() -> None:
    metric = METRICS.parse("rouge2[measured=f1]")
    assert (
        signature(metric, [], "punkt", "1") == "rouge2|measured:f1|stemmer:True|variant:perl|split:punkt|touchstone:1"
    )


def test_whatever_moves_a_number_changes_it() -> None:
    others = {
        signed(replace(ASKING, prefix="")),
        signed(ASKING, fingerprint="fedcba987654"),
        signed(ASKING, splitter="punkt-tab"),
        signed(ASKING, version="2"),
    }
    assert len(others - {signed(ASKING)}) == 4


def test_the_same_weights_elsewhere_are_the_same() -> None:
    assert signed(replace(ASKING, checkpoint="/elsewhere")) == signed(ASKING)

"""The mark on scores of a text that a metric is not made for, as the board shows it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.bench import Bench, example

pytestmark = pytest.mark.e2e

GERMAN = "Der Hafen war am Dienstag geschlossen, weil ein Frachter an den Kai gefahren war. Verletzt wurde niemand."


def test_a_german_summary_is_marked_where_the_metric_is_for_english_and_an_english_one_is_not(bench: Bench) -> None:
    mark = bench.page.locator('tr[data-spec="rouge2"] .unverified')
    bench.settled(example().example.document, example().example.summary)
    expect(mark).to_have_text("")
    bench.write(GERMAN)
    bench.settled(example().example.document, GERMAN)
    expect(mark).to_have_text("unverified: not English (de)")
    expect(bench.page.locator('tr[data-spec="bleu"] .unverified')).to_have_text("")

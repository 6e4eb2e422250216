"""The slices of Evaluate."""

from core.results.cases.measures import SLICE_FIELDS
from pages.ui.evaluate.dataset_choice import SLICE_TITLES


def test_every_field_that_can_be_sliced_by_has_a_title() -> None:
    assert SLICE_TITLES.keys() == SLICE_FIELDS.keys()

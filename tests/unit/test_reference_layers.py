"""The layers of the picture in the documents: what imports stands above what it imports."""

from __future__ import annotations

from tests.reference_layers import folder_imports, layers


def test_a_folder_stands_above_what_it_imports_and_those_that_import_one_another_are_one_group() -> None:
    arrows = {"page": {"store", "core"}, "store": {"core"}, "core": {"words"}, "words": {"core"}, "alone": set[str]()}
    found = layers({folder: frozenset(imported) for folder, imported in arrows.items()})
    assert found == [[("page",)], [("store",)], [("alone",), ("core", "words")]]


def test_pages_stand_above_core_in_the_code() -> None:
    heights = {
        folder: -place
        for place, layer in enumerate(layers(folder_imports()))
        for members in layer
        for folder in members
    }
    assert heights["pages/views"] > heights["pages/ui"] > heights["pages/server"] > heights["core/scoring"]
    assert heights["core/assessment"] > heights["core/evaluation"] > heights["core/stats"]

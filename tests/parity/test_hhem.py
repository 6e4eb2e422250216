"""Our HHEM-2.1-open is that of its definition, one prompt at a time with a plain T5 encoder."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import PreTrainedTokenizerFast, T5Config, T5EncoderModel

from core.errors import BadSettingError, LoadError, UnscorableError
from core.model_reference import Checkpoint
from core.models.adapters import hhem
from core.models.weights.locations import locate
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.hhem import prompt
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Example, Failure, FailureKind, Result, Score
from tests.drive import drive
from tests.parity.texts import LONG, PAIRS
from tests.parity.tiny_entailment import hhem_and_flan

pytestmark = pytest.mark.parity

# attention over the longest takes seconds, and it adds nothing to the others
PROBES = {name: pair for name, pair in PAIRS.items() if name != "a 600-word sentence inside"}

Consistent = Callable[[str, str], float]
Folders = tuple[Path, Path]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    place = tmp_path_factory.mktemp("tiny")
    return hhem_and_flan(place / "hhem", place / "flan")


@pytest.fixture(scope="module")
def consistent(folders: Folders) -> Consistent:
    """The encoder's state of the first token and the layer over it, from the weights in the file."""
    state = load_file(folders[0] / "model.safetensors")
    network = T5EncoderModel(T5Config.from_pretrained(folders[1])).eval()
    body = {name.removeprefix("t5.transformer."): tensor for name, tensor in state.items() if "transformer" in name}
    network.load_state_dict({**body, "encoder.embed_tokens.weight": body["shared.weight"]})
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folders[1] / "tokenizer.json"))

    @cache
    def ask(premise: str, hypothesis: str) -> float:
        text = "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {}\n\nHypothesis: {}"
        ids = tokenizer([text.format(premise, hypothesis)], return_tensors="pt")["input_ids"]
        assert ids[0, 0] == 0
        with torch.no_grad():
            read = network(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0, 0]
        logits = state["t5.classifier.weight"] @ read + state["t5.classifier.bias"]
        return float(logits.softmax(-1)[1])

    return ask


@cache
def scored(folders: Folders, pair: tuple[str, str], settings: str = "") -> Score:
    spec = f"hhem[checkpoint={folders[0]},backbone={folders[1]}{settings}]"
    return drive(METRICS.parse(spec).rounds(Example("pair", *pair)))


def close(value: object) -> object:
    return pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize(
    "pair",
    [pytest.param(pair, id=name, marks=pytest.mark.slow if name in LONG else ()) for name, pair in PROBES.items()],
)
def test_a_summary_scores_as_defined(folders: Folders, consistent: Consistent, pair: tuple[str, str]) -> None:
    score = scored(folders, pair)
    assert score.value == close(consistent(*pair))
    assert [part.score for part in score.parts] == close(
        [consistent(pair[0], span.of(pair[1])) for span in sentences(pair[1])]
    )
    assert score.seen.cut == 0


def test_the_mean_over_sentences_is_a_setting(folders: Folders) -> None:
    score = scored(folders, PAIRS["ordinary"], ",claims=sentences")
    assert score.value == pytest.approx(sum(part.score for part in score.parts) / 3)


@pytest.mark.slow
def test_the_tiny_model_tells_the_pairs_apart(folders: Folders) -> None:
    values = [scored(folders, pair).value for pair in PROBES.values()]
    assert max(values) - min(values) > 0.5


def test_premise_and_hypothesis_are_not_exchanged(folders: Folders, consistent: Consistent) -> None:
    premise, hypothesis = PAIRS["ordinary"]
    assert abs(scored(folders, PAIRS["ordinary"]).value - consistent(hypothesis, premise)) > 1e-3


def test_the_prompt_is_that_of_the_model() -> None:
    assert hashlib.sha256(prompt("A", "B").encode()).hexdigest().startswith("a04b7ff71709c5f6")


def test_a_pair_that_is_too_long_is_refused_and_not_cut(folders: Folders) -> None:
    with pytest.raises(UnscorableError, match="the model reads 64 at once"):
        scored(folders, PAIRS["ordinary"], ",max_tokens=64")
    with pytest.raises(BadSettingError, match="max_tokens"):
        METRICS.parse("hhem[max_tokens=5]")


def load(folders: Folders) -> hhem.HhemModel:
    checkpoint = Checkpoint(str(folders[0]), "hhem", backbone=str(folders[1]))
    return hhem.load(locate(checkpoint), checkpoint, "cpu")


@pytest.mark.parametrize("name", ["t5.classifier.weight", "t5.transformer.shared.weight"])
def test_a_file_without_a_needed_weight_is_refused(folders: Folders, tmp_path: Path, name: str) -> None:
    copy = shutil.copytree(folders[0], tmp_path / "copy")
    state = load_file(copy / "model.safetensors")
    state.pop(name)
    save_file(state, copy / "model.safetensors")
    with pytest.raises(LoadError, match="of another kind"):
        load((copy, folders[1]))


def test_a_backbone_of_another_type_is_refused(folders: Folders, tmp_path: Path) -> None:
    copy = shutil.copytree(folders[1], tmp_path / "copy")
    (copy / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(LoadError, match="of type bert"):
        load((folders[0], copy))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=tmp_path / "cache"))
    yield opened
    opened.close()


def test_an_edit_asks_about_the_summary_and_the_edited_sentence(folders: Folders, engine: Engine) -> None:
    metric = METRICS.parse(f"hhem[checkpoint={folders[0]},backbone={folders[1]}]")
    document, summary = PAIRS["ordinary"]
    texts = [summary, summary, summary.replace("Nobody", "Everybody")]
    results = [found for text in texts for _, found in engine.run([metric], [Example("a", document, text)])]
    assert [result.counts.asked for result in results if isinstance(result, Result)] == [4, 0, 2]


def test_a_pair_that_is_too_long_spoils_only_its_own_cell(folders: Folders, engine: Engine) -> None:
    metric = METRICS.parse(f"hhem[checkpoint={folders[0]},backbone={folders[1]},max_tokens=700]")
    pairs = [Example("long", *PAIRS["several chunks"]), Example("short", *PAIRS["short"])]
    refused, found = (outcome for _, outcome in engine.run([metric], pairs))
    assert isinstance(refused, Failure)
    assert refused.kind is FailureKind.INPUT
    assert isinstance(found, Result)
